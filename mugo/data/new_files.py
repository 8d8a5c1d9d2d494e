"""The files of archives that a data set does not have yet, in batches for worker processes.

    SourceRange --new_files--> files with their keys --new_batches--> Batch --read_rows--> rows of games
"""
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.games_table import file_key, read_batch
from mugo.data.meta import read_meta
from mugo.data.new_games import known_keys
from mugo.data.parts import part_paths, read_part
from mugo.data.read_report import ReadReport
from mugo.sgf.archives import SgfFile, UnreadableFile
from mugo.sgf.sources import Source, read_files

BATCH_FILES, BATCH_BYTES = 256, 4 << 20  # what a worker process gets at a time
RECENT_KEYS = 1 << 20                    # keys of files in a set, 90 bytes each; an array has the others in 8 bytes


class SourceRange(NamedTuple):
    """The files of a source that begin in its bytes [first, end)."""

    source: Source
    checksum: str                        # Source.checksum
    first: int = 0
    end: float = float("inf")


class Batch(NamedTuple):
    files: list[tuple[int, SgfFile | UnreadableFile]]                # with their keys
    size: int                            # bytes of the sources that were read since the batch before


class KnownFiles:
    """The keys of the files that need not be read: a sorted array, and those that were added last."""

    def __init__(self, keys: np.ndarray):
        """keys: uint64 (n,), sorted."""
        self._sorted = keys
        self._recent: set[int] = set()

    def is_known(self, key: int) -> bool:
        """Whether this key was known before; from now on it is."""
        place = int(np.searchsorted(self._sorted, np.uint64(key)))
        if key in self._recent or place < len(self._sorted) and int(self._sorted[place]) == key:
            return True
        self._recent.add(key)
        if len(self._recent) >= RECENT_KEYS:
            self._sorted = self.keys()
            self._recent.clear()
        return False

    def keys(self) -> np.ndarray:
        """All keys, sorted: uint64 (n,)."""
        return np.sort(np.concatenate([self._sorted, np.fromiter(self._recent, np.uint64, len(self._recent))]))


def known_files(folder: Path) -> KnownFiles:
    """The files that are in a data set, or in the parts of an unfinished preprocess."""
    data = dataset.load_dataset(folder) if read_meta(folder)["counts"] else None
    of_parts = [read_part(path, ["file_key"])["file_key"].to_numpy() for path in part_paths(folder)]
    return KnownFiles(np.unique(np.concatenate([known_keys(data) if data else np.empty(0, np.uint64), *of_parts])))


def new_files(of: SourceRange, known: KnownFiles, report: ReadReport
              ) -> Iterator[tuple[int, int, SgfFile | UnreadableFile]]:
    """(bytes of the source read so far, key, file) of each file that is not known.

    report: to which is added what the range leaves out.
    """
    at, checksum = 0, of.checksum.encode()
    others = ReadReport()                                # since the last file; they belong to the range of the next one

    def on_read(size: int) -> None:
        nonlocal at
        at = max(at, size)                               # a .zip is not read from its start to its end

    def on_other(name: str) -> None:
        others.add_other(of.source, name)

    for file in read_files(of.source, on_read, on_other):
        if at >= of.end:
            return
        before, others = others, ReadReport()
        if at < of.first:
            continue
        report.add(before)
        if isinstance(file, UnreadableFile):
            report.add_unreadable(of.source, file)
        key = file_key(checksum, file.name, file.error.encode() if isinstance(file, UnreadableFile) else file.data)
        if not known.is_known(key):
            yield at, key, file
    if of.end == float("inf"):
        report.add(others)


def new_batches(ranges: Iterable[SourceRange], known: KnownFiles, report: ReadReport) -> Iterator[Batch]:
    """The files of all ranges that are not known.  report: as in new_files."""
    files: list[tuple[int, SgfFile | UnreadableFile]] = []
    batch_bytes = bytes_before = taken = 0
    for of in ranges:
        for at, key, file in new_files(of, known, report):
            files.append((key, file))
            batch_bytes += len(file.data) if isinstance(file, SgfFile) else 0
            if len(files) >= BATCH_FILES or batch_bytes >= BATCH_BYTES:
                yield Batch(files, bytes_before + at - taken)
                taken = bytes_before + at
                files, batch_bytes = [], 0
        bytes_before += of.source.size
    if files:
        yield Batch(files, bytes_before - taken)


def read_rows(batch: Batch) -> tuple[pd.DataFrame, int]:
    """(the rows of a batch's games, its size); for worker processes."""
    return read_batch(batch.files), batch.size
