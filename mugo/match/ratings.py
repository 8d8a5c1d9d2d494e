"""Elo: from win rates, and for several participants by the Bradley-Terry model.

    win rate p   <->   Elo difference 400 log10(p / (1 - p))         50 % 0, 64 % 100, 76 % 200, 91 % 400

A draw counts as half a win.  Intervals are of 95 %.
"""
import math

import numpy as np

from mugo.core.intervals import Estimate, Z, wilson_interval

SCALE = math.log(10) / 400               # Elo -> natural logarithm of the odds
PRIOR = 0.5                              # drawn games of every participant against one of rating 0


def elo(rate: float) -> float:
    """The Elo difference of a win rate; infinite at 0 and 1."""
    if rate <= 0 or rate >= 1:
        return math.inf if rate >= 1 else -math.inf
    return math.log(rate / (1 - rate)) / SCALE


def elo_difference(wins: float, games: float) -> Estimate:
    """The Elo difference of a participant to its opponent, by its wins, with the interval of Wilson (1927)."""
    rate = wilson_interval(wins, games)
    return Estimate(elo(rate.value), elo(rate.low), elo(rate.high))


def ratings(wins: np.ndarray, reference: int | None = None, prior: float = PRIOR) -> list[Estimate]:
    """Elo ratings by maximum likelihood in the model of Bradley and Terry (1952).

    wins: float (n, n), wins[i, j] of i against j, a draw half for each.
    reference: the participant whose rating is 0; None: the mean is 0.
    prior: drawn games of each participant against one of rating 0, which keep the ratings of participants who won, or
    lost, all games finite; 0.5 moves 60 wins in 100 games by 0.2 Elo.
    Errors are by the curvature of the likelihood.
    """
    wins = np.asarray(wins, float)
    n = len(wins)
    games = wins + wins.T
    total_wins = wins.sum(1) + prior / 2

    def log_likelihood(strength: np.ndarray) -> float:
        pairs = np.logaddexp(0, strength[None, :] - strength[:, None])       # -log P(i beats j)
        drawn = np.logaddexp(0, strength) + np.logaddexp(0, -strength)
        return -(wins * pairs).sum() - prior / 2 * drawn.sum()

    # Newton's method; a step that would lower the likelihood is halved.  The function is concave.
    strength = np.zeros(n)               # natural logarithms
    information = np.eye(n)
    for _ in range(100):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        against_average = 1 / (1 + np.exp(-strength))
        gradient = total_wins - (games * expected).sum(1) - prior * against_average
        weight = games * expected * (1 - expected)
        information = np.diag(weight.sum(1) + prior * against_average * (1 - against_average)) - weight
        step = np.linalg.solve(information, gradient)
        before = log_likelihood(strength)
        while log_likelihood(strength + step) < before - 1e-9 and np.abs(step).max() > 1e-9:
            step /= 2
        strength = strength + step
        if np.abs(step).max() < 1e-9:
            break
    covariance = np.linalg.inv(information)
    contrast = np.eye(n) - (np.full((n, n), 1 / n) if reference is None else np.eye(n)[[reference]])
    values = contrast @ strength / SCALE
    errors = Z * np.sqrt(np.maximum(np.diag(contrast @ covariance @ contrast.T), 0)) / SCALE
    return [Estimate(value, value - error, value + error)
            for value, error in zip(values.tolist(), errors.tolist(), strict=True)]
