"""Data sets that somebody damaged or made up, for tests."""
import json
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import meta
from mugo.data.array_files import write_array
from mugo.data.dataset import SCHEMA
from mugo.data.table_file import write_table


def copy_of(folder: Path, path: Path) -> Path:
    """A copy of a data set's files."""
    path.mkdir()
    for name in meta.FILES:
        (path / name).write_bytes((folder / name).read_bytes())
    return path


def sign(folder: Path, **fields) -> None:
    """Make the lengths and checksums in meta.json right for the files as they are.  fields: of meta.json, replaced."""
    values = json.loads((folder / meta.META).read_bytes()) | fields
    del values["checksum"]
    games = (folder / meta.GAMES).read_bytes()
    values["files"][meta.GAMES] = {"bytes": len(games), "crc32": meta.crc32(games)}
    for name in meta.ARRAYS:
        content = (folder / name).read_bytes()[128:]
        values["files"][name] = {"items": len(content) // 2, "crc32": meta.crc32(content)}
    (folder / meta.META).write_bytes(meta._with_checksum(values))


def rewrite(folder: Path, games: pd.DataFrame | bytes | None = None, **arrays: np.ndarray) -> None:
    """Replace files of a data set, and make its checksums right.  arrays: moves, setup, owners."""
    if isinstance(games, pd.DataFrame):
        games = write_table(games.astype(SCHEMA))
    if games is not None:
        (folder / meta.GAMES).write_bytes(games)
    for name, array in arrays.items():
        write_array(folder / f"{name}.npy", array)
    sign(folder)
