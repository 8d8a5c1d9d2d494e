"""Merge new games into a data set: write new shards, and then the meta.json that names them.

    unfinished/part-*.parquet + the data set -> reject -> split -> the files, in this order:

    shard-000007/ ...       the new games, and which older games they replace
    meta.json               from here on the data set is in its new state
    unfinished/             is deleted

Files of older shards are only read.  So the folder is a complete data set at every moment, and what a killed merge has
written is in no state of it; the next merge deletes that.
"""
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.data.duplicates import Duplicates, by_shard, find_duplicates
from mugo.data.game_hash import assign_splits, fractions_with_games
from mugo.data.shards import META, REJECTED, format_meta, is_shard_name, open_shard, shard_name, write_shard
from mugo.data.unmerged import NewGames, reject, rows_with
from mugo.core.files import atomic_write

Fractions = tuple[float | None, float | None]
FEW_GAMES = 10_000                       # above which each split has games by its default fraction
SHARD_GAMES = 1 << 16                    # rows of a shard, and up to a part more; a smaller addition is a shard too


def merge_parts(folder: Path, meta: dict[str, Any], sources: list[dict[str, str]], fractions: Fractions) -> DataSet:
    """Add the games of folder/unfinished to the data set, and delete folder/unfinished.

    meta: of the data set.  sources: of the old and the new games.  fractions: (validation, test) that were asked for,
    see game_hash.fractions_with_games; they count for a new data set, and one that exists keeps its own.
    """
    old = dataset.load_dataset(folder) if meta["counts"] else DataSet(folder, meta, (), {})
    for path in folder.iterdir():
        if is_shard_name(path.name) and path.name not in {entry["name"] for entry in meta["shards"]}:
            shutil.rmtree(path)
    new = NewGames(folder, old, meta["options"])
    duplicates = find_duplicates(old, new)
    if not meta["counts"] and new.rows <= FEW_GAMES:
        validation, test = fractions_with_games(_main_hashes(new, duplicates), meta["options"]["seed"], *fractions)
        meta = meta | {"options": meta["options"] | {"validation": validation, "test": test}}
    shards, entries = list(old.shards), list(meta["shards"])
    number = max((int(entry["name"][6:]) for entry in entries), default=-1) + 1
    paths = _paths_of(np.unique(duplicates.original), old, new)
    rejected = _rejected(old, duplicates.among(range(new.first_id)), paths)
    for table in _shard_tables(new, duplicates, paths, meta["options"]):
        place = folder / shard_name(number + len(shards) - len(old.shards))
        entries.append({"name": place.name} | write_shard(place, table, rejected))
        shards.append(open_shard(place, entries[-1]))
        rejected = rejected.iloc[:0]
    state = {"sources": sources, "shards": entries}
    data = DataSet(folder, meta, tuple(shards), dataset.rejected_games(shards))
    write_meta(folder, meta | state | {"counts": dataset.count_games(data)})
    shutil.rmtree(folder / "unfinished", ignore_errors=True)
    return dataset.load_dataset(folder)


def _shard_tables(new: NewGames, duplicates: Duplicates, paths: dict[int, str], options: dict[str, Any]
                  ) -> Iterator[pd.DataFrame]:
    """The rows of each new shard, with their reject_reason and split."""
    waiting: list[pd.DataFrame] = []
    for table in new.tables():
        found = duplicates.among(range(table.index[0], table.index[-1] + 1))
        reject(table, found.game_id, "duplicate", _details(found, paths))
        split = assign_splits(table["opening_hash"].to_numpy(), options["seed"], options["validation"],
                              options["test"])
        waiting.append(table.assign(split=np.where(table["reject_reason"] == "", split, "")))
        if sum(map(len, waiting)) >= SHARD_GAMES:
            yield pd.concat(waiting)
            waiting.clear()
    if waiting:
        yield pd.concat(waiting)


def _main_hashes(new: NewGames, duplicates: Duplicates) -> np.ndarray:
    """The opening hashes of the used new games on the most frequent board, uint64 (n,)."""
    sizes, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for table in new.tables(["size", "opening_hash", "reject_reason"]):
        found = duplicates.among(range(table.index[0], table.index[-1] + 1))
        used = table[(table["reject_reason"] == "") & ~table.index.isin(found.game_id)]
        sizes.append(used["size"].to_numpy(np.int64))
        hashes.append(used["opening_hash"].to_numpy())
    size = np.concatenate(sizes)
    return np.concatenate(hashes)[size == np.bincount(size, minlength=1).argmax()]


def _details(found: Duplicates, paths: dict[int, str]) -> list[str]:
    return [f"{'the beginning of' if is_truncated else 'the same game as'} {paths[original]}"
            for original, is_truncated in zip(found.original.tolist(), found.is_truncated, strict=True)]


def _paths_of(game_ids: np.ndarray, old: DataSet, new: NewGames) -> dict[int, str]:
    """The source and file of games by their game_ids, which are ascending."""
    paths: dict[int, str] = {}
    for shard, of_shard, rows in by_shard(old, game_ids):
        table = shard.table(["source", "file"]).iloc[rows]
        paths |= dict(zip(of_shard.tolist(), table["source"] + "/" + table["file"], strict=True))
    if len(game_ids) and game_ids[-1] >= new.first_id:
        for table in new.tables(["source", "file"]):
            chosen = rows_with(table, game_ids)
            paths |= dict(zip(chosen.index.tolist(), chosen["source"] + "/" + chosen["file"], strict=True))
    return paths


def _rejected(old: DataSet, found: Duplicates, paths: dict[int, str]) -> pd.DataFrame:
    """The games of old shards that are duplicates of new ones, as shards.REJECTED."""
    first = np.cumsum([0, *(shard.rows for shard in old.shards)])
    number = np.searchsorted(first, found.game_id, side="right") - 1
    return pd.DataFrame({"shard": number, "row": found.game_id - first[number], "reject_reason": "duplicate",
                         "reject_details": _details(found, paths)}, columns=list(REJECTED)).astype(REJECTED)


def write_meta(folder: Path, meta: dict[str, Any]) -> None:
    """Write meta.json."""
    with atomic_write(folder / META) as path:
        path.write_bytes(format_meta(meta))
