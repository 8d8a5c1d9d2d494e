"""The parts of an unfinished preprocess: DATASET/unfinished/part-NUMBER-CHECKSUM.parquet.

A part holds the rows that games_table.read_batch has made, with their moves.  The CRC-32 of its content is in its name.
A part can be deleted: the next preprocess reads its games again.
"""
import re
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data.games_table import ENCODED, PART_COLUMNS
from mugo.data.meta import crc32
from mugo.data.range_checks import check_games
from mugo.data.table_file import read_table, write_table
from mugo.files import BadInput, atomic_write, read_regular_file

MAX_BYTES = 1 << 30                      # of a part; one of 8,192 games has 4 MB
_NAME = re.compile(r"part-(\d{6,9})-([0-9a-f]{8})\.parquet", re.ASCII)


def part_paths(folder: Path) -> list[Path]:
    """The parts of the data set in `folder`, in their order."""
    return sorted(path for path in (folder / "unfinished").glob("part-*") if _NAME.fullmatch(path.name))


def write_part(folder: Path, table: pd.DataFrame) -> None:
    """Save a table of PART_COLUMNS as the next part."""
    content, paths = write_table(table), part_paths(folder)
    number = max((int(path.name[5:].partition("-")[0]) for path in paths), default=-1) + 1
    with atomic_write(folder / "unfinished" / f"part-{number:06d}-{crc32(content)}.parquet") as path:
        path.write_bytes(content)


def read_part(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """The rows of a part, or some columns of them.  Raises BadInput if it is damaged."""
    content = read_regular_file(path, MAX_BYTES)
    if f"-{crc32(content)}." not in path.name:
        raise BadInput(f"{path} is damaged: its checksum is not the one in its name; delete it and run the command "
                       "again, which reads its games again")
    return read_table(content, path, PART_COLUMNS, columns)


def read_parts(folder: Path) -> pd.DataFrame:
    """The rows of all parts.  Raises BadInput if one is damaged, or has a number out of range."""
    tables = []
    for path in part_paths(folder):
        table = read_part(path)
        (setup, setup_starts), (moves, starts), (owners, owners_starts) = (
            join_encoded(table[name]) for name in ENCODED)
        is_used = table["reject_reason"] == ""
        if (is_used & (table["num_moves"] != np.diff(starts))).any():
            raise BadInput(f"{path}: num_moves is not the number of moves")
        check_games(path, table.assign(setup_start=setup_starts[:-1], setup_end=setup_starts[1:],
                                       move_start=starts[:-1], owners_start=place_of(owners_starts),
                                       split="train"), setup, moves, owners)
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(PART_COLUMNS))


def place_of(starts: np.ndarray) -> np.ndarray:
    """int64 (n,): where the owners of each game begin; -1 for a game without.  starts: as of join_encoded."""
    return np.where(np.diff(starts) > 0, starts[:-1], -1)


def join_encoded(games: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """(array, starts) of games as bytes: int16, end to end; int64 (n + 1,), where each begins and the last ends."""
    starts = np.concatenate([[0], np.cumsum([len(game) // 2 for game in games])]).astype(np.int64)
    return np.frombuffer(b"".join(game[:len(game) // 2 * 2] for game in games), np.int16), starts
