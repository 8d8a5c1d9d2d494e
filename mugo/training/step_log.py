"""RUN/metrics.jsonl: what a run does between its checkpoints, a line of JSON every LOG_STEPS steps.  The same numbers
are TensorBoard's curves steps/NAME.

    step, positions         of the run, after this step
    loss, value_loss, ...   means since the line before: the weighted sum, and the loss of each head
    gradient_norm           of this step: of all gradients together, before --clip-norm
    learning_rate           of this step
    positions_per_second    since the line before, without checkpoints
    tflops                  of these, forward and backward (nn/graph.py); not where a part of the network is frozen
    kernel_norm, kernel_turn    of each convolution that learns, by its name: kernel_norms.py
    input_wait              fraction of that time in which no batch was ready: near 0, or the input is the limit

A number that is not finite, as the loss of a run that diverges, is null, because JSON has no NaN.
"""
import contextlib
import json
import math
import time
from pathlib import Path
from typing import Any

from mugo.core.files import atomic_write
from mugo.nn.keras.backend import keras
from mugo.nn.keras.devices import Throughput, is_first
from mugo.plots.tensorboard_log import TensorBoardLog
from mugo.training.kernel_norms import KernelNorms
from mugo.training.loader import PrefetchLoader
from mugo.training.options import TrainingOptions

LOG_STEPS = 100
METRICS_LOG = "metrics.jsonl"


class StepLog:
    """Appends the lines.  step: the run's first; later lines, of steps that were lost, are removed.  throughput: of
    the run's network and devices."""

    def __init__(self, model: keras.Model, run: Path, options: TrainingOptions, step: int, tensorboard: TensorBoardLog,
                 loader: PrefetchLoader, throughput: Throughput):
        self.model: Any = model
        self.path, self.options, self.tensorboard, self.loader = run / METRICS_LOG, options, tensorboard, loader
        self.throughput = throughput
        if is_first():
            _remove_after(self.path, step)

    def begin(self, step: int) -> None:
        """The means that `write` is given begin after this step."""
        self._first, self._sums = step, {}
        self.norms = KernelNorms(self.model)
        self._begin_line(step)

    def _begin_line(self, step: int) -> None:
        self._line_begin, self._began, self._waited = step, time.perf_counter(), self.loader.waited

    def write(self, step: int, means: dict[str, float]) -> None:
        """The line after this step.  means: of the loss and the metrics since `begin`."""
        positions, seconds = step * self.options.batch_size, time.perf_counter() - self._began
        steps = step - self._line_begin
        line = {"step": step, "positions": positions}
        for name in (name for name in means if name == "loss" or name.endswith("_loss")):
            total = means[name] * (step - self._first)
            line[name] = (total - self._sums.get(name, 0.0)) / steps
            self._sums[name] = total
        line |= {"gradient_norm": float(self.model.optimizer.gradient_norm), "learning_rate": float(
                     self.options.schedule()(step - 1)),
                 "positions_per_second": (rate := steps * self.options.batch_size / seconds),
                 "input_wait": (self.loader.waited - self._waited) / seconds}
        if self.throughput.multiplications:
            line["tflops"] = self.throughput.tflops(rate)
        norms = self.norms.measure(steps)
        self.norms.begin()
        if is_first():
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(_finite(line | norms)) + "\n")
            self.tensorboard.write("steps", {name: value for name, value in line.items()
                                             if name not in ("step", "positions")}, positions)
            for group, values in norms.items():
                self.tensorboard.write(group, values, positions)
        self._begin_line(step)


def _finite(value: Any) -> Any:
    """A value of JSON with numbers of six digits; None for one that is not finite."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _remove_after(path: Path, step: int) -> None:
    """Keep only the lines of steps up to this one: not later ones, nor what a killed process left unfinished."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True):
        with contextlib.suppress(ValueError, KeyError, TypeError):
            if line.endswith("\n") and json.loads(line)["step"] <= step:
                kept.append(line)
    with atomic_write(path) as temporary:
        temporary.write_text("".join(kept), encoding="utf-8")
