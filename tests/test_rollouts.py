"""rollouts.py: every move as likely as the next, no own eye filled, the same seed the same game."""
import random
from collections import Counter

import numpy as np
import pytest
from drawing import assert_same_points, draw, named
from oracles import area, every_point, is_true_eye, put
from played import random_game

from mugo import board as rules
from mugo.board import BLACK, WHITE
from mugo.coords import PASS, board_points, point_at, row_col
from mugo.rollouts import MOVES_PER_POINT, UNIFORM, random_below, random_move, roll_out, roll_out_from


def copy_of(position, seed):
    boards = rules.new_boards(1)
    boards[0] = position.board[0]
    boards[0]["random"] = seed
    return boards[0]


def chi_square(counts, expected):
    """In units of its spread: about 0 for a fair count, 4 is not chance."""
    counts = np.asarray(counts)
    freedom = len(counts) - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5


@pytest.mark.parametrize("n", [1, 2, 3, 10, 81, 361])
def test_random_numbers_are_below_the_limit_and_equally_likely(n):
    board = copy_of(draw(". .\n. .")[0], 20160920)
    drawn = Counter(random_below(board, n) for _ in range(200 * n))
    assert set(drawn) <= set(range(n))
    if n > 1:
        assert chi_square([drawn[i] for i in range(n)], 200) < 4


def test_every_sensible_move_is_equally_likely():
    position, at = draw("""
        . X . O . .
        X X O O O .
        a O . . O b
        O O . X . .
        . . X c X O
        d . . X . .
    """)
    likely = position.sensible_points().tolist()
    assert set(likely) < set(position.legal_points().tolist())
    assert named(at, "c") & set(likely) == set(), "Black's own eye"
    drawn = Counter()
    for seed in range(1, 301 * len(likely)):
        drawn[random_move(copy_of(position, seed * 7919), BLACK)] += 1
    assert_same_points(position, drawn, likely, "moves drawn")
    assert chi_square([drawn[p] for p in likely], sum(drawn.values()) / len(likely)) < 4


def test_one_board_draws_every_sensible_move_equally_often():
    position, _ = draw("""
        . X . O
        X X O O
        . O . .
        O O . X
    """)
    board = copy_of(position, 1)
    likely = position.sensible_points().tolist()
    drawn = Counter(random_move(board, BLACK) for _ in range(500 * len(likely)))
    assert_same_points(position, drawn, likely, "moves drawn")
    assert chi_square([drawn[p] for p in likely], 500) < 4


def test_there_is_a_pass_where_nothing_else_is_sensible():
    position, _ = draw("""
        . X .
        X X X
        . X .
    """)
    assert {random_move(copy_of(position, seed), BLACK) for seed in range(1, 50)} == {PASS}
    assert {random_move(copy_of(position, seed), WHITE) for seed in range(1, 50)} == {PASS}


@pytest.mark.parametrize("size", [2, 3, 5, 9, 19])
def test_a_rollout_ends_where_neither_side_has_a_sensible_move(size):
    for seed in range(1, 21):
        boards = rules.new_boards(1)
        rules.clear(boards[0], size)
        boards[0]["random"] = seed
        score = roll_out(boards[0], UNIFORM, 0)
        stones = {row_col(int(p), size): int(boards[0]["colour"][p]) for p in board_points(size)
                  if boards[0]["colour"][p]}
        assert score == area(size, stones)
        if boards[0]["passes"] < 2:
            assert boards[0]["moves"] == MOVES_PER_POINT * size * size
            continue
        left = [point_at(*point, size) for point in every_point(size) for colour in (BLACK, WHITE)
                if point not in stones and not is_true_eye(size, stones, point, colour)
                and put(size, stones, point, colour) is not None]
        # A ko may have forced the first pass; the pass then lifted it.
        assert len(left) <= 1 and all(boards[0]["stood"][point] for point in left)


def test_rollouts_fill_no_true_eye():
    """Two eyes in the corner live through every rollout."""
    position, _ = draw("""
        . X . X O .
        X X X X O .
        O O O O O .
        . . . . . .
        . . . . . .
        . . . . . .
    """)
    for seed in range(1, 101):
        for board in (copy_of(position, seed), copy_of(position.with_turn(WHITE), seed)):
            roll_out(board, UNIFORM, 0)
            corner = [board["colour"][point_at(row, col, 6)] for row in range(2) for col in range(4)]
            assert corner == [0, 1, 0, 1, 1, 1, 1, 1]


def test_the_same_seed_plays_the_same_games():
    boards = rules.new_boards(2)
    rules.clear(boards[0], 9)
    first = roll_out_from(boards, 50, 42)
    end = boards[1].copy()
    assert roll_out_from(boards, 50, 42) == first
    assert boards[1].tobytes() == end.tobytes()
    assert roll_out_from(boards, 50, 43) != first
    assert boards[0]["moves"] == 0, "the first board is left alone"


def test_rollouts_from_the_empty_board_favour_black_a_little():
    boards = rules.new_boards(2)
    rules.clear(boards[0], 9)
    total, moves = roll_out_from(boards, 4000, 1)
    assert 1 < total / 4000 < 5
    assert 100 < moves / 4000 < 120


def test_rollouts_count_a_won_game_as_won():
    position, _ = draw("""
        . X X O .
        X X X O O
        X X X O .
        X X X O O
        . X X O .
    """)
    boards = rules.new_boards(2)
    boards[0] = position.board[0]
    total, _ = roll_out_from(boards, 200, 5)
    assert total == 200 * (15 - 10)


def test_drawing_moves_leaves_the_list_of_empty_points_whole():
    rng = random.Random(6)
    for position in list(random_game(rng, 9))[::4]:
        board = copy_of(position, rng.getrandbits(60) + 1)
        for colour in (BLACK, WHITE) * 3:
            random_move(board, colour)
        empty = board["empties"][:board["n_empty"]]
        expected = board_points(9)[(position.stones == 0).ravel()]
        assert_same_points(position, empty, expected, "the empty points")
        assert len(empty) == len(expected)
        assert [board["empties"][board["slot"][p]] for p in expected] == expected.tolist()
