"""A shard: some games of a data set, in a folder of its own, written once and never changed.

    shard-000003/games.parquet      one row per game, also for unused games, with the reason; columns: SCHEMA
                 index.npy          one record per used game (game_index.py)
                 moves.npy          int16: the encoded moves (games/coords.py) of the used games, concatenated
                 setup.npy          int16: their encoded setup stones, likewise
                 ownership.npy      int16: final ownership of the games that ended by scoring
                 rejected.parquet   games of older shards that these games replace; columns: REJECTED

Two bytes per move and no planes: positions.py encodes positions when they are needed.  meta.json has the length and
the checksum of each file.  Only the index is read when a shard is opened; all arrays are mapped.  A mapped file must
not be cut off while it is in use: the operating system ends a process that reads behind the end of a file (SIGBUS).
"""
import mmap
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.data.game_index import INDEX, index_games
from mugo.data.games_table import COLUMNS, ENCODED
from mugo.data.meta import FILES, GAMES, INDEX_FILE, MAX_GAMES_BYTES, MOVES, OWNERSHIP, REJECTED_FILE, SETUP, crc32
from mugo.data.range_checks import check_games, check_index
from mugo.data.table_file import read_table, write_table
from mugo.core.files import BadInput, atomic_write, error_line, fsync_folder, open_regular_file, read_regular_file

# ownership_start: the game's place in ownership.npy; -1 where its final ownership is not known.
SCHEMA = COLUMNS | {"ownership_start": np.int64, "split": str}              # of games.parquet
REJECTED = {"shard": np.int32, "row": np.int32, "reject_reason": str, "reject_details": str}
_INT16 = np.dtype("<i2")


@dataclass(frozen=True, eq=False)
class Shard:
    """An open shard.  The arrays are read-only and mapped."""

    folder: Path
    entry: dict[str, Any]                # of meta.json
    index: np.ndarray                    # INDEX (games,)
    setup: np.ndarray                    # int16
    moves: np.ndarray                    # int16
    ownership: np.ndarray                # int16
    checked: np.ndarray                  # bool (games,): whose moves have been compared with the index

    @property
    def rows(self) -> int:
        """The rows of games.parquet."""
        return self.entry["rows"]

    def table(self, columns: list[str] | None = None) -> pd.DataFrame:
        """games.parquet, or some of its columns.  Raises BadInput if it is damaged."""
        path = self.folder / GAMES
        table = read_table(self._content(GAMES), path, SCHEMA, columns)
        if len(table) != self.rows:
            raise BadInput(f"{path} has {len(table):,} rows, expected {self.rows:,}; make the data set again")
        return table

    def rejected(self) -> pd.DataFrame:
        """rejected.parquet.  Raises BadInput if it is damaged."""
        return read_table(self._content(REJECTED_FILE), self.folder / REJECTED_FILE, REJECTED)

    def verify(self) -> None:
        """Raise BadInput if any of its files is damaged; reads all of them."""
        self.table()
        self.rejected()
        for name, array in ((SETUP, self.setup), (MOVES, self.moves), (OWNERSHIP, self.ownership)):
            self._check(name, array.data)

    def _content(self, name: str) -> bytes:
        try:
            content = read_regular_file(self.folder / name, MAX_GAMES_BYTES)
        except OSError as error:
            raise BadInput(f"{self.folder / name} cannot be read: {error_line(error)}") from None
        self._check(name, content)
        return content

    def _check(self, name: str, content: bytes | memoryview) -> None:
        if crc32(content) != self.entry["files"][name]["crc32"]:
            raise BadInput(f"{self.folder / name} is damaged: its checksum is not the one in meta.json; make the data "
                           "set again")

    @staticmethod
    def empty_table(columns: list[str] | None = None) -> pd.DataFrame:
        """`table` of a shard without rows."""
        names = list(SCHEMA) if columns is None else columns
        return pd.DataFrame(columns=names).astype({name: SCHEMA[name] for name in names})


def open_shard(folder: Path, entry: dict[str, Any]) -> Shard:
    """A shard, whose index is checked.  entry: of meta.json.  Raises BadInput if it is damaged; FileNotFoundError."""
    sizes = {name: entry["files"][name]["bytes"] for name in FILES}
    index, setup, moves, ownership = (map_array(folder / name, INDEX if name == INDEX_FILE else _INT16, sizes[name])
                                      for name in (INDEX_FILE, SETUP, MOVES, OWNERSHIP))
    shard = Shard(folder, entry, index, setup, moves, ownership, np.zeros(len(index), bool))
    shard._check(INDEX_FILE, index.view(np.uint8).data)
    check_index(folder / INDEX_FILE, index, shard.rows, len(setup), len(moves), len(ownership))
    return shard


def write_shard(folder: Path, table: pd.DataFrame, rejected: pd.DataFrame) -> dict[str, Any]:
    """Write the files of a shard to a new folder; returns its entry in meta.json but for its name.

    table: of PART_COLUMNS and `split`, which is '' for an unused game.  rejected: of REJECTED.
    """
    table = table.reset_index(drop=True)
    is_used = (table["reject_reason"] == "").to_numpy()
    arrays = index_games(table[is_used])
    check_games(folder, arrays)
    arrays.games["row"] = np.flatnonzero(is_used)
    ownership_start = np.full(len(table), -1)
    ownership_start[is_used] = arrays.games["ownership_start"]
    columns = table.drop(columns=list(ENCODED)).assign(ownership_start=ownership_start)[list(SCHEMA)].astype(SCHEMA)
    folder.mkdir()
    files = {}
    for name, array in ((INDEX_FILE, arrays.games), (SETUP, arrays.setup), (MOVES, arrays.moves),
                        (OWNERSHIP, arrays.ownership)):
        with atomic_write(folder / name) as path:
            write_array(path, array)
            files[name] = {"bytes": path.stat().st_size, "crc32": crc32(array.view(np.uint8).data)}
    for name, content in ((GAMES, write_table(columns, SCHEMA)), (REJECTED_FILE, write_table(rejected, REJECTED))):
        with atomic_write(folder / name) as path:
            path.write_bytes(content)
        files[name] = {"bytes": len(content), "crc32": crc32(content)}
    fsync_folder(folder.parent)
    return {"rows": len(table), "files": {name: files[name] for name in FILES}}


# ---- NumPy files of one dimension

def header(items: int, dtype: np.dtype) -> bytes:
    """The header of a file of so many numbers or records (numpy.lib.format, version 1.0): always the same but for the
    length, so that it can be compared and need not be parsed."""
    length = header_bytes(dtype)
    magic = b"\x93NUMPY\x01\x00" + (length - 10).to_bytes(2, "little")
    description = np.lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {description!r}, 'fortran_order': False, 'shape': ({items},), }}".encode()
    return magic + text.ljust(length - 11) + b"\n"


def header_bytes(dtype: np.dtype) -> int:
    return 512 if dtype.names else 128


def write_array(path: Path, array: np.ndarray) -> None:
    """Write an array, (n,) of little-endian numbers or records."""
    with open(path, "wb") as file:
        file.write(header(len(array), array.dtype))
        file.write(np.ascontiguousarray(array).data)


def map_array(path: Path, dtype: np.dtype, size: int) -> np.ndarray:
    """The array in a file of `size` bytes, mapped, read-only.

    Raises BadInput unless the file has this size and the header that belongs to it; FileNotFoundError.
    """
    items = (size - header_bytes(dtype)) // dtype.itemsize
    with open_regular_file(path) as file:
        found = os.fstat(file.fileno()).st_size
        if found != size or file.read(header_bytes(dtype)) != header(items, dtype):
            raise BadInput(f"{path} is damaged: expected a NumPy file of {size:,} bytes, which {max(items, 0):,} items "
                           "in one dimension have, and its length in the header; make the data set again")
        mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapping, dtype, items, header_bytes(dtype))
