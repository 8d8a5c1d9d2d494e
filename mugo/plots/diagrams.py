"""Board diagrams: positions with heat maps, labels and ownership.

    save_diagram(position, path, ...)        one board as PNG, SVG or PDF
    draw_board(axes, position, ...)          a board on matplotlib Axes

    zorder   1 grid   2 heat map   3 stones   4 ownership, last move, rings   5 labels

Boards as text: terminal.py.
"""
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mugo.games.board import BLACK
from mugo.games.coords import COLUMNS, BoardSize, row_col, shape_of
from mugo.games.position import BasePosition
from mugo.plots.figures import INK, RED, WOOD, escape_mathtext, new_figure, save_figure


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


def save_diagram(position: BasePosition, path: Path, heatmap: np.ndarray | None = None,
                 labels: Mapping[int, str] | None = None, title: str = "") -> None:
    """Write one board, in the format of the file's suffix; parameters as in draw_board.  Raises BadInput."""
    figure = new_figure((5.6, 5.8))
    draw_board(figure.subplots(), position, heatmap, labels, title)
    save_figure(figure, path)


def draw_board(axes, position: BasePosition, heatmap: np.ndarray | None = None,
               labels: Mapping[int, str] | None = None, title: str = "") -> None:
    """Draw a position on matplotlib Axes.

    heatmap: float (rows, columns) from 0, such as probabilities; a point is the redder the higher its value.
    labels: point -> text; a label on the last move replaces its ring.
    """
    from matplotlib.patches import Circle, Rectangle
    from matplotlib.patheffects import withStroke

    _draw_grid(axes, position.shape)
    shares = np.zeros(position.shape) if heatmap is None else heatmap / (float(heatmap.max()) or 1.0)
    for (row, col), stone in np.ndenumerate(position.stones):
        if shares[row, col] > 0.01:
            axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, color=RED, linewidth=0,
                                     alpha=0.85 * min(float(shares[row, col]), 1), zorder=2))
        if stone:
            axes.add_patch(Circle((col, row), 0.47, facecolor="black" if stone > 0 else "white",
                                  edgecolor="black", linewidth=0.6, zorder=3))
    labels = labels or {}
    if position.last is not None and position.last not in labels:
        if (centre := row_col(position.last, position.shape)) is not None:       # a pass has none
            row, col = centre
            axes.add_patch(Circle((col, row), 0.22, fill=False, linewidth=1.2, zorder=4,
                                  edgecolor="white" if position.mover == BLACK else "black"))
    for point, text in labels.items():
        if (centre := row_col(point, position.shape)) is not None:
            row, col = centre
            stone = position.stones[row, col]
            # The grid must not run through a label on an empty point: it gets an outline in the colour below it.
            outline = withStroke(linewidth=2.5, foreground=WOOD if heatmap is None else "#f3dcae")
            axes.text(col, row, escape_mathtext(text), ha="center", va="center", fontsize=6, zorder=5,
                      color="white" if stone > 0 else "black", path_effects=[] if stone else [outline])
    if title:
        axes.set_title(escape_mathtext(title), fontsize=9)


def _draw_grid(axes, shape: tuple[int, int]) -> None:
    """The board without stones: lines, star points, coordinates."""
    rows, cols = shape
    axes.set_xlim(-0.9, cols - 0.1)
    axes.set_ylim(rows - 0.1, -0.9)
    axes.set_aspect("equal")
    axes.set_facecolor(WOOD)
    axes.set_xticks(range(cols), COLUMNS[:cols], fontsize=7)
    axes.set_yticks(range(rows), [rows - row for row in range(rows)], fontsize=7)
    axes.tick_params(length=0)
    for row in range(rows):
        axes.plot([0, cols - 1], [row, row], color=INK, linewidth=0.6, zorder=1)
    for col in range(cols):
        axes.plot([col, col], [0, rows - 1], color=INK, linewidth=0.6, zorder=1)
    for row, col in star_points(shape):
        axes.plot(col, row, "o", color=INK, markersize=2.5, zorder=1)
