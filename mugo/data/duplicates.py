"""Which games are duplicates: the new ones among each other and among those of a data set.

    game_id    0 1 2 ...            first_id ...
               games of the shards  games of the parts        in the order of their rows

Copies of a game have its game hash.  A truncated copy has its opening hash, and is the beginning of its moves.  Of
copies the one with the lowest game_id is kept, and of games with one beginning the longest; so a new game can take the
place of an old one.

A truncated copy is found by its game hash, which is one of the prefix hashes of the whole game.  28 bytes per game are
in memory, as much again while they are sorted.
"""
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mugo.data.dataset import DataSet
from mugo.data import game_hash
from mugo.data.game_hash import OPENING_MOVES
from mugo.data.unmerged import NewGames
from mugo.data.selection import CHUNK, GameSelection
from mugo.data.shards import GameArrays, Shard, ranges
from mugo.games.coords import symmetries

KEY = np.dtype([("opening_hash", "<u8"), ("game_hash", "<u8"), ("game_id", "<i8"), ("num_moves", "<i4")])


class Duplicates(NamedTuple):
    """Duplicates by ascending game_id, and the games that they repeat; int64 and bool (n,)."""

    game_id: np.ndarray
    original: np.ndarray                 # the game_id of the game that is kept
    is_truncated: np.ndarray             # whether it is the beginning of that game, not all of it

    def among(self, game_ids: range) -> "Duplicates":
        """Those with a game_id in a range."""
        start, end = np.searchsorted(self.game_id, [game_ids.start, game_ids.stop])
        return Duplicates(self.game_id[start:end], self.original[start:end], self.is_truncated[start:end])


def find_duplicates(old: DataSet, new: NewGames) -> Duplicates:
    """The duplicates among the used games of a data set and new ones."""
    if not new.rows:
        return Duplicates(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, bool))
    keys = _keys(old, new)
    copy, original = _copies(keys[_sharing(keys["game_hash"])])
    games = keys[_sharing(keys["opening_hash"])]
    games = _with_new_games(games[~np.isin(games["game_id"], copy)], new.first_id)
    truncated, whole = _truncated(old, new, games)
    game_id = np.concatenate([copy, truncated])
    order = np.argsort(game_id, kind="stable")
    return Duplicates(game_id[order], np.concatenate([original, whole])[order], order >= len(copy))


def _keys(old: DataSet, new: NewGames) -> np.ndarray:
    """KEY (n,): the used games of a data set and the new ones, by ascending game_id."""
    keys = np.empty(new.first_id + new.rows, KEY)
    first = end = 0

    def add(games, game_ids: np.ndarray) -> None:
        nonlocal end
        rows = keys[end:end + len(game_ids)]
        end += len(game_ids)
        rows["game_id"] = game_ids
        for name in ("opening_hash", "game_hash", "num_moves"):
            rows[name] = games[name]

    for number, shard in enumerate(old.shards):
        games = shard.index[old.is_used(number)]
        add(games, first + games["row"].astype(np.int64))
        first += shard.rows
    for table in new.tables(["opening_hash", "game_hash", "num_moves", "reject_reason"]):
        legal = table[table["reject_reason"] == ""]
        add(legal, legal.index.to_numpy())
    return keys[:end]


def _sharing(hashes: np.ndarray) -> np.ndarray:
    """The rows whose hash another row has too, by hash and row: int64 (k,) of uint64 (n,)."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    is_same = ordered[1:] == ordered[:-1]
    return order[np.append(is_same, False) | np.insert(is_same, 0, False)] if len(order) else order


def _copies(games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the game_id of each game that is a copy, rotated, reflected or with colours exchanged, of one with a lower
    game_id, that game_id), both int64.

    games: KEY (n,), those with equal hashes by ascending game_id.
    """
    _, first, group = np.unique(games["game_hash"], return_index=True, return_inverse=True)
    original = games["game_id"][first[group]]
    is_copy = original != games["game_id"]
    return games["game_id"][is_copy], original[is_copy]


def _with_new_games(games: np.ndarray, first_new: int) -> np.ndarray:
    """The games that share their opening with another one, if one of these has a game_id of at least first_new.

    games: KEY (n,), without copies.  Returned: the longest first, then by game_id.
    """
    _, group, count = np.unique(games["opening_hash"], return_inverse=True, return_counts=True)
    has_new = np.zeros(len(count), bool)
    has_new[group[games["game_id"] >= first_new]] = True
    games = games[(count > 1)[group] & has_new[group]]
    return games[np.lexsort((games["game_id"], -games["num_moves"].astype(np.int64)))]


def _truncated(old: DataSet, new: NewGames, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the game_id of each game that is the beginning of another one, that of the longest such game), both int64.

    games: as in _with_new_games.
    """
    by_hash, by_id = (np.argsort(games[name]) for name in ("game_hash", "game_id"))
    hashes, game_ids = games["game_hash"][by_hash], games["game_id"][by_id]
    whole = np.full(len(games), len(games))              # the row of the longest game that begins with this one
    for found_ids, arrays in _games(old, new, game_ids):
        prefixes = list(_prefixes(arrays))
        rows = np.repeat(by_id[np.searchsorted(game_ids, found_ids)], list(map(len, prefixes)))
        prefix = np.concatenate(prefixes)
        beginning = by_hash[np.minimum(np.searchsorted(hashes, prefix), len(games) - 1)]
        is_found = ((games["game_hash"][beginning] == prefix)
                    & (games["opening_hash"][beginning] == games["opening_hash"][rows]))
        np.minimum.at(whole, beginning[is_found], rows[is_found])
    is_truncated = whole < len(games)
    return games["game_id"][is_truncated], games["game_id"][whole[is_truncated]]


def _games(old: DataSet, new: NewGames, game_ids: np.ndarray) -> Iterator[tuple[np.ndarray, GameArrays]]:
    """(game_ids, games) of games with these ids, which are ascending, some at a time."""
    for shard, of_shard, rows in by_shard(old, game_ids):
        entries = np.searchsorted(shard.index["row"], rows).astype(np.int32)
        games = GameSelection((shard,), np.zeros(len(entries), np.int32), entries)
        for start, arrays in zip(range(0, len(entries), CHUNK), games.chunks(), strict=True):
            yield of_shard[start:start + CHUNK], arrays
    yield from new.games(game_ids[game_ids >= new.first_id])


def by_shard(old: DataSet, game_ids: np.ndarray) -> Iterator[tuple[Shard, np.ndarray, np.ndarray]]:
    """(shard, ids of its games, their rows in its table), where it has some of these ids, which are ascending."""
    first = 0
    for shard in old.shards:
        start, end = np.searchsorted(game_ids, [first, first + shard.rows])
        if start < end:
            yield shard, game_ids[start:end], game_ids[start:end] - first
        first += shard.rows


def _prefixes(games: GameArrays) -> Iterator[np.ndarray]:
    """The prefix hashes of each game from OPENING_MOVES on, except that of the whole game."""
    for record, setup_start, setup_end, start, count in zip(games.games, *ranges(games.games), strict=True):
        size = int(record["size"])
        yield game_hash.prefix_hashes(size, games.setup[setup_start:setup_end], games.moves[start:start + count],
                            symmetries(size))[OPENING_MOVES:-1]
