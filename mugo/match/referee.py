r"""One game between two GTP programs: every move checked and timed.

    program -- genmove --> vertex -- rules, clock --> the next position; `play` to the other program
                                 \-- a fault: the game is lost, and the fault is named

Moves are checked by the rules of the position, in Go with positional superko where no others are set.  A program that
knows simple ko only, as GNU Go does without --positional-superko, may lose by that; with `simple_ko` repetitions are
allowed.  A game by rules with simple ko ends with no result where a position stands on the board for the third time.

    --time          system      announced by, the first that the program knows
    300             absolute    time_settings 300 0 0
    300/30          Canadian    time_settings 300 30 1           30 s for each move after the main time
    300/30/5        Canadian    time_settings 300 30 5           30 s for each 5 moves
    300/3x30        Japanese    kgs-time_settings byoyomi 300 30 3, time_settings 300 30 1
    300+10          Fischer     kata-time_settings fischer 300 10, time_settings 300 0 0

A program that does not know a time system is told of one in which it has less time.
"""
import re
import time
from dataclasses import dataclass, field

from mugo.core.files import BadInput
from mugo.games.board import BLACK, LEGAL, WHITE, legality
from mugo.games.coords import PASS, board_points, format_gtp, interpret_gtp
from mugo.games.go import NO_RESULT, GoPosition, format_points, format_score
from mugo.games.position import COLOUR_LETTERS, COLOUR_NAMES, BasePosition, IllegalMove
from mugo.games.scoring import final_score
from mugo.match.gtp_client import PROTOCOL_ERROR, TIMEOUT, EngineFault, GtpClient, Refusal, boardsize_command
from mugo.players.time_control import Clock, TimeSettings

# The groups are fields of TimeSettings.
_TIME = re.compile(r"(?P<main>\d{1,9})"
                   r"(/0/0|/((?P<periods>\d{1,9})x)?(?P<period>\d{1,9})(/(?P<stones>\d{1,9}))?|\+(?P<increment>\d{1,9}))?",
                   re.ASCII)


def interpret_time(text: str) -> TimeSettings:
    """The time system of --time, as in the table above.  Raises BadInput."""
    match = _TIME.fullmatch(text)
    fields = {name: int(number) for name, number in match.groupdict().items() if number} if match else {}
    settings = TimeSettings(**fields)
    if not match or settings.main + settings.period == 0 or 0 in [*fields.values()][1:] \
            or {"periods", "stones"} <= fields.keys():
        raise BadInput(f"--time {text}: MAIN, MAIN/BYOYOMI, MAIN/BYOYOMI/STONES, MAIN/PERIODSxBYOYOMI or "
                       "MAIN+INCREMENT in whole seconds, as in 60/5/1; only a MAIN before BYOYOMI may be 0")
    return settings


def format_time(settings: TimeSettings) -> str:
    """A time system as --time has it."""
    if settings.increment:
        return f"{settings.main}+{settings.increment}"
    if settings.periods > 1:
        return f"{settings.main}/{settings.periods}x{settings.period}"
    return f"{settings.main}/{settings.period}/{settings.stones}" if settings.period else f"{settings.main}"


def time_commands(settings: TimeSettings) -> dict[str, str]:
    """GTP commands that announce a time system, the most exact one first, with their arguments."""
    main, period = settings.main, settings.period
    if settings.increment:
        return {"kata-time_settings": f"fischer {main} {settings.increment}", "time_settings": f"{main} 0 0"}
    canadian = {"time_settings": f"{main} {period} {settings.stones if period else 0}"}
    return ({"kgs-time_settings": f"byoyomi {main} {period} {settings.periods}"} if settings.periods > 1 else {}) \
        | canadian


def time_left(clock: Clock, knows_periods: bool) -> str:
    """The arguments of GTP's time_left after the colour: whole seconds, and 0 in main time, else the stones to play.

    knows_periods: whether the program was told of Japanese byo-yomi; it gets the number of periods, as KGS sends it.
    """
    if clock.main or not clock.settings.period:
        return f"{int(clock.main)} 0"
    return f"{int(clock.left)} {clock.periods if knows_periods and clock.settings.periods > 1 else clock.stones}"


TWO_PASSES, RESIGNATION, MOVE_LIMIT, ROW, FULL_BOARD = "two passes", "resigned", "move limit", "a row", "full board"
REPETITION = "repetition"                # with no result
ILLEGAL_MOVE, LOST_ON_TIME = "illegal move", "lost on time"      # faults, as those in gtp_client.py
MAX_COMMENT = 2000        # characters of a program's explanation of a move
GRACE_SECONDS = 1.0       # to wait for a move after the flag fell, so that the message can say how late it was


@dataclass(frozen=True)
class MatchRules:
    """The rules of the games of a match.

    time: the clocks'; None without a clock.  move_timeout: seconds after which a program without a move has failed.
    max_moves: a game that lasts longer is scored as it stands; None: three moves per point.
    simple_ko: moves that repeat an earlier position are allowed.
    kgs_rules: the argument of kgs-rules, one word, for programs that know this command; "" for none.
    """

    time: TimeSettings | None = None
    move_timeout: float = 300
    max_moves: int | None = None
    simple_ko: bool = False
    kgs_rules: str = ""


@dataclass
class GameRecord:
    """A game, as far as it was played.

    result: as SGF writes it.  end: how it ended, or the kind of a fault; details: what was wrong; at_fault: the colour,
    0 for none.  asked: the colour whose program was asked last.  seconds: of every genmove, by colour.
    comments: by the number of the move; 0 is the start.  opening_moves: first moves that the programs did not choose.
    """

    position: BasePosition
    result: str = ""
    end: str = ""
    details: str = ""
    at_fault: int = 0
    asked: int = 0
    seconds: dict[int, list[float]] = field(default_factory=lambda: {BLACK: [], WHITE: []})
    comments: dict[int, str] = field(default_factory=dict)
    opening_moves: int = 0


def play_game(clients: dict[int, GtpClient], opening: BasePosition, rules: MatchRules) -> GameRecord:
    """Play a game from an opening; clients: the program of each colour.  One at fault should be started again."""
    game = GameRecord(next(iter(opening.positions())))
    max_moves = rules.max_moves or 3 * opening.area
    clocks = {colour: Clock(rules.time, lag=0) for colour in clients} if rules.time else {}
    try:
        for game.asked, client in clients.items():
            _prepare(client, opening, rules)
        game.position, game.opening_moves = opening, opening.plies
        while game.end == "":
            if game.position.is_over and not game.position.may_pass:
                game.result = game.position.result()
                game.end = FULL_BOARD if game.result == "0" else ROW
            elif game.position.is_no_result:
                game.end, game.result = REPETITION, NO_RESULT
            elif game.position.is_over or game.position.plies >= max_moves:
                game.end = TWO_PASSES if game.position.is_over else MOVE_LIMIT
                game.result = format_score(final_score(game.position)) if isinstance(game.position, GoPosition) else "0"
            else:
                _play_turn(game, clients, rules, clocks)
    except EngineFault as fault:
        game.at_fault = game.asked
        game.end, game.details = fault.kind, f"{COLOUR_NAMES[game.at_fault]} {fault}"
        game.result = f"{COLOUR_LETTERS[-game.at_fault]}+{'T' if fault.kind == LOST_ON_TIME else 'F'}"
    return game


def _prepare(client: GtpClient, opening: BasePosition, rules: MatchRules) -> None:
    """Set up the opening, the rules and the clock.  Raises EngineFault."""
    client.warm_up(opening.shape)
    for line in setup_commands(opening, handicap=client.known_command("set_free_handicap")):
        client.send_command(line)
    send_rules(client, rules)
    for command, arguments in time_commands(rules.time).items() if rules.time else ():
        if client.known_command(command):
            client.send_command(f"{command} {arguments}")
            break


def send_rules(client: GtpClient, rules: MatchRules) -> str:
    """Tell the rules to a program that has kgs-rules; returns how it refused them, '' if it did not.

    It then plays by its own rules.  Raises EngineFault, but no Refusal.
    """
    try:
        if rules.kgs_rules and client.known_command("kgs-rules"):
            client.send_command(f"kgs-rules {rules.kgs_rules}")
    except Refusal as refusal:
        return str(refusal)
    return ""


def setup_commands(position: BasePosition, *, handicap: bool) -> list[str]:
    """The GTP commands that set up a position, all of its moves included; the program must know the game.

    handicap: use set_free_handicap for handicap stones; otherwise all stones are played.
    """
    size = position.shape
    lines = [boardsize_command(size), "clear_board",
             *([f"komi {format_points(position.komi)}"] if position.game == "go" else [])]
    stones = next(iter(position.positions())).stones.ravel()
    black, white = ([format_gtp(point, size) for point in board_points(size)[stones == colour].tolist()]
                    for colour in (BLACK, WHITE))
    if handicap and position.handicap and len(black) == position.handicap and not white:
        lines.append(f"set_free_handicap {' '.join(black)}")
    else:
        lines += [f"play {letter} {vertex}" for letter, vertices in (("b", black), ("w", white))
                  for vertex in vertices]
    return lines + [f"play {COLOUR_LETTERS[colour].lower()} {format_gtp(point, size)}"
                    for colour, point in position.moves]


def _play_turn(game: GameRecord, clients: dict[int, GtpClient], rules: MatchRules,
               clocks: dict[int, Clock]) -> None:
    """One move: genmove, the rules, the player's explanation, and `play` to the opponent.  Raises EngineFault."""
    position, colour = game.position, game.position.to_play
    game.asked = colour
    letter = COLOUR_LETTERS[colour].lower()
    vertex = _generate_move(game, clients[colour], rules, clocks.get(colour))
    if vertex == "resign":
        game.end, game.result = RESIGNATION, f"{COLOUR_LETTERS[-colour]}+R"
    else:
        try:
            point = interpret_gtp(vertex, position.shape)
        except ValueError as error:
            raise EngineFault(PROTOCOL_ERROR, f"answered 'genmove {letter}': {error}") from None
        try:
            if rules.simple_ko and point != PASS and legality(position.board[0], point, colour) == LEGAL:
                game.position = position.play_unchecked(point, colour)       # it may repeat an earlier position
            else:
                game.position = position.play(point)
        except IllegalMove as illegal:
            raise EngineFault(ILLEGAL_MOVE, f"played move {position.plies + 1}: {illegal}") from None
    _add_comment(game, clients[colour])
    if not game.end and not game.position.is_over:
        game.asked = -colour
        clients[-colour].send_command(f"play {letter} {format_gtp(point, position.shape)}")


def _generate_move(game: GameRecord, client: GtpClient, rules: MatchRules, clock: Clock | None) -> str:
    """The response to genmove, in lower case; its time is measured.  Raises EngineFault."""
    colour = game.position.to_play
    letter, timeout = COLOUR_LETTERS[colour].lower(), rules.move_timeout
    if clock:
        if client.known_command("time_left"):
            left = time_left(clock, client.known_command("kgs-time_settings"))
            client.send_command(f"time_left {letter} {left}")
        timeout = min(timeout, clock.time_to_flag + GRACE_SECONDS)
    start = time.perf_counter()
    try:
        vertex = client.send_command(f"genmove {letter}", timeout).lower()
    except EngineFault as fault:
        if clock and fault.kind == TIMEOUT and timeout < rules.move_timeout:
            raise EngineFault(
                LOST_ON_TIME, f"had not moved {GRACE_SECONDS:g} seconds after its time was over") from None
        raise
    seconds = time.perf_counter() - start
    game.seconds[colour].append(seconds)
    if clock:
        clock.spend(seconds)
        if clock.overtime:
            raise EngineFault(LOST_ON_TIME, f"moved {clock.overtime:.2f} seconds after its time was over")
    return vertex


def _add_comment(game: GameRecord, client: GtpClient) -> None:
    """Add the explanation of a program that has mugo-explain as a comment to its move.  Raises EngineFault."""
    if not client.known_command("mugo-explain"):
        return
    explanation = client.send_command("mugo-explain")[:MAX_COMMENT]
    explanation = "".join(c if c.isprintable() or c == "\n" else " " for c in explanation)
    plies = game.position.plies
    if explanation and game.end:         # a resignation: the comment goes to the opponent's last move
        explanation = f"{game.comments.get(plies, '')}\n{COLOUR_NAMES[game.asked]} resigned: {explanation}".strip()
    if explanation:
        game.comments[plies] = explanation
