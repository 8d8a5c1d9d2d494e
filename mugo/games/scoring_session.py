"""A finished game counted, with a person's say in which stones are dead.

    Count(position) -- toggle(a chain) --> owners, result, 'Black 45, White 36 and 7.5 komi'

Rollouts guess first which chains are dead (ending.py); the rest is Tromp and Taylor's rule.
"""
from collections.abc import Collection

import numpy as np

from mugo.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import board_points, format_gtp, row_col
from mugo.games.go import Position, format_score


class Count:
    """What a finished game is worth.  dead: the points of the stones that are taken off."""

    def __init__(self, position: Position, dead: Collection[int] | None = None):
        """dead: a point, or more, of each dead chain; None lets rollouts say."""
        self.position = position
        if dead is None:
            kept = scoring.without_dead(position).stones.ravel()
            dead = board_points(position.size)[kept == EMPTY].tolist()
        self.dead = {point for chain in scoring.chains(position) if not set(chain).isdisjoint(dead) for point in chain}

    def toggle(self, point: int) -> None:
        """Make the chain on a point dead, or alive again.  Raises BadInput where there is none."""
        chain = next((chain for chain in scoring.chains(self.position) if point in chain), None)
        if chain is None:
            raise BadInput(f"there is no stone on {format_gtp(point, self.position.size)}; name one that is dead, or "
                           "alive after all")
        self.dead ^= set(chain)

    def ownership(self) -> np.ndarray:
        """int8 (size, size): BLACK, WHITE, or EMPTY for a point that is nobody's."""
        stones = self.position.stones.copy()
        for point in self.dead:
            stones[row_col(point, self.position.size)] = EMPTY
        return area(stones)

    def score(self) -> float:
        """Black's area minus White's, minus komi."""
        return float(self.ownership().sum(dtype=int)) - self.position.komi

    def result(self) -> str:
        """As SGF writes it."""
        return format_score(self.score())

    def __str__(self) -> str:
        ownership = self.ownership()
        return (f"Black {np.count_nonzero(ownership == BLACK)}, White {np.count_nonzero(ownership == WHITE)} and "
                f"{self.position.komi:g} komi: {self.result()}")


def area(stones: np.ndarray) -> np.ndarray:
    """Whose each point of a board of colours, int8 (size, size), is by Tromp and Taylor's rule: a stone's, or that of
    the one colour which the empty points around it reach."""
    size = len(stones)
    found = stones.copy()
    seen = stones != EMPTY
    for start in np.argwhere(~seen).tolist():
        if seen[tuple(start)]:
            continue
        region, edge, touched = [], [tuple(start)], set()
        seen[tuple(start)] = True
        while edge:
            row, col = edge.pop()
            region.append((row, col))
            for near in (row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1):
                if not (0 <= near[0] < size and 0 <= near[1] < size):
                    continue
                if stones[near]:
                    touched.add(int(stones[near]))
                elif not seen[near]:
                    seen[near] = True
                    edge.append(near)
        if len(touched) == 1:
            owner = touched.pop()
            for point in region:
                found[point] = owner
    return found
