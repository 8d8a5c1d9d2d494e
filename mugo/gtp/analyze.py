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
from mugo.search.search import Branch, Thought

INTERVAL = 1.0            # seconds between two lines, for a client that names no interval
AT_LEAST = 0.01           # seconds, for an interval of 0 would be a flood
MOST = 40                 # moves in a line, likewise; a search without priors tries every point
LONGEST = 10 ** 9         # simulations: visits are counted in 32 bits
POLL = 0.01               # seconds between two looks for input, when there is nothing left to search
LOOKED_AT = 12            # moves of a policy whose win rate its value head is asked for
IGNORED = ("movesOwnership", "ownershipStdev", "movesOwnershipStdev")      # words that ask for what nobody knows here
CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


# ---- numbers

def lead_of(thought: Thought) -> float | None:
    """By how many points the side to move leads, komi counted; None without rollouts."""
    if thought.owners is None:
        return None
    return (float(thought.owners.sum()) - thought.position.komi) * thought.position.to_play


def thought_of_policy(network, position: BasePosition, tta: bool = False) -> Thought:
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
    branches = tuple(Branch(point, float(priors[0][move_index(point, size)]), 1, rate, (point,))
                     for point, rate in zip(points, rates, strict=True))
    return Thought(position, branches, own, 1, 1, 0.0, 1.0, 1, 0, None)


def _moves(position: BasePosition) -> list[int]:
    return [*position.legal_points().tolist(), *([PASS] if position.may_pass else [])]


# ---- what a client asks for

@dataclass
class Wanted:
    """The arguments of an analysis.

    every: seconds between two lines.  least, most: moves in a line.  among: the points to be searched, None all.
    """
    side: int
    every: float = INTERVAL
    least: int = 0
    most: int = MOST
    among: tuple[int, ...] | None = None
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
            wanted.every = max(seconds, AT_LEAST)
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
        wanted.among = tuple(point for point in points
                             if point not in avoided and (allowed is None or point in allowed))
    return wanted


# ---- lines

def told(thought: Thought, wanted: Wanted) -> list[Branch]:
    """The branches that belong in a line: those searched, and others if too few were."""
    visited = sum(branch.visits > 0 for branch in thought.branches)
    return list(thought.branches[:min(max(visited, wanted.least), max(wanted.most, wanted.least))])


def format_lz(thought: Thought, wanted: Wanted, visits_along: Callable[[Sequence[int]], list[int]] | None) -> str:
    """A line as Leela Zero writes it."""
    size = thought.position.size
    return " ".join(
        f"info move {format_gtp(branch.point, size)} visits {branch.visits} winrate {_part(branch.win_rate)} "
        f"prior {_part(branch.prior)} "
        f"lcb {_part(lower_confidence_bound(branch.win_rate, branch.visits))} order {order} "
        f"pv {_vertices(branch.line, size)}" for order, branch in enumerate(told(thought, wanted)))


def _part(share: float) -> int:
    return round(10000 * share)


def _vertices(line: Sequence[int], size: int) -> str:
    return " ".join(format_gtp(point, size) for point in line)


def format_kata(thought: Thought, wanted: Wanted, visits_along: Callable[[Sequence[int]], list[int]] | None) -> str:
    """A line as KataGo writes it.  visits_along: the visits of each move of a line; None without a tree.

    A utility is from -1 to 1.
    """
    size, lead = thought.position.size, lead_of(thought)
    score = "" if lead is None else f"scoreMean {lead:.3f} scoreLead {lead:.3f} scoreSelfplay {lead:.3f} "
    parts = []
    for order, branch in enumerate(told(thought, wanted)):
        low = lower_confidence_bound(branch.win_rate, branch.visits)
        part = (f"info move {format_gtp(branch.point, size)} visits {branch.visits} "
                f"utility {2 * branch.win_rate - 1:.6f} winrate {branch.win_rate:.6f} {score}"
                f"prior {branch.prior:.6f} lcb {low:.6f} utilityLcb {2 * low - 1:.6f} order {order} "
                f"pv {_vertices(branch.line, size)}")
        if wanted.visits_of_line:
            visits = [branch.visits] if visits_along is None else visits_along(branch.line)
            part += " pvVisits " + " ".join(map(str, visits))
        parts.append(part)
    if wanted.root:
        parts.append(f"rootInfo visits {thought.visits} utility {2 * thought.win_rate - 1:.6f} "
                     f"winrate {thought.win_rate:.6f} {score}".rstrip())
    if wanted.ownership and thought.owners is not None:
        owners = thought.owners.ravel() * thought.position.to_play
        parts.append("ownership " + " ".join(f"{owner:.4f}" for owner in owners.tolist()))
    return " ".join(parts)


def format_cgos(thought: Thought, wanted: Wanted, visits_along: Callable[[Sequence[int]], list[int]] | None) -> str:
    """A line of JSON as CGOS's viewer reads it: a line of play is what follows the move."""
    size, lead = thought.position.size, lead_of(thought)
    score = {} if lead is None else {"score": round(lead, 3)}
    about = {"winrate": round(thought.win_rate, 4), **score, "visits": thought.visits, "moves": [
        {"move": format_gtp(branch.point, size), "visits": branch.visits, "winrate": round(branch.win_rate, 4), **score,
         "prior": round(branch.prior, 6), "pv": _vertices(branch.line[1:], size)} for branch in told(thought, wanted)]}
    if thought.owners is not None:
        owners = np.clip((1 + thought.owners.ravel() * thought.position.to_play) / 2, 0, 1)
        about["ownership"] = "".join(CGOS_DIGITS[round(62 * share)] for share in owners.tolist())
    return json.dumps(about, separators=(",", ":"))


# ---- commands

def _analyse(engine, form: Callable, words: Sequence[str]) -> None:
    """Search the position, and tell what is found, until a line comes."""
    wanted = read_wanted(words, engine.position)
    search, network = (getattr(engine.player, name, None) for name in ("search", "network"))
    if search is None and network is None:
        raise Failure("cannot analyze", f"{engine.player.name} neither searches nor has a network")
    engine.wait_until_ready()
    position = engine.position.with_turn(wanted.side)
    if search is None:
        thought = thought_of_policy(network, position)
        if wanted.among is not None:
            thought = _kept(thought, wanted.among)
        engine.begin()
        engine.say(form(thought, wanted, None))
    else:
        engine.begin()
        search.think(position, simulations=LONGEST, among=wanted.among, is_over=engine.has_input, every=wanted.every,
                     watch=lambda thought: engine.say(form(thought, wanted, search.visits_along)))
    while not engine.has_input():
        time.sleep(POLL)


def _kept(thought: Thought, points: Sequence[int]) -> Thought:
    branches = tuple(branch for branch in thought.branches if branch.point in points)
    return Thought(thought.position, branches or thought.branches, thought.win_rate, thought.visits,
                   thought.simulations, thought.seconds, thought.depth, thought.nodes, thought.rollouts, thought.owners)


def _generate(engine, form: Callable, words: Sequence[str]) -> None:
    """Play a move, and tell meanwhile and at last what the search finds.

    Unlike an analysis this goes on whatever comes in.  A list of moves to keep to is not for a move that is played.
    """
    wanted = read_wanted(words, engine.position)
    player = engine.player
    position = engine.position.with_turn(wanted.side)
    visits_along = player.search.visits_along if hasattr(player, "search") else None
    engine.wait_until_ready()
    engine.begin()

    def watch(thought: Thought) -> None:
        engine.say(form(thought, wanted, visits_along))

    vertex = engine.generate(position, watch=None if form is format_cgos else watch, every=wanted.every)
    thought = getattr(player, "thought", None)
    if thought is None and hasattr(player, "network"):
        thought = thought_of_policy(player.network, position)
    if thought is not None:
        engine.say(form(thought, wanted, visits_along))
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
