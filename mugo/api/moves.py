"""Moves and colours as people write them, and checks of arguments.

    'Q16'   a vertex: column A to T without I, row from the bottom     'pass'     'B' Black, 'W' White
    72      the same as a move index, in networks and data sets: row * columns + column, rows from the top
"""
import contextlib
import re
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

from mugo.core.files import BadInput, MugoError
from mugo.games import coords
from mugo.games.coords import BoardSize
from mugo.games.position import COLOUR_OF


@contextlib.contextmanager
def python_errors() -> Iterator[None]:
    """Have errors name options as arguments, learning_rate for --learning-rate, and be MugoErrors where they are other
    ValueErrors."""
    try:
        yield
    except BadInput as error:
        text = re.sub(r"(?<![\w-])--([a-z][\w-]*)", lambda match: match[1].replace("-", "_"), str(error))
        raise MugoError(text) from None
    except ValueError as error:
        raise error if isinstance(error, MugoError) else MugoError(str(error)) from None


def check_number(name: str, value: Any, least: float, is_whole: bool = True) -> Any:
    """The number that was given, as int or float.  Raises MugoError for anything else."""
    if isinstance(value, bool) or not isinstance(value, Integral if is_whole else Real) or not float(value) >= least:
        raise MugoError(f"{name} is a {'whole ' * is_whole}number, at least {least:g}, not {value!r:.40}")
    return value


@python_errors()
def shape_of_size(size: int | str) -> tuple[int, int]:
    """(rows, columns) of a size: 19, or '13x9' for 13 columns and 9 rows.  Raises MugoError."""
    return coords.interpret_size(size if isinstance(size, str) else str(check_number("a board size", size, 1)))


@python_errors()
def point_of(move: str, size: BoardSize) -> int:
    """The point of a move such as 'Q16' or 'pass', in either case.  Raises MugoError."""
    if not isinstance(move, str):
        raise MugoError(f"a move is a text such as 'D4' or 'pass', not {move!r:.40}")
    return coords.interpret_gtp(move, size)


def colour_of(text: str) -> int:
    """1 for 'B' or 'black', -1 for 'W' or 'white', in either case.  Raises MugoError."""
    if not isinstance(text, str) or text.lower() not in COLOUR_OF:
        raise MugoError(f"a colour is 'B' or 'W', not {text!r:.40}")
    return COLOUR_OF[text.lower()]


def move_index(move: str, size: int | str = 19) -> int:
    """The index of a move in batches and in networks: row * columns + column, rows from the top; the pass is the last.

    >>> move_index("A19"), move_index("Q16"), move_index("pass")
    (0, 72, 361)
    """
    shape = shape_of_size(size)
    return coords.move_index(point_of(move, shape), shape)


def move_name(index: int, size: int | str = 19) -> str:
    """The move with this index.  Raises MugoError for an index that the board does not have.

    >>> move_name(72), move_name(361)
    ('Q16', 'pass')
    """
    shape = shape_of_size(size)
    if check_number("a move index", index, 0) > coords.area_of(shape):
        raise MugoError(f"a move index on {coords.format_size(shape)} is 0 to {coords.area_of(shape)}, not {index}")
    return coords.format_gtp(coords.point_of_index(int(index), shape), shape)
