"""Hashes that are equal for all 16 copies of a game; test_duplicates.py compares them with brute force."""
import numpy as np

from mugo.data import game_hash
from mugo.games.coords import symmetries


def test_the_same_moves_on_another_board_or_after_other_setup_are_another_game():
    moves = np.arange(60, dtype=np.int16)                    # along the rows: their own canonical form on any board
    none, stones = np.zeros(0, np.int16), np.array([3, 7], np.int16)
    hashes = [game_hash.game_hashes(size, setup, moves, symmetries(size))
              for size, setup in ((9, none), (13, none), (9, stones), (9, stones[:1]))]
    assert len({game for game, _ in hashes}) == len({opening for _, opening in hashes}) == 4


def test_splits_have_their_fractions_and_depend_on_the_seed():
    openings = np.random.default_rng(0).integers(0, 2**63, 100_000).astype(np.uint64)
    splits = game_hash.assign_splits(openings, 7, validation=0.1, test=0.05)
    assert abs(np.mean(splits == "test") - 0.05) < 0.005
    assert abs(np.mean(splits == "validation") - 0.1) < 0.005
    assert (splits != game_hash.assign_splits(openings, 8, 0.1, 0.05)).any()
