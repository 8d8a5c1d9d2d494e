"""Analysis over GTP: what a search finds, told while it goes on, in the words of the clients that read it.

    kata-analyze b 50 ownership true
    =
    info move D4 visits 120 ... pv D4 Q16 info move Q16 visits 80 ... pv Q16 D4 ownership 0.03 -0.11 ...
    info move D4 visits 260 ...                          half a second later, and so on until any line comes
    (an empty line)

    lz-      Leela Zero's: win rates and priors are whole numbers, 0 to 10000
    kata-    KataGo's: they are 0 to 1, always with a point; with a lead in points, ownership, rootInfo
    analyze  Sabaki's, which are KataGo's
    cgos-    one line of JSON

Everything is of the side to move.  Neither the network nor the tree knows a score: the lead is the mean of the
rollouts' owners, one for all moves, and left out where there are no rollouts.  Stones are placed by gtp.py.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md
https://github.com/SabakiHQ/Sabaki/blob/master/docs/guides/engine-analysis-integration.md
https://github.com/zakki/cgos/blob/master/docs/gtp.md
"""
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mugo.files import BadInput
from mugo.games.coords import PASS, format_gtp, move_index
from mugo.games.position import BasePosition
from mugo.gtp.protocol import (
    COLOUR_OF,
    SYNTAX_ERROR,
    Failure,
    answers,
    read_bool,
    read_colour,
    read_count,
    read_float,
    read_vertex,
)
from mugo.intervals import lower_confidence_bound
from mugo.players.evaluator import win_rates_after
from mugo.search.result import MoveInfo, SearchResult

INTERVAL = 1.0            # seconds between two lines, for a client that names no interval
AT_LEAST = 0.01           # seconds, for an interval of 0 would be a flood
MOST = 40                 # moves in a line, likewise; a search without priors tries every point
LONGEST = 10 ** 9         # simulations: visits are counted in 32 bits
POLL = 0.01               # seconds between two looks for input, when there is nothing left to search
LOOKED_AT = 12            # moves of a policy whose win rate its value head is asked for
IGNORED = ("movesOwnership", "ownershipStdev", "movesOwnershipStdev")      # words that ask for what nobody knows here
CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


# ---- numbers

def lead_of(result: SearchResult) -> float | None:
    """By how many points the side to move leads, komi counted; None without rollouts."""
    if result.ownership is None:
        return None
    return (float(result.ownership.sum()) - result.position.komi) * result.position.to_play


def result_from_policy(network, position: BasePosition, tta: bool = False) -> SearchResult:
    """What a network says of a position, in the form of a search: a visit for every legal move, by their priors.

    The win rates of the first moves are what its value head says of the positions after them, those of the others
    the position's own; 50 % without a value head.  Raises BadInput for a game of Gomoku that is over.
    """
    if position.is_over and not position.may_pass:
        raise BadInput("the game is over: there is no move to look for")
    priors, values = network.evaluate([position], tta=tta)
    size = position.size
    points = _moves(position)
    points.sort(key=lambda point: -priors[0][move_index(point, size)])
    own = 0.5 if values is None else (1 + float(values[0])) / 2
    rates = [own] * len(points)
    if values is not None:
        rates[:LOOKED_AT] = win_rates_after(network, [position.play(point) for point in points[:LOOKED_AT]], tta)
    infos = tuple(MoveInfo(point, float(priors[0][move_index(point, size)]), 1, rate, (point,))
                  for point, rate in zip(points, rates, strict=True))
    return SearchResult(position, infos, own, 1, 1, 0.0, 1.0, 1, 0, None)


def _moves(position: BasePosition) -> list[int]:
    return [*position.legal_points().tolist(), *([PASS] if position.may_pass else [])]


# ---- what a client asks for

@dataclass
class Wanted:
    """The arguments of an analysis.

    every: seconds between two lines.  least, most: moves in a line.  among: the points to be searched, None all.
    """
    side: int
    progress_interval: float = INTERVAL
    least: int = 0
    most: int = MOST
    allowed_moves: tuple[int, ...] | None = None
    ownership: bool = False
    root: bool = False
    visits_of_line: bool = False


def read_wanted(words: Sequence[str], position: BasePosition) -> Wanted:
    """[COLOUR] [CENTISECONDS] and then pairs: interval N, minmoves N, maxmoves N, ownership BOOL, rootInfo BOOL,
    pvVisits BOOL, avoid COLOUR VERTEX,... DEPTH, allow likewise.  A list of moves for the other side, or for more
    moves than the first, changes nothing.  Raises Failure."""
    left = list(words)
    wanted = Wanted(position.to_play)
    if left and left[0].lower() in COLOUR_OF:
        wanted.side = read_colour(left.pop(0))
    if left and left[0].replace(".", "", 1).isdigit():
        left.insert(0, "interval")
    points = _moves(position.with_turn(wanted.side))
    allowed, avoided = None, set()

    def value() -> str:
        if not left:
            raise Failure(SYNTAX_ERROR, f"{key!r} is not followed by what it should be")
        return left.pop(0)

    while left:
        key = left.pop(0)
        if key == "interval":
            seconds = read_float(value()) / 100
            if seconds < 0:
                raise Failure(SYNTAX_ERROR, "an interval is 0 or more")
            wanted.progress_interval = max(seconds, AT_LEAST)
        elif key == "minmoves":
            wanted.least = read_count(value())
        elif key == "maxmoves":
            wanted.most = max(read_count(value()), 1)
        elif key == "ownership":
            wanted.ownership = read_bool(value())
        elif key == "rootInfo":
            wanted.root = read_bool(value())
        elif key == "pvVisits":
            wanted.visits_of_line = read_bool(value())
        elif key in IGNORED:
            read_bool(value())
        elif key in ("avoid", "allow"):
            side = read_colour(value())
            named = {read_vertex(vertex, position.size) for vertex in value().split(",") if vertex}
            read_count(value())
            if side == wanted.side:
                avoided |= named if key == "avoid" else set()
                allowed = named if key == "allow" else allowed
        else:
            raise Failure(SYNTAX_ERROR, f"{key!r} is no word of an analysis")
    if allowed is not None or avoided:
        wanted.allowed_moves = tuple(point for point in points
                                     if point not in avoided and (allowed is None or point in allowed))
    return wanted


# ---- lines

def told(result: SearchResult, wanted: Wanted) -> list[MoveInfo]:
    """The branches that belong in a line: those searched, and others if too few were."""
    visited = sum(info.visits > 0 for info in result.moves)
    return list(result.moves[:min(max(visited, wanted.least), max(wanted.most, wanted.least))])


def format_lz(result: SearchResult, wanted: Wanted, pv_visits: Callable[[Sequence[int]], list[int]] | None) -> str:
    """A line as Leela Zero writes it."""
    size = result.position.size
    return " ".join(
        f"info move {format_gtp(info.point, size)} visits {info.visits} winrate {_part(info.win_rate)} "
        f"prior {_part(info.prior)} "
        f"lcb {_part(lower_confidence_bound(info.win_rate, info.visits))} order {order} "
        f"pv {_vertices(info.pv, size)}" for order, info in enumerate(told(result, wanted)))


def _part(share: float) -> int:
    return round(10000 * share)


def _vertices(line: Sequence[int], size: int) -> str:
    return " ".join(format_gtp(point, size) for point in line)


def format_kata(result: SearchResult, wanted: Wanted, pv_visits: Callable[[Sequence[int]], list[int]] | None) -> str:
    """A line as KataGo writes it.  visits_along: the visits of each move of a line; None without a tree.

    A utility is from -1 to 1.
    """
    size, lead = result.position.size, lead_of(result)
    score = "" if lead is None else f"scoreMean {lead:.3f} scoreLead {lead:.3f} scoreSelfplay {lead:.3f} "
    parts = []
    for order, info in enumerate(told(result, wanted)):
        low = lower_confidence_bound(info.win_rate, info.visits)
        part = (f"info move {format_gtp(info.point, size)} visits {info.visits} "
                f"utility {2 * info.win_rate - 1:.6f} winrate {info.win_rate:.6f} {score}"
                f"prior {info.prior:.6f} lcb {low:.6f} utilityLcb {2 * low - 1:.6f} order {order} "
                f"pv {_vertices(info.pv, size)}")
        if wanted.visits_of_line:
            visits = [info.visits] if pv_visits is None else pv_visits(info.pv)
            part += " pvVisits " + " ".join(map(str, visits))
        parts.append(part)
    if wanted.root:
        parts.append(f"rootInfo visits {result.visits} utility {2 * result.win_rate - 1:.6f} "
                     f"winrate {result.win_rate:.6f} {score}".rstrip())
    if wanted.ownership and result.ownership is not None:
        ownership = result.ownership.ravel() * result.position.to_play
        parts.append("ownership " + " ".join(f"{owner:.4f}" for owner in ownership.tolist()))
    return " ".join(parts)


def format_cgos(result: SearchResult, wanted: Wanted, pv_visits: Callable[[Sequence[int]], list[int]] | None) -> str:
    """A line of JSON as CGOS's viewer reads it: a line of play is what follows the move."""
    size, lead = result.position.size, lead_of(result)
    score = {} if lead is None else {"score": round(lead, 3)}
    about = {"winrate": round(result.win_rate, 4), **score, "visits": result.visits, "moves": [
        {"move": format_gtp(info.point, size), "visits": info.visits, "winrate": round(info.win_rate, 4), **score,
         "prior": round(info.prior, 6), "pv": _vertices(info.pv[1:], size)} for info in told(result, wanted)]}
    if result.ownership is not None:
        ownership = np.clip((1 + result.ownership.ravel() * result.position.to_play) / 2, 0, 1)
        about["ownership"] = "".join(CGOS_DIGITS[round(62 * share)] for share in ownership.tolist())
    return json.dumps(about, separators=(",", ":"))


# ---- commands

def _analyse(engine, form: Callable, words: Sequence[str]) -> None:
    """Search the position, and tell what is found, until a line comes."""
    wanted = read_wanted(words, engine.position)
    search, network = engine.player.search, engine.player.network
    if search is None and network is None:
        raise Failure("cannot analyze", f"{engine.player.name} neither searches nor has a network")
    engine.wait_until_ready()
    position = engine.position.with_turn(wanted.side)
    if search is None:
        result = result_from_policy(network, position)
        if wanted.allowed_moves is not None:
            result = _kept(result, wanted.allowed_moves)
        engine.begin()
        engine.say(form(result, wanted, None))
    else:
        engine.begin()
        search.search(position, simulations=LONGEST, allowed_moves=wanted.allowed_moves, should_stop=engine.has_input,
                      progress_interval=wanted.progress_interval,
                      on_progress=lambda result: engine.say(form(result, wanted, search.pv_visits)))
    while not engine.has_input():
        time.sleep(POLL)


def _kept(result: SearchResult, points: Sequence[int]) -> SearchResult:
    infos = tuple(info for info in result.moves if info.point in points)
    return SearchResult(result.position, infos or result.moves, result.win_rate, result.visits,
                   result.simulations, result.seconds, result.depth, result.nodes, result.rollouts, result.ownership)


def _generate(engine, form: Callable, words: Sequence[str]) -> None:
    """Play a move, and tell meanwhile and at last what the search finds.

    Unlike an analysis this goes on whatever comes in.  A list of moves to keep to is not for a move that is played.
    """
    wanted = read_wanted(words, engine.position)
    player = engine.player
    position = engine.position.with_turn(wanted.side)
    pv_visits = player.search.pv_visits if player.search else None
    engine.wait_until_ready()
    engine.begin()

    def on_progress(result: SearchResult) -> None:
        engine.say(form(result, wanted, pv_visits))

    vertex = engine.generate(position, on_progress=None if form is format_cgos else on_progress,
                             progress_interval=wanted.progress_interval)
    result = player.search_result
    if result is None and player.search is None and player.network is not None:
        result = result_from_policy(player.network, position)
    if result is not None:
        engine.say(form(result, wanted, pv_visits))
    engine.say(f"play {vertex}")


def _register(name: str, form: Callable) -> None:
    @answers(f"{name}genmove_analyze")
    def generate(engine, *words: str) -> None:
        _generate(engine, form, words)

    if form is not format_cgos:
        @answers(f"{name}analyze")
        def analyse(engine, *words: str) -> None:
            _analyse(engine, form, words)


for _name, _form in ("lz-", format_lz), ("kata-", format_kata), ("", format_kata), ("cgos-", format_cgos):
    _register(_name, _form)
