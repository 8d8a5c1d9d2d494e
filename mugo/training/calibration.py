"""Whether a network's probabilities come true: positions in ten bins by what it says.

    value    it says 0.63 that the side to move wins    how often does that side win?
    policy   it gives its first choice 0.63             how often is that the move played?

    said      positions  in the mean    true    ±
    40-50 %       5,120         45.8    44.9  1.1
    50-60 %       5,377         54.1    56.0  1.1

The expected calibration error is the distance between the last two, averaged over positions.  Chance
alone makes it larger than 0, so what chance would make of a network without fault stands beside it.
"""
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.intervals import mean_and_standard_error
from mugo.plots import diagrams
from mugo.plots.diagrams import BLUE, PALE_BLUE
from mugo.training.predictions import AVERAGED

BINS = 10
FEWEST = 20                              # positions of a bin that is drawn, unless all have fewer
HEADS = {"policy": ("first", "top1"), "value": ("chance", "won")}       # head: (what is said, what comes)
TITLES = {"policy": "policy: its first choice is played", "value": "value: the side to move wins"}
OF_NORMAL = np.sqrt(2 / np.pi)           # the mean distance from its mean of what is normal, in deviations


def calibrate(rows: pd.DataFrame) -> pd.DataFrame:
    """How often what the rows of `scores` say comes true, as a table with one row for each bin.

    Columns: head ('policy', 'value'), averaged (over the symmetries), phase ('all' too), bin
    ('0-10 %', ...; 'all'), positions, games; said and true, means from 0 to 1; true_se, the standard
    error by game; error, how far these are apart, in the row of all bins the mean of theirs; and
    by_chance, what the error would be in the mean if nothing were wrong.
    """
    table = []
    for head, (said, comes) in HEADS.items():
        for averaged, ending in ((False, ""), (True, AVERAGED)):
            if said + ending not in rows:
                continue
            true = comes if comes == "won" else comes + ending
            columns = rows[["game", "phase", said + ending, true]].set_axis(["game", "phase", "said", "true"], axis=1)
            known = columns[columns["true"].notna()]
            for phase, part in [("all", known), *known.groupby("phase", observed=True)]:
                table += [{"head": head, "averaged": averaged, "phase": phase} | row for row in binned(part)]
    return pd.DataFrame(table)


def binned(rows: pd.DataFrame) -> list[dict]:
    """One row for all positions, and one for each bin that has some; rows: game, said, true."""
    if not len(rows):
        return []
    places = np.minimum((rows["said"].to_numpy() * BINS).astype(int), BINS - 1)
    bins = [_described(part) | {"bin": name_of_bin(place)} for place, part in rows.groupby(places)]
    shares = np.array([row["positions"] for row in bins]) / len(rows)
    means = {name: float(np.dot(shares, [row[name] for row in bins])) for name in ("error", "by_chance")}
    return [_described(rows) | means | {"bin": "all"}, *bins]


def name_of_bin(place: int) -> str:
    return f"{100 * place // BINS}-{100 * (place + 1) // BINS} %"


def _described(rows: pd.DataFrame) -> dict:
    said, (true, error) = float(rows["said"].mean()), mean_and_standard_error(rows["true"].to_numpy(),
                                                                              rows["game"].to_numpy())
    # One game, or games that all end alike, say nothing of how they differ: then as of tossed coins.
    spread = error if error > 0 else np.sqrt(said * (1 - said) / len(rows))
    return {"bin": "", "positions": len(rows), "games": rows["game"].nunique(), "said": said, "true": true,
            "true_se": error, "error": abs(true - said), "by_chance": OF_NORMAL * spread}


# ---- as text and as a picture

def report(table: pd.DataFrame) -> str:
    """The table as text: a block for each head, averaged where that was done; of the value also a line a phase."""
    blocks = []
    for head, of_head in table.groupby("head", sort=False):
        shown = of_head[of_head["averaged"] == of_head["averaged"].any()]
        title = f"{head} of 8" if of_head["averaged"].any() else head
        lines = [[f"{title}: said", "positions", "mean %", "true %", "±", "error %", "by chance"]]
        whole = shown[shown["phase"] == "all"]
        lines += [_line(row, row["bin"]) for row in whole[whole["bin"] != "all"].to_dict("records")]
        lines += [_line(row, "all") for row in whole[whole["bin"] == "all"].to_dict("records")]
        if head == "value":
            phases = shown[(shown["phase"] != "all") & (shown["bin"] == "all")]
            lines += [[""] * len(lines[0]), *(_line(row, str(row["phase"])) for row in phases.to_dict("records"))]
        blocks.append("\n".join(diagrams.table(lines)))
    blocks.append("error: how far what is said is from what is true, of all: the mean of the bins' (expected "
                  "calibration error);\nby chance: what it would be in the mean if nothing were wrong")
    return "\n\n".join(blocks)


def _line(row: dict, name: str) -> list[str]:
    numbers = (row["said"], row["true"], row["true_se"], row["error"], row["by_chance"])
    return [name, f"{row['positions']:,}", *("-" if np.isnan(number) else f"{100 * number:.1f}" for number in numbers)]


def picture(table: pd.DataFrame, path: Path, title: str) -> None:
    """Reliability diagrams: of the policy, of the value, and of the value in every phase of the game."""
    panels = [(head, phase) for head, phase in table[["head", "phase"]].drop_duplicates().itertuples(index=False)
              if phase == "all" or head == "value"]
    columns = min(3, len(panels))

    def draw(axes: list) -> None:
        for place, (head, phase) in zip(axes, panels, strict=False):
            part = table[(table["head"] == head) & (table["phase"] == phase)]
            series = {}
            for averaged, of_this in part.groupby("averaged"):
                whole = of_this[of_this["bin"] == "all"].iloc[0]
                bins = of_this[of_this["bin"] != "all"]
                bins = bins[bins["positions"] >= min(FEWEST, bins["positions"].max())]
                name = f"error {100 * whole['error']:.1f} %, by chance {100 * whole['by_chance']:.1f} %"
                series[f"of 8: {name}" if averaged else name] = (
                    bins["said"], bins["true"], bins["true_se"], bins["positions"] / whole["positions"])
            called = TITLES[head] if phase == "all" else f"{head}, {phase}"
            diagrams.reliability(place, series, f"{called} ({whole['positions']:,} positions)", (BLUE, PALE_BLUE))
        for place in axes[len(panels):]:
            place.axis("off")

    note = "bars: one standard error; grey: how many positions" \
        + ("; of 8: averaged over the eight symmetries" if table["averaged"].any() else "")
    diagrams.chart(path, -(-len(panels) // columns), columns, draw, f"{title}\n{note}", (3.6, 3.6))
