"""Positions and batches for training: which positions, their targets, and batches prefetched by threads."""
import contextlib
import queue
import threading
from collections.abc import Callable, Iterator

import numpy as np

from mugo.data import shuffle
from mugo.data.dataset import DataSet
from mugo.data.positions import Batch, Positions
from mugo.training.options import TrainingOptions, move_range


def select_positions(data: DataSet, split: str, size: int, options: TrainingOptions) -> Positions:
    """The positions of a split that options.where and options.moves select.  Raises BadInput if there are none."""
    return data.positions(split, size, options.where, move_range(options.moves))


def training_targets(batch: Batch, has_value: bool) -> dict[str, np.ndarray]:
    """A batch's targets as the losses take them: "policy", int32 (n,), move indices; "value", float32 (n, 1)."""
    targets = {"policy": batch.targets}
    if has_value:
        targets["value"] = batch.outcomes.astype(np.float32)[:, None]
    return targets


def validation_batch(positions: Positions, options: TrainingOptions, has_value: bool) -> tuple:
    """(packed planes, targets), the same for every run on this data set: drawn once from all of these positions."""
    numbers, _ = shuffle.shuffled_positions(0, min(options.validation_positions, len(positions)), len(positions), 0)
    batch = positions.batch(np.sort(numbers))
    return batch.packed, training_targets(batch, has_value)


class PrefetchLoader:
    """Batches `first`, `first + 1`, ... of make(step), in order, prefetched by threads.

    An iterator; `close` stops its threads and ends it.  An exception of make is raised where its batch was due.
    """

    def __init__(self, make: Callable[[int], tuple], first: int, threads: int = 2, prefetch: int = 16):
        """prefetch: batches made ahead, of all threads."""
        self._make = make
        self._queues: list[queue.Queue] = [queue.Queue(max(1, prefetch // threads)) for _ in range(threads)]
        self._next = 0
        self._closed = False
        for i, out in enumerate(self._queues):
            threading.Thread(target=self._fill, args=(out, first + i, threads), daemon=True).start()

    def _fill(self, out: queue.Queue, step: int, stride: int) -> None:
        while not self._closed:
            try:
                item = self._make(step)
            except Exception as error:  # handed to the thread that trains, which raises it
                item = error
            while not self._closed:
                with contextlib.suppress(queue.Full):
                    out.put(item, timeout=0.5)
                    break
            step += stride

    def __iter__(self) -> Iterator[tuple]:
        return self

    def __next__(self) -> tuple:
        while True:
            with contextlib.suppress(queue.Empty):
                item = self._queues[self._next].get(timeout=0.5)
                break
            if self._closed:             # or the consuming thread, TensorFlow's own, would wait for ever
                raise StopIteration
        self._next = (self._next + 1) % len(self._queues)
        if isinstance(item, Exception):
            raise item
        return item

    def close(self) -> None:
        self._closed = True
