"""The sequential probability ratio test of a match: play until it is clear whether one side is stronger (Wald 1945).

    H0: the first is stronger by elo0 at most         H1: it is stronger by elo1 at least

    log-likelihood ratio   log(beta / (1 - alpha))  <- games ->  log((1 - beta) / alpha)
                           H0 is accepted                        H1 is accepted            -2.94 and 2.94 for 5 %

The ratio is Fishtest's: the generalised SPRT on the scores of game pairs (pentanomial), in logistic Elo.  A pair is two
games with colours exchanged.  Each hypothesis gets the likeliest distribution of a pair's score with its mean.

Van den Bergh, "A practical introduction to the GSPRT", http://hardy.uhasselt.be/Fishtest/GSPRT_approximation.pdf
"""
import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

H0, H1, UNDECIDED = "H0", "H1", ""
PAIR_SCORES = 0.0, 0.25, 0.5, 0.75, 1.0  # of the first side in a pair of games: no points, half a point, ..., two
_MISSING = 1e-3                          # what a score that has not occurred counts, as in Fishtest


@dataclass(frozen=True)
class SPRT:
    """A test: its two hypotheses and its error rates.

    elo0, elo1: logistic Elo of the first side, elo0 < elo1.
    alpha: how often H1 is accepted at most if H0 is true.  beta: how often H0 is accepted at most if H1 is true.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, counts: Sequence[float]) -> float:
        """log(likelihood under H1 / likelihood under H0).  counts: how many pairs had each of PAIR_SCORES."""
        if not sum(counts):
            return 0.0
        present = [max(count, _MISSING) for count in counts]
        score0, score1 = expected_score(self.elo0), expected_score(self.elo1)
        theta0, theta1 = _multiplier(present, score0), _multiplier(present, score1)
        return sum(count * (math.log1p(theta0 * (score - score0)) - math.log1p(theta1 * (score - score1)))
                   for score, count in zip(PAIR_SCORES, present, strict=True))

    def run(self, pairs: Iterable[float]) -> "SPRTResult":
        """Test pairs up to the first decision.  pairs: the points of the first side in each: 0, 0.5, 1, 1.5 or 2."""
        counts, ratio = [0] * len(PAIR_SCORES), 0.0
        for points in pairs:
            counts[round(2 * points)] += 1
            ratio = _ratio(self, tuple(counts))
            if ratio >= self.upper:
                return SPRTResult(H1, ratio, tuple(counts))
            if ratio <= self.lower:
                return SPRTResult(H0, ratio, tuple(counts))
        return SPRTResult(UNDECIDED, ratio, tuple(counts))


@dataclass(frozen=True)
class SPRTResult:
    """The outcome of a test.

    accepted: H0, H1 or UNDECIDED.  ratio: the log-likelihood ratio of the pairs up to the decision, or of all.
    counts: how many of these pairs had each of PAIR_SCORES.
    """

    accepted: str
    ratio: float
    counts: tuple[int, ...]


@functools.cache
def _ratio(test: SPRT, counts: tuple[int, ...]) -> float:
    """The log-likelihood ratio, cached: a match runs its test on all pairs again when a game ends."""
    return test.log_likelihood_ratio(counts)


def expected_score(elo: float) -> float:
    """The mean score, 0 to 1, of a side that is stronger by `elo` (logistic Elo)."""
    return 1 / (1 + 10 ** (-elo / 400))


def _multiplier(counts: Sequence[float], mean: float) -> float:
    """The Lagrange multiplier theta of the likeliest distribution with this mean (Van den Bergh, proposition 1.1):
    where sum p(x) (x - mean) / (1 + theta (x - mean)) = 0, p(x) being the observed probability of a score x."""
    low, high = -1 / (PAIR_SCORES[-1] - mean), 1 / (mean - PAIR_SCORES[0])
    theta = 0.0
    for _ in range(100):                 # the sum falls from infinity to -infinity: Newton's method, else bisection
        ratios = [(score - mean) / (1 + theta * (score - mean)) for score in PAIR_SCORES]
        total = sum(count * ratio for count, ratio in zip(counts, ratios, strict=True))
        slope = sum(count * ratio * ratio for count, ratio in zip(counts, ratios, strict=True))
        low, high = (theta, high) if total > 0 else (low, theta)
        following = theta + total / slope
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - theta) < 1e-12:
            break
        theta = following
    return theta
