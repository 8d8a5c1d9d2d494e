"""How far the test games of a data set are from its training games.

    python benchmarks/duplicates.py DATASET                        # a minute for 144,000 games
    python benchmarks/duplicates.py DATASET --network policy-19    # is it better where boards are known?

Copies: games that share their first 40 moves (or all, of shorter ones) turned, mirrored or recoloured,
found by brute force in plain Python, with nothing of `game_hash.game_hashes`.  There should be none.

    near copies     test games of which a training game differs in one of the first 40 moves at most
    known boards    test positions whose board, for the side to move, came up in a training game, however
                    it is turned and whoever is whose; and how often the training games' most frequent
                    answer is the move played: what memory alone predicts

Openings are everyone's, so known boards are no fault of a split.  They say what early accuracy is worth.
(On a board that is its own mirror image memory need not choose between a move and its mirror image.)
"""
import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numba import njit

from mugo.data import dataset, game_hash
from mugo.data.positions import Positions
from mugo.games.board import BLACK, clear, decode, give_turn, index_of, new_boards, play, set_up
from mugo.games.coords import WHITE_BIT, symmetries
from mugo.intervals import mean_and_standard_error
from mugo.nn.inference import Network
from mugo.plots import diagrams
from mugo.training.predictions import scores

MOVES = 40
LATE = 60                                # after so many moves a board in common is no accident
EARLY, POSITIONS = 50, 5000              # what a network is asked about
PHASES = ((1, 10), (11, 20), (21, 30), (31, 50), (51, 100), (101, 10_000))


# ---- copies, in plain Python

def copies(size: int) -> list[dict[int, int]]:
    """The 16 ways to copy a game on a board of this size: coded move -> coded move."""
    last = size - 1
    turns = [lambda row, col: (row, col), lambda row, col: (col, last - row),
             lambda row, col: (last - row, last - col), lambda row, col: (last - col, row)]
    turns += [lambda row, col, turn=turn: turn(col, row) for turn in turns]
    ways = []
    for turn in turns:
        place = {size * size: size * size}                   # a pass
        for row in range(size):
            for col in range(size):
                to_row, to_col = turn(row, col)
                place[row * size + col] = to_row * size + to_col
        black_and_white = place | {index + WHITE_BIT: to + WHITE_BIT for index, to in place.items()}
        ways.append(black_and_white)
        ways.append({move: to ^ WHITE_BIT for move, to in black_and_white.items()})
    return ways


def canonical(size: int, setup: list[int], moves: list[int], ways: list[dict[int, int]]) -> tuple:
    """(size, setup, moves) of that copy of a game which comes first in order.

    So the canonical form of a game's beginning is the beginning of its canonical form.
    """
    return size, *min((tuple(sorted(way[stone] for stone in setup)), tuple(way[move] for move in moves))
                      for way in ways)


def without_passes_at_the_end(size: int, moves: list[int]) -> list[int]:
    played = len(moves)
    while played and moves[played - 1] % WHITE_BIT == size * size:
        played -= 1
    return moves[:played]


def canonical_openings(data: dataset.DataSet, games: pd.DataFrame) -> Iterator[tuple]:
    """The canonical form of the first MOVES moves of each game."""
    ways = {size: copies(size) for size in data.board_sizes()}
    for game in games.itertuples():
        moves = data.moves[game.move_start:game.move_start + game.num_moves].tolist()
        setup = data.setup[game.setup_start:game.setup_end].tolist()
        yield canonical(game.size, setup, without_passes_at_the_end(game.size, moves)[:MOVES], ways[game.size])


def copies_between(some: list[tuple], others: list[tuple]) -> tuple[int, int]:
    """Of two lists of canonical openings, the pairs that are the same for MOVES moves; and how many games
    of fewer moves, of either list, another of the other list begins with."""
    often = Counter(opening for opening in others if len(opening[2]) == MOVES)
    pairs = sum(often[opening] for opening in some if len(opening[2]) == MOVES)
    begun = 0
    for short, long in ((some, others), (others, some)):
        lengths = {len(opening[2]) for opening in short if len(opening[2]) < MOVES}
        beginnings = {(size, setup, moves[:n]) for size, setup, moves in long for n in lengths if len(moves) >= n}
        begun += sum(opening in beginnings for opening in short if len(opening[2]) < MOVES)
    return pairs, begun


# ---- near copies and known boards, compiled

@njit
def opening_keys(size, setup, moves, turn, recolour, keys):
    """Write to keys, uint64 (MOVES,), what stands for the first MOVES moves without the first, the second, ...,
    of the copy of a game that is turned and, with recolour WHITE_BIT, recoloured."""
    whole = np.uint64(size)
    for i in range(len(setup)):
        stone = turn[setup[i] & (WHITE_BIT - 1)] | ((setup[i] & WHITE_BIT) ^ recolour)
        whole += game_hash.splitmix64(np.uint64(stone + (1 << 32)))
    for k in range(MOVES):
        move = turn[moves[k] & (WHITE_BIT - 1)] | ((moves[k] & WHITE_BIT) ^ recolour)
        keys[k] = game_hash.splitmix64(np.uint64(move + (k << 16)))
        whole += keys[k]
    for k in range(MOVES):
        keys[k] = game_hash.splitmix64(whole - keys[k] + np.uint64(k))


@njit
def all_opening_keys(size, setup, moves, games, turns):
    """uint64 (games, copies, MOVES): `opening_keys` in all of turns, in both colours if these are eight.

    games: int64 (n, 4), see `places`.
    """
    colours = 2 if len(turns) > 1 else 1
    keys = np.empty((len(games), len(turns) * colours, MOVES), np.uint64)
    for g in range(len(games)):
        of_setup, of_moves = setup[games[g, 0]:games[g, 1]], moves[games[g, 2]:games[g, 3]]
        for t in range(len(turns)):
            for c in range(colours):
                opening_keys(size, of_setup, of_moves, turns[t], c * WHITE_BIT, keys[g, t * colours + c])
    return keys


@njit
def boards_of(size, setup, moves, games, turns, random, boards):
    """(uint64, int32, int16): of every position before a move, a key of its board that all copies of the board
    share, the move index played in the copy that the key is of, and the move's number, from 1.

    The key tells mine from theirs, not Black from White.  games: see `places`.
    random: uint64 (2, size²).  boards: one of board.new_boards.
    """
    total = 0
    for g in range(len(games)):
        total += games[g, 3] - games[g, 2]
    keys = np.empty(total, np.uint64)
    answers = np.empty(total, np.int32)
    numbers = np.empty(total, np.int16)
    b = boards[0]
    sums = np.zeros((8, 2), np.uint64)   # of each turn: as Black sees the board, as White does
    n = 0
    for g in range(len(games)):
        clear(b, size)
        set_up(b, setup[games[g, 0]:games[g, 1]])
        empty = -1                       # not what follows from a move that takes nothing
        p, c = 0, 0
        for k in range(games[g, 2], games[g, 3]):
            if p == 0 or b.n_empty != empty - 1:
                sums[:] = 0
                for row in range(1, size + 1):
                    for q in range(row * b.width + 1, row * b.width + size + 1):
                        if b.colour[q]:
                            add_stone(sums, index_of(b, q), b.colour[q], turns, random)
            else:
                add_stone(sums, index_of(b, p), c, turns, random)
            index = np.int64(moves[k]) & (WHITE_BIT - 1)
            p, c = decode(b, moves[k])
            seen_by = 0 if c == BLACK else 1
            key, answer = sums[0, seen_by], turns[0, index]
            for t in range(1, 8):
                turned = sums[t, seen_by]
                if turned < key or (turned == key and turns[t, index] < answer):
                    key, answer = turned, turns[t, index]
            keys[n], answers[n], numbers[n] = key, answer, k - games[g, 2] + 1
            n += 1
            give_turn(b, c)
            empty = b.n_empty
            play(b, p, c)
    return keys, answers, numbers


@njit
def add_stone(sums, index, colour, turns, random):
    """Add a stone on a move index to the sums of all turns, for both who may look at it."""
    black = 0 if colour == BLACK else 1
    for t in range(8):
        sums[t, 0] += random[black, turns[t, index]]
        sums[t, 1] += random[1 - black, turns[t, index]]


def places(games: pd.DataFrame) -> np.ndarray:
    """int64 (n, 4): where each game's setup starts and ends, and its moves."""
    return np.stack([games["setup_start"], games["setup_end"], games["move_start"],
                     games["move_start"] + games["num_moves"]], 1).astype(np.int64)


def near_copies(some: Positions, others: Positions) -> np.ndarray:
    """bool: of each game of some, whether one of others has the same first MOVES moves but for one at most."""
    turns = symmetries(some.size)
    long = (some.games["num_moves"] >= MOVES).to_numpy()
    mine = all_opening_keys(some.size, some.setup, some.moves, places(some.games[long]), turns)
    theirs = all_opening_keys(some.size, others.setup, others.moves,
                              places(others.games[others.games["num_moves"] >= MOVES]), turns[:1])
    found = np.zeros(len(some.games), bool)
    found[long] = np.isin(mine, np.intersect1d(mine, theirs)).any((1, 2))
    return found


def known_boards(some: Positions, others: Positions) -> pd.DataFrame:
    """One row for each position of some: the game (a row of some.games), the move's number, whether its board came
    up in others, and whether the most frequent answer there is the move played."""
    random = np.random.default_rng(2016).integers(0, 2**64, (2, some.size ** 2), np.uint64)

    def seen(positions: Positions, games: pd.DataFrame) -> tuple[np.ndarray, ...]:
        return boards_of(positions.size, positions.setup, positions.moves, places(games),
                         symmetries(positions.size), random, new_boards(1))

    keys, answers, numbers = seen(some, some.games)
    distinct = np.unique(keys)
    met = []
    for start in range(0, len(others.games), 10_000):        # 2 million positions at a time
        their_keys, their_answers, _ = seen(others, others.games.iloc[start:start + 10_000])
        shared = np.isin(their_keys, distinct)
        met.append(pd.DataFrame({"key": their_keys[shared], "answer": their_answers[shared]}))
    often = pd.concat(met).value_counts().reset_index().sort_values(["count", "answer"], ascending=[False, True])
    answer_of = often.drop_duplicates("key").set_index("key")["answer"]
    of_game = np.repeat(np.arange(len(some.games)), some.games["num_moves"])
    answer = pd.Series(keys).map(answer_of)
    return pd.DataFrame({"game": of_game, "number": numbers, "known": answer.notna(), "answered": answer == answers})


def by_phase(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for low, high in PHASES:
        part = rows[rows["number"].between(low, high)]
        if len(part):
            yield f"moves {low}-{high}" if high < PHASES[-1][1] else f"moves {low} on", part


def accuracy_where_known(network: Network, positions: Positions, rows: pd.DataFrame) -> list[list[str]]:
    """The lines of a table: top-1 on POSITIONS of the early positions, by whether their boards are known."""
    early = np.flatnonzero(rows["number"] <= EARLY)
    numbers = np.random.default_rng(0).choice(early, min(POSITIONS, len(early)), replace=False)
    rows = rows.iloc[numbers].assign(top1=scores(network, positions, numbers, tta=False)["top1"].to_numpy())
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
    parser.add_argument("--network", metavar="NETWORK", help="its top-1 on known boards and on others")
    args = parser.parse_args()
    data = dataset.load_dataset(args.dataset)
    games = data.used_games
    train, test = (list(canonical_openings(data, games[games["split"] == split])) for split in ("train", "test"))
    pairs, begun = copies_between(test, train)
    print(f"{len(test):,} test games and {len(train):,} training games: {pairs:,} pairs share their first {MOVES} "
          f"moves, turned, mirrored or recoloured; {begun:,} games of fewer moves begin one across the split")
    some, others = data.positions("test"), data.positions("train")
    near = near_copies(some, others)
    print(f"{near.sum():,} test games on {some.size}x{some.size} differ from a training game in one of the first "
          f"{MOVES} moves at most ({near.mean():.2%})")
    rows = known_boards(some, others)
    header = ["test positions", "", "board known", "then memory is right", "so memory alone"]
    lines = [header, *([name, f"{len(part):,}", *(f"{share:.2%}" for share in (
        part["known"].mean(), part.loc[part["known"], "answered"].mean(), part["answered"].mean()))]
        for name, part in by_phase(rows))]
    print("\n".join(["", *diagrams.table(lines)]))
    if args.network:
        print("\n".join(["", *diagrams.table(accuracy_where_known(Network(args.network), some, rows))]))
    late = rows[rows["known"] & (rows["number"] > LATE)].groupby("game").size()
    print(f"\n{len(late):,} test games come to boards of training games after move {LATE}"
          + (f": {', '.join(some.games['name'].iloc[late.index[:5]])}{', ...' * (len(late) > 5)}" if len(late) else ""))


if __name__ == "__main__":
    main()
