"""One game between two programs:  who moved what in how many seconds, how it ended, and whose fault.

    programs -- genmove --> vertex -- our rules, our clock --> the next position, told to the other
                                \\-- a fault: the game is lost, and the fault is named

Every move is checked by the position, in Go superko included.  A program that plays by simple ko, as GNU Go does
without --positional-superko, may lose by that; with `simple_ko` it does not, but a program that plays by
superko will refuse the repetition and lose instead, as does whoever refuses any legal move.  Counting is
the caller's business; a game of Gomoku ends with a row or a full board, and needs none.
"""
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mugo.files import BadInput
from mugo.games.board import BLACK, LEGAL, WHITE, legality
from mugo.games.coords import PASS, board_points, format_gtp, interpret_gtp
from mugo.games.go import format_score
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, BasePosition, IllegalMove
from mugo.match.gtp_client import GARBAGE, HANG, EngineFault, Program

PASSES, RESIGNED, TOO_LONG, ROW, FULL = "two passes", "resigned", "move limit", "a row", "full board"
ILLEGAL, LATE = "illegal move", "lost on time"           # faults, beside those of engines.py
GRACE = 1.0               # seconds to wait for a move that is too late already, to say by how much


@dataclass(frozen=True)
class Terms:
    """What the two sides play by."""

    size: int = 9
    komi: float = 7.5
    time: tuple[int, int, int] | None = None       # main time, byo-yomi time (seconds), byo-yomi stones
    move_limit: float = 300              # seconds for one move: more is a hang
    max_moves: int | None = None         # then the board is counted as it is; None: three a point
    simple_ko: bool = False              # allow moves that repeat an earlier position
    rules: str = ""                      # told to those who know kgs-rules


@dataclass
class Game:
    """A game, as far as it has come.

    result: as SGF writes it.  end: PASSES, RESIGNED, TOO_LONG, in Gomoku ROW or FULL, or the kind of a fault, which
    `details` tells more of; loser: the colour at fault.  seconds: of every genmove.  comments: by number of the move.
    """

    position: BasePosition
    result: str = ""
    end: str = ""
    details: str = ""
    loser: int = 0
    seconds: dict[int, list[float]] = field(default_factory=lambda: {BLACK: [], WHITE: []})
    comments: dict[int, str] = field(default_factory=dict)


class Forfeit(Exception):
    """A colour loses by a fault."""

    def __init__(self, colour: int, kind: str, details: str):
        super().__init__(details)
        self.colour = colour
        self.kind = kind


class GameClock:
    """The time of one side, counted as GTP's time_settings say: main time, then Canadian byo-yomi."""

    def __init__(self, main: float, period: float, stones: int):
        self.left = main
        self.stones = 0                  # still to be played in this period; 0 in main time
        self._period, self._each = period, stones
        self._enter_byo_yomi()

    def _enter_byo_yomi(self) -> None:
        if self.stones == 0 and self.left <= 0 < self._period:
            self.left += self._period
            self.stones = self._each

    @property
    def limit(self) -> float:
        """Seconds until the flag falls."""
        return self.left if self.stones else self.left + self._period

    def spend(self, seconds: float) -> bool:
        """Take a move's time off; False if the flag fell."""
        self.left -= seconds
        self._enter_byo_yomi()
        if self.left < 0:
            return False
        if self.stones:
            self.stones -= 1
            if self.stones == 0:
                self.left, self.stones = self._period, self._each
        return True


def interpret_time(text: str) -> tuple[int, int, int]:
    """'300', '300/30' (each move) or '300/30/5' (five moves in 30 seconds).  Raises BadInput."""
    try:
        numbers = [int(part) for part in text.split("/")]
    except ValueError:
        numbers = []
    if len(numbers) == 2:
        numbers.append(1)
    main, period, stones = (numbers + [0, 0])[:3] if 1 <= len(numbers) <= 3 else (-1, 0, 0)
    if min(main, period, stones) < 0 or main + period == 0 or (period > 0) != (stones > 0):
        raise BadInput(f"--time {text}: MAIN, MAIN/BYOYOMI or MAIN/BYOYOMI/STONES in whole seconds, as in 60/5/1")
    return main, period, stones


def play_game(programs: dict[int, Program], opening: BasePosition, terms: Terms,
              count: Callable[[BasePosition], float]) -> Game:
    """Play on from an opening; `programs` has one for each colour.

    count: Black's lead in a position that is played out.  The program of `loser` may be in any state
    afterwards; it had better be started again.
    """
    game = Game(next(iter(opening.positions())))
    most = terms.max_moves or 3 * terms.size ** 2
    clocks = {colour: GameClock(*terms.time) for colour in programs} if terms.time else {}
    try:
        for colour, program in programs.items():
            _prepare(colour, program, opening, terms)
        game.position = opening
        while game.end == "":
            if game.position.is_over and not game.position.may_pass:
                game.result = game.position.result()
                game.end = FULL if game.result == "0" else ROW
            elif game.position.is_over or game.position.plies >= most:
                game.end = PASSES if game.position.is_over else TOO_LONG
                game.result = format_score(count(game.position)) if game.position.may_pass else "0"
            else:
                _play_move(game, programs, terms, clocks)
    except Forfeit as forfeit:
        game.end, game.details, game.loser = forfeit.kind, f"{COLOUR_NAMES[forfeit.colour]} {forfeit}", forfeit.colour
        game.result = f"{'W' if forfeit.colour == BLACK else 'B'}+{'T' if forfeit.kind == LATE else 'F'}"
    return game


def _ask(colour: int, program: Program, line: str, **limit: float) -> str:
    try:
        return program.ask(line, **limit)
    except EngineFault as fault:
        raise Forfeit(colour, fault.kind, str(fault)) from None


def _knows(colour: int, program: Program, command: str) -> bool:
    try:
        return program.knows(command)
    except EngineFault as fault:
        raise Forfeit(colour, fault.kind, str(fault)) from None


def _prepare(colour: int, program: Program, opening: BasePosition, terms: Terms) -> None:
    """Give a program the opening."""
    try:
        program.warm_up(terms.size)
    except EngineFault as fault:
        raise Forfeit(colour, fault.kind, str(fault)) from None
    for line in setting_up(opening, handicap=_knows(colour, program, "set_free_handicap")):
        _ask(colour, program, line)
    if terms.rules and _knows(colour, program, "kgs-rules"):
        _ask(colour, program, f"kgs-rules {terms.rules}")
    if terms.time and _knows(colour, program, "time_settings"):
        _ask(colour, program, "time_settings {} {} {}".format(*terms.time))


def setting_up(position: BasePosition, *, handicap: bool) -> list[str]:
    """The GTP commands that lead to a position; handicap: with set_free_handicap, where it is one.  What game it is
    a program has to know."""
    size = position.size
    lines = [f"boardsize {size}", "clear_board", *([f"komi {position.komi:g}"] if position.game == "go" else [])]
    stones = next(iter(position.positions())).stones.ravel()
    black, white = ([format_gtp(point, size) for point in board_points(size)[stones == colour].tolist()]
                    for colour in (BLACK, WHITE))
    if handicap and position.handicap and len(black) == position.handicap and not white:
        lines.append(f"set_free_handicap {' '.join(black)}")
    else:
        lines += [f"play {letter} {vertex}" for letter, found in (("b", black), ("w", white)) for vertex in found]
    return lines + [f"play {COLOUR_LETTERS[colour].lower()} {format_gtp(point, size)}" for colour,
                    point in position.moves]


def _play_move(game: Game, programs: dict[int, Program], terms: Terms, clocks: dict[int, GameClock]) -> None:
    """Ask the side to move for its move and tell the other side.  Raises Forfeit."""
    position, colour = game.position, game.position.to_play
    program, clock = programs[colour], clocks.get(colour)
    letter, limit = COLOUR_LETTERS[colour].lower(), terms.move_limit
    if clock:
        if _knows(colour, program, "time_left"):
            _ask(colour, program, f"time_left {letter} {int(clock.left)} {clock.stones}")
        limit = min(limit, clock.limit + GRACE)
    start = time.perf_counter()
    try:
        vertex = program.ask(f"genmove {letter}", limit).lower()
    except EngineFault as fault:
        if clock and fault.kind == HANG and limit < terms.move_limit:
            raise Forfeit(colour, LATE, f"had not moved {GRACE:g} seconds after its time was over") from None
        raise Forfeit(colour, fault.kind, str(fault)) from None
    seconds = time.perf_counter() - start
    game.seconds[colour].append(seconds)
    if clock and not clock.spend(seconds):
        raise Forfeit(colour, LATE, f"moved {-clock.left:.2f} seconds after its time was over")
    if vertex == "resign":
        game.end, game.result = RESIGNED, f"{'W' if colour == BLACK else 'B'}+R"
    else:
        try:
            point = interpret_gtp(vertex, terms.size)
        except ValueError as error:
            raise Forfeit(colour, GARBAGE, f"answered 'genmove {letter}': {error}") from None
        try:
            game.position = after(position, point, terms.simple_ko)
        except IllegalMove as illegal:
            raise Forfeit(colour, ILLEGAL, f"played move {position.plies + 1}: {illegal}") from None
    if _knows(colour, program, "mugo-explain"):
        told = _ask(colour, program, "mugo-explain")
        if told and game.end:            # there is no move to stand at but the opponent's last
            told = f"{game.comments.get(position.plies, '')}\n{COLOUR_NAMES[colour]} resigned: {told}".strip()
        if told:
            game.comments[game.position.plies] = told
    if not game.end and not game.position.is_over:
        _ask(-colour, programs[-colour], f"play {letter} {format_gtp(point, terms.size)}")


def after(position: BasePosition, point: int, simple_ko: bool = False) -> BasePosition:
    """The position after a move; with simple_ko one may repeat an earlier position.  Raises IllegalMove."""
    if simple_ko and point != PASS and legality(position.board[0], point, position.to_play) == LEGAL:
        return position.play_unchecked(point, position.to_play)
    return position.play(point)
