"""KataGo's commands for positions, searches and clocks.

Its analysis is in analyze, its parameters and rules in param_commands.

    kata-search b                   =  D4            the move that genmove would play; nothing is played
    set_position b D4 w Q16         =                a new start, Black to move
    kata-time_settings fischer 300 10

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
"""
import math

from mugo.games.board import BLACK
from mugo.games.coords import PASS
from mugo.games.position import IllegalMove
from mugo.gtp.analyze import Cancellation
from mugo.gtp.commands import KGS_TIME_SYSTEMS, set_kgs_clocks
from mugo.gtp.engine import GtpEngine
from mugo.gtp.protocol import (
    SYNTAX_ERROR,
    GtpError,
    command,
    fails_as,
    parse_colour,
    parse_float,
    parse_seconds,
    parse_stones,
)
from mugo.players.time_control import fischer

# ---- positions

@command("set_position")
@fails_as("illegal stone placements", IllegalMove)
def _set_position(engine: GtpEngine, *words: str) -> None:
    """A new game from these stones, without history, Black to move; no stones: an empty board."""
    pairs = parse_stones(words, engine.position.shape)
    points = [point for _, point in pairs]
    if PASS in points:
        raise GtpError(SYNTAX_ERROR, "a stone cannot be on a pass")
    if len(set(points)) < len(points):
        raise GtpError("illegal stone placements", "two stones are on one point")
    engine.wait_until_ready()
    board = engine.empty_board(engine.position.shape)
    engine.start_game(board.with_stones([point for colour, point in pairs if colour == BLACK],
                                        [point for colour, point in pairs if colour != BLACK], BLACK))


# ---- searches

@command("kata-search")
def _kata_search(engine: GtpEngine, colour: str) -> str:
    """The move that genmove would play, on the clock, without playing it."""
    return engine.propose_move(parse_colour(colour))


@command("kata-search_cancellable")
def _kata_search_cancellable(engine: GtpEngine, colour: str) -> str:
    """The same; any line ends it, and the reply is then `cancelled`."""
    cancellation = Cancellation(engine)
    vertex = engine.propose_move(parse_colour(colour), should_stop=cancellation)
    return "cancelled" if cancellation.happened else vertex


command("stop")(lambda engine: engine.stop_pondering())


@command("clear_cache")
def _clear_cache(engine: GtpEngine) -> None:
    """Drop the search tree, and the evaluations that the network remembers."""
    engine.stop_pondering()
    if engine.player.search is not None:
        engine.player.search.clear()
    if engine.player.network is not None:
        engine.player.network.forget()


# ---- clocks

command("kata-list_time_settings")(lambda engine: "none absolute byoyomi canadian fischer fischer-capped")


@command("kata-time_settings")
def _kata_time_settings(engine: GtpEngine, system: str, *numbers: str) -> None:
    """As kgs-time_settings, and Fischer time.  A limit of less than 0 is none."""
    match system, *numbers:
        case ["fischer", main, increment]:
            engine.set_clocks(fischer(parse_seconds(main), parse_seconds(increment)))
        case ["fischer-capped", main, increment, max_main, max_move]:
            with fails_as(SYNTAX_ERROR, ValueError):
                engine.set_clocks(fischer(parse_seconds(main), parse_seconds(increment), _parse_limit(max_main),
                                          _parse_limit(max_move)))
        case ["none" | "absolute" | "byoyomi" | "canadian", *_]:
            set_kgs_clocks(engine, system, *numbers)
        case _:
            raise GtpError(SYNTAX_ERROR, f"expected {KGS_TIME_SYSTEMS}, fischer MAIN INCREMENT, or fischer-capped MAIN "
                                         "INCREMENT MAX_MAIN MAX_MOVE")


def _parse_limit(text: str) -> float:
    seconds = parse_float(text)
    return math.inf if seconds < 0 else seconds
