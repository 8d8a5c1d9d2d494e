"""The commands of GTP 2 and of KGS: each a function of the engine's state and its arguments.

    play b D4    -->   engine.position = engine.play_move(engine.position, point, BLACK)

    http://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2/gtp2-spec.html     GTP 2, draft 2
    http://www.weddslist.com/kgs/how/kgsGtp.html                              KGS's extensions

A failure has the text that the specification prescribes, where it prescribes one; the details go to the log.
"""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from mugo.core.version import VERSION
from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, interpret_gtp
from mugo.games.go import check_komi, fixed_handicap, format_score
from mugo.games.gomoku import GomokuPosition
from mugo.games.gomoku import format_row
from mugo.games.position import COLOUR_NAMES, IllegalMove
from mugo.gtp.protocol import (
    COMMANDS, SYNTAX_ERROR, GtpError, command, fails_as, format_vertices, parse_colour, parse_count, parse_float,
    parse_int, parse_path, parse_seconds, parse_vertex)
from mugo.players.time_control import NO_LIMIT, absolute, canadian, japanese
from mugo.sgf.convert import load_position

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

# ---- administrative commands

command("protocol_version")(lambda engine: "2")
command("name")(lambda engine: engine.name or f"MuGo {engine.player.name}")
command("version")(lambda engine: VERSION)
command("known_command")(lambda engine, name: str(name in COMMANDS.names(engine.position.game)).lower())
command("list_commands")(lambda engine: "\n".join(COMMANDS.names(engine.position.game)))


@command("quit")
def _quit(engine: GtpEngine) -> None:
    engine.quitting = True


# ---- setup

@command("rectangular_boardsize")
@command("boardsize")
@fails_as("unacceptable size", BadInput)
def _boardsize(engine: GtpEngine, *size: str) -> None:
    """N, X Y or X:Y, columns and rows: an empty board of this size; in Gomoku the winning length stays."""
    numbers = [parse_int(text) for word in size for text in word.split(":")]
    if len(numbers) not in (1, 2):
        raise GtpError(SYNTAX_ERROR, "expected N, or X Y: columns and rows")
    start = engine.empty_board((numbers[-1], numbers[0]))
    engine.wait_until_ready()
    if start.shape != engine.position.shape:
        engine.player.warm_up(start)               # another size may need another network
    engine.start_game(start)


@command("clear_board")
def _clear_board(engine: GtpEngine) -> None:
    engine.wait_until_ready()
    engine.start_game(engine.empty_board(engine.position.shape))


@command("komi")
def _komi(engine: GtpEngine, komi: str) -> None:
    """Accepted in Gomoku too, without effect: controllers send it for every game."""
    number = parse_float(komi)
    with fails_as(SYNTAX_ERROR, ValueError):
        check_komi(number)
    engine.komi = engine.komi_of_new_games = number
    engine.set_position(engine.position)


@command("fixed_handicap", "go")
def _fixed_handicap(engine: GtpEngine, stones: str) -> str:
    with fails_as("invalid number of stones", ValueError):
        points = fixed_handicap(engine.position.shape, parse_int(stones))
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
    with fails_as("bad vertex list", ValueError):
        points = [interpret_gtp(vertex, engine.position.shape) for vertex in vertices]
    if PASS in points or len(set(points)) < len(points) or not 2 <= len(points) < engine.position.area:
        raise GtpError("bad vertex list", f"expected 2 to {engine.position.area - 1} different points")
    _place_handicap(engine, points)


def _place_handicap(engine: GtpEngine, points: list[int]) -> str:
    if engine.position.stones.any():
        raise GtpError("board not empty")
    size = engine.position.shape
    engine.set_position(engine.position.with_handicap(points))
    return format_vertices(points, size)


# ---- moves

@command("play")
@fails_as("illegal move", IllegalMove)
def _play(engine: GtpEngine, colour: str, vertex: str) -> None:
    mover = parse_colour(colour)
    engine.report_move(parse_vertex(vertex, engine.position.shape), mover)


@command("genmove")
def _genmove(engine: GtpEngine, colour: str) -> str:
    return engine.generate_move(parse_colour(colour))


@command("kgs-genmove_cleanup", "go")
def _genmove_cleanup(engine: GtpEngine, colour: str) -> str:
    """A move after the players disagreed about dead stones: all dead stones are captured before a pass."""
    return engine.generate_move(parse_colour(colour), cleanup=True)


@command("reg_genmove")
def _reg_genmove(engine: GtpEngine, colour: str) -> str:
    """The move that genmove would play, without playing it and with no limit by the clock."""
    position = engine.position_to_move(parse_colour(colour))
    return engine.format_move(engine.player.select_move(position, control=engine.control()))


@command("mugo-explain")
def _explain(engine: GtpEngine) -> str:
    """One line about the player's last move: win rate, simulations, time, principal variation."""
    return engine.player.explain()


@command("undo")
@fails_as("cannot undo", IllegalMove)
def _undo(engine: GtpEngine) -> None:
    engine.set_position(engine.position.undo())


# ---- time

@command("time_settings")
def _time_settings(engine: GtpEngine, main_time: str, byo_yomi_time: str, byo_yomi_stones: str) -> None:
    """Canadian byo-yomi: a number of stones in each period.

    With a period, a main time of less than 0 counts as 0: gtp2ogs announces Fischer time as periods of one stone, and
    takes the increment off the main time.
    """
    period = parse_seconds(byo_yomi_time)
    main = max(parse_float(main_time), 0) if period else parse_seconds(main_time)
    engine.set_clocks(canadian(main, period, parse_count(byo_yomi_stones)))


KGS_TIME_SYSTEMS = "none, absolute MAIN, byoyomi MAIN TIME PERIODS, or canadian MAIN TIME STONES"


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
            raise GtpError(SYNTAX_ERROR, f"expected {KGS_TIME_SYSTEMS}")


@command("time_left")
def _time_left(engine: GtpEngine, colour: str, seconds: str, stones: str) -> None:
    # Some controllers send a negative number for a clock that has just run out.
    engine.clocks[parse_colour(colour)].correct(parse_float(seconds), parse_count(stones))


# ---- the end of a game

@command("final_score")
def final_score(engine: GtpEngine) -> str:
    """The result without dead stones; 0 for no result.  Raises GtpError for a game of Gomoku that is not over."""
    if not engine.position.may_pass:
        if not engine.position.is_over:
            raise GtpError("the game is not over", "in Gomoku there is no score before the end")
        return engine.position.result()
    return format_score(scoring.final_score(engine.go_position()))       # GTP has no word for no result


@command("final_status_list", "go")
def _final_status_list(engine: GtpEngine, status: str) -> str:
    if status not in scoring.STATUSES:
        raise GtpError(SYNTAX_ERROR, f"{status!r} is not a status ({', '.join(scoring.STATUSES)})")
    return "\n".join(format_vertices(chain, engine.position.shape)
                     for chain in scoring.final_statuses(engine.go_position())[status])


# ---- showing, loading, saving

@command("showboard")
def _showboard(engine: GtpEngine) -> str:
    position = engine.position
    if isinstance(position, GomokuPosition):
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
    with fails_as("cannot load file", BadInput, OSError):
        position = load_position(parse_path(words), plies, engine.komi, engine.position.game)
    if position.game == "go":
        engine.komi = position.komi
    engine.set_position(position)
