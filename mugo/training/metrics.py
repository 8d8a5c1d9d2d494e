"""RUN/metrics.jsonl: what a run does, a line of JSON for every LOG_STEPS steps and for every checkpoint.  The same
numbers are TensorBoard's curves.

    step, positions         of the run, after this step
    loss, value_loss, ...   means since the line before: the weighted sum, and the loss of each head
    gradient_norm           of this step: the step of all gradients together, before --clip-norm
    learning_rate           of this step
    positions_per_second    since the line before, without checkpoints
    tflops                  of these, forward and backward; not where a part of the network is frozen
    kernel_norm             of each convolution that learns, by its name: the root mean square of its kernel, in units
                            of He's initialisation.  A kernel in front of batch normalisation has no scale, and Muon's
                            steps have a fixed length: where norms grow, the effective learning rate falls (Liu et al.
                            2025, arXiv:2502.16982, section 2.2)
    kernel_turn             the angle between the kernel and itself a hundred steps before, in degrees
    input_wait              fraction of that time in which no batch was ready: near 0, or the input is the limit

The line of a checkpoint has the means since the last one, and the validation's, as validation_NAME (loop.py).
A number that is not finite, as the loss of a run that diverges, is null.
"""
import contextlib
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import atomic_write
from mugo.nn.keras.backend import keras
from mugo.nn.keras.devices import Throughput, is_first
from mugo.plots.curves import TensorBoardLog
from mugo.training.loader import PrefetchLoader
from mugo.training.options import TrainingOptions

LOG_STEPS = 100
METRICS_LOG = "metrics.jsonl"
ALWAYS_KNOWN = "loss", "ce", "top1", "top5"              # the other metrics are NaN where nothing is known


def rename_means(means: dict[str, float]) -> dict[str, float]:
    """The loss and the metrics among Keras's means, by names that do not depend on whether there is a value head;
    without those of which nothing is known."""
    named = {name.removeprefix("policy_"): float(value) for name, value in means.items()
             if name == "loss" or not name.endswith("_loss")}
    return {name: value for name, value in named.items() if name in ALWAYS_KNOWN or not math.isnan(value)}


class MetricsLog:
    """Appends the lines.  step: the run's first; later lines, of steps that were lost, are removed.  history: the rows
    of the run's checkpoints.  throughput: the throughput of its network and devices."""

    def __init__(self, model: keras.Model, run: Path, options: TrainingOptions, step: int, history: list[dict],
                 loader: PrefetchLoader, throughput: Throughput):
        self.model: Any = model
        self.path, self.options, self.loader, self.throughput = run / METRICS_LOG, options, loader, throughput
        self.tensorboard = TensorBoardLog(run / "tensorboard")
        if is_first() and (history or self.path.exists()):
            lines = [line for line in read_lines(self.path) if line["step"] <= step and "validation_loss" not in line]
            with atomic_write(self.path) as temporary:
                temporary.write_text("".join(json.dumps(line) + "\n" for line in sorted(
                    [*lines, *history], key=lambda line: line["step"])), encoding="utf-8")

    def begin(self, step: int) -> None:
        """The means that `write_steps` is given begin after this step."""
        self._first, self._sums = step, {}
        self.norms = KernelNorms(self.model)
        self._begin_line(step)

    def _begin_line(self, step: int) -> None:
        self._line_begin, self._began, self._waited = step, time.perf_counter(), self.loader.waited

    def write_steps(self, step: int, means: dict[str, float]) -> None:
        """The line after this step.  means: the means of the loss and the metrics since `begin`."""
        steps, seconds = step - self._line_begin, time.perf_counter() - self._began
        line: dict[str, Any] = {}
        for name in (name for name in means if name == "loss" or name.endswith("_loss")):
            total = means[name] * (step - self._first)
            line[name] = (total - self._sums.get(name, 0.0)) / steps
            self._sums[name] = total
        line |= {"gradient_norm": float(self.model.optimizer.gradient_norm),
                 "learning_rate": float(self.options.schedule()(step - 1)),
                 "positions_per_second": (rate := steps * self.options.batch_size / seconds),
                 "input_wait": (self.loader.waited - self._waited) / seconds}
        if self.throughput.multiplications:
            line["tflops"] = self.throughput.tflops(rate)
        norms = self.norms.measure(steps)
        self._append(step, {"steps": line} | norms, line | norms)
        self.norms.begin()
        self._begin_line(step)

    def write_checkpoint(self, row: dict[str, Any]) -> None:
        """The line of a checkpoint: a row of the history."""
        curves: dict[str, dict] = {"training": {}, "validation": {}}
        for name in sorted(row.keys() - {"step", "positions", "seconds"}):
            curves["validation" if name.startswith("validation_") else "training"][
                name.removeprefix("validation_")] = row[name]
        self._append(row["step"], curves, row)

    def _append(self, step: int, curves: dict[str, dict[str, float]], line: dict[str, Any]) -> None:
        if is_first():
            positions = step * self.options.batch_size
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(_finite({"step": step, "positions": positions} | line)) + "\n")
            for group, numbers in curves.items():
                self.tensorboard.write(group, numbers, positions)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a log, without what a killed process left unfinished."""
    lines = []
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else ():
        with contextlib.suppress(ValueError):
            line = json.loads(text)
            if isinstance(line, dict) and isinstance(line.get("step"), int):
                lines.append(line)
    return lines


def _finite(value: Any) -> Any:
    """A value of JSON with numbers of six digits; None for one that is not finite."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


class KernelNorms:
    """The kernels of a model's convolutions that learn; `measure` compares them with the last `begin`."""

    def __init__(self, model: Any):
        self._kernels = {layer.name: layer.kernel for layer in model.layers
                         if layer.trainable and len(getattr(getattr(layer, "kernel", None), "shape", ())) == 4}
        self.begin()

    def begin(self) -> None:
        """Remember the kernels as they are."""
        self._before = {name: _array(kernel) for name, kernel in self._kernels.items()}

    def measure(self, steps: int) -> dict[str, dict[str, float]]:
        """{"kernel_norm": by layer, "kernel_turn": by layer}, this number of steps after `begin`."""
        norms, turns = {}, {}
        for name, kernel in self._kernels.items():
            now, before = _array(kernel), self._before[name]
            lengths = np.linalg.norm(now), np.linalg.norm(before)
            norms[name] = float(lengths[0] / np.sqrt(2 * now.shape[-1]))       # He: a variance of 2 / fan-in
            cosine = np.vdot(now, before) / max(lengths[0] * lengths[1], 1e-30)
            turns[name] = float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) * LOG_STEPS / steps
        return {"kernel_norm": norms, "kernel_turn": turns}


def _array(kernel: Any) -> np.ndarray:
    return np.array(kernel.numpy(), np.float64)
