"""The tables of evaluate as text and as a picture."""
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.plots import charts
from mugo.plots.figures import BLUE, GREEN, PALE_BLUE, PALE_GREEN, save_charts
from mugo.plots.text_table import format_table, truncate
from mugo.training.predictions import BATCH, TTA

MIN_POSITIONS = 30                       # of a subset that is drawn

# measure: (title, unit, decimals)
MEASURES = {
    "top1": ("top-1", "%", 1),
    "top5": ("top-5", "%", 1),
    "ce": ("cross-entropy", "", 3),
    "value_accuracy": ("value accuracy", "%", 1),
    "value_mse": ("value MSE", "", 3),
    "ownership_accuracy": ("ownership accuracy", "%", 1),
    "score_error": ("score error", "", 2),
}
BLOCKS = (("top1", "top5", "ce"), ("value_accuracy", "value_mse"), ("ownership_accuracy", "score_error"))
LAST_MOVE = "last move"                  # in the column `by`: a subset that is not in the others
BASELINE = "_baseline"                   # ends the name of a measure of the majority-class baseline
Columns = dict[str, tuple[str, str]]     # column: (measure, title)


def report(table: pd.DataFrame) -> str:
    """The table of `evaluate` as text: a block for each of BLOCKS that the network has."""
    lines = []
    for names in BLOCKS:
        if names[0] in table:
            lines += [*_by_subset(table, "", _columns(table, names), _mean), ""]
    return "\n".join([*lines, *legend(table)])


def legend(table: pd.DataFrame) -> list[str]:
    lines = ["±: one standard error, clustered by game"
             + ("; TTA: test-time augmentation, averaged over the eight symmetries" if f"top1{TTA}" in table else "")]
    if np.any(table["by"] == LAST_MOVE):
        lines.append("last move before scoring: the positions before the last move of games that ended by scoring")
    if "value_accuracy" in table:
        lines += ["value: of games with a winner and a known komi; MSE 1 is that of a value that is always 0",
                  "baseline: the majority class, always predicting the colour that wins more of these positions with "
                  "its frequency"]
    if "ownership_accuracy" in table:
        lines.append("ownership accuracy, score error in points: of games that ended by scoring")
    return lines


def _columns(table: pd.DataFrame, names: Sequence[str]) -> Columns:
    """The columns of the table that belong to these measures."""
    columns = {}
    for name in names:
        title, unit, _ = MEASURES[name]
        columns |= {name: (name, f"{title} {unit}".strip()), f"{name}_se": (name, "±"), name + TTA: (name, "TTA"),
                    name + BASELINE: (name, "baseline")}
    return {column: measure for column, measure in columns.items() if column in table}


def _by_subset(table: pd.DataFrame, title: str, columns: Columns, cell: Callable[[dict, str, str], str]) -> list[str]:
    """Lines of a table with a row for each subset, and an empty one between two kinds of them.  cell: of a row, a
    column and its measure."""
    lines = [[title, "positions", *(heading for _, heading in columns.values())]]
    by = "all"
    for row in table.to_dict("records"):
        if row["by"] != by:
            lines.append([""] * len(lines[0]))
            by = row["by"]
        lines.append([truncate(str(row["subset"]), 24), f"{row['positions']:,}",
                      *(cell(row, column, name) for column, (name, _) in columns.items())])
    return format_table(lines)


def _number(name: str, value: float, sign: str = "") -> str:
    _, unit, decimals = MEASURES[name]
    return "-" if np.isnan(value) else f"{100 * value if unit else value:{sign}.{decimals}f}"


def comparison_report(table: pd.DataFrame) -> str:
    """The table of `compare` as text: for each block of measures a row a network, then each one's differences from the
    first, over all positions and by subset."""
    whole = table[table["by"] == "all"]
    first = truncate(whole["network"].iloc[0], 24)
    lines = []
    for block in BLOCKS:
        names = [name for name in block if name in table]
        if not names:
            continue
        columns = {column: measure for column, measure in _columns(table, names).items()
                   if not column.endswith(BASELINE)}
        cells = [["", *(title for _, title in columns.values())]]
        cells += [[truncate(row["network"], 24), *(_number(name, row[column]) for column, (name, _) in columns.items())]
                  for row in whole.to_dict("records")]
        if block is BLOCKS[0]:
            cells = [[*row, ms] for row, ms in zip(cells, ["ms", *(f"{ms:.2f}" for ms in whole["ms"])], strict=True)]
        lines += [*format_table(cells), ""]
        # What the first network and another have.
        compared = {column: kind for column, kind in columns.items() if difference_column(column) in table}
        for name in whole["network"].iloc[1:] if compared else ():
            lines += [*_by_subset(table[table["network"] == name], f"{truncate(name, 24)} minus {first}", compared,
                                  _difference), ""]
    return "\n".join([*lines, *legend(table), "minus: paired differences, at the same positions",
                      f"ms: the network's time for a position, in batches of {BATCH}, without TTA"])


def _mean(row: dict, column: str, name: str) -> str:
    return _number(name, row[column])


def _difference(row: dict, column: str, name: str) -> str:
    return _number(name, row[difference_column(column)], "" if column.endswith("_se") else "+")


def difference_column(column: str) -> str:
    """The column of a comparison with the difference of this column from the first network's."""
    return column.removesuffix("_se") + "_difference" + ("_se" if column.endswith("_se") else "")


def plot(table: pd.DataFrame, path: Path, title: str) -> None:
    """Means with standard errors: measures from top to bottom, by phase, rank and source from left to right.

    Subsets of fewer than MIN_POSITIONS positions are not drawn, as their errors would hide the others.
    """
    tta = f"top1{TTA}" in table
    rows = [("top1", "top5"), ("ce",), *((name,) for name in ("value_accuracy", "ownership_accuracy", "score_error")
                                         if name in table)]
    columns = ("phase", "rank", "source")

    def draw(axes: list) -> None:
        for i, names in enumerate(rows):
            for j, by in enumerate(columns):
                drawn = table.query("by == @by").nlargest(10, "positions").sort_index()
                drawn = drawn[drawn["positions"] >= min(MIN_POSITIONS, drawn["positions"].max())]
                series = {}
                for name in names:
                    called, unit, _ = MEASURES[name]
                    for column, label in ((name, called), (name + TTA, f"{called}, TTA"))[:1 + tta]:
                        scale = 100 if unit else 1
                        series[label] = (scale * drawn[column], scale * drawn[f"{column}_se"])
                labels = [str(name).removeprefix("moves ") for name in drawn["subset"]]
                heading = " and ".join(f"{MEASURES[name][0]} {MEASURES[name][1]}".strip() for name in names)
                colours = (BLUE, PALE_BLUE, GREEN, PALE_GREEN) if tta else (BLUE, GREEN)
                charts.error_bars(axes[i * len(columns) + j], labels, series, f"{heading} by {by}", colours)

    note = "\nbars: one standard error" + ("; TTA: test-time augmentation over the eight symmetries" if tta else "")
    save_charts(path, len(rows), len(columns), draw, title + note)
