"""The grammar of the Go Text Protocol: what a line, its arguments and a reply look like.  No commands
and no game: those are gtp.py's.

    7 play b D4 # hello    --split_line-->   '7', ['play', 'b', 'D4']
    '=', '7', 'D4'         --format_reply--> '=7 D4' and two newlines

Every `read_` function takes a word and raises Failure for one that is not of its kind.
"""
import math

from mugo.board import BLACK, WHITE
from mugo.coords import interpret_gtp

SYNTAX_ERROR = "syntax error"
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
# Every control character but the tab, which separates, and the newline, which ends the line.
CONTROL = dict.fromkeys([*range(9), *range(10, 32), 127])


class Failure(Exception):
    """A command that fails.  `text` is the reply; `details`, for the log, says what was wrong."""

    def __init__(self, text: str, details: str = ""):
        super().__init__(text)
        self.text = text
        self.details = details


def split_line(line: str) -> tuple[str, list[str]]:
    """(id, words) of a line; an id that is not there is '', and a line without a command has no words."""
    words = line.translate(CONTROL).partition("#")[0].split()
    if words and words[0].isascii() and words[0].isdigit():
        return words[0], words[1:] or [""]
    return "", words


def format_reply(mark: str, number: str, text: str) -> str:
    """A reply on the wire.  An empty line would end it early, so there are none but the last."""
    first, *more = text.rstrip().split("\n")
    lines = [f"{mark}{number} {first}".rstrip(), *(line for line in more if line.strip())]
    return "\n".join(lines) + "\n\n"


def read_int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Failure(SYNTAX_ERROR, f"{text!r} is no whole number") from None


def read_count(text: str) -> int:
    number = read_int(text)
    if not 0 <= number < 2 ** 31:          # an int of GTP 2, section 2.8
        raise Failure(SYNTAX_ERROR, f"{text!r} is not 0 or more, and below 2^31")
    return number


def read_float(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Failure(SYNTAX_ERROR, f"{text!r} is no finite number")
    return number


def read_seconds(text: str) -> float:
    """0 or more.  GTP knows whole seconds only; some controllers send fractions."""
    number = read_float(text)
    if number < 0:
        raise Failure(SYNTAX_ERROR, f"{text!r} is not 0 seconds or more")
    return number


def read_colour(text: str) -> int:
    if text.lower() not in COLOURS:
        raise Failure(SYNTAX_ERROR, f"{text!r} is no colour (b, black, w or white)")
    return COLOURS[text.lower()]


def read_vertex(text: str, size: int) -> int:
    try:
        return interpret_gtp(text, size)
    except ValueError as error:
        raise Failure(SYNTAX_ERROR, str(error)) from None
