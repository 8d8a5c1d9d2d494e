"""What a search returns: a SearchResult, with a MoveInfo for every move at the root, the best first.

The move to play may be chosen by the lower confidence bound (LCB) of its value, as KataGo and Leela Zero do:

    lcb = mean - stdevs * standard error of the mean

As in KataGo (getSelfUtilityLCBAndRadius), n visits get one more observation of the largest variance, with weight
1 / n², so that few visits that agree are no evidence.
"""
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from mugo.core.intervals import lower_confidence_bound
from mugo.games.coords import format_gtp
from mugo.games.position import BasePosition
from mugo.mcts.records import NULL_NODE
from mugo.mcts.settings import LCB_STDEVS, MIN_VISIT_PROP
from mugo.mcts.solver import LOSS, WIN

_LARGEST_VARIANCE = 1.0                  # of values from -1 to 1
_UNVISITED = -3.0                        # the bound of a move without visits: below those of all others


def standard_errors(visits: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """float64 (n,): of means over this many visits (at least 1), given the variances of the values."""
    weight = 1.0 / visits.astype(np.float64) ** 2
    total = visits + weight
    variances = np.maximum(variances, 1e-8) + _LARGEST_VARIANCE * weight / total
    return np.sqrt(variances * (visits + weight ** 2)) / total


def lower_confidence_bounds(visits: np.ndarray, means: np.ndarray, squares: np.ndarray, stdevs: float = LCB_STDEVS
                            ) -> np.ndarray:
    """float64 (n,): the bounds of n moves.  visits: int.  means, squares: the means of the values, and of their
    squares.  stdevs: how many standard errors below the mean."""
    counts = np.maximum(visits, 1)
    bounds = means - stdevs * standard_errors(counts, squares - means ** 2)
    return np.where(visits > 0, bounds, _UNVISITED)


def best_by_lcb(visits: np.ndarray, bounds: np.ndarray, min_visit_prop: float = MIN_VISIT_PROP) -> int:
    """The index of the move with the highest bound, of those that have this proportion of the most visits; with equal
    bounds the most visited.  Bounds below -1, which say only that a move has few visits, count as equal."""
    eligible = (visits > 0) & (visits >= min_visit_prop * visits.max())
    if not eligible.any():
        return 0
    return int(max(np.flatnonzero(eligible), key=lambda i: (max(bounds[i], -1.0), visits[i])))


OUTCOMES = {1: "win", 0: "draw", -1: "loss"}             # of MoveInfo.proven


@dataclass(frozen=True)
class MoveInfo:
    """A move at the root.

    point: the move (PASS for a pass).  prior: from 0 to 1.  visits: the visits of its edge.  win_rate: for the side to
    move, from 0 to 1.  pv: the principal variation as points, this move first.
    proven: 1 if the move is a proven win of the side to move, 0 a draw, -1 a loss; None if its value is not proven.
    score_lead: points by which the side to move leads after the move, komi included, the mean over leaves (KataGo's
    scoreLead); None for networks without a score, and where none of its leaves was evaluated.
    score_stdev: the standard deviation of that score.
    lcb: the lower confidence bound by which a move is chosen, that of (1 + utility) / 2, below 0 for few visits; None
    where there was no search.
    score_utility: the part of the mean value that is for the score (tree), 0 where the search has none.
    symmetry_of: the move that was searched in its stead, by which all of this is known (root); else None.
    lower_bound: the lower bound of the win rate, from 0, for protocols; without a search a binomial one.  A proven
    value is its own bound.
    utility: the mean value, from -1 to 1 and the part for the score.  utility_lcb: its lower bound.
    """
    point: int
    prior: float
    visits: int
    win_rate: float
    pv: tuple[int, ...]
    proven: int | None = None
    score_lead: float | None = None
    score_stdev: float | None = None
    lcb: float | None = None
    score_utility: float = 0.0
    symmetry_of: "MoveInfo | None" = None

    @property
    def lower_bound(self) -> float:
        if self.proven is not None:
            return self.win_rate
        if self.lcb is None:
            return lower_confidence_bound(self.win_rate, self.visits)
        return max(self.lcb - self.score_utility / 2, 0.0)

    @property
    def utility(self) -> float:
        return 2 * self.win_rate - 1 + self.score_utility

    @property
    def utility_lcb(self) -> float:
        return 2 * self.lower_bound - 1 + self.score_utility


def distinct(infos: Iterable[MoveInfo]) -> list[MoveInfo]:
    """These moves without those that are symmetric to one that was searched in their stead."""
    return [info for info in infos if info.symmetry_of is None]


@dataclass(frozen=True)
class SearchResult:
    """The statistics of the root after a search.

    moves: every move at the root that repeats no position: those that prove its value, wins with the shortest first;
    then by visits, proven losses last.  Each is followed by its symmetric ones (MoveInfo.symmetry_of).
    win_rate: for the side to move, from 0 to 1.  visits: the visits of the root, including those of a reused tree.
    simulations, seconds, rollouts: the simulations, seconds and rollouts of this search.  depth: mean number of moves
    from the root to a leaf.
    nodes: in the tree.
    ownership: float32 (rows, columns), 1 Black, -1 White, the mean over the leaves of this search by the network and by
    rollouts, weighted by lambda as the value is; None without both, and in Gomoku.
    proven: the exact value of the position, as in a MoveInfo, for the moves that the search was allowed.
    score_lead, score_stdev: the mean and standard deviation of the position, as in a MoveInfo.
    score_utility: the part of the value of the position that is for the score, as in a MoveInfo.
    is_full: whether the tree has no room for another node, so that more simulations do not read deeper.
    min_visit_prop_for_lcb: a move chosen by its LCB has at least this proportion of the most visits.
    lower_bound: the binomial lower confidence bound of the win rate; of a proven position its value.
    """
    position: BasePosition
    moves: tuple[MoveInfo, ...]
    win_rate: float
    visits: int
    simulations: int
    seconds: float
    depth: float
    nodes: int
    rollouts: int
    ownership: np.ndarray | None
    proven: int | None = None
    score_lead: float | None = None
    score_stdev: float | None = None
    is_full: bool = False
    min_visit_prop_for_lcb: float = MIN_VISIT_PROP
    score_utility: float = 0.0

    @property
    def lower_bound(self) -> float:
        if self.proven is not None:
            return self.win_rate
        return lower_confidence_bound(self.win_rate, self.visits)

    @property
    def warning(self) -> str:
        """What a person should know about the search: that its tree is full; "" if it is not."""
        return f"the search tree is full with {self.nodes:,} nodes and reads no deeper" if self.is_full else ""

    def best(self, select_by: str = "visits") -> MoveInfo:
        """The move to play: one that proves the value of the position, a win the shortest; else the move with the most
        visits, or, select_by="value", with the highest mean value of those visited, or, "lcb", with the highest lower
        confidence bound of those with enough visits.  A proven loss only where all moves are; then the most visited
        one."""
        if select_by == "visits" or self.proven is not None:
            return self.moves[0]
        infos = [info for info in self.moves if info.proven != -1]
        if select_by == "lcb":
            bounds = np.array([-1.0 if info.lcb is None else 2 * info.lcb - 1 for info in infos])
            return infos[best_by_lcb(np.array([info.visits for info in infos]), bounds, self.min_visit_prop_for_lcb)]
        return max(infos, key=lambda info: (info.visits > 0, info.utility, info.visits))

    def ordered(self, select_by: str = "visits", played: int | None = None) -> "SearchResult":
        """With the move of `best` first, by "value" the others in the order of their values too.  played: the point
        that was played instead, PASS for a pass; the search may not have looked at it."""
        moves = sorted(self.moves, key=lambda info: (not info.visits, -info.utility)) if select_by == "value" \
            else self.moves
        first = self.best(select_by)
        if played is not None and played != first.point:
            first = next((info for info in moves if info.point == played), None)
            if first is None:
                first = MoveInfo(played, 0.0, 0, self.win_rate, (played,))
                moves = (first, *moves)
        return replace(self, moves=tuple(sorted(
            moves, key=lambda info: 0 if info is first else 1 if info.symmetry_of is first else 2)))

    def describe(self, info: MoveInfo) -> str:
        """One line about a move: win rate, lead, simulations, time, principal variation."""
        lead = "" if info.score_lead is None else f", lead {info.score_lead:+.1f}"
        proven = "" if info.proven is None else f" (proven {OUTCOMES[info.proven]})"
        full = ", the tree is full" if self.is_full else ""
        return (f"win rate {info.win_rate:.1%}{proven}{lead}, {self.simulations} simulations in {self.seconds:.2f} s"
                f"{full}, {self._vertices(info.pv)}")

    def __str__(self) -> str:
        return self.describe(self.moves[0])

    def table(self, n: int = 10) -> str:
        """The n best moves, a line each: move, win rate, visits, prior, proven value, principal variation; of symmetric
        moves one."""
        moves = distinct(self.moves)[:n]
        proven = {info: "" if info.proven is None else f"proven {OUTCOMES[info.proven]}  " for info in moves}
        return "\n".join(
            f"{self._vertices([info.point]):>4} {info.win_rate:6.1%} {info.visits:8d} {info.prior:6.1%}  {text}"
            f"{self._vertices(info.pv)}" for info, text in proven.items())

    def _vertices(self, points: Sequence[int]) -> str:
        return " ".join(format_gtp(point, self.position.shape) for point in points)


PV_LENGTH = 8                            # moves of a principal variation
PV_MOVES = 20                            # moves that get one


class RootMoves(NamedTuple):
    """The moves at the root that are not proven to lose.  visits: int64 (n,).  means, squares: float64 (n,), of the
    values of their simulations, from -1 to 1, and of their squares."""
    visits: np.ndarray
    means: np.ndarray
    squares: np.ndarray


def root_moves(nodes: np.ndarray, edges: np.ndarray) -> RootMoves:
    """The statistics of edges: NODE (n,), EDGE (k,).  Values come from the nodes that they lead to, over all paths,
    and exact where they are proven."""
    below = edges["node"]
    known, proven = below != NULL_NODE, edges["lower"] == edges["upper"]
    means = np.where(known, -nodes["total"][below] / np.maximum(nodes["visits"][below], 1), edges["q"])
    means = np.where(proven, edges["lower"], means)
    squares = np.where(proven, means ** 2, np.where(known, nodes["value_square"][below], 1.0))
    return RootMoves(edges["visits"].astype(np.int64), means, squares)


def utility_of_score(node: np.ndarray) -> float:
    """The part of a node's mean value that is for the score; 0 without visits."""
    return float(node["score_utility"]) * int(node["scored"]) / max(int(node["visits"]), 1)


def score_of(node: np.ndarray) -> tuple[float | None, float | None]:
    """(mean, standard deviation) of a node's score, in points of its side to move; None where no leaf has one."""
    if not node["scored"]:
        return None, None
    mean = float(node["score_mean"])
    return mean, math.sqrt(max(float(node["score_square"]) - mean * mean, 0.0))


def move_infos(nodes: np.ndarray, edges: np.ndarray, block: np.ndarray, lengths: np.ndarray | None = None,
               lcb_stdevs: float = LCB_STDEVS, priors: np.ndarray | None = None) -> tuple[MoveInfo, ...]:
    """A MoveInfo for each edge of a node, by `ranking`.  nodes, edges: the nodes and edges of the tree.  block: the
    edges of the node.
    lengths: as in ranking.  priors: the priors of the edges; None as they stand."""
    order = ranking(block, lengths)
    priors = block["prior"] if priors is None else priors
    lcbs = (1 + lower_confidence_bounds(*root_moves(nodes, block), lcb_stdevs)) / 2
    pv_lengths = (PV_LENGTH if rank < PV_MOVES else 1 for rank in range(len(order)))
    return tuple(_move_info(nodes, edges, block[i], float(priors[i]), float(lcbs[i]), length)
                 for i, length in zip(order.tolist(), pv_lengths, strict=True))


def _move_info(nodes: np.ndarray, edges: np.ndarray, edge: np.ndarray, prior: float, lcb: float, moves: int
               ) -> MoveInfo:
    """An edge as a MoveInfo; moves: the length of its principal variation."""
    pv = [int(edge["move"])]
    if edge["visits"] and edge["node"] != NULL_NODE and moves > 1:
        pv += principal_variation(nodes, edges, int(edge["node"]), moves - 1)
    proven = int(edge["lower"]) if edge["lower"] == edge["upper"] else None
    mean, stdev = (None, None) if edge["node"] == NULL_NODE else score_of(nodes[edge["node"]])
    of_score = 0.0 if mean is None or proven is not None else -utility_of_score(nodes[edge["node"]])
    win_rate = (1 + float(edge["q"]) - of_score) / 2 if proven is None else (1 + proven) / 2
    return MoveInfo(pv[0], prior, int(edge["visits"]), min(max(win_rate, 0.0), 1.0), tuple(pv), proven,
                    None if mean is None else -mean, stdev, lcb, of_score)


def principal_variation(nodes, edges, node: int, longest: int) -> list[int]:
    """The best moves by `ranking` from a node on, at most `longest`, as points."""
    moves = []
    while len(moves) < longest and nodes[node]["count"]:
        first = nodes[node]["first"]
        block = edges[first:first + nodes[node]["count"]]
        best = block[ranking(block)[0]]
        if best["visits"] == 0 and best["lower"] < WIN:
            break
        moves.append(int(best["move"]))
        node = int(best["node"])
    return moves


def ranking(block: np.ndarray, lengths: np.ndarray | None = None) -> np.ndarray:
    """The indices of a node's edges, the best first: those without a proven mistake by visits, proven losses last.
    lengths: the lengths of the proofs of a won node, by node; the shortest win comes first."""
    keys = [-block["prior"], -block["visits"].astype(np.int64), block["upper"] == LOSS, is_proven_mistake(block)]
    if lengths is not None:
        keys.insert(-2, np.where((block["lower"] == WIN) & (block["node"] != NULL_NODE), lengths[block["node"]], 0))
    return np.lexsort(keys)


def is_proven_mistake(block: np.ndarray) -> np.ndarray:
    """bool (n,): which edges of a node must not be played: proven losses where another move is not, and where the value
    of the node is proven, those that may be worse."""
    lower, upper = block["lower"].max(initial=LOSS), block["upper"].max(initial=LOSS)
    return block["lower"] < lower if lower == upper else block["upper"] == LOSS
