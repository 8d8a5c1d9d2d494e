"""Wilson score intervals and lower confidence bounds against published and hand-computed values.

Clustered standard errors, against a formula and against the spread of simulated means.
"""
import math

import numpy as np
import pytest

from mugo.core.intervals import Estimate, lower_confidence_bound, mean_and_standard_error, wilson_interval


# Newcombe (1998), "Two-sided confidence intervals for the single proportion", method 3, table I.
@pytest.mark.parametrize("wins, games, low, high", [
    (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)])
def test_wilson_intervals_match_published_values(wins, games, low, high):
    interval = wilson_interval(wins, games)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_without_games_the_interval_is_everything():
    assert wilson_interval(0, 0) == Estimate(0.5, 0.0, 1.0)


def test_clustered_standard_errors_are_those_of_the_formula():
    """Residuals -2, 0 | 3 | -1 around the mean 3 of three clusters: sums -2, 3, -1; 3 / 2 * (4 + 9 + 1) / 4²."""
    values, clusters = np.array([1.0, 3, 6, 2, np.nan]), np.array([7, 7, 2, 5, 5])
    assert mean_and_standard_error(values, clusters) == pytest.approx((3, math.sqrt(1.5 * 14 / 16)))
    mean, error = mean_and_standard_error(np.array([1.0, 2]), np.array([4, 4]))
    assert mean == 1.5 and math.isnan(error)             # one cluster
    assert all(map(math.isnan, mean_and_standard_error(np.array([np.nan]), np.array([0]))))


def test_the_lower_confidence_bound_is_the_win_rate_less_1_96_standard_errors():
    assert lower_confidence_bound(0.5, 98) == pytest.approx(0.5 - 1.959964 * math.sqrt(0.25 / 98))
    assert lower_confidence_bound(0.6, 0) == 0
    assert lower_confidence_bound(1.0, 2) == pytest.approx(1 - 1.959964 * math.sqrt(3 / 16 / 2), abs=1e-9)
