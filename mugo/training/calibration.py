"""Calibration: whether a network's probabilities come true, in ten bins of predicted probability.

    value    predicts 0.63 that the side to move wins      how often does that side win?
    policy   gives its first move 0.63                     how often is that the move played?

    predicted  positions  mean %  observed %    ±
    40-50 %        5,120    45.8        44.9  1.1
    50-60 %        5,377    54.1        56.0  1.1

The expected calibration error (ECE; Naeini et al. 2015, Guo et al. 2017, arXiv:1706.04599) is the distance between
predicted and observed, averaged over positions.  Chance alone makes it larger than 0, so the report also gives the
ECE that a perfectly calibrated network would have on as many positions.
"""
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.intervals import mean_and_standard_error
from mugo.plots import charts
from mugo.plots.figures import BLUE, PALE_BLUE, save_charts
from mugo.plots.text_table import format_table
from mugo.training.predictions import TTA

BINS = 10
MIN_POSITIONS = 20                       # of a bin that is drawn, unless all have fewer
HEADS = {"policy": ("top1_probability", "top1"), "value": ("win_probability", "won")}   # head: (predicted, observed)
TITLES = {"policy": "policy: its first move is played", "value": "value: the side to move wins"}
MEAN_ABSOLUTE_NORMAL = np.sqrt(2 / np.pi)        # mean absolute deviation of a normal, in standard deviations


def calibrate(rows: pd.DataFrame) -> pd.DataFrame:
    """The calibration of the rows of `predict_positions`, as a table with one row for each bin.

    Columns: head ('policy', 'value'), tta, phase ('all' too), bin ('0-10 %', ...; 'all'), positions, games;
    predicted and observed, means from 0 to 1; observed_se, the standard error clustered by game; ece, the distance
    between the two, in the row of all bins the mean of theirs; and null_ece, its expectation for a perfectly
    calibrated network.
    """
    table = []
    for head, (predicted, observed) in HEADS.items():
        for tta, ending in ((False, ""), (True, TTA)):
            if predicted + ending not in rows:
                continue
            column = observed if observed == "won" else observed + ending
            part = rows[["game", "phase", predicted + ending, column]].set_axis(
                ["game", "phase", "predicted", "observed"], axis=1)
            known = part.query("observed == observed")           # not NaN: games with a winner
            for phase, of_phase in [("all", known), *known.groupby("phase", observed=True)]:
                table += [{"head": head, "tta": tta, "phase": phase} | row for row in bin_rows(of_phase)]
    return pd.DataFrame(table)


def bin_rows(rows: pd.DataFrame) -> list[dict]:
    """One row for all positions, and one for each bin that has some; rows: game, predicted, observed."""
    if not len(rows):
        return []
    places = np.minimum((rows["predicted"].to_numpy() * BINS).astype(int), BINS - 1)
    bins = [_statistics(part) | {"bin": bin_name(place)} for place, part in rows.groupby(places)]
    weights = np.array([row["positions"] for row in bins]) / len(rows)
    means = {name: float(np.dot(weights, [row[name] for row in bins])) for name in ("ece", "null_ece")}
    return [_statistics(rows) | means | {"bin": "all"}, *bins]


def bin_name(place: Any) -> str:
    return f"{100 * place // BINS}-{100 * (place + 1) // BINS} %"


def _statistics(rows: pd.DataFrame) -> dict:
    predicted = float(np.mean(rows["predicted"]))
    observed, error = mean_and_standard_error(rows["observed"].to_numpy(), rows["game"].to_numpy())
    # One game, or games that all end alike, give no estimate of their spread: then that of tossed coins.
    spread = error if error > 0 else np.sqrt(predicted * (1 - predicted) / len(rows))
    return {"bin": "", "positions": len(rows), "games": rows["game"].nunique(), "predicted": predicted,
            "observed": observed, "observed_se": error, "ece": abs(observed - predicted),
            "null_ece": MEAN_ABSOLUTE_NORMAL * spread}


# ---- as text and as a picture

def report(table: pd.DataFrame) -> str:
    """The table as text: a block for each head, with TTA where there is that; of the value also a line a phase."""
    blocks = []
    for head, of_head in table.groupby("head", sort=False):
        tta = bool(np.any(of_head["tta"]))
        shown = of_head.query("tta == @tta")
        title = f"{head}, TTA" if tta else head
        lines = [[f"{title}: predicted", "positions", "mean %", "observed %", "±", "ECE %", "null ECE %"]]
        whole = shown.query("phase == 'all'")
        lines += [_line(row, row["bin"]) for row in whole.query("bin != 'all'").to_dict("records")]
        lines += [_line(row, "all") for row in whole.query("bin == 'all'").to_dict("records")]
        if head == "value":
            phases = shown.query("phase != 'all' and bin == 'all'")
            lines += [[""] * len(lines[0]), *(_line(row, str(row["phase"])) for row in phases.to_dict("records"))]
        blocks.append("\n".join(format_table(lines)))
    blocks.append("ECE: expected calibration error, the distance of predicted and observed, averaged over bins;\n"
                  "null ECE: its expectation for a perfectly calibrated network")
    return "\n\n".join(blocks)


def _line(row: dict, name: str) -> list[str]:
    numbers = (row["predicted"], row["observed"], row["observed_se"], row["ece"], row["null_ece"])
    return [name, f"{row['positions']:,}", *("-" if np.isnan(number) else f"{100 * number:.1f}" for number in numbers)]


def plot(table: pd.DataFrame, path: Path, title: str) -> None:
    """Reliability diagrams: of the policy, of the value, and of the value in every phase of the game."""
    panels = [(head, phase) for head, phase in table[["head", "phase"]].drop_duplicates().itertuples(index=False)
              if phase == "all" or head == "value"]
    columns = min(3, len(panels))

    def draw(axes: list) -> None:
        for place, (head, phase) in zip(axes, panels, strict=False):
            part = table.query("head == @head and phase == @phase")
            series = {}
            for tta, of_this in part.groupby("tta"):
                whole = of_this.query("bin == 'all'").iloc[0]
                bins = of_this.query("bin != 'all'")
                bins = bins[bins["positions"] >= min(MIN_POSITIONS, bins["positions"].max())]
                name = f"ECE {100 * whole['ece']:.1f} %, null {100 * whole['null_ece']:.1f} %"
                series[f"TTA: {name}" if tta else name] = (
                    bins["predicted"], bins["observed"], bins["observed_se"], bins["positions"] / whole["positions"])
            name = TITLES[head] if phase == "all" else f"{head}, {phase}"
            charts.reliability_diagram(place, series, f"{name} ({whole['positions']:,} positions)", (BLUE, PALE_BLUE))
        for place in axes[len(panels):]:
            place.axis("off")

    note = "bars: standard errors; grey: positions" \
        + ("; TTA: test-time augmentation over the eight symmetries" if np.any(table["tta"]) else "")
    save_charts(path, -(-len(panels) // columns), columns, draw, f"{title}\n{note}",
                (3.6, 3.6) if columns > 1 else (6.4, 5.0))
