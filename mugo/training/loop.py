"""The training loop:  batch -> step -> log -> checkpoint.

    PrefetchLoader --batch--> Steps.take --every 16 steps--> the loss is read --> MetricsLog, Checkpoints

A step computes the loss, the gradients and the update, compiled (nn/keras/losses.py).  Python reads the loss,
for which it waits for the device, after EXECUTION_STEPS only, or half a second where a step takes longer.
"""
import contextlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, atomic_write, error_line, log_to_stderr
from mugo.core.machine import available_cores
from mugo.core.progress import ProgressBar, progress_bar
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.keras import checkpoint
from mugo.nn.keras.backend import accelerator_names, keras, tensorflow
from mugo.nn.keras.devices import (
    DataParallel, broadcast, interrupt_between_steps, is_first, one_device, process_count, process_index, throughput)
from mugo.nn.keras.losses import build_metrics
from mugo.nn.keras.optimizers import AveragedModel
from mugo.nn.network_file import read_metadata
from mugo.nn.quantization import quantize_file
from mugo.plots import curves
from mugo.training.loader import PrefetchLoader, TrainingStream, calibration_positions, examples
from mugo.training.metrics import LOG_STEPS, MetricsLog, rename_means
from mugo.training.options import EXECUTION_STEPS, TrainingOptions, run_options

SCHEDULE = "warmup_steps", "decay_start", "total_steps"      # of optimizers.WarmupStableDecay


class Steps:
    """The steps of a compiled model, whose losses and metrics are built (losses.build_metrics): begin, take ..., means.

    parallel: in whose scope the model was made, and in whose scope the methods are called.

    What a step computes is the model's own train_step.  TensorFlow changes the variables where they are.  JAX's
    function takes their arrays and returns new ones, in the same memory, so the variables are out of date until
    `store`.  The learning-rate schedule's numbers of steps are arguments: a run whose length is not known yet is
    compiled once.
    """

    def __init__(self, model: keras.Model, parallel: DataParallel):
        self._model: Any = model
        self._parallel, self._means, self._state = parallel, {}, ()
        if tensorflow:
            self._step = tensorflow.function(self._with_schedule, jit_compile=model.jit_compile)
        else:
            import jax

            self._step = jax.jit(self._with_schedule, donate_argnums=1, out_shardings=parallel.everywhere)

    def _with_schedule(self, numbers: Any, *arguments: Any) -> Any:
        """The model's train_step, traced with these numbers of SCHEDULE."""
        schedule = self._model.optimizer.schedule
        known = vars(schedule).copy()
        vars(schedule).update({name: numbers[i] for i, name in enumerate(SCHEDULE)})
        try:
            return self._model.train_step(*arguments)
        finally:
            vars(schedule).update(known)

    def begin(self) -> None:
        """Begin the means anew, and go on with the variables and the schedule that the model has now."""
        self._model.reset_metrics()
        self._state = [[variable.value for variable in variables] for variables in self._variables()]
        self._numbers = np.array([getattr(self._model.optimizer.schedule, name) for name in SCHEDULE], np.float32)

    def take(self, batch: tuple) -> None:
        """A step on (inputs, targets), the slice of this process."""
        if tensorflow:
            self._means = self._step(self._numbers, batch)
        else:
            self._means, self._state = self._step(self._numbers, self._state, self._parallel.divided(batch))

    def means(self) -> dict[str, float]:
        """The mean loss and metrics since `begin`, by Keras's names."""
        return {name: float(value) for name, value in self._means.items()}

    def store(self) -> None:
        """Give the model's variables their values after the last step; the next one takes them away again on JAX."""
        if not tensorflow:
            for variables, values in zip(self._variables(), self._state, strict=True):
                for variable, value in zip(variables, values, strict=True):
                    variable.assign(value)

    def _variables(self) -> tuple[list, ...]:
        """What train_step changes, in the order in which JAX's takes it."""
        model = self._model
        return (model.trainable_variables, model.non_trainable_variables, model.optimizer.variables,
                model.metrics_variables)


# ---- checkpoints, with validation, the best network and the learning curve

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


# ---- the loop

READ_SECONDS = 0.5


def train_steps(steps: Steps, model: keras.Model, run: Path, metadata: dict[str, Any], stream: TrainingStream,
                averaged: AveragedModel, validation: tuple, parallel: DataParallel) -> None:
    """Train the model of a run from its step to the last.

    steps: the steps of this model (make_steps).  metadata: the metadata of the run's checkpoint.  validation: see
    loader.validation_batch.
    parallel: in whose scope the model was made.  Raises BadInput where the training diverges.
    """
    config, options, history = config_of(metadata), run_options(metadata), metadata["history"]
    assert isinstance(config, PolicyNetConfig)
    step, size, per_second = int(model.optimizer.iterations.numpy()), options.batch_size, 0.0
    if step >= options.steps:
        if is_first():
            print(f"{run} is finished: {options.steps:,} steps, {options.steps * size:,} positions")
        return
    bar = progress_bar("positions", options.steps * size, step * size, scale=True, smoothing=0.02)
    loader = PrefetchLoader(batch_maker(stream, config, options), step, available_cores())
    with contextlib.closing(bar), interrupt_between_steps() as interrupt, contextlib.closing(loader), parallel.scope():
        speed = throughput(config.spec(), bool(options.frozen), accelerator_names()[:parallel.count])
        log = MetricsLog(model, run, options, step, history, loader, speed)
        checkpoints = Checkpoints(model, run, options, metadata, bar, averaged, validation, log)
        while step < options.steps:
            end = step + broadcast(options.interval_steps(step, history[-1]["seconds"] if history else 0.0, per_second))
            steps.begin()
            checkpoints.begin()
            log.begin(step)
            read, read_at = step, time.monotonic()
            while step < end and not interrupt.stops:
                steps.take(next(loader))
                step += 1
                is_logged = step % LOG_STEPS == 0
                if step - read >= EXECUTION_STEPS or is_logged or time.monotonic() - read_at > READ_SECONDS:
                    means = finite_means(steps, checkpoints, step)
                    if is_logged:
                        steps.store()
                        log.write_steps(step, means)
                    flops = speed.describe((step - read) * size / max(time.monotonic() - read_at, 1e-9))
                    show(bar, (step - read) * size, means, flops)
                    read, read_at = step, time.monotonic()
                interrupt.check()
            means = finite_means(steps, checkpoints, step)
            show(bar, (step - read) * size, means)
            steps.store()
            checkpoints.write(step, means)
            interrupt.check()
            per_second = history[-1]["positions_per_second"] / size


def finite_means(steps: Steps, checkpoints: Checkpoints, step: int) -> dict[str, float]:
    """The means of loss and metrics since `begin`.  Raises BadInput where the loss, a mean, is no number any more."""
    means = steps.means()
    if not math.isfinite(means["loss"]):
        checkpoints.stop_diverged(step, f"the loss is {means['loss']}")
    return means


def show(bar: ProgressBar, positions: int, means: dict[str, float], flops: str = "") -> None:
    """Advance the bar of process 0 by these positions."""
    if is_first():
        means = rename_means(means)
        bar.set_postfix_str(f"loss {means['loss']:.3f} top-1 {means['top1']:.1%} top-5 {means['top5']:.1%} "
                            f"{flops}".rstrip(), refresh=False)
        bar.update(positions)


def make_steps(model: keras.Model, parallel: DataParallel, batch: tuple) -> Steps:
    """The steps of a compiled model; batch: of which two examples build its losses and metrics."""
    with parallel.scope():
        build_metrics(model, *keras.tree.map_structure(lambda array: array[:2], batch))
        return Steps(model, parallel)


def batch_maker(stream: TrainingStream, config: PolicyNetConfig, options: TrainingOptions) -> Callable[[int], tuple]:
    """A function that makes the batch of a step, as Keras takes it, for this process."""
    process = process_index(), process_count()

    def make(step: int) -> tuple:
        number = options.skip_batches + step
        batch = stream.batch(number, options.batch_size, options.seed, *process)
        return examples(batch, config, np.random.default_rng((options.seed, number)), *process,
                        options.people_dropout, options.teacher_weight, options.mixes_policy)

    return make


def training_rate(steps: Steps, make: Callable[[int], tuple], batch_size: int, parallel: DataParallel, seconds: float
                  ) -> float:
    """Positions/s of a model that is trained for n seconds, with its loader.  It changes the model.

    make: the batch of a step.
    """
    with parallel.scope():
        steps.begin()
        for step in range(2):                            # the first compiles
            steps.take(make(step))
        steps.means()
        with contextlib.closing(PrefetchLoader(make, 2, available_cores())) as loader:
            start, count = time.perf_counter(), 0
            while not count or time.perf_counter() - start < seconds:
                for _ in range(4):
                    steps.take(next(loader))
                steps.means()
                count += 4
            steps.store()
            return count * batch_size / (time.perf_counter() - start)
