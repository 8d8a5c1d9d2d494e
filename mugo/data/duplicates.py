"""Which games are duplicates: the new ones among each other and among those of a data set.

    game_id    0 1 2 ...            first_id ...
               games of the shards  games of the parts        in the order of their rows

Copies of a game have its game hash.  A truncated copy has its opening hash, and is the beginning of its moves.  Of
copies the one with the lowest game_id is kept, and of games with one beginning the longest; so a new game can take the
place of an old one.

A truncated copy is found by its game hash, which is one of the prefix hashes of the whole game.  28 bytes per game are
in memory, as much again while they are sorted.

find_copies: copies of training games in another split, which the split itself cannot keep out.  A game's first
OPENING_MOVES moves decide its split, so a copy that differs in one of them can be in another split.

    moves 1-40      another order, a wrong or missing stone, handicap stones set up or played
    moves 41-80     those of the other game, in any order                        -> a copy
    a game of 20 to 39 moves: its moves are the first moves of the other game    -> a copy

Both under any symmetry, with either colour.  Not found: a copy of 40 to 79 moves with another opening, and one in which
a move was left out or added.  benchmarks/duplicates.py compares by brute force, and boards instead of moves.
"""
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mugo.core.jit import kernel
from mugo.data.dataset import DataSet
from mugo.data import game_hash
from mugo.data.game_hash import OPENING_MOVES, canonicalize, splitmix64, transform_move, without_last_passes
from mugo.data.unmerged import NewGames
from mugo.data.selection import CHUNK, GameSelection
from mugo.data.shards import GameArrays, Shard, ranges
from mugo.games.coords import WHITE_BIT, symmetries

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


COPIES = 16                              # of a game: 8 symmetries, in the colours of the record and exchanged
MIN_MOVES = 20                           # shorter games are the beginning of many; `preprocess` leaves them out


def find_copies(games: GameSelection, others: GameSelection) -> np.ndarray:
    """Which of `games` copy one of `others`, see above: bool (n,).  Some of `others` are in memory at a time."""
    found = np.zeros(len(games), bool)
    sizes, other_sizes = games.column("size"), others.column("size")
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        mine = _hashes(int(size), games.arrays(rows), COPIES)
        for chunk in others.take(other_sizes == size).chunks():
            found[rows] |= _copied(mine, _hashes(int(size), chunk, 1))
    return found


class _Hashes(NamedTuple):
    continuations: np.ndarray            # uint64 (n, copies); 0: none
    lengths: np.ndarray                  # int64 (n,)
    beginnings: np.ndarray               # uint64 (n, OPENING_MOVES)


def _hashes(size: int, games: GameArrays, copies: int) -> _Hashes:
    tables = symmetries(size)
    setup_start, setup_end, start, count = ranges(games.games)
    return _Hashes(_continuation_hashes(size, games.moves, start, count, tables, copies),
                   *_beginning_hashes(size, games.setup, games.moves, setup_start, setup_end, start, count, tables))


def _copied(mine: _Hashes, others: _Hashes) -> np.ndarray:
    """Which of the games with the first hashes, of all copies, copy one of those with the second: bool (n,)."""
    same = np.asarray(_is_shared(mine.continuations, others.continuations[others.continuations != 0]).any(axis=1))
    for n in range(MIN_MOVES, OPENING_MOVES):
        for first, second in ((mine.lengths == n, others.lengths >= n), (mine.lengths >= n, others.lengths == n)):
            if first.any() and second.any():
                same[first] |= _is_shared(mine.beginnings[first, n], others.beginnings[second, n])
    return same


def _is_shared(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """np.isin(ours, theirs), which sorts both together; this sorts the shorter one."""
    if ours.size < theirs.size:
        theirs = theirs[_is_shared(theirs, ours)]
    ordered = np.append(np.sort(theirs, axis=None), np.uint64(0))        # a last one, for those beyond the greatest
    at = np.searchsorted(ordered[:-1], ours)
    return (ordered[at] == ours) & (at < theirs.size)


@kernel
def _continuation_hashes(size, moves, move_start, num_moves, tables, copies):
    """Hashes of each game's moves 41 to 80 in any order, of the first of its COPIES: uint64 (n, copies); 0 for a
    shorter game.  Of two games that are copies, one of the 16 hashes of either is the first of the other."""
    out = np.zeros((len(num_moves), copies), np.uint64)
    for g in range(len(num_moves)):
        if len(without_last_passes(size, moves[move_start[g]:move_start[g] + num_moves[g]])) < 2 * OPENING_MOVES:
            continue
        for copy in range(copies):
            for i in range(move_start[g] + OPENING_MOVES, move_start[g] + 2 * OPENING_MOVES):
                move = transform_move(moves[i], tables[copy % 8], WHITE_BIT * (copy // 8))
                out[g, copy] += splitmix64(np.uint64(move))
    return out


@kernel
def _beginning_hashes(size, setup, moves, setup_start, setup_end, move_start, num_moves, tables):
    """(moves without passes at the end, int64 (n,); hashes of each game's first k moves, uint64 (n, OPENING_MOVES))."""
    lengths = np.empty(len(num_moves), np.int64)
    out = np.zeros((len(num_moves), OPENING_MOVES), np.uint64)
    line = np.empty(OPENING_MOVES, np.int16)
    for g in range(len(num_moves)):
        played = without_last_passes(size, moves[move_start[g]:move_start[g] + num_moves[g]])
        lengths[g] = len(played)
        beginning = played[:OPENING_MOVES]
        n = len(beginning)
        h = splitmix64(canonicalize(size, setup[setup_start[g]:setup_end[g]], beginning, tables, line))
        for k in range(n):
            out[g, k] = h
            h = splitmix64(h ^ np.uint64(line[k]))
        if n < OPENING_MOVES:
            out[g, n] = h
    return lengths, out
