"""Which games are duplicates: the new ones among each other and among those of a data set.

    labels     0 1 2 ...            first_new ...
               games of the shards  games of the parts        in the order of their rows

Of copies the one with the lowest label is kept, and of games with one beginning the longest; so a new game can take the
place of an old one.  No table of all games is in memory; moves are read of games that share their opening only.
"""
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mugo.data.dataset import DataSet
from mugo.data.game_index import GameArrays
from mugo.data.new_games import NewGames
from mugo.data.opening_buckets import KEY, OpeningBuckets
from mugo.data.rejection import canonical_lines, find_copies_of_games, find_truncated, same_openings
from mugo.data.selection import CHUNK, GameSelection


class Duplicates(NamedTuple):
    """Duplicates by ascending label, and what they repeat; int64 and bool (n,)."""

    label: np.ndarray
    original: np.ndarray                 # the label of the game that is kept
    is_truncated: np.ndarray             # whether it is the beginning of that game, not all of it

    def among(self, labels: range) -> "Duplicates":
        """Those with labels in a range."""
        start, end = np.searchsorted(self.label, [labels.start, labels.stop])
        return Duplicates(self.label[start:end], self.original[start:end], self.is_truncated[start:end])


def find_duplicates(old: DataSet, new: NewGames, folder: Path) -> Duplicates:
    """The duplicates among the used games of a data set and new ones.  folder: for temporary files."""
    buckets = OpeningBuckets(folder, new.first_label + new.rows)
    for labels, games in _old_keys(old):
        buckets.add(games["opening_hash"], games["game_hash"], labels, games["num_moves"])
    for table in new.legal_tables(["opening_hash", "game_hash", "num_moves"]):
        buckets.add(table["opening_hash"].to_numpy(), table["game_hash"].to_numpy(), table.index.to_numpy(),
                    table["num_moves"].to_numpy())
    copies: list[tuple[np.ndarray, np.ndarray]] = []
    alike = []
    for keys in buckets:
        copies.append(find_copies_of_games(keys))
        alike.append(same_openings(keys[~np.isin(keys["label"], copies[-1][0])], new.first_label))
    games = np.concatenate([np.empty(0, KEY), *alike])
    with contextlib.closing(_Lines(old, new, games, folder)) as lines:
        truncated = np.array(list(_truncated(games, lines)), np.int64).reshape(-1, 2).T
    label, original = (np.concatenate([np.empty(0, np.int64), *(pair[k] for pair in copies), truncated[k]])
                       for k in range(2))
    is_truncated = np.arange(len(label)) >= len(label) - truncated.shape[1]
    order = np.argsort(label, kind="stable")
    return Duplicates(label[order], original[order], is_truncated[order])


def _old_keys(old: DataSet) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(labels, records) of the used games of each shard."""
    first = 0
    for number, shard in enumerate(old.shards):
        games = shard.index[old.is_used(number)]
        yield first + games["row"].astype(np.int64), games
        shard.forget_index()
        first += shard.rows


def _truncated(games: np.ndarray, lines: "_Lines") -> Iterator[tuple[int, int]]:
    ends = np.flatnonzero(np.append(games["opening_hash"][1:] != games["opening_hash"][:-1], True)) + 1
    start = 0
    for end in ends.tolist() if len(games) else []:
        yield from find_truncated(games["label"][start:end], [lines[i] for i in range(start, end)])
        start = end


class _Lines:
    """The canonical moves of games, KEY (n,), in a file."""

    def __init__(self, old: DataSet, new: NewGames, games: np.ndarray, folder: Path):
        order = np.argsort(games["label"], kind="stable")
        labels = games["label"][order]
        self._place = np.zeros((len(games), 2), np.int64)            # start and end in the file, in bytes
        path, at = folder / "lines", 0
        with open(path, "wb") as file:
            for found, arrays in (*_old_games(old, labels[labels < new.first_label]),
                                  *new.games(labels[labels >= new.first_label])):
                rows = order[np.searchsorted(labels, found)]
                for row, line in zip(rows, canonical_lines(arrays), strict=True):
                    file.write(line)
                    self._place[row] = at, at + len(line)
                    at += len(line)
        self._file = open(path, "rb")

    def __getitem__(self, row: int) -> bytes:
        start, end = self._place[row].tolist()
        self._file.seek(start)
        return self._file.read(end - start)

    def close(self) -> None:
        self._file.close()


def _old_games(old: DataSet, labels: np.ndarray) -> Iterator[tuple[np.ndarray, GameArrays]]:
    """(labels, games) of games of a data set, some at a time."""
    first = 0
    for shard in old.shards:
        of_shard = labels[(first <= labels) & (labels < first + shard.rows)]
        entries = np.searchsorted(shard.index["row"], of_shard - first).astype(np.int32)
        first += shard.rows
        games = GameSelection((shard,), np.zeros(len(entries), np.int32), entries)
        for start in range(0, len(entries), CHUNK):
            yield of_shard[start:start + CHUNK], games.arrays(slice(start, start + CHUNK))
