"""The tables of evaluate as text and as a picture."""
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.plots import charts
from mugo.plots.figures import BLUE, GREEN, PALE_BLUE, PALE_GREEN, save_charts
from mugo.plots.text_table import format_table, truncate
from mugo.training.predictions import BATCH, TTA

MIN_POSITIONS = 30                       # of a part that is drawn

# measure: (title, unit, decimals)
MEASURES = {
    "top1": ("top-1", "%", 1),
    "top5": ("top-5", "%", 1),
    "ce": ("cross-entropy", "", 3),
    "value_accuracy": ("value accuracy", "%", 1),
    "value_mse": ("value MSE", "", 3),
}
BASELINE = "_baseline"                   # ends the name of a measure of the majority-class baseline


def report(table: pd.DataFrame) -> str:
    """The table of `evaluate` as text: one block for the policy, one for the value where there is one."""
    lines = []
    for names in (["top1", "top5", "ce"], ["value_accuracy", "value_mse"]):
        if names[0] in table:
            lines += [*format_table(list(_rows(table, names))), ""]
    lines.append(legend(table))
    if "value_accuracy" in table:
        lines.append("baseline: the majority class, always predicting the colour that wins more of these positions "
                     "with its frequency;\na value that is always 0 has the MSE 1")
    return "\n".join(lines)


def legend(table: pd.DataFrame) -> str:
    return ("±: one standard error, clustered by game"
            + ("; TTA: test-time augmentation, averaged over the eight symmetries" if f"top1{TTA}" in table else ""))


def _columns(table: pd.DataFrame, name: str) -> dict[str, str]:
    """The columns of the table that belong to one measure: column -> title."""
    title, unit, _ = MEASURES[name]
    columns = {name: f"{title} {unit}".strip(), f"{name}_se": "±", name + TTA: "TTA", name + BASELINE: "baseline"}
    return {column: heading for column, heading in columns.items() if column in table}


def _rows(table: pd.DataFrame, names: list[str]) -> Iterator[list[str]]:
    columns = {name: _columns(table, name) for name in names}
    header = ["", "positions", *(title for name in names for title in columns[name].values())]
    yield header
    by = "all"
    for row in table.to_dict("records"):
        if row["by"] != by:
            yield [""] * len(header)
            by = row["by"]
        yield [truncate(str(row["part"]), 24), f"{row['positions']:,}",
               *(_number(name, row[column]) for name in names for column in columns[name])]


def _number(name: str, value: float, sign: str = "") -> str:
    _, unit, decimals = MEASURES[name]
    return "-" if np.isnan(value) else f"{100 * value if unit else value:{sign}.{decimals}f}"


def comparison_report(table: pd.DataFrame) -> str:
    """The table of `compare` as text: a row a network, then each one's differences from the first."""
    names = [name for name in MEASURES if name in table]
    titles = {name: {column: title for column, title in _columns(table, name).items() if not column.endswith(BASELINE)}
              for name in names}
    compared = [name for name in names if difference_column(name) in table]      # what the first and another have
    networks = [truncate(name, 24) for name in table["network"]]
    figures = [["", *(title for name in names for title in titles[name].values()), "ms"]]
    differences = [[f"minus {networks[0]}", *(title for name in compared for title in titles[name].values())]]
    for network, row in zip(networks, table.to_dict("records"), strict=True):
        figures.append([network, *(_number(name, row[column]) for name in names for column in titles[name]),
                        f"{row['ms']:.2f}"])
        cells = [_number(name, row[difference_column(column)], "" if column.endswith("_se") else "+")
                 for name in compared for column in titles[name]]
        differences.append([network, *cells])
    lines = [*format_table(figures), "", *format_table([differences[0], *differences[2:]]), "", legend(table),
             f"minus {networks[0]}: paired differences, at the same positions",
             f"ms: the network's time for a position, in batches of {BATCH}, without TTA"]
    return "\n".join(lines)


def difference_column(column: str) -> str:
    """The column of a comparison with the difference of this column from the first network's."""
    return column.removesuffix("_se") + "_difference" + ("_se" if column.endswith("_se") else "")


def plot(table: pd.DataFrame, path: Path, title: str) -> None:
    """Means with standard errors: measures from top to bottom, by phase, rank and source from left to right.

    Parts of fewer than MIN_POSITIONS positions are not drawn, as their errors would hide the others.
    """
    tta = f"top1{TTA}" in table
    rows = [("top1", "top5"), ("ce",), *([("value_accuracy",)] if "value_accuracy" in table else [])]
    columns = ("phase", "rank", "source")

    def draw(axes: list) -> None:
        for i, names in enumerate(rows):
            for j, by in enumerate(columns):
                part = table.query("by == @by").nlargest(10, "positions").sort_index()
                part = part[part["positions"] >= min(MIN_POSITIONS, part["positions"].max())]
                series = {}
                for name in names:
                    called, unit, _ = MEASURES[name]
                    for column, label in ((name, called), (name + TTA, f"{called}, TTA"))[:1 + tta]:
                        scale = 100 if unit else 1
                        series[label] = (scale * part[column], scale * part[f"{column}_se"])
                labels = [str(name).removeprefix("moves ") for name in part["part"]]
                heading = " and ".join(f"{MEASURES[name][0]} {MEASURES[name][1]}".strip() for name in names)
                colours = (BLUE, PALE_BLUE, GREEN, PALE_GREEN) if tta else (BLUE, GREEN)
                charts.error_bars(axes[i * len(columns) + j], labels, series, f"{heading} by {by}", colours)

    note = "\nbars: one standard error" + ("; TTA: test-time augmentation over the eight symmetries" if tta else "")
    save_charts(path, len(rows), len(columns), draw, title + note)
