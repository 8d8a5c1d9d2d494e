"""The dialog after two passes: a person agrees to the score, or changes which chains are dead.

    ScoreDialog(position, show, print_line) -- toggle(point) ... --> result()
"""
from collections.abc import Callable

import numpy as np

from mugo.games.go import Position
from mugo.games.scoring_session import ScoringSession

PROMPT = "dead stones> "


class ScoreDialog:
    """Shows the score of a finished game of Go, at the start and after each change.

    show: draws the board with its ownership, int8 (rows, columns).  print_line: prints a text.
    """

    def __init__(self, position: Position, show: Callable[[np.ndarray], None], print_line: Callable[[str], None]):
        self._scoring = ScoringSession(position)
        self._show, self._print = show, print_line
        self.show()

    def show(self) -> None:
        """Draw the board with its owners and dead stones, and print the score."""
        self._show(self._scoring.ownership())
        self._print(f"{self._scoring}\nEnter accepts the score; 'undo' continues the game.\n"
                    "A point switches its chain between dead and alive.")

    def toggle(self, point: int) -> None:
        """Switch the chain on a point between dead and alive.  Raises BadInput if the point is empty."""
        self._scoring.toggle(point)
        self.show()

    def result(self) -> str:
        """The score as an SGF result."""
        return self._scoring.result()
