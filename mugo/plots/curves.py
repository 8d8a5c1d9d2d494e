"""Learning curves of runs of `train` and of `selfplay`, as pictures and for TensorBoard."""
import importlib.util
import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.core.intervals import wilson_interval
from mugo.plots.figures import BLUE, GREEN, INK, RED, new_figure, save_figure

COLOURS = BLUE, GREEN, RED, "#8a5a9e", "#c08a2e", "#2f8f8a", "#7a5230"          # as many as arena.UCT_LEVELS


# Measures of the heads other than the policy: column of the log: (axis, scale).
HEADS = {"value_mse": ("MSE of the value", 1), "ownership_accuracy": ("accuracy of ownership, %", 100),
         "score_error": ("error of the score, points", 1)}


def training_curve(history: Sequence[dict], path: Path) -> None:
    """Loss and accuracy against positions, from the rows of a run's log; and the measures of HEADS that are there."""
    heads = [name for name in HEADS if f"validation_{name}" in history[-1]]
    figure = new_figure((5 * (2 + len(heads)), 4))
    left, right, *others = figure.subplots(1, 2 + len(heads))
    unit, unit_name = (1e6, "millions") if history[-1]["positions"] >= 1e6 else (1e3, "thousands")
    positions = [row["positions"] / unit for row in history]

    def line(axes, name, colour, style, label, scale=1.0):
        axes.plot(positions, [row.get(name, np.nan) * scale for row in history], style, color=colour, label=label,
                  linewidth=1.3, markersize=3)

    line(left, "ce", BLUE, ".--", "training")
    line(left, "validation_ce", BLUE, ".-", "validation")
    left.set_ylabel("cross-entropy of the next move")
    for name, colour, label in (("top1", RED, "top-1"), ("top5", GREEN, "top-5")):
        line(right, name, colour, ".--", f"{label}, training", 100)
        line(right, f"validation_{name}", colour, ".-", f"{label}, validation", 100)
    right.set_ylabel("accuracy of move prediction, %")
    for axes, name in zip(others, heads, strict=True):
        label, scale = HEADS[name]
        line(axes, name, BLUE, ".--", "training", scale)
        line(axes, f"validation_{name}", BLUE, ".-", "validation", scale)
        axes.set_ylabel(label)
    for axes in (left, right, *others):
        axes.set_xlabel(f"positions trained on, {unit_name}")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    save_figure(figure, path)


def selfplay_curve(history: Sequence[dict], arena: Sequence[dict], path: Path) -> None:
    """Losses, length of games and scores in the arena against games of self-play, from the rows of log.csv and
    arena.csv."""
    figure = new_figure((15, 4))
    left, middle, right = figure.subplots(1, 3)
    games = [row["games"] for row in history]
    for name, colour, label in (("ce", BLUE, "cross-entropy, policy and visits"),
                                ("entropy", GREEN, "entropy of the policy"),
                                ("value_mse", RED, "MSE of the value")):
        left.plot(games, [row[name] for row in history], color=colour, linewidth=1, label=label)
    left.set_ylim(bottom=0)
    middle.plot(games, moving_average([row["moves"] for row in history]), color=INK, linewidth=1.2,
                label="moves per game")
    middle.set_ylim(bottom=0)
    shares = middle.twinx()
    for name, colour, label in (("black", BLUE, "score of the first player"), ("draws", GREEN, "draws")):
        shares.plot(games, moving_average([100 * row[name] for row in history]), color=colour, linewidth=1.2,
                    label=label)
    shares.set_ylim(0, 100)
    shares.set_ylabel("%")
    draw_arena(right, arena)
    right.set_ylabel("score of the newest network, %")
    for axes in (left, middle, right):
        axes.set_xlabel("games of self-play")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    for axes, place in ((left, "upper right"), (middle, "lower left"), (shares, "upper right"), (right, "lower right")):
        axes.legend(fontsize=7, frameon=False, loc=place)
    save_figure(figure, path)


def moving_average(values: Sequence[float]) -> np.ndarray:
    """Of values, float64 (n,): the mean over the last twentieth of the curve, over fewer values at its start."""
    return pd.Series(values, dtype=float).rolling(max(1, len(values) // 20), min_periods=1).mean().to_numpy()


def draw_arena(axes, arena: Sequence[dict]) -> None:
    """Scores against games of self-play on matplotlib axes, a line for each opponent, from the rows of a run's
    arena.csv; whiskers are Wilson's 95 % intervals.  The best network so far changes from row to row, so its line is
    dotted."""
    for i, name in enumerate(dict.fromkeys(row["opponent"] for row in arena)):
        met = [row for row in arena if row["opponent"] == name]
        games = [row["wins"] + row["draws"] + row["losses"] for row in met]
        rates = [wilson_interval(row["wins"] + row["draws"] / 2, played) for row,
                 played in zip(met, games, strict=True)]
        below, above = ([100 * abs(getattr(rate, end) - rate.value) for rate in rates] for end in ("low", "high"))
        is_uct = bool(met[0]["simulations"])
        axes.errorbar([row["games"] for row in met], [100 * rate.value for rate in rates], [below, above],
                      fmt=".-" if is_uct else ".:", color=COLOURS[i % len(COLOURS)] if is_uct else INK,
                      linewidth=1.2, elinewidth=0.7, capsize=2, markersize=5, label=f"against {name}")
    axes.set_ylim(-3, 103)


# ---- TensorBoard

class TensorBoardLog:
    """Scalars in a file of the folder, which is made by the first of them; nothing without TensorBoard.

    TensorBoard's own writer of records makes it: tensorflow.summary, and TensorBoard's EventFileWriter where TensorFlow
    is installed, would load TensorFlow in addition to JAX.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._records: Any = None

    def write(self, group: str, numbers: dict[str, float], step: int) -> None:
        """Add points to the curves GROUP/NAME.  step: games or positions, where they are on the horizontal axis."""
        if not importlib.util.find_spec("tensorboard"):
            return
        from tensorboard.compat.proto.summary_pb2 import Summary

        if self._records is None:
            self._open()
        points = [Summary.Value(tag=f"{group}/{name}", simple_value=value) for name, value in numbers.items()]
        self._add(step=step, summary=Summary(value=points))

    def _open(self) -> None:
        """Begin a new file, whose first record is the version of its format."""
        from tensorboard.summary.writer.record_writer import RecordWriter

        self._folder.mkdir(parents=True, exist_ok=True)
        # TensorBoard finds a file by this name.
        file = open(self._folder / f"events.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}", "ab")
        self._records = RecordWriter(file)
        self._add(file_version="brain.Event:2")

    def _add(self, **fields: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        self._records.write(Event(wall_time=time.time(), **fields).SerializeToString())
        self._records.flush()
