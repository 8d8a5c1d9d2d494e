"""KataGo's commands for positions, searches, clocks, rules, and what a network says without a search (kata-raw-nn).

    kata-search b                   =  D4            the move that genmove would play; nothing is played
    set_position b D4 w Q16         =                a new start, Black to move
    kata-time_settings fischer 300 10
    kata-raw-nn 0                   =  symmetry 0
                                    whiteWin 0.434211
                                    ...

Values of kata-raw-nn are White's, and NAN where the network has no such output: clients such as LizGoban expect every
key.  varTimeLeft, shorttermWinlossError and shorttermScoreError are -1, as KataGo writes them for networks without.
KataGo's analysis is in analyze.py, its parameters are in params.py.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
http://www.weddslist.com/kgs/how/kgsGtp.html                                    kgs-rules
"""
from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np

from mugo.analysis.parameters import katago_models
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, BoardSize, move_index, shape_of
from mugo.games.position import COLOUR_OF, BasePosition, IllegalMove
from mugo.games.rules import ALIASES, Rules, parse_rules
from mugo.gtp.analyze import Cancellation
from mugo.gtp.commands import KGS_TIME_SYSTEMS, set_kgs_clocks
from mugo.gtp.protocol import (
    SYNTAX_ERROR, GtpError, command, fails_as, parse_colour, parse_float, parse_seconds, parse_stones)
from mugo.nn.output import NetworkOutput
from mugo.players.evaluation import legal_moves
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


# ---- rules

command("kata-get-rules", "go")(lambda engine: json.dumps(engine.current_rules().as_json(), separators=(",", ":")))


@command("kata-set-rules", "go")
def _kata_set_rules(engine: GtpEngine, *words: str) -> str:
    """Rules by name or as KataGo's JSON; the reply names what of them is not supported.

    Raises GtpError for rules with a button or a tax on all groups.
    """
    text = " ".join(words)
    with fails_as(SYNTAX_ERROR if text.startswith("{") else "unsupported rules", ValueError):
        rules = parse_rules(text)
    return _set_rules(engine, rules)


def _set_rules(engine: GtpEngine, rules: Rules) -> str:
    """Set these rules as far as they are supported; returns what is not.  Raises GtpError where that decides who wins.
    """
    if rules.ignored(decisive=True):
        raise GtpError("unsupported rules", f"ignored: {rules.ignored()}")
    engine.rules = rules.supported()
    engine.set_position(engine.position)
    return f"ignored: {rules.ignored()}" if rules.ignored() else ""


@command("kata-set-rule", "go")
def _kata_set_rule(engine: GtpEngine, field: str, value: str) -> str:
    """Change one field of the rules in force."""
    fields = engine.current_rules().as_json() | {ALIASES.get(field, field): {"true": True, "false": False}.get(
        value.lower(), value)}
    with fails_as(SYNTAX_ERROR, ValueError):
        rules = parse_rules(fields)
    return _set_rules(engine, rules)


@command("kgs-rules", "go")
def _kgs_rules(engine: GtpEngine, name: str) -> None:
    """KGS's Chinese rules have positional superko.  The log has what is ignored."""
    if ignored := _kata_set_rules(engine, "chinese-kgs" if name.lower() == "chinese" else name):
        engine.log(f"kgs-rules: {ignored}")


# ---- networks

def format_raw(output: NetworkOutput, position: BasePosition) -> str:
    """KataGo's text for an output of one position."""
    sign = 1 if position.to_play == WHITE else -1
    win = math.nan if output.values is None else (1 + sign * float(output.values[0])) / 2
    mean, stdev = (math.nan if number is None else number for number in output.score(0))
    lines = ["symmetry 0", f"whiteWin {_number(win, 6)}", f"whiteLoss {_number(1 - win, 6)}",
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
    """[COLOUR] and 0, the position as it is: equivariant networks say the same in the other symmetries."""
    position, left = engine.position, list(words)
    if left and left[0].lower() in COLOUR_OF:
        position = position.with_turn(parse_colour(left.pop(0)))
    if left != ["0"]:
        raise GtpError(SYNTAX_ERROR, "expected [COLOUR], and the symmetry 0")
    if position.is_over and not position.may_pass:
        raise GtpError("the game is over")
    network = engine.player.network
    if network is None:
        raise GtpError("no network", f"{engine.player.name} uses none")
    engine.wait_until_ready()
    return format_raw(network.evaluate([position]), position)
