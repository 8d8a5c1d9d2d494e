"""When a search ends: at its limits, before them where the choice of the move is decided, or after more time.

    is_decided      no simulations that are left can change which move is chosen
    is_obvious      nearly all simulations went to one move, and no other looks better
    is_unclear      the most visited move is not the one with the highest value, or its value has fallen

These look at the moves at the root that are not proven to lose, a RootMoves.

    started ----- obvious: may end here ----- deadline ----- unclear: searches on ----- latest
"""
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mugo.search.lcb import best_by_lcb, lower_confidence_bounds, standard_errors
from mugo.search.records import NULL_NODE
from mugo.search.settings import Settings

OBVIOUS_FRACTION = 0.5                   # of its time after which a search may end as obvious
OBVIOUS_SHARE = 0.9                      # of the visits
DROP = 0.05                              # of a win rate
COMPARED_SHARE = 0.1                     # of the most visits: moves with fewer are not compared by value


class RootMoves(NamedTuple):
    """visits: int64 (n,).  means, squares: float64 (n,), of the values of their simulations, from -1 to 1, and of
    their squares."""
    visits: np.ndarray
    means: np.ndarray
    squares: np.ndarray


def root_moves(nodes: np.ndarray, edges: np.ndarray) -> RootMoves:
    """The statistics of edges: NODE (n,), EDGE (k,).  Values are those of the nodes that they lead to, over all paths,
    and exact where they are proven."""
    below = nodes[edges["node"]]
    known, proven = edges["node"] != NULL_NODE, edges["lower"] == edges["upper"]
    means = np.where(known, -below["total"] / np.maximum(below["visits"], 1), edges["q"].astype(np.float64))
    means = np.where(proven, edges["lower"], means)
    squares = np.where(proven, means ** 2, np.where(known, below["value_square"], 1.0))
    return RootMoves(edges["visits"].astype(np.int64), means, squares)


@dataclass(frozen=True)
class SearchLimits:
    """The limits of one search.

    simulations: math.inf without a limit.  started, deadline, latest: the time in seconds; deadline and latest are
    math.inf without a limit, and equal where unclear choices get no more time and obvious ones no less.
    select_by: how the move is chosen: "visits", "value", "lcb" as in SearchResult.best; "gumbel" by sequential halving;
    None: the search is to evaluate.
    expected_win_rate: as in is_unclear.
    """
    settings: Settings
    simulations: float
    started: float
    deadline: float
    latest: float
    select_by: str | None
    expected_win_rate: float | None = None

    @property
    def has_more_time(self) -> bool:
        """Whether an unclear choice gets more time."""
        return self.deadline < self.latest and self.select_by is not None

    def end(self, now: float, moves: RootMoves) -> float:
        """The time up to which the search goes on, as things stand."""
        is_extended = now >= self.deadline or self.has_more_time and is_unclear(moves, self.expected_win_rate)
        return self.latest if is_extended else self.deadline

    def rate(self, done: int, now: float) -> float:
        """Simulations a second."""
        return done / max(now - self.started, 1e-6)

    def simulations_left(self, done: int, now: float, moves: RootMoves) -> float:
        """How many simulations are left, at most; the rate is unknown at first."""
        left, end = self.simulations - done, self.end(now, moves)
        if end == math.inf:
            return left
        if now - self.started <= (end - self.started) / 20:
            return math.inf
        return min(left, (end - now) * self.rate(done, now))

    def are_reached(self, done: int, now: float, moves: RootMoves) -> bool:
        """Whether the search ends after so many simulations."""
        if done >= self.simulations or now >= self.latest:
            return True
        if now >= self.deadline and not (self.has_more_time and is_unclear(moves, self.expected_win_rate)):
            return True
        if not self.settings.early_stop:
            return False
        enough = self.started + OBVIOUS_FRACTION * (self.deadline - self.started)
        return is_decided(moves, self.simulations_left(done, now, moves), self.select_by, self.settings) \
            or self.has_more_time and self.select_by != "gumbel" and now >= enough and is_obvious(moves)


def is_decided(moves: RootMoves, left: float, select_by: str | None, settings: Settings) -> bool:
    """Whether `left` more simulations, whatever their values, cannot change which move is chosen.

    select_by: as of SearchLimits.  None ends by visits, but not because one move is left.  By "value" every simulation
    may change the choice, and in sequential halving its last ones decide.
    """
    if len(moves.visits) < 2:
        return select_by is not None and len(moves.visits) == 1
    if select_by in ("value", "gumbel"):
        return False
    if select_by == "lcb":
        return left < math.inf and _is_decided_by_lcb(moves, left, settings.lcb_stdevs, settings.min_visit_prop_for_lcb)
    second, first = np.partition(moves.visits, len(moves.visits) - 2)[-2:]
    return bool(first - second > left)


def _is_decided_by_lcb(moves: RootMoves, left: float, lcb_stdevs: float, min_visit_prop: float) -> bool:
    """By bounds: the chosen move loses all simulations that are left, or any other move wins them all."""
    visits, means, squares = moves
    chosen = best_by_lcb(visits, lower_confidence_bounds(*moves, lcb_stdevs), min_visit_prop)
    n = visits[chosen]
    others = np.arange(len(visits)) != chosen
    if n == 0 or n < min_visit_prop * (visits[others].max() + left):
        return False
    lowest, highest = ((n * means[chosen] + sign * left) / (n + left) for sign in (-1, 1))
    least_square = 0.0 if lowest < 0 < highest else min(lowest ** 2, highest ** 2)
    variance = (n * squares[chosen] + left) / (n + left) - least_square
    worst = lowest - lcb_stdevs * standard_errors(np.array([n]), np.array([variance]))[0]
    contenders = others & (visits + left >= min_visit_prop * visits.max())
    best = (visits * means + left) / np.maximum(visits + left, 1)
    return bool((best[contenders] < worst).all())


def is_obvious(moves: RootMoves) -> bool:
    """Whether one move has OBVIOUS_SHARE of the visits and the highest value."""
    most = int(moves.visits.argmax()) if len(moves.visits) else 0
    return len(moves.visits) > 0 and bool(moves.visits[most] >= OBVIOUS_SHARE * moves.visits.sum() > 0) \
        and _best_by_value(moves) == most


def is_unclear(moves: RootMoves, expected_win_rate: float | None = None) -> bool:
    """Whether the choice deserves more time: the most visited move is not the one with the highest value (Baier and
    Winands 2012: UNST), or its win rate is DROP below the expected one.

    expected_win_rate: of the side to move, from 0 to 1, before this search; None: unknown.
    """
    if len(moves.visits) < 2:
        return False
    most = int(moves.visits.argmax())
    return _best_by_value(moves) != most or (
        expected_win_rate is not None and bool((1 + moves.means[most]) / 2 < expected_win_rate - DROP))


def _best_by_value(moves: RootMoves) -> int:
    compared = (moves.visits > 0) & (moves.visits >= COMPARED_SHARE * moves.visits.max())
    return int(np.where(compared, moves.means, -np.inf).argmax())
