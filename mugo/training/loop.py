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
from typing import Any

import numpy as np

from mugo.core.machine import available_cores
from mugo.core.progress import ProgressBar, progress_bar
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.keras.backend import accelerator_names, keras, tensorflow
from mugo.nn.keras.devices import (
    DataParallel, broadcast, interrupt_between_steps, is_first, process_count, process_index, throughput)
from mugo.nn.keras.losses import build_metrics
from mugo.nn.keras.optimizers import AveragedModel
from mugo.training.checkpoints import Checkpoints
from mugo.training.loader import PrefetchLoader, TrainingStream, examples
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
