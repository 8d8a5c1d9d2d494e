"""The shuffled stream: every epoch is a permutation, and any part of it can be computed alone."""
import numpy as np
import pytest

from mugo.data import game_hash


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
