"""Merge new games into a data set and write its files.

    unfinished/part-*.parquet + the data set -> reject -> split -> moves.npy, setup.npy, games.parquet, meta.json

The arrays only grow, and games.parquet, whose rows say which parts of them are used, is replaced after them.  So the
folder is a complete data set at every moment.
"""
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.data.game_hash import assign_splits
from mugo.data.games_table import COLUMNS, make_table
from mugo.data.rejection import reject_duplicates, reject_short, reject_unselected
from mugo.files import atomic_write

OFFSETS = ("setup_start", "setup_end", "move_start")     # int64 columns: a game's place in the arrays


def merge_parts(folder: Path, meta: dict) -> DataSet:
    """Add the games of folder/unfinished to the data set, write it, and delete folder/unfinished."""
    options = meta["options"]
    old, old_setup, old_moves = _load_old(folder)
    new = _read_parts(folder, old)
    reject_short(new, options["min_moves"])
    reject_unselected(new, options["where"])
    table = pd.concat([old, new.drop(columns=["setup", "moves"])])

    def encoded_game(label: int) -> tuple[np.ndarray, np.ndarray]:
        if label < len(old):
            game = old.loc[label]
            return (old_setup[game["setup_start"]:game["setup_end"]],
                    old_moves[game["move_start"]:game["move_start"] + game["num_moves"]])
        return np.frombuffer(new.at[label, "setup"], np.int16), np.frombuffer(new.at[label, "moves"], np.int16)

    reject_duplicates(table, encoded_game)
    setup, moves = _append(table, new, old_setup, old_moves)
    table = table.astype(COLUMNS | dict.fromkeys(OFFSETS, np.int64))
    table["split"] = assign_splits(table["opening_hash"].to_numpy(), options["seed"], options["validation"],
                                   options["test"])
    table.loc[table["reject_reason"] != "", "split"] = ""
    _write(folder, meta, table, setup, moves)
    return dataset.load_dataset(folder)


def _load_old(folder: Path) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """(games.parquet, setup.npy, moves.npy); all empty for a new data set."""
    if (folder / "games.parquet").exists():
        return (dataset.read_table(folder / "games.parquet"), np.load(folder / "setup.npy"),
                np.load(folder / "moves.npy"))
    games = pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS)
    games[list(OFFSETS)] = np.zeros((0, len(OFFSETS)), np.int64)
    games["split"] = pd.Series([], dtype=str)
    return games, np.zeros(0, np.int16), np.zeros(0, np.int16)


def _read_parts(folder: Path, old: pd.DataFrame) -> pd.DataFrame:
    """The rows of all parts that are not in `old`, with labels that continue its labels."""
    parts = [dataset.read_table(path) for path in sorted((folder / "unfinished").glob("part-*.parquet"))]
    new = pd.concat([make_table([]), *parts], ignore_index=True)
    new = new[~new["file_key"].isin(old["file_key"])]
    new.index = pd.RangeIndex(len(old), len(old) + len(new))
    return new


def _append(table: pd.DataFrame, new: pd.DataFrame, old_setup: np.ndarray, old_moves: np.ndarray
            ) -> tuple[np.ndarray, np.ndarray]:
    """(setup, moves) with those of the new used games appended; sets OFFSETS of the new rows of the table."""
    used = new.index[(table.loc[new.index, "reject_reason"] == "").to_numpy()]
    starts, arrays = {}, {}
    for column, old in (("setup", old_setup), ("moves", old_moves)):
        contents = new.loc[used, column]
        lengths = np.array([len(content) // 2 for content in contents], np.int64)
        starts[column] = len(old) + np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        arrays[column] = np.concatenate([old, np.frombuffer(b"".join(contents), np.int16)])
    table.loc[new.index, list(OFFSETS)] = 0
    table.loc[used, "setup_start"] = starts["setup"][:-1]
    table.loc[used, "setup_end"] = starts["setup"][1:]
    table.loc[used, "move_start"] = starts["moves"][:-1]
    return arrays["setup"], arrays["moves"]


def _write(folder: Path, meta: dict, table: pd.DataFrame, setup: np.ndarray, moves: np.ndarray) -> None:
    for name, array in (("moves.npy", moves), ("setup.npy", setup)):
        with atomic_write(folder / name) as path:
            np.save(path, array)
    with atomic_write(folder / "games.parquet") as path:
        table.to_parquet(path, index=False, compression="zstd")
    used = table[table["reject_reason"] == ""]
    meta["counts"] = {"found": len(table), "used": len(used), "positions": int(used["num_moves"].sum())}
    write_meta(folder, meta)
    shutil.rmtree(folder / "unfinished", ignore_errors=True)


def write_meta(folder: Path, meta: dict) -> None:
    """Write meta.json."""
    with atomic_write(folder / "meta.json") as path:
        path.write_text(json.dumps(meta, indent=1))
