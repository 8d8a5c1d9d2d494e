"""The root of a search: its position, the moves that may be searched there, and their priors.

    AvoidedMoves       moves that a search leaves out, down to a depth: KataGo's avoidMoves and allowMoves, and a region
    RootSymmetries     KataGo's rootSymmetryPruning: of moves that a symmetry of the position maps to each other, one is
                       searched.  A symmetry maps stones to stones of the same colour and legal moves to legal ones.
                       What was played before is not looked at, though a network sees the last moves
    Root               both, and what they make of the edges of the tree's root
"""
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
from mugo.games.board import BLACK, POINTS, WHITE
from mugo.games.coords import PASS, BoardSize, board_points, move_index, point_of_index, row_col, symmetries
from mugo.games.position import BasePosition
from mugo.mcts.records import MAX_DEPTH
from mugo.mcts.result import MoveInfo
from mugo.mcts.settings import Settings


@dataclass
class AvoidedMoves:
    """depths: (colour, point) -> how many plies from the root the move is left out, 1 for the next move only.  A pass,
    PASS, is left out at the root only, so that nobody has to fill the own eyes.
    named: (colour, point) of the moves that `allow` names.  The root considers them even if they fill an own eye."""
    depths: dict[tuple[int, int], int] = field(default_factory=dict)
    named: set[tuple[int, int]] = field(default_factory=set)

    def avoid(self, colour: int, points: Collection[int], depth: int) -> None:
        """Also leave these moves out; depth 0: none."""
        for point in points if depth else ():
            self.depths[colour, point] = max(depth, self.depths.get((colour, point), 0))

    def allow(self, colour: int, points: Collection[int], depth: int, size: BoardSize) -> None:
        """Leave all moves out but these."""
        self.avoid(colour, {PASS, *board_points(size).tolist()} - set(points), depth)
        self.named |= {(colour, point) for point in points}

    def update(self, other: "AvoidedMoves") -> None:
        """Also leave out what another one leaves out."""
        for (colour, point), depth in other.depths.items():
            self.avoid(colour, [point], depth)
        self.named |= other.named

    def allowed_at(self, position: BasePosition) -> list[int] | None:
        """The legal moves, PASS for a pass, that are left at the root; None where its side to move has all."""
        avoided = {point for colour, point in self.depths if colour == position.to_play}
        if not avoided:
            return None
        legal = position.legal_points().tolist() + [PASS] * position.may_pass
        return [point for point in legal if point not in avoided]

    def considered_at(self, position: BasePosition) -> list[int] | None:
        """Those of `allowed_at` that fill no own true eye or are named."""
        allowed = self.allowed_at(position)
        if allowed is None:
            return None
        considered = {PASS, *position.sensible_points().tolist(),
                      *(point for colour, point in self.named if colour == position.to_play)}
        return [point for point in allowed if point in considered]

    def below_root(self) -> dict[tuple[int, int], int]:
        """The part of `depths` that is of moves after the first."""
        return {move: depth for move, depth in self.depths.items() if depth > 1 and move[1] != PASS}

    def until(self, plies: int) -> np.ndarray:
        """int32 (2 * POINTS,), Black's points and then White's: the plies of the game before which a move is left out
        below the root, which has this many plies; 0 where it never is."""
        until = np.zeros((2, POINTS), np.int32)
        for (colour, point), depth in self.below_root().items():
            until[int(colour == WHITE), point] = plies + depth
        return until.ravel()


def avoided_outside(points: Collection[int], size: BoardSize) -> AvoidedMoves:
    """All moves of both sides outside a region, at any depth."""
    avoided = AvoidedMoves()
    for colour in BLACK, WHITE:
        avoided.avoid(colour, {PASS, *board_points(size).tolist()} - set(points), MAX_DEPTH)
    return avoided


def with_temperature(priors: np.ndarray, temperature: float) -> np.ndarray:
    """float64 (n,): prior^(1 / temperature), normalised (KataGo's rootPolicyTemperature); above 1 it is flatter.
    priors: the priors of the moves that are searched, so they need not sum to 1."""
    # In logarithms, so that a low temperature does not underflow to all zeros.
    logits = np.log(np.maximum(priors, 1e-30).astype(np.float64)) / temperature
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def with_dirichlet_noise(priors: np.ndarray, weight: float, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """float64 (n,): (1 - weight) prior + weight Dirichlet(alpha) (Silver et al. 2017)."""
    if not weight:
        return priors
    return (1 - weight) * priors + weight * rng.dirichlet(np.full(len(priors), alpha))


class RootSymmetries:
    """The moves of a position that are not searched, because one that is symmetric to them is.

    allowed_moves: those that may be searched; None: all legal ones.  prunes: whether anything is pruned at all.
    pruned: point -> (the point searched in its stead, int64 (points + 1,) move indices: the symmetry that maps that one
    to this).  Empty where nothing is symmetric.
    """

    def __init__(self, position: BasePosition, allowed_moves: Collection[int] | None = None, prunes: bool = True):
        self._shape = position.shape
        self._priors: dict[int, float] = {}
        self.pruned: dict[int, tuple[int, np.ndarray]] = {}
        if not prunes or len(maps := symmetries_of(position)) < 2:
            return
        legal = {*position.legal_points().tolist()} if allowed_moves is None else {*allowed_moves} - {PASS}
        for point in sorted(legal, key=self._distance_from_upper_right):
            if point not in self.pruned:
                images = maps[:, move_index(point, self._shape)].tolist()
                for image, of in zip(images, maps, strict=True):
                    copy = point_of_index(image, self._shape)
                    if copy != point and copy in legal:
                        self.pruned.setdefault(copy, (point, of))

    def _distance_from_upper_right(self, point: int) -> tuple[int, int]:
        """Small for the move that is searched, where a first move is customarily played: in the upper right corner."""
        row, col = row_col(point, self._shape) or (0, 0)
        return row - col, -col

    def searched(self, position: BasePosition, allowed_moves: Collection[int] | None) -> Collection[int] | None:
        """allowed_moves without those pruned."""
        if not self.pruned:
            return allowed_moves
        if allowed_moves is None:
            allowed_moves = [*position.legal_points().tolist(), PASS]
        return [point for point in allowed_moves if point not in self.pruned]

    def stand_in(self, point: int) -> int:
        """The move that is searched in the stead of this one; itself, if it is searched."""
        return self.pruned[point][0] if point in self.pruned else point

    def summed_priors(self, moves: np.ndarray, priors: np.ndarray) -> np.ndarray:
        """float32 (n,): the priors of the root's moves, those that are searched with those of the moves that they stand
        for.  A network sees the last moves, so the priors of symmetric moves may differ."""
        places = {move: i for i, move in enumerate(moves.tolist())}
        self._priors = dict(zip(moves.tolist(), priors.tolist(), strict=True)) if self.pruned else {}
        priors = priors.copy()
        for point, (searched, _) in self.pruned.items():
            if searched in places:
                priors[places[searched]] += self._priors.get(point, 0.0)
        return priors

    def with_pruned(self, infos: tuple[MoveInfo, ...]) -> tuple[MoveInfo, ...]:
        """These moves, each followed by those that are symmetric to it, with its statistics and their own priors."""
        if not self.pruned:
            return infos
        copies: dict[int, list[np.ndarray]] = {}
        for point, of in self.pruned.values():
            copies.setdefault(point, []).append(of)
        return tuple(each for info in infos for each in (
            info, *(self._copied(info, of) for of in copies.get(info.point, ()))))

    def _copied(self, info: MoveInfo, of: np.ndarray) -> MoveInfo:
        """What a move that was searched says of the one that a symmetry maps it to."""
        pv = tuple(point_of_index(int(of[move_index(point, self._shape)]), self._shape) for point in info.pv)
        return replace(info, point=pv[0], pv=pv, prior=self._priors.get(pv[0], info.prior), symmetry_of=info)


class Root:
    """The root of one search.

    position; board: its BOARD, with one pass at the most, since two may be searched on.  history: uint64, the hashes of
    the positions up to it, and room for a path.
    asked: the legal moves that are searched whatever the search thinks of them, None where it chooses them itself;
    allowed: the points (and PASS) that may be selected, None: all.  may_pass: whether a pass may be, next to others.
    avoided: the moves left out below it.  symmetries: the symmetries of the moves that are not searched.
    unsettled: the points that share unsettled_prior, None before the game is nearly over.
    priors: float32 (k,), of its edges before the options of the root change them; None before it has edges.
    """

    def __init__(self, position: BasePosition, *, allowed_moves: Collection[int] | None, may_pass: bool,
                 avoided: AvoidedMoves, prunes: bool, unsettled: np.ndarray | None):
        self.position = position
        self.board = position.board.copy()[0]
        self.board["passes"] = min(self.board["passes"], 1)
        self.history = np.zeros(position.plies + MAX_DEPTH + 1, np.uint64)
        self.history[:position.plies + 1] = position.history
        if allowed_moves is None:
            allowed_moves = avoided.considered_at(position) or avoided.allowed_at(position)
        self.asked = None if allowed_moves is None else frozenset(allowed_moves)
        self.avoided = avoided
        self.symmetries = RootSymmetries(position, self.asked, prunes and not avoided.below_root())
        searched = self.symmetries.searched(position, self.asked)
        self.allowed = None if searched is None else frozenset(searched)
        self.may_pass = may_pass
        self.unsettled = unsettled
        self.priors: np.ndarray | None = None

    def may_reuse_tree_of(self, before: "Root") -> bool:
        """Whether the tree of another root, that has this position, is of use: not where other moves are left out below
        the root, nor where the priors of a game that is nearly over are new."""
        if not before.position.has_same_rules(self.position) or (self.unsettled is not None
                                                                 and before.unsettled is None):
            return False
        below, was_below = self.avoided.below_root(), before.avoided.below_root()
        return not (below or was_below) or (
            below == was_below and np.array_equal(before.position.history, self.position.history))

    def may_continue(self, before: "Root") -> bool:
        """Whether the visits of another root with this position count: not where it had fewer moves, since they would
        be preferred."""
        return before.allowed in (None, self.allowed)

    def restrict(self, edges: np.ndarray) -> None:
        """Let the search select only the edges of the moves that are allowed, and that superko does not forbid."""
        legal = np.ones(len(edges), bool)
        for i in np.flatnonzero(edges["may_repeat"]).tolist():
            legal[i] = not self.position.why_illegal(int(edges[i]["move"]))
        wanted = legal if self.allowed is None else legal & np.isin(edges["move"], list(self.allowed))
        others = wanted & (edges["move"] != PASS)
        if not self.may_pass and others.any():
            wanted = others
        edges["allowed"] = wanted if wanted.any() else legal

    def set_priors(self, edges: np.ndarray, settings: Settings, rng: np.random.Generator) -> None:
        """Give the edges their priors: with those of the moves that they stand for, temperature, and noise.  priors is
        set."""
        allowed = edges["allowed"]
        assert self.priors is not None
        priors = self.symmetries.summed_priors(edges["move"], self.priors)[allowed]
        priors = with_temperature(priors, settings.root_policy_temperature)
        edges["prior"][allowed] = with_dirichlet_noise(priors, settings.dirichlet_weight, settings.dirichlet_alpha, rng)


def symmetries_of(position: BasePosition) -> np.ndarray:
    """int64 (n, points + 1): the rows of coords.symmetries that map the position to itself, the identity first."""
    table = symmetries(position.shape)
    state = np.append(position.board[0]["colour"][board_points(position.shape)], 0)
    maps = table[(state[table] == state).all(1)]
    if len(maps) > 1:
        legal = np.zeros(len(state), bool)
        legal[[move_index(point, position.shape) for point in position.legal_points().tolist()]] = True
        maps = maps[(legal[maps] == legal).all(1)]
    return maps
