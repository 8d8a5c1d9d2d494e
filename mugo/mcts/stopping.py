"""When a search ends: at its limits, or before them where the choice of the move is decided (is_decided)."""
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mugo.mcts.lcb import best_by_lcb, lower_confidence_bounds, standard_errors
from mugo.mcts.records import NULL_NODE
from mugo.mcts.settings import Settings


class RootMoves(NamedTuple):
    """The moves at the root that are not proven to lose.  visits: int64 (n,).  means, squares: float64 (n,), of the
    values of their simulations, from -1 to 1, and of their squares."""
    visits: np.ndarray
    means: np.ndarray
    squares: np.ndarray


def root_moves(nodes: np.ndarray, edges: np.ndarray) -> RootMoves:
    """The statistics of edges: NODE (n,), EDGE (k,).  Values are those of the nodes that they lead to, over all paths,
    and exact where they are proven."""
    below = edges["node"]
    known, proven = below != NULL_NODE, edges["lower"] == edges["upper"]
    means = np.where(known, -nodes["total"][below] / np.maximum(nodes["visits"][below], 1), edges["q"])
    means = np.where(proven, edges["lower"], means)
    squares = np.where(proven, means ** 2, np.where(known, nodes["value_square"][below], 1.0))
    return RootMoves(edges["visits"].astype(np.int64), means, squares)


@dataclass(frozen=True)
class SearchLimits:
    """The limits of one search.  simulations, deadline: math.inf without a limit.  started, deadline: the time in
    seconds.  select_by: how the move is chosen, as in SearchResult.best; None: the search is to evaluate."""
    settings: Settings
    simulations: float
    started: float
    deadline: float
    select_by: str | None

    def rate(self, done: int, now: float) -> float:
        """Simulations a second."""
        return done / max(now - self.started, 1e-6)

    def simulations_left(self, done: int, now: float) -> float:
        """How many simulations are left, at most; the rate is unknown at first."""
        left = self.simulations - done
        if self.deadline == math.inf:
            return left
        if now - self.started <= (self.deadline - self.started) / 20:
            return math.inf
        return min(left, (self.deadline - now) * self.rate(done, now))

    def are_reached(self, done: int, now: float, moves: Callable[[], RootMoves]) -> bool:
        """Whether the search ends after so many simulations.  moves: returns those at the root."""
        return done >= self.simulations or now >= self.deadline or (
            self.settings.early_stop
            and is_decided(moves(), self.simulations_left(done, now), self.select_by, self.settings))


def is_decided(moves: RootMoves, left: float, select_by: str | None, settings: Settings) -> bool:
    """Whether `left` more simulations, whatever their values, cannot change which move is chosen.  select_by: as in
    SearchLimits; None is by visits, but does not end because one move is left."""
    if len(moves.visits) < 2:
        return select_by is not None and len(moves.visits) == 1
    if select_by == "value":                             # every simulation may change it
        return False
    if select_by == "lcb":
        return left < math.inf and _is_decided_by_lcb(moves, left, settings)
    second, first = np.partition(moves.visits, len(moves.visits) - 2)[-2:]
    return bool(first - second > left)


def _is_decided_by_lcb(moves: RootMoves, left: float, settings: Settings) -> bool:
    """By bounds: the chosen move loses all simulations that are left, or any other move wins them all."""
    visits, means, squares = moves
    most = left * (1 + settings.score_utility_factor(0))         # the sum of the values that are left, on any board
    chosen = best_by_lcb(visits, lower_confidence_bounds(*moves, settings.lcb_stdevs), settings.min_visit_prop_for_lcb)
    n = visits[chosen]
    others = np.arange(len(visits)) != chosen
    if n == 0 or n < settings.min_visit_prop_for_lcb * (visits[others].max() + left):
        return False
    lowest, highest = ((n * means[chosen] + sign * most) / (n + left) for sign in (-1, 1))
    least_square = 0.0 if lowest < 0 < highest else min(lowest ** 2, highest ** 2)
    variance = (n * squares[chosen] + most ** 2 / max(left, 1)) / (n + left) - least_square
    worst = lowest - settings.lcb_stdevs * standard_errors(np.array([n]), np.array([variance]))[0]
    contenders = others & (visits + left >= settings.min_visit_prop_for_lcb * visits.max())
    best = (visits * means + most) / np.maximum(visits + left, 1)
    return bool((best[contenders] < worst).all())
