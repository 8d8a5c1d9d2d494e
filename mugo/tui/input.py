"""What a person typed at the board: a point, however it is written, or what was probably meant.

    d4, D 4, d-4, 4d        a point
    i3                      no column I: J3?
    z3                      not on the board: E3?
    undp                    undo?
"""
import contextlib
import difflib
import re
from collections.abc import Iterable

from mugo.games.coords import COLUMNS, interpret_gtp


def as_point(text: str, size: int) -> int | None:
    """The point of 'd4', 'D 4', 'd-4' or '4d'; None for what is none of the board's."""
    match = re.fullmatch(r"([a-z])[-,. ]?(\d{1,2})[.!]?|(\d{1,2})[-,. ]?([a-z])", text.lower())
    if not match:
        return None
    vertex = f"{match[1]}{match[2]}" if match[1] else f"{match[4]}{match[3]}"
    with contextlib.suppress(ValueError):
        return interpret_gtp(vertex, size)
    return None


def what_is_wrong(text: str, size: int, words: Iterable[str]) -> tuple[str, str]:
    """(why a text is neither a point nor a word, what was probably meant or '')."""
    if re.fullmatch(r"[iI]\d{1,2}", text) and size > 8:
        return "boards have no column I", f"J{text[1:]}"
    if match := re.fullmatch(r"([A-Za-z])(\d{1,2})", text):
        col = min(max("ABCDEFGHJKLMNOPQRSTUVWXYZ".find(match[1].upper()), 0), size - 1)
        return (f"{text} is not on this board, which is {size}x{size}",
                f"{COLUMNS[col]}{min(max(int(match[2]), 1), size)}")
    close = difflib.get_close_matches(text.lower(), words, n=1, cutoff=0.5)
    return f"{text[:30]!r} is neither a move nor a word I know", close[0] if close else ""
