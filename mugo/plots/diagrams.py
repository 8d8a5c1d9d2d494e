"""Pictures: tables as text; boards, heat maps and charts as PNG or SVG, by the name of the file.

    table(...)            lines of text, aligned also where names are Chinese or Japanese
    board_picture(...)    one board, with a heat map and labels where wanted
    chart(..., draw)      a page of charts, on each of which draw calls bars, ...

Boards as text are terminal.py's.  Matplotlib is imported when a picture is first drawn, and never
its pyplot, so nothing here touches the figures of a notebook.
"""
import importlib.util
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from mugo.files import BadInput, atomic_write
from mugo.games.coords import COLUMNS, PASS, row_col
from mugo.games.go import Position
from mugo.games.planes import DEPTH, PLANES

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


def figure_of(inches: tuple[float, float], **of_figure):
    """A figure that belongs to no window.  Raises BadInput if matplotlib is not installed."""
    if not can_draw():
        raise BadInput(NO_MATPLOTLIB)
    from matplotlib.figure import Figure

    return Figure(figsize=inches, layout="constrained", **of_figure)


def save_figure(figure, path: Path) -> None:
    """Write a figure whole; its format is what the name ends in.  Raises BadInput for an unknown one."""
    formats = figure.canvas.get_supported_filetypes()
    kind = Path(path).suffix[1:].lower()
    if kind not in formats:
        names = ", ".join(f".{name}" for name in sorted(formats))
        raise BadInput(f"{path}: a picture's name ends in one of {names}")
    with atomic_write(path) as beside_it:
        figure.savefig(beside_it, dpi=120, facecolor="white")


def chart(path: Path, rows: int, columns: int, draw: Callable[[list], None], title: str = "",
          inches: tuple[float, float] = (4.6, 3.1)) -> None:
    """Write a page of rows x columns charts; draw(axes) gets them as a flat list.

    inches: the width and height of one chart.
    """
    figure = figure_of((inches[0] * columns, inches[1] * rows))
    draw(list(figure.subplots(rows, columns, squeeze=False).ravel()))
    if title:
        figure.suptitle(literal(title), fontsize=11)
    save_figure(figure, path)


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
               title: str = "", *, marked: Iterable[int] = (), ownership: np.ndarray | None = None,
               font: float = 6, top: float | None = None) -> None:
    """Draw a position on matplotlib axes.

    heat: float (size, size), say probabilities: tinted red where it is high.  top: what gets the full red, by
    default the highest of them; the same for several boards makes them comparable.  labels: point -> text, in a
    size of `font`; on the last move one stands in the place of its ring.  marked: points with a green ring.
    owners: float (size, size), 1 Black's to -1 White's: a square on each point, the larger the surer.
    """
    from matplotlib.patches import Circle, Rectangle
    from matplotlib.patheffects import withStroke

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
        top = top or float(heat.max()) or 1.0
        for (row, col), value in np.ndenumerate(heat):
            if value > 0.01 * top:
                axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, color=RED, linewidth=0,
                                                   alpha=0.85 * min(float(value) / top, 1), zorder=2))
    for (row, col), stone in np.ndenumerate(position.stones):
        if stone:
            axes.add_patch(Circle((col, row), 0.47, facecolor="black" if stone > 0 else "white",
                                            edgecolor="black", linewidth=0.6, zorder=3))
    if ownership is not None:
        for (row, col), owner in np.ndenumerate(ownership):
            side = 0.5 * min(abs(float(owner)), 1.0)
            axes.add_patch(Rectangle((col - side / 2, row - side / 2), side, side, zorder=4, linewidth=0.4,
                                     facecolor="black" if owner > 0 else "white", edgecolor=GREY))
    for point in marked:
        row, col = row_col(point, size)
        axes.add_patch(Circle((col, row), 0.42, fill=False, edgecolor=GREEN, linewidth=2.2, zorder=4))
    if position.last not in (None, PASS) and position.last not in (labels or {}):
        row, col = row_col(position.last, size)
        colour = "white" if position.stones[row, col] > 0 else "black"
        axes.add_patch(Circle((col, row), 0.22, fill=False, edgecolor=colour, linewidth=1.2, zorder=4))
    for point, text in (labels or {}).items():
        row, col = row_col(point, size)
        stone = position.stones[row, col]
        ground = WOOD if heat is None else "#f3dcae"     # so that no line runs through the text
        axes.text(col, row, literal(text), ha="center", va="center", fontsize=font, zorder=5,
                  color="white" if stone > 0 else "black",
                  path_effects=[] if stone else [withStroke(linewidth=2.5, foreground=ground)])
    if title:
        axes.set_title(literal(title), fontsize=9)


def draw_plane(axes, plane: np.ndarray, position: Position | None = None, title: str = "") -> None:
    """Draw one plane, (size, size) of 0 and 1, small: its points in red, the stones, if given, in the background."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle, Rectangle

    size = len(plane)
    axes.set_xlim(-0.8, size - 0.2)
    axes.set_ylim(size - 0.2, -0.8)
    axes.set_aspect("equal")
    axes.set_facecolor("#f7f1e3")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color(GREY)
    stones = np.zeros((size, size), np.int8) if position is None else position.stones
    for colour, shade in (1, "#8f8a83"), (-1, "white"):
        circles = [Circle((col, row), 0.44) for row, col in np.argwhere(stones == colour)]
        axes.add_collection(PatchCollection(circles, facecolor=shade, edgecolor="#b5afa6", linewidth=0.3))
    squares = [Rectangle((col - 0.36, row - 0.36), 0.72, 0.72) for row, col in np.argwhere(plane)]
    axes.add_collection(PatchCollection(squares, facecolor=RED, linewidth=0))
    if title:
        axes.set_title(literal(title), fontsize=7, pad=2)


def draw_planes(figure, planes: np.ndarray, position: Position) -> None:
    """Draw all planes of a position, uint8 (size, size, DEPTH), on a figure or a part of one.

    A row for each group of eight, and before them one for all the others.
    """
    eights = [plane for plane in PLANES if plane.depth == 8]
    rows = figure.subfigures(1 + len(eights), 1, hspace=0.02)
    axes = {plane: list(row.subplots(1, 8)) for plane, row in zip(eights, rows[1:], strict=True)}
    single = iter(rows[0].subplots(1, DEPTH - 8 * len(eights)))
    k = 0
    for plane in PLANES:
        parts = plane.meaning.split(", ") if 1 < plane.depth < 8 else [plane.name]
        for i in range(plane.depth):
            if plane in axes:
                draw_plane(axes[plane][i], planes[..., k], position, f"{i + 1}" if i < 7 else "8")
            else:
                draw_plane(next(single), planes[..., k], position, parts[i])
            k += 1
    for plane, row in zip(eights, rows[1:], strict=True):
        row.suptitle(literal(f"{plane.name}: {plane.meaning}"), fontsize=9, x=0.01, ha="left")


def board_picture(position: Position, path: Path, heat: np.ndarray | None = None,
                  labels: dict[int, str] | None = None, title: str = "") -> None:
    """Write one board; see draw_board."""
    figure = figure_of((5.6, 5.8))
    draw_board(figure.subplots(), position, heat, labels, title)
    save_figure(figure, path)


# ---- charts

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


def reliability(axes, series: dict[str, Sequence[np.ndarray]], title: str = "", colours: Sequence[str] = (BLUE,)
                ) -> None:
    """What was said against how often it came true: points with whiskers, and the diagonal they should be on.

    series: name -> (said, true, half the lengths of the whiskers, shares of all positions), each from
    0 to 1, a value a bin.  Of the first series the shares stand as grey bars at the foot.
    """
    axes.plot([0, 100], [0, 100], color=GREY, linewidth=1, zorder=1)
    for k, (name, columns) in enumerate(series.items()):
        said, true, errors, shares = (100 * np.asarray(column, float) for column in columns)
        if not k:
            axes.bar(10 * (said // 10) + 5, 0.3 * shares, width=9, color=GREY, alpha=0.6, zorder=0)
        axes.errorbar(said, true, np.nan_to_num(errors), fmt="o-", markersize=4, linewidth=0.8, elinewidth=1.2,
                      capsize=2, color=colours[k], label=literal(name), zorder=3 - k)
    axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
    axes.set_xticks(range(0, 101, 20))
    axes.set_yticks(range(0, 101, 20))
    axes.set_xlabel("said, %", fontsize=7)
    axes.set_ylabel("true, %", fontsize=7)
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    axes.grid(alpha=0.25)
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


def draw_tree(axes, root: tuple[str, Sequence], title: str = "") -> None:
    """Draw a tree from left to right on matplotlib axes.

    root: (text of the node, [(weight of the edge, node), ...]), nodes being like the root: lines are the thicker
    the greater their weight, 1 at most.
    """
    placed, edges, deepest = [], [], 0
    leaves = 0

    def place(node: tuple[str, Sequence], depth: int) -> float:
        """Put a node's children one under the other and the node before their middle; returns its height."""
        nonlocal leaves, deepest
        deepest = max(deepest, depth)
        text, children = node
        if children:
            heights = [place(child, depth + 1) for _, child in children]
            height = sum(heights) / len(heights)
            edges.extend((depth, height, child, weight)
                         for child, (weight, _) in zip(heights, children, strict=True))
        else:
            height = leaves
            leaves += 1
        placed.append((depth, height, text))
        return height

    place(root, 0)
    for depth, height, child, weight in edges:
        axes.plot([depth, depth + 1], [height, child], color=BLUE, linewidth=0.8 + 7 * weight, zorder=1,
                  solid_capstyle="round", alpha=0.55)
    for depth, height, text in placed:
        axes.text(depth, height, literal(text), ha="center", va="center", fontsize=8, zorder=2, linespacing=1.35,
                  bbox={"boxstyle": "round,pad=0.35", "facecolor": "#fbf3e2", "edgecolor": INK, "linewidth": 0.7})
    axes.set_xlim(-0.4, deepest + 0.4)
    axes.set_ylim(leaves - 0.4, -0.6)
    axes.axis("off")
    if title:
        axes.set_title(literal(title), fontsize=9)


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
