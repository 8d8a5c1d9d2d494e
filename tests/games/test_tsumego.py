"""The frame around a life-and-death problem."""
import numpy as np
import pytest

from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.go import GoPosition
from mugo.games.position import IllegalMove
from mugo.games.tsumego import WIN_BY, attacker_of, with_tsumego_frame

CORNER = """
. O X . . . . . .
O O X . . . . . .
X X X . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
"""
FRAMED = """
. O X . . X O O .
O O X . . X O O O
X X X . . X O O .
. . . . . X O O O
. . . . . X O O .
X X X X X X O O O
. X X O O O O O .
X X X X O O O O O
. X . X O O . O .
"""


def board(rows, size=19, to_play=WHITE, komi=7.5, top=0, left=0):
    """A position of a drawing, its upper left corner at a place of the board."""
    stones = np.zeros((size, size), int)
    for i, row in enumerate(rows.split("\n")):
        for j, mark in enumerate(row.split()):
            stones[top + i, left + j] = {"X": BLACK, "O": WHITE}.get(mark, EMPTY)
    return GoPosition(size, komi).with_board(stones, to_play)


def test_the_frame_fills_the_board_around_a_corner():
    position, expected = board(CORNER.strip(), 9), board(FRAMED.strip(), 9)
    framed = with_tsumego_frame(position)
    assert framed.stones.tolist() == expected.stones.tolist()
    assert framed.to_play == position.to_play and framed.komi == position.komi and not framed.plies


@pytest.mark.parametrize("komi", [7.5, 0.5, -20.5])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("size", [13, 19])
def test_the_attacker_wins_by_five_points_who_captures_everything(komi, turned, size):
    problem = board(". O X\nO O X\nX X X", size, komi=komi)
    if turned:
        problem = problem.with_board(-problem.stones[::-1, ::-1], WHITE)
    attacker = WHITE if turned else BLACK
    assert attacker_of(problem) == attacker
    framed = with_tsumego_frame(problem).stones
    corner = slice(size - 5, size) if turned else slice(0, 5)
    framed[corner, corner] = attacker
    score = problem.with_board(framed, WHITE).score() * attacker
    assert abs(score - WIN_BY) <= 1


def test_the_attacker_is_the_side_outside_and_may_be_given():
    outside = board("O O O O O\nO X X X O\nO X . X O\nO X X X O\nO O . O O", top=8, left=6)
    assert attacker_of(outside) == WHITE and attacker_of(GoPosition(9)) is None
    assert with_tsumego_frame(outside).stones[6, 4] == EMPTY and with_tsumego_frame(outside).stones[5, 3] == WHITE
    assert with_tsumego_frame(outside, BLACK).stones[5, 3] == BLACK


def test_without_stones_or_room_there_is_no_frame():
    full = board("X . . . X\n. . . . .\n. . . . .\n. . . . .\nX . . . X", size=5)
    for position in GoPosition(9), full:
        assert with_tsumego_frame(position) is position


def test_a_frame_keeps_the_problem_and_leaves_every_chain_a_liberty():
    """with_board raises IllegalMove for a chain without liberties."""
    rng, framed = np.random.default_rng(1), 0
    for _ in range(300):
        rows, cols = (int(n) for n in rng.integers(2, 20, 2))
        height, width = int(rng.integers(1, rows + 1)), int(rng.integers(1, cols + 1))
        top, left = int(rng.integers(0, rows - height + 1)), int(rng.integers(0, cols - width + 1))
        stones = np.zeros((rows, cols), int)
        stones[top:top + height, left:left + width] = rng.choice([0, 0, 1, -1], (height, width))
        try:
            position = GoPosition((rows, cols), float(rng.choice([0.5, 7.5, -40.5, 70.5]))).with_board(stones, BLACK)
        except IllegalMove:
            continue
        after = with_tsumego_frame(position).stones
        assert (after[stones != EMPTY] == stones[stones != EMPTY]).all()
        framed += not (after == stones).all()
    assert framed > 100
