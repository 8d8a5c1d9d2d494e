"""The games of an unfinished preprocess: DATASET/unfinished/part-NUMBER-CHECKSUM.parquet.

    source --new_files--> files with their keys --new_batches--> Batch --read_rows--> rows of games --PartWriter--> part

A part holds the rows that games_table.read_batch has made, with their moves.  The CRC-32 of its content is in its name.
A part can be deleted: the next preprocess reads its games again.  The merge reads NewGames, a part at a time.
"""
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, atomic_write, printable
from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.data.games_table import (
    COLUMNS,
    PART_COLUMNS,
    file_key,
    matching_rows,
    read_batch,
    read_table,
    write_table,
)
from mugo.data.shards import GameArrays, crc32, index_games, read_meta
from mugo.sgf.archives import ARCHIVE_SUFFIXES, SgfFile, UnreadableFile
from mugo.sgf.sources import Source, read_files

UNFINISHED = "unfinished"                # the folder of the parts
PART_GAMES = 8192                        # games that an interruption can lose
_NAME = re.compile(r"part-(\d{6,12})-([0-9a-f]{8})\.parquet", re.ASCII)


def part_paths(folder: Path) -> list[Path]:
    """The parts of the data set in `folder`, in their order."""
    paths = (path for path in (folder / UNFINISHED).glob("part-*") if _NAME.fullmatch(path.name))
    return sorted(paths, key=lambda path: (_number(path), path.name))


def _number(path: Path) -> int:
    return int(path.name.split("-")[1])


def write_part(folder: Path, table: pd.DataFrame, number: int) -> None:
    """Save a table of PART_COLUMNS as the part with this number."""
    content = write_table(table, PART_COLUMNS)
    with atomic_write(folder / UNFINISHED / f"part-{number:06d}-{crc32(content)}.parquet") as path:
        path.write_bytes(content)


class PartWriter:
    """Collects rows of PART_COLUMNS, and saves each PART_GAMES of them as a part, from `number` on."""

    def __init__(self, folder: Path, number: int):
        self._folder, self._number = folder, number
        self._tables: list[pd.DataFrame] = []

    def add(self, table: pd.DataFrame) -> None:
        self._tables.append(table)
        if sum(map(len, self._tables)) >= PART_GAMES:
            self.save()

    def save(self) -> None:
        """Save the rows that are not in a part yet."""
        if any(map(len, self._tables)):
            write_part(self._folder, pd.concat(self._tables), self._number)
            self._number += 1
        self._tables.clear()


def next_part(folder: Path) -> int:
    """The number behind the last part of the data set in `folder`."""
    return max(map(_number, part_paths(folder)), default=-1) + 1


def read_part(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """The rows of a part, or some columns of them.  Raises BadInput if it is damaged."""
    content = path.read_bytes()
    if f"-{crc32(content)}." not in path.name:
        raise BadInput(f"{path} is damaged: its checksum is not the one in its name; delete it and run the command "
                       "again, which reads its games again")
    return read_table(content, path, PART_COLUMNS, columns)


class NewGames:
    """The games of all parts.  Each has a game_id, which continues the rows of the data set.  Games of files that the
    data set has are left out, as parts may have been merged but not deleted, and those of a file's second copy.

    options: the data set's, of which where and min_moves are used.
    """

    def __init__(self, folder: Path, old: DataSet, options: dict[str, Any]):
        self._options = options
        self._paths = part_paths(folder)
        self.first_id = sum(shard.rows for shard in old.shards)
        self._new = self._new_rows(known_keys(old)) if self._paths else []
        self.rows = sum(int(is_new.sum()) for is_new in self._new)

    def _new_rows(self, known: np.ndarray) -> list[np.ndarray]:
        """Which rows of each part are new, bool (n,).  All rows of a file are in one part."""
        tables = [read_part(path, ["file_key", "game_number"]) for path in self._paths]
        unique, first = np.unique(np.concatenate([known[:0], *(table["file_key"] for table in tables)]),
                                  return_index=True)
        new, start = [], 0
        for table in tables:
            keys = table["file_key"].to_numpy()
            is_first = (first[np.searchsorted(unique, keys)] >= start) & ~table.duplicated().to_numpy()
            new.append(is_first & ~is_known(keys, known))
            start += len(table)
        return new

    def tables(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """The new rows of each part, or some of their columns; index: the game_ids.  Rejected are also short games, and
        those that --where does not select."""
        game_id, min_moves, where = self.first_id, self._options["min_moves"], self._options["where"]
        for path, is_new in zip(self._paths, self._new, strict=True):
            if not is_new.any():
                continue
            table = read_part(path, None if columns is None else list(COLUMNS))
            table = table[is_new].set_axis(np.arange(game_id, game_id + is_new.sum()), axis=0)
            game_id += len(table)
            short = (table["reject_reason"] == "") & (table["num_moves"] < min_moves)
            reject(table, short, "too few moves",
                   table.loc[short, "num_moves"].astype(str) + f" moves; at least {min_moves} are required")
            legal = table[table["reject_reason"] == ""]
            reject(table, legal.index[~matching_rows(legal[list(COLUMNS)], where)], "not selected by --where",
                   f"not {where}")
            yield table if columns is None else table[columns]

    def games(self, game_ids: np.ndarray) -> Iterator[tuple[np.ndarray, GameArrays]]:
        """(game_ids, games) of legal games, a part at a time.  game_ids: int64 (n,), ascending."""
        if not len(game_ids):
            return
        for table in self.tables():
            chosen = rows_with(table, game_ids)
            if len(chosen):
                yield chosen.index.to_numpy(), index_games(chosen.assign(split="train"))


def reject(table: pd.DataFrame, rows, reason: str, details) -> None:
    """Mark rows of a table of games, selected by index or boolean mask, as not used, in place."""
    table.loc[rows, "reject_reason"] = reason
    table.loc[rows, "reject_details"] = details


def rows_with(table: pd.DataFrame, game_ids: np.ndarray) -> pd.DataFrame:
    """The rows of one of NewGames.tables with these game_ids, which are ascending: int64 (n,)."""
    first = table.index[0]
    start, end = np.searchsorted(game_ids, [first, first + len(table)])
    return table.iloc[game_ids[start:end] - first]


def known_keys(data: DataSet) -> np.ndarray:
    """The file keys of all rows of a data set, sorted: uint64 (n,)."""
    keys = [table["file_key"].to_numpy() for table in data.tables(["file_key"])]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *keys]))


def is_known(keys, known: np.ndarray):
    """Whether keys, a uint64 or an array of them, are in the sorted array `known`: bool of the same shape."""
    if not len(known):
        return np.zeros(np.shape(keys), bool)
    return known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys


BATCH_FILES, BATCH_BYTES = 256, 4 << 20  # what a worker process gets at a time
MAX_REFUSED = 10                         # archives that are named


@dataclass
class ReadReport:
    """What was left out of archives.

    others: how many members are not game records; example: one of them.
    refused: a line for each archive that was not read to its end -> the label of its source.
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
    """(bytes of the source read so far, key, file) of each file whose key is not in `known`, which is sorted.  What the
    source leaves out is added to the report."""
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
    """The files of all sources, which come with their checksums, that are not known; as new_files."""
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
