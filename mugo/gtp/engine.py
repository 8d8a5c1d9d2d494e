"""The GTP engine: a player, a position, clocks; a line in, a reply out.

    7 play b D4 # hello      ->  =7              engine.position = engine.play_move(engine.position, point, BLACK)
    8 play w d4              ->  ?8 illegal move
    9 genmove w              ->  =9 E3           engine.generate_move(WHITE)

One function of the engine and its arguments per command, in the modules of commands that are imported here;
`list_commands` is those functions.  A failure is an exception that becomes a `?` reply, with the text that the
specification prescribes where it prescribes one; the details go to the log.  How long a move may take is
players/time_control.py's.
"""
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from mugo.core.command_table import WrongArguments
from mugo.core.files import BadInput
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import MAX_MOVES, BoardSize, format_gtp
from mugo.games.game import new_game
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.games.position import BasePosition, IllegalMove
from mugo.games.rules import KOMI, SIMPLE, Rules
from mugo.gtp import analyze, commands, extensions, katago  # noqa: F401  (to import them registers their commands)
from mugo.gtp.protocol import (
    COMMANDS, MAX_LINE_BYTES, MAX_SIMULATIONS, SYNTAX_ERROR, GtpError, LineReader, OutputClosedError, fails_as,
    format_reply, split_line, taken_arguments)
from mugo.gtp.params import Parameters
from mugo.players.player import RESIGN, Player, SearchControl
from mugo.players.time_control import NO_LIMIT, Clock, TimeSettings
from mugo.mcts.root import AvoidedMoves
from mugo.mcts.result import SearchResult
from mugo.mcts.search import Search

MAX_LOGGED = 500          # characters of a failed line in the log


class GtpEngine:
    """A player, a position and two clocks; `answer` runs commands.

    size, komi: the first board's, in Go.  start: the first position instead, of any game.
    name: the reply to the command `name`; '' for the default.
    rules: that a client would set; None: those of the first position.
    parameters: the options of the engine and of the player; None: the defaults.
    log: called with a line for each failure, and with the traceback of an internal error.
    now: the time in seconds, from any origin.
    wait_until_ready: returns when the player can move; a new game and a move wait for it.
    Raises BadInput for a board size or options out of range.
    """

    def __init__(self, player: Player, *, size: BoardSize = 19, komi: float = KOMI, start: BasePosition | None = None,
                 name: str = "", rules: Rules | None = None, parameters: Parameters | None = None,
                 log: Callable[[str], object] = lambda text: None,
                 now: Callable[[], float] = time.monotonic, wait_until_ready: Callable[[], object] = lambda: None):
        self.player = player
        self.position = start or new_game("go", size, komi=komi)
        self.komi = self.position.komi           # of the game; in Gomoku kept without effect
        self.komi_of_new_games = self.komi       # a record that is loaded does not change it
        self.rules = rules                       # of Go, those that are supported; None: a client has set none
        self._first_rules = self.position.rules if isinstance(self.position, GoPosition) else Rules()
        self.resignation: tuple[BasePosition, int] | None = None         # the position, and who resigned there
        self.quitting = False
        self.parameters = parameters or Parameters()
        self.wait_until_ready = wait_until_ready
        self.name = name
        self.log = log
        self._now = now
        self._lines: LineReader | None = None            # those after the line of the current command
        self._command_id = ""
        self._write: Callable[[str], object] = lambda text: None
        self._reply_started = False
        self._own_move: BasePosition | None = None       # the position after the engine's last own move
        self._ponder_thread: threading.Thread | None = None
        self._proposed: tuple[BasePosition, int, int] | None = None      # position, colour, point of propose_move
        self.set_clocks(NO_LIMIT)

    # -- lines

    def answer(self, line: str, write: Callable[[str], object] | None = None,
               lines: LineReader | None = None) -> str | None:
        """The reply to a line, with its two newlines; None if the line holds no command.

        write: called with the parts of a streamed reply, whose end is returned; None: the whole reply is returned.
        lines: the lines after this one; None: there are none, and an analysis ends as soon as it has begun.
        """
        command_id, words = split_line(line)
        if not words:
            return None
        self.close()
        parts: list[str] = []
        self._write, self._lines = write or parts.append, lines
        self._command_id, self._reply_started = command_id, False
        if len(line) > MAX_LINE_BYTES:
            self.log(f"{' '.join(words)[:80]}...: expected a line of at most {MAX_LINE_BYTES} bytes")
            return format_reply("?", command_id, "line too long")
        mark, text = self._reply_to(words)
        self._start_pondering()
        if not self._reply_started:
            return format_reply(mark, command_id, text)
        if mark == "?":                                  # too late for the reply
            self.log(f"{' '.join(words)}: {text}"[:MAX_LOGGED])
        return "".join(parts) + "\n"

    def _reply_to(self, words: list[str]) -> tuple[str, str]:
        """Run a command; returns the mark and the text of its reply."""
        name, *arguments = words
        try:
            if name not in COMMANDS:
                raise GtpError("unknown command")
            with fails_as(SYNTAX_ERROR, WrongArguments):
                return "=", COMMANDS.run(name, self.position.game, self, taken_arguments(name, arguments)) or ""
        except GtpError as error:
            if error.details:
                self.log(f"{' '.join(words)}: {error.details}"[:MAX_LOGGED])
            return "?", error.text
        except BadInput as error:
            return "?", str(error)
        except OutputClosedError:
            raise
        except Exception as error:                       # a bug must not end the game
            self.log(traceback.format_exc())
            return "?", f"internal error: {' '.join(f'{type(error).__name__} {error}'.split())}"

    # -- replies that are streamed

    def start_reply(self) -> None:
        """Send the first line of a streamed reply, once.  From here on the reply is a success."""
        if not self._reply_started:
            self._reply_started = True
            self._write(f"={self._command_id}\n")

    def write_line(self, line: str) -> None:
        """Send a line of a streamed reply."""
        self.start_reply()
        self._write(line + "\n")

    def has_input(self) -> bool:
        """Whether another line has arrived, or the input has ended."""
        return self._lines is None or self._lines.has_line()

    def is_interrupted(self) -> bool:
        """Whether the controller has asked for the end of the search under way (gogui-interrupt)."""
        return self._lines is not None and self._lines.is_interrupted()

    # -- the game

    def empty_board(self, size: BoardSize) -> BasePosition:
        """An empty board of this size for a new game of the same kind.  Raises BadInput.

        Komi and rules are those that a client has set, or else those of the first position, and not a loaded record's.
        """
        position = self.position
        if isinstance(position, GomokuPosition):
            return new_game(position.game, size, k=position.k, exactly=position.exactly)
        board = new_game(position.game, size, komi=self.komi_of_new_games)
        assert isinstance(board, GoPosition)
        return board.with_rules(self.rules or self._first_rules)

    def current_rules(self) -> Rules:
        """The rules of the game, as far as they are supported."""
        return (self.position.rules if isinstance(self.position, GoPosition) else Rules()).supported()

    def go_position(self) -> GoPosition:
        """The position, of a game of Go.  Raises GtpError in another game."""
        if not isinstance(self.position, GoPosition):
            raise GtpError(f"this is {self.position.game.capitalize()}")
        return self.position

    def position_to_move(self, colour: int) -> BasePosition:
        """The position with this colour to move, once the player can move.  Raises GtpError after MAX_MOVES moves."""
        if self.position.plies >= MAX_MOVES:
            raise GtpError(f"a game has at most {MAX_MOVES} moves")
        self.wait_until_ready()
        return self.position.with_turn(colour)

    def start_game(self, start: BasePosition) -> None:
        """Start a new game from this position, with full clocks."""
        self.position = start
        self.komi = start.komi if isinstance(start, GoPosition) else self.komi
        self.set_clocks(self.time_settings)

    def set_position(self, position: BasePosition) -> None:
        """Make this the position, with the current komi, and under the rules that a client has set."""
        if isinstance(position, GoPosition):
            position = position.with_rules(self.rules or position.rules).with_komi(self.komi)
        self.position = position

    def play_move(self, position: BasePosition, point: int, colour: int) -> BasePosition:
        """The position after a move that the controller reports.  Raises IllegalMove.

        A repetition is legal unless rules that a client has set forbid it: games come from servers with other rules.
        """
        if not isinstance(position, GoPosition):
            return position.play(point, colour)
        reason = position.why_illegal(point, colour, self.rules.ko if self.rules else SIMPLE)
        if reason:
            raise IllegalMove(f"illegal move: {format_gtp(point, position.shape)} {reason}")
        return position.play_unchecked(point, colour)

    def set_clocks(self, settings: TimeSettings) -> None:
        """Set both clocks, full."""
        self.time_settings = settings
        self.clocks = {colour: Clock(settings, self.parameters.of_engine.lag) for colour in (BLACK, WHITE)}

    def generate_move(self, colour: int, cleanup: bool = False, **callbacks: Any) -> str:
        """Let the player move, on its clock, and play the move; returns the vertex, or 'resign', which plays nothing.

        Arguments and exceptions as in select_move.
        """
        position = self.position_to_move(colour)
        point = self.select_move(position, cleanup, **callbacks)
        if point == RESIGN:
            self.resignation = self.position, position.to_play
        else:
            self.position = self._own_move = position.play(point)
        return self.format_move(point)

    def propose_move(self, colour: int, **callbacks: Any) -> str:
        """What generate_move returns, without playing it; pondering begins if the controller then plays this move."""
        point = self.select_move(self.position_to_move(colour), **callbacks)
        self._proposed = self.position, colour, point
        return self.format_move(point)

    def report_move(self, point: int, colour: int) -> None:
        """Play a move that the controller reports.  Raises IllegalMove."""
        before, self._proposed = self._proposed, None
        is_move_of_engine = before is not None and before[0] is self.position and before[1:] == (colour, point)
        self.position = self.play_move(self.position, point, colour)
        if is_move_of_engine:
            self._own_move = self.position

    def stop_pondering(self) -> None:
        """Do not ponder until the next own move."""
        self._own_move = None

    def select_move(self, position: BasePosition, cleanup: bool = False, **callbacks: Any) -> int:
        """The point that the player selects, on its clock, which nobody plays; PASS, or RESIGN.

        cleanup: capture dead stones before a pass; so do the option of this name and rules that do not remove them.
        callbacks: as in `control`.  Raises BadInput where the player cannot move.
        """
        clock = self.clocks[position.to_play]
        cleanup = cleanup or self.parameters.of_engine.cleanup or not position.removes_dead_stones
        started = self._now()
        try:
            stones = int((position.stones != EMPTY).sum())
            return self.player.select_move(position, seconds=clock.seconds(position.shape, stones), cleanup=cleanup,
                                           control=self.control(**callbacks))
        finally:
            clock.spend(self._now() - started)

    def control(self, on_progress: Callable[[SearchResult], None] | None = None, progress_interval: float = 1.0,
                should_stop: Callable[[], bool] | None = None, avoided: AvoidedMoves | None = None) -> SearchControl:
        """How a search is followed and restricted.

        on_progress: called with the result so far every progress_interval seconds.  should_stop: ends the search; None:
        `# interrupt` does.  avoided: moves to leave out.
        """
        return SearchControl(should_stop or self.is_interrupted, on_progress, progress_interval,
                             avoided or AvoidedMoves())

    def format_move(self, point: int) -> str:
        """The vertex of a player's move, or 'resign'."""
        return "resign" if point == RESIGN else format_gtp(point, self.position.shape)

    # -- pondering

    def _start_pondering(self) -> None:
        """Search on after an own move, until the next command."""
        search, result = self.player.search, self.player.search_result
        position = self.position
        if search is None or position is not self._own_move or position.is_over or self.quitting \
                or not self.parameters.of_engine.ponder:
            return
        if result is not None and isinstance(position, GoPosition):
            position = position.with_komi(result.position.komi)      # a dynamic komi's: its tree is kept
        self._stop_pondering = threading.Event()
        self._ponder_thread = threading.Thread(target=self._ponder, args=[search, position], name="pondering",
                                               daemon=True)
        self._ponder_thread.start()

    def _ponder(self, search: Search, position: BasePosition) -> None:
        try:
            search.search(position, simulations=MAX_SIMULATIONS, should_stop=self._stop_pondering.is_set)
        except Exception:
            self.log(traceback.format_exc())

    def close(self) -> None:
        """Stop pondering."""
        if self._ponder_thread:
            self._stop_pondering.set()
            self._ponder_thread.join()
            self._ponder_thread = None


def serve(engine: GtpEngine, source: Iterable[str], out: TextIO,
          log: Callable[[str], object] = lambda text: None,
          is_abandoned: Callable[[], bool] = lambda: False) -> None:
    """Answer lines until `quit`, the end of the input, or nobody reads the replies; every reply is flushed.

    log: called with each line received, after "> ", and each line sent, after "< ".  is_abandoned: as in LineReader.
    """
    def write(text: str) -> None:
        try:
            out.write(text)
            out.flush()
        except (OSError, ValueError):                    # ValueError: a file that is closed
            raise OutputClosedError from None
        for line in filter(None, text.splitlines()):
            log(f"< {line}")

    lines = LineReader(source, is_abandoned)
    try:
        for line in lines:
            log(f"> {line}".rstrip())
            reply = engine.answer(line, write, lines)
            if reply is not None:
                write(reply)
            if engine.quitting:
                return
    except OutputClosedError:
        log("! the controller has closed its end of the output")
    finally:
        engine.close()
