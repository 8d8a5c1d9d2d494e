"""Coordinates of a move in all notations: one table, and a function for each conversion.

                  upper left   upper right   pass
    point         21           39            0          index into a board's arrays (size 19)
    (row, col)    (0, 0)       (0, 18)       None
    move index    0            18            361        a network's output; size * size is a pass
    encoded move  0 / 512      18 / 530      361 / 873  a move index, plus WHITE_BIT if White's
    SGF           'aa'         'sa'          ''         ('tt' too, up to 19x19)
    GTP           'A19'        'T19'         'pass'

A point is ``(row + 1) * (size + 1) + col + 1``: rows share one border column, and point 0, which is border too, is a
pass.  Rows count from the top, columns from the left.

The ``interpret_`` functions parse text and raise ValueError with a message that names it; the ``format_`` functions
write text.
"""
import functools
import re

import numpy as np

PASS = 0
WHITE_BIT = 512                          # above every move index
MIN_SIZE, MAX_SIZE = 2, 19
MAX_MOVES = 4095                         # of a game; the longest of 144,000 real ones has 472
COLUMNS = "ABCDEFGHJKLMNOPQRST"          # GTP has no I
SGF_LETTERS = "abcdefghijklmnopqrs"


def point_at(row: int, col: int, size: int) -> int:
    """The point of a row and a column, both from 0."""
    return (row + 1) * (size + 1) + col + 1


def row_col(point: int, size: int) -> tuple[int, int] | None:
    """The row and column of a point; None for a pass."""
    return None if point == PASS else _row_col_on_board(point, size)


def _row_col_on_board(point: int, size: int) -> tuple[int, int]:
    return point // (size + 1) - 1, point % (size + 1) - 1


def move_index(point: int, size: int) -> int:
    """The index of a point in the output of a network, from 0; a pass has the last, size²."""
    if point == PASS:
        return size * size
    row, col = _row_col_on_board(point, size)
    return row * size + col


def point_of_index(index: int, size: int) -> int:
    """The point of a move index; PASS for size²."""
    if index == size * size:
        return PASS
    return (index // size + 1) * (size + 1) + index % size + 1


@functools.cache
def board_points(size: int) -> np.ndarray:
    """int64 (size²,): the points of all move indices but the pass; read-only."""
    rows, cols = np.divmod(np.arange(size * size), size)
    points = (rows + 1) * (size + 1) + cols + 1
    points.setflags(write=False)
    return points


@functools.cache
def symmetries(size: int) -> np.ndarray:
    """int64 (8, size² + 1): row s maps a move index to its index in symmetry s.

    0 is the identity, 1 to 3 are quarter turns, 4 to 7 the same after a reflection; a pass is mapped to itself.
    Read-only.
    """
    square = np.arange(size * size).reshape(size, size)
    table = np.empty((8, size * size + 1), np.int64)
    for s in range(8):
        transformed = np.rot90(square.T if s >= 4 else square, s % 4)
        table[s, transformed.ravel()] = np.arange(size * size)
        table[s, -1] = size * size
    table.setflags(write=False)
    return table


def interpret_gtp(text: str, size: int) -> int:
    """The point of a GTP vertex, in either case."""
    if text.lower() == "pass":
        return PASS
    match = re.fullmatch(r"([A-Za-z])(\d{1,2})", text, re.ASCII)
    if match:
        col = COLUMNS.find(match[1].upper())
        row = size - int(match[2])
        if 0 <= col < size and 0 <= row < size:
            return point_at(row, col, size)
    letters = f"A-{COLUMNS[size - 1]}" + (" without I" if size > 8 else "")
    raise ValueError(f"{text!r} is no vertex on {size}x{size} ({letters}, 1-{size})")


def format_gtp(point: int, size: int) -> str:
    """The GTP vertex of a point, in upper case; 'pass' for a pass."""
    if point == PASS:
        return "pass"
    row, col = _row_col_on_board(point, size)
    return f"{COLUMNS[col]}{size - row}"


def interpret_sgf(text: str, size: int) -> int:
    """The point of an SGF move value; '' is a pass, and so is 'tt' up to 19x19."""
    if text == "" or (text == "tt" and size <= 19):
        return PASS
    if len(text) == 2:
        col, row = SGF_LETTERS.find(text[0]), SGF_LETTERS.find(text[1])
        if 0 <= col < size and 0 <= row < size:
            return point_at(row, col, size)
    last = SGF_LETTERS[size - 1]
    raise ValueError(f"{text!r} is no point on {size}x{size} (aa-{last}{last})")


def format_sgf(point: int, size: int) -> str:
    """The SGF value of a point; '' for a pass."""
    if point == PASS:
        return ""
    row, col = _row_col_on_board(point, size)
    return SGF_LETTERS[col] + SGF_LETTERS[row]
