"""Checks of the numbers in a data set, before compiled code reads them: it does not check array bounds.

    games       board sizes, winners, komi, handicaps, splits; a game's setup, moves and owners are inside the arrays,
                and no two games share any
    setup       encoded stones on the board of their game, at most one for each point
    moves       encoded moves on the board of their game, or a pass
    owners      for each point of the board of their game, Black, White or nobody

A move that passes may still be illegal.  Replaying every game takes 27 s a gigabyte, these checks 0.3 s; so a game is
replayed when it is used, and Positions.batch reports an illegal one.
"""
from pathlib import Path

import numpy as np
import pandas as pd
from numba import njit

from mugo.data.final_ownership import are_owners, words_per_game
from mugo.files import BadInput
from mugo.games.coords import MAX_MOVES, MAX_SIZE, MIN_SIZE, WHITE_BIT

SPLITS = ("train", "validation", "test")
MAX_POINTS = MAX_SIZE ** 2               # the largest komi and handicap of records (sgf.properties)


def check_games(path: Path, games: pd.DataFrame, setup: np.ndarray, moves: np.ndarray, owners: np.ndarray
                ) -> None:
    """Raise BadInput, which names the row, for the first used game with a number out of range.

    path: of games.parquet.  games: its rows.  setup, moves, owners: int16.
    """
    is_used = (games["reject_reason"] == "").to_numpy()
    rows = np.flatnonzero(is_used)
    size, winner, count, start, setup_start, setup_end, owners_start = (
        games[name].to_numpy(np.int64)[is_used] for name in (
            "size", "winner", "num_moves", "move_start", "setup_start", "setup_end", "owners_start"))

    def check(is_good: np.ndarray, what: str) -> None:
        if not is_good.all():
            raise BadInput(f"{path} row {rows[is_good.argmin()]}: {what}; make the data set again")

    check((MIN_SIZE <= size) & (size <= MAX_SIZE), f"the board size is not from {MIN_SIZE} to {MAX_SIZE}")
    check((-1 <= winner) & (winner <= 1), "the winner is not 1, -1 or 0")
    komi, handicap = games["komi"].to_numpy()[is_used], games["handicap"].to_numpy()[is_used]
    check(np.isnan(komi) | (np.abs(komi) <= MAX_POINTS), f"the komi is not from -{MAX_POINTS} to {MAX_POINTS}")
    check((0 <= handicap) & (handicap <= MAX_POINTS), f"the handicap is not from 0 to {MAX_POINTS}")
    check((0 <= count) & (count <= MAX_MOVES), f"the number of moves is not from 0 to {MAX_MOVES:,}")
    check((setup_start <= setup_end) & (setup_end <= setup_start + size ** 2),
          "the number of setup stones is not from 0 to that of the points")
    check(_are_apart(setup_start, setup_end, len(setup)), "its setup is not in setup.npy behind the last game's")
    check((start <= len(moves)) & _are_apart(start, np.minimum(start, len(moves)) + count, len(moves)),
          "its moves are not in moves.npy behind the last game's")
    check(games["split"].isin(SPLITS).to_numpy()[is_used], f"the split is none of {', '.join(SPLITS)}")
    check(_are_encoded(size ** 2 - 1, setup_start, setup_end, setup), "a setup stone in setup.npy is not on the board")
    check(_are_encoded(size ** 2, start, start + count, moves), "a move in moves.npy is not on the board")
    check(owners_start >= -1, "its owners are not in owners.npy")
    rows, size, owners_start = (array[owners_start >= 0] for array in (rows, size, owners_start))
    check(_are_apart(owners_start, np.minimum(owners_start, len(owners)) + words_per_game(size), len(owners)),
          "its owners are not in owners.npy behind the last game's")
    check(are_owners(size, owners_start, owners), "an owner in owners.npy is neither Black, White nor nobody")


def _are_apart(start: np.ndarray, end: np.ndarray, length: int) -> np.ndarray:
    """Which of the ranges are inside an array of this length, and behind the range before: bool (n,)."""
    return (start >= np.concatenate([[0], end[:-1]])) & (end <= length)


@njit(cache=True, nogil=True)
def _are_encoded(max_index, start, end, encoded):
    """Which ranges hold encoded moves (coords) up to max_index, int64 (n,), only: bool (n,)."""
    out = np.empty(len(start), np.bool_)
    for g in range(len(start)):
        bits = np.int16(0)
        highest = np.int16(0)
        for i in range(start[g], end[g]):
            bits |= encoded[i]
            highest = max(highest, encoded[i] & np.int16(WHITE_BIT - 1))
        out[g] = highest <= max_index[g] and 0 <= bits < 2 * WHITE_BIT
    return out
