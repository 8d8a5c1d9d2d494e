"""Copies of training games in another split, which the split itself cannot keep out.  Compiled.

A game's first OPENING_MOVES moves decide its split, so a copy that differs in one of them can be in another split.

    moves 1-40      another order, a wrong or missing stone, handicap stones set up or played
    moves 41-80     those of the other game, in any order                        -> a copy
    a game of 20 to 39 moves: its moves are the first moves of the other game    -> a copy

Both under any symmetry, with either colour.  Not found: a copy of 40 to 79 moves with another opening, and one in which
a move was left out or added.  benchmarks/duplicates.py compares by brute force, and boards instead of moves.
"""
from typing import NamedTuple

import numpy as np

from mugo.core.jit import kernel
from mugo.data.game_hash import OPENING_MOVES, canonicalize, splitmix64, transform_move, without_last_passes
from mugo.data.shards import GameArrays, ranges
from mugo.data.selection import GameSelection
from mugo.games.coords import WHITE_BIT, symmetries

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
