"""Wins by fours against the oracle of the benchmark, which counts the stones of every line."""
import random

import numpy as np
import pytest
from drawing import assert_same_stones, draw
from test_problems import load

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import point_at
from mugo.games.gomoku_threats import win_by_fours

tactics = load("gomoku_tactics")


def first_move(position):
    board = position.board[0].copy()
    move = int(win_by_fours(board, position.to_play))
    assert board.tobytes() == position.board[0].tobytes(), "the board is as it was"
    return move


def test_two_fours_in_a_row_win():
    position, at = draw("""
        . . . . . . . .
        . . . . O . . .
        . . . . X . . .
        . . . . X . . .
        . . . . X . . .
        O X X X a . . .
        . . . . . . . .
        . . . . . . . .
    """, BLACK, k=5)
    assert first_move(position) == at["a"]
    assert first_move(position.with_turn(WHITE)) == 0


def test_a_four_that_takes_the_opponents_point_to_win_on_is_the_only_one():
    """White wins at a or c if Black plays elsewhere; b makes a four too, but White's answer is not forced."""
    position, at = draw("""
        . . . . . . . . .
        . O O O O X . . .
        a . . . . . . . .
        . . . . . . . . .
        . . . . . X X X b
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """, BLACK, k=5)
    assert first_move(position) == 0
    assert at["b"] != at["a"]


def test_after_a_four_that_leads_nowhere_the_next_point_is_tried():
    """The four at a is answered below it; the one at b, and then c, wins."""
    position, at = draw("""
        . . . . . . . . . .
        . . . . O . . . . .
        . . X . X . . . . .
        . . . c X . . . . .
        . . . . X . . . . .
        . . . . a b . . . .
        . . . . . X . . . .
        . . . . . X . . . .
        . . . . . X . . . .
        . . . . . O . . . .
    """, BLACK, k=5)
    assert first_move(position) == at["b"]


def test_a_short_win_is_found_among_many_long_sequences_that_do_not_win():
    """White wins by three fours, a first.  There are 20,000 stones to try in longer sequences of fours before it."""
    position, at = draw("""
        . O . X X X O X . . . . . . .
        . X . X O . . . . . . . . . .
        . . . O O X X O X . . . . . .
        . . . . a X . O . . . . . . .
        . . . . . O . . . X . . . . .
        . . . . . O X X O . . . . . .
        . . . O X . X . . . . . . . .
        . . . . X O O O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """, WHITE, k=5)
    assert first_move(position) == at["a"]


@pytest.mark.parametrize("size, n", [(6, 300), (8, 300)])
def test_wins_are_those_of_the_oracle(size, n):
    """The first move wins where the oracle finds a win in four moves, and never elsewhere."""
    rng, oracle, found = random.Random(size), tactics.Oracle(size), 0
    for _ in range(n):
        cells = tactics.random_board(rng, size)
        if (abs(cells[oracle.lines].sum(1)) == 5).any() or oracle.wins(cells, 1):
            continue
        position = tactics.position_of(cells, size, BLACK)
        assert_same_stones(position.stones, cells.reshape(size, size), "drawn")
        move = first_move(position)
        right = {point_at(cell // size, cell % size, size) for cell in oracle.winning_moves(cells, 4)}
        if right:
            assert move
        if move:
            i = np.flatnonzero(position.play(move).stones.ravel() != cells)[0]
            found += 1
            assert i in oracle.winning_moves(cells, 8)
    assert found > 3
