"""Some used games of a data set, in order, and their moves, read from the mapped files of its shards.  Compiled.

    selection row    0           1           2           ...
    shard, entry     0, 0        0, 2        1, 0                 4 bytes each
                     --> record in the shard's index.npy --> stones, moves, ownership in its arrays

8 bytes per game are in memory.
"""
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numba import carray, types
from numba.extending import intrinsic

from mugo.core.jit import kernel, subroutine
from mugo.data.labels import words_per_game
from mugo.data.shards import INDEX, GameArrays, Shard, ownership_words

CHUNK = 1 << 15                          # games read at a time: 20 MB


@intrinsic
def _pointer(typing_context, address):
    """An address, int64, as a pointer.

    numba.typed.List of the shards' arrays would do without, but its methods are compiled anew in every process, for
    each type of array: 3.6 s before the first batch.
    """
    def generate(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))
    return types.voidptr(types.int64), generate


@kernel
def _copy_records(addresses, shard, entry, out):
    """Copy the records of games; returns the lengths of their setup, moves and ownership in all.

    addresses: int64 (shards, 4), of the data of index, setup, moves and ownership.  shard, entry: int32 (n,).  out:
    INDEX (n,).
    """
    setup = moves = ownership = 0
    for g in range(len(entry)):
        records = carray(_pointer(addresses[shard[g], 0]), np.int64(entry[g]) + 1, INDEX)
        out[g] = records[entry[g]]
        setup += out[g].num_setup
        moves += out[g].num_moves
        ownership += words_per_game(np.int64(out[g].size)) if out[g].ownership_start >= 0 else 0
    return setup, moves, ownership


@subroutine
def _copy(source, start, count, out, at):
    """Copy int16 items from an address to out[at:at + count]."""
    if count:
        items = carray(_pointer(source), start + count, np.int16)
        for i in range(count):
            out[at + i] = items[start + i]


@kernel
def _copy_games(addresses, shard, games, setup, moves, ownership):
    """Copy the arrays of games, end to end, and let their records point into the copies."""
    stones = played = words = 0
    for g in range(len(games)):
        s = shard[g]
        num_setup, num_moves = np.int64(games[g].num_setup), np.int64(games[g].num_moves)
        _copy(addresses[s, 1], np.int64(games[g].setup_start), num_setup, setup, stones)
        _copy(addresses[s, 2], np.int64(games[g].move_start), num_moves, moves, played)
        start = np.int64(games[g].ownership_start)
        count = words_per_game(np.int64(games[g].size)) if start >= 0 else 0
        _copy(addresses[s, 3], start, count, ownership, words)
        games[g].setup_start, games[g].move_start = stones, played
        if start >= 0:
            games[g].ownership_start = words
        stones += num_setup
        played += num_moves
        words += count


@dataclass(frozen=True, eq=False)
class GameSelection:
    """Used games of a data set, in any order."""

    shards: Sequence[Shard]
    shard: np.ndarray                    # int32 (n,): of each game, in shards
    entry: np.ndarray                    # int32 (n,): of each game, in the index of its shard

    def __len__(self) -> int:
        return len(self.entry)

    def take(self, rows: Any) -> "GameSelection":
        """The games with these rows: integers (n,), bool (len(self),) or a slice."""
        return GameSelection(self.shards, self.shard[rows], self.entry[rows])

    def column(self, name: str) -> np.ndarray:
        """A field of INDEX, (n,)."""
        out = np.empty(len(self), INDEX[name])
        for shard, rows in self._by_shard():
            out[rows] = shard.index[name][self.entry[rows]]
        return out

    def arrays(self, rows: Any = slice(None)) -> GameArrays:
        """The games, or those with these rows, in memory; 600 bytes per game.  Thread-safe."""
        shard, entry = self.shard[rows], self.entry[rows]
        games = np.empty(len(entry), INDEX)
        lengths = _copy_records(self._addresses, shard, entry, games)
        setup, moves, ownership = (np.empty(length, np.int16) for length in lengths)
        _copy_games(self._addresses, shard, games, setup, moves, ownership)
        return GameArrays(games, setup, moves, ownership)

    def chunks(self) -> Iterator[GameArrays]:
        """`arrays` of CHUNK games at a time, in order."""
        for start in range(0, len(self), CHUNK):
            yield self.arrays(slice(start, start + CHUNK))

    def ownership(self) -> Iterator[np.ndarray]:
        """The words of ownership.npy of the games, which are in the order of the shards: int16, a shard at a time."""
        for shard, rows in self._by_shard():
            games = shard.index[self.entry[rows]]
            games = games[games["ownership_start"] >= 0]
            counts, start = ownership_words(games), games["ownership_start"].astype(np.int64)
            yield shard.ownership[np.repeat(start - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]

    def tables(self, columns: list[str] | None = None) -> Iterator[tuple[Any, pd.DataFrame]]:
        """(rows of this selection, their rows of games.parquet or some columns of them) of each shard."""
        for shard, rows in self._by_shard():
            yield rows, shard.table(columns).iloc[shard.index["row"][self.entry[rows]]]

    def table(self, columns: list[str] | None = None) -> pd.DataFrame:
        """The rows of games.parquet, or some columns of them, in order, with index 0 to n - 1."""
        tables = [table.set_axis(np.arange(len(self))[rows], axis=0) for rows, table in self.tables(columns)]
        return pd.concat(tables).sort_index() if tables else Shard.empty_table(columns)

    def _by_shard(self) -> Iterator[tuple[Shard, Any]]:
        """Each shard with rows that are games of it."""
        if (np.diff(self.shard) >= 0).all():
            ends = np.searchsorted(self.shard, np.arange(len(self.shards) + 1))
            for shard, start, end in zip(self.shards, ends[:-1], ends[1:], strict=True):
                if start < end:
                    yield shard, slice(start, end)
        else:
            for number in np.unique(self.shard):
                yield self.shards[number], np.flatnonzero(self.shard == number)

    @cached_property
    def _addresses(self) -> np.ndarray:
        return np.array([[array.ctypes.data for array in (shard.index, shard.setup, shard.moves, shard.ownership)]
                         for shard in self.shards], np.int64).reshape(-1, 4)
