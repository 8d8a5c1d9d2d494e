"""Copies of training games among the test games of a data set.

    python benchmarks/duplicates.py DATASET                        # a minute for 144,000 games

Copies: games with the same first 40 moves (all moves of a shorter game) under one of the eight symmetries, with either
colour; found by brute force in plain Python, without data/game_hash.py.  There should be none.

Near copies: test games that differ from a training game in at most one of the first 40 moves.
"""
import argparse
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from mugo.data import dataset, game_hash
from mugo.data.shards import GameArrays, ranges
from mugo.games.coords import WHITE_BIT, symmetries

MOVES = 40


# ---- copies, in plain Python

def copy_tables(size: int) -> list[dict[int, int]]:
    """The 16 copies of a game on a board of this size, each as a table {encoded move: encoded move}."""
    last = size - 1
    symmetry_maps = [lambda row, col: (row, col), lambda row, col: (col, last - row),
                     lambda row, col: (last - row, last - col), lambda row, col: (last - col, row)]
    symmetry_maps += [lambda row, col, symmetry=symmetry: symmetry(col, row) for symmetry in symmetry_maps]
    tables = []
    for symmetry in symmetry_maps:
        place = {size * size: size * size}                   # a pass
        for row in range(size):
            for col in range(size):
                to_row, to_col = symmetry(row, col)
                place[row * size + col] = to_row * size + to_col
        both_colours = place | {index + WHITE_BIT: to + WHITE_BIT for index, to in place.items()}
        tables.append(both_colours)
        tables.append({move: to ^ WHITE_BIT for move, to in both_colours.items()})
    return tables


def canonical(size: int, setup: list[int], moves: list[int], tables: list[dict[int, int]]) -> tuple:
    """(size, setup, moves) of the copy of a game that is first in lexicographic order.

    The canonical form of a game's beginning is the beginning of its canonical form.
    """
    return size, *min((tuple(sorted(table[stone] for stone in setup)), tuple(table[move] for move in moves))
                      for table in tables)


def strip_passes(size: int, moves: list[int]) -> list[int]:
    """The moves without the passes at the end."""
    played = len(moves)
    while played and moves[played - 1] % WHITE_BIT == size * size:
        played -= 1
    return moves[:played]


def canonical_openings(games: GameArrays) -> Iterator[tuple]:
    """The canonical form of the first MOVES moves of each game."""
    tables = {size: copy_tables(size) for size in np.unique(games.games["size"]).tolist()}
    for size, (start, end, first, last) in zip(games.games["size"].tolist(), array_ranges(games).tolist(), strict=True):
        moves = strip_passes(size, games.moves[first:last].tolist())[:MOVES]
        yield canonical(size, games.setup[start:end].tolist(), moves, tables[size])


def copies_between(test: list[tuple], train: list[tuple]) -> tuple[int, int]:
    """(pairs of equal openings of MOVES moves, shorter games that are the beginning of a game of the other list).

    test, train: canonical openings.
    """
    frequency = Counter(opening for opening in train if len(opening[2]) == MOVES)
    pairs = sum(frequency[opening] for opening in test if len(opening[2]) == MOVES)
    truncated = 0
    for short, long in ((test, train), (train, test)):
        lengths = {len(opening[2]) for opening in short if len(opening[2]) < MOVES}
        beginnings = {(size, setup, moves[:n]) for size, setup, moves in long for n in lengths if len(moves) >= n}
        truncated += sum(opening in beginnings for opening in short if len(opening[2]) < MOVES)
    return pairs, truncated


# ---- near copies, compiled

@njit
def opening_keys(size, setup, moves, symmetry, colour_flip, keys):
    """Write to keys, uint64 (MOVES,), hashes of a game's first MOVES moves without the first, the second, ... one.

    symmetry, colour_flip: which copy of the game; see game_hash.transform_move.
    """
    total = np.uint64(size)
    for i in range(len(setup)):
        stone = symmetry[setup[i] & (WHITE_BIT - 1)] | ((setup[i] & WHITE_BIT) ^ colour_flip)
        total += game_hash.splitmix64(np.uint64(stone + (1 << 32)))
    for k in range(MOVES):
        move = symmetry[moves[k] & (WHITE_BIT - 1)] | ((moves[k] & WHITE_BIT) ^ colour_flip)
        keys[k] = game_hash.splitmix64(np.uint64(move + (k << 16)))
        total += keys[k]
    for k in range(MOVES):
        keys[k] = game_hash.splitmix64(total - keys[k] + np.uint64(k))


@njit
def all_opening_keys(size, setup, moves, games, symmetry_tables):
    """`opening_keys` of all games, uint64 (games, copies, MOVES); both colours if there is more than one symmetry.

    games: int64 (n, 4), see `array_ranges`.
    """
    colours = 2 if len(symmetry_tables) > 1 else 1
    keys = np.empty((len(games), len(symmetry_tables) * colours, MOVES), np.uint64)
    for g in range(len(games)):
        of_setup, of_moves = setup[games[g, 0]:games[g, 1]], moves[games[g, 2]:games[g, 3]]
        for t in range(len(symmetry_tables)):
            for c in range(colours):
                opening_keys(size, of_setup, of_moves, symmetry_tables[t], c * WHITE_BIT, keys[g, t * colours + c])
    return keys


def array_ranges(games: GameArrays, rows: Any = slice(None)) -> np.ndarray:
    """int64 (n, 4): start and end of each game's setup, start and end of its moves, in the arrays."""
    start, end, first, count = ranges(games.games)
    return np.stack([start, end, first, first + count], 1)[rows]


def near_copies(size: int, test: GameArrays, train: GameArrays) -> np.ndarray:
    """bool (test games,): whether a training game differs in at most one of the first MOVES moves."""
    symmetry_tables = symmetries(size)
    long, long_train = (games.games["num_moves"] >= MOVES for games in (test, train))
    test_keys = all_opening_keys(size, test.setup, test.moves, array_ranges(test, long), symmetry_tables)
    train_keys = all_opening_keys(size, train.setup, train.moves, array_ranges(train, long_train), symmetry_tables[:1])
    found = np.zeros(len(test.games), bool)
    found[long] = np.isin(test_keys, np.intersect1d(test_keys, train_keys)).any((1, 2))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", metavar="DATASET")
    args = parser.parse_args()
    data = dataset.load_dataset(args.dataset)
    train_openings, test_openings = (list(canonical_openings(data.selection(split).arrays()))
                                     for split in ("train", "test"))
    pairs, truncated = copies_between(test_openings, train_openings)
    print(f"{len(test_openings):,} test games and {len(train_openings):,} training games: {pairs:,} pairs "
          f"share their first {MOVES} moves, under any symmetry, with either colour; "
          f"{truncated:,} shorter games are the beginning of one of the other split")
    test = data.positions("test")
    test_games, train_games = test.games.arrays(), data.selection("train", test.size).arrays()
    near = near_copies(test.size, test_games, train_games)
    print(f"{near.sum():,} test games on {test.size}x{test.size} differ from a training game in at most one of the "
          f"first {MOVES} moves ({near.mean():.2%})")


if __name__ == "__main__":
    main()
