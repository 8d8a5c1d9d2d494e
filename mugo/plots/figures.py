"""What all pictures share: the colours, and writing matplotlib figures as PNG, SVG or PDF.

matplotlib is imported when a figure is made.  Its pyplot is never imported, so a notebook keeps its own figures.
"""
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mugo.core.files import BadInput, atomic_write, error_line
from mugo.core.version import pip_install

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
