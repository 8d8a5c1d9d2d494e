"""The Go Text Protocol, version 2: a line in, a reply out.

    7 play b D4 # hello      ->  =7
    8 play w d4              ->  ?8 illegal move

http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html

One function per command; `list_commands` is those functions.  A failure is an exception that becomes
a `?` reply, in the specification's own words wherever it has some; what exactly was wrong goes to
stderr.  stdout carries replies and nothing else.  Who plays is players.py's business, and how long a
move may take clock.py's; the clocks run here.
"""
import argparse
import contextlib
import copy
import inspect
import math
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from mugo import __version__, ending, players
from mugo.board import BLACK, EMPTY, WHITE
from mugo.clock import LAG, NO_LIMIT, Clock, TimeSettings, absolute, canadian, japanese
from mugo.coords import MAX_SIZE, MIN_SIZE, PASS, format_gtp, interpret_gtp
from mugo.files import BadInput, written_whole
from mugo.games import load_position, record_of
from mugo.go import NAMES, IllegalMove, Position, fixed_handicap
from mugo.players import RESIGN, Player
from mugo.protocol import (
    SYNTAX_ERROR, Failure, format_reply, read_colour, read_count, read_float, read_int, read_seconds, read_vertex,
    split_line,
)
from mugo.records import format_record

SIZES = f"boards are {MIN_SIZE}x{MIN_SIZE} to {MAX_SIZE}x{MAX_SIZE}"
COMMANDS: dict[str, Callable[..., str | None]] = {}


def answers(name: str) -> Callable:
    """Make a method of Engine the GTP command of this name.

    Its arguments are the words after the name: too few or too many of them are a syntax error.
    What it returns is the reply, None for an empty one.
    """
    def register(function: Callable) -> Callable:
        COMMANDS[name] = function
        return function
    return register


class Engine:
    """A player, a position, and the commands that change it.

    size: of the first board.
    cleanup: take dead stones off before passing, always, as servers that count by Tromp and Taylor's rule want it.
    lag: seconds that a move costs on the controller's clock beyond what `now` measures.
    log: gets one line for each failure, and the traceback of an internal error.
    now: the time in seconds, from any start.
    ready: returns when the player is; a new game waits for it, for then no clock runs yet, and so does a move.
    Raises BadInput for a board that nobody plays, or a negative lag.
    """

    def __init__(self, player: Player, *, size: int = 19, komi: float = 7.5, lag: float = LAG,
                 cleanup: bool = False, log: Callable[[str], object] = lambda text: None,
                 now: Callable[[], float] = time.monotonic, ready: Callable[[], object] = lambda: None):
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise BadInput(f"{SIZES}, not {size}x{size}")
        if not 0 <= lag < math.inf:
            raise BadInput(f"a lag is 0 seconds or more, not {lag}")
        self.player = player
        self.komi = komi
        self.position = Position(size, komi)
        self.quitting = False
        self._lag = lag
        self._cleanup = cleanup
        self._log = log
        self._now = now
        self._ready = ready
        self._set_clocks(NO_LIMIT)

    def answer(self, line: str) -> str | None:
        """The whole reply to a line, with its two newlines; None if the line holds no command."""
        number, words = split_line(line)
        if not words:
            return None
        name, *arguments = words
        try:
            return format_reply("=", number, self._run(name, arguments) or "")
        except Failure as failure:
            if failure.details:
                self._log(f"{' '.join(words)}: {failure.details}"[:500])       # a line may be long
            return format_reply("?", number, failure.text)
        except BadInput as bad:
            return format_reply("?", number, str(bad))
        except Exception as error:
            # A bug, of ours or of a network's: the game is not lost for it.
            self._log(traceback.format_exc())
            told = " ".join(f"{type(error).__name__} {error}".split())
            return format_reply("?", number, f"internal error: {told}")

    def _run(self, name: str, arguments: list[str]) -> str | None:
        if name not in COMMANDS:
            raise Failure("unknown command")
        try:
            inspect.signature(COMMANDS[name]).bind(self, *arguments)
        except TypeError as error:
            raise Failure(SYNTAX_ERROR, str(error)) from None
        return COMMANDS[name](self, *arguments)

    # -- about the engine

    @answers("protocol_version")
    def _protocol_version(self) -> str:
        return "2"

    @answers("name")
    def _name(self) -> str:
        return f"MuGo {self.player.name}"

    @answers("version")
    def _version(self) -> str:
        return __version__

    @answers("known_command")
    def _known_command(self, name: str) -> str:
        return "true" if name in COMMANDS else "false"

    @answers("list_commands")
    def _list_commands(self) -> str:
        return "\n".join(COMMANDS)

    @answers("quit")
    def _quit(self) -> None:
        self.quitting = True

    # -- setting up

    @answers("boardsize")
    def _boardsize(self, size: str) -> None:
        number = read_int(size)
        if not MIN_SIZE <= number <= MAX_SIZE:
            raise Failure("unacceptable size", SIZES)
        self._ready()
        if number != self.position.size:
            try:
                self.player.warm_up(number)          # another board may need another network
            except BadInput as bad:
                raise Failure("unacceptable size", str(bad)) from None
        self._clear(number)

    @answers("clear_board")
    def _clear_board(self) -> None:
        self._ready()
        self._clear(self.position.size)

    def _clear(self, size: int) -> None:
        """A new game, with the clocks full."""
        self.position = Position(size, self.komi)
        self._set_clocks(self.settings)

    @answers("komi")
    def _komi(self, komi: str) -> None:
        self.komi = read_float(komi)
        self._go_to(self.position)

    @answers("fixed_handicap")
    def _fixed_handicap(self, stones: str) -> str:
        try:
            points = fixed_handicap(self.position.size, read_int(stones))
        except ValueError as error:
            raise Failure("invalid number of stones", str(error)) from None
        return self._place_handicap(points)

    @answers("place_free_handicap")
    def _place_free_handicap(self, stones: str) -> str:
        """The fixed points, as many as there are: GTP lets an engine place fewer than asked for."""
        for number in range(min(read_int(stones), 9), 1, -1):
            with contextlib.suppress(ValueError):
                return self._place_handicap(fixed_handicap(self.position.size, number))
        raise Failure("invalid number of stones", "at least 2, on a board of 7x7 or larger")

    @answers("set_free_handicap")
    def _set_free_handicap(self, *vertices: str) -> None:
        size = self.position.size
        try:
            points = [interpret_gtp(vertex, size) for vertex in vertices]
        except ValueError as error:
            raise Failure("bad vertex list", str(error)) from None
        if PASS in points or len(set(points)) < len(points) or not 2 <= len(points) < size * size:
            raise Failure("bad vertex list", f"2 to {size * size - 1} different points are wanted")
        self._place_handicap(points)

    def _place_handicap(self, points: list[int]) -> str:
        if self.position.stones.any():
            raise Failure("board not empty")
        size = self.position.size
        self.position = Position(size, self.komi).with_handicap(points)
        return " ".join(format_gtp(point, size) for point in points)

    # -- playing

    @answers("play")
    def _play(self, colour: str, vertex: str) -> None:
        side = read_colour(colour)
        point = read_vertex(vertex, self.position.size)
        try:
            self.position = self.position.play(point, side)
        except IllegalMove as illegal:
            raise Failure("illegal move", str(illegal)) from None

    @answers("genmove")
    def _genmove(self, colour: str) -> str:
        return self._move(read_colour(colour))

    @answers("kgs-genmove_cleanup")
    def _genmove_cleanup(self, colour: str) -> str:
        """A move of a game that goes on until no dead stone is left."""
        return self._move(read_colour(colour), cleanup=True)

    def _move(self, side: int, cleanup: bool = False) -> str:
        """Let the player move, on its clock.  A game that it resigns stays where it is."""
        self._ready()
        position, clock = self.position.with_turn(side), self.clocks[side]
        started = self._now()
        try:
            seconds = clock.seconds(position.size, int((position.stones != EMPTY).sum()))
            point = self.player.choose(position, seconds=seconds, cleanup=cleanup or self._cleanup)
        finally:
            clock.spend(self._now() - started)
        if point != RESIGN:
            self.position = self.position.play(point, side)
        return self._format_move(point)

    @answers("reg_genmove")
    def _reg_genmove(self, colour: str) -> str:
        side = read_colour(colour)
        self._ready()
        return self._format_move(self.player.choose(self.position.with_turn(side)))

    def _format_move(self, point: int) -> str:
        return "resign" if point == RESIGN else format_gtp(point, self.position.size)

    @answers("mugo-explain")
    def _explain(self) -> str:
        """What the player thinks of its last move, in one line."""
        return self.player.explain()

    @answers("undo")
    def _undo(self) -> None:
        try:
            self._go_to(self.position.undo())
        except IllegalMove as error:
            raise Failure("cannot undo", str(error)) from None

    def _go_to(self, position: Position) -> None:
        """Make this the position, with the komi of now, not of when it was first reached."""
        self.position = copy.copy(position)
        self.position.komi = self.komi

    # -- time

    def _set_clocks(self, settings: TimeSettings) -> None:
        """Both clocks, full."""
        self.settings = settings
        self.clocks = {side: Clock(settings, self._lag) for side in (BLACK, WHITE)}

    @answers("time_settings")
    def _time_settings(self, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> None:
        self._set_clocks(canadian(read_seconds(main_time), read_seconds(byo_yomi_time), read_count(byo_yomi_stones)))

    @answers("kgs-time_settings")
    def _kgs_time_settings(self, system: str, *numbers: str) -> None:
        match system, *numbers:
            case ["none"]:
                self._set_clocks(NO_LIMIT)
            case ["absolute", main]:
                self._set_clocks(absolute(read_seconds(main)))
            case ["canadian", _, _, _]:
                self._time_settings(*numbers)
            case ["byoyomi", main, period, periods]:
                self._set_clocks(japanese(read_seconds(main), read_seconds(period), read_count(periods)))
            case _:
                raise Failure(SYNTAX_ERROR, "none, absolute MAIN, byoyomi MAIN TIME PERIODS or "
                                            "canadian MAIN TIME STONES")

    @answers("time_left")
    def _time_left(self, colour: str, seconds: str, stones: str) -> None:
        # Below 0 is how some controllers show a clock that has just run out.
        self.clocks[read_colour(colour)].correct(read_float(seconds), read_count(stones))

    # -- the end of a game

    @answers("final_score")
    def _final_score(self) -> str:
        return ending.without_dead(self.position).result()

    @answers("final_status_list")
    def _final_status_list(self, status: str) -> str:
        if status not in ("alive", "dead", "seki"):
            raise Failure(SYNTAX_ERROR, f"{status!r} is no status (alive, dead or seki)")
        if status == "seki":
            return ""                      # rollouts know none: its chains count as alive
        left = ending.without_dead(self.position).board[0]["colour"]
        found = [chain for chain in ending.chains(self.position)
                 if (left[chain[0]] == EMPTY) == (status == "dead")]
        size = self.position.size
        return "\n".join(" ".join(format_gtp(point, size) for point in chain) for chain in found)

    # -- looking, loading, saving

    @answers("showboard")
    def _showboard(self) -> str:
        taken = self.position.captures
        return (f"\n{self.position}\n{NAMES[self.position.to_play]} to play.  Komi {self.komi:g}.  "
                f"Black (X) has taken {taken[BLACK]}, White (O) {taken[WHITE]}.")

    @answers("loadsgf")
    def _loadsgf(self, *words: str) -> None:
        """The first game of a file; with a number N, the position before move N.

        A name may hold single blanks, which GTP would not know.
        """
        if not words:
            raise Failure(SYNTAX_ERROR, "which file?")
        number = None
        if len(words) > 1 and words[-1].isascii() and words[-1].isdigit():
            *words, number = words
        plies = None if number is None else max(read_int(number) - 1, 0)
        path = Path(" ".join(words))
        try:
            self.position = load_position(path, plies, komi=self.komi)
        except BadInput as error:
            raise Failure("cannot load file", str(error)) from None
        except OSError as error:
            raise Failure("cannot load file", f"{path}: {error}") from None
        self.komi = self.position.komi

    @answers("printsgf")
    def _printsgf(self, *words: str) -> str | None:
        """The game as SGF: the reply, or written to a file if one is named."""
        result = self._final_score() if self.position.is_over else ""
        text = format_record(record_of(self.position, result=result))
        if not words:
            return text
        path = Path(" ".join(words))
        try:
            with written_whole(path) as beside:
                beside.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Failure("cannot save file", f"{path}: {error}") from None
        return None


def serve(engine: Engine, lines: Iterable[str], out: TextIO) -> None:
    """Answer lines until `quit` or the end of the input, each reply flushed at once."""
    for line in lines:
        reply = engine.answer(line)
        if reply is not None:
            out.write(reply)
            out.flush()
        if engine.quitting:
            return


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo gtp`."""
    players.add_arguments(parser)
    parser.add_argument("--size", type=int, help="of the first board (default: that of --network, or 19)")
    parser.add_argument("--komi", type=float, default=7.5, help="until told otherwise (default: %(default)s)")
    parser.add_argument("--cleanup", action="store_true",
                        help="take dead stones off before passing, as servers that count what stands there want it")
    parser.add_argument("--lag", type=float, default=LAG, metavar="S",
                        help="what a move takes on a server's clock beyond its own time: about 1 across the internet"
                             " (default: %(default)s seconds)")


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo gtp`; returns the exit status.  Raises BadInput before the first line is read."""
    player = players.from_arguments(arguments)
    # Beside the first commands, so that `name` is answered before compiled code is loaded.
    size = players.first_size(arguments) if arguments.size is None else arguments.size
    warming = threading.Thread(target=warm_up, args=[player, size])
    engine = Engine(player, size=size, komi=arguments.komi, lag=arguments.lag, cleanup=arguments.cleanup,
                    log=log_to_stderr, ready=warming.join)
    warming.start()
    # Only a newline ends a line; a carriage return is one more control character.
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    with contextlib.redirect_stdout(sys.stderr):      # a stray print would break the protocol
        serve(engine, sys.stdin, sys.__stdout__)
    return 0


def warm_up(player: Player, size: int) -> None:
    """Get a player ready, then playing and counting; say so on stderr if that takes long."""
    notice = threading.Timer(3, log_to_stderr, ["getting ready; the first start on a machine compiles"])
    notice.start()
    try:
        player.warm_up(size)
        ending.without_dead(Position(5).play(PASS)).result()
    except BadInput as bad:                          # a move says so again
        log_to_stderr(str(bad))
    finally:
        notice.cancel()


def log_to_stderr(text: str) -> None:
    # A log that nobody reads any more must not end the game.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"mugo: {text}\n")
        sys.stderr.flush()
