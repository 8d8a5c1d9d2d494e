"""The parts of an unfinished preprocess: DATASET/unfinished/part-NUMBER-CHECKSUM.parquet.

A part holds the rows that games_table.read_batch has made, with their moves.  The CRC-32 of its content is in its name.
A part can be deleted: the next preprocess reads its games again.
"""
import re
from pathlib import Path

import pandas as pd

from mugo.data.games_table import PART_COLUMNS, read_table, write_table
from mugo.data.shards import crc32
from mugo.core.files import BadInput, atomic_write

UNFINISHED = "unfinished"                # the folder of the parts
PART_GAMES = 8192                        # games that an interruption can lose
_NAME = re.compile(r"part-(\d{6,12})-([0-9a-f]{8})\.parquet", re.ASCII)


def part_paths(folder: Path) -> list[Path]:
    """The parts of the data set in `folder`, in their order."""
    paths = (path for path in (folder / UNFINISHED).glob("part-*") if _NAME.fullmatch(path.name))
    return sorted(paths, key=lambda path: (_number(path), path.name))


def _number(path: Path) -> int:
    return int(path.name.split("-")[1])


def write_part(folder: Path, table: pd.DataFrame, number: int | None = None) -> Path:
    """Save a table of PART_COLUMNS as the part with a number, by default the next one; returns its file."""
    content = write_table(table, PART_COLUMNS)
    number = next_part(folder) if number is None else number
    written = folder / UNFINISHED / f"part-{number:06d}-{crc32(content)}.parquet"
    with atomic_write(written) as path:
        path.write_bytes(content)
    return written


class PartWriter:
    """Collects rows of PART_COLUMNS, and saves each PART_GAMES of them as a part; the first has this number."""

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
