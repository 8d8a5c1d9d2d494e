"""The lower confidence bound (LCB) of a move's value, by which KataGo and Leela Zero choose the move to play.

    lcb = mean - stdevs * standard error of the mean

The variance is that of the values of the simulations through the move.  As in KataGo (getSelfUtilityLCBAndRadius), n
visits get one more observation of the largest variance, with weight 1 / n²: few visits that agree are no evidence.
Values are from -1 to 1 here, and a little more where a part is for the score (scores).
"""
import numpy as np

LCB_STDEVS = 5.0                         # KataGo's lcbStdevs
MIN_VISIT_PROP = 0.15                    # KataGo's minVisitPropForLCB
_LARGEST_VARIANCE = 1.0                  # of values from -1 to 1
_UNVISITED = -3.0                        # the bound of a move without visits: below those of all others


def standard_errors(visits: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """float64 (n,): of means over so many visits (at least 1), given the variances of the values."""
    weight = 1.0 / visits.astype(np.float64) ** 2
    total = visits + weight
    variances = np.maximum(variances, 1e-8) + _LARGEST_VARIANCE * weight / total
    return np.sqrt(variances * (visits + weight ** 2)) / total


def lower_confidence_bounds(visits: np.ndarray, means: np.ndarray, squares: np.ndarray, stdevs: float = LCB_STDEVS
                            ) -> np.ndarray:
    """float64 (n,): the bounds of n moves.  visits: int.  means, squares: of the values, and of their squares.  stdevs:
    how many standard errors below the mean."""
    counts = np.maximum(visits, 1)
    bounds = means - stdevs * standard_errors(counts, squares - means ** 2)
    return np.where(visits > 0, bounds, _UNVISITED)


def best_by_lcb(visits: np.ndarray, bounds: np.ndarray, min_visit_prop: float = MIN_VISIT_PROP) -> int:
    """The index of the move with the highest bound, of those that have this proportion of the most visits; with equal
    bounds the most visited.  bounds: from -1 on.

    Below -1, the value of a loss, a bound says nothing of the value, only that a move is certain to lose or has few
    visits: of moves that all may lose, the surest loss would have the highest.  They count as equal."""
    eligible = (visits > 0) & (visits >= min_visit_prop * visits.max())
    if not eligible.any():
        return 0
    return int(max(np.flatnonzero(eligible), key=lambda i: (max(bounds[i], -1.0), visits[i])))
