"""Data sets that somebody damaged or made up, for tests.  They have one shard."""
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import shards as meta
from mugo.data.game_hash import content_hashes, words_hashes
from mugo.data.shards import INDEX, SCHEMA, ownership_words, ranges
from mugo.data.games_table import write_table

SHARD = meta.shard_name(0)
ARRAYS = meta.INDEX_FILE, meta.MOVES, meta.SETUP, meta.OWNERSHIP


def copy_of(folder: Path, path: Path) -> Path:
    """A copy of a data set."""
    shutil.copytree(folder, path)
    return path


def index_of(folder: Path) -> np.ndarray:
    """A copy of the records of a data set's shard, which may be changed."""
    return np.load(folder / SHARD / meta.INDEX_FILE).astype(INDEX)


def sign(folder: Path, **fields) -> None:
    """Make the lengths and checksums in meta.json right for the files as they are.  fields: of meta.json, replaced."""
    values = json.loads((folder / meta.META).read_bytes()) | fields
    del values["checksum"]
    for name, entry in values["shards"][0]["files"].items():
        path = folder / SHARD / name
        data = np.load(path).tobytes() if name in ARRAYS else path.read_bytes()
        entry.update(bytes=path.stat().st_size, crc32=meta.crc32(data))
    (folder / meta.META).write_bytes(meta.format_meta(values))


def rewrite(folder: Path, games: pd.DataFrame | bytes | None = None, index: np.ndarray | None = None,
            **arrays: np.ndarray) -> None:
    """Replace files of a data set, and make its checksums right, and the hashes of all games that are in the arrays.

    arrays: moves, setup, ownership.
    """
    if isinstance(games, pd.DataFrame):
        games = write_table(games, SCHEMA)
    if games is not None:
        (folder / SHARD / meta.GAMES).write_bytes(games)
    for name, array in arrays.items():
        np.save(folder / SHARD / f"{name}.npy", array)
    index = index_of(folder) if index is None else index.copy()
    setup, moves, ownership = (np.load(folder / SHARD / name) for name in (meta.SETUP, meta.MOVES, meta.OWNERSHIP))
    for g in range(len(index)):
        of_game = index[g:g + 1]
        setup_start, setup_end, start, count = (int(each[0]) for each in ranges(of_game))
        first, words = int(of_game["ownership_start"][0]), int(ownership_words(of_game)[0])
        if (0 <= setup_start <= setup_end <= len(setup) and 0 <= start <= start + count <= len(moves)
                and max(first, 0) + words <= len(ownership)):
            index["content_hash"][g] = content_hashes(setup, moves, *ranges(of_game))[0]
            index["ownership_hash"][g] = words_hashes(ownership, np.array([first]), np.array([words]))[0]
    np.save(folder / SHARD / meta.INDEX_FILE, index)
    sign(folder)
