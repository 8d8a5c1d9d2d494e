"""The games of the parts of an unfinished preprocess, as the merge reads them: again and again, a part at a time.

Each has a game_id, which continues the rows of the data set.  Games that the data set has already are left out: those
of parts that were merged, but not deleted.
"""
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.data.dataset import DataSet
from mugo.data.game_index import GameArrays, index_games
from mugo.data.games_table import COLUMNS, ENCODED
from mugo.data.parts import part_paths, read_part
from mugo.data.range_checks import check_columns, check_games, check_index
from mugo.data.rejection import reject_short, reject_unselected
from mugo.core.files import BadInput


class NewGames:
    def __init__(self, folder: Path, old: DataSet, options: dict[str, Any]):
        """options: those of the data set, of which where and min_moves are used."""
        self._options = options
        self._paths = part_paths(folder)
        self._known = known_keys(old)
        self.first_id = sum(shard.rows for shard in old.shards)
        self._new = [~is_known(read_part(path, ["file_key"])["file_key"], self._known) for path in self._paths]
        self.rows = sum(int(is_new.sum()) for is_new in self._new)

    def tables(self, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
        """The new rows of each part, or some of their columns; index: the game_ids.  Rejected are games that
        could not be read, short ones, and those that --where does not select."""
        game_id = self.first_id
        for path, is_new in zip(self._paths, self._new, strict=True):
            if not is_new.any():
                continue
            if columns is None:
                table = read_part(path)
                check_part(path, table)
            else:
                table = read_part(path, list(COLUMNS))
            table = table[is_new].set_axis(np.arange(game_id, game_id + is_new.sum()), axis=0)
            game_id += len(table)
            reject_short(table, self._options["min_moves"])
            reject_unselected(table, self._options["where"])
            yield table if columns is None else table[columns]

    def legal_tables(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        """`tables`, without the rejected rows."""
        for table in self.tables([*columns, "reject_reason"]):
            yield table.loc[table["reject_reason"] == "", columns]

    def games(self, game_ids: np.ndarray) -> Iterator[tuple[np.ndarray, GameArrays]]:
        """(game_ids, games) of legal games, a part at a time.  game_ids: int64 (n,), ascending."""
        if not len(game_ids):
            return
        for table in self.tables():
            chosen = rows_with(table, game_ids)
            if len(chosen):
                yield chosen.index.to_numpy(), index_games(chosen.assign(split="train"))


def rows_with(table: pd.DataFrame, game_ids: np.ndarray) -> pd.DataFrame:
    """The rows of one of NewGames.tables with these game_ids, which are ascending: int64 (n,)."""
    first = table.index[0]
    start, end = np.searchsorted(game_ids, [first, first + len(table)])
    return table.iloc[game_ids[start:end] - first]


def known_keys(data: DataSet) -> np.ndarray:
    """The file keys of all rows of a data set, sorted: uint64 (n,)."""
    keys = [table["file_key"].to_numpy() for table in data.tables(["file_key"])]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *keys]))


def is_known(keys: pd.Series, known: np.ndarray) -> np.ndarray:
    """Which keys are in the sorted array `known`: bool (n,)."""
    wanted = keys.to_numpy(np.uint64)
    if not len(known):
        return np.zeros(len(wanted), bool)
    return known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] == wanted


def check_part(path: Path, table: pd.DataFrame) -> None:
    """Raise BadInput if a number in the rows of a part is out of range."""
    used = table[table["reject_reason"] == ""]
    lengths = {name: np.array([len(game) // 2 for game in used[name]], np.int64) for name in ENCODED}
    if (used["num_moves"].to_numpy() != lengths["moves"]).any():
        raise BadInput(f"{path}: num_moves is not the number of moves")
    check_columns(path, table)
    games = index_games(used.assign(split="train"))
    check_index(path, games.games, len(table), *(len(array) for array in games[1:]))
    check_games(path, games)
