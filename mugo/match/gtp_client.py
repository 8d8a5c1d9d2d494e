"""A GTP client: drives any program that speaks the Go Text Protocol, version 2, over its pipes (core.program).

    send_command("genmove b") --> program --> response

Responses are not interpreted here.  Every wait has a timeout.

    participant_of("uct --seconds 2")                 a player of MuGo, in a process of its own
    participant_of("gnugo --mode gtp --level 1")      any command line

GTP 2: https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html
"""
import contextlib
import os
import queue
import re
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import mugo
from mugo.core.config import suggestion
from mugo.core.files import BadInput, log_to_stderr, printable
from mugo.core.program import Program, one_line
from mugo.games.coords import BoardSize, shape_of
from mugo.players.registry import PLAYERS

CRASH, TIMEOUT, PROTOCOL_ERROR, REFUSED = "crash", "time-out", "protocol error", "refused"
SILENT_START = 10                        # seconds without its first response, after which a message is printed
COMMAND_TIMEOUT = 60                     # seconds, for a command other than genmove
START_TIMEOUT = 300                      # for the first response: the program compiles, or loads a large network
MAX_LINE_BYTES = 1 << 16                 # of a response; a board on 19x19 has 50 a line
MAX_RESPONSE_BYTES = 1 << 20             # with what is written before it
# Not `-m mugo`: that would put the current folder, where anybody's random.py may lie, in front of sys.path.
_MUGO = [sys.executable, "-P", str(Path(mugo.__file__).with_name("__main__.py"))]
_RESPONSE = re.compile(r"([=?])\d*[ \t]*(.*)", re.DOTALL)


class EngineFault(Exception):
    """A program failed to respond properly.  kind: CRASH, TIMEOUT, PROTOCOL_ERROR or REFUSED; str(): one line."""

    def __init__(self, kind: str, details: str):
        super().__init__(details)
        self.kind = kind


class Refusal(EngineFault):
    """A response with `?`; its kind is REFUSED."""


@dataclass(frozen=True)
class Participant:
    """A participant of a match.

    name: as the user wrote it, printable.  command: the words; those after `mugo` for a player of MuGo.
    is_player: whether it is a player of MuGo.
    """

    name: str
    command: tuple[str, ...]
    is_player: bool

    def executed(self) -> tuple[str, ...]:
        """What is executed on this machine."""
        if self.is_player:
            return *_MUGO, *self.command
        program, *arguments = self.command
        # Debian installs games, GNU Go among them, in a folder that root's PATH lacks.
        return shutil.which(program) or shutil.which(program, path="/usr/games") or program, *arguments


def participant_of(text: str, options: Sequence[str] = ()) -> Participant:
    """The participant that a text names: a player of MuGo with its options, or any command line.

    options: further options, for players of MuGo only.  Raises BadInput if it is neither.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"{text!r} is no command line: {error}") from None
    if not words:
        raise BadInput(f"a participant is a player ({', '.join(PLAYERS)}) with its options, or a GTP command line")
    name = printable(text)
    if words[0] in PLAYERS:
        return Participant(name, ("gtp", *words, *options), True)
    return Participant(name, tuple(words), False)


def boardsize_command(size: BoardSize) -> str:
    """The command that makes an empty board: KataGo's rectangular_boardsize for one that is not square."""
    rows, cols = shape_of(size)
    return f"boardsize {rows}" if rows == cols else f"rectangular_boardsize {cols} {rows}"


class GtpClient:
    """A running program.  Call `send_command` from one thread at a time; `close` may be called from another.

    log: a file that the program's stderr is appended to.  Raises BadInput if the program cannot be started.
    """

    def __init__(self, participant: Participant, log: Path | None = None):
        self.participant = participant
        self._has_responded = False
        self._is_warm = not participant.is_player
        self._known_commands: dict[str, bool] = {}
        # A player of MuGo imports this very package, whether it is installed or not.
        path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
        try:
            self._program = Program(participant.executed(), MAX_LINE_BYTES,
                                    os.environ | {"PYTHONPATH": path} if participant.is_player else None, log)
        except OSError as error:
            program = participant.command[0]
            raise BadInput(f"{program}: cannot be started: {error.strerror or error}{suggestion(program, PLAYERS)}"
                           ) from None
        self._lines = self._program.lines

    def send_command(self, line: str, timeout: float = COMMAND_TIMEOUT) -> str:
        """Send a command and return the text of its response, without the `=`.

        timeout: in seconds; at least START_TIMEOUT for the first command.
        Raises EngineFault, for a response with `?` a Refusal.
        """
        timeout = timeout if self._has_responded else max(timeout, START_TIMEOUT)
        deadline = time.monotonic() + timeout
        self._check_no_output(line)
        try:
            self._program.write(line.encode() + b"\n")
        except (OSError, ValueError):    # a broken pipe, or one that `close` has closed
            self._raise_crash(line)
        response = self._read_response(line, deadline, timeout)
        self._has_responded = True
        match = _RESPONSE.fullmatch(response)
        assert match
        if match[1] == "?":
            raise Refusal(REFUSED, f"answered '{line}' with '? {one_line(match[2].encode())}'")
        return match[2].strip()

    def _check_no_output(self, line: str) -> None:
        """Raise EngineFault if there is output that belongs to no command; a banner at the start is allowed."""
        try:
            while self._has_responded:
                unexpected = self._lines.get_nowait()
                if not unexpected:
                    self._raise_crash(line)
                if one_line(unexpected):
                    raise EngineFault(PROTOCOL_ERROR, f"wrote {one_line(unexpected)!r} without a command")
        except queue.Empty:
            pass

    def _next_line(self, line: str, deadline: float) -> bytes:
        """The next line of stdout, b"" at its end; a slow start gets a message.  Raises queue.Empty at the deadline."""
        if not self._has_responded:
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=max(min(SILENT_START, deadline - time.monotonic()), 0))
            if (left := deadline - time.monotonic()) > 0:
                log_to_stderr(f"{self.participant.name} has not answered '{line}' yet; waiting up to {left:.0f} s "
                              "more")
        return self._lines.get(timeout=max(deadline - time.monotonic(), 0))

    def _read_response(self, line: str, deadline: float, timeout: float) -> str:
        """The lines up to the empty line that ends a response.  Raises EngineFault."""
        response: list[str] = []
        length = 0
        while True:
            try:
                raw = self._next_line(line, deadline)
            except queue.Empty:
                raise EngineFault(TIMEOUT, f"gave no response to '{line}' in {timeout:g} seconds") from None
            if not raw:
                self._raise_crash(line)
            length += len(raw)
            if len(raw) > MAX_LINE_BYTES or length > MAX_RESPONSE_BYTES:
                what = f"a line of more than {MAX_LINE_BYTES:,}" if len(raw) > MAX_LINE_BYTES else \
                    f"more than {MAX_RESPONSE_BYTES:,}"
                raise EngineFault(PROTOCOL_ERROR, f"answered '{line}' with {what} bytes")
            text = raw.decode("utf-8", "replace").rstrip("\r\n")
            if not response and not text.strip():
                continue
            if not response and text[0] not in "=?":
                if self._has_responded:
                    raise EngineFault(PROTOCOL_ERROR, f"answered '{line}' with {one_line(raw)!r}, not with = or ?")
                continue                 # a banner
            if not text:
                return "\n".join(response)
            response.append(text)

    def _raise_crash(self, line: str) -> NoReturn:
        raise EngineFault(CRASH, self._program.how_it_ended(f" at '{line}'"))

    def known_command(self, command: str) -> bool:
        """Whether the program has this command, by GTP's known_command.  Raises EngineFault, but no Refusal."""
        if command not in self._known_commands:
            self._known_commands[command] = False
            with contextlib.suppress(Refusal):
                response = self.send_command(f"known_command {command}")
                self._known_commands[command] = response.lower() == "true"
        return self._known_commands[command]

    def warm_up(self, size: BoardSize) -> None:
        """Have a player of MuGo load its compiled code before its first game.  Raises EngineFault."""
        if not self._is_warm:
            for line in boardsize_command(size), "clear_board", "genmove b":
                self.send_command(line, START_TIMEOUT)
            self._is_warm = True

    def close(self, *, force: bool = False) -> None:
        """End the program and its child processes: `quit`, and after QUIT_TIMEOUT, or at once with `force`, SIGKILL."""
        self._program.close(b"quit\n", force)
