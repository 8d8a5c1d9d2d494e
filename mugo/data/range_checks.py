"""Checks of the numbers in a data set, before compiled code uses them as indices: it does not check array bounds.

    when a data set is opened    each record of an index: board size, winner, split; a game's setup, moves and ownership
                                 are inside the arrays, and no two games share any
    when a game is read          its setup, moves and ownership have the hashes in the index (the first time); encoded
                                 stones and moves are on the board; ownership is Black's, White's or nobody's

A move that passes may still be illegal.  Replaying every game takes 27 s per gigabyte, so Positions.batch, which
replays, reports an illegal one.
"""
from pathlib import Path

import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.data.final_ownership import words_per_game
from mugo.data.game_hash import content_hash, words_hash
from mugo.data.game_index import SPLITS, GameArrays, ownership_words, ranges
from mugo.core.files import BadInput
from mugo.games.coords import MAX_MOVES, MAX_SIZE, MIN_SIZE, WHITE_BIT
from mugo.sgf.properties import HIGHEST_RANK, LOWEST_RANK

MAX_POINTS = 2 * MAX_SIZE ** 2           # White's, by komi and for handicap stones
FAULTS = (                               # what `game_fault` returns, from 1
    "its moves, setup or ownership are not those that were written",
    "a setup stone is not on the board",
    "a move is not on the board",
    "an owner is neither Black, White nor nobody",
)


def check_index(path: Path, games: np.ndarray, rows: int, setup: int, moves: int, ownership: int) -> None:
    """Raise BadInput, which names the record, for the first one with a number out of range.

    path: of the index.  games: its records.  rows: of games.parquet.  setup, moves, ownership: the lengths of the
    arrays.
    """
    def check(is_good: np.ndarray, what: str) -> None:
        if not is_good.all():
            raise BadInput(f"{path} record {is_good.argmin()}: {what}; make the data set again")

    setup_start, setup_end, start, count = ranges(games)
    size, row = games["size"].astype(np.int64), games["row"].astype(np.int64)
    check((MIN_SIZE <= size) & (size <= MAX_SIZE), f"the board size is not from {MIN_SIZE} to {MAX_SIZE}")
    check((-1 <= games["winner"]) & (games["winner"] <= 1), "the winner is not 1, -1 or 0")
    points = games["white_points"]
    check(np.isnan(points) | (np.abs(points) <= MAX_POINTS),
          f"White's points are not from -{MAX_POINTS} to {MAX_POINTS}")
    for name in ("black_rank", "white_rank"):
        check(np.isnan(games[name]) | ((LOWEST_RANK <= games[name]) & (games[name] <= HIGHEST_RANK)),
              f"a rank is not from {LOWEST_RANK} to {HIGHEST_RANK}")
    check((0 <= count) & (count <= MAX_MOVES), f"the number of moves is not from 0 to {MAX_MOVES:,}")
    check((0 <= setup_end - setup_start) & (setup_end - setup_start <= size ** 2),
          "the number of setup stones is not from 0 to that of the points")
    check(_are_apart(setup_start, setup_end, setup), "its setup is not in setup.npy behind the last game's")
    check(_are_apart(start, start + count, moves), "its moves are not in moves.npy behind the last game's")
    check((0 <= games["split"]) & (games["split"] < len(SPLITS)), f"the split is none of {', '.join(SPLITS)}")
    check((row > np.concatenate([[-1], row[:-1]])) & (row < rows), "its row is not in games.parquet behind the last")
    ownership_start = games["ownership_start"].astype(np.int64)
    check(ownership_start >= -1, "its ownership is not in ownership.npy")
    known = ownership_start >= 0
    is_apart = np.ones(len(games), bool)
    is_apart[known] = _are_apart(ownership_start[known], (ownership_start + ownership_words(games))[known], ownership)
    check(is_apart, "its ownership is not in ownership.npy behind the last game's")


def check_games(path: Path, games: GameArrays) -> None:
    """Raise BadInput, which names the game, for the first one that has a fault.  path: of what they were read from."""
    fault, game = first_fault(*games)
    if fault:
        raise BadInput(f"{path} game {game}: {FAULTS[fault - 1]}; make the data set again")


def _are_apart(start: np.ndarray, end: np.ndarray, length: int) -> np.ndarray:
    """Which of the ranges are inside an array of this length, and behind the range before: bool (n,)."""
    return (start >= np.concatenate([[0], end[:-1]])) & (end <= length)


@kernel
def first_fault(games, setup, moves, ownership):
    """(the fault, as in `game_fault`, of the first game with one, its number); (0, -1) if there is none."""
    for g in range(len(games)):
        start, first, last = games[g].setup_start, games[g].move_start, games[g].ownership_start
        words = words_per_game(np.int64(games[g].size)) if last >= 0 else 0
        fault = game_fault(games[g], setup[start:start + games[g].num_setup],
                           moves[first:first + games[g].num_moves], ownership[max(last, 0):max(last, 0) + words], True)
        if fault:
            return fault, g
    return 0, -1


@subroutine
def game_fault(game, setup, moves, ownership, with_hashes):
    """0, or the number of the first of FAULTS that a game has.  game: its record.  setup, moves, ownership: its own."""
    points = np.int64(game.size) * np.int64(game.size)
    if with_hashes and (content_hash(setup, moves) != game.content_hash
                        or words_hash(ownership) != game.ownership_hash):
        return 1
    if not _are_encoded(points - 1, setup):
        return 2
    if not _are_encoded(points, moves):
        return 3
    for i in range(len(ownership)):
        word = np.int64(ownership[i]) & 0xffff
        left = points - 8 * i            # points from this word on, two bits each
        if word & (word >> 1) & 0x5555 or (left < 8 and word >> (2 * left)):
            return 4
    return 0


@subroutine
def _are_encoded(max_index, encoded):
    """Whether an array holds encoded moves (coords) up to max_index only."""
    bits = np.int16(0)
    highest = np.int16(0)
    for i in range(len(encoded)):
        bits |= encoded[i]
        highest = max(highest, encoded[i] & np.int16(WHITE_BIT - 1))
    return highest <= max_index and 0 <= bits < 2 * WHITE_BIT
