"""The commands of GTP 2 and of KGS: each a function of the engine's state and its arguments.

    play b D4    -->   engine.position = engine.play_move(engine.position, point, BLACK)

    http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html     GTP 2, draft 2
    http://www.weddslist.com/kgs/how/kgsGtp.html                              KGS's extensions

A failure has the text that the specification prescribes, where it prescribes one; the details go to the log.
"""
import contextlib
from collections.abc import Sequence

from mugo import __version__
from mugo.core.files import BadInput, error_line
from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, format_gtp, interpret_gtp
from mugo.games.go import check_komi, fixed_handicap
from mugo.games.gomoku import Position as Gomoku
from mugo.games.gomoku import format_row
from mugo.games.position import COLOUR_NAMES, IllegalMove
from mugo.gtp.engine import GtpEngine
from mugo.gtp.protocol import (
    COMMANDS,
    SYNTAX_ERROR,
    GtpError,
    command,
    parse_colour,
    parse_count,
    parse_float,
    parse_int,
    parse_path,
    parse_seconds,
    parse_vertex,
)
from mugo.players.time_control import NO_LIMIT, absolute, canadian, japanese
from mugo.sgf.convert import load_position

# ---- administrative commands

@command("protocol_version")
def _protocol_version(engine: GtpEngine) -> str:
    return "2"


@command("name")
def _name(engine: GtpEngine) -> str:
    return engine.name or f"MuGo {engine.player.name}"


@command("version")
def _version(engine: GtpEngine) -> str:
    return __version__


@command("known_command")
def _known_command(engine: GtpEngine, name: str) -> str:
    return "true" if name in COMMANDS.names(engine.position.game) else "false"


@command("list_commands")
def _list_commands(engine: GtpEngine) -> str:
    return "\n".join(COMMANDS.names(engine.position.game))


@command("quit")
def _quit(engine: GtpEngine) -> None:
    engine.quitting = True


# ---- setup

@command("boardsize")
def _boardsize(engine: GtpEngine, *size: str) -> None:
    """N, or X Y, columns and rows: an empty board of this size; in Gomoku the winning length stays."""
    try:
        start = engine.empty_board(_parse_size(size))
        engine.wait_until_ready()
        if start.shape != engine.position.shape:
            engine.player.warm_up(start)           # another size may need another network
    except BadInput as error:
        raise GtpError("unacceptable size", str(error)) from None
    engine.start_game(start)


@command("rectangular_boardsize")
def _rectangular_boardsize(engine: GtpEngine, *size: str) -> None:
    """KataGo's boardsize of rectangles: X Y, columns and rows, or N."""
    _boardsize(engine, *size)


def _parse_size(words: Sequence[str]) -> tuple[int, int]:
    """(rows, columns) of N, X Y or X:Y.  Raises GtpError."""
    numbers = [parse_int(text) for word in words for text in word.split(":")]
    if len(numbers) not in (1, 2):
        raise GtpError(SYNTAX_ERROR, "expected N, or X Y: columns and rows")
    return numbers[-1], numbers[0]


@command("clear_board")
def _clear_board(engine: GtpEngine) -> None:
    engine.wait_until_ready()
    engine.start_game(engine.empty_board(engine.position.shape))


@command("komi")
def _komi(engine: GtpEngine, komi: str) -> None:
    """Accepted in Gomoku too, without effect: controllers send it for every game."""
    number = parse_float(komi)
    try:
        check_komi(number)
    except ValueError as error:
        raise GtpError(SYNTAX_ERROR, str(error)) from None
    engine.komi = number
    engine.set_position(engine.position)


@command("fixed_handicap", "go")
def _fixed_handicap(engine: GtpEngine, stones: str) -> str:
    try:
        points = fixed_handicap(engine.position.shape, parse_int(stones))
    except ValueError as error:
        raise GtpError("invalid number of stones", str(error)) from None
    return _place_handicap(engine, points)


@command("place_free_handicap", "go")
def _place_free_handicap(engine: GtpEngine, stones: str) -> str:
    """Stones on the fixed points.  GTP lets an engine place fewer than asked for: at most nine here."""
    for number in range(min(parse_int(stones), 9), 1, -1):
        with contextlib.suppress(ValueError):
            return _place_handicap(engine, fixed_handicap(engine.position.shape, number))
    raise GtpError("invalid number of stones", "at least 2, on a board of 7x7 or larger")


@command("set_free_handicap", "go")
def _set_free_handicap(engine: GtpEngine, *vertices: str) -> None:
    size = engine.position.shape
    try:
        points = [interpret_gtp(vertex, size) for vertex in vertices]
    except ValueError as error:
        raise GtpError("bad vertex list", str(error)) from None
    if PASS in points or len(set(points)) < len(points) or not 2 <= len(points) < engine.position.area:
        raise GtpError("bad vertex list", f"expected 2 to {engine.position.area - 1} different points")
    _place_handicap(engine, points)


def _place_handicap(engine: GtpEngine, points: list[int]) -> str:
    if engine.position.stones.any():
        raise GtpError("board not empty")
    size = engine.position.shape
    engine.set_position(engine.empty_board(size).with_handicap(points))
    return " ".join(format_gtp(point, size) for point in points)


# ---- moves

@command("play")
def _play(engine: GtpEngine, colour: str, vertex: str) -> None:
    mover = parse_colour(colour)
    point = parse_vertex(vertex, engine.position.shape)
    try:
        engine.report_move(point, mover)
    except IllegalMove as error:
        raise GtpError("illegal move", str(error)) from None


@command("genmove")
def _genmove(engine: GtpEngine, colour: str) -> str:
    return _generate_move(engine, parse_colour(colour))


@command("kgs-genmove_cleanup", "go")
def _genmove_cleanup(engine: GtpEngine, colour: str) -> str:
    """A move after the players disagreed about dead stones: all dead stones are captured before a pass."""
    return _generate_move(engine, parse_colour(colour), cleanup=True)


def _generate_move(engine: GtpEngine, colour: int, cleanup: bool = False) -> str:
    position = engine.position_to_move(colour)
    engine.wait_until_ready()
    return engine.generate_move(position, cleanup)


@command("reg_genmove")
def _reg_genmove(engine: GtpEngine, colour: str) -> str:
    """The move that genmove would play, without playing it and with no limit by the clock."""
    position = engine.position_to_move(parse_colour(colour))
    engine.wait_until_ready()
    with engine.search_callbacks():
        return engine.format_move(engine.player.select_move(position))


@command("mugo-explain")
@command("gomill-explain_last_move")
def _explain(engine: GtpEngine) -> str:
    """One line about the player's last move: win rate, simulations, time, principal variation."""
    return engine.player.explain()


@command("undo")
def _undo(engine: GtpEngine) -> None:
    try:
        engine.set_position(engine.position.undo())
    except IllegalMove as error:
        raise GtpError("cannot undo", str(error)) from None


# ---- time

@command("time_settings")
def _time_settings(engine: GtpEngine, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> None:
    """Canadian byo-yomi: so many stones in each period.

    With a period, a main time of less than 0 counts as 0: gtp2ogs announces Fischer time as periods of one stone, and
    takes the increment off the main time.
    """
    period = parse_seconds(byo_yomi_time)
    main = max(parse_float(main_time), 0) if period else parse_seconds(main_time)
    engine.set_clocks(canadian(main, period, parse_count(byo_yomi_stones)))


@command("kgs-time_settings")
def set_kgs_clocks(engine: GtpEngine, system: str, *numbers: str) -> None:
    """Set the clocks to a time system of KGS.  Raises GtpError."""
    match system, *numbers:
        case ["none"]:
            engine.set_clocks(NO_LIMIT)
        case ["absolute", main]:
            engine.set_clocks(absolute(parse_seconds(main)))
        case ["canadian", _, _, _]:
            _time_settings(engine, *numbers)
        case ["byoyomi", main, period, periods]:
            engine.set_clocks(japanese(parse_seconds(main), parse_seconds(period), parse_count(periods)))
        case _:
            raise GtpError(SYNTAX_ERROR, "none, absolute MAIN, byoyomi MAIN TIME PERIODS or "
                                        "canadian MAIN TIME STONES")


@command("time_left")
def _time_left(engine: GtpEngine, colour: str, seconds: str, stones: str) -> None:
    # Some controllers send a negative number for a clock that has just run out.
    engine.clocks[parse_colour(colour)].correct(parse_float(seconds), parse_count(stones))


# ---- the end of a game

@command("final_score")
def final_score(engine: GtpEngine) -> str:
    """The result without dead stones.  Raises GtpError for a game of Gomoku that is not over."""
    if not engine.position.may_pass:
        if not engine.position.is_over:
            raise GtpError("the game is not over", "in Gomoku there is no score before the end")
        return engine.position.result()
    return scoring.final_result(engine.go_position())


@command("final_status_list", "go")
def _final_status_list(engine: GtpEngine, status: str) -> str:
    if status not in scoring.STATUSES:
        raise GtpError(SYNTAX_ERROR, f"{status!r} is not a status ({', '.join(scoring.STATUSES)})")
    size = engine.position.shape
    return "\n".join(" ".join(format_gtp(point, size) for point in chain)
                     for chain in scoring.final_statuses(engine.go_position())[status])


# ---- showing, loading, saving

@command("showboard")
def _showboard(engine: GtpEngine) -> str:
    position = engine.position
    if isinstance(position, Gomoku):
        turn = {"B+": "Black has won", "W+": "White has won", "0": "A draw"}.get(
            position.result(), f"{COLOUR_NAMES[position.to_play]} to play")
        return f"\n{position}\n{turn}.  Gomoku: {format_row(position.k, position.exactly)} wins."
    captures = position.captures
    return (f"\n{position}\n{COLOUR_NAMES[position.to_play]} to play.  Komi {engine.komi:g}.  "
            f"Black (X) has taken {captures[BLACK]}, White (O) {captures[WHITE]}.")


@command("loadsgf")
def _loadsgf(engine: GtpEngine, *words: str) -> None:
    """The first game of a file; with a number N, the position before move N.

    A file name may contain single spaces, which GTP does not provide for; GoGui quotes such names.
    """
    if not words:
        raise GtpError(SYNTAX_ERROR, "expected the name of a file")
    plies = None
    if len(words) > 1 and words[-1].isascii() and words[-1].isdigit():
        plies = max(parse_int(words[-1]) - 1, 0)
        words = words[:-1]
    path = parse_path(words)
    try:
        engine.position = load_position(path, plies, engine.komi, engine.position.game)
    except BadInput as error:
        raise GtpError("cannot load file", str(error)) from None
    except OSError as error:
        raise GtpError("cannot load file", f"{path}: {error_line(error)}") from None
    if engine.position.game == "go":
        engine.komi = engine.position.komi
        engine.set_position(engine.position)
