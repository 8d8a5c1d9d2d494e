"""Boards for a terminal: stones, labels, owners, heat maps and planes as lines of text, plain or in colour.

       A B C D E              plain: any terminal, any file, NO_COLOR
     5 . . a . . 5            X Black, O White, ( ) the last move, a, b, c labels
     4 . X(O). . 4            + and - whose a point is; x, o dead stones
     3 . . X + b 3            # and @ the stones of a row that has won
     2 . . . . . 2            in colour: the same in 256 colours on a ground of its own,
     1 . . . . . 1            so that light and dark terminals show the same board
       A B C D E
"""
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import COLUMNS, PASS, move_index, row_col
from mugo.games.position import STONE_MARKS, BasePosition
from mugo.plots.diagrams import star_points

# Of xterm's 256 colours.
WOOD, LINES, BLACK_INK, WHITE_INK, SIGNAL, LABEL = 179, 94, 16, 231, 160, 230
WARM = (180, 216, 209, 203, 197)         # the ground of a heat map, from little to much
OWNED = 0.3                              # from here on a point is shown as somebody's
STONES = {BLACK: "●", WHITE: "●"}
WON, WON_MARKS = 209, {BLACK: "#", WHITE: "@"}          # of the stones in a row that has won


@dataclass(frozen=True)
class Screen:
    """What a terminal can show.  colour: 256 of them.  unicode: lines and round stones, used with colour only."""
    colour: bool = False
    unicode: bool = False

    @classmethod
    def of(cls, stream: TextIO, wanted: bool = True) -> "Screen":
        """What this stream shows: colour on a terminal, unless it is not wanted, here or by NO_COLOR."""
        colour = wanted and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(colour, (stream.encoding or "").lower().startswith("utf"))

    def paint(self, text: str, ink: int | None = None, ground: int | None = None, bold: bool = False) -> str:
        """A text in colours, numbers of the 256; as it is where there are none."""
        codes = (["1"] if bold else []) + ([f"38;5;{ink}"] if ink is not None else []) \
            + ([f"48;5;{ground}"] if ground is not None else [])
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour and codes and text else text


PLAIN = Screen()


def board_lines(position: BasePosition, screen: Screen = PLAIN, *, labels: Mapping[int, str] | None = None,
                ownership: np.ndarray | None = None) -> list[str]:
    """A position with its coordinates, its last move marked, and in Gomoku the row that has won.

    labels: point -> one character, drawn in the place of the point.
    owners: float (size, size), 1 Black's to -1 White's: whose each empty point is, and which stones are dead.
    """
    size = position.size
    cells = {}
    for (row, col), stone in np.ndenumerate(position.stones):
        owner = 0.0 if ownership is None else float(ownership[row, col])
        cells[row, col] = _cell(screen, size, row, col, int(stone), owner)
    for point in position.row if position.game == "gomoku" else ():
        text, ink, _, _ = cells[row_col(point, size)]
        cells[row_col(point, size)] = (text if screen.colour else WON_MARKS[position.winner]), ink, WON, True
    for point, text in (labels or {}).items():
        cells[row_col(point, size)] = (text[0], BLACK_INK, LABEL, True)
    last = None if position.last in (None, PASS) else row_col(position.last, size)
    return _frame(size, screen, cells, last)


def _cell(screen: Screen, size: int, row: int, col: int, stone: int, owner: float) -> tuple:
    """(text, ink, ground, bold) of a point."""
    whose = BLACK if owner > OWNED else WHITE if owner < -OWNED else EMPTY
    ink = {BLACK: BLACK_INK, WHITE: WHITE_INK}.get(stone or whose, LINES)
    drawn = screen.colour and screen.unicode
    if stone == EMPTY and whose == EMPTY:
        return (_crossing(row, col, size) if drawn else "."), LINES, WOOD, False
    if stone == EMPTY:
        return ("▪" if drawn else "+" if whose == BLACK else "-"), ink, WOOD, False
    if whose == -stone:
        return ("×" if drawn else STONE_MARKS[stone].lower()), ink, WOOD, True
    return (STONES[stone] if drawn else STONE_MARKS[stone]), ink, WOOD, False


def _crossing(row: int, col: int, size: int) -> str:
    """The lines that meet at an empty point."""
    if (row, col) in star_points(size):
        return "╋"
    upper = ("┌", "┬", "┐") if row == 0 else ("└", "┴", "┘") if row == size - 1 else ("├", "┼", "┤")
    return upper[0 if col == 0 else 2 if col == size - 1 else 1]


def _frame(size: int, screen: Screen, cells: Mapping[tuple[int, int], tuple], last: tuple[int, int] | None = None,
           wide: int = 1) -> list[str]:
    """The lines of a board of cells (text, ink, ground, bold) that are so many columns wide."""
    line = "─" * wide if screen.colour and screen.unicode else " "
    letters = "   " + " ".join(f"{letter:>{wide}}" for letter in COLUMNS[:size])
    lines = [letters]
    for row in range(size):
        parts = [f"{size - row:2d}"]
        for col in range(size + 1):
            gap = " " if col in (0, size) else line[:1]
            ink, bold = LINES, False
            if last is not None and (row, col - 1) == last:
                gap, ink, bold = ")", SIGNAL, True
            if last is not None and (row, col) == last:
                gap, ink, bold = "(", SIGNAL, True
            parts.append(screen.paint(gap, ink, WOOD, bold))
            if col < size:
                text, ink, ground, bold = cells[row, col]
                parts.append(screen.paint(f"{text:>{wide}}", ink, ground, bold))
        lines.append("".join(parts) + str(size - row))
    return [*lines, letters]


def heat_lines(position: BasePosition, heat: np.ndarray, screen: Screen = PLAIN) -> list[str]:
    """A position with percents on its empty points, from 0.5 on.  heat: float (size, size) from 0 to 1."""
    top = float(heat.max()) or 1.0
    cells = {}
    for (row, col), stone in np.ndenumerate(position.stones):
        text, ink, ground, bold = _cell(screen, position.size, row, col, int(stone), 0.0)
        percent = round(100 * float(heat[row, col]))
        if stone == EMPTY and percent:
            warmth = WARM[min(int(len(WARM) * float(heat[row, col]) / top), len(WARM) - 1)]
            text, ink, ground, bold = str(min(percent, 99)), BLACK_INK, warmth, False
        cells[row, col] = text, ink, ground, bold
    return _frame(position.size, screen, cells, wide=2)


def plane_lines(position: BasePosition, plane: np.ndarray, screen: Screen = PLAIN) -> list[str]:
    """A position with the points of a plane, (size, size) of 0 and 1: # on empty ones, * before stones."""
    size = position.size
    cells = {}
    for (row, col), stone in np.ndenumerate(position.stones):
        text, ink, ground, bold = _cell(screen, size, row, col, int(stone), 0.0)
        if plane[row, col]:
            text, ground = ("#" if stone == EMPTY else f"*{STONE_MARKS[int(stone)]}" if not screen.colour
                            else text), WARM[-1]
        cells[row, col] = text, ink, ground, bold
    return _frame(size, screen, cells, wide=2)


def points_of(heat: Mapping[int, float], size: int) -> np.ndarray:
    """float (size, size) from point -> value; a pass has no place there."""
    square = np.zeros(size * size)
    for point, value in heat.items():
        if point != PASS:
            square[move_index(point, size)] = value
    return square.reshape(size, size)
