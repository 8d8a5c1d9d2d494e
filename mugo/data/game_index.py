"""The index of a shard: one record of 72 bytes for each used game, in index.npy.

    index.npy    record of game 0 | record of game 1 | ...
                    |  setup_start, num_setup              --> setup.npy
                    |  move_start, num_moves               --> moves.npy
                    |  ownership_start, or -1              --> ownership.npy

It holds what a position needs besides the moves, and the hashes by which a game's stones, moves and ownership are
checked each time they are read (selection.py).
"""
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.data.game_hash import content_hashes, words_hashes
from mugo.data.final_ownership import words_per_game
from mugo.data.games_table import ENCODED
from mugo.data.labels import white_points

SPLITS = ("train", "validation", "test")
SPLIT_NAMES = {"train": "training", "validation": "validation", "test": "test", None: "used"}    # in sentences
INDEX = np.dtype([
    ("content_hash", "<u8"), ("ownership_hash", "<u8"),     # game_hash.content_hashes, words_hashes
    ("game_hash", "<u8"), ("opening_hash", "<u8"),       # game_hash.game_hashes
    ("row", "<i4"),                                      # of games.parquet
    ("setup_start", "<i4"), ("move_start", "<i4"), ("ownership_start", "<i4"),
    ("num_setup", "<i4"), ("num_moves", "<i4"),
    ("white_points", "<f4"),                             # labels.white_points
    ("black_rank", "<f4"), ("white_rank", "<f4"),        # sgf.properties.rank_number, NaN if unknown
    ("size", "<i2"), ("winner", "i1"), ("split", "i1"),  # of SPLITS
])


class GameArrays(NamedTuple):
    """Games in memory: their records, and the arrays into which these point."""

    games: np.ndarray                    # INDEX (n,)
    setup: np.ndarray                    # int16: encoded setup stones (games/coords.py)
    moves: np.ndarray                    # int16: encoded moves
    ownership: np.ndarray                # int16: final_ownership.pack_ownership


def ranges(games: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """setup_start, setup_end, move_start and num_moves of records, int64 (n,)."""
    start, stones, move_start, num_moves = (
        games[name].astype(np.int64) for name in ("setup_start", "num_setup", "move_start", "num_moves"))
    return start, start + stones, move_start, num_moves


def ownership_words(games: np.ndarray) -> np.ndarray:
    """The number of words in ownership.npy of records, int64 (n,); 0 for a game without ownership."""
    return np.where(games["ownership_start"] >= 0, words_per_game(games["size"].astype(np.int64)), 0)


def index_games(table: pd.DataFrame) -> GameArrays:
    """The games of a table of PART_COLUMNS and `split`, all of which are used; `row`: from 0."""
    (setup, setup_starts), (moves, move_starts), (ownership, ownership_starts) = (
        join_encoded(table[name]) for name in ENCODED)
    games = np.zeros(len(table), INDEX)
    games["row"] = np.arange(len(table))
    games["setup_start"], games["num_setup"] = setup_starts[:-1], np.diff(setup_starts)
    games["move_start"], games["num_moves"] = move_starts[:-1], np.diff(move_starts)
    games["ownership_start"] = np.where(np.diff(ownership_starts) > 0, ownership_starts[:-1], -1)
    for name in ("game_hash", "opening_hash", "black_rank", "white_rank", "size", "winner"):
        games[name] = table[name].to_numpy()
    games["white_points"] = white_points(table)
    games["split"] = table["split"].map(SPLITS.index).to_numpy(np.int8)
    games["content_hash"] = content_hashes(setup, moves, *ranges(games))
    games["ownership_hash"] = words_hashes(ownership, games["ownership_start"].astype(np.int64),
                                           np.diff(ownership_starts))
    return GameArrays(games, setup, moves, ownership)


def join_encoded(games: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """(array, starts) of games as bytes: int16, end to end; int64 (n + 1,), where each begins and the last ends."""
    starts = np.concatenate([[0], np.cumsum([len(game) // 2 for game in games])]).astype(np.int64)
    return np.frombuffer(b"".join(game[:len(game) // 2 * 2] for game in games), np.int16), starts
