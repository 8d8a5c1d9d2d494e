"""Any program that speaks GTP, driven over its pipes:  a command in, a reply or an EngineFault out.

    ask("genmove b") --> stdin  |         | stdout --> reader --> queue --> reply
                                | program |
                                |         | stderr --> log file, and its last lines for a crash

What a reply means is not asked here; every wait ends.  A program gets a process group of its own, so
Ctrl-C reaches it only through `close`, which takes its children along.

    side_of("uct --seconds 2")                 a player of ours, in a process of its own
    side_of("gnugo --mode gtp --level 1")      any command line
"""
import contextlib
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mugo.files import BadInput
from mugo.players import options as player_options
from mugo.renamed import refuse_renamed_options

CRASH, HANG, GARBAGE, REFUSED = "crash", "time-out", "protocol error", "refused"
COMMAND_SECONDS = 60                     # for any command that is no move
START_SECONDS = 300                      # for the first reply: compiling, or loading a large network
QUIT_SECONDS = 3                         # between `quit` and the kill
LONGEST_LINE, MOST_LINES = 1 << 20, 10_000
_REPLY = re.compile(r"([=?])\d*[ \t]*(.*)", re.DOTALL)


class EngineFault(Exception):
    """What a program did instead of answering: `kind` is one of the constants above, str() one line."""

    def __init__(self, kind: str, details: str):
        super().__init__(details)
        self.kind = kind


@dataclass(frozen=True)
class Side:
    """What takes part in a match.  name: as the user wrote it.  ours: whether it is a player of MuGo's."""

    name: str
    command: tuple[str, ...]
    ours: bool


def side_of(text: str, options: Sequence[str] = ()) -> Side:
    """A player of ours with its options, or any command line.  options: more of them, for ours alone.
    Raises BadInput if it is neither."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"{text!r} is no command line: {error}") from None
    if not words:
        raise BadInput(f"a side is a player ({', '.join(player_options.PLAYERS)}) with its options, or a GTP command "
                       "line")
    if words[0] in player_options.PLAYERS:
        refuse_renamed_options(words)
        return Side(text, (sys.executable, "-m", "mugo", "gtp", *words, *options), True)
    # Debian has its games, GNU Go among them, where root does not look.
    words[0] = shutil.which(words[0]) or shutil.which(words[0], path="/usr/games") or words[0]
    return Side(text, tuple(words), False)


class Program:
    """A running program.  Use `ask` from one thread at a time; `close` may be called from another.

    log: a file that what it writes to stderr is appended to.  Raises BadInput if it cannot be started.
    """

    def __init__(self, side: Side, log: Path | None = None):
        self.side = side
        self._heard = False              # whether it has answered anything yet
        self._warm = not side.ours
        self._known: dict[str, bool] = {}
        self._closed = False
        self._lines: queue.Queue[bytes | None] = queue.Queue()         # None at the end
        self._last_words: deque[str] = deque(maxlen=3)
        # Ours is found wherever it was started from, installed or not.
        path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
        try:
            self._process = subprocess.Popen(
                side.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": path} if side.ours else None, start_new_session=True)
        except OSError as error:
            raise BadInput(f"{side.command[0]}: cannot be started: {error.strerror or error}") from None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._listener = threading.Thread(target=self._listen, args=[log], daemon=True)
        self._reader.start()
        self._listener.start()

    def _read(self) -> None:
        with self._process.stdout as out:
            while line := out.readline(LONGEST_LINE):
                self._lines.put(line)
                while self._lines.qsize() > MOST_LINES and not self._closed:
                    time.sleep(0.01)     # then the program waits, too, until somebody listens
        self._lines.put(None)

    def _listen(self, log: Path | None) -> None:
        with self._process.stderr as errors, contextlib.ExitStack() as stack:
            file = stack.enter_context(open(log, "ab", buffering=0)) if log else None
            while line := errors.readline(LONGEST_LINE):
                if file:
                    file.write(line)
                text = _printable(line)
                if text:
                    self._last_words.append(text)

    def ask(self, line: str, seconds: float = COMMAND_SECONDS) -> str:
        """The text of the reply to one command.  Raises EngineFault, also for a reply with a `?`."""
        seconds = seconds if self._heard else max(seconds, START_SECONDS)
        until = time.monotonic() + seconds
        try:
            while self._heard:
                unasked = self._lines.get_nowait()
                if unasked is None:
                    self._crashed(line)
                if _printable(unasked):
                    raise EngineFault(GARBAGE, f"wrote {_printable(unasked)!r} without being asked")
        except queue.Empty:
            pass
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):    # a broken pipe, or one that `close` has closed
            self._crashed(line)
        reply = []
        while True:
            try:
                raw = self._lines.get(timeout=max(until - time.monotonic(), 0))
            except queue.Empty:
                raise EngineFault(HANG, f"gave no reply to '{line}' in {seconds:g} seconds") from None
            if raw is None:
                self._crashed(line)
            text = raw.decode("utf-8", "replace").rstrip("\r\n")
            if not reply and not text.strip():
                continue
            if not reply and text[0] not in "=?":
                if self._heard:
                    raise EngineFault(GARBAGE, f"answered '{line}' with {_printable(raw)!r}, not with = or ?")
                continue                 # a banner
            if not text:
                break
            reply.append(text)
            if len(reply) > MOST_LINES:
                raise EngineFault(GARBAGE, f"answered '{line}' without end")
        self._heard = True
        mark, answer = _REPLY.fullmatch("\n".join(reply)).groups()
        if mark == "?":
            raise EngineFault(REFUSED, f"answered '{line}' with '? {_printable(answer.encode())}'")
        return answer.strip()

    def _crashed(self, line: str) -> None:
        self._lines.put(None)            # for whoever asks again
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._listener.join(1)
        status = self._process.poll()
        how = "closed its output" if status is None else f"ended with status {status}"
        said = f": {' / '.join(self._last_words)}" if self._last_words else ""
        raise EngineFault(CRASH, f"{how} at '{line}'{said}")

    def knows(self, command: str) -> bool:
        """Whether it has this command, by known_command.  Raises EngineFault as `ask` does."""
        if command not in self._known:
            try:
                self._known[command] = self.ask(f"known_command {command}").lower() == "true"
            except EngineFault as fault:
                if fault.kind != REFUSED:
                    raise
                self._known[command] = False
        return self._known[command]

    def warm_up(self, size: int) -> None:
        """Have a player of ours load its compiled code before its first game.  Raises EngineFault."""
        if not self._warm:
            for line in f"boardsize {size}", "clear_board", "genmove b":
                self.ask(line, START_SECONDS)
            self._warm = True

    def close(self, *, at_once: bool = False) -> None:
        """End it, with a `quit` and some seconds first unless `at_once`; its children end too."""
        if not at_once:
            with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
                self._process.stdin.write(b"quit\n")
                self._process.stdin.close()
                self._process.wait(QUIT_SECONDS)
        self._closed = True
        _kill(self._process)
        self._process.wait()
        self._lines.put(None)            # for whoever is waiting for a reply
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._reader.join(1)
        self._listener.join(1)


def _kill(process: subprocess.Popen) -> None:
    """End a process and its children."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _printable(raw: bytes) -> str:
    """At most 200 characters of one line, for a message."""
    text = " ".join(raw[:2000].decode("utf-8", "replace").split())
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:200]
