"""Batches into Keras's fit, one checkpoint interval after the other, on one device or several."""
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.machine import available_cores
from mugo.nn.backend import accelerator_names, has_gpu, keras, tensorflow
from mugo.nn.compile import build_metrics
from mugo.nn.cost import throughput
from mugo.nn.devices import DataParallel
from mugo.nn.metadata import config_of
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.processes import broadcast, interrupt_callback, is_first, process_count, process_index
from mugo.nn.weight_averaging import AveragedModel
from mugo.training.callbacks import CheckpointCallback, ProgressCallback
from mugo.training.loader import PrefetchLoader, TrainingStream, examples
from mugo.training.options import MAX_STEPS_PER_EXECUTION, TrainingOptions, run_options
from mugo.training.step_log import StepLog

SMALL_STEP = 10**8                       # multiplications of a step by 1x1 kernels: see steps_per_execution


def fit_run(model: keras.Model, run: Path, metadata: dict[str, Any], stream: TrainingStream, averaged: AveragedModel,
            validation: tuple, parallel: DataParallel) -> None:
    """Train the model of a run from its step to the last; see CheckpointCallback.

    metadata: of the run's checkpoint.  validation: see loader.validation_batch.  parallel: in whose scope the model was
    made.
    """
    config, options = config_of(metadata), run_options(metadata)
    assert isinstance(config, PolicyNetConfig)
    first_step = int(model.optimizer.iterations.numpy())
    if first_step >= options.steps:
        if is_first():
            print(f"{run} is finished: {options.steps:,} steps, {options.steps * options.batch_size:,} positions")
        return

    if tensorflow and parallel.count == 1:
        for each in model, averaged.model:
            build_metrics(each, *keras.tree.map_structure(lambda array: array[:2], validation))
    make = batch_maker(stream, config, options)
    speed = throughput(config.spec(), bool(options.frozen), accelerator_names()[:parallel.count])
    progress = ProgressCallback(options, first_step, speed)
    interrupt = interrupt_callback()
    checkpoints = CheckpointCallback(run, options, metadata, progress.bar, averaged, validation)
    step_log = StepLog(run, options, first_step, checkpoints.tensorboard, speed)
    callbacks = [progress, step_log, checkpoints, interrupt]
    step, steps_per_second, history = first_step, 0.0, metadata["history"]
    with contextlib.closing(progress.bar), interrupt:
        while step < options.steps:
            count = broadcast(options.interval_steps(
                step, history[-1]["seconds"] if history else 0.0, steps_per_second))
            set_steps_per_execution(model, steps_per_execution(config, options, parallel, count))
            with contextlib.closing(PrefetchLoader(make, step, available_cores())) as loader:
                step_log.loader = loader
                fit(model, loader, count, parallel, len(history), callbacks)
            steps_per_second = history[-1]["positions_per_second"] / options.batch_size
            step += count


def batch_maker(stream: TrainingStream, config: PolicyNetConfig, options: TrainingOptions) -> Callable[[int], tuple]:
    """A function that makes the batch of a step, as Keras takes it, for this process."""
    of_process = process_index(), process_count()

    def make(step: int) -> tuple:
        number = options.skip_batches + step
        batch = stream.batch(number, options.batch_size, options.seed, *of_process)
        return examples(batch, config, np.random.default_rng((options.seed, number)), *of_process,
                        options.people_dropout, options.teacher_weight, options.mixes_policy)

    return make


def fit(model: keras.Model, batches: Iterator[tuple], count: int, parallel: DataParallel, epoch: int = 0,
        callbacks: Sequence = ()) -> None:
    """Train on the first `count` of these batches, an epoch for Keras and its callbacks.  epoch: its number.

    Keras is told how many there are: where it finds the end by itself, it may have begun a step without a batch.
    """
    begun = FitBegun()
    data = mirrored_dataset(batches, begun) if tensorflow and parallel.count > 1 else \
        (batch for batch in batches)
    with parallel.training(model):
        model.fit(data, steps_per_epoch=count, epochs=epoch + 1, initial_epoch=epoch,
                  verbose=0,  # pyright: ignore[reportArgumentType]  (silent)
                  shuffle=False, callbacks=[begun, *callbacks])


def set_steps_per_execution(model: keras.Model, steps: int) -> None:
    """Change a compiled model's steps_per_execution, which is compiled into its training function."""
    if model.steps_per_execution != steps:
        model.steps_per_execution = steps
        model.train_function = None


class FitBegun(keras.callbacks.Callback):
    """Whether Keras has begun to train."""

    def __init__(self):
        super().__init__()
        self.value = False

    def on_train_begin(self, logs=None):
        self.value = True


def mirrored_dataset(batches: Iterator[tuple], begun: FitBegun) -> Any:
    """Batches as a tf.data.Dataset for MirroredStrategy, with which Keras takes some batches to see their form, and
    begins anew; a generator would have lost them."""
    first = next(batches)

    def from_first() -> Iterator[tuple]:
        yield first
        if begun.value:
            yield from batches

    form = keras.tree.map_structure(lambda array: tensorflow.TensorSpec((None, *array.shape[1:]), array.dtype), first)
    return tensorflow.data.Dataset.from_generator(from_first, output_signature=form).prefetch(2)


def steps_per_execution(config: PolicyNetConfig, options: TrainingOptions, parallel: DataParallel, count: int) -> int:
    """How many steps Keras takes before it returns to Python and reads the metrics from the device: a divisor of
    `count`, the steps of a checkpoint interval.

    Many where a step is short: on a GPU, and for small networks.  At most about half a second: Ctrl-C waits for them.
    """
    if tensorflow and parallel.count > 1:
        return 1                         # Keras's loop of steps and MirroredStrategy's iterators do not work together
    multiplications = config.filters ** 2 * config.size ** 2 * options.batch_size
    most = MAX_STEPS_PER_EXECUTION if has_gpu() else min(MAX_STEPS_PER_EXECUTION, SMALL_STEP // multiplications)
    return max(steps for steps in range(1, max(1, most) + 1) if count % steps == 0)


def training_rate(model: keras.Model, make: Callable[[int], tuple], batch_size: int, parallel: DataParallel,
                  seconds: float) -> float:
    """Positions/s of a model that is trained for n seconds, or of its loader, if that is slower.

    make: the batch of a step.  Batches that were made while the model was compiled do not count.
    """
    made: list[int] = []

    def noted(step: int) -> tuple:
        batch = make(step)
        made.append(step)
        return batch

    with contextlib.closing(PrefetchLoader(noted, 0, available_cores())) as loader:
        fit(model, loader, 2, parallel)                  # compiles
        start, batches, made_before = time.perf_counter(), 0, len(made)
        while not batches or time.perf_counter() - start < seconds:
            fit(model, loader, 4, parallel)
            batches += 4
        count = min(batches, max(1, len(made) - made_before))
        return count * batch_size / (time.perf_counter() - start)
