"""Interval estimates: Wilson score intervals for win rates, standard errors of clustered samples."""
import math
from dataclasses import dataclass

import numpy as np

Z = 1.959964                             # of a 95 % interval


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95 % interval; the ends may be infinite."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def wilson(wins: float, games: float) -> Estimate:
    """The win rate, 0 to 1, with Wilson's score interval; 0 to 1 if there were no games.

    Wilson (1927).  Unlike the usual p ± 1.96 s it holds for few games, and for 0 % and 100 %.
    """
    if games == 0:
        return Estimate(0.5, 0.0, 1.0)
    rate = wins / games
    middle = (rate + Z * Z / (2 * games)) / (1 + Z * Z / games)
    half = Z * math.sqrt(rate * (1 - rate) / games + (Z / (2 * games)) ** 2) / (1 + Z * Z / games)
    # At the ends rounding errors must not keep the bound from being exactly 0 or 1.
    return Estimate(rate, 0.0 if wins == 0 else middle - half, 1.0 if wins == games else middle + half)


def mean_and_error(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """The mean of values that are not NaN, and its standard error when whole clusters (int) are drawn.

    The square of the error is G / (G - 1) * sum of squares of the G clusters' sums of residuals / n²
    (Cochran, Sampling Techniques, 1977, 3A.3).  NaN where there is nothing to compute it from.
    """
    known = ~np.isnan(values)
    values, clusters = values[known], clusters[known]
    if not len(values):
        return np.nan, np.nan
    mean = float(values.mean())
    _, places = np.unique(clusters, return_inverse=True)
    sums = np.bincount(places, values - mean)
    if len(sums) < 2:
        return mean, np.nan
    return mean, float(np.sqrt(len(sums) / (len(sums) - 1) * (sums ** 2).sum())) / len(values)


def lower_confidence_bound(win_rate: float, visits: int) -> float:
    """The lower end of a 95 % interval of a searched move's win rate, from 0 to 1 (Leela Zero's lcb).

    Agresti and Coull's correction: one win and one loss are added, so that few visits are never certain.
    """
    share = (win_rate * visits + 1) / (visits + 2)
    return max(win_rate - Z * math.sqrt(share * (1 - share) / max(visits, 1)), 0.0)
