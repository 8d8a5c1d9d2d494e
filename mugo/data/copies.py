"""Copies of training games in another split, which the split itself cannot keep out.  Compiled.

A game's first OPENING_MOVES moves decide its split, so a copy that differs in one of them can be in another split.

    moves 1-40      another order, a wrong or missing stone, handicap stones set up or played
    moves 41-80     those of the other game, in any order                        -> a copy
    a game of 20 to 39 moves: its moves are the first moves of the other game    -> a copy

Both under any symmetry, with either colour.  Not found: a copy of 40 to 79 moves with another opening, and one in which
a move was left out or added.  benchmarks/duplicates.py compares by brute force, and boards instead of moves.
"""
import numpy as np
import pandas as pd
from numba import njit

from mugo.data.dataset import DataSet
from mugo.data.game_hash import OPENING_MOVES, canonicalize, splitmix64, transform_move
from mugo.data.positions import game_ranges
from mugo.games.coords import WHITE_BIT, symmetries

MIN_MOVES = 20                           # shorter games are the beginning of many; `preprocess` leaves them out


def find_copies(data: DataSet, games: pd.DataFrame, others: pd.DataFrame) -> np.ndarray:
    """Which of `games` copy one of `others`, see above: bool (n,).  Both are rows of data.games."""
    found = np.zeros(len(games), bool)
    for size in games["size"].unique():
        of_size = (games["size"] == size).to_numpy()
        tables = symmetries(int(size))
        first, second = (game_ranges(part) for part in (games[of_size], others[others["size"] == size]))
        continuations = [_continuation_hashes(size ** 2, data.moves, *ranges[2:], tables) for ranges in (first, second)]
        same = np.isin(continuations[0], continuations[1]) & (continuations[0] != 0)
        lengths, beginnings = _beginning_hashes(size, data.setup, data.moves, *first, tables)
        other_lengths, other_beginnings = _beginning_hashes(size, data.setup, data.moves, *second, tables)
        for n in range(MIN_MOVES, OPENING_MOVES):
            for mine, theirs in ((lengths == n, other_lengths >= n), (lengths >= n, other_lengths == n)):
                if mine.any() and theirs.any():
                    same[mine] |= np.isin(beginnings[mine, n], other_beginnings[theirs, n])
        found[of_size] = same
    return found


@njit(cache=True, nogil=True)
def _length(pass_index, moves, start, count):
    """The number of a game's moves without the passes at its end."""
    while count and np.int64(moves[start + count - 1]) & (WHITE_BIT - 1) == pass_index:
        count -= 1
    return count


@njit(cache=True, nogil=True)
def _continuation_hashes(pass_index, moves, move_start, num_moves, tables):
    """A hash of each game's moves 41 to 80 in any order, the smallest of its 16 copies; 0 for a shorter game."""
    out = np.zeros(len(num_moves), np.uint64)
    for g in range(len(num_moves)):
        if _length(pass_index, moves, move_start[g], num_moves[g]) < 2 * OPENING_MOVES:
            continue
        for s in range(8):
            for colour_flip in (0, WHITE_BIT):
                h = np.uint64(0)
                for i in range(move_start[g] + OPENING_MOVES, move_start[g] + 2 * OPENING_MOVES):
                    h += splitmix64(np.uint64(transform_move(moves[i], tables[s], colour_flip)))
                if (s == 0 and colour_flip == 0) or h < out[g]:
                    out[g] = h
    return out


@njit(cache=True, nogil=True)
def _beginning_hashes(size, setup, moves, setup_start, setup_end, move_start, num_moves, tables):
    """(moves without passes at the end, int64 (n,); hashes of each game's first k moves, uint64 (n, OPENING_MOVES))."""
    lengths = np.empty(len(num_moves), np.int64)
    out = np.zeros((len(num_moves), OPENING_MOVES), np.uint64)
    line = np.empty(OPENING_MOVES, np.int16)
    for g in range(len(num_moves)):
        lengths[g] = _length(size * size, moves, move_start[g], num_moves[g])
        n = min(lengths[g], OPENING_MOVES)
        beginning = moves[move_start[g]:move_start[g] + n]
        h = splitmix64(canonicalize(size, setup[setup_start[g]:setup_end[g]], beginning, tables, line))
        for k in range(n):
            out[g, k] = h
            h = splitmix64(h ^ np.uint64(line[k]))
        if n < OPENING_MOVES:
            out[g, n] = h
    return lengths, out
