"""Elo and Bradley-Terry ratings: known numbers, a second algorithm, simulated players."""
import math

import numpy as np
import pytest

from mugo.core.intervals import Z, wilson_interval
from mugo.match.summary import elo, elo_difference, ratings


def margin(estimate):
    """Half the width of its interval."""
    return (estimate.high - estimate.low) / 2


def test_elo_differences_of_win_rates():
    assert [round(elo(rate)) for rate in (0.5, 0.64, 0.76, 0.909)] == [0, 100, 200, 400]
    assert elo(1) == math.inf and elo(0) == -math.inf
    difference = elo_difference(60, 100)
    assert (round(difference.value), round(difference.low), round(difference.high)) == (70, 1, 139)


def test_the_elo_of_a_participant_that_won_all_is_infinite():
    difference = elo_difference(10, 10)
    assert difference.value == difference.high == math.inf
    assert difference.low == pytest.approx(elo(wilson_interval(10, 10).low))


def ratings_by_mm(wins, prior):
    """Minorization-maximization (Hunter 2004); the opponent of the prior has strength 1."""
    strength = np.ones(len(wins))
    for _ in range(20_000):
        for i in range(len(wins)):
            played = sum((wins[i, j] + wins[j, i]) / (strength[i] + strength[j])
                         for j in range(len(wins)) if j != i)
            strength[i] = (wins[i].sum() + prior / 2) / (played + prior / (strength[i] + 1))
    return 400 * np.log10(strength)


def test_ratings_agree_with_minorization_maximization():
    wins = np.array([[0, 7, 3.5], [2, 0, 9], [6.5, 4, 0]])
    found = [estimate.value for estimate in ratings(wins, prior=1)]
    slow = ratings_by_mm(wins, prior=1)
    assert found == pytest.approx(slow - slow.mean(), abs=1e-6)


def test_ratings_of_two_participants_are_their_elo_difference():
    first, second = ratings(np.array([[0, 62], [38, 0]]), reference=0, prior=1e-6)
    difference = elo_difference(38, 100)
    assert (first.value, margin(first)) == (0, 0)
    assert second.value == pytest.approx(difference.value, abs=1e-3)
    # The error by the curvature: 1.96 / sqrt(n p (1 - p)) in natural units.
    assert margin(second) == pytest.approx(Z / math.sqrt(100 * 0.62 * 0.38) * 400 / math.log(10), abs=1e-3)
    assert margin(second) == pytest.approx(margin(difference), rel=0.03)


def test_intervals_contain_the_ratings_of_simulated_players():
    rng = np.random.default_rng(1)
    truth = np.array([0, 60, -150, 300])
    inside = []
    for _ in range(100):
        wins = np.zeros((4, 4))
        for i, j in (0, 1), (0, 2), (0, 3), (1, 2), (2, 3):
            won = rng.binomial(100, 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400)))
            wins[i, j], wins[j, i] = won, 100 - won
        found = ratings(wins, reference=0)
        inside += [estimate.low <= value <= estimate.high
                 for estimate, value in zip(found[1:], truth[1:], strict=True)]
    assert 0.90 < np.mean(inside) < 0.99


@pytest.mark.parametrize("wins", [np.zeros((3, 3)), [[0, 1000, 0], [0, 0, 1000], [0, 0, 0]],
                                  [[0, 5, 0], [0, 0, 0], [0, 0, 0]]])
def test_ratings_are_finite_with_only_wins_and_without_games(wins):
    found = ratings(wins)
    assert all(math.isfinite(estimate.value) and math.isfinite(margin(estimate)) for estimate in found)
    assert sum(estimate.value for estimate in found) == pytest.approx(0, abs=1e-6)
    assert found[0].value > found[1].value or not np.any(wins)
