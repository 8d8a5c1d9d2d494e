"""The files of archives that a data set does not have yet, in batches for worker processes.

    source --new_files--> files with their keys --new_batches--> Batch --read_rows--> rows of games

A file that is twice in an archive comes twice; the merge takes the first (unmerged.py).
"""
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.games_table import file_key, read_batch
from mugo.data.shards import read_meta
from mugo.data.unmerged import is_known, known_keys, part_paths, read_part
from mugo.core.files import printable
from mugo.sgf.archives import ARCHIVE_SUFFIXES, SgfFile, UnreadableFile
from mugo.sgf.sources import Source, read_files

BATCH_FILES, BATCH_BYTES = 256, 4 << 20  # what a worker process gets at a time
MAX_REFUSED = 10                         # archives that are named


@dataclass
class ReadReport:
    """What was left out of archives.

    others: how many members are not game records; example: one of them.  refused: a line for each archive that was not
    read, or not to its end, with the label of its source.
    """

    others: int = 0
    example: str = ""
    refused: dict[str, str] = field(default_factory=dict)

    def refusal(self) -> str:
        """Which archives were not read to their end, in one line; '' if there is none."""
        lines = list(self.refused)
        more = f"; and {len(lines) - MAX_REFUSED:,} more" if len(lines) > MAX_REFUSED else ""
        return "; ".join(lines[:MAX_REFUSED]) + more


class Batch(NamedTuple):
    files: list[tuple[int, SgfFile | UnreadableFile]]                # with their keys
    size: int                            # bytes of the sources that were read since the batch before


def known_files(folder: Path) -> np.ndarray:
    """The keys of the files in a data set, or in the parts of an unfinished preprocess, sorted: uint64 (n,)."""
    data = dataset.load_dataset(folder) if read_meta(folder)["counts"] else None
    of_parts = [read_part(path, ["file_key"])["file_key"].to_numpy() for path in part_paths(folder)]
    return np.unique(np.concatenate([known_keys(data) if data else np.empty(0, np.uint64), *of_parts]))


def new_files(source: Source, checksum: str, known: np.ndarray, report: ReadReport
              ) -> Iterator[tuple[int, int, SgfFile | UnreadableFile]]:
    """(bytes of the source read so far, key, file) of each file whose key is not in `known`, which is sorted.

    checksum: Source.checksum.  report: to which is added what the source leaves out.
    """
    at = 0

    def on_read(size: int) -> None:
        nonlocal at
        at = max(at, size)                               # a .zip is not read from its start to its end

    def on_other(name: str) -> None:
        report.others += 1
        report.example = report.example or f"{source.label}/{name}"

    for file in read_files(source, on_read, on_other):
        content = file.error.encode() if isinstance(file, UnreadableFile) else file.data
        if isinstance(file, UnreadableFile) and (source.files is None and not file.name
                                                 or file.name.lower().endswith(ARCHIVE_SUFFIXES)):
            report.refused[f"{file.source}{file.name and '/' + file.name}: {printable(file.error)}"] = source.label
        key = file_key(checksum.encode(), file.name, content)
        if not is_known(np.uint64(key), known):
            yield at, key, file


def new_batches(sources: Iterable[tuple[Source, str]], known: np.ndarray, report: ReadReport) -> Iterator[Batch]:
    """The files of all sources, which come with their checksums, that are not known; the rest as in new_files."""
    files: list[tuple[int, SgfFile | UnreadableFile]] = []
    batch_bytes = bytes_before = taken = 0
    for source, checksum in sources:
        for at, key, file in new_files(source, checksum, known, report):
            files.append((key, file))
            batch_bytes += len(file.data) if isinstance(file, SgfFile) else 0
            if len(files) >= BATCH_FILES or batch_bytes >= BATCH_BYTES:
                yield Batch(files, bytes_before + at - taken)
                taken = bytes_before + at
                files, batch_bytes = [], 0
        bytes_before += source.size
    if files:
        yield Batch(files, bytes_before - taken)


def read_rows(batch: Batch) -> tuple[pd.DataFrame, int]:
    """(the rows of a batch's games, its size); for worker processes."""
    return read_batch(batch.files), batch.size
