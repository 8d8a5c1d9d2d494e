"""The format of a data set, a folder; and DataSet, which reads it.

    meta.json         format, options of preprocess, sources, counts, shards; checksums of all files (shards.py)
    shard-000000/     some games: a table of them, an index, their moves
    shard-000001/     others, which were added later; it can reject games of the shards before

Shards are written once (preprocess.py).  In memory, games that are selected take 8 bytes each, and their positions 8
more (selection.py, positions.py).
"""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mugo.data.selection import GameSelection
from mugo.data.shards import META, SCHEMA, SPLITS, SPLIT_NAMES, Shard, open_shard, read_meta, shard_name
from mugo.data.positions import Positions, digest, label_digests
from mugo.data.games_table import matching_rows, names_in
from mugo.core.files import BadInput, error_line

ALL_MOVES = (1, float("inf"))            # range of moves, both ends included, counted from 1
REJECTION = ("reject_reason", "reject_details")


@dataclass(frozen=True)
class DataSet:
    """An open data set."""

    folder: Path
    meta: dict[str, Any]                 # meta.json
    shards: tuple[Shard, ...]
    rejected: dict[int, pd.DataFrame]    # by shard: its games that later shards reject; index: rows; REJECTION

    @cached_property
    def games(self) -> pd.DataFrame:
        """The rows of all games, also of unused ones; columns: SCHEMA.  2 kB per game; `tables` reads them by shard."""
        return self.table()

    @property
    def used_games(self) -> pd.DataFrame:
        """The rows of the games that are used: those without a reject_reason."""
        return self.games[self.games["reject_reason"] == ""]

    def tables(self, columns: list[str] | None = None, where: str = "") -> Iterator[pd.DataFrame]:
        """The rows of each shard that satisfy a query, used or not, or some of their columns.  Raises BadInput for an
        invalid query, and if a shard is damaged."""
        needed = names_in(where, SCHEMA)
        names = list(SCHEMA) if columns is None else columns
        for number in range(len(self.shards)):
            table = self._table(number, [name for name in SCHEMA if name in needed or name in names])
            yield table.loc[matching_rows(table, where), names] if where else table[names]

    def table(self, columns: list[str] | None = None, where: str = "") -> pd.DataFrame:
        """`tables` in one, with index 0 to n - 1."""
        tables = [table for table in self.tables(columns, where) if len(table)]
        return pd.concat(tables, ignore_index=True) if tables else Shard.empty_table(columns)

    def _table(self, number: int, columns: list[str]) -> pd.DataFrame:
        """Columns of a shard, with what later shards say of its games."""
        table, rejected = self.shards[number].table(columns), self.rejected.get(number)
        if rejected is not None:
            for name in REJECTION:
                if name in table:
                    table.loc[rejected.index, name] = rejected[name]
            if "split" in table:
                table.loc[rejected.index, "split"] = ""
        return table

    def is_used(self, number: int) -> np.ndarray:
        """Which games in the index of a shard are used, bool (n,): those that no later shard rejects."""
        rejected = self.rejected.get(number)
        rows = self.shards[number].index["row"]
        return np.ones(len(rows), bool) if rejected is None else ~np.isin(rows, rejected.index.to_numpy())

    def selection(self, split: str | None = None, size: int | None = None, where: str = "") -> GameSelection:
        """Used games, in the order of the shards and their rows.  split, size, where: see `positions`; None: all."""
        needed = names_in(where, SCHEMA)
        numbers, entries = [], []
        for number, shard in enumerate(self.shards):
            chosen = self.is_used(number)
            if split is not None:
                chosen &= shard.index["split"] == SPLITS.index(split)
            if size is not None:
                chosen &= shard.index["size"] == size
            if where and chosen.any():
                table = self._table(number, needed)
                chosen[chosen] = matching_rows(table.iloc[shard.index["row"][chosen]], where)
            entries.append(np.flatnonzero(chosen).astype(np.int32))
            numbers.append(np.full(len(entries[-1]), number, np.int32))
        empty = np.zeros(0, np.int32)
        return GameSelection(self.shards, np.concatenate([empty, *numbers]), np.concatenate([empty, *entries]))

    @property
    def bytes(self) -> int:
        """The size of all files but meta.json."""
        return sum(file["bytes"] for entry in self.meta["shards"] for file in entry["files"].values())

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal where the used games, their order, their labels and the split of each are."""
        games = self.selection()
        return digest(games.column("content_hash"), games.column("size"), games.column("split"), *label_digests(games))

    def board_sizes(self) -> list[int]:
        """The board sizes of the used games, the most frequent first."""
        counts = sum((np.bincount(shard.index["size"][self.is_used(number)], minlength=64)
                      for number, shard in enumerate(self.shards)), np.zeros(64, np.int64))
        return [int(size) for size in np.argsort(-counts, kind="stable") if counts[size]]

    def positions(self, split: str | None = None, size: int | None = None, where: str = "",
                  moves: tuple[int, float] = ALL_MOVES) -> Positions:
        """Positions of the used games, before each of their moves in the range `moves`.

        split: one of SPLITS; None for all.  size: board size; None for the most frequent.  where: a query on
        games.parquet.  Raises BadInput if the query is invalid or no position is left.
        """
        size = size or next(iter(self.board_sizes()), 19)
        games = self.selection(split, size, where)
        if not len(games):
            hint = f"; mugo preprocess --{split} chooses their share" if split in ("validation", "test") else ""
            raise BadInput(f"{self.folder}: no {SPLIT_NAMES[split]} games on {size}x{size}"
                           + (f" where {where}" if where else hint))
        skip_moves = moves[0] - 1
        counts = np.maximum(np.minimum(games.column("num_moves"), moves[1]) - skip_moves, 0)
        if not counts.any():
            raise BadInput(f"{self.folder}: no {SPLIT_NAMES[split]} game on {size}x{size} has {moves[0]} moves")
        first_index = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Positions(size, games, first_index, skip_moves)


def load_dataset(folder: str | Path) -> DataSet:
    """Open a data set.  Raises BadInput, which names the file, if there is none, or it is incomplete, damaged or of
    another format; the tables are checked when they are used."""
    folder = Path(folder)
    try:
        meta = read_meta(folder)
        if not meta["counts"]:
            raise FileNotFoundError(2, "no such file", str(folder / shard_name(0)))
        shards = tuple(open_shard(folder / entry["name"], entry) for entry in meta["shards"])
    except FileNotFoundError as error:
        missing = Path(error.filename or META)
        missing = missing.relative_to(folder) if missing.is_relative_to(folder) else missing.name
        raise BadInput(f"{folder} is not a data set: {missing} is missing (make one: mugo preprocess GAMES -o {folder})"
                       ) from None
    except NotADirectoryError:
        raise BadInput(f"{folder} is not a data set, which is a folder (make one: mugo preprocess GAMES -o FOLDER)"
                       ) from None
    except (OSError, MemoryError) as error:
        name = getattr(error, "filename", None) or folder
        raise BadInput(f"{name} cannot be read as part of a data set: {error_line(error)}") from None
    return DataSet(folder, meta, shards, rejected_games(shards))


def rejected_games(shards: Sequence[Shard]) -> dict[int, pd.DataFrame]:
    """By number of a shard, the games that later shards reject."""
    tables = [shard.rejected() for shard in shards]
    games = pd.concat(tables) if tables else pd.DataFrame({"shard": [], "row": []})
    return {int(number): of_shard.drop_duplicates("row").set_index("row")[list(REJECTION)]
            for number, of_shard in games.groupby("shard")}


def count_games(data: DataSet) -> dict[str, int]:
    """The counts of meta.json: games found, games used, positions."""
    used = positions = 0
    for number, shard in enumerate(data.shards):
        is_used = data.is_used(number)
        used += int(is_used.sum())
        positions += int(shard.index["num_moves"][is_used].sum(dtype=np.int64))
    return {"found": sum(shard.rows for shard in data.shards), "used": used, "positions": positions}
