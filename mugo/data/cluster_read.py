"""Archives read by the workers of a cluster:  mugo preprocess GAMES... -o DATASET --scheduler ADDRESS

    sources --read_units--> ReadUnit: a range of an archive --> worker: read_unit --> unfinished/part-*.parquet

A worker opens the archive itself, reads the games of its range and writes them as parts; only the names of the parts
return.  The numbers of a unit's parts follow from its own, so the games of a data set are in the same order as without
a cluster, and a unit that runs twice writes the same files.
"""
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.data.games_table import file_key, make_table, read_batch, unreadable_row
from mugo.data.parts import UNFINISHED, part_number, part_paths, read_part, write_part
from mugo.data.read_report import ReadReport
from mugo.core.files import atomic_write
from mugo.core.parallel import UnitExecutor, completed
from mugo.sgf.archives import SgfFile, UnreadableFile
from mugo.sgf.sources import Source, read_files

UNIT_BYTES = 4 << 20                     # of an archive, at least: 10,000 games
MAX_UNITS = 16                           # of an archive: each unpacks it up to its own end, 8 times the work in all,
                                         # which takes half as long as parsing its games
UNIT_FILES = 2048                        # of a folder
UNIT_PARTS = 100                         # numbers of parts that a unit has; the last part takes the rest
BATCH_FILES = 256                        # parsed together
PART_GAMES = 8192
KNOWN = "known.npy"                      # keys of files that need not be read, sorted; beside the parts


class ReadUnit(NamedTuple):
    """The files of a source that begin in the bytes [first, end) of it.

    number: of the unit.  part: the number of its first part.  folder: of the data set.
    """

    number: int
    part: int
    source: Source
    checksum: str
    first: int
    end: float
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.source.path}, from byte {self.first:,}"


class PartsOfUnit(NamedTuple):
    """What read_unit returns.  names: of the files of its parts.  size: bytes of the source."""

    names: list[str]
    games: int
    size: int
    report: ReadReport


def read_units(sources: list[Source], checksums: list[str], folder: Path, part: int) -> Iterator[ReadUnit]:
    """The units of all sources, in order.  part: the number of the first part."""
    numbers = itertools.count()

    def unit(source: Source, checksum: str, first: int, end: float) -> ReadUnit:
        number = next(numbers)
        return ReadUnit(number, part + number * UNIT_PARTS, source, checksum, first, end, folder)

    for source, checksum in zip(sources, checksums, strict=True):
        source = replace(source, path=os.path.abspath(source.path))
        if source.files is None:
            size = max(UNIT_BYTES, -(-source.size // MAX_UNITS))
            for first in range(0, max(source.size, 1), size):
                yield unit(source, checksum, first, float("inf") if first + size >= source.size else first + size)
        else:
            for i in range(0, len(source.files), UNIT_FILES):
                files = source.files[i:i + UNIT_FILES]
                size = source.size * len(files) // len(source.files)
                yield unit(replace(source, files=files, size=size), checksum, 0, float("inf"))


def read_on_cluster(executor: UnitExecutor, sources: list[Source], checksums: list[str], folder: Path,
                    known: np.ndarray, on_unit: Callable[[int, int], None]) -> ReadReport:
    """Have the workers write the parts of all sources to the data set in `folder`; return what they left out.

    known: uint64, the keys of files that need not be read.  on_unit: called with the games and the bytes of each unit.
    Parts that another run left meanwhile, and a file's second copy in a source, are deleted.  Raises BadInput.
    """
    folder = folder.absolute()
    (folder / UNFINISHED).mkdir(exist_ok=True)
    executor.check_paths([Path(source.path) for source in sources], folder / UNFINISHED)
    before = part_paths(folder)
    with atomic_write(folder / UNFINISHED / KNOWN) as temporary, open(temporary, "wb") as file:
        np.save(file, np.sort(known), allow_pickle=False)
    first = max(map(part_number, before), default=-1) + 1
    names, report = {path.name for path in before}, ReadReport()
    for parts in completed(executor, read_unit, read_units(sources, checksums, folder, first)):
        names.update(parts.names)
        report.add(parts.report)
        on_unit(parts.games, parts.size)
    for path in part_paths(folder):
        if path.name not in names:
            path.unlink()
    _drop_repeated([path for path in part_paths(folder) if part_number(path) >= first])
    (folder / UNFINISHED / KNOWN).unlink(missing_ok=True)
    return report


def read_unit(unit: ReadUnit) -> PartsOfUnit:
    """Read a unit's games, and write them as parts."""
    known = np.load(unit.folder / UNFINISHED / KNOWN, mmap_mode="r", allow_pickle=False)
    tables: list[pd.DataFrame] = []
    names: list[str] = []
    games, report = 0, ReadReport()

    def save() -> None:
        if tables:
            names.append(write_part(unit.folder, pd.concat(tables), unit.part + len(names)).name)
            tables.clear()

    for batch in _batches(unit, known, report):
        files = [(key, file) for key, file in batch if isinstance(file, SgfFile)]
        rows = [unreadable_row(key, file) for key, file in batch if isinstance(file, UnreadableFile)]
        tables += [read_batch(files)] * bool(files) + [make_table(rows)] * bool(rows)
        games += sum(map(len, tables[-(bool(files) + bool(rows)):]))
        if sum(map(len, tables)) >= PART_GAMES and len(names) < UNIT_PARTS - 1:
            save()
    save()
    return PartsOfUnit(names, games, min(unit.source.size, int(min(unit.end, 2**62))) - unit.first, report)


def _batches(unit: ReadUnit, known: np.ndarray, report: ReadReport
             ) -> Iterator[list[tuple[int, SgfFile | UnreadableFile]]]:
    """The files of a unit that are not known, with their keys, BATCH_FILES at a time.

    report: to which is added what the unit leaves out.
    """
    batch: list[tuple[int, SgfFile | UnreadableFile]] = []
    seen: set[int] = set()
    at, checksum = 0, unit.checksum.encode()

    def on_read(size: int) -> None:
        nonlocal at
        at = max(at, size)                               # a .zip is not read from its start to its end

    others = ReadReport()                                # since the last file; they belong to the unit of the next one

    def on_other(name: str) -> None:
        others.add_other(unit.source, name)

    for file in read_files(unit.source, on_read, on_other):
        if at >= unit.end:
            break
        before, others = others, ReadReport()
        if at < unit.first:
            continue
        report.add(before)
        if isinstance(file, UnreadableFile):
            report.add_unreadable(unit.source, file)
        key = file_key(checksum, file.name, file.error.encode() if isinstance(file, UnreadableFile) else file.data)
        place = int(np.searchsorted(known, np.uint64(key)))
        if key in seen or place < len(known) and int(known[place]) == key:
            continue
        seen.add(key)
        batch.append((key, file))
        if len(batch) >= BATCH_FILES:
            yield batch
            batch = []
    if unit.end == float("inf"):
        report.add(others)
    if batch:
        yield batch


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
