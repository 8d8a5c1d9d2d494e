"""Wilson score intervals and lower confidence bounds against published and hand-computed values.

Clustered standard errors are tested with the evaluation that uses them (tests/training/test_evaluate.py).
"""
import math

import pytest

from mugo.intervals import Estimate, lower_confidence_bound, wilson_interval


# Newcombe (1998), "Two-sided confidence intervals for the single proportion", method 3, table I.
@pytest.mark.parametrize("wins, games, low, high", [
    (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)])
def test_wilson_intervals_match_published_values(wins, games, low, high):
    interval = wilson_interval(wins, games)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.9])
def test_wilson_intervals_have_about_95_percent_coverage(rate):
    games = 60
    coverage = sum(math.comb(games, wins) * rate ** wins * (1 - rate) ** (games - wins)
               for wins in range(games + 1)
               if wilson_interval(wins, games).low <= rate <= wilson_interval(wins, games).high)
    assert 0.92 < coverage < 0.98


def test_without_games_the_interval_is_everything():
    assert wilson_interval(0, 0) == Estimate(0.5, 0.0, 1.0)


def test_the_lower_confidence_bound_rises_with_the_visits():
    bounds = [lower_confidence_bound(0.6, visits) for visits in (0, 1, 10, 100, 10_000)]
    assert bounds == sorted(bounds) and bounds[0] == 0 and 0.59 < bounds[-1] < 0.6
