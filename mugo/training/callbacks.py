"""Keras callbacks of a training run: the progress bar; and checkpoints with validation, log and learning curve."""
import json
import math
import time
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from mugo.core.files import BadInput, atomic_write, error_line, log_to_stderr, read_json
from mugo.core.progress import ProgressBar, progress_bar
from mugo.nn import checkpoint
from mugo.nn.backend import keras
from mugo.nn.cost import Throughput
from mugo.nn.devices import one_device
from mugo.nn.metadata import read_metadata
from mugo.nn.processes import is_first
from mugo.nn.range_calibration import quantize_file
from mugo.nn.tensorboard_log import TensorBoardLog
from mugo.nn.weight_averaging import AveragedModel
from mugo.plots import curves
from mugo.training.loader import calibration_positions
from mugo.training.options import TrainingOptions

MASKED_METRICS = "value_mse", "value_accuracy", "ownership_accuracy", "score_error"     # NaN where nothing is known
METRICS = ["ce", "top1", "top5", *MASKED_METRICS]
COLUMNS = ["step", "positions", "seconds", "learning_rate", "loss", *METRICS,
           *(f"validation_{name}" for name in ("loss", *METRICS)), "positions_per_second"]
PRE_DECAY = "pre-decay.safetensors"      # the last checkpoint before the learning rate decays
DIVERGED = "diverged.json"               # where, and with which learning rate, until a checkpoint follows


def rename_logs(logs: dict[str, Any]) -> dict[str, float]:
    """Keras's logs under the names of COLUMNS, which do not depend on whether there is a value head."""
    renamed = {}
    for name, value in logs.items():
        prefix = "validation_" if name.startswith("val_") else ""
        name = name.removeprefix("val_")
        if name == "loss" or not name.endswith("_loss"):
            renamed[prefix + name.removeprefix("policy_")] = float(value)
    return renamed


class ProgressCallback(keras.callbacks.Callback):
    """The progress bar: positions/s, loss, accuracies, TFLOP/s, time left.  step: the run's first.  throughput: of the
    run's network and devices."""

    def __init__(self, options: TrainingOptions, step: int, throughput: Throughput):
        super().__init__()
        self.throughput = throughput
        self.batch_size = options.batch_size
        self.bar = progress_bar("positions", options.steps * self.batch_size, step * self.batch_size, scale=True,
                                smoothing=0.02)
        self.last_shown, self.shown_positions, self.shown = 0.0, 0.0, is_first()

    def on_train_batch_end(self, batch, logs=None):
        if not self.shown:
            return
        self.bar.update(self.model.steps_per_execution * self.batch_size)
        if logs and time.monotonic() - self.last_shown > 0.5:
            logs, now = rename_logs(logs), time.monotonic()
            seconds, positions = now - self.last_shown, self.bar.n - self.shown_positions
            flops = self.throughput.describe(positions / seconds) if self.last_shown else ""
            self.last_shown, self.shown_positions = now, self.bar.n
            self.bar.set_postfix_str(f"loss {logs['loss']:.3f} top-1 {logs['top1']:.1%} top-5 {logs['top5']:.1%} "
                                     f"{flops}".rstrip(), refresh=False)


class CheckpointCallback(keras.callbacks.Callback):
    """At the end of each of Keras's epochs, which is a checkpoint interval: validates the averaged model, and writes
    the checkpoint with the history, the best network, the log and the learning curve.

    A run whose loss, weights or validation become infinite or NaN is stopped (stop_diverged), and none of
    that is written.

    validation: packed planes and targets.
    """

    def __init__(self, run: Path, options: TrainingOptions, metadata: dict[str, Any], bar: ProgressBar,
                 averaged: AveragedModel, validation: tuple):
        super().__init__()
        self.run, self.options, self.metadata, self.bar = run, options, metadata, bar
        self.averaged, self.validation = averaged, validation
        self.tensorboard = TensorBoardLog(run / "tensorboard")

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_train_batch_end(self, batch, logs=None):
        if logs and not math.isfinite(logs["loss"]):     # a mean: once NaN, it stays so
            self.stop_diverged(f"the loss is {logs['loss']}")

    def on_epoch_end(self, epoch, logs=None):
        assert logs is not None
        with one_device():
            self.checkpoint(logs)

    def checkpoint(self, logs: dict[str, Any]) -> None:
        """Everything that is done at a checkpoint.  logs: the metrics of training since the last one."""
        trained = time.perf_counter()
        model: Any = self.model
        averaged: Any = self.averaged.update_ema_model()
        if name := checkpoint.nonfinite_weight(model) or checkpoint.nonfinite_weight(averaged):
            self.stop_diverged(f"{name} is infinite or NaN")
        logs.update({f"val_{name}": value for name, value in averaged.evaluate(
            *self.validation, batch_size=self.options.batch_size, verbose=0, return_dict=True).items()})
        history = self.metadata["history"]
        step = int(model.optimizer.iterations.numpy())
        positions = step * self.options.batch_size
        before = history[-1] if history else {"step": 0, "seconds": 0.0}
        row = {name: value for name, value in rename_logs(logs).items()
               if not (name.endswith(MASKED_METRICS) and math.isnan(value))} | {
            "step": step, "positions": positions,
            "seconds": round(before["seconds"] + time.perf_counter() - self.start, 1),
            "learning_rate": float(self.options.schedule()(step)),
            "positions_per_second": (step - before["step"]) * self.options.batch_size / (trained - self.start),
        }
        for name, value in row.items():
            if not math.isfinite(value):
                self.stop_diverged(f"{name} is {value}")
        history.append({name: round(row[name], 6) for name in COLUMNS if name in row})
        if not is_first():
            return
        self.save()
        for name in sorted(history[-1].keys() - {"step", "positions", "seconds"}):
            group = "validation" if name.startswith("validation_") else "training"
            self.tensorboard.write(group, {name.removeprefix("validation_"): history[-1][name]}, positions)
        self.bar.write(f"{step:8,} steps  {positions:11,} positions  loss {row['loss']:.3f}  "
                       f"top-1 {row['top1']:.1%}  validation: loss {row['validation_loss']:.3f}  "
                       f"top-1 {row['validation_top1']:.2%}  top-5 {row['validation_top5']:.2%}  "
                       f"cross-entropy {row['validation_ce']:.3f}"
                       + "".join(f"  {text} {row[f'validation_{name}']:{form}}" for text, name, form in (
                           ("value MSE", "value_mse", ".3f"), ("ownership", "ownership_accuracy", ".1%"),
                           ("score error", "score_error", ".1f")) if f"validation_{name}" in row))

    def save(self) -> None:
        """Write everything; at each moment there is at least one checkpoint that is not damaged."""
        assert self.model is not None
        history = self.metadata["history"]
        path = self.run / checkpoint.CHECKPOINT
        if path.exists():
            checkpoint.link_checkpoint(path, self.run / checkpoint.PREVIOUS)
        best = self.metadata["best"]
        if best is None or history[-1]["validation_loss"] < best["validation_loss"]:
            self.metadata["best"] = history[-1]
        checkpoint.save(self.model, path, self.metadata)
        link_pre_decay(self.run, self.options, self.metadata)
        before, now = (row["positions"] for row in ({"positions": 0}, *history)[-2:])
        if (every := self.options.keep_checkpoint_every) and now // every > before // every:
            checkpoint.link_checkpoint(path, path.with_stem(f"{path.stem}-{now}"))
        write_results(self.averaged.model, self.run, self.metadata)
        (self.run / DIVERGED).unlink(missing_ok=True)

    def stop_diverged(self, reason: str) -> NoReturn:
        """Raise BadInput, which says how to continue, and write DIVERGED, with which check_diverged says it again.

        Checkpoints and network stay as they are.
        """
        model: Any = self.model
        step, rate = int(model.optimizer.iterations.numpy()), self.options.learning_rate
        history = self.metadata["history"]
        if is_first():
            with atomic_write(self.run / DIVERGED) as temporary:
                temporary.write_text(json.dumps({"step": step, "learning_rate": rate}))
        continued = f"the files of step {history[-1]['step']:,} are unchanged: continue from them with --resume" \
            if history else "there is no checkpoint yet: start again with"
        raise BadInput(f"{self.run}: training has diverged: at step {step:,} {reason}; {continued} --learning-rate "
                       f"{rate / 2:g}, or lower")


def check_diverged(run: Path, learning_rate: float) -> None:
    """Raise BadInput if the run has diverged with this learning rate, or a lower one, since its last checkpoint."""
    if not (run / DIVERGED).exists():
        return
    diverged = read_json(run / DIVERGED)
    if not (isinstance(diverged, dict) and type(diverged.get("step")) is int
            and type(diverged.get("learning_rate")) in (int, float)):
        raise BadInput(f"{run / DIVERGED} holds no step and learning rate; delete it")
    if learning_rate >= diverged["learning_rate"]:
        start = "resume it" if (run / checkpoint.CHECKPOINT).exists() else "it has no checkpoint: start it again"
        raise BadInput(f"{run} has diverged at step {diverged['step']:,} with --learning-rate "
                       f"{diverged['learning_rate']:g}: {start} with --learning-rate "
                       f"{diverged['learning_rate'] / 2:g}, or lower")


def link_pre_decay(run: Path, options: TrainingOptions, metadata: dict[str, Any]) -> None:
    """Give a run's checkpoint, just written or loaded, the name PRE_DECAY too if its learning rate has not decayed."""
    history = metadata["history"]
    if not history or history[-1]["step"] <= options.decay_start_step:
        checkpoint.link_checkpoint(run / checkpoint.CHECKPOINT, run / PRE_DECAY)


def write_results(model: keras.Model, run: Path, metadata: dict[str, Any]) -> None:
    """Write what follows from a checkpoint: the averaged model as RUN/network.safetensors, if no checkpoint before was
    better; the log and the learning curve.  Also of a run that is resumed: it may have been killed before this."""
    history = metadata["history"]
    if metadata["best"] == history[-1]:
        exported = {name: value for name, value in metadata.items() if name != "history"}
        checkpoint.export(model, run / checkpoint.NETWORK, exported)
    with atomic_write(run / "log.csv") as temporary:
        pd.DataFrame(history, columns=COLUMNS).to_csv(temporary, index=False)
    curves.training_curve(history, run / "curve.png")


def add_int8(run: Path, validation: tuple) -> None:
    """Add a quantised graph, calibrated on the validation positions, to RUN/network.safetensors, if it has none.

    At the end of a run: it takes seconds to minutes of the CPU, in which the GPUs would wait, and at most checkpoints
    the network is a new one.  Until then it is played in float32.
    """
    path = run / checkpoint.NETWORK
    if "quantization" in read_metadata(path):
        return
    try:
        quantize_file(path, path, calibration_positions(*validation))
    except BadInput as error:            # it would lose too much, or there is one position
        log_to_stderr(f"{error}; the network is played in float32")
    except OSError as error:             # a full disk; the run itself is finished
        log_to_stderr(f"{path}: int8: {error_line(error)}; the network is played in float32")
