"""Confidence intervals: Wilson score interval, clustered standard error, lower confidence bound.

All intervals are of 95 %.
"""
import math
from dataclasses import dataclass

import numpy as np

Z = 1.959964                             # normal quantile of a 95 % interval


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % confidence interval; the ends may be infinite."""

    value: float
    low: float
    high: float


def wilson_interval(wins: float, games: float) -> Estimate:
    """The win rate, 0 to 1, with its Wilson score interval (Wilson 1927); 0.5 and 0 to 1 without games."""
    if games == 0:
        return Estimate(0.5, 0.0, 1.0)
    rate = wins / games
    center = (rate + Z * Z / (2 * games)) / (1 + Z * Z / games)
    half = Z * math.sqrt(rate * (1 - rate) / games + (Z / (2 * games)) ** 2) / (1 + Z * Z / games)
    # At rates of 0 and 1 the bound is exactly 0 or 1; rounding errors would move it.
    return Estimate(rate, 0.0 if wins == 0 else center - half, 1.0 if wins == games else center + half)


def mean_and_standard_error(values: np.ndarray, clusters: np.ndarray, weights: np.ndarray | None = None
                            ) -> tuple[float, float]:
    """The mean of `values`, float (n,), and its cluster-robust standard error; NaN values are left out.

    clusters: int (n,), the cluster of each value (positions of one game are correlated).  weights: float (n,), of the
    values in the mean, each of them above 0; by default they are equal.
    SE² = G / (G - 1) * sum over the G clusters of (sum of weighted residuals)² / (sum of weights)² (Cochran, Sampling
    Techniques, 1977, 3A.3).  The mean is NaN without values, the error with fewer than two clusters.
    """
    known = ~np.isnan(values)
    values, clusters = values[known], clusters[known]
    if not len(values):
        return np.nan, np.nan
    weights = np.ones(len(values)) if weights is None else weights[known]
    mean = float(np.average(values, weights=weights))
    _, cluster_numbers = np.unique(clusters, return_inverse=True)
    sums = np.bincount(cluster_numbers, weights * (values - mean))
    if len(sums) < 2:
        return mean, np.nan
    return mean, float(np.sqrt(len(sums) / (len(sums) - 1) * (sums ** 2).sum())) / float(weights.sum())


def lower_confidence_bound(win_rate: float, visits: int) -> float:
    """The lower end of the 95 % interval of a searched move's win rate, 0 to 1 (LCB of Leela Zero and KataGo), with one
    win and one loss added (Agresti and Coull 1998)."""
    rate = (win_rate * visits + 1) / (visits + 2)
    return max(win_rate - Z * math.sqrt(rate * (1 - rate) / max(visits, 1)), 0.0)
