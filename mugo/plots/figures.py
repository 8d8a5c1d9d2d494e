"""Pictures: their colours, writing matplotlib figures as PNG, SVG or PDF, and charts, which are drawn on given axes.

matplotlib is imported when a figure is made.  Its pyplot is never imported, so a notebook keeps its own figures.
"""
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mugo.core.files import BadInput, atomic_write, error_line
from mugo.core.version import pip_install

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WOOD, INK, RED, BLUE, GREEN, GREY = "#e3b566", "#2b2118", "#b3332b", "#2a6099", "#4a7d3a", "#c9c5bf"
PALE_BLUE = "#8db4d9"
NO_MATPLOTLIB = f"pictures need matplotlib: {pip_install('pictures')}"


def has_matplotlib() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def escape_mathtext(text: str) -> str:
    """The text with its dollar signs escaped; matplotlib reads $...$ as a formula."""
    return text.replace("$", r"\$")


def new_figure(inches: tuple[float, float], **options: Any) -> "Figure":
    """A matplotlib Figure, (width, height) in inches.  Raises BadInput if matplotlib is not installed."""
    if not has_matplotlib():
        raise BadInput(NO_MATPLOTLIB)
    try:
        from matplotlib.figure import Figure
    except ValueError as error:                          # its settings, for example MPLBACKEND
        raise BadInput(f"matplotlib cannot be used: {error_line(error)}") from None

    return Figure(figsize=inches, layout="constrained", **options)


def save_figure(figure: "Figure", path: Path) -> None:
    """Write a figure atomically, in the format of the file's suffix.  Raises BadInput for an unknown suffix."""
    formats = figure.canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in formats:
        suffixes = ", ".join(f".{name}" for name in sorted(formats))
        raise BadInput(f"{path}: the name of a picture ends in one of {suffixes}")
    with atomic_write(path) as temporary:
        render(figure, temporary)


def render(figure: "Figure", path: Path) -> None:
    """Lay a figure out and write it, which takes half a second; tests replace it where no picture is looked at."""
    figure.savefig(path, dpi=120, facecolor="white")


def save_charts(path: Path, rows: int, columns: int, draw: Callable[[list], None], title: str = "",
                inches: tuple[float, float] = (4.6, 3.1)) -> None:
    """Write a page of rows x columns charts.

    draw: called with the list of all matplotlib Axes, row by row.
    inches: the width and height of one chart.
    Raises BadInput without matplotlib or for an unknown suffix.
    """
    figure = new_figure((inches[0] * columns, inches[1] * rows))
    draw(list(figure.subplots(rows, columns, squeeze=False).ravel()))
    if title:
        figure.suptitle(escape_mathtext(title), fontsize=11)
    save_figure(figure, path)


# ---- charts

def reliability_diagram(axes, series: dict[str, Sequence[np.ndarray]], title: str = "",
                        colours: Sequence[str] = (BLUE,)) -> None:
    """Predicted probabilities against observed frequencies, with the diagonal of perfect calibration.

    series: name -> (predicted, observed, errors of observed, shares of all positions), each float (bins,) from
    0 to 1.  The shares of the first series are grey bars at the bottom.
    """
    axes.plot([0, 100], [0, 100], color=GREY, linewidth=1, zorder=1)
    for k, (name, columns) in enumerate(series.items()):
        predicted, observed, errors, shares = (100 * np.asarray(column, float) for column in columns)
        if not k:
            axes.bar(10 * (predicted // 10) + 5, 0.3 * shares, width=9, color=GREY, alpha=0.6, zorder=0)
        axes.errorbar(predicted, observed, np.nan_to_num(errors), fmt="o-", markersize=4, linewidth=0.8,
                      elinewidth=1.2, capsize=2, color=colours[k], label=escape_mathtext(name), zorder=3 - k)
    axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
    axes.set_xticks(range(0, 101, 20))
    axes.set_yticks(range(0, 101, 20))
    axes.set_xlabel("predicted, %", fontsize=7)
    axes.set_ylabel("observed, %", fontsize=7)
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    axes.grid(alpha=0.25)
    _style_axes(axes, title, axes.yaxis)


def _style_axes(axes, title: str, value_axis) -> None:
    """The style of all charts.  value_axis: the matplotlib Axis whose ticks are numbers."""
    if title:
        axes.set_title(escape_mathtext(title), fontsize=9)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    value_axis.set_major_formatter("{x:,.10g}")
