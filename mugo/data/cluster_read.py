"""Archives read by the workers of a cluster:  mugo preprocess GAMES... -o DATASET --scheduler ADDRESS

    sources --read_tasks--> ReadTask: a range of an archive --> worker: run_task --> unfinished/part-*.parquet

A worker opens the archive itself, reads the games of its range and writes them as parts; only the names of the parts
return.  The numbers of a task's parts follow from its own, so the games of a data set are in the same order as without
a cluster, and a task that runs twice writes the same files.
"""
import os
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mugo.data.games_table import read_batch
from mugo.data.new_files import ReadReport, SourceRange, new_batches
from mugo.data.parts import UNFINISHED, PartWriter, next_part
from mugo.core.files import atomic_write
from mugo.core.parallel import TaskExecutor, completed
from mugo.sgf.sources import Source

TASK_BYTES = 4 << 20                     # of an archive, at least: 10,000 games
MAX_TASKS = 16                           # of an archive: each unpacks it up to its own end, 8 times the work in all,
                                         # which takes half as long as parsing its games
TASK_FILES = 2048                        # of a folder
TASK_PARTS = 10_000                      # numbers of parts that a task has: of 80 million games
KNOWN = "known.npy"                      # keys of files that need not be read, sorted; in the folder of the parts


class ReadTask(NamedTuple):
    """part: the number of its first part.  folder: of the data set."""

    range: SourceRange
    part: int
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.range.source.path}, from byte {self.range.first:,}"


class TaskResult(NamedTuple):
    """What run_task returns.  size: bytes of the source."""

    games: int
    size: int
    report: ReadReport


def read_tasks(sources: list[Source], checksums: list[str], folder: Path, part: int) -> Iterator[ReadTask]:
    """The tasks of all sources, in order.  part: the number of the first part."""
    for number, each in enumerate(_ranges(sources, checksums)):
        yield ReadTask(each, part + number * TASK_PARTS, folder)


def _ranges(sources: list[Source], checksums: list[str]) -> Iterator[SourceRange]:
    for source, checksum in zip(sources, checksums, strict=True):
        source = replace(source, path=os.path.abspath(source.path))
        if source.files is None:
            size = max(TASK_BYTES, -(-source.size // MAX_TASKS))
            for first in range(0, max(source.size, 1), size):
                end = float("inf") if first + size >= source.size else first + size
                yield SourceRange(source, checksum, first, end)
        else:
            for i in range(0, len(source.files), TASK_FILES):
                files = source.files[i:i + TASK_FILES]
                size = source.size * len(files) // len(source.files)
                yield SourceRange(replace(source, files=files, size=size), checksum)


def read_on_cluster(executor: TaskExecutor, sources: list[Source], checksums: list[str], folder: Path,
                    known: np.ndarray, report: ReadReport) -> Generator[tuple[int, int], None, None]:
    """Have the workers write the parts of all sources to the data set in `folder`.

    Yields the games and the bytes of each task.  report: to which is added what the workers left out.  Raises BadInput.
    """
    folder = folder.absolute()
    (folder / UNFINISHED).mkdir(exist_ok=True)
    executor.check_paths([Path(source.path) for source in sources], folder / UNFINISHED)
    with atomic_write(folder / UNFINISHED / KNOWN) as temporary, open(temporary, "wb") as file:
        np.save(file, known, allow_pickle=False)
    for result in completed(executor, run_task, read_tasks(sources, checksums, folder, next_part(folder))):
        report.add(result.report)
        yield result.games, result.size
    (folder / UNFINISHED / KNOWN).unlink(missing_ok=True)


def run_task(task: ReadTask) -> TaskResult:
    """Read a task's games, and write them as parts."""
    known = np.load(task.folder / UNFINISHED / KNOWN, mmap_mode="r", allow_pickle=False)
    parts, report, games = PartWriter(task.folder, task.part), ReadReport(), 0
    for batch in new_batches([task.range], known, report):
        table = read_batch(batch.files)
        parts.add(table)
        games += len(table)
    parts.save()
    size = min(task.range.source.size, int(min(task.range.end, 2**62))) - task.range.first
    return TaskResult(games, size, report)
