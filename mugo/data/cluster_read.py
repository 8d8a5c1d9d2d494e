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
from mugo.data.new_files import KnownFiles, SourceRange, new_batches
from mugo.data.parts import UNFINISHED, PartWriter, next_part, part_number, part_paths, read_part, write_part
from mugo.data.read_report import ReadReport
from mugo.core.files import atomic_write
from mugo.core.parallel import TaskExecutor, completed
from mugo.sgf.sources import Source

TASK_BYTES = 4 << 20                     # of an archive, at least: 10,000 games
MAX_TASKS = 16                           # of an archive: each unpacks it up to its own end, 8 times the work in all,
                                         # which takes half as long as parsing its games
TASK_FILES = 2048                        # of a folder
TASK_PARTS = 100                         # numbers of parts that a task has; the last part takes the rest
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
    """What run_task returns.  names: of the files of its parts.  size: bytes of the source."""

    names: list[str]
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
                    known: KnownFiles, report: ReadReport) -> Generator[tuple[int, int], None, None]:
    """Have the workers write the parts of all sources to the data set in `folder`.

    Yields the games and the bytes of each task; at the end, parts that another run left meanwhile, and a file's second
    copy in a source, are deleted.  report: to which is added what the workers left out.  Raises BadInput.
    """
    folder = folder.absolute()
    (folder / UNFINISHED).mkdir(exist_ok=True)
    executor.check_paths([Path(source.path) for source in sources], folder / UNFINISHED)
    first, names = next_part(folder), {path.name for path in part_paths(folder)}
    with atomic_write(folder / UNFINISHED / KNOWN) as temporary, open(temporary, "wb") as file:
        np.save(file, known.keys(), allow_pickle=False)
    for result in completed(executor, run_task, read_tasks(sources, checksums, folder, first)):
        names.update(result.names)
        report.add(result.report)
        yield result.games, result.size
    for path in part_paths(folder):
        if path.name not in names:
            path.unlink()
    _drop_repeated([path for path in part_paths(folder) if part_number(path) >= first])
    (folder / UNFINISHED / KNOWN).unlink(missing_ok=True)


def run_task(task: ReadTask) -> TaskResult:
    """Read a task's games, and write them as parts."""
    known = KnownFiles(np.load(task.folder / UNFINISHED / KNOWN, mmap_mode="r", allow_pickle=False))
    parts, report = PartWriter(task.folder, task.part, TASK_PARTS), ReadReport()
    for batch in new_batches([task.range], known, report):
        parts.add(read_batch(batch.files))
    parts.save()
    size = min(task.range.source.size, int(min(task.range.end, 2**62))) - task.range.first
    return TaskResult(parts.names, parts.games, size, report)


def _drop_repeated(paths: list[Path]) -> None:
    """Leave each file's games in the first of these parts that has them."""
    keys = [np.unique(read_part(path, ["file_key"])["file_key"].to_numpy()) for path in paths]
    all_keys = np.concatenate([np.empty(0, np.uint64), *keys])
    is_first = np.zeros(len(all_keys), bool)
    is_first[np.unique(all_keys, return_index=True)[1]] = True
    start = 0
    for path, of_part in zip(paths, keys, strict=True):
        first = is_first[start:start + len(of_part)]
        start += len(of_part)
        if not first.all():
            table = read_part(path)
            table = table[~table["file_key"].isin(of_part[~first])]
            if len(table):
                write_part(path.parent.parent, table, part_number(path))
            path.unlink()
