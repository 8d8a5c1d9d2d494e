"""Root symmetry pruning: of moves that a symmetry of the position maps to each other, one is searched.

KataGo's rootSymmetryPruning.  A symmetry maps the position to itself if it maps stones to stones of the same colour and
legal moves to legal ones.  What was played before is not looked at, though a network sees the last moves.
"""
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mugo.games.coords import PASS, board_points, move_index, point_of_index, row_col, symmetries
from mugo.games.position import BasePosition
from mugo.mcts.result import MoveInfo


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

    def note_priors(self, edges: np.ndarray) -> None:
        """Note the priors of all edges of the root, before those pruned are hidden.  A network sees the last moves, so
        those of symmetric moves may differ."""
        self._priors = dict(zip(edges["move"].tolist(), edges["prior"].tolist(), strict=True)) if self.pruned else {}

    def summed_priors(self, edges: np.ndarray) -> np.ndarray:
        """float32 (n,): the priors of the edges that are searched, each with those of the moves that it stands for."""
        priors = edges["prior"].copy()
        places = {move: i for i, move in enumerate(edges["move"].tolist())}
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
