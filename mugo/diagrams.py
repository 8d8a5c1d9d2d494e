"""Pictures: boards, heat maps and charts, as PNG or SVG by the name of the file.

Boards as text are `str(position)`'s.
"""
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mugo.coords import COLUMNS, PASS, row_col
from mugo.files import written_whole
from mugo.go import Position

WOOD, INK, RED, BLUE, GREEN = "#e3b566", "#2b2118", "#b3332b", "#2a6099", "#4a7d3a"


def _pyplot():
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot


def _save(figure, path: Path) -> None:
    with written_whole(path) as beside:
        figure.savefig(beside, dpi=110, facecolor="white")
    _pyplot().close(figure)


def star_points(size: int) -> list[tuple[int, int]]:
    """(row, col) of the dots that are printed on a board."""
    if size < 7:
        return [(size // 2, size // 2)] if size % 2 and size > 3 else []
    edge = 2 if size < 13 else 3
    lines = [edge, size - 1 - edge]
    if size % 2 and size >= 13:
        return [(row, col) for row in sorted([*lines, size // 2]) for col in sorted([*lines, size // 2])]
    centre = [(size // 2, size // 2)] if size % 2 else []
    return [(row, col) for row in lines for col in lines] + centre


def draw_board(axes, position: Position, heat: np.ndarray | None = None, labels: dict[int, str] | None = None,
               title: str = "") -> None:
    """Draw a position on matplotlib axes.

    heat: float (size, size), say probabilities: tinted red where it is high.  labels: point -> text.
    """
    size = position.size
    axes.set_xlim(-0.9, size - 0.1)
    axes.set_ylim(size - 0.1, -0.9)
    axes.set_aspect("equal")
    axes.set_facecolor(WOOD)
    axes.set_xticks(range(size), COLUMNS[:size], fontsize=7)
    axes.set_yticks(range(size), [size - row for row in range(size)], fontsize=7)
    axes.tick_params(length=0)
    for line in range(size):
        axes.plot([0, size - 1], [line, line], color=INK, linewidth=0.6, zorder=1)
        axes.plot([line, line], [0, size - 1], color=INK, linewidth=0.6, zorder=1)
    for row, col in star_points(size):
        axes.plot(col, row, "o", color=INK, markersize=2.5, zorder=1)
    if heat is not None:
        top = float(heat.max()) or 1.0
        for (row, col), value in np.ndenumerate(heat):
            if value > 0.01 * top:
                axes.add_patch(_pyplot().Rectangle((col - 0.5, row - 0.5), 1, 1, color=RED, linewidth=0,
                                                   alpha=0.85 * float(value) / top, zorder=2))
    for (row, col), stone in np.ndenumerate(position.stones):
        if stone:
            axes.add_patch(_pyplot().Circle((col, row), 0.47, facecolor="black" if stone > 0 else "white",
                                            edgecolor="black", linewidth=0.6, zorder=3))
    if position.last not in (None, PASS):
        row, col = row_col(position.last, size)
        colour = "white" if position.stones[row, col] > 0 else "black"
        axes.add_patch(_pyplot().Circle((col, row), 0.22, fill=False, edgecolor=colour, linewidth=1.2, zorder=4))
    for point, text in (labels or {}).items():
        row, col = row_col(point, size)
        stone = position.stones[row, col]
        axes.text(col, row, text, ha="center", va="center", fontsize=6, zorder=5,
                  color="white" if stone > 0 else "black")
    if title:
        axes.set_title(title, fontsize=9)


def board_picture(position: Position, path: Path, heat: np.ndarray | None = None,
                  labels: dict[int, str] | None = None, title: str = "") -> None:
    """Write one board; see draw_board."""
    figure, axes = _pyplot().subplots(figsize=(5.6, 5.8), layout="constrained")
    draw_board(axes, position, heat, labels, title)
    _save(figure, path)


def training_curve(history: Sequence[dict], path: Path) -> None:
    """Loss and accuracy against positions, from the rows of a run's log."""
    figure, (left, right) = _pyplot().subplots(1, 2, figsize=(10, 4), layout="constrained")
    positions = [row["positions"] / 1e6 for row in history]

    def line(axes, name, colour, style, label, scale=1.0):
        axes.plot(positions, [row[name] * scale for row in history], style, color=colour, label=label, linewidth=1.3,
                  markersize=3)

    line(left, "ce", BLUE, ".--", "training")
    line(left, "validation_ce", BLUE, ".-", "validation")
    left.set_ylabel("cross-entropy of the next move")
    for name, colour, label in (("top1", RED, "top-1"), ("top5", GREEN, "top-5")):
        line(right, name, colour, ".--", f"{label}, training", 100)
        line(right, f"validation_{name}", colour, ".-", f"{label}, validation", 100)
    right.set_ylabel("the move played is predicted, %")
    for axes in (left, right):
        axes.set_xlabel("positions trained on, millions")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def bars(axes, labels: Sequence[str], values: Sequence[float], title: str, colour: str = BLUE,
         errors: Sequence[float] | None = None, notes: Sequence[str] | None = None) -> None:
    """A bar chart on matplotlib axes, a note over each bar."""
    axes.bar(range(len(values)), values, color=colour, width=0.75, yerr=errors,
             error_kw={"linewidth": 0.8, "ecolor": INK})
    axes.set_xticks(range(len(labels)), labels, fontsize=7, rotation=45 if len(labels) > 8 else 0,
                    ha="right" if len(labels) > 8 else "center")
    for i, note in enumerate(notes or []):
        axes.text(i, values[i], note, ha="center", va="bottom", fontsize=6)
    axes.set_title(title, fontsize=9)
    axes.tick_params(axis="y", labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def chart(path: Path, rows: int, columns: int, draw) -> None:
    """Write a page of rows x columns charts; draw(axes) gets them as a flat list."""
    figure, axes = _pyplot().subplots(rows, columns, figsize=(4.6 * columns, 3.1 * rows), layout="constrained",
                                      squeeze=False)
    draw(list(axes.ravel()))
    _save(figure, path)
