"""The score of a finished game of Go, with dead stones that a person can change.

    ScoringSession(position) -- toggle(point) ... --> ownership(), score(), result()

The program proposes the dead chains (dead_stones.py).  The game is then scored by its rules: by area as Tromp and
Taylor do (https://tromp.github.io/go.html), or by territory and prisoners, without points in seki.
"""
from collections.abc import Collection

import numpy as np

from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import board_points, format_gtp
from mugo.games.go import NO_RESULT, GoPosition, format_komi, format_score


class ScoringSession:
    """A finished position and its dead stones; dead: their points."""

    def __init__(self, position: GoPosition, dead: Collection[int] | None = None):
        """dead: one or more points of each dead chain; None: the chains that rollouts take for dead,
        none by rules that remove no dead stones."""
        self.position = position
        if dead is not None:
            marked = set(dead)
        elif position.removes_dead_stones:               # points that are empty, or would be
            is_empty = scoring.without_dead(position).stones.ravel() == EMPTY
            marked = set(board_points(position.shape)[is_empty].tolist())
        else:
            marked = set()
        self.dead = {point for chain in scoring.chains(position) if not marked.isdisjoint(chain) for point in chain}

    def toggle(self, point: int) -> None:
        """Switch the chain on a point between dead and alive.  Raises BadInput if the point is empty."""
        chain = next((chain for chain in scoring.chains(self.position) if point in chain), None)
        if chain is None:
            raise BadInput(f"there is no stone on {format_gtp(point, self.position.shape)}; name a point of a chain to "
                           "mark it dead or alive")
        self.dead ^= set(chain)

    def ownership(self) -> np.ndarray:
        """int8 (rows, columns): BLACK, WHITE, or EMPTY for a neutral point (scoring.final_owners); dead stones are
        removed."""
        shape = self.position.shape
        return scoring.final_owners(self._cleared(), self.position)[board_points(shape)].reshape(shape)

    def points(self) -> dict[int, int]:
        """Of each colour: its area, or its territory and prisoners."""
        ownership, cleared = self.ownership(), self._cleared()
        if not cleared.counts_territory:
            return {colour: int((ownership == colour).sum()) for colour in (BLACK, WHITE)}
        return {colour: int(((ownership == colour) & (cleared.stones == EMPTY)).sum()) + prisoners
                for colour, prisoners in self.prisoners().items()}

    def prisoners(self) -> dict[int, int]:
        """Of each colour: the stones that it has captured, and the opponent's dead ones."""
        return self._cleared().captures

    def _cleared(self) -> GoPosition:
        return self.position.without_stones(self.dead)

    def score(self) -> float:
        """Black's points minus White's points minus those by komi and for handicap stones."""
        points = self.points()
        return points[BLACK] - points[WHITE] - self.position.white_points

    def result(self) -> str:
        """The score as an SGF result: 'B+3.5', 'W+0.5', '0', or go.NO_RESULT."""
        return NO_RESULT if self.position.is_no_result else format_score(self.score())

    def __str__(self) -> str:
        points, prisoners = self.points(), self.prisoners()
        of_them = {colour: f" (prisoners: {prisoners[colour]})" if self.position.counts_territory else ""
                   for colour in (BLACK, WHITE)}
        return (f"Black {points[BLACK]}{of_them[BLACK]}, White {points[WHITE]}{of_them[WHITE]} and "
                f"{format_komi(self.position)}: {self.result()}")
