"""Coordinates of a move in all notations: one table, and a function for each conversion.

                  upper left   upper right   pass
    point         21           39            0          index into a board's arrays (size 19)
    (row, col)    (0, 0)       (0, 18)       None
    move index    0            18            361        a network's output; rows * columns is a pass
    encoded move  0 / 512      18 / 530      361 / 873  a move index, plus WHITE_BIT if White's
    SGF           'aa'         'sa'          ''         (see sgf_passes)
    GTP           'A19'        'T19'         'pass'

A point is ``(row + 1) * (columns + 1) + col + 1``: rows share one border column, and point 0, which is border too, is a
pass.  Rows count from the top, columns from the left.

    size        9          or (9, 13), (rows, columns) as in an array         BoardSize; a number is a square board
    as text     '9', '9x9' or '13x9', columns x rows                          as GTP, SGF and players say it

The ``interpret_`` functions parse text and raise ValueError with a message that names it; the ``format_`` functions
write text.
"""
import functools
import re
from collections.abc import Iterable
from string import ascii_lowercase

import numpy as np

from mugo.core.files import BadInput

BoardSize = int | tuple[int, int]        # n: a square board; or (rows, columns)

PASS = 0
EMPTY, BLACK, WHITE = 0, 1, -1
WHITE_BIT = 512                          # above every move index
MIN_SIZE, MAX_SIZE = 2, 19
MAX_MOVES = 4095                         # of a game; the longest of 144,000 real ones has 472
COLUMNS = "ABCDEFGHJKLMNOPQRST"          # GTP has no I
SGF_LETTERS = "abcdefghijklmnopqrs"


def shape_of(size: BoardSize) -> tuple[int, int]:
    """(rows, columns) of a board."""
    return size if isinstance(size, tuple) else (size, size)


def square_size(size: BoardSize) -> int:
    """The number of rows of a square board, for what has no other.  Raises BadInput for a rectangle."""
    rows, cols = shape_of(size)
    if rows != cols:
        raise BadInput(f"{format_size(size)}: this needs a square board")
    return rows


def interpret_size(text: str) -> tuple[int, int]:
    """(rows, columns) of a size as people write it: '9', or '13x9', columns x rows.  Raises ValueError."""
    match = re.fullmatch(r"(\d{1,3})(?:[xX](\d{1,3}))?", text, re.ASCII)
    if not match:
        raise ValueError(f"{text[:20]!r} is not a board size, such as 9, or 13x9 for 13 columns and 9 rows")
    return int(match[2] or match[1]), int(match[1])


def format_size(size: BoardSize) -> str:
    """'9x9', '13x9': columns x rows."""
    rows, cols = shape_of(size)
    return f"{cols}x{rows}"


def size_value(size: BoardSize) -> int | str:
    """A size as options and JSON have it, for `interpret_size`: 9 of a square board, '13x9' of a rectangle."""
    rows, cols = shape_of(size)
    return rows if rows == cols else format_size(size)


def area_of(size: BoardSize) -> int:
    """The number of points of a board."""
    rows, cols = shape_of(size)
    return rows * cols


def point_at(row: int, col: int, size: BoardSize) -> int:
    """The point of a row and a column, both from 0."""
    return (row + 1) * (shape_of(size)[1] + 1) + col + 1


def is_on_board(point: int, size: BoardSize) -> bool:
    """Whether a number is a point of a board, neither its border nor a pass."""
    rows, cols = shape_of(size)
    return cols < point < (cols + 1) * (rows + 1) and point % (cols + 1) != 0


def row_col(point: int, size: BoardSize) -> tuple[int, int] | None:
    """The row and column of a point; None for a pass."""
    return None if point == PASS else divmod(move_index(point, size), shape_of(size)[1])


def move_index(point: int, size: BoardSize) -> int:
    """The index of a point in the output of a network, from 0; a pass has the last, rows * columns."""
    rows, cols = shape_of(size)
    return rows * cols if point == PASS else (point // (cols + 1) - 1) * cols + point % (cols + 1) - 1


def move_indices(points: Iterable[int], size: BoardSize) -> list[int]:
    """The move_index of each point."""
    return [move_index(int(point), size) for point in points]


def point_of_index(index: int, size: BoardSize) -> int:
    """The point of a move index; PASS for rows * columns."""
    rows, cols = shape_of(size)
    if index == rows * cols:
        return PASS
    return (index // cols + 1) * (cols + 1) + index % cols + 1


@functools.cache
def board_points(size: BoardSize) -> np.ndarray:
    """int64 (rows * columns,): the points of all move indices but the pass; read-only."""
    n_rows, n_cols = shape_of(size)
    rows, cols = np.divmod(np.arange(n_rows * n_cols), n_cols)
    points = (rows + 1) * (n_cols + 1) + cols + 1
    points.setflags(write=False)
    return points


@functools.cache
def symmetries(size: BoardSize) -> np.ndarray:
    """int64 (8, size² + 1) of a square, (4, rows * columns + 1) of a rectangle: row s maps a move index to its index
    in symmetry s.

    For a square, 0 is the identity, 1 to 3 are quarter turns, 4 to 7 the same after a reflection.  For a rectangle, 0
    is the identity, 1 a half turn, 2 and 3 are the reflections.  A pass is mapped to itself.  Read-only.
    """
    rows, cols = shape_of(size)
    board = np.arange(rows * cols).reshape(rows, cols)
    if rows == cols:
        transformed = [np.rot90(board.T if s >= 4 else board, s % 4) for s in range(8)]
    else:
        transformed = [board, board[::-1, ::-1], board[:, ::-1], board[::-1]]
    table = np.empty((len(transformed), rows * cols + 1), np.int64)
    for row, of in zip(table, transformed, strict=True):
        row[of.ravel()] = np.arange(rows * cols)
    table[:, -1] = rows * cols
    table.setflags(write=False)
    return table


def interpret_gtp(text: str, size: BoardSize) -> int:
    """The point of a GTP vertex, in either case."""
    if text.lower() == "pass":
        return PASS
    rows, cols = shape_of(size)
    match = re.fullmatch(r"([A-Za-z])(\d{1,2})", text, re.ASCII)
    if match:
        col = COLUMNS.find(match[1].upper())
        row = rows - int(match[2])
        if 0 <= col < cols and 0 <= row < rows:
            return point_at(row, col, size)
    letters = f"A-{COLUMNS[cols - 1]}" + (" without I" if cols > 8 else "")
    raise ValueError(f"{text!r} is not a vertex on {format_size(size)} ({letters}, 1-{rows})")


def format_gtp(point: int, size: BoardSize) -> str:
    """The GTP vertex of a point, in upper case; 'pass' for a pass."""
    if point == PASS:
        return "pass"
    rows, cols = shape_of(size)
    row, col = divmod(move_index(point, size), cols)
    return f"{COLUMNS[col]}{rows - row}"


def sgf_passes(size: BoardSize) -> tuple[str, str, str]:
    """The SGF values of a pass: '', 'tt', and the point diagonally below the last one, which Lizzie writes: 'jj' on
    9x9."""
    rows, cols = shape_of(size)
    return "", "tt", ascii_lowercase[cols] + ascii_lowercase[rows]


def interpret_sgf(text: str, size: BoardSize) -> int:
    """The point of an SGF move value; PASS for those of sgf_passes.  Raises ValueError."""
    if text in sgf_passes(size):
        return PASS
    rows, cols = shape_of(size)
    if len(text) == 2:
        col, row = SGF_LETTERS.find(text[0]), SGF_LETTERS.find(text[1])
        if 0 <= col < cols and 0 <= row < rows:
            return point_at(row, col, size)
    raise ValueError(f"{text!r} is not a point on {format_size(size)} (aa-{last_sgf_point(size)})")


def format_sgf_size(size: BoardSize) -> str:
    """The SGF value of a size (SZ): '19', or '13:9', columns and rows."""
    rows, cols = shape_of(size)
    return str(rows) if rows == cols else f"{cols}:{rows}"


def last_sgf_point(size: BoardSize) -> str:
    """The SGF value of the lower right point."""
    rows, cols = shape_of(size)
    return SGF_LETTERS[cols - 1] + SGF_LETTERS[rows - 1]


def format_sgf(point: int, size: BoardSize) -> str:
    """The SGF value of a point; '' for a pass."""
    if point == PASS:
        return ""
    row, col = divmod(move_index(point, size), shape_of(size)[1])
    return SGF_LETTERS[col] + SGF_LETTERS[row]
