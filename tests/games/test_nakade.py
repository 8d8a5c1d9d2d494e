"""Nakade: vital points of eye spaces drawn and of all there are; self-atari in killing shapes; seki in rollouts."""
import numpy as np
import pytest
from drawing import SEKI, draw, named
from eye_spaces import canonical, is_killed, killers, polyominoes, vital_cells
from oracles import BLACK, WHITE, chain, every_point, put

from mugo.games.board import POINTS, new_boards
from mugo.games.coords import PASS, board_points, point_at, row_col
from mugo.games.go import Position
from mugo.games.light_board import LIGHT_BOARD, copy_position, self_atari, set_codes
from mugo.games.nakade import makes_killing_shape, vital_point
from mugo.games.rollouts import (
    KILLING_SHAPES,
    MOGO,
    NAKADE,
    NO_SEKI_FILLING,
    VITAL_POINTS,
    mogo_move,
    roll_out,
    safe_random_move,
)

ALL_RULES = NAKADE | VITAL_POINTS | KILLING_SHAPES | NO_SEKI_FILLING


def copy_of(position, seed=1):
    boards = new_boards(1)
    boards[0] = position.board[0]
    boards[0]["random"] = seed
    return boards[0]


def light_copy_of(position, seed=1):
    light = np.zeros(1, LIGHT_BOARD)[0]
    copy_position(copy_of(position, seed), light)
    set_codes(light)
    return light


def position_of(size, stones, to_play=WHITE):
    """A position with these stones, {(row, col): colour}."""
    black, white = ([point_at(*cell, size) for cell, c in stones.items() if c == colour] for colour in (BLACK, WHITE))
    return Position(size).with_stones(black, white, to_play)


@pytest.mark.parametrize("picture", [
    "X X X X X    X . a . X    X X X X X    X X X X X    X X X X X",                                 # three
    "X X X X X    X X . X X    X X a . X    X X X X X    X X X X X",                                 # bent three
    "X X X X X    X X . X X    X X a . X    X X . X X    X X X X X",                                 # T four
    "X X X X X    X . . X X    X . a . X    X X X X X    X X X X X",                                 # bulky five
    "X X X X X    X X . X X    X . a . X    X X . X X    X X X X X",                                 # cross five
    "X X X X X    X . . X X    X . a . X    X X . X X    X X X X X",                                 # rabbity six
    ". a . X X    X X X X X    X X X X X    X X X X X    X X X X X",                                 # at the edge
    ". . X X X    a . X X X    . X X X X    X X X X X    X X X X X",                                 # in the corner
])
def test_the_vital_point_of_drawn_eye_spaces(picture):
    for turns in range(4):
        rows = np.rot90(np.array([row.split() for row in picture.split("    ")]), turns)
        position, at = draw("\n".join(" ".join(row) for row in rows))
        light = light_copy_of(position)
        for empty in board_points(5)[position.stones.ravel() == 0].tolist():
            assert vital_point(light, empty, BLACK) == at["a"]
            assert vital_point(light, empty, WHITE) == 0, "Black encloses it"


@pytest.mark.parametrize("picture", [
    "X X X X X    X . . X X    X . . X X    X X X X X    X X X X X",                                 # square four
    "X X X X X X    . . . . X X    X X X X X X    X X X X X X    X X X X X X    X X X X X X",        # four in a row
    "X X X X X    X . . X X    X X . . X    X X X X X    X X X X X",                                 # bent four
    "X X X X X    X . . . X    X . . . X    X X X X X    X X X X X",                                 # rectangular six
    "X X X X X    X . . . X    X . . . X    X X . X X    X X X X X",                                 # seven
    "X X X X X    X . . X X    X X X X X    X X X X X    X X X X X",                                 # two
    "X X X X X    X . . . X    X X X X O    X X X X O    X X . O O",                                 # White beside it
    ". . . . .    . . . . .    . . X . .    . . . . .    . . . . .",
])
def test_no_vital_point(picture):
    position, _ = draw(picture.replace("    ", "\n"))
    light = light_copy_of(position)
    region = board_points(position.size)[position.stones.ravel() == 0].tolist()
    if "O" in picture:
        region = [point_at(1, col, 5) for col in (1, 2, 3)]
        light["near"][point_at(1, 3, 5)] += (1 << 8) - 1     # its neighbour below is White's
    assert [vital_point(light, empty, BLACK) for empty in region] == [0] * len(region)


@pytest.mark.parametrize("n", range(1, 8))
def test_vital_points_are_those_of_every_line_of_play(n):
    """Every eye space of up to six points, and those of seven, of which none is taken for one."""
    for shape in polyominoes(n):
        size = 2 + max(map(max, shape))
        light = light_copy_of(position_of(size, dict.fromkeys(set(every_point(size)) - shape, BLACK)))
        expected = {point_at(*cell, size) for cell in vital_cells(shape)} if n <= 6 else set()
        assert len(expected) <= 1
        for cell in shape:
            assert {vital_point(light, point_at(*cell, size), BLACK)} - {0} == expected


@pytest.mark.parametrize("n, killed", [(1, 1), (2, 1), (3, 2), (4, 2), (5, 2), (6, 1)])
def test_the_shapes_that_one_move_kills(n, killed):
    """Known: the oracle of this file finds the eye spaces of the books, and which way they can be killed."""
    assert sum(bool(killers(shape)) for shape in polyominoes(n)) == killed


@pytest.mark.parametrize("n", range(3, 8))
def test_a_self_atari_kills_if_its_stones_leave_a_killed_eye_space(n):
    """White fills every eye space of n points but for one liberty; Black captures, and White plays first in what is
    left."""
    found = set()
    for space in polyominoes(n):
        for liberty in space:
            shape = space - {liberty}
            if len(canonical(shape)) != len(shape) or canonical(shape) not in polyominoes(n - 1):
                continue                                  # in two pieces
            cell = min(shape)
            size = 2 + max(map(max, space))
            stones = dict.fromkeys(set(every_point(size)) - space, BLACK) | dict.fromkeys(shape - {cell}, WHITE)
            after = put(size, stones, cell, WHITE)
            if len(after) <= len(stones) or chain(size, after, cell)[1] != {liberty}:
                continue                                  # it captures the wall
            light = light_copy_of(position_of(size, stones))
            assert self_atari(light, point_at(*cell, size), WHITE) >= 2
            kills = makes_killing_shape(light, point_at(*cell, size), WHITE)
            assert kills == is_killed(shape)
            found.add(kills)
    assert found == ({True} if n <= 4 else {False} if n > 7 else {True, False})


def drawn_moves(position, rules, draws=200):
    """The set of moves in a number of draws."""
    moves, light = np.zeros(POINTS, np.int16), light_copy_of(position)
    return {mogo_move(light, position.to_play, moves, MOGO | rules) for _ in range(draws)}


def test_the_vital_point_beside_the_last_move_is_played():
    """Black captures four stones at b and leaves a T four."""
    position, at = draw("""
        . X . X O . .
        X X X X O O .
        X Oc Oa Od X O .
        X X Oe X X O .
        . X b X O O .
        X X X X O . .
        O O O O O . .
    """, to_play=BLACK)
    position = position.play(at["b"])
    a = {at["a"]}
    assert drawn_moves(position, NAKADE) == a
    assert len(drawn_moves(position, 0)) > 1
    assert len(drawn_moves(position.play(PASS).play(PASS), NAKADE)) > 1, "not beside the last move"


def test_the_vital_point_takes_the_place_of_a_random_move():
    """In Black's eye space a is drawn, never b or c, by White to kill and by Black to live."""
    position, at = draw("""
        b a c X . O
        X X X X O O
        O O O O O .
        . O . O . O
        O O O O O O
        . O . O . O
    """)
    for colour in (BLACK, WHITE):
        for rules in (0, VITAL_POINTS):
            light = light_copy_of(position)
            drawn = {safe_random_move(light, colour, MOGO | rules) for _ in range(300)}
            assert drawn & named(at, "a b c") == (named(at, "a") if rules else named(at, "a b c"))


def test_self_atari_is_drawn_where_its_stones_kill():
    """White's a leaves a square of four in Black's bulky five, b four in a row."""
    position, at = draw("""
        X X X X X . .
        X O O X X . .
        X O a . X . .
        X X X X X X X
        O O O b . X .
        X X X X X X .
        . . . . . . .
    """, to_play=WHITE)
    light = light_copy_of(position)
    assert makes_killing_shape(light, at["a"], WHITE)
    assert not makes_killing_shape(light, at["b"], WHITE)
    for rules, expected in ((0, set()), (KILLING_SHAPES, named(at, "a"))):
        drawn = {safe_random_move(light, WHITE, MOGO | rules) for _ in range(100)}
        assert drawn & named(at, "a b") == expected


def test_a_self_atari_in_the_open_does_not_kill():
    """White's a has one liberty left, b, from which the chain could go on."""
    position, at = draw("""
        . . . . . .
        . X X X X .
        . X O a b .
        . X X X X .
        . . . . . .
        . . . . . .
    """, to_play=WHITE)
    assert self_atari(light_copy_of(position), at["a"], WHITE) == 2
    assert not makes_killing_shape(light_copy_of(position), at["a"], WHITE)
    closed, at = draw("""
        . . . . . .
        . X X X X .
        . X O a b X
        . X X X X .
        . . . . . .
        . . . . . .
    """, to_play=WHITE)
    assert makes_killing_shape(light_copy_of(closed), at["a"], WHITE)


def test_rollouts_keep_a_seki():
    position, _ = draw(SEKI)
    stones = position.stones.ravel() != 0
    kept = {0: 0, NO_SEKI_FILLING: 0, ALL_RULES: 0}
    for rules in kept:
        for seed in range(1, 51):
            for colour in (BLACK, WHITE):
                board = copy_of(position.with_turn(colour), seed * 7919)
                roll_out(board, MOGO | rules, 0, np.zeros(POINTS, np.int8))
                kept[rules] += np.array_equal(board["colour"][board_points(7)][stones], position.stones.ravel()[stones])
    assert kept == {0: 0, NO_SEKI_FILLING: 100, ALL_RULES: 100}


@pytest.mark.parametrize("rules", [NAKADE, VITAL_POINTS, KILLING_SHAPES, NO_SEKI_FILLING, ALL_RULES])
def test_rules_keep_rollouts_legal_and_short(rules):
    """Every rollout ends with two passes, and its score is the area."""
    for size in (3, 5, 9, 19):
        for seed in range(1, 21):
            board = copy_of(Position(size), seed * 7919)
            score = roll_out(board, MOGO | rules, 0, np.zeros(POINTS, np.int8))
            stones = {row_col(int(p), size): int(board["colour"][p]) for p in board_points(size) if board["colour"][p]}
            assert all(chain(size, stones, point)[1] for point in stones)
            assert board["passes"] == 2 or size == 3
            assert abs(score) <= size * size
