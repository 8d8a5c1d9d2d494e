"""KataGo's commands for positions, searches, clocks, and what a network says without a search (kata-raw-nn).

    kata-search b                   =  D4            the move that genmove would play; nothing is played
    set_position b D4 w Q16         =                a new start, Black to move
    kata-time_settings fischer 300 10
    kata-raw-nn 0                   =  symmetry 0
                                    whiteWin 0.434211
                                    ...

Values of kata-raw-nn are White's, and NAN where the network has no such output: clients such as LizGoban expect every
key.  varTimeLeft, shorttermWinlossError and shorttermScoreError are -1, as KataGo writes them for networks without.
KataGo's analysis is in analyze.py, its parameters and rules in param_commands.py.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
"""
from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, BoardSize, format_size, move_index, shape_of, symmetries
from mugo.games.game import encode
from mugo.games.planes import network_input
from mugo.games.position import COLOUR_OF, BasePosition, IllegalMove, global_features
from mugo.gtp.analyze import Cancellation
from mugo.gtp.commands import KGS_TIME_SYSTEMS, set_kgs_clocks
from mugo.gtp.protocol import (
    SYNTAX_ERROR, GtpError, command, fails_as, parse_colour, parse_float, parse_seconds, parse_stones)
from mugo.nn.output import NetworkOutput, turned_back
from mugo.players.evaluation import legal_moves
from mugo.analysis.parameters import katago_models
from mugo.players.time_control import fischer

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

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


# The row of coords.symmetries for each of KataGo's, whose number is a sum: 1 turns the board upside down, 2 reflects it
# left to right, 4 then transposes it, which is not for rectangles.
KATAGO_SYMMETRIES = 0, 5, 7, 2, 4, 3, 1, 6
KATAGO_SYMMETRIES_OF_RECTANGLES = 0, 3, 2, 1


def evaluate_in(network, position: BasePosition, symmetry: int) -> NetworkOutput:
    """A network's output for a position turned by a row of coords.symmetries, turned back.  Raises BadInput."""
    features = global_features([position.area_komi], [position.to_play])
    output = network.for_position(position).evaluate_packed(
        network_input(encode([position], symmetry), position.shape), features)
    return turned_back(output, symmetries(position.shape)[symmetry])


def format_raw(output: NetworkOutput, position: BasePosition, number: int) -> str:
    """KataGo's text for an output of one position.  number: KataGo's of the symmetry."""
    sign = 1 if position.to_play == WHITE else -1
    win = math.nan if output.values is None else (1 + sign * float(output.values[0])) / 2
    mean, stdev = (math.nan if number is None else number for number in output.score(0))
    lines = [f"symmetry {number}", f"whiteWin {_number(win, 6)}", f"whiteLoss {_number(1 - win, 6)}",
             "noResult 0.000000", f"whiteLead {_number(sign * mean, 3)}",
             f"whiteScoreSelfplay {_number(sign * mean, 3)}",
             f"whiteScoreSelfplaySq {_number(mean ** 2 + stdev ** 2, 3)}"]
    lines += [f"{key} -1.000" for key in ("varTimeLeft", "shorttermWinlossError", "shorttermScoreError")]
    size, legal = position.shape, legal_moves(position)
    indices = [move_index(point, size) for point in legal]
    priors = np.full(position.area + 1, np.nan)
    priors[indices] = output.priors[0][indices]
    priors /= max(np.nansum(priors), 1e-30)
    lines += ["policy", *_rows([_probability(prior) for prior in priors[:-1].tolist()], size)]
    if PASS in legal:
        lines.append(f"policyPass {_probability(priors[-1])} ")
    ownership = [math.nan] * position.area if output.ownership is None else output.ownership[0]
    owners = sign * np.asarray(ownership) + 0.0            # no -0.0
    lines += ["whiteOwnership", *_rows([_number(owner, 7) for owner in owners.tolist()], size)]
    return "\n".join(lines)


def _number(value: float, decimals: int) -> str:
    return "NAN" if math.isnan(value) else f"{value:.{decimals}f}"


def _probability(prior: float) -> str:
    return "    NAN" if math.isnan(prior) else f"{prior:8.6f}"


def _rows(texts: list[str], size: BoardSize) -> list[str]:
    rows, cols = shape_of(size)
    return [" ".join(texts[row * cols:(row + 1) * cols]) + " " for row in range(rows)]


@command("kata-get-models")
def _kata_get_models(engine: GtpEngine) -> str:
    engine.wait_until_ready()
    return json.dumps(katago_models(engine.player.network, engine.position), separators=(",", ":"))


@command("kata-raw-human-nn")
def _kata_raw_human_nn(engine: GtpEngine, *words: str) -> str:
    """As kata-raw-nn, for who plays by humanSLProfile, --rank or --style."""
    if engine.player.network is None or not engine.player.network.takes_people:
        raise GtpError("no network that takes who plays: name one that was trained with --metadata-encoder")
    return _kata_raw_nn(engine, *words)


@command("kata-raw-nn")
def _kata_raw_nn(engine: GtpEngine, *words: str) -> str:
    """[COLOUR] and a symmetry from 0 to 7, or `all` for each of them."""
    position, left = engine.position, list(words)
    if left and left[0].lower() in COLOUR_OF:
        position = position.with_turn(parse_colour(left.pop(0)))
    if len(left) != 1 or left[0].lower() not in ("all", *"01234567"):
        raise GtpError(SYNTAX_ERROR, "expected [COLOUR], and a symmetry from 0 to 7, or all")
    if position.is_over and not position.may_pass:
        raise GtpError("the game is over")
    network = engine.player.network
    if network is None:
        raise GtpError("no network", f"{engine.player.name} uses none")
    engine.wait_until_ready()
    rows = KATAGO_SYMMETRIES if position.shape[0] == position.shape[1] else KATAGO_SYMMETRIES_OF_RECTANGLES
    numbers = range(len(rows)) if left[0].lower() == "all" else [int(left[0])]
    if numbers[-1] >= len(rows):
        raise GtpError(SYNTAX_ERROR, f"{numbers[-1]} transposes the board; {format_size(position.shape)} has the "
                                     "symmetries 0 to 3")
    return "\n".join(format_raw(evaluate_in(network, position, rows[number]), position, number)
                     for number in numbers)
