"""Batches into Keras's fit, one checkpoint interval after the other, on one device or several."""
import contextlib
import importlib.util
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mugo.data.positions import Positions
from mugo.nn.backend import HAS_GPU, keras, tensorflow
from mugo.nn.devices import DataParallel
from mugo.nn.metadata import config_of
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.weight_averaging import AveragedModel
from mugo.training.callbacks import CheckpointCallback, ProgressCallback
from mugo.training.loader import CheckpointIntervals, PrefetchLoader, examples
from mugo.training.options import TrainingOptions

MAX_STEPS_PER_EXECUTION = 16             # as many batches as are prefetched
SMALL_STEP = 10**8                       # multiplications of a step by 1x1 kernels: see steps_per_execution


def fit_run(model: keras.Model, run: Path, metadata: dict[str, Any], training: Positions, averaged: AveragedModel,
            validation: tuple, parallel: DataParallel) -> None:
    """Train the model of a run from its step to the last; see CheckpointCallback.

    metadata: of the run's checkpoint.  validation: see loader.validation_batch.  parallel: in whose scope the model was
    made.
    """
    config, options = config_of(metadata), TrainingOptions(**metadata["options"])
    assert isinstance(config, PolicyNetConfig)
    first_step = int(model.optimizer.iterations.numpy())
    if first_step >= options.steps:
        print(f"{run} is finished: {options.steps:,} steps, {options.batches.positions_at(options.steps):,} positions")
        return

    def make(step: int) -> tuple:
        size = options.batches.size_at(step)
        number = (options.skip_positions + options.batches.positions_at(step)) // size       # of batches of this size
        batch = training.shuffled_batch(number, size, options.seed, options.symmetry)
        return examples(batch, config, np.random.default_rng((options.seed, number)))

    with contextlib.closing(PrefetchLoader(make, first_step, threads=min(8, os.cpu_count() or 1))) as loader:
        intervals = CheckpointIntervals(loader, first_step, options)
        progress = ProgressCallback(options, intervals)
        callbacks = [progress, CheckpointCallback(run, options, metadata, progress.bar, averaged, validation)]
        if keras.backend.backend() == "tensorflow" and importlib.util.find_spec("tensorboard"):
            callbacks.append(keras.callbacks.TensorBoard(str(run / "tensorboard"), write_graph=False))
        model.steps_per_execution = steps_per_execution(config, options, parallel)
        with contextlib.closing(progress.bar):
            while intervals.step < options.steps:
                history = metadata["history"]
                batches = intervals.interval(history[-1]["seconds"] if history else 0.0)
                fit(model, batches, parallel, len(history), callbacks)
                if int(model.optimizer.iterations.numpy()) != intervals.step:
                    raise RuntimeError(f"Keras has not trained on all batches before step {intervals.step:,}")


def fit(model: keras.Model, batches: Iterator[tuple], parallel: DataParallel, epoch: int = 0, callbacks: Sequence = ()
        ) -> None:
    """Train on these batches, an epoch for Keras and its callbacks.  epoch: its number."""
    begun = FitBegun()
    data = mirrored_dataset(batches, begun) if tensorflow and parallel.count > 1 else batches
    with parallel.training(model), warnings.catch_warnings():
        # How many there are is not known before, so Keras warns at their end.
        warnings.filterwarnings("ignore", message="Your input ran out of data")
        model.fit(data, epochs=epoch + 1, initial_epoch=epoch, verbose=0,  # pyright: ignore[reportArgumentType]
                  shuffle=False, callbacks=[begun, *callbacks])


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


def steps_per_execution(config: PolicyNetConfig, options: TrainingOptions, parallel: DataParallel) -> int:
    """How many steps Keras takes before it returns to Python and reads the figures from the device.

    Many where a step is short: on a GPU, and for small networks.  At most about half a second: Ctrl-C waits for them.
    """
    if tensorflow and parallel.count > 1:
        return 1                         # Keras's loop of steps and MirroredStrategy's iterators do not work together
    if HAS_GPU:
        return MAX_STEPS_PER_EXECUTION
    multiplications = config.filters ** 2 * config.size ** 2 * options.batches.last
    return max(1, min(MAX_STEPS_PER_EXECUTION, SMALL_STEP // multiplications))


def training_rate(model: keras.Model, make: Callable[[], tuple], batch_size: int, parallel: DataParallel,
                  seconds: float) -> float:
    """Positions/s of a model that is trained for so many seconds.  make: a batch of this size."""
    fit(model, (make() for _ in range(2)), parallel)     # compiles
    start, batches = time.perf_counter(), 0

    def until_time_is_up() -> Iterator[tuple]:
        nonlocal batches
        while not batches or time.perf_counter() - start < seconds:
            batches += 1
            yield make()

    fit(model, until_time_is_up(), parallel)
    return batches * batch_size / (time.perf_counter() - start)
