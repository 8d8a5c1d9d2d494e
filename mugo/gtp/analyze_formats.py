"""What an analysis over GTP has: its arguments, and the formats of its lines.

    [COLOUR] [CENTISECONDS] KEY VALUE ...   --parse_analyze_options-->  AnalyzeOptions
    a SearchResult                          --format_...-->             a line

    lz-      Leela Zero's: win rates and priors are integers from 0 to 10000
    kata-    KataGo's: they are numbers from 0 to 1, always with a decimal point; with score leads, ownership, rootInfo
    cgos-    one line of JSON

All values are of the side to move.  With a network that has scores they are those of KataGo: scoreLead, scoreMean and
scoreSelfplay are the mean score of the leaves below a move, scoreStdev its standard deviation.  Otherwise the lead is
the mean ownership of the rollouts minus komi, the same for all moves, and absent without rollouts.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
https://github.com/zakki/cgos/blob/master/docs/gtp.md
"""
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mugo.games import scoring
from mugo.games.coords import format_gtp
from mugo.games.go import Position as Go
from mugo.games.position import COLOUR_OF, BasePosition
from mugo.gtp.protocol import (
    SYNTAX_ERROR,
    GtpError,
    format_vertices,
    parse_bool,
    parse_colour,
    parse_count,
    parse_float,
    parse_vertex,
)
from mugo.players.estimates import legal_moves, ownership_after, score_estimate
from mugo.players.player import Player
from mugo.search.result import MoveInfo, SearchResult

INTERVAL = 1.0            # seconds between two lines, where the client names no interval
MIN_INTERVAL = 0.01       # seconds; an interval of 0 would flood the client
MAX_MOVES = 40            # moves in a line, for the same reason: a search without priors tries every point
# Arguments of KataGo's commands only: the field of each.
FLAGS = {"ownership": "ownership", "ownershipStdev": "ownership_stdev", "movesOwnership": "moves_ownership",
         "movesOwnershipStdev": "moves_ownership_stdev", "rootInfo": "root_info", "pvVisits": "pv_visits"}
CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


# ---- arguments

@dataclass
class AnalyzeOptions:
    """The arguments of an analysis command.

    colour: whose move is searched.  interval: seconds between two lines.  min_moves, max_moves: in a line.
    allowed_moves: the points searched at the root (PASS for a pass); None all.
    ownership, ownership_stdev: whether a line has the mean ownership of points, and its standard deviation.
    moves_ownership, moves_ownership_stdev: the same after each move.  root_info, pv_visits: whether a line has them.
    """
    colour: int
    interval: float = INTERVAL
    min_moves: int = 0
    max_moves: int = MAX_MOVES
    allowed_moves: tuple[int, ...] | None = None
    ownership: bool = False
    ownership_stdev: bool = False
    moves_ownership: bool = False
    moves_ownership_stdev: bool = False
    root_info: bool = False
    pv_visits: bool = False


def parse_analyze_options(words: Sequence[str], position: BasePosition, is_kata: bool = True) -> AnalyzeOptions:
    """The arguments COLOUR and CENTISECONDS, of which each may be missing, then any of: interval N, minmoves N,
    maxmoves N, avoid COLOUR VERTEX,... DEPTH, allow likewise, and with is_kata FLAG BOOL for each of FLAGS (KataGo's
    GTP_Extensions.md).

    Lists of moves for the other colour are ignored, and DEPTH is taken for 1.  Raises GtpError, as KataGo does for
    flags of formats that have no such data, and for two lists of allowed moves of one colour.
    """
    left = list(words)
    options = AnalyzeOptions(position.to_play)
    if left and left[0].lower() in COLOUR_OF:
        options.colour = parse_colour(left.pop(0))
    if left and left[0].replace(".", "", 1).isdigit():
        left.insert(0, "interval")
    moves: dict[str, set[int]] = {}                      # of options.colour, by "avoid" and "allow"

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
        elif key in FLAGS and is_kata:
            setattr(options, FLAGS[key], parse_bool(value()))
        elif key in ("avoid", "allow"):
            colour = parse_colour(value())
            points = {parse_vertex(vertex, position.shape) for vertex in value().split(",") if vertex}
            parse_count(value())
            if colour == options.colour:
                if key == "allow" and key in moves:
                    raise GtpError(SYNTAX_ERROR, "moves of a colour can be allowed once")
                moves.setdefault(key, set()).update(points)
        else:
            raise GtpError(SYNTAX_ERROR, f"{key!r} is not an argument of an analysis")
    if moves:
        options.allowed_moves = tuple(point for point in legal_moves(position.with_turn(options.colour))
                                      if point not in moves.get("avoid", ()) and point in moves.get("allow", (point,)))
    return options


# ---- formats: a SearchResult as one line

def reported_moves(result: SearchResult, options: AnalyzeOptions) -> list[MoveInfo]:
    """The moves of a line: those that were visited, max_moves at the most, min_moves at the least."""
    visited = sum(info.visits > 0 for info in result.moves)
    count = min(max(visited, options.min_moves), max(options.max_moves, options.min_moves))
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
    if (options.moves_ownership or options.moves_ownership_stdev) and isinstance(position, Go):
        after = ownership_after(player.network, position, [info.pv for info in infos])
    for order, info in enumerate(infos):
        lcb = info.lower_bound
        part = (f"info move {format_gtp(info.point, size)} visits {info.visits} "
                f"utility {2 * info.win_rate - 1:.6f} winrate {info.win_rate:.6f} {_format_score(score, info)}"
                f"prior {info.prior:.6f} lcb {lcb:.6f} utilityLcb {2 * lcb - 1:.6f} order {order} "
                f"pv {format_vertices(info.pv, size)}")
        if options.pv_visits:
            visits = [info.visits] if player.search is None else player.search.tree.pv_visits(info.pv)
            part += " pvVisits " + " ".join(map(str, visits))
        if after:
            part += _format_ownership("movesOwnership", after[order], position.to_play, options.moves_ownership,
                                      options.moves_ownership_stdev)
        parts.append(part)
    if options.root_info:
        parts.append(f"rootInfo visits {result.visits} utility {2 * result.win_rate - 1:.6f} "
                     f"winrate {result.win_rate:.6f} {_format_score(score)}".rstrip())
    if (options.ownership or options.ownership_stdev) and isinstance(position, Go):
        ownership = scoring.ownership(position) if result.ownership is None else result.ownership
        parts.append(_format_ownership("ownership", ownership, position.to_play, options.ownership,
                                       options.ownership_stdev).lstrip())
    return " ".join(parts)


def _format_score(score: tuple[float, float] | None, info: MoveInfo | None = None) -> str:
    """The score of a move, or of the position where the move has none of its own; "" where that has none."""
    if score is None:
        return ""
    if info is not None and info.score_lead is not None and info.score_stdev is not None:
        score = info.score_lead, info.score_stdev
    lead, stdev = score
    return f"scoreMean {lead:.3f} scoreStdev {stdev:.3f} scoreLead {lead:.3f} scoreSelfplay {lead:.3f} "


def _format_ownership(name: str, ownership: np.ndarray, to_play: int, has_mean: bool, has_stdev: bool) -> str:
    """The mean ownership of points, 1 for the side to move, and its standard deviation, each after its name."""
    stdev = scoring.ownership_stdev(ownership)
    values = [(name, ownership * to_play)] * has_mean + [(f"{name}Stdev", stdev)] * has_stdev
    return "".join(f" {key} {' '.join(f'{value:.4f}' for value in array.ravel().tolist())}" for key, array in values)


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
