"""A small GTP controller for tests and benchmarks: an engine over pipes or in this process, and a referee."""
import queue
import shutil
import subprocess
import threading
from collections.abc import Sequence

from mugo.games.coords import format_gtp, interpret_gtp
from mugo.games.go import BLACK, WHITE, Position
from mugo.games.position import COLOUR_LETTERS
from mugo.gtp.engine import GtpEngine

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")      # None: not installed


class CommandFailed(Exception):
    """A failure reply; the text is what follows `?`."""


class Client:
    """A GTP engine in a process of its own.  Raises TimeoutError after `timeout` seconds without a reply.

        with Client([GNUGO, "--mode", "gtp"]) as gnugo:
            gnugo.ask("genmove b")                 # 'Q16', or CommandFailed
    """

    def __init__(self, command: Sequence[str], *, timeout: float = 60, **popen):
        self.timeout = timeout
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, encoding="utf-8", **popen)
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, line: str) -> str:
        """Send one command; returns the text of its reply."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        reply = []
        while True:
            try:
                answer = self._lines.get(timeout=self.timeout)
            except queue.Empty:
                raise TimeoutError(f"no reply to {line!r} in {self.timeout} seconds") from None
            if answer is None:
                raise EOFError(f"the engine ended instead of answering {line!r}")
            if answer == "\n":
                break
            reply.append(answer)
        text = "".join(reply)
        if text.startswith("?"):
            raise CommandFailed(text[1:].strip())
        if not text.startswith("="):
            raise ValueError(f"no GTP reply to {line!r}: {text!r}")
        return text[1:].strip()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Local:
    """A GtpEngine in this process, with the interface of Client."""

    def __init__(self, engine: GtpEngine):
        self.engine = engine

    def ask(self, line: str) -> str:
        reply = self.engine.answer(line)
        if reply.startswith("?"):
            raise CommandFailed(reply[1:].strip())
        return reply[1:].strip()


def play_game(black: Client | Local, white: Client | Local, size: int, komi: float = 7.5,
              most: int = 1000) -> Position:
    """One game between two engines, refereed by our rules; returns the last position.

    Raises IllegalMove for an illegal move of either, CommandFailed if one rejects a move of the other.
    """
    engines = {BLACK: black, WHITE: white}
    for engine in engines.values():
        engine.ask(f"boardsize {size}")
        engine.ask("clear_board")
        engine.ask(f"komi {komi}")
    position = Position(size, komi)
    while not position.is_over and position.plies < most:
        colour = position.to_play
        vertex = engines[colour].ask(f"genmove {COLOUR_LETTERS[colour]}")
        point = interpret_gtp(vertex, size)
        position = position.play(point)
        engines[-colour].ask(f"play {COLOUR_LETTERS[colour]} {format_gtp(point, size)}")
    return position
