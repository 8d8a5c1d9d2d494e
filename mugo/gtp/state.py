"""The state that GTP commands read and change: player, position, komi, clocks, parameters.

    play b D4    -->   engine.position = engine.play_move(engine.position, point, BLACK)
    genmove w    -->   engine.generate_move(engine.position_to_move(WHITE))

Every command is a function of an EngineState and its arguments.  How a line finds its command is engine.py's; how long
a move may take is players/time_control.py's.
"""
import contextlib
import copy
import math
import time
from collections.abc import Callable, Iterator

from mugo.core.files import BadInput
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import MAX_MOVES, BoardSize, format_gtp
from mugo.games.game import new_game
from mugo.games.go import Position as Go
from mugo.games.gomoku import Position as Gomoku
from mugo.games.position import BasePosition, IllegalMove
from mugo.games.rules import KOMI, SIMPLE, Rules
from mugo.gtp.line_reader import LineReader
from mugo.gtp.params import Parameters
from mugo.gtp.protocol import GtpError
from mugo.players.player import RESIGN, Player
from mugo.players.searcher import SearchPlayer
from mugo.players.time_control import LAG, NO_LIMIT, Clock, TimeSettings
from mugo.search.result import SearchResult


class EngineState:
    """A player, a position and two clocks.

    size, komi: of the first board of Go.  start: the first position instead, of any game.
    lag: seconds that a move costs on the controller's clock beyond what `now` measures.
    cleanup: always capture dead stones before passing, for servers that count every stone as alive.
    ponder: search on the opponent's time, from an own move to the next command.
    name: the reply to the command `name`, for clients that know only some engines; '' for MuGo's own.
    rules: that a client would set; None: those of the first position.
    parameters: options of the player that GTP commands can change; None: none can be changed.
    log: called with a line for each failure, and with the traceback of an internal error.
    now: the time in seconds, from any origin.
    wait_until_ready: returns when the player can move.  A new game waits for it, because no clock runs yet, and so
    does a move.
    Raises BadInput for a board size out of range or a negative lag.
    """

    def __init__(self, player: Player, *, size: BoardSize = 19, komi: float = KOMI, start: BasePosition | None = None,
                 lag: float = LAG, cleanup: bool = False, ponder: bool = False, name: str = "",
                 rules: Rules | None = None, parameters: Parameters | None = None,
                 log: Callable[[str], object] = lambda text: None,
                 now: Callable[[], float] = time.monotonic, wait_until_ready: Callable[[], object] = lambda: None):
        if not 0 <= lag < math.inf:
            raise BadInput(f"a lag is 0 seconds or more, not {lag}")
        self.player = player
        self.position = start or new_game("go", size, komi=komi)
        self.komi = self.position.komi           # in Gomoku kept without effect
        self.rules = rules                       # of Go, as far as they are followed; None: nobody has set any
        self.quitting = False
        self.lag = lag
        self.cleanup = cleanup
        self.ponder = ponder
        self.parameters = parameters
        self.wait_until_ready = wait_until_ready
        self.name = name
        self.log = log
        self._now = now
        self._lines: LineReader | None = None            # those after the line of the current command
        self._command_id = ""
        self._write: Callable[[str], object] = lambda text: None
        self._reply_started = False
        self._own_move: BasePosition | None = None       # the position after the engine's last own move
        self._proposed: tuple[BasePosition, int, int] | None = None      # position, colour, point of propose_move
        self.set_clocks(NO_LIMIT)

    # -- replies that are streamed

    def start_reply(self) -> None:
        """Send the first line of a streamed reply, without a space, as Leela Zero and KataGo send it.

        From here on the reply is a success.
        """
        self._reply_started = True
        self._write(f"={self._command_id}\n")

    def write_line(self, line: str) -> None:
        """Send a line of a streamed reply."""
        self._write(line + "\n")

    def has_input(self) -> bool:
        """Whether another line has arrived, or the input has ended."""
        return self._lines is None or self._lines.has_line()

    def is_interrupted(self) -> bool:
        """Whether the controller has asked for the end of the search under way (gogui-interrupt)."""
        return self._lines is not None and self._lines.is_interrupted()

    # -- the game

    def empty_board(self, size: BoardSize) -> BasePosition:
        """An empty board of this size, of the current game and its rules.  Raises BadInput."""
        position = self.position
        if isinstance(position, Gomoku):
            return new_game(position.game, size, k=position.k, exactly=position.exactly)
        board = new_game(position.game, size, komi=self.komi)
        assert isinstance(board, Go)
        return board.with_rules(self.current_rules())

    def current_rules(self) -> Rules:
        """The rules that a client has set, else MuGo's own with the scoring of the game, as of a record loaded."""
        return self.rules or (self.position.scoring_rules if isinstance(self.position, Go) else Rules())

    def go_position(self) -> Go:
        """The position, of a game of Go.  Raises GtpError in another game."""
        if not isinstance(self.position, Go):
            raise GtpError(f"this is {self.position.game.capitalize()}")
        return self.position

    def position_to_move(self, colour: int) -> BasePosition:
        """The position, with this colour to move.  Raises GtpError if the game has as many moves as a game can have."""
        if self.position.plies >= MAX_MOVES:
            raise GtpError(f"a game has at most {MAX_MOVES} moves")
        return self.position.with_turn(colour)

    def start_game(self, start: BasePosition) -> None:
        """Start a new game from this position, with full clocks."""
        self.position = start
        self.set_clocks(self.time_settings)

    def set_position(self, position: BasePosition) -> None:
        """Make this the position, with the current komi, and counted by the rules that a client has set."""
        self.position = copy.copy(position)
        if isinstance(position, Go):
            if self.rules:
                self.position = position.with_rules(self.rules)
            self.position.komi = self.komi

    def play_move(self, position: BasePosition, point: int, colour: int) -> BasePosition:
        """The position after a move that the controller reports.  Raises IllegalMove.

        A repetition is legal unless the rules that a client has set forbid it: games come from servers with other
        rules.  The player's own moves never repeat a position.
        """
        if not isinstance(position, Go):
            return position.play(point, colour)
        reason = position.why_illegal(point, colour, self.rules.ko if self.rules else SIMPLE)
        if reason:
            raise IllegalMove(f"illegal move: {format_gtp(point, position.shape)} {reason}")
        return position.play_unchecked(point, colour)

    def set_clocks(self, settings: TimeSettings) -> None:
        """Set both clocks, full."""
        self.time_settings = settings
        self.clocks = {colour: Clock(settings, self.lag) for colour in (BLACK, WHITE)}

    def generate_move(self, position: BasePosition, cleanup: bool = False,
                      on_progress: Callable[[SearchResult], None] | None = None,
                      progress_interval: float = 1.0) -> str:
        """Let the player move, on its clock, and play the move; returns the vertex, or 'resign', which plays nothing.

        on_progress: called with the result so far every progress_interval seconds, by a player that searches.
        Raises BadInput where the player cannot move.
        """
        point = self.select_move(position, cleanup, on_progress, progress_interval)
        self.play_own_move(position, point)
        return self.format_move(point)

    def play_own_move(self, position: BasePosition, point: int) -> None:
        """Play a move of `select_move`; RESIGN plays nothing."""
        if point != RESIGN:
            self.position = self._own_move = position.play(point)

    def propose_move(self, colour: int, should_stop: Callable[[], bool] | None = None,
                     on_progress: Callable[[SearchResult], None] | None = None,
                     progress_interval: float = 1.0) -> str:
        """What generate_move returns for this colour, without playing it.

        If the controller's next move is this one, pondering begins.

        should_stop: ends the search of a player that searches; None: `# interrupt` does.
        """
        position = self.position_to_move(colour)
        point = self.select_move(position, False, on_progress, progress_interval, should_stop)
        self._proposed = self.position, colour, point
        return self.format_move(point)

    def report_move(self, point: int, colour: int) -> None:
        """Play a move that the controller reports.  Raises IllegalMove."""
        before, self._proposed = self._proposed, None
        is_own = before is not None and before[0] is self.position and before[1:] == (colour, point)
        self.position = self.play_move(self.position, point, colour)
        if is_own:
            self._own_move = self.position

    def stop_pondering(self) -> None:
        """Do not ponder until the next own move."""
        self._own_move = None

    def select_move(self, position: BasePosition, cleanup: bool = False,
                    on_progress: Callable[[SearchResult], None] | None = None, progress_interval: float = 1.0,
                    should_stop: Callable[[], bool] | None = None) -> int:
        """The point that the player selects, on its clock, which nobody plays; PASS, or RESIGN.

        Arguments as of generate_move; should_stop as of propose_move.  Raises BadInput where the player cannot move.
        """
        clock = self.clocks[position.to_play]
        started = self._now()
        try:
            with self.search_callbacks(on_progress, progress_interval, should_stop):
                stones = int((position.stones != EMPTY).sum())
                return self.player.select_move(position, seconds=clock.seconds(position.shape, stones),
                                               cleanup=cleanup or self.must_clean_up())
        finally:
            clock.spend(self._now() - started)

    def must_clean_up(self) -> bool:
        """Whether dead stones are captured before a pass: by the option, or by rules without friendly passes."""
        return self.cleanup or (self.rules is not None and not self.rules.friendly_pass_ok)

    @contextlib.contextmanager
    def search_callbacks(self, on_progress: Callable[[SearchResult], None] | None = None,
                         progress_interval: float = 1.0, should_stop: Callable[[], bool] | None = None
                         ) -> Iterator[None]:
        """Set the callbacks of a player that searches for a while; arguments as of generate_move and propose_move."""
        player = self.player
        if not isinstance(player, SearchPlayer):
            yield
            return
        before = player.on_progress, player.progress_interval, player.should_stop
        player.on_progress, player.progress_interval = on_progress, progress_interval
        player.should_stop = should_stop or self.is_interrupted
        try:
            yield
        finally:
            player.on_progress, player.progress_interval, player.should_stop = before

    def format_move(self, point: int) -> str:
        """The vertex of a player's move, or 'resign'."""
        return "resign" if point == RESIGN else format_gtp(point, self.position.shape)
