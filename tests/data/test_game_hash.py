"""Hashes that are equal for all 16 copies of a game; test_duplicates.py compares them with brute force."""
import numpy as np
import pytest

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


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 4097])
def test_an_epoch_is_a_permutation_of_all_positions(n):
    for epoch in range(3):
        numbers, symmetries = game_hash.shuffled_positions(epoch * n, n, n, 5)
        assert sorted(numbers) == list(range(n))
        assert set(symmetries) <= set(range(8))


def test_epochs_and_seeds_differ_and_any_part_of_the_stream_can_be_computed_alone():
    whole, symmetries = game_hash.shuffled_positions(0, 3000, 1000, 1)
    assert whole[:1000].tolist() != whole[1000:2000].tolist()
    assert whole[:1000].tolist() != game_hash.shuffled_positions(0, 1000, 1000, 2)[0].tolist()
    part, part_symmetries = game_hash.shuffled_positions(1234, 500, 1000, 1)
    assert part.tolist() == whole[1234:1734].tolist()
    assert part_symmetries.tolist() == symmetries[1234:1734].tolist()


def test_symmetries_differ_between_seeds_and_epochs():
    whole, other = (game_hash.shuffled_positions(0, 2000, 1000, seed)[1] for seed in (1, 2))
    assert 0.05 < np.mean(whole == other) < 0.2
    assert 0.05 < np.mean(whole[:1000] == whole[1000:]) < 0.2


def test_positions_and_symmetries_are_uniform():
    n = 20_000
    numbers, symmetries = game_hash.shuffled_positions(0, n, n, 3)
    assert abs(np.corrcoef(np.arange(n), numbers)[0, 1]) < 0.03
    assert np.abs(np.bincount(symmetries, minlength=8) - n / 8).max() < 6 * np.sqrt(n / 8)
