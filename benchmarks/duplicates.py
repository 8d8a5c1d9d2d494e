"""Copies of training games among the test games of a data set.

    python benchmarks/duplicates.py DATASET                        # a minute for 144,000 games
    python benchmarks/duplicates.py DATASET --network policy-19    # is it more accurate on known boards?

Copies: games with the same first 40 moves (all moves of a shorter game) under one of the eight symmetries, with either
colour; found by brute force in plain Python, without data/game_hash.py.  There should be none.

    near copies     test games that differ from a training game in at most one of the first 40 moves
    known boards    test positions whose board, seen by the side to move, under any symmetry, occurs in a
                    training game; and how often the most frequent move of the training games is the move
                    played: the accuracy of memorising them

Openings are common to many games, so known boards are no error of the split; they show what accuracy in the opening
means.  (On a symmetric board a move and its mirror image count as the same move.)
"""
import argparse
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numba import njit

from mugo.data import dataset, game_hash
from mugo.data.game_index import GameArrays, ranges
from mugo.data.positions import Positions
from mugo.games.board import BLACK, clear, index_of, new_boards, play, set_to_play
from mugo.games.coords import WHITE_BIT, symmetries
from mugo.games.replay import decode, set_up
from mugo.core.intervals import mean_and_standard_error
from mugo.nn.inference import Network
from mugo.plots.text_table import format_table
from mugo.training.predictions import predict_positions

MOVES = 40
LATE = 60                                # moves; a board in common after them is no coincidence
EARLY, POSITIONS = 50, 5000              # a network is evaluated on so many positions of the first moves
PHASES = ((1, 10), (11, 20), (21, 30), (31, 50), (51, 100), (101, 10_000))


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


# ---- near copies and known boards, compiled

@njit
def opening_keys(size, setup, moves, symmetry, colour_flip, keys):
    """Write to keys, uint64 (MOVES,), hashes of a game\'s first MOVES moves without the first, the second, ... one.

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


@njit
def position_keys(size, setup, moves, games, symmetry_tables, random, boards):
    """(keys uint64, moves_played int32, numbers int16) of every position before a move.

    A key is a Zobrist hash of the board, the smallest over the eight symmetries; it knows own and opponent\'s stones,
    not colours.  moves_played: move indices under that symmetry.  numbers: of the moves, from 1.
    games: see `array_ranges`.  random: uint64 (2, size²).  boards: of board.new_boards(1).
    """
    total = 0
    for g in range(len(games)):
        total += games[g, 3] - games[g, 2]
    keys = np.empty(total, np.uint64)
    moves_played = np.empty(total, np.int32)
    numbers = np.empty(total, np.int16)
    b = boards[0]
    sums = np.zeros((8, 2), np.uint64)   # of each symmetry: for Black to move, for White to move
    n = 0
    for g in range(len(games)):
        clear(b, size, size)
        set_up(b, setup[games[g, 0]:games[g, 1]])
        empty = -1                       # forces a new sum, as a capture does
        p, c = 0, 0
        for k in range(games[g, 2], games[g, 3]):
            if p == 0 or b.n_empty != empty - 1:
                sums[:] = 0
                for row in range(1, size + 1):
                    for q in range(row * b.width + 1, row * b.width + size + 1):
                        if b.colour[q]:
                            add_stone(sums, index_of(b, q), b.colour[q], symmetry_tables, random)
            else:
                add_stone(sums, index_of(b, p), c, symmetry_tables, random)
            index = np.int64(moves[k]) & (WHITE_BIT - 1)
            p, c = decode(b, moves[k])
            viewer = 0 if c == BLACK else 1
            key, move_played = sums[0, viewer], symmetry_tables[0, index]
            for t in range(1, 8):
                key_t = sums[t, viewer]
                if key_t < key or (key_t == key and symmetry_tables[t, index] < move_played):
                    key, move_played = key_t, symmetry_tables[t, index]
            keys[n], moves_played[n], numbers[n] = key, move_played, k - games[g, 2] + 1
            n += 1
            set_to_play(b, c)
            empty = b.n_empty
            play(b, p, c)
    return keys, moves_played, numbers


@njit
def add_stone(sums, index, colour, symmetry_tables, random):
    """Add a stone on a move index to the sums of all symmetries, for either side to move."""
    black = 0 if colour == BLACK else 1
    for t in range(8):
        sums[t, 0] += random[black, symmetry_tables[t, index]]
        sums[t, 1] += random[1 - black, symmetry_tables[t, index]]


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


def known_boards(size: int, test: GameArrays, train: GameArrays) -> pd.DataFrame:
    """One row per test position: game (its number), number of the move, known (whether the board occurs in a training
    game), predicted (whether the most frequent move there is the move played)."""
    random = np.random.default_rng(2016).integers(0, 2**64, (2, size ** 2), np.uint64)

    def keys_of(games: GameArrays, rows: slice = slice(None)) -> tuple[np.ndarray, ...]:
        return position_keys(size, games.setup, games.moves, array_ranges(games, rows), symmetries(size), random,
                             new_boards(1))

    keys, moves_played, numbers = keys_of(test)
    distinct = np.unique(keys)
    shared_tables = []
    for start in range(0, len(train.games), 10_000):        # 2 million positions at a time
        train_keys, train_moves, _ = keys_of(train, slice(start, start + 10_000))
        shared = np.isin(train_keys, distinct)
        shared_tables.append(pd.DataFrame({"key": train_keys[shared], "move": train_moves[shared]}))
    frequency = pd.concat(shared_tables).value_counts().reset_index()
    frequency = frequency.sort_values(["count", "move"], ascending=[False, True])
    frequent_move_of = frequency.drop_duplicates("key").set_index("key")["move"]
    of_game = np.repeat(np.arange(len(test.games)), test.games["num_moves"])
    frequent_move = pd.Series(keys).map(frequent_move_of)
    return pd.DataFrame({"game": of_game, "number": numbers, "known": frequent_move.notna(),
                         "predicted": frequent_move == moves_played})


def by_phase(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for low, high in PHASES:
        part = rows[rows["number"].between(low, high)]
        if len(part):
            yield f"moves {low}-{high}" if high < PHASES[-1][1] else f"moves {low} on", part


def accuracy_where_known(network: Network, positions: Positions, rows: pd.DataFrame) -> list[list[str]]:
    """The rows of a table: top-1 accuracy on POSITIONS positions of the opening, on known and on other boards."""
    early = np.flatnonzero(rows["number"] <= EARLY)
    numbers = np.random.default_rng(0).choice(early, min(POSITIONS, len(early)), replace=False)
    predicted = predict_positions(network, positions, numbers, symmetries=False)
    rows = rows.iloc[numbers].assign(top1=predicted["top1"].to_numpy())
    lines = [[f"{network.name}, top-1 %", "known", "±", "positions", "others", "±", "positions"]]
    for name, part in by_phase(rows):
        cells = []
        for of_these in (part[part["known"]], part[~part["known"]]):
            mean, error = mean_and_standard_error(of_these["top1"].to_numpy(), of_these["game"].to_numpy())
            cells += [f"{100 * mean:.1f}", f"{100 * error:.1f}", f"{len(of_these):,}"]
        lines.append([name, *cells])
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", metavar="DATASET")
    parser.add_argument("--network", metavar="NETWORK",
                        help="evaluate its top-1 accuracy on known boards and on others")
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
    rows = known_boards(test.size, test_games, train_games)
    header = ["test positions", "", "board known", "memory right if known", "memory right"]
    lines = [header, *([name, f"{len(part):,}", *(f"{share:.2%}" for share in (
        part["known"].mean(), part.loc[part["known"], "predicted"].mean(), part["predicted"].mean()))]
        for name, part in by_phase(rows))]
    print("\n".join(["", *format_table(lines)]))
    if args.network:
        print("\n".join(["", *format_table(accuracy_where_known(Network(args.network), test, rows))]))
    late = rows[rows["known"] & (rows["number"] > LATE)].groupby("game").size()
    files = test.games.take(late.index[:5]).table(["file"])["file"]
    print(f"\n{len(late):,} test games come to boards of training games after move {LATE}"
          + (f": {', '.join(files)}{', ...' * (len(late) > 5)}" if len(late) else ""))


if __name__ == "__main__":
    main()
