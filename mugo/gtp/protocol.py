"""The grammar of the Go Text Protocol: lines, arguments, replies, and the table of commands.  No game here.

    stdin --LineReader--> '7 play b D4 # hello' --split_line--> '7', ['play', 'b', 'D4']
    '=', '7', 'D4'        --format_reply--> '=7 D4' and two newlines

Every `parse_` function reads one argument and raises GtpError if it is malformed.  COMMANDS is the table of all
commands: the modules that define commands register them with the decorator `command`.

Specification: GTP version 2, draft 2,
http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html
"""
import contextlib
import inspect
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from mugo.core.command_table import CommandTable
from mugo.core.limits import parse_integer, parse_number
from mugo.games.coords import BoardSize, format_gtp, interpret_gtp
from mugo.games.position import COLOUR_OF

# A command is a function of the engine and the arguments.  It returns the text of the reply, None for an empty one, and
# raises GtpError.
COMMANDS = CommandTable()
command = COMMANDS.command
SYNTAX_ERROR = "syntax error"
MAX_SIMULATIONS = 10 ** 9  # of a search that only the next command ends: visits are counted in 32 bits

# Every control character but the tab, which separates words, and the newline, which ends the line (sections 2.2, 3.1).
CONTROL_CHARACTERS = dict.fromkeys([*range(9), *range(10, 32), 127])


class GtpError(Exception):
    """A command that fails.  text: the reply after `?`.  details: what exactly was wrong, for the log."""

    def __init__(self, text: str, details: str = ""):
        super().__init__(text)
        self.text = text
        self.details = details


@contextlib.contextmanager
def fails_as(text: str, *kinds: type[Exception]) -> Iterator[None]:
    """A context, or a decorator: exceptions of these kinds fail the command with this text; theirs goes to the log."""
    try:
        yield
    except kinds as error:
        raise GtpError(text, str(error)) from None


def remove_control_characters(line: str) -> str:
    """A line without control characters, tabs and newlines excepted (section 3.1)."""
    return line.translate(CONTROL_CHARACTERS)


def taken_arguments(name: str, arguments: Sequence[str]) -> Sequence[str]:
    """The arguments that a command takes; others are ignored, as in GNU Go, Pachi and KataGo: qGo sends `undo 0`."""
    parameters = inspect.signature(COMMANDS[name].function).parameters.values()
    takes_all = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    return arguments if takes_all else arguments[:len(parameters) - 1]


def split_line(line: str) -> tuple[str, list[str]]:
    """(id, words) of a line without its comment; the id is '' if there is none, and an empty line has no words."""
    words = remove_control_characters(line).partition("#")[0].split()
    if words and words[0].isascii() and words[0].isdigit():
        return words[0], words[1:] or [""]
    return "", words


class OutputClosedError(Exception):
    """The controller no longer reads replies."""


def format_reply(mark: str, command_id: str, text: str) -> str:
    """A reply as it is sent.  mark: '=' for success, '?' for failure.

    A space follows the mark and the id also where the text is empty (sections 2.6, 2.7), because GoGui reads from the
    first space on.  Empty lines are left out: an empty line ends a reply.
    """
    first, *more = text.rstrip().split("\n")
    lines = [f"{mark}{command_id} {first.rstrip()}", *(line for line in more if line.strip())]
    return "\n".join(lines) + "\n\n"


def format_vertices(points: Iterable[int], size: BoardSize) -> str:
    """The vertices of points, in one line."""
    return " ".join(format_gtp(int(point), size) for point in points)


# ---- arguments

@fails_as(SYNTAX_ERROR, ValueError)
def parse_int(text: str) -> int:
    """An integer.  Raises GtpError."""
    return parse_integer(text)


def parse_count(text: str) -> int:
    """An integer from 0 to 2^31 - 1, the `int` of section 2.8.  Raises GtpError."""
    number = parse_int(text)
    if not 0 <= number < 2 ** 31:
        raise GtpError(SYNTAX_ERROR, f"{text!r} is not from 0 to 2^31 - 1")
    return number


@fails_as(SYNTAX_ERROR, ValueError)
def parse_float(text: str) -> float:
    """A finite number.  Raises GtpError."""
    return parse_number(text)


def parse_seconds(text: str) -> float:
    """Seconds, 0 or more, also fractions, which some controllers send.  Raises GtpError."""
    number = parse_float(text)
    if number < 0:
        raise GtpError(SYNTAX_ERROR, f"{text!r} is not 0 seconds or more")
    return number


def parse_colour(text: str) -> int:
    """BLACK or WHITE, from b, black, w or white in either case.  Raises GtpError."""
    if text.lower() not in COLOUR_OF:
        raise GtpError(SYNTAX_ERROR, f"{text!r} is not a colour (b, black, w or white)")
    return COLOUR_OF[text.lower()]


def parse_bool(text: str) -> bool:
    """true or false, as in KataGo's commands, or 1 or 0, as in GoGui's parameters.  Raises GtpError."""
    if text.lower() not in ("true", "false", "1", "0"):
        raise GtpError(SYNTAX_ERROR, f"{text!r} is neither true nor false")
    return text.lower() in ("true", "1")


@fails_as(SYNTAX_ERROR, ValueError)
def parse_vertex(text: str, size: BoardSize) -> int:
    """The point of a vertex, PASS for a pass.  Raises GtpError."""
    return interpret_gtp(text, size)


def parse_stones(words: Sequence[str], size: BoardSize) -> list[tuple[int, int]]:
    """(colour, point) of each pair of a colour and a vertex.  Raises GtpError."""
    if len(words) % 2:
        raise GtpError(SYNTAX_ERROR, "expected pairs of a colour and a vertex")
    return [(parse_colour(colour), parse_vertex(vertex, size))
            for colour, vertex in zip(words[::2], words[1::2], strict=True)]


def parse_path(words: Sequence[str]) -> Path:
    """A file's name, which GoGui quotes."""
    text = " ".join(words)
    return Path(text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)


INTERRUPT = "# interrupt"                  # the comment line that GoGui sends
MAX_LINE_BYTES = 1 << 16                   # the longest useful line, set_free_handicap, has 1.5 kB


class LineReader:
    """Iterates over lines of input, read ahead by a thread: a command under way can ask whether another has come.

    is_abandoned: whether nobody reads the replies any more; a search under way then ends.
    """

    def __init__(self, source: Iterable[str], is_abandoned: Callable[[], bool] = lambda: False):
        self._is_abandoned = is_abandoned
        self._unread: deque[str] = deque()
        self._interrupts = 0                             # INTERRUPT lines in _unread
        self._ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=[source], daemon=True, name="input").start()

    def _read(self, source: Iterable[str]) -> None:
        try:
            for line in source:
                with self._changed:
                    self._interrupts += _is_interrupt(line)
                    self._unread.append(line)
                    self._changed.notify()
        except OSError:                    # a terminal that was closed: the input has ended
            pass
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify()

    def __iter__(self) -> Iterator[str]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unread or self._ended)
                if not self._unread:
                    return
                line = self._unread.popleft()
                self._interrupts -= _is_interrupt(line)
            yield line

    def has_line(self) -> bool:
        """Whether another line has arrived, or the input has ended."""
        with self._changed:
            return bool(self._unread) or self._ended

    def is_interrupted(self) -> bool:
        """Whether one of the lines that have arrived is INTERRUPT, or nobody reads the replies."""
        return self._interrupts > 0 or self._is_abandoned()


def _is_interrupt(line: str) -> bool:
    return remove_control_characters(line).strip() == INTERRUPT
