"""Merge new games into a data set and write its files.

    unfinished/part-*.parquet + the data set -> reject -> split -> the files, in this order:

    moves.npy, ...          the moves, setup stones and owners so far, which stay as they are, then the new ones
    meta.json               of both states: as the data set is, and as it will be ("next")
    games.parquet           from here on the data set is in its new state
    meta.json               of the new state only

So the folder is a complete data set at every moment.  What a killed merge has written behind the arrays of the state
is not read, and is not there after the next merge.
"""
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.array_files import write_array
from mugo.data.dataset import OFFSETS, SCHEMA, DataSet
from mugo.data.game_hash import assign_splits
from mugo.data.games_table import ENCODED, make_table
from mugo.data.meta import ARRAYS, GAMES, META, crc32, format_meta
from mugo.data.parts import join_encoded, place_of, read_parts
from mugo.data.rejection import reject_duplicates, reject_short, reject_unselected
from mugo.data.table_file import write_table
from mugo.files import atomic_write


def merge_parts(folder: Path, meta: dict, sources: list[dict]) -> DataSet:
    """Add the games of folder/unfinished to the data set, write it, and delete folder/unfinished.

    meta: as meta.read_state returns it.  sources: of the old and the new games.
    """
    options = meta["options"]
    old, arrays = _load_old(folder, meta)
    new = _new_rows(folder, old)
    reject_short(new, options["min_moves"])
    reject_unselected(new, options["where"])
    unplaced = dict.fromkeys(OFFSETS, 0) | {"owners_start": -1, "split": ""}
    table = new.drop(columns=list(ENCODED)).assign(**unplaced).astype(SCHEMA)
    if len(old):                         # pandas 2 warns of a table without rows
        table = pd.concat([old, table])

    def encoded_game(label: int) -> tuple[np.ndarray, np.ndarray]:
        if label < len(old):
            game = old.loc[label]
            return (arrays["setup"][game["setup_start"]:game["setup_end"]],
                    arrays["moves"][game["move_start"]:game["move_start"] + game["num_moves"]])
        return np.frombuffer(new.at[label, "setup"], np.int16), np.frombuffer(new.at[label, "moves"], np.int16)

    reject_duplicates(table, encoded_game)
    arrays = _append(table, new, arrays)
    table["split"] = assign_splits(table["opening_hash"].to_numpy(), options["seed"], options["validation"],
                                   options["test"])
    table.loc[table["reject_reason"] != "", "split"] = ""
    _write(folder, meta, sources, table, arrays)
    return dataset.load_dataset(folder)


def _load_old(folder: Path, meta: dict) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """(games.parquet, the arrays by their names in ENCODED); all empty for a new data set."""
    if meta["files"]:
        data = dataset.load_dataset(folder)
        return data.games, {"setup": data.setup, "moves": data.moves, "owners": data.owners}
    return pd.DataFrame(columns=list(SCHEMA)).astype(SCHEMA), {name: np.zeros(0, np.int16) for name in ENCODED}


def _new_rows(folder: Path, old: pd.DataFrame) -> pd.DataFrame:
    """The rows of all parts that are not in `old`, with labels that continue its labels."""
    new = pd.concat([make_table([]), read_parts(folder)], ignore_index=True)
    new = new[~new["file_key"].isin(old["file_key"])]
    new.index = pd.RangeIndex(len(old), len(old) + len(new))
    return new


def _append(table: pd.DataFrame, new: pd.DataFrame, old: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays with those of the new used games appended; sets OFFSETS of the new rows of the table."""
    used = new.index[(table.loc[new.index, "reject_reason"] == "").to_numpy()]
    joined = {name: join_encoded(new.loc[used, name]) for name in ENCODED}
    setup_starts, move_starts, owners_starts = (len(old[name]) + joined[name][1] for name in ENCODED)
    table.loc[used, "setup_start"] = setup_starts[:-1]
    table.loc[used, "setup_end"] = setup_starts[1:]
    table.loc[used, "move_start"] = move_starts[:-1]
    table.loc[used, "owners_start"] = place_of(owners_starts)
    return {name: np.concatenate([old[name], joined[name][0]]) for name in ENCODED}


def _write(folder: Path, meta: dict, sources: list[dict], table: pd.DataFrame, arrays: dict[str, np.ndarray]) -> None:
    """Write the files in the order that the module's docstring gives.  meta: of the state before."""
    files = {}
    for name in ARRAYS:
        with atomic_write(folder / name) as path:
            files[name] = write_array(path, arrays[Path(name).stem])
    content = write_table(table)
    files[GAMES] = {"bytes": len(content), "crc32": crc32(content)}
    state = {"sources": sources, "counts": dataset.count_games(table), "files": files}
    write_meta(folder, meta | {"next": state})
    with atomic_write(folder / GAMES) as path:
        path.write_bytes(content)
    write_meta(folder, meta | state)
    shutil.rmtree(folder / "unfinished", ignore_errors=True)


def write_meta(folder: Path, meta: dict) -> None:
    """Write meta.json."""
    with atomic_write(folder / META) as path:
        path.write_bytes(format_meta(meta))
