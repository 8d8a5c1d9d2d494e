"""Threats of Gomoku: priors against a slow oracle, wins by fours against that of the benchmark."""
import random

import numpy as np
import pytest
from drawing import assert_same_stones, draw
from test_problems import load

from mugo.games import gomoku, gomoku_threats
from mugo.games.board import BLACK, POINTS, WHITE
from mugo.games.coords import point_at, row_col
from mugo.games.gomoku_threats import (
    DEFENCE, EVEN, FAR_AWAY, FIVE, FOUR, NEAR, OPEN_FOUR, OPEN_THREE, THREE, TWO, win_by_fours)
from mugo.games.planes import new_scratch

DIRECTIONS = ((0, 1), (1, -1), (1, 0), (1, 1))


def priors_of(position: gomoku.GomokuPosition) -> np.ndarray:
    priors = np.zeros((POINTS, 2), np.float32)
    gomoku_threats.write_priors(position.board[0], new_scratch(), priors)
    return priors


def slow_value(position: gomoku.GomokuPosition, row: int, col: int, step: tuple[int, int], colour: int) -> float:
    """The value of a stone's threats in one direction, by all windows of k points that it is in."""
    counts = []
    for start in range(-position.k + 1, 1):
        window = [(row + i * step[0], col + i * step[1]) for i in range(start, start + position.k)]
        if all(0 <= r < position.size and 0 <= c < position.size for r, c in window):
            stones = [int(position.stones[point]) for point in window]
            if -colour not in stones:
                counts.append(1 + stones.count(colour))
    if not counts:
        return 0
    left, windows = position.k - max(counts), counts.count(max(counts))
    return {0: FIVE, 1: OPEN_FOUR if windows > 1 else FOUR, 2: OPEN_THREE if windows > 1 else THREE,
            3: TWO if windows > 1 else 0}.get(left, 0)


def threats(picture: str, colour: int = BLACK, k: int = 5) -> dict[str, float]:
    """The value of each named point for a colour, by the windows of its row."""
    position, at = draw(picture, k=k)
    return {name: gomoku_threats.threat_value(position.board[0], point, 1, colour) for name, point in at.items()}


def test_threats_have_the_names_of_the_table():
    assert threats("""
        . . . . . . . . .
        a X X X X b . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        O X X X c d . . .
        . . . . . . . . .
        . . . . . . . . .
        O e X X f . . X g
    """) == {"a": FIVE, "b": FIVE, "c": FOUR, "d": FOUR, "e": THREE, "f": OPEN_THREE, "g": 0}


@pytest.mark.parametrize("size, k, stones, seed", [(8, 5, 20, 1), (6, 4, 12, 2), (15, 5, 70, 3), (9, 3, 10, 4)])
def test_priors_are_those_of_the_slow_oracle(size, k, stones, seed):
    rng, seen = np.random.default_rng(seed), set()
    for _ in range(6):
        position = gomoku.GomokuPosition(size, k)
        while position.plies < stones:
            after = position.play(int(rng.choice(position.legal_points())))
            position = gomoku.GomokuPosition(size, k) if after.is_over else after
        priors, c = priors_of(position), position.to_play
        for point in position.legal_points().tolist():
            row, col = row_col(point, size)
            near = position.stones[max(row - NEAR, 0):row + NEAR + 1, max(col - NEAR, 0):col + NEAR + 1].any()
            value = sum(slow_value(position, row, col, step, c) + DEFENCE * slow_value(position, row, col, step, -c)
                        for step in DIRECTIONS) if near else 0
            assert priors[point].tolist() == pytest.approx(
                [EVEN + value + (0 if near else FAR_AWAY), EVEN / 2 + value], abs=0.01), f"\n{position}"
            seen.add(round(value))
    assert len(seen) > 8


def test_the_empty_board_has_even_games_and_one_stone_attracts():
    assert set(map(tuple, priors_of(gomoku.GomokuPosition(15))[:, :].tolist())) == {(EVEN, EVEN / 2), (0.0, 0.0)}
    position = gomoku.GomokuPosition(15).play(point_at(7, 7, 15))
    priors = priors_of(position)
    assert priors[point_at(7, 9, 15)].tolist() == pytest.approx([EVEN + DEFENCE * TWO, EVEN / 2 + DEFENCE * TWO])
    assert priors[point_at(8, 9, 15)].tolist() == [EVEN, EVEN / 2]
    assert priors[point_at(7, 10, 15)].tolist() == [EVEN + FAR_AWAY, EVEN / 2]


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
