"""The score of a finished game of Go, with dead stones that a person can change.

    ScoringSession(position) -- toggle(point) ... --> ownership(), score(), result()

Rollouts propose the dead chains (scoring.py).  The area is then counted by the Tromp-Taylor rules
(https://tromp.github.io/go.html).
"""
from collections.abc import Collection

import numpy as np

from mugo.files import BadInput
from mugo.games import area, scoring
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE, clear, new_boards
from mugo.games.coords import board_points, format_gtp, row_col
from mugo.games.go import Position, format_komi, format_score


class ScoringSession:
    """A finished position and its dead stones.

    dead: the points of all dead stones.
    """

    def __init__(self, position: Position, dead: Collection[int] | None = None):
        """dead: one or more points of each dead chain; None: the chains that rollouts take for dead."""
        self.position = position
        marked = set(_empty_or_dead_points(position) if dead is None else dead)
        self.dead = {point for chain in scoring.chains(position) if not marked.isdisjoint(chain) for point in chain}

    def toggle(self, point: int) -> None:
        """Switch the chain on a point between dead and alive.  Raises BadInput if the point is empty."""
        chain = next((chain for chain in scoring.chains(self.position) if point in chain), None)
        if chain is None:
            raise BadInput(f"there is no stone on {format_gtp(point, self.position.size)}; name a point of a chain to "
                           "mark it dead or alive")
        self.dead ^= set(chain)

    def ownership(self) -> np.ndarray:
        """int8 (size, size): BLACK, WHITE, or EMPTY for a neutral point; dead stones are removed."""
        stones = self.position.stones.copy()
        for point in self.dead:
            stones[row_col(point, self.position.size)] = EMPTY
        return area_ownership(stones)

    def score(self) -> float:
        """Black's area minus White's area minus White's points by komi and for handicap stones."""
        return float(self.ownership().sum(dtype=int)) - self.position.white_points

    def result(self) -> str:
        """The score as an SGF result: 'B+3.5', 'W+0.5', '0'."""
        return format_score(self.score())

    def __str__(self) -> str:
        ownership = self.ownership()
        return (f"Black {np.count_nonzero(ownership == BLACK)}, White {np.count_nonzero(ownership == WHITE)} and "
                f"{format_komi(self.position)}: {self.result()}")


def _empty_or_dead_points(position: Position) -> list[int]:
    """The empty points and the dead stones of a position, by rollouts."""
    stones = scoring.without_dead(position).stones.ravel()
    return board_points(position.size)[stones == EMPTY].tolist()


def area_ownership(stones: np.ndarray) -> np.ndarray:
    """The owner of every point by the Tromp-Taylor rules, int8 (size, size): BLACK, WHITE or EMPTY.

    stones: int8 (size, size), all alive.  An empty region belongs to the colour that alone borders it, and to nobody
    if both colours or none do.
    """
    size = len(stones)
    boards, owners, points = new_boards(1), np.empty(POINTS, np.int8), board_points(len(stones))
    clear(boards[0], size)
    boards[0]["colour"][points] = stones.ravel()
    area.area_ownership(boards[0], owners)
    return owners[points].reshape(size, size)
