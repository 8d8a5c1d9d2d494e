"""Analysis over GTP: search results streamed while the search runs, in the formats that clients read.

    kata-analyze b 50 ownership true
    =
    info move D4 visits 120 ... pv D4 Q16 info move Q16 visits 80 ... pv Q16 D4 ownership 0.03 -0.11 ...
    info move D4 visits 260 ...                          half a second later, and so on until another line arrives
    (an empty line)

    lz-      Leela Zero's format: win rates and priors are integers from 0 to 10000
    kata-    KataGo's: they are numbers from 0 to 1, always with a decimal point; with score leads, ownership, rootInfo
    cgos-    one line of JSON

All values are of the side to move; docs/reference/gtp.md says what each is.

Without the commands `analyze` and `genmove_analyze`, whose win rates versions of Sabaki read differently, Sabaki uses
`kata-analyze`.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
https://github.com/SabakiHQ/Sabaki/blob/master/docs/guides/engine-analysis-integration.md
https://github.com/zakki/cgos/blob/master/docs/gtp.md
"""
from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.coords import MAX_MOVES, format_gtp
from mugo.games.go import GoPosition
from mugo.games.position import COLOUR_OF, BasePosition
from mugo.gtp.protocol import (
    MAX_SIMULATIONS, SYNTAX_ERROR, GtpError, command, format_vertices, parse_bool, parse_colour, parse_count,
    parse_float, parse_vertex)
from mugo.players.evaluation import (
    TOP_MOVES, analyze, infos_by_network, moves_by_prior, ownership_after, score_estimate)
from mugo.players.player import Player
from mugo.players.searcher import SearchPlayer
from mugo.mcts.root import AvoidedMoves
from mugo.mcts.records import MAX_DEPTH
from mugo.mcts.result import MoveInfo, SearchResult

if TYPE_CHECKING:                        # the engine imports its commands
    from mugo.gtp.engine import GtpEngine

POLL_SECONDS = 0.01       # between two checks for input, when nothing is left to search
INTERVAL = 1.0            # seconds between two lines, where the client names no interval
MIN_INTERVAL = 0.01       # seconds; an interval of 0 would flood the client
MAX_LISTED = 40           # moves in a line, for the same reason: a search without priors tries every point
# Arguments of KataGo's commands only: what a line has besides moves, or what is after each move.
FLAGS = ("ownership", "ownershipStdev", "movesOwnership", "movesOwnershipStdev", "rootInfo", "pvVisits",
         "pvEdgeVisits", "noResultValue")
CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


# ---- arguments

@dataclass
class AnalyzeOptions:
    """The arguments of an analysis command.

    colour: whose move is searched.  interval: seconds between two lines.  min_moves, max_moves: in a line.
    avoided: the moves that are left out, down to a depth.  flags: those that are on, of FLAGS and others.
    """
    colour: int
    interval: float = INTERVAL
    min_moves: int = 0
    max_moves: int = MAX_LISTED
    avoided: AvoidedMoves = field(default_factory=AvoidedMoves)
    flags: set[str] = field(default_factory=set)


def parse_analyze_options(words: Sequence[str], position: BasePosition, is_kata: bool = True) -> AnalyzeOptions:
    """The arguments COLOUR and CENTISECONDS, of which each may be missing, then any of: interval N, minmoves N,
    maxmoves N, avoid COLOUR VERTEX,... DEPTH, allow likewise, and with is_kata FLAG BOOL (KataGo's GTP_Extensions.md).

    Flags that are not in FLAGS have no effect.  Raises GtpError, also for two lists of allowed moves of one colour.
    """
    left = list(words)
    options = AnalyzeOptions(position.to_play)
    if left and left[0].lower() in COLOUR_OF:
        options.colour = parse_colour(left.pop(0))
    if left and left[0].replace(".", "", 1).isdigit():
        left.insert(0, "interval")
    allowed_colours = set()

    def value() -> str:
        if not left:
            raise GtpError(SYNTAX_ERROR, f"{key!r} needs a value after it")
        return left.pop(0)

    while left:
        key = left.pop(0)
        if key == "interval":
            seconds = parse_float(value()) / 100
            if seconds < 0:
                raise GtpError(SYNTAX_ERROR, "an interval is 0 or more")
            options.interval = max(seconds, MIN_INTERVAL)
        elif key == "minmoves":
            options.min_moves = parse_count(value())
        elif key == "maxmoves":
            options.max_moves = max(parse_count(value()), 1)
        elif key in FLAGS and is_kata or is_kata and left and left[0].lower() in ("true", "false"):
            options.flags.discard(key)
            if parse_bool(value()):
                options.flags.add(key)
        elif key in ("avoid", "allow"):
            colour = parse_colour(value())
            points = {parse_vertex(vertex, position.shape) for vertex in value().split(",") if vertex}
            depth = min(parse_count(value()), MAX_DEPTH)
            if key == "avoid":
                options.avoided.avoid(colour, points, depth)
            elif colour in allowed_colours:
                raise GtpError(SYNTAX_ERROR, "moves of a colour can be allowed once")
            else:
                allowed_colours.add(colour)
                options.avoided.allow(colour, points, depth, position.shape)
        else:
            raise GtpError(SYNTAX_ERROR, f"{key!r} is not an argument of an analysis")
    return options


# ---- formats: a SearchResult as one line

def reported_moves(result: SearchResult, options: AnalyzeOptions) -> list[MoveInfo]:
    """The moves of a line: those that were visited, within max_moves and min_moves, and at least one.

    A search that has one move to choose from visits none, and an empty line would end the reply.
    """
    visited = sum(info.visits > 0 for info in result.moves)
    count = min(max(visited, options.min_moves, 1), max(options.max_moves, options.min_moves))
    return list(result.moves[:count])


def format_lz(result: SearchResult, options: AnalyzeOptions, player: Player) -> str:
    """A line in the format of Leela Zero's lz-analyze."""
    size = result.position.shape
    return " ".join(
        f"info move {format_gtp(info.point, size)} visits {info.visits} winrate {round(10_000 * info.win_rate)} "
        f"prior {round(10_000 * info.prior)} lcb {round(10_000 * info.lower_bound)} order {order} "
        f"pv {format_vertices(info.pv, size)}" for order, info in enumerate(reported_moves(result, options)))


def format_kata(result: SearchResult, options: AnalyzeOptions, player: Player) -> str:
    """A line in the format of KataGo's kata-analyze; utilities are from -1 to 1."""
    position, size, score = result.position, result.position.shape, score_estimate(result)
    parts, infos = [], reported_moves(result, options)
    after = []
    if options.flags & {"movesOwnership", "movesOwnershipStdev"} and isinstance(position, GoPosition):
        after = ownership_after(player.network, position, [info.pv for info in infos])
    for order, info in enumerate(infos):
        part = (f"info move {format_gtp(info.point, size)} visits {info.visits} "
                f"utility {info.utility:.6f} winrate {info.win_rate:.6f} {_format_score(score, info)}"
                f"prior {info.prior:.6f} lcb {info.lower_bound:.6f} utilityLcb {info.utility_lcb:.6f} "
                + ("" if info.symmetry_of is None else f"isSymmetryOf {format_gtp(info.symmetry_of.point, size)} ")
                + ("noResultValue 0.0 " if "noResultValue" in options.flags else "")
                + f"order {order} pv {format_vertices(info.pv, size)}")
        if "pvVisits" in options.flags:
            part += f" pvVisits {_visits(player, info, of_edges=False)}"
        if "pvEdgeVisits" in options.flags:
            part += f" pvEdgeVisits {_visits(player, info, of_edges=True)}"
        if after:
            part += _format_ownership("movesOwnership", after[order], position.to_play, options)
        parts.append(part)
    if "rootInfo" in options.flags:
        parts.append(f"rootInfo visits {result.visits} utility {2 * result.win_rate - 1 + result.score_utility:.6f} "
                     f"winrate {result.win_rate:.6f} {_format_score(score)}".rstrip())
    if options.flags & {"ownership", "ownershipStdev"} and isinstance(position, GoPosition):
        ownership = scoring.ownership(position) if result.ownership is None else result.ownership
        parts.append(_format_ownership("ownership", ownership, position.to_play, options).lstrip())
    return " ".join(parts)


def _visits(player: Player, info: MoveInfo, of_edges: bool) -> str:
    """The visits of the positions after each move of a variation, or of the moves."""
    searched = (info.symmetry_of or info).pv
    visits = [info.visits] if player.search is None else player.search.tree.pv_visits(searched, of_edges)
    return " ".join(map(str, visits))


def _format_score(score: tuple[float, float] | None, info: MoveInfo | None = None) -> str:
    """The score of a move, or of the position where the move has none of its own; "" where that has none."""
    if score is None:
        return ""
    if info is not None and info.score_lead is not None and info.score_stdev is not None:
        score = info.score_lead, info.score_stdev
    lead, stdev = score
    return f"scoreMean {lead:.3f} scoreStdev {stdev:.3f} scoreLead {lead:.3f} scoreSelfplay {lead:.3f} "


def _format_ownership(name: str, ownership: np.ndarray, to_play: int, options: AnalyzeOptions) -> str:
    """The mean ownership of points, 1 for the side to move, and its standard deviation, each after its flag."""
    values = {name: ownership * to_play, f"{name}Stdev": scoring.ownership_stdev(ownership)}
    return "".join(f" {key} {' '.join(f'{value:.4f}' for value in array.ravel().tolist())}"
                   for key, array in values.items() if key in options.flags)


def format_cgos(result: SearchResult, options: AnalyzeOptions, player: Player) -> str:
    """A line of JSON in the format of the CGOS viewer, whose "pv" is the moves after the move."""
    size, score = result.position.shape, score_estimate(result)

    def lead(own: float | None = None) -> dict[str, float]:
        return {} if score is None else {"score": round(score[0] if own is None else own, 3)}

    line = {"winrate": round(result.win_rate, 4), **lead(), "visits": result.visits, "moves": [
        {"move": format_gtp(info.point, size), "visits": info.visits, "winrate": round(info.win_rate, 4),
         **lead(info.score_lead), "prior": round(info.prior, 6), "pv": format_vertices(info.pv[1:], size)}
        for info in reported_moves(result, options)]}
    if result.ownership is not None:
        ownership = np.clip((1 + result.ownership.ravel() * result.position.to_play) / 2, 0, 1)
        line["ownership"] = "".join(CGOS_DIGITS[round(62 * fraction)] for fraction in ownership.tolist())
    return json.dumps(line, separators=(",", ":"))


Format = Callable[[SearchResult, AnalyzeOptions, Player], str]         # player: that has made the result


def result_from_policy(network, position: BasePosition) -> SearchResult:
    """A network's evaluation as a SearchResult: every legal move with one visit, the highest prior first.

    The first TOP_MOVES moves have the network's win rates and scores after them, the others those of the position; 0.5
    without a value head.  Raises BadInput for a game of Gomoku that is over.
    """
    if position.is_over and not position.may_pass:
        raise BadInput("the game is over: there is no move to analyze")
    output = network.evaluate([position])
    moves = moves_by_prior(position, output.priors[0])
    win_rate = output.win_rate()
    top = 0 if win_rate is None or position.plies >= MAX_MOVES else TOP_MOVES
    win_rate = 0.5 if win_rate is None else win_rate
    infos = infos_by_network(network, position, moves[:top], visits=1)
    infos += [MoveInfo(point, prior, 1, win_rate, (point,)) for point, prior in moves[top:]]
    lead, stdev = output.score(0)
    return SearchResult(position, tuple(infos), win_rate, visits=1, simulations=1, seconds=0.0, depth=1.0, nodes=1,
                        rollouts=0, ownership=output.board_ownership(0, position), score_lead=lead,
                        score_stdev=stdev)


# ---- commands

def _analyze(engine: GtpEngine, *words: str, format_result: Format) -> None:
    """Search the position and stream the results until another line arrives."""
    options = parse_analyze_options(words, engine.position, format_result is format_kata)
    player = engine.player
    search, network = player.search, player.network
    if search is None and network is None:
        raise GtpError("cannot analyze", f"{player.name} has neither a search nor a network")
    engine.wait_until_ready()
    position = engine.position.with_turn(options.colour)

    def write_result(result: SearchResult) -> None:
        engine.write_line(format_result(result, options, player))

    def should_stop() -> bool:
        engine.start_reply()                             # the search has begun: what cannot be searched was refused
        return engine.has_input()

    control = engine.control(write_result, options.interval, should_stop, options.avoided)
    if search is None:
        result = result_from_policy(network, position)
        allowed_moves = control.avoided.allowed_at(position)
        if allowed_moves is not None:
            allowed = tuple(info for info in result.moves if info.point in allowed_moves)
            result = replace(result, moves=allowed or result.moves)
        write_result(result)
    else:
        result = analyze(search, position, simulations=MAX_SIMULATIONS, select_by=select_by_of(player), control=control)
        if not engine.has_input():                       # decided: the search has ended by itself
            write_result(result)
    while not engine.has_input():
        time.sleep(POLL_SECONDS)


def select_by_of(player: Player) -> str:
    """How a player chooses its move, as in SearchResult.best; by priors without a search."""
    return player.select_by if isinstance(player, SearchPlayer) else "visits"


class Cancellation:
    """Whether a search has been ended by another line.  An instance is a function for `should_stop`."""

    def __init__(self, engine: GtpEngine):
        self._has_input = engine.has_input
        self.happened = False

    def __call__(self) -> bool:
        self.happened = self.happened or self._has_input()
        return self.happened


def _genmove_analyze(engine: GtpEngine, *words: str, format_result: Format, stream: bool = True, play: bool = True,
                     cancellable: bool = False) -> None:
    """Generate a move, and play it or not; stream the results of its search, and at the end the final one.

    cancellable: any line ends the search, and the reply is then `play cancelled`.  A player that does not search
    ignores `allow` and `avoid`, and the log says so.
    """
    options = parse_analyze_options(words, engine.position, format_result is format_kata)
    position = engine.position_to_move(options.colour)
    player, cancellation = engine.player, Cancellation(engine)
    if options.avoided.depths and player.search is None:
        engine.log(f"genmove_analyze: {player.name} does not search, and ignores allow and avoid")

    def should_stop() -> bool:
        engine.start_reply()                             # the search has begun: what cannot be searched was refused
        return cancellation() if cancellable else engine.is_interrupted()

    def write_result(result: SearchResult, played: int | None = None) -> None:
        engine.write_line(format_result(result.ordered(select_by_of(player), played), options, player))

    vertex = (engine.generate_move if play else engine.propose_move)(
        options.colour, avoided=options.avoided, on_progress=write_result if stream else None,
        progress_interval=options.interval, should_stop=should_stop)
    result = player.search_result
    if result is None and player.search is None and player.network is not None:
        result = result_from_policy(player.network, position)
    if result is not None:
        write_result(result, None if vertex == "resign" else parse_vertex(vertex, position.shape))
    engine.write_line("play cancelled" if cancellation.happened else f"play {vertex}")


command("lz-analyze")(partial(_analyze, format_result=format_lz))
command("kata-analyze")(partial(_analyze, format_result=format_kata))
command("lz-genmove_analyze")(partial(_genmove_analyze, format_result=format_lz))
command("kata-genmove_analyze")(partial(_genmove_analyze, format_result=format_kata))
command("cgos-genmove_analyze")(partial(_genmove_analyze, format_result=format_cgos, stream=False))
command("kata-search_analyze")(partial(_genmove_analyze, format_result=format_kata, play=False))
command("kata-search_analyze_cancellable")(
    partial(_genmove_analyze, format_result=format_kata, play=False, cancellable=True))
