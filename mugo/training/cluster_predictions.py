"""The measures of predictions.py, made by the workers of a cluster:  mugo evaluate ... --scheduler ADDRESS

    numbers of positions --> MeasureTask --> worker: opens network and data set once --> measures

The workers read the data set and the network under the same paths as the command.  A worker runs the network in one
thread, so that a machine has one worker for each core.
"""
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.data.dataset import DataSet, load_dataset
from mugo.data.shards import META
from mugo.data.positions import Positions
from mugo.core.files import BadInput, file_sha256
from mugo.nn.bundled import find_network, name_everywhere
from mugo.nn.inference import Network
from mugo.core.parallel import TaskExecutor, ordered_map
from mugo.core.progress import ProgressBar
from mugo.training.predictions import BATCH, measure_positions, with_people

TASK_POSITIONS = 8 * BATCH               # some seconds of a core


class MeasureTask(NamedTuple):
    """Positions to measure.  first: the number of the first of them in the sample."""

    first: int
    numbers: np.ndarray
    symmetries: bool
    network: tuple[str, str, str]        # the arguments of _open_network
    positions: tuple[Path, str, str | None, int, str, str]    # and of _open_positions

    @property
    def name(self) -> str:
        return f"positions {self.first:,} to {self.first + len(self.numbers) - 1:,} of {self.positions[0]}"


class OnCluster:
    """A predictions.ClusterMeasure of positions of one data set: data.positions(split, size, where)."""

    def __init__(self, executor: TaskExecutor, data: DataSet, split: str | None, where: str, people: str,
                 networks: list[str]):
        """people: see predictions.with_people.  networks: as the command line names them.  Raises BadInput if a worker
        does not see them, or the data."""
        self._executor, self._split, self._where, self._people = executor, split, where, people
        self._data = data.folder.absolute()
        self._names = {find_network(name): name_everywhere(name) for name in networks}
        files = [path for path in map(Path, self._names.values()) if path.is_absolute()]
        executor.check_paths([*files, self._data / META])

    def __call__(self, network: Network, positions: Positions, numbers: np.ndarray, symmetries: bool, bar: ProgressBar
                 ) -> Iterator[pd.DataFrame]:
        of_network = self._names[network.path], file_sha256(network.path), network.precision
        of_positions = (self._data, file_sha256(self._data / META), self._split, positions.size, self._where,
                        self._people)
        tasks = (MeasureTask(start, numbers[start:start + TASK_POSITIONS], symmetries, of_network, of_positions)
                 for start in range(0, len(numbers), TASK_POSITIONS))
        for measured in ordered_map(self._executor, measure_task, tasks):
            yield measured
            bar.update(len(measured))


def measure_task(task: MeasureTask) -> pd.DataFrame:
    """The measures of a task's positions.  Raises BadInput if the network or the data set is another one."""
    network, positions = _open_network(*task.network), _open_positions(*task.positions)
    return pd.concat(measure_positions(network, positions, task.numbers, task.symmetries), ignore_index=True)


@functools.lru_cache(4)
def _open_network(name: str, sha256: str, precision: str) -> Network:
    path = find_network(name)
    if file_sha256(path) != sha256:
        raise BadInput(f"{path} is another network on the worker than where the command runs")
    return Network(path, threads=1, precision=precision)


@functools.lru_cache(1)
def _open_positions(data: Path, sha256: str, split: str | None, size: int, where: str, people: str) -> Positions:
    if file_sha256(data / META) != sha256:
        raise BadInput(f"{data} is another data set on the worker than where the command runs")
    return with_people(load_dataset(data).positions(split, size, where), people)
