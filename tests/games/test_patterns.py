"""patterns.py: the drawn shapes, in every direction and for both colours, and the table against a plain reading."""
import functools
import random

import numpy as np
import pytest
from drawing import assert_same_points, draw
from sample_positions import random_game, stones_of, transformed

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import board_points, point_at, point_of_index, row_col, symmetries
from mugo.games.patterns import CODES, FOR_BOTH, FOR_X, MATCHES, code_around, matches_pattern, pictures

AROUND = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1)]
# Where each of the nine letters comes from, for each of the eight ways to look at a picture.
WAYS = [[AROUND.index(way(row, col)) for row, col in AROUND] for way in (
    lambda r, c: (r, c), lambda r, c: (-r, c), lambda r, c: (r, -c), lambda r, c: (-r, -c),
    lambda r, c: (c, r), lambda r, c: (-c, r), lambda r, c: (c, -r), lambda r, c: (-c, -r))]


def fits(letter, cell):
    """cell: X mine, O theirs, # off the board, . empty."""
    return letter in (cell, "?") or letter == "x" and cell != "X" or letter == "o" and cell != "O"


def swapped(cells):
    return cells.translate(str.maketrans("XO", "OX"))


@functools.cache
def makes_a_shape(cells):
    """The slow twin: whether X, to play in the middle of these nine cells, makes one of the pictures."""
    views = [[cells[k] for k in way] for way in WAYS]
    others = [[swapped(cells)[k] for k in way] for way in WAYS]
    return any(all(map(fits, picture, view))
               for picture in pictures(FOR_BOTH) for view in views + others) or any(
           all(map(fits, picture, view)) for picture in pictures(FOR_X) for view in views)


def cells_around(size, stones, point, colour):
    row, col = row_col(point, size)
    cells = ""
    for dr, dc in AROUND:
        at = row + dr, col + dc
        on = all(0 <= k < size for k in at)
        cells += {colour: "X", -colour: "O", None: "."}[stones.get(at)] if on else "#"
    return cells


def shapes(position, colour):
    return [p for p in board_points(position.size).tolist()
            if position.board["colour"][0][p] == 0 and matches_pattern(position.board[0], p, colour)]


def test_the_pictures_are_read_as_drawn():
    assert list(pictures(FOR_X)) == ["XOO...?.?", "?XO?.?###", "?OX?.o###", "?OXX.O###"]
    assert len(list(pictures(FOR_BOTH))) == 8
    assert {picture[4] for picture in (*pictures(FOR_BOTH), *pictures(FOR_X))} == {"."}


@pytest.mark.parametrize("picture", [*pictures(FOR_BOTH), *pictures(FOR_X)])
def test_each_picture_matches_from_all_sides(picture):
    """Drawn on a board, nothing where the picture leaves it open; at the lower edge if it has one."""
    middle = 6 if picture.endswith("###") else 3
    rows = [["."] * 7 for _ in range(7)]
    for (dr, dc), letter in zip(AROUND, picture, strict=True):
        if letter in "XO":
            rows[middle + dr][3 + dc] = letter
    position, _ = draw("\n".join(map(" ".join, rows)))
    for symmetry in range(8):
        point = point_of_index(int(symmetries(7)[symmetry][middle * 7 + 3]), 7)
        for colour in (BLACK, WHITE):
            board = transformed(position, symmetry, swapped=colour == WHITE)
            movers = (BLACK, WHITE) if picture in pictures(FOR_BOTH) else (colour,)
            for mover in movers:
                assert_same_points(board, {point} & set(shapes(board, mover)), {point}, "shapes")


def test_shapes_on_a_drawn_board():
    position, at = draw("""
        . . . . . . .
        . . X O X . .
        . . . a . . .
        . . . . . . .
        . X O . . . .
        . O b . . . d
        . . . . O X .
    """)
    black = set(shapes(position, BLACK))
    assert at["a"] in black, "hane"
    assert at["b"] in black, "an open cut"
    assert at["d"] not in black
    closed, at = draw("""
        . . . . .
        . X O . .
        . O b O .
        . . . . .
        . . . . .
    """)
    assert at["b"] not in shapes(closed, BLACK), "what is cut there connects below"


def test_an_edge_shape_is_none_in_the_middle():
    edge, at = draw("""
        . . . . .
        . . . . .
        . . . . .
        . . X . .
        . . a O .
    """)
    middle, there = draw("""
        . . . . .
        . . X . .
        . . a O .
        . . . . .
        . . . . .
    """)
    for colour in (BLACK, WHITE):
        assert at["a"] in shapes(edge, colour)
        assert there["a"] not in shapes(middle, colour)


def test_the_table_matches_what_the_plain_reading_matches():
    rng = random.Random(3)
    letter = {code: letter for letter in ".X#O" for code in CODES[letter]}
    for code in [rng.randrange(4 ** 8) for _ in range(400)] + np.flatnonzero(MATCHES)[::50].tolist():
        around = "".join(letter[code >> shift & 3] for shift in range(14, -1, -2))
        assert MATCHES[code] == makes_a_shape(around[:4] + "." + around[4:]), around


def test_codes_are_read_from_the_board_for_the_side_to_move():
    rng = random.Random(5)
    for size in (2, 5, 7):
        for position in list(random_game(rng, size))[::12]:
            stones = stones_of(position)
            for colour in (BLACK, WHITE):
                expected = []
                for p in board_points(size).tolist():
                    cells = cells_around(size, stones, p, colour)
                    code = 0
                    for cell in cells[:4] + cells[5:]:
                        code = 4 * code + CODES[cell][0]
                    assert code_around(position.board[0], p, colour) == code
                    if cells[4] == "." and makes_a_shape(cells):
                        expected.append(p)
                assert_same_points(position, shapes(position, colour), expected, "shapes")


def test_the_corner_is_read_without_leaving_the_board():
    position, at = draw("""
        a X
        . O
    """)
    assert cells_around(2, stones_of(position), at["a"], BLACK) == "####.X#.O"
    assert point_at(0, 0, 2) == at["a"]
    assert MATCHES[code_around(position.board[0], at["a"], BLACK)] == makes_a_shape("####.X#.O")
