"""The checkpoints of a training run, with validation, the best network and the learning curve."""
import math
import time
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from mugo.core.files import BadInput, atomic_write, error_line, log_to_stderr
from mugo.core.progress import ProgressBar
from mugo.nn.keras import checkpoint
from mugo.nn.keras.backend import keras
from mugo.nn.keras.devices import is_first, one_device
from mugo.nn.keras.optimizers import AveragedModel
from mugo.nn.network_file import read_metadata
from mugo.nn.quantization import quantize_file
from mugo.plots import curves
from mugo.training.loader import calibration_positions
from mugo.training.metrics import MetricsLog, rename_means
from mugo.training.options import TrainingOptions

PRE_DECAY = "pre-decay.safetensors"      # the last checkpoint before the learning rate decays


class Checkpoints:
    """What is done at the end of each checkpoint interval: validates the averaged model, and writes the checkpoint with
    the history, the best network, the log and the learning curve.

    A run whose loss, weights or validation become infinite or NaN is stopped, and none of that is written.
    validation: packed planes and targets.
    """

    def __init__(self, model: keras.Model, run: Path, options: TrainingOptions, metadata: dict[str, Any],
                 bar: ProgressBar, averaged: AveragedModel, validation: tuple, log: MetricsLog):
        self.model: Any = model
        self.run, self.options, self.metadata, self.bar = run, options, metadata, bar
        self.averaged, self.validation, self.log = averaged, validation, log

    def begin(self) -> None:
        """The time of an interval counts from here."""
        self._start = time.perf_counter()

    def write(self, step: int, means: dict[str, float]) -> None:
        """The checkpoint after this step.  means: the means of the loss and the metrics since the last one."""
        trained = time.perf_counter()
        with one_device():
            averaged: Any = self.averaged.update_ema_model()
            if name := checkpoint.nonfinite_weight(self.model) or checkpoint.nonfinite_weight(averaged):
                self.stop_diverged(step, f"{name} is infinite or NaN")
            validated = averaged.evaluate(*self.validation, batch_size=self.options.batch_size, verbose=0,
                                          return_dict=True)
        history, size = self.metadata["history"], self.options.batch_size
        before = history[-1] if history else {"step": 0, "seconds": 0.0}
        row = {"step": step, "positions": step * size,
               "seconds": round(before["seconds"] + time.perf_counter() - self._start, 1),
               "learning_rate": float(self.options.schedule()(step)), **rename_means(means),
               **{f"validation_{name}": value for name, value in rename_means(validated).items()},
               "positions_per_second": (step - before["step"]) * size / (trained - self._start)}
        for name, value in row.items():
            if not math.isfinite(value):
                self.stop_diverged(step, f"{name} is {value}")
        history.append({name: round(value, 6) for name, value in row.items()})
        if is_first():
            with one_device():
                self.save()
            self.log.write_checkpoint(history[-1])
            self.bar.write(f"{step:8,} steps  {step * size:11,} positions  loss {row['loss']:.3f}  "
                           f"top-1 {row['top1']:.1%}  validation: loss {row['validation_loss']:.3f}  "
                           f"top-1 {row['validation_top1']:.2%}  top-5 {row['validation_top5']:.2%}  "
                           f"cross-entropy {row['validation_ce']:.3f}"
                           + "".join(f"  {text} {row[f'validation_{name}']:{form}}" for text, name, form in (
                               ("value MSE", "value_mse", ".3f"), ("ownership", "ownership_accuracy", ".1%"),
                               ("score error", "score_error", ".1f")) if f"validation_{name}" in row))

    def save(self) -> None:
        """Write everything; at each moment there is at least one checkpoint that is not damaged."""
        history = self.metadata["history"]
        path = self.run / checkpoint.CHECKPOINT
        if path.exists():
            checkpoint.copy_checkpoint(path, self.run / checkpoint.PREVIOUS)
        best = self.metadata["best"]
        if best is None or history[-1]["validation_loss"] < best["validation_loss"]:
            self.metadata["best"] = history[-1]
        checkpoint.save(self.model, path, self.metadata)
        link_pre_decay(self.run, self.options, self.metadata)
        before, now = (row["positions"] for row in ({"positions": 0}, *history)[-2:])
        if (every := self.options.keep_checkpoint_every) and now // every > before // every:
            checkpoint.copy_checkpoint(path, path.with_stem(f"{path.stem}-{now}"))
        write_results(self.averaged.model, self.run, self.metadata)

    def stop_diverged(self, step: int, reason: str) -> NoReturn:
        """Raise BadInput, which says how to continue.  Checkpoints and network stay as they are."""
        history, rate = self.metadata["history"], self.options.learning_rate
        continued = f"the files of step {history[-1]['step']:,} are unchanged: continue from them with --resume" \
            if history else "there is no checkpoint yet: start again with"
        raise BadInput(f"{self.run}: training has diverged: at step {step:,} {reason}; {continued} --learning-rate "
                       f"{rate / 2:g}, or lower")


def link_pre_decay(run: Path, options: TrainingOptions, metadata: dict[str, Any]) -> None:
    """Give a run's checkpoint, just written or loaded, the name PRE_DECAY too if its learning rate has not decayed."""
    history = metadata["history"]
    if not history or history[-1]["step"] <= options.decay_start_step:
        checkpoint.copy_checkpoint(run / checkpoint.CHECKPOINT, run / PRE_DECAY)


def write_results(model: keras.Model, run: Path, metadata: dict[str, Any]) -> None:
    """Write what follows from a checkpoint: the averaged model as RUN/network.safetensors, if no checkpoint before was
    better; the history as a table and as a curve.  Also of a run that is resumed: it may have been killed before."""
    history = metadata["history"]
    if metadata["best"] == history[-1]:
        exported = {name: value for name, value in metadata.items() if name != "history"}
        checkpoint.export(model, run / checkpoint.NETWORK, exported)
    with atomic_write(run / "log.csv") as temporary:
        pd.DataFrame(history).to_csv(temporary, index=False)
    curves.training_curve(history, run / "curve.png")


def add_int8(run: Path, validation: tuple) -> None:
    """Add a quantised graph, calibrated on the validation positions, to RUN/network.safetensors, if it has none.

    At the end of a run, because it takes seconds to minutes of the CPU.  Until then it is played in float32.
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
