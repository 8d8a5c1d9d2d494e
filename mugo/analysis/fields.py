"""Typed values of a query's JSON fields: integers, numbers, flags, colours, points.

Every `read_` function returns the value of a field, None where it is absent, and raises InvalidQuery, naming the
field, for a value of another type or out of range.
"""
import math
import re
from typing import Any

from mugo.games.coords import MAX_MOVES, PASS, BoardSize, interpret_gtp, point_at, shape_of
from mugo.games.position import COLOUR_OF
from mugo.games.rules import shorten

Fields = dict[str, Any]


class InvalidQuery(Exception):
    """A query that cannot be answered.  field: the name of the invalid field."""

    def __init__(self, text: str, field: str):
        super().__init__(text)
        self.field = field


def is_integer(value: object) -> bool:
    """Whether a JSON value is an integer; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_integer(fields: Fields, name: str, low: int, high: int) -> int | None:
    """An integer from low to high.  Raises InvalidQuery."""
    value = fields.get(name)
    if value is not None and not (is_integer(value) and low <= value <= high):
        raise InvalidQuery(f"must be an integer from {low} to {high}", name)
    return value


def read_number(fields: Fields, name: str, low: float, high: float = math.inf) -> float | None:
    """A finite number from low to high.  Raises InvalidQuery."""
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high \
            or not abs(value) < 1e300:
        raise InvalidQuery(f"must be a number from {low:g} to {high:g}" if high < math.inf
                           else f"must be a number of {low:g} or more", name)
    return float(value)


def read_flag(fields: Fields, name: str) -> bool:
    """true or false; false where it is absent.  Raises InvalidQuery."""
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise InvalidQuery("must be true or false", name)
    return value


def parse_colour(value: object, field: str) -> int:
    """BLACK or WHITE, from "B" or "W".  Raises InvalidQuery."""
    if not isinstance(value, str) or value.lower() not in COLOUR_OF:
        raise InvalidQuery(f"must be \"B\" or \"W\", not {shorten(value)}", field)
    return COLOUR_OF[value.lower()]


def parse_point(value: object, field: str, size: BoardSize, may_pass: bool = True) -> int:
    """The point of a GTP vertex, or of "(x,y)" with both from 0 at the upper left.  Raises InvalidQuery."""
    if not isinstance(value, str):
        raise InvalidQuery(f"must be made of GTP vertices, not {shorten(value)}", field)
    pair = re.fullmatch(r"\((\d{1,2}),(\d{1,2})\)", value, re.ASCII)
    if pair and int(pair[1]) < shape_of(size)[1] and int(pair[2]) < shape_of(size)[0]:
        return point_at(int(pair[2]), int(pair[1]), size)
    try:
        point = interpret_gtp(value, size)
    except ValueError as error:
        raise InvalidQuery(f"could not parse board location: {error}", field) from None
    if point == PASS and not may_pass:
        raise InvalidQuery("a stone must be on a point, not on a pass", field)
    return point


def parse_moves(pairs: object, field: str, size: BoardSize, may_pass: bool = True) -> list[tuple[int, int]]:
    """(colour, point) of each of [["B", "D4"], ...].  Raises InvalidQuery."""
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise InvalidQuery("must be an array of pairs, as [[\"B\", \"D4\"], [\"W\", \"Q16\"]]", field)
    if len(pairs) > MAX_MOVES:
        raise InvalidQuery(f"must have at most {MAX_MOVES} entries, not {len(pairs)}", field)
    return [(parse_colour(pair[0], field), parse_point(pair[1], field, size, may_pass)) for pair in pairs]
