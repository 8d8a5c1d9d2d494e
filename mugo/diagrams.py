"""Pictures: tables as text; boards, heat maps and charts as PNG or SVG, by the name of the file.

    table(...)            lines of text, aligned also where names are Chinese or Japanese
    board_picture(...)    one board, with a heat map and labels where wanted
    chart(..., draw)      a page of charts, on each of which draw calls bars, ...

Boards as text are `str(position)`'s.  Matplotlib is imported when a picture is first drawn, and never
its pyplot, so nothing here touches the figures of a notebook.
"""
import importlib.util
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from mugo.coords import COLUMNS, PASS, row_col
from mugo.files import BadInput, written_whole
from mugo.go import Position

WOOD, INK, RED, BLUE, GREEN, GREY = "#e3b566", "#2b2118", "#b3332b", "#2a6099", "#4a7d3a", "#c9c5bf"
PALE_BLUE, PALE_GREEN = "#8db4d9", "#9ec78e"
NO_MATPLOTLIB = "pictures need matplotlib: pip install 'mugo[pictures]'"


# ---- text

def width(text: str) -> int:
    """Columns that a text takes in a terminal: two for a Chinese character, none for an accent."""
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def printable(text: str, columns: int) -> str:
    """A text from a game record for the terminal: no control characters, and no wider than this."""
    text = "".join(c if c.isprintable() else "?" for c in text)
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def table(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The lines of a table; the first `left` columns stand flush left, the others flush right."""
    if not rows:
        return []
    widths = [max(width(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell + " " * (w - width(cell)) if k < left else " " * (w - width(cell)) + cell
                 for k, (cell, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return lines


def beside(blocks: Sequence[Sequence[str]], gap: int = 4) -> list[str]:
    """Blocks of lines, one beside the other."""
    widths = [max((width(line) for line in block), default=0) for block in blocks]
    lines = []
    for i in range(max((len(block) for block in blocks), default=0)):
        cells = [block[i] if i < len(block) else "" for block in blocks]
        lines.append((" " * gap).join(cell + " " * (w - width(cell))
                                      for cell, w in zip(cells, widths, strict=True)).rstrip())
    return lines


# ---- pages

def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def literal(text: str) -> str:
    """A text that matplotlib shows as it is: a dollar would begin a formula."""
    return text.replace("$", r"\$")


def _figure(inches: tuple[float, float], **of_figure):
    """A figure that belongs to no window.  Raises BadInput if matplotlib is not installed."""
    if not can_draw():
        raise BadInput(NO_MATPLOTLIB)
    from matplotlib.figure import Figure

    return Figure(figsize=inches, layout="constrained", **of_figure)


def _save(figure, path: Path) -> None:
    """Write a figure whole; its format is what the name ends in.  Raises BadInput for an unknown one."""
    formats = figure.canvas.get_supported_filetypes()
    kind = Path(path).suffix[1:].lower()
    if kind not in formats:
        names = ", ".join(f".{name}" for name in sorted(formats))
        raise BadInput(f"{path}: a picture's name ends in one of {names}")
    with written_whole(path) as beside_it:
        figure.savefig(beside_it, dpi=120, facecolor="white")


def chart(path: Path, rows: int, columns: int, draw: Callable[[list], None], title: str = "",
          inches: tuple[float, float] = (4.6, 3.1)) -> None:
    """Write a page of rows x columns charts; draw(axes) gets them as a flat list.

    inches: the width and height of one chart.
    """
    figure = _figure((inches[0] * columns, inches[1] * rows))
    draw(list(figure.subplots(rows, columns, squeeze=False).ravel()))
    if title:
        figure.suptitle(literal(title), fontsize=11)
    _save(figure, path)


# ---- boards

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
    from matplotlib.patches import Circle, Rectangle

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
                axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, color=RED, linewidth=0,
                                                   alpha=0.85 * float(value) / top, zorder=2))
    for (row, col), stone in np.ndenumerate(position.stones):
        if stone:
            axes.add_patch(Circle((col, row), 0.47, facecolor="black" if stone > 0 else "white",
                                            edgecolor="black", linewidth=0.6, zorder=3))
    if position.last not in (None, PASS):
        row, col = row_col(position.last, size)
        colour = "white" if position.stones[row, col] > 0 else "black"
        axes.add_patch(Circle((col, row), 0.22, fill=False, edgecolor=colour, linewidth=1.2, zorder=4))
    for point, text in (labels or {}).items():
        row, col = row_col(point, size)
        stone = position.stones[row, col]
        axes.text(col, row, literal(text), ha="center", va="center", fontsize=6, zorder=5,
                  color="white" if stone > 0 else "black")
    if title:
        axes.set_title(literal(title), fontsize=9)


def board_picture(position: Position, path: Path, heat: np.ndarray | None = None,
                  labels: dict[int, str] | None = None, title: str = "") -> None:
    """Write one board; see draw_board."""
    figure = _figure((5.6, 5.8))
    draw_board(figure.subplots(), position, heat, labels, title)
    _save(figure, path)


# ---- charts

def training_curve(history: Sequence[dict], path: Path) -> None:
    """Loss and accuracy against positions, from the rows of a run's log; the value's error if it has one."""
    has_value = "validation_value_error" in history[0]
    figure = _figure((5 * (2 + has_value), 4))
    left, right, *others = figure.subplots(1, 2 + has_value)
    unit, name_of_unit = (1e6, "millions") if history[-1]["positions"] >= 1e6 else (1e3, "thousands")
    positions = [row["positions"] / unit for row in history]

    def line(axes, name, colour, style, label, scale=1.0):
        axes.plot(positions, [row[name] * scale for row in history], style, color=colour, label=label,
                  linewidth=1.3, markersize=3)

    line(left, "ce", BLUE, ".--", "training")
    line(left, "validation_ce", BLUE, ".-", "validation")
    left.set_ylabel("cross-entropy of the next move")
    for name, colour, label in (("top1", RED, "top-1"), ("top5", GREEN, "top-5")):
        line(right, name, colour, ".--", f"{label}, training", 100)
        line(right, f"validation_{name}", colour, ".-", f"{label}, validation", 100)
    right.set_ylabel("the move played is predicted, %")
    for axes in others:
        line(axes, "value_error", BLUE, ".--", "training")
        line(axes, "validation_value_error", BLUE, ".-", "validation")
        axes.set_ylabel("mean squared error of the value")
    for axes in (left, right, *others):
        axes.set_xlabel(f"positions trained on, {name_of_unit}")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def bars(axes, labels: Sequence[str], series: dict[str, Sequence[float]], title: str = "",
         colours: Sequence[str] = (BLUE,), notes: Sequence[str] = ()) -> None:
    """A bar chart on matplotlib axes: at each label the series stand one on the other.

    series: name -> heights; the names are shown where there are several.  notes: a text over each bar.
    """
    top = np.zeros(len(labels))
    for (name, heights), colour in zip(series.items(), colours, strict=True):
        axes.bar(range(len(labels)), heights, bottom=top, width=0.8, color=colour, edgecolor=INK,
                 linewidth=0.4, label=literal(name))
        top = top + np.asarray(heights, float)
    for i, note in enumerate(notes):
        axes.text(i, top[i], note, ha="center", va="bottom", fontsize=6.5)
    if len(series) > 1:
        axes.legend(fontsize=7, frameon=False)
    _name_places(axes, labels)
    _finish(axes, title, axes.yaxis)


def estimates(axes, labels: Sequence[str], series: dict[str, tuple[Sequence[float], Sequence[float]]],
              title: str = "", colours: Sequence[str] = (BLUE,)) -> None:
    """Points with whiskers, at each label one of every series.

    series: name -> (values, half the lengths of the whiskers); what is NaN is left out.
    """
    for k, (name, (values, errors)) in enumerate(series.items()):
        values, errors = np.asarray(values, float), np.asarray(errors, float)
        places = np.arange(len(labels)) + 0.15 * (k - (len(series) - 1) / 2)
        axes.errorbar(places, values, np.nan_to_num(errors), fmt="o", markersize=3.5, linewidth=1,
                      color=colours[k], label=literal(name))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))        # the names stand above the points
    axes.legend(fontsize=7, frameon=False, loc="upper left", ncols=len(series))
    axes.grid(axis="y", alpha=0.3)
    _name_places(axes, labels)
    _finish(axes, title, axes.yaxis)


def horizontal_bars(axes, labels: Sequence[str], values: Sequence[float], notes: Sequence[str],
                    title: str = "", colour: str = BLUE) -> None:
    """A bar for each label, from the top down, with a note after it."""
    values = np.asarray(values, float)
    axes.barh(range(len(labels)), values, color=colour, edgecolor=INK, linewidth=0.4, height=0.8)
    for i, note in enumerate(notes):
        axes.text(values[i], i, f" {note}", ha="left", va="center", fontsize=6.5)
    axes.set_yticks(range(len(labels)), [literal(label) for label in labels])
    axes.set_ylim(max(len(labels), 5) - 0.4, -0.6)
    axes.set_xlim(0, 1.3 * float(values.max(initial=0)) or 1)
    axes.tick_params(axis="y", length=0)
    _finish(axes, title, axes.xaxis)


def histogram(axes, values: np.ndarray, step: int, title: str = "", colour: str = BLUE) -> None:
    """How many values fall into each interval of this length, the median marked."""
    edges = np.arange(0, int(np.percentile(values, 99.9)) + 2 * step, step)
    axes.hist(np.minimum(values, edges[-1]), edges, color=colour, edgecolor=INK, linewidth=0.4)
    median = float(np.median(values))
    axes.axvline(median, color=RED, linewidth=1)
    axes.text(median, axes.get_ylim()[1], f" median {median:.0f}", color=RED, fontsize=7, va="top")
    _finish(axes, title, axes.yaxis)


def words(axes, text: str) -> None:
    """Lines of text, aligned by blanks, in the place of a chart."""
    axes.axis("off")
    axes.text(0, 1, literal(text), family="monospace", fontsize=9, linespacing=1.5, va="top",
              transform=axes.transAxes)


def _name_places(axes, labels: Sequence[str]) -> None:
    """Write the labels under 0, 1, 2, ..., slanted if they would not fit."""
    slanted = sum(map(width, labels)) > 42
    axes.set_xticks(range(len(labels)), [literal(label) for label in labels], rotation=45 if slanted else 0,
                    ha="right" if slanted else "center", rotation_mode="anchor")
    axes.set_xlim(-0.6, max(len(labels), 4) - 0.4)
    axes.tick_params(axis="x", length=0)


def _finish(axes, title: str, numbers) -> None:
    """What all charts share; numbers: the axis that has them."""
    if title:
        axes.set_title(literal(title), fontsize=9)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    numbers.set_major_formatter("{x:,.10g}")
