"""Moves that a search leaves out, down to a depth: KataGo's avoidMoves and allowMoves, and a region of the board."""
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from mugo.games.board import BLACK, POINTS, WHITE
from mugo.games.coords import PASS, BoardSize, board_points
from mugo.games.position import BasePosition
from mugo.mcts.records import MAX_DEPTH


@dataclass
class AvoidedMoves:
    """depths: (colour, point) -> how many plies from the root the move is left out, 1 for the next move only.  A pass,
    PASS, is left out at the root only, so that nobody has to fill the own eyes.
    named: (colour, point) of the moves that `allow` names.  The root considers them even if they fill an own eye."""
    depths: dict[tuple[int, int], int] = field(default_factory=dict)
    named: set[tuple[int, int]] = field(default_factory=set)

    def avoid(self, colour: int, points: Collection[int], depth: int) -> None:
        """Leave these moves out, too; depth 0: none."""
        for point in points if depth else ():
            self.depths[colour, point] = max(depth, self.depths.get((colour, point), 0))

    def allow(self, colour: int, points: Collection[int], depth: int, size: BoardSize) -> None:
        """Leave all moves out but these."""
        self.avoid(colour, {PASS, *board_points(size).tolist()} - set(points), depth)
        self.named |= {(colour, point) for point in points}

    def update(self, other: "AvoidedMoves") -> None:
        """Leave out what another one leaves out, too."""
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
        below the root, which has so many plies; 0 where it never is."""
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
