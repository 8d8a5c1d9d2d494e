"""The oracle of benchmarks/gomoku_tactics.py on drawn boards, and a searcher on its positions."""
from dataclasses import replace

import numpy as np
from test_problems import load

from mugo.players.registry import default_settings, make_player
from mugo.players.searcher import PlayOptions

tactics = load("gomoku_tactics")
LETTERS = {"X": 1, "O": -1}


def board(drawing):
    """(board, cells by letter): X mine, O theirs."""
    letters = drawing.split()
    named = {letter: i for i, letter in enumerate(letters) if letter.islower()}
    return np.array([LETTERS.get(letter, 0) for letter in letters], np.int8), named


def test_two_fours_at_once_win_in_two_moves():
    cells, at = board("""
        . . . . . . . .
        . . . . O . . .
        . . . . X . . .
        . . . . X . . .
        . . . . X . . .
        O X X X a . . .
        . . . . . . . .
        . . . . . . . .
    """)
    oracle = tactics.Oracle(8)
    assert oracle.wins(cells, 1) == set()
    assert at["a"] in oracle.winning_moves(cells, 2)
    before = cells.copy()
    assert oracle.winning_moves(cells, 1) == set()
    assert (cells == before).all()


def test_a_four_that_gives_the_opponent_a_five_wins_nothing():
    """The answer to the four at a, at b, makes five of the opponent's."""
    cells, at = board("""
        . . . . . . . .
        O X X X a b . .
        . . . . . O . .
        . . . . . O . .
        . . . . . O . .
        . . . . . O . .
        . . . . . X . .
        . . . . . . . .
    """)
    oracle = tactics.Oracle(8)
    assert oracle.wins(cells, -1) == {at["b"]}
    assert oracle.winning_moves(cells, 4) == set()


def test_positions_are_what_their_kind_says_and_a_searcher_finds_the_answers():
    """Right moves are checked by playing them; the searcher is asked at few simulations."""
    settings = replace(default_settings("uct", "gomoku"), seed=1)
    player = make_player("uct", settings=settings, play_options=PlayOptions(simulations=100, resign=0), game="gomoku")
    for kind, cases in tactics.collect(8, 3, {"win": 8, "block": 8, "fours": 2}).items():
        for position, right in cases:
            legal = set(position.legal_points().tolist())
            winning = {p for p in legal if position.play(p).winner == position.to_play}
            theirs = {p for p in legal if position.with_turn(-position.to_play).play(p).winner == -position.to_play}
            if kind == "win":
                assert right == winning
            elif kind == "block":
                assert not winning
                assert right == theirs and len(right) == 1
            else:
                assert not winning and not theirs
                assert right <= legal
            assert kind == "fours" or player.select_move(position) in right
