"""Boards for a terminal: stones, labels, ownership and heat maps as lines of text, plain or in colour.

       A B C D E              plain: any terminal, any file, NO_COLOR
     5 . . a . . 5            X Black, O White, ( ) the last move, a, b, c labels
     4 . X(O). . 4            + Black's point, - White's point; x, o dead stones
     3 . . X + b 3            # and @ the stones of the winning row in Gomoku
     2 . . . . . 2            in colour: the same in 256 colours on a background of its own,
     1 . . . . . 1            so that light and dark terminals show the same board
       A B C D E

And tables, aligned also where names are Chinese, Japanese or Korean.
"""
import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from mugo.games import gomoku
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import COLUMNS, PASS, BoardSize, area_of, move_index, row_col, shape_of
from mugo.games.position import STONE_MARKS, BasePosition

# Numbers in the palette of xterm-256color.
WOOD, GRID, BLACK_STONE, WHITE_STONE, LAST_MOVE, LABEL, WINNING_ROW = 179, 94, 16, 231, 160, 230, 209
HEATMAP = (180, 216, 209, 203, 197)      # backgrounds of a heat map, from low to high
OWNERSHIP_THRESHOLD = 0.3                # a point is shown as owned if |ownership| is above this
WINNING_MARKS = {BLACK: "#", WHITE: "@"}

Cell = tuple[str, int, int, bool]        # text, foreground, background, bold


@dataclass(frozen=True)
class Screen:
    """What a terminal can show.

    colour: ANSI escape codes of 256 colours.
    unicode: box-drawing lines and round stones, which are used only together with colour.
    """
    colour: bool = False
    unicode: bool = False

    @classmethod
    def for_stream(cls, stream: TextIO, colour: bool = True) -> "Screen":
        """The Screen of an output stream.  Colour needs a terminal, and neither NO_COLOR nor TERM=dumb."""
        colour = colour and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(colour, (stream.encoding or "").lower().startswith("utf"))

    def style(self, text: str, foreground: int | None = None, background: int | None = None,
              bold: bool = False) -> str:
        """The text with ANSI escape codes around it; unchanged on a screen without colour."""
        codes = (["1"] if bold else []) + ([f"38;5;{foreground}"] if foreground is not None else []) \
            + ([f"48;5;{background}"] if background is not None else [])
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.colour and codes and text else text


PLAIN = Screen()


def board_lines(position: BasePosition, screen: Screen = PLAIN, *, labels: Mapping[int, str] | None = None,
                ownership: np.ndarray | None = None) -> list[str]:
    """A position with coordinates, its last move in parentheses, and in Gomoku the winning row.

    labels: point -> text, whose first character is drawn on the point.
    ownership: float (rows, columns), 1 Black's to -1 White's; marks owned empty points and dead stones.
    """
    size = position.shape
    cells = {}
    for (row, col), stone in np.ndenumerate(position.stones):
        owner = 0.0 if ownership is None else float(ownership[row, col])
        cells[row, col] = _cell(screen, size, row, col, int(stone), owner)
    if isinstance(position, gomoku.GomokuPosition):
        for point in position.row:
            text, foreground, _, _ = cells[row_col(point, size)]
            cells[row_col(point, size)] = (text if screen.colour else WINNING_MARKS[position.winner], foreground,
                                           WINNING_ROW, True)
    for point, text in (labels or {}).items():
        cells[row_col(point, size)] = (text[0], BLACK_STONE, LABEL, True)
    last = None if position.last in (None, PASS) else row_col(position.last, size)
    return _board_lines(size, screen, cells, last)


def heatmap_lines(position: BasePosition, heatmap: np.ndarray, screen: Screen = PLAIN) -> list[str]:
    """A position with percentages on its empty points; those that round to 0 are left out.

    heatmap: float (rows, columns) from 0 to 1.
    """
    highest = float(heatmap.max()) or 1.0
    cells = {}
    for (row, col), stone in np.ndenumerate(position.stones):
        text, foreground, background, bold = _cell(screen, position.shape, row, col, int(stone), 0.0)
        percent = round(100 * float(heatmap[row, col]))
        if stone == EMPTY and percent:
            level = min(int(len(HEATMAP) * float(heatmap[row, col]) / highest), len(HEATMAP) - 1)
            text, foreground, background, bold = str(min(percent, 99)), BLACK_STONE, HEATMAP[level], False
        cells[row, col] = text, foreground, background, bold
    return _board_lines(position.shape, screen, cells, cell_width=2)


def heatmap_array(values: Mapping[int, float], size: BoardSize) -> np.ndarray:
    """float (rows, columns) of point -> value; a pass is left out."""
    heatmap = np.zeros(area_of(size))
    for point, value in values.items():
        if point != PASS:
            heatmap[move_index(point, size)] = value
    return heatmap.reshape(shape_of(size))


def _cell(screen: Screen, size: BoardSize, row: int, col: int, stone: int, ownership: float) -> Cell:
    """The Cell of a point without labels.  ownership: 1 Black's to -1 White's."""
    owner = BLACK if ownership > OWNERSHIP_THRESHOLD else WHITE if ownership < -OWNERSHIP_THRESHOLD else EMPTY
    foreground = {BLACK: BLACK_STONE, WHITE: WHITE_STONE}.get(stone or owner, GRID)
    symbols = screen.colour and screen.unicode
    if stone == EMPTY and owner == EMPTY:
        return (_grid_symbol(row, col, size) if symbols else "."), GRID, WOOD, False
    if stone == EMPTY:
        return ("▪" if symbols else "+" if owner == BLACK else "-"), foreground, WOOD, False
    if owner == -stone:                                  # a dead stone
        return ("×" if symbols else STONE_MARKS[stone].lower()), foreground, WOOD, True
    return ("●" if symbols else STONE_MARKS[stone]), foreground, WOOD, False


def star_points(size: BoardSize) -> list[tuple[int, int]]:
    """(row, col) of the star points (hoshi) of a board: four in the corners, from 7x7 on; the middle one, where it has
    one; and those of sides of 13 or more with a middle."""
    rows, cols = shape_of(size)
    centre = [(rows // 2, cols // 2)] if rows % 2 and cols % 2 else []
    if min(rows, cols) < 7:
        return centre if min(rows, cols) > 3 else []
    edges = [[edge, lines - 1 - edge] for lines in (rows, cols) for edge in [2 if lines < 13 else 3]]
    points = [(row, col) for row in edges[0] for col in edges[1]] + centre
    if centre and rows >= 13:
        points += [(rows // 2, col) for col in edges[1]]
    if centre and cols >= 13:
        points += [(row, cols // 2) for row in edges[0]]
    return points


def _grid_symbol(row: int, col: int, size: BoardSize) -> str:
    rows, cols = shape_of(size)
    if (row, col) in star_points(size):
        return "╋"
    symbols = ("┌", "┬", "┐") if row == 0 else ("└", "┴", "┘") if row == rows - 1 else ("├", "┼", "┤")
    return symbols[0 if col == 0 else 2 if col == cols - 1 else 1]


def _board_lines(size: BoardSize, screen: Screen, cells: Mapping[tuple[int, int], Cell],
                 last: tuple[int, int] | None = None, cell_width: int = 1) -> list[str]:
    """The lines of a board with coordinates.

    cells: (row, col) -> Cell.  last: (row, col) of the last move.  cell_width: in columns.
    """
    rows, cols = shape_of(size)
    line = "─" if screen.colour and screen.unicode else " "
    letters = "   " + " ".join(f"{letter:>{cell_width}}" for letter in COLUMNS[:cols])
    lines = [letters]
    for row in range(rows):
        parts = [f"{rows - row:2d}"]
        for col in range(cols + 1):
            gap, foreground, bold = " " if col in (0, cols) else line, GRID, False
            if last in ((row, col - 1), (row, col)):
                gap, foreground, bold = "(" if last == (row, col) else ")", LAST_MOVE, True
            parts.append(screen.style(gap, foreground, WOOD, bold))
            if col < cols:
                text, foreground, background, bold = cells[row, col]
                parts.append(screen.style(f"{text:>{cell_width}}", foreground, background, bold))
        lines.append("".join(parts) + str(rows - row))
    return [*lines, letters]


# ---- tables

def display_width(text: str) -> int:
    """Columns that a text takes in a terminal: two for a Chinese character, none for a combining accent."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def truncate(text: str, columns: int) -> str:
    """The text, cut to at most this many terminal columns, "?" for each control character."""
    width, end = 0, 0                    # end: of what fits with "…"
    for i, c in enumerate(text):
        width += display_width(c)
        if width < columns:
            end = i + 1
        if width > columns:
            text = text[:end] + "…"
            break
    return "".join(c if c.isprintable() else "?" for c in text)


def format_table(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table; the first `left` columns are aligned left, the others right."""
    if not rows:
        return []
    widths = [max(display_width(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell + " " * (width - display_width(cell)) if k < left else " " * (width - display_width(cell)) + cell
                 for k, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def side_by_side(blocks: Sequence[Sequence[str]]) -> list[str]:
    """Blocks of lines from left to right, four spaces between them; an empty block has no width."""
    widths = [max((display_width(line) for line in block), default=0) for block in blocks]
    lines = []
    for i in range(max((len(block) for block in blocks), default=0)):
        cells = [block[i] if i < len(block) else "" for block in blocks]
        lines.append("    ".join(cell + " " * (width - display_width(cell))
                                 for cell, width in zip(cells, widths, strict=True)).rstrip())
    return lines
