"""What a search returns: a SearchResult, with a MoveInfo for every move at the root."""
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mugo.games.coords import format_gtp
from mugo.games.position import BasePosition
from mugo.core.intervals import lower_confidence_bound
from mugo.mcts.lcb import MIN_VISIT_PROP, best_by_lcb

OUTCOMES = {1: "win", 0: "draw", -1: "loss"}             # of MoveInfo.proven


@dataclass(frozen=True)
class MoveInfo:
    """A move at the root.

    point: the move (PASS for a pass).  prior: from 0 to 1.  visits: of its edge.  win_rate: of the side to move, from
    0 to 1.  pv: the principal variation as points, this move first.
    proven: 1 if the move is a proven win of the side to move, 0 a draw, -1 a loss; None if its value is not proven.
    score_lead: points by which the side to move leads after the move, komi included, the mean over leaves (KataGo's
    scoreLead); None for networks without a score, and where none of its leaves was evaluated.
    score_stdev: the standard deviation of that score.
    lcb: the lower confidence bound by which a move is chosen, that of (1 + utility) / 2, below 0 for few visits; None
    where there was no search.
    score_utility: the part of the mean value that is for the score (scores), 0 where the search has none.
    symmetry_of: the move that was searched in its stead, by which all of this is known (root_symmetry); else None.
    lower_bound: of the win rate, from 0, for protocols; without a search a binomial one.  A proven value is its own
    bound.
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

    moves: every move at the root that repeats no position, the best first: where the position is proven, the moves that
    prove its value, wins with the shortest first; then by visits, proven losses last.  Each is followed by those that
    are symmetric to it and were not searched (MoveInfo.symmetry_of).
    win_rate: of the side to move, from 0 to 1.  visits: of the root, including those of a reused tree.
    simulations, seconds, rollouts: of this search.  depth: mean number of moves from the root to a leaf.
    nodes: in the tree.
    ownership: float32 (rows, columns), 1 Black, -1 White, the mean over the leaves of this search that a network with
    ownership evaluated, or over its rollouts, or both, weighted by lambda as the value is; None without both, and in
    Gomoku.
    proven: the exact value of the position, as in a MoveInfo, for the moves that the search was allowed.
    score_lead, score_stdev: of the position, as in a MoveInfo.
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
