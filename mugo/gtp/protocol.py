"""The grammar of the Go Text Protocol: what a line, its arguments and a reply look like.  No game: that is
gtp.py's.

    7 play b D4 # hello    --split_line-->   '7', ['play', 'b', 'D4']
    '=', '7', 'D4'         --format_reply--> '=7 D4' and two newlines

Every `read_` function takes a word and raises Failure for one that is not of its kind.  COMMANDS is the table of
all commands: the files below write theirs into it with `answers`.  Some of them are for one game only.
"""
import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from mugo.games.coords import interpret_gtp
from mugo.games.position import COLOUR_OF

COMMANDS: dict[str, Callable[..., str | None]] = {}
ONLY: dict[str, str] = {}                  # command: the one game, "go" or "gomoku", in which it has a meaning
SYNTAX_ERROR = "syntax error"

# Every control character but the tab, which separates, and the newline, which ends the line.
CONTROL = dict.fromkeys([*range(9), *range(10, 32), 127])


class Failure(Exception):
    """A command that fails.  `text` is the reply; `details`, for the log, says what was wrong."""

    def __init__(self, text: str, details: str = ""):
        super().__init__(text)
        self.text = text
        self.details = details


def answers(name: str, game: str = "") -> Callable:
    """Make a function the GTP command of this name.  game: the only one that it is for, if there is one.

    It is called with the gtp.Engine and the words after the name; too few or too many of them are a syntax error.
    What it returns is the reply, None for an empty one.
    """
    def register(function: Callable) -> Callable:
        COMMANDS[name] = function
        if game:
            ONLY[name] = game
        return function
    return register


def commands_of(game: str) -> list[str]:
    """The names of the commands that have a meaning in a game, "go" or "gomoku"."""
    return [name for name in COMMANDS if ONLY.get(name, game) == game]


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
    if text.lower() not in COLOUR_OF:
        raise Failure(SYNTAX_ERROR, f"{text!r} is no colour (b, black, w or white)")
    return COLOUR_OF[text.lower()]


def read_bool(text: str) -> bool:
    """true or false, as KataGo's commands have it; GoGui's parameters are 1 or 0."""
    if text.lower() not in ("true", "false", "1", "0"):
        raise Failure(SYNTAX_ERROR, f"{text!r} is neither true nor false")
    return text.lower() in ("true", "1")


def read_vertex(text: str, size: int) -> int:
    try:
        return interpret_gtp(text, size)
    except ValueError as error:
        raise Failure(SYNTAX_ERROR, str(error)) from None


INTERRUPT = "# interrupt"                  # GoGui's word to a program that implements gogui-interrupt


class Lines:
    """Lines of input, read by a thread of their own: who is busy answering one sees whether another is there.

    To iterate over them takes each in turn, and ends where the input ends.
    """

    def __init__(self, source: Iterable[str]):
        self._found: deque[str] = deque()
        self._ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=[source], daemon=True, name="input").start()

    def _read(self, source: Iterable[str]) -> None:
        try:
            for line in source:
                with self._changed:
                    self._found.append(line)
                    self._changed.notify()
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify()

    def __iter__(self) -> Iterator[str]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._found or self._ended)
                if not self._found:
                    return
                line = self._found.popleft()
            yield line

    def are_waiting(self) -> bool:
        """Whether there is a line, or the input has ended."""
        with self._changed:
            return bool(self._found) or self._ended

    def ask_to_stop(self) -> bool:
        """Whether one of the lines is GoGui's word that the command under way is to end."""
        with self._changed:
            return any(line.translate(CONTROL).strip() == INTERRUPT for line in self._found)


def read_lines(descriptor: int) -> Iterator[str]:
    """The lines of a file that is open, without the buffer of sys.stdin: a thread that waits for that at the end of
    the process would stop it with an error.  Only a newline ends a line; bytes that are no UTF-8 become surrogates."""
    parts: list[bytes] = []
    while chunk := os.read(descriptor, 1 << 16):
        first, *others = chunk.split(b"\n")
        parts.append(first)
        for other in others:
            yield b"".join(parts).decode("utf-8", "surrogateescape")
            parts = [other]
    if any(parts):
        yield b"".join(parts).decode("utf-8", "surrogateescape")
