"""The sequential probability ratio test against published tests, an exact calculation of its error rates, and games."""
import math
from collections import defaultdict

import pytest

from mugo.core.sprt import H0, H1, SPRT, UNDECIDED, expected_score


# Tests of Stockfish on Fishtest in 2020, when its bounds were in logistic Elo: pull requests 2493, 2920, 2951, 2971,
# 3209 of official-stockfish/Stockfish.
@pytest.mark.parametrize("elo0, elo1, counts, ratio", [
    (-1.0, 3.0, (424, 2948, 5832, 3045, 460), 2.94),
    (-0.5, 1.5, (665, 4806, 9333, 4893, 747), 2.95), (0.25, 1.75, (328, 4564, 15580, 4789, 371), 2.98),
    (-0.5, 1.5, (59, 754, 2467, 865, 75), 2.95), (0.25, 1.75, (33, 1185, 8378, 1302, 50), 2.95),
    (-0.5, 1.5, (17, 253, 1042, 337, 39), 2.96), (0.25, 1.75, (11, 407, 3238, 513, 11), 2.93),
    (-0.25, 1.25, (253, 4282, 17604, 4431, 286), 2.94)])
def test_ratios_match_those_of_fishtest(elo0, elo1, counts, ratio):
    assert SPRT(elo0, elo1).log_likelihood_ratio(counts) == pytest.approx(ratio, abs=0.0051)


def test_bounds_are_walds():
    assert (round(SPRT(0, 2).lower, 2), round(SPRT(0, 2).upper, 2)) == (-2.94, 2.94)
    test = SPRT(0, 2, alpha=0.01, beta=0.2)
    assert (test.lower, test.upper) == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))


def test_expected_scores():
    assert [round(expected_score(elo), 2) for elo in (-400, 0, 100, 200)] == [0.09, 0.5, 0.64, 0.76]


def test_exchanging_the_sides_exchanges_the_hypotheses():
    counts = (3, 5, 20, 9, 7)
    assert SPRT(-30, 70).log_likelihood_ratio(counts) == pytest.approx(
        -SPRT(-70, 30).log_likelihood_ratio(counts[::-1]))


def test_a_test_ends_at_its_first_decision():
    taken = []

    def pairs():
        for points in [2.0] * 100:
            taken.append(points)
            yield points

    result = SPRT(0, 100).run(pairs())
    # If all pairs are won, the likelihoods are expected_score(elo) ** pairs.
    assert (result.accepted, result.counts) == (H1, (0, 0, 0, 0, 12)) and len(taken) == 12
    assert result.ratio == pytest.approx(12 * math.log(2 * expected_score(100)), abs=1e-3)
    assert SPRT(0, 100).run([2.0] * 11).accepted == UNDECIDED
    assert SPRT(0, 100).run([0.0] * 100).accepted == H0 == SPRT(0, 100).run([1.0] * 100).accepted
    assert SPRT(0, 100).run([]) == SPRT(0, 100).run(iter(())) and SPRT(0, 100).run([]).ratio == 0
    assert SPRT(0, 100).run([0, 0.5, 1, 1.5, 2]).counts == (1, 1, 1, 1, 1)


def accepted_share(test: SPRT, pair: dict[float, float], pairs: int) -> float:
    """How often H1 is accepted within so many pairs, exactly; pair: the probability of each number of points."""
    states, share = {(0, 0, 0, 0, 0): 1.0}, 0.0
    for _ in range(pairs):
        following: dict[tuple, float] = defaultdict(float)
        for counts, probability in states.items():
            for points, of_points in pair.items():
                index = round(2 * points)
                following[*counts[:index], counts[index] + 1, *counts[index + 1:]] += probability * of_points
        states = {}
        for counts, probability in following.items():
            ratio = test.log_likelihood_ratio(counts)
            if ratio >= test.upper:
                share += probability
            elif ratio > test.lower:
                states[counts] = probability
    return share


def pair_of(rate: float, first_move: float = 0.0) -> dict[float, float]:
    """The points of a pair of games without draws; first_move: what Black wins more often."""
    black, white = rate + first_move, rate - first_move
    return {0: (1 - black) * (1 - white), 1: black * (1 - white) + white * (1 - black), 2: black * white}


@pytest.mark.slow
@pytest.mark.parametrize("first_move", [0, 0.35])
def test_an_equal_side_is_found_stronger_in_5_percent_of_matches_at_most(first_move):
    assert accepted_share(SPRT(0, 100), pair_of(0.5, first_move), 100) <= 0.05
    assert accepted_share(SPRT(0, 100), pair_of(expected_score(-50), first_move), 60) < 0.01


def test_a_side_that_is_stronger_by_elo1_is_found_stronger_in_19_of_20_matches():
    assert accepted_share(SPRT(0, 200), pair_of(expected_score(200)), 60) > 0.95
