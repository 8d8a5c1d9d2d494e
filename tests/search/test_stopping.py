"""When a search ends: what its last simulations can change, unclear and obvious choices, a clock that is a counter."""
import itertools

import numpy as np
import pytest
from fakes import LevelNetwork

from mugo.games.go import Position
from mugo.search.lcb import best_by_lcb, lower_confidence_bounds
from mugo.search.search import Search
from mugo.search.settings import Settings
from mugo.search.stopping import OBVIOUS_FRACTION, RootMoves, SearchLimits, is_decided, is_obvious, is_unclear


def moves_of(*rows):
    """rows: (visits, mean, mean square)."""
    visits, means, squares = zip(*rows, strict=True)
    return RootMoves(np.array(visits), np.array(means, float), np.array(squares, float))


def choice(sums, select_by, settings):
    """The move chosen, from (visits, sum, sum of squares) of each."""
    visits, totals, squares = (np.array(column, float) for column in zip(*sums, strict=True))
    if select_by == "visits":
        return int(visits.argmax())
    counts = np.maximum(visits, 1)
    bounds = lower_confidence_bounds(visits, totals / counts, squares / counts, settings.lcb_stdevs)
    return best_by_lcb(visits, bounds, settings.min_visit_prop_for_lcb)


@pytest.mark.parametrize("select_by", ["visits", "lcb"])
@pytest.mark.parametrize("stdevs, prop", [(5.0, 0.15), (1.0, 0.5), (0.0, 0.15)])
def test_what_is_decided_cannot_be_changed(select_by, stdevs, prop):
    """Whoever gets the last simulations, and whatever their values: the choice stays; and it is not always too late."""
    settings = Settings(lcb_stdevs=stdevs, min_visit_prop_for_lcb=prop)
    rng = np.random.default_rng(3)
    decided = 0
    for case in range(200):
        n, left = int(rng.integers(2, 4)), int(rng.integers(1, 4))
        visits = rng.integers(0, 60, n) * rng.integers(0, 2, n) if case % 2 else rng.integers(1, 400, n)
        means = np.where(visits > 0, rng.uniform(-1, 1, n), 0)
        squares = np.where(visits > 0, means ** 2 + rng.uniform(0, 1, n) ** 2 * (1 - means ** 2), 0)
        sums = [(int(v), v * m, v * s) for v, m, s in zip(visits, means, squares, strict=True)]
        if not visits.any():
            continue
        before = choice(sums, select_by, settings)
        if not is_decided(RootMoves(visits, means, squares), left, select_by, settings):
            continue
        decided += 1
        for who in itertools.product(range(n), repeat=left):
            for value in itertools.product((-1, 0, 1), repeat=left):
                after = [list(row) for row in sums]
                for i, x in zip(who, value, strict=True):
                    after[i][0] += 1
                    after[i][1] += x
                    after[i][2] += x * x
                assert choice(after, select_by, settings) == before, (sums, who, value)
    assert decided > 30


@pytest.mark.parametrize("rows, left, decided", [
    ([(1000, 0.3, 0.4), (500, 0.1, 0.4)], 30, True),
    ([(1000, 0.3, 0.4), (500, 0.1, 0.4)], 100, False),               # 100 losses against 100 wins
    ([(1000, 0.3, 0.4), (50, 0.9, 0.9)], 90, True),                  # never 15 % of the visits
    ([(1000, 0.3, 0.4), (50, 0.9, 0.9)], 200, False),
    ([(1000, 0.3, 0.4), (500, 0.1, 0.4)], np.inf, False)])
def test_when_the_choice_by_lcb_is_decided(rows, left, decided):
    assert is_decided(moves_of(*rows), left, "lcb", Settings()) == decided


def test_sequential_halving_and_values_are_not_decided_before_the_end():
    moves = moves_of((1000, 0.9, 0.9), (1, -1, 1))
    assert [is_decided(moves, 2, rule, Settings()) for rule in ("value", "gumbel", "visits")] == [False, False, True]


def test_unclear_and_obvious_choices():
    clear, split = moves_of((90, 0.2, 1), (30, 0.1, 1)), moves_of((90, 0.1, 1), (30, 0.2, 1))
    few = moves_of((90, 0.1, 1), (8, 0.9, 1))            # not compared by value
    assert [is_unclear(moves) for moves in (clear, split, few, moves_of((5, 0, 1)))] == [False, True, False, False]
    # A mean of 0.2 is a win rate of 60 %: 5 % below what was expected it is a fall.
    assert [is_unclear(clear, expected) for expected in (0.5, 0.649, 0.651)] == [False, False, True]
    assert is_obvious(moves_of((95, 0.2, 1), (5, 0.9, 1)))
    assert not is_obvious(moves_of((89, 0.2, 1), (11, 0.1, 1)))      # less than 90 %
    assert not is_obvious(moves_of((90, 0.1, 1), (10, 0.2, 1)))      # the other looks better
    assert not is_obvious(moves_of((0, 0, 0))) and is_obvious(moves_of((3, 0, 0)))


CLEAR, SPLIT, OBVIOUS = ((60, 0.2, 1), (40, 0.1, 1)), ((60, 0.1, 1), (40, 0.2, 1)), ((95, 0.2, 1), (5, 0.1, 1))


@pytest.mark.parametrize("rows, now, select_by, ends", [
    (CLEAR, 9.9, "lcb", False), (CLEAR, 10, "lcb", True), (SPLIT, 10, "lcb", False), (SPLIT, 19.9, "lcb", False),
    (SPLIT, 20, "lcb", True), (SPLIT, 10, None, True),               # to evaluate, no choice is unclear
    (OBVIOUS, 10 * OBVIOUS_FRACTION - 0.1, "lcb", False), (OBVIOUS, 10 * OBVIOUS_FRACTION, "lcb", True),
    (OBVIOUS, 10 * OBVIOUS_FRACTION, "gumbel", False), (SPLIT, 10 * OBVIOUS_FRACTION, "lcb", False)])
def test_an_unclear_choice_gets_more_time_and_an_obvious_one_less(rows, now, select_by, ends):
    limits = SearchLimits(Settings(), np.inf, 0.0, 10.0, 20.0, select_by)
    assert limits.are_reached(100, now, moves_of(*rows)) == ends


def test_without_more_time_only_the_deadline_counts():
    limits = SearchLimits(Settings(), np.inf, 0.0, 10.0, 10.0, "lcb")
    assert not limits.are_reached(100, 7.0, moves_of(*OBVIOUS))
    assert limits.are_reached(100, 10, moves_of(*SPLIT))
    assert limits.simulations_left(100, 0.4, moves_of(*SPLIT)) == np.inf         # the rate is not known yet
    assert limits.simulations_left(100, 5.0, moves_of(*SPLIT)) == pytest.approx(100)


@pytest.mark.parametrize("now, ends", [(9.999, False), (15.0, False), (20.0, True)])
def test_an_unclear_choice_by_visits_is_not_decided_by_the_end_of_its_share(now, ends):
    limits = SearchLimits(Settings(), np.inf, 0.0, 10.0, 20.0, "visits")
    assert limits.are_reached(1900, now, moves_of((1000, 0.1, 1), (900, 0.3, 1))) == ends


class CountedTime:
    """A clock on which every evaluation of the network takes a tenth of a second."""

    def __init__(self, network):
        self.network, self.time = network, 0.0
        self.name, self.has_value, self.has_ownership = "counted", True, False

    def evaluate_packed(self, packed, features=None):
        self.time += 0.1
        return self.network.evaluate_packed(packed, features)


class TwoMoves(LevelNetwork):
    """Prefers two moves; after the first of them the side to move wins by `gain`, which makes it the worse one."""

    def __init__(self, priors, gain):
        self.priors, self.gain = priors, gain

    def evaluate_packed(self, packed, features=None):
        output = super().evaluate_packed(packed)
        n = len(packed)
        priors = np.full((n, 26), 1e-6, np.float32)
        priors[:, 0], priors[:, 1] = self.priors
        # plane 1: stones of the opponent
        return output._replace(priors=priors, values=(self.gain * (packed[:, 0, 0] >> 1 & 1)).astype(np.float32))


@pytest.mark.parametrize("batch, select_by", [(8, "visits"), (8, "lcb"), (1, "visits")])
def test_an_unclear_choice_gets_more_time_in_batches_too(batch, select_by):
    network = CountedTime(TwoMoves((0.7, 0.3), 0.3))
    search = Search(Settings(rollout="none", batch=batch, c=8.0, seed=1), network, now=lambda: network.time)
    result = search.search(Position(5), seconds=4.0, max_seconds=8.0, expected_win_rate=0.99, select_by=select_by)
    assert 6 < result.seconds < 8.2                      # less than 8 where nothing can change the choice any more


class TimeByRows(CountedTime):
    """An evaluation takes 10 ms, and 1 ms for each position."""

    def evaluate_packed(self, packed, features=None):
        self.time += 0.01 + 0.001 * len(packed) - 0.1
        return super().evaluate_packed(packed, features)


@pytest.mark.parametrize("batch, simulations", [(8, 120), (64, 150), (256, 150)])
def test_where_a_batch_does_not_fit_any_more_a_smaller_one_runs(batch, simulations):
    network = TimeByRows(LevelNetwork())
    search = Search(Settings(rollout="none", batch=batch, seed=1), network, now=lambda: network.time)
    result = search.search(Position(9), seconds=0.3)
    assert result.simulations > simulations and 0.25 < result.seconds < 0.34


@pytest.mark.parametrize("priors, gain, expected, seconds", [
    ((0.6, 0.4), 0.0, None, (4.0, 4.2)),                 # clear: the time it was given
    ((0.6, 0.4), 0.0, 0.7, (8.0, 8.2)),                  # its value is lower than expected
    ((0.7, 0.3), 0.3, None, (8.0, 8.2)),                 # the most visited move has the lower value
    ((1.0, 0.0), 0.0, None, (2.0, 2.2))])                # obvious
def test_time_of_a_search_by_a_clock_that_counts(priors, gain, expected, seconds):
    network = CountedTime(TwoMoves(priors, gain))
    search = Search(Settings(rollout="none", batch=1, c=8.0, seed=1), network, now=lambda: network.time)
    result = search.search(Position(5), seconds=4.0, max_seconds=8.0, expected_win_rate=expected, select_by="lcb")
    assert seconds[0] - 1e-9 <= result.seconds <= seconds[1]
    network.time = 0.0
    settings = Settings(rollout="none", batch=1, c=8.0, seed=1, early_stop=False)
    plain = Search(settings, network, now=lambda: network.time)
    assert plain.search(Position(5), seconds=4.0, select_by="lcb").seconds == pytest.approx(4.0, abs=0.21)
