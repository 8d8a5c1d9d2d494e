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
from mugo.plots.terminal import display_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WOOD, INK, RED, BLUE, GREEN, GREY = "#e3b566", "#2b2118", "#b3332b", "#2a6099", "#4a7d3a", "#c9c5bf"
PALE_BLUE, PALE_GREEN = "#8db4d9", "#9ec78e"
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

def stacked_bars(axes, labels: Sequence[str], series: dict[str, Sequence[float]], title: str = "",
                 colours: Sequence[str] = (BLUE,), notes: Sequence[str] = ()) -> None:
    """A bar chart; the bars of several series are stacked, and a legend names the series.

    series: name -> heights, one for each label.  notes: a text above each bar.
    """
    top = np.zeros(len(labels))
    for (name, heights), colour in zip(series.items(), colours, strict=True):
        axes.bar(range(len(labels)), heights, bottom=top, width=0.8, color=colour, edgecolor=INK,
                 linewidth=0.4, label=escape_mathtext(name))
        top = top + np.asarray(heights, float)
    for i, note in enumerate(notes):
        axes.text(i, top[i], note, ha="center", va="bottom", fontsize=6.5)
    if len(series) > 1:
        axes.legend(fontsize=7, frameon=False)
    _set_x_labels(axes, labels)
    _style_axes(axes, title, axes.yaxis)


def horizontal_bars(axes, labels: Sequence[str], values: Sequence[float], notes: Sequence[str],
                    title: str = "", colour: str = BLUE) -> None:
    """A horizontal bar for each label, from the top down, and a note to the right of each bar."""
    widths = np.asarray(values, float)
    axes.barh(range(len(labels)), widths, color=colour, edgecolor=INK, linewidth=0.4, height=0.8)
    for i, note in enumerate(notes):
        axes.text(widths[i], i, f" {note}", ha="left", va="center", fontsize=6.5)
    axes.set_yticks(range(len(labels)), [escape_mathtext(label) for label in labels])
    axes.set_ylim(max(len(labels), 5) - 0.4, -0.6)
    axes.set_xlim(0, 1.3 * float(widths.max(initial=0)) or 1)
    axes.tick_params(axis="y", length=0)
    _style_axes(axes, title, axes.xaxis)


def error_bars(axes, labels: Sequence[str], series: dict[str, tuple[Sequence[float], Sequence[float]]],
               title: str = "", colours: Sequence[str] = (BLUE,)) -> None:
    """A point with an error bar for each label and series.

    series: name -> (values, errors), one for each label; an error bar reaches from value - error to value + error.
    A value that is NaN is left out.
    """
    for k, (name, (values, errors)) in enumerate(series.items()):
        values, errors = np.asarray(values, float), np.asarray(errors, float)
        x = np.arange(len(labels)) + 0.15 * (k - (len(series) - 1) / 2)
        axes.errorbar(x, values, np.nan_to_num(errors), fmt="o", markersize=3.5, linewidth=1,
                      color=colours[k], label=escape_mathtext(name))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))        # room for the legend above the points
    axes.legend(fontsize=7, frameon=False, loc="upper left", ncols=len(series))
    axes.grid(axis="y", alpha=0.3)
    _set_x_labels(axes, labels)
    _style_axes(axes, title, axes.yaxis)


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


def histogram(axes, values: np.ndarray, bin_width: int, title: str) -> None:
    """A histogram of values >= 0 with a line at the median; the last bin holds all values above the 99.9th
    percentile."""
    edges = np.arange(0, int(np.percentile(values, 99.9)) + 2 * bin_width, bin_width)
    axes.hist(np.minimum(values, edges[-1]), edges, color=BLUE, edgecolor=INK, linewidth=0.4)
    median = float(np.median(values))
    axes.axvline(median, color=RED, linewidth=1)
    axes.text(median, axes.get_ylim()[1], f" median {median:.0f}", color=RED, fontsize=7, va="top")
    _style_axes(axes, title, axes.yaxis)


def text_panel(axes, text: str) -> None:
    """Lines of monospaced text in the place of a chart."""
    axes.axis("off")
    axes.text(0, 1, escape_mathtext(text), family="monospace", fontsize=9, linespacing=1.5, va="top",
              transform=axes.transAxes)


def _set_x_labels(axes, labels: Sequence[str]) -> None:
    """Write the labels below x = 0, 1, 2, ...; long ones are rotated."""
    rotated = sum(map(display_width, labels)) > 42
    axes.set_xticks(range(len(labels)), [escape_mathtext(label) for label in labels], rotation=45 if rotated else 0,
                    ha="right" if rotated else "center", rotation_mode="anchor")
    axes.set_xlim(-0.6, max(len(labels), 4) - 0.4)
    axes.tick_params(axis="x", length=0)


def _style_axes(axes, title: str, value_axis) -> None:
    """The style of all charts.  value_axis: the matplotlib Axis whose ticks are numbers."""
    if title:
        axes.set_title(escape_mathtext(title), fontsize=9)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    value_axis.set_major_formatter("{x:,.10g}")
