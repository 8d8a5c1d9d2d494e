"""Calibration: whether a network's probabilities come true.

    value       predicts 0.63 that the side to move wins         how often does that side win?
    policy      gives its first move 0.63                        how often is that the move played?
    ownership   predicts 0.63 that a point is the side to move's how often is it, of the points that somebody owns?
    score       gives 0.3 to scores below 4.5 points             how often is the score lower than its 30 % quantile?

    predicted  positions  mean %  observed %    ±
    40-50 %        5,120    45.8        44.9  1.1        bins of predicted probability; of the score its quantiles
    50-60 %        5,377    54.1        56.0  1.1

The expected calibration error (ECE; Naeini et al. 2015, Guo et al. 2017, arXiv:1706.04599) is the distance between
predicted and observed, averaged over positions; of ownership, over points; of the score, over its quantiles.  Chance
alone makes it larger than 0, so the report also gives the ECE that a perfectly calibrated network would have on as
many games.
"""
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.core.intervals import mean_and_standard_error
from mugo.plots import charts
from mugo.plots.figures import BLUE, PALE_BLUE, save_charts
from mugo.plots.text_table import format_table
from mugo.training.predictions import BINS, TTA

MIN_POSITIONS = 20                       # of a bin that is drawn, unless all have fewer
HEADS = {"policy": ("top1_probability", "top1"), "value": ("win_probability", "won")}   # head: (predicted, observed)
TITLES = {"policy": "policy: its first move is played", "value": "value: the side to move wins",
          "ownership": "ownership of points", "score": "score: below the quantile"}
MEAN_ABSOLUTE_NORMAL = np.sqrt(2 / np.pi)        # mean absolute deviation of a normal, in standard deviations


def calibrate(rows: pd.DataFrame) -> pd.DataFrame:
    """The calibration of the rows of `predict_positions`, as a table with one row for each bin.

    Columns: head ('policy', 'value', 'ownership', 'score'), tta, phase ('all' too), bin ('0-10 %', ...; of the score
    its quantile, '10 %' ... '90 %'; 'all'), count (positions; of ownership, points), games; predicted and observed,
    means from 0 to 1; observed_se, the standard error clustered by game; ece, the distance between the two, in the row
    of all bins the mean of theirs; and null_ece, its expectation for a perfectly calibrated network.  In the score's
    row of all bins, observed is the mean of score_pit.
    """
    table = []
    for head, tta, of_head in _heads(rows):
        for phase, of_phase in [("all", of_head), *of_head.groupby("phase", observed=True)]:
            table += [{"head": head, "tta": tta, "phase": phase} | row for row in _bins(head, of_phase)]
    return pd.DataFrame(table)


def _heads(rows: pd.DataFrame) -> Iterator[tuple[str, bool, pd.DataFrame]]:
    """(head, tta, rows) of each head; rows: as `_known` gives them."""
    for head, (predicted, observed) in HEADS.items():
        for tta, ending in ((False, ""), (True, TTA)):
            if predicted + ending in rows:
                column = observed if observed == "won" else observed + ending
                yield head, tta, _known(rows, rows[predicted + ending], rows[column])
    for tta, ending in ((False, ""), (True, TTA)):
        if f"ownership_points_0{ending}" in rows:
            bins = []
            for b in range(BINS):
                points, predicted, owned = (rows[f"ownership_{name}_{b}{ending}"]
                                            for name in ("points", "predicted", "observed"))
                some = points.where(points > 0)
                bins.append(_known(rows, predicted / some, owned / some, points, b))
            yield "ownership", tta, pd.concat(bins, ignore_index=True)
    for tta, ending in ((False, ""), (True, TTA)):
        if f"score_pit{ending}" in rows:
            yield "score", tta, _known(rows, 0.5, rows[f"score_pit{ending}"])


def _known(rows: pd.DataFrame, predicted: Any, observed: pd.Series, weight: Any = 1.0, bin_number: int | None = None
           ) -> pd.DataFrame:
    """Rows of game, phase, predicted, observed, weight and bin_number, where observed is not NaN."""
    known = rows[["game", "phase"]].assign(predicted=predicted, observed=observed, weight=weight)[observed.notna()]
    predicted_bin = np.minimum((known["predicted"] * BINS).astype(int), BINS - 1)
    return known.assign(bin_number=predicted_bin if bin_number is None else bin_number)


def _bins(head: str, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """One row for all positions; then one for each bin that has some, of the score one for each quantile, for which the
    column observed of the rows is score_pit.  rows: as `_heads` gives them."""
    if not len(rows):
        return []
    bins: list[dict[str, Any]]
    if head == "score":
        bins = [_statistics(rows.assign(predicted=b / BINS, observed=(rows["observed"] < b / BINS).astype(float)))
                | {"bin": f"{100 * b // BINS} %"} for b in range(1, BINS)]
    else:
        bins = [_statistics(of_bin) | {"bin": f"{100 * b // BINS}-{100 * (b + 1) // BINS} %"}
                for b, of_bin in rows.groupby("bin_number")]
    counts = None if head == "score" else [row["count"] for row in bins]
    errors = {name: float(np.average([row[name] for row in bins], weights=counts)) for name in ("ece", "null_ece")}
    return [_statistics(rows) | errors | {"bin": "all"}, *bins]


def _statistics(rows: pd.DataFrame) -> dict[str, Any]:
    weights, games = rows["weight"].to_numpy(), rows["game"].to_numpy()
    count = float(weights.sum())
    predicted = float(np.average(rows["predicted"], weights=weights))
    observed, error = mean_and_standard_error(rows["observed"].to_numpy(), games, weights)
    # One game, or games that all end alike, give no estimate of their spread: then that of tossed coins.
    spread = error if error > 0 else np.sqrt(predicted * (1 - predicted) / count)
    return {"bin": "", "count": int(count), "games": rows["game"].nunique(), "predicted": predicted,
            "observed": observed, "observed_se": error, "ece": abs(observed - predicted),
            "null_ece": MEAN_ABSOLUTE_NORMAL * spread}


# ---- as text and as a picture

def report(table: pd.DataFrame) -> str:
    """The table as text: a block for each head, with TTA where there is that; but for the policy also a line a
    phase."""
    blocks = []
    for head, of_head in table.groupby("head", sort=False):
        tta = bool(np.any(of_head["tta"]))
        shown = of_head.query("tta == @tta")
        title = f"{head}, TTA" if tta else head
        lines = [[f"{title}: {'quantile' if head == 'score' else 'predicted'}",
                  "points" if head == "ownership" else "positions", "mean %", "observed %", "±", "ECE %", "null ECE %"]]
        whole = shown.query("phase == 'all'")
        whole, *bins = whole.to_dict("records")
        lines += [_line(row, row["bin"]) for row in [*bins, whole]]
        if head != "policy":
            phases = shown.query("phase != 'all' and bin == 'all'")
            lines += [[""] * len(lines[0]), *(_line(row, str(row["phase"])) for row in phases.to_dict("records"))]
        blocks.append("\n".join(format_table(lines)))
    blocks.append("ECE: expected calibration error, the distance of predicted and observed, averaged over bins;\n"
                  "null ECE: its expectation for a perfectly calibrated network")
    if np.any(table["head"] == "score"):
        blocks[-1] += ("\nscore: how often the final score is below a quantile of the predicted distribution; all: the "
                       "mean of the\nprobabilities of a lower score than the game's, 50 % if scores are neither too "
                       "high nor too low")
    return "\n\n".join(blocks)


def _line(row: dict, name: str) -> list[str]:
    numbers = (row["predicted"], row["observed"], row["observed_se"], row["ece"], row["null_ece"])
    return [name, f"{row['count']:,}", *("-" if np.isnan(number) else f"{100 * number:.1f}" for number in numbers)]


def plot(table: pd.DataFrame, path: Path, title: str) -> None:
    """Reliability diagrams: of every head, and of the value in every phase of the game."""
    panels = [(head, phase) for head, phase in table[["head", "phase"]].drop_duplicates().itertuples(index=False)
              if phase == "all" or head == "value"]
    panels.sort(key=lambda panel: panel[1] != "all")
    columns = min(3, len(panels))

    def draw(axes: list) -> None:
        for axis, (head, phase) in zip(axes, panels, strict=False):
            of_panel = table.query("head == @head and phase == @phase")
            series = {}
            for tta, of_this in of_panel.groupby("tta"):
                whole = of_this.query("bin == 'all'").iloc[0]
                bins = of_this.query("bin != 'all'")
                bins = bins[bins["count"] >= min(MIN_POSITIONS, bins["count"].max())]
                shares = (0 if head == "score" else 1) * bins["count"] / whole["count"]
                name = f"ECE {100 * whole['ece']:.1f} %, null {100 * whole['null_ece']:.1f} %"
                series[f"TTA: {name}" if tta else name] = (
                    bins["predicted"], bins["observed"], bins["observed_se"], shares)
            unit = "points" if head == "ownership" else "positions"
            name = TITLES[head] if phase == "all" else f"{head}, {phase}"
            charts.reliability_diagram(axis, series, f"{name} ({whole['count']:,} {unit})", (BLUE, PALE_BLUE))
        for axis in axes[len(panels):]:
            axis.axis("off")

    note = "bars: standard errors; grey: positions or points" \
        + ("; TTA: test-time augmentation over the eight symmetries" if np.any(table["tta"]) else "")
    save_charts(path, -(-len(panels) // columns), columns, draw, f"{title}\n{note}",
                (3.6, 3.6) if columns > 1 else (6.4, 5.0))
