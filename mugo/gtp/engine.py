"""The Go Text Protocol, version 2: a line in, a reply out.

    7 play b D4 # hello      ->  =7
    8 play w d4              ->  ?8 illegal move

http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html

One function per command, in commands.py, streams.py, gogui.py and parameters.py; `list_commands` is those
functions.  Here are the game and the clocks that they work on, and the way of a line to its reply.  A failure is an
exception that becomes a `?` reply, in the specification's own words wherever it has some; what exactly was wrong
goes to stderr.  stdout carries replies and nothing else.  Who plays is players.py's business, and how long a move may
take clock.py's; the thinking on the opponent's time is done here.
"""
import argparse
import contextlib
import copy
import inspect
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TextIO

from mugo.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import PASS, format_gtp
from mugo.games.game import new_game
from mugo.games.go import Position
from mugo.games.position import BasePosition
from mugo.gtp import analyze, commands, gogui, params
from mugo.gtp.params import Parameters
from mugo.gtp.protocol import COMMANDS, ONLY, SYNTAX_ERROR, Failure, Lines, format_reply, read_lines, split_line
from mugo.players import game_options
from mugo.players import options as player_options
from mugo.players.player import RESIGN, Player
from mugo.players.searcher import SearchPlayer
from mugo.players.time_control import LAG, NO_LIMIT, Clock, TimeSettings
from mugo.search.result import SearchResult

TABLES = (commands, analyze, gogui, params)          # whose commands are known, because they are imported


class Engine:
    """A player, a position, and the commands that change it.

    size, komi: of the first board, Go's.  start: the empty board of another game, instead of these.
    cleanup: take dead stones off before passing, always, as servers that count by Tromp and Taylor's rule want it.
    lag: seconds that a move costs on the controller's clock beyond what `now` measures.
    ponder: think on the opponent's time, from an own move until the next command.
    name: what the command of that name answers, for clients that know only some engines.
    options: the player's, to be changed over GTP.
    log: gets one line for each failure, and the traceback of an internal error.
    now: the time in seconds, from any start.
    ready: returns when the player is; a new game waits for it, for then no clock runs yet, and so does a move.
    Raises BadInput for a board that nobody plays, or a negative lag.
    """

    def __init__(self, player: Player, *, size: int = 19, komi: float = 7.5, start: BasePosition | None = None,
                 lag: float = LAG, cleanup: bool = False, ponder: bool = False, name: str = "",
                 options: Parameters | None = None, log: Callable[[str], object] = lambda text: None,
                 now: Callable[[], float] = time.monotonic, ready: Callable[[], object] = lambda: None):
        if not 0 <= lag < math.inf:
            raise BadInput(f"a lag is 0 seconds or more, not {lag}")
        self.player = player
        self.position = start or new_game("go", size, komi=komi)
        self.komi = self.position.komi           # in Gomoku kept for nothing
        self.quitting = False
        self.lag = lag
        self.cleanup = cleanup
        self.ponder = ponder
        self.options = options
        self.wait_until_ready = ready
        self.name_told = name
        self._log = log
        self._now = now
        self._lines: Lines | None = None
        self._thinking: threading.Thread | None = None
        self._enough = threading.Event()         # for the thread that thinks on the opponent's time
        self._own: BasePosition | None = None        # after the last move of our own
        self.set_clocks(NO_LIMIT)

    def answer(self, line: str, write: Callable[[str], object] | None = None, lines: Lines | None = None) -> str | None:
        """The reply to a line, with its two newlines; None if the line holds no command.

        write: gets the parts of a reply that comes bit by bit; the rest is returned.  Without it all is.
        lines: those that come after this one; without them there are none, and an analysis ends as it begins.
        """
        number, words = split_line(line)
        if not words:
            return None
        self.close()
        parts: list[str] = []
        self._write, self._lines = write or parts.append, lines
        self._number, self._begun = number, False
        name, *arguments = words
        mark, text = "=", ""
        try:
            text = self._run(name, arguments) or ""
        except Failure as failure:
            mark, text = "?", failure.text
            if failure.details:
                self._log(f"{' '.join(words)}: {failure.details}"[:500])       # a line may be long
        except BadInput as bad:
            mark, text = "?", str(bad)
        except Exception as error:
            # A bug, of ours or of a network's: the game is not lost for it.
            self._log(traceback.format_exc())
            mark, text = "?", f"internal error: {' '.join(f'{type(error).__name__} {error}'.split())}"
        self._go_on_thinking()
        if not self._begun:
            return format_reply(mark, number, text)
        if mark == "?":
            self._log(f"{' '.join(words)}: {text}"[:500])
        return "".join(parts) + "\n"

    def _run(self, name: str, arguments: list[str]) -> str | None:
        if name not in COMMANDS:
            raise Failure("unknown command")
        game = self.position.game
        if ONLY.get(name, game) != game:
            raise Failure(f"{name} is for {ONLY[name].capitalize()}, and this is {game.capitalize()}")
        try:
            inspect.signature(COMMANDS[name]).bind(self, *arguments)
        except TypeError as error:
            raise Failure(SYNTAX_ERROR, str(error)) from None
        return COMMANDS[name](self, *arguments)

    # -- replies that come bit by bit

    def begin(self) -> None:
        """Begin such a reply: whatever happens now, it is a success."""
        self._begun = True
        self._write(f"={self._number}\n")

    def say(self, line: str) -> None:
        """A line of it."""
        self._write(line + "\n")

    def has_input(self) -> bool:
        """Whether another line is there, or the input has ended."""
        return self._lines is None or self._lines.are_waiting()

    def is_interrupted(self) -> bool:
        """Whether the command under way is asked to come to its end (gogui-interrupt)."""
        return self._lines is not None and self._lines.ask_to_stop()

    # -- the opponent's time

    def _go_on_thinking(self) -> None:
        if not self.ponder or self.position is not self._own or self.position.is_over or self.quitting \
                or self.player.search is None:
            return
        self._enough.clear()
        self._thinking = threading.Thread(target=self._think, args=[self.player.search, self.position], daemon=True)
        self._thinking.start()

    def _think(self, search, position: BasePosition) -> None:
        try:
            search.search(position, simulations=analyze.LONGEST, should_stop=self._enough.is_set)
        except Exception:
            self._log(traceback.format_exc())

    def close(self) -> None:
        """Stop thinking on the opponent's time."""
        if self._thinking:
            self._enough.set()
            self._thinking.join()
            self._thinking = None

    # -- the game

    def start(self, size: int) -> BasePosition:
        """An empty board of this size, of the game that is played, by its rules.  Raises BadInput."""
        now = self.position
        if now.game == "gomoku":
            return new_game(now.game, size, k=now.k, exactly=now.exactly)
        return new_game(now.game, size, komi=self.komi)

    def begin_game(self, start: BasePosition) -> None:
        """A new game, with the clocks full."""
        self.position = start
        self.set_clocks(self.settings)

    def go_to(self, position: BasePosition) -> None:
        """Make this the position, with the komi of now, not of when it was first reached."""
        self.position = copy.copy(position)
        if position.game == "go":
            self.position.komi = self.komi

    def set_clocks(self, settings: TimeSettings) -> None:
        """Both clocks, full."""
        self.settings = settings
        self.clocks = {side: Clock(settings, self.lag) for side in (BLACK, WHITE)}

    def generate(self, position: BasePosition, cleanup: bool = False,
                 on_progress: Callable[[SearchResult], None] | None = None, progress_interval: float = 1.0) -> str:
        """Let the player move, on its clock; returns the vertex.  A game that it resigns stays where it is.

        watch: is told what the player's search has found so far, if it searches, every so many seconds.
        """
        clock = self.clocks[position.to_play]
        started = self._now()
        try:
            with self._watched(on_progress, progress_interval):
                seconds = clock.seconds(position.size, int((position.stones != EMPTY).sum()))
                point = self.player.select_move(position, seconds=seconds, cleanup=cleanup or self.cleanup)
        finally:
            clock.spend(self._now() - started)
        if point != RESIGN:
            self.position = self._own = position.play(point)
        return self.format_move(point)

    @contextlib.contextmanager
    def _watched(self, on_progress: Callable[[SearchResult], None] | None, progress_interval: float) -> Iterator[None]:
        """Let a player that searches be seen, and be interrupted."""
        player = self.player
        if not isinstance(player, SearchPlayer):
            yield
            return
        before = player.on_progress, player.progress_interval, player.should_stop
        player.on_progress, player.progress_interval = on_progress, progress_interval
        player.should_stop = self.is_interrupted
        try:
            yield
        finally:
            player.on_progress, player.progress_interval, player.should_stop = before

    def format_move(self, point: int) -> str:
        return "resign" if point == RESIGN else format_gtp(point, self.position.size)


def serve(engine: Engine, source: Iterable[str], out: TextIO, log: Callable[[str], object] = lambda text: None) -> None:
    """Answer lines until `quit` or the end of the input, each reply flushed at once.  log: gets all that is said."""
    def write(text: str) -> None:
        out.write(text)
        out.flush()
        for line in filter(None, text.splitlines()):
            log(f"< {line}")

    lines = Lines(source)
    try:
        for line in lines:
            log(f"> {line}".rstrip())
            reply = engine.answer(line, write, lines)
            if reply is not None:
                write(reply)
            if engine.quitting:
                return
    finally:
        engine.close()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo gtp`."""
    player_options.add_arguments(parser)
    game_options.add_arguments(parser, f"that of --network, or {player_options.GO_SIZE}")
    parser.add_argument("--cleanup", action="store_true",
                        help="take dead stones off before passing, as servers that count what stands there want it")
    parser.add_argument("--lag", type=float, default=LAG, metavar="S",
                        help="what a move takes on a server's clock beyond its own time: about 1 across the internet"
                             " (default: %(default)s seconds)")
    parser.add_argument("--ponder", action="store_true", help="think on the opponent's time (uct and mcts)")
    parser.add_argument("--name", default="", metavar="TEXT", help="what to answer to `name`, for clients that know "
                        "only some engines (default: MuGo and who plays)")
    parser.add_argument("--log-file", type=Path, metavar="FILE", help="append all that is said here, with the time")


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo gtp`; returns the exit status.  Raises BadInput before the first line is read."""
    start = game_options.first_position(arguments, player_options.default_size(arguments))
    player = player_options.player_from_arguments(arguments, start.game)
    # Beside the first commands, so that `name` is answered before compiled code is loaded.
    with _opened_log(arguments.log_file) as write_down:
        def log(text: str) -> None:
            log_to_stderr(text)
            write_down(f"! {text}")

        warming = threading.Thread(target=warm_up, args=[player, start])
        engine = Engine(player, start=start, lag=arguments.lag, cleanup=arguments.cleanup, ponder=arguments.ponder,
                        name=arguments.name, options=Parameters(arguments, start.game), log=log, ready=warming.join)
        warming.start()
        with _own_stdout() as out:
            serve(engine, read_lines(sys.stdin.fileno()), out, write_down)
    return 0


@contextlib.contextmanager
def _own_stdout() -> Iterator[TextIO]:
    """stdout for the replies; what anyone else writes to it, compiled libraries too, goes to stderr meanwhile."""
    sys.stdout.flush()
    replies = os.dup(1)
    with contextlib.suppress(OSError):               # without a stderr it stays where it is
        os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr), \
                open(os.dup(replies), "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            yield out
    finally:
        os.dup2(replies, 1)
        os.close(replies)


@contextlib.contextmanager
def _opened_log(path: Path | None) -> Iterator[Callable[[str], None]]:
    """What writes a line to the log file.  Raises BadInput if it cannot be opened."""
    if path is None:
        yield lambda text: None
        return
    try:
        file = open(path, "a", encoding="utf-8", errors="backslashreplace", buffering=1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None

    def write_down(text: str) -> None:
        at = datetime.now().isoformat(" ", "milliseconds")
        with contextlib.suppress(OSError):           # a disk that is full must not end the game
            file.write("".join(f"{at} {line}\n" for line in text.splitlines()))

    with file:
        yield write_down


def warm_up(player: Player, start: BasePosition) -> None:
    """Get a player ready, then playing and counting; say so on stderr if that takes long."""
    notice = threading.Timer(3, log_to_stderr, ["getting ready; the first start on a machine compiles"])
    notice.start()
    try:
        player.warm_up(start)
        scoring.without_dead(Position(5).play(PASS)).result()
    except BadInput as bad:                          # a move says so again
        log_to_stderr(str(bad))
    finally:
        notice.cancel()


def log_to_stderr(text: str) -> None:
    # A log that nobody reads any more must not end the game.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"mugo: {text}\n")
        sys.stderr.flush()
