"""Text that a person typed: a point in any common notation, or a suggestion for a typing error.

    d4, D 4, d-4, 4d        the point D4
    i3                      boards have no column I; suggestion: J3
    z3                      outside the board; suggestion: E3
    undp                    unknown command; suggestion: undo
"""
import contextlib
import difflib
import re
from collections.abc import Iterable

from mugo.games.coords import COLUMNS, BoardSize, format_size, interpret_gtp, shape_of


def parse_point(text: str, size: BoardSize) -> int | None:
    """The point of 'd4', 'D 4', 'd-4' or '4d'; None if the text is not a point of this board."""
    match = re.fullmatch(r"([a-z])[-,. ]?(\d{1,2})[.!]?|(\d{1,2})[-,. ]?([a-z])", text.lower())
    if not match:
        return None
    vertex = f"{match[1]}{match[2]}" if match[1] else f"{match[4]}{match[3]}"
    with contextlib.suppress(ValueError):
        return interpret_gtp(vertex, size)
    return None


def suggest_correction(text: str, size: BoardSize, commands: Iterable[str]) -> tuple[str, str]:
    """(error, suggestion) for a text that is neither a point nor a command; the suggestion is '' if there is none."""
    rows, cols = shape_of(size)
    if re.fullmatch(r"[iI]\d{1,2}", text) and cols > 8:
        return "boards have no column I", f"J{text[1:]}"
    if match := re.fullmatch(r"([A-Za-z])(\d{1,2})", text):
        col = min(max("ABCDEFGHJKLMNOPQRSTUVWXYZ".find(match[1].upper()), 0), cols - 1)
        return (f"{text} is outside this {format_size(size)} board",
                f"{COLUMNS[col]}{min(max(int(match[2]), 1), rows)}")
    close = difflib.get_close_matches(text.lower(), commands, n=1, cutoff=0.5)
    return f"{text[:30]!r} is neither a move nor a command", close[0] if close else ""
