"""When a search ends: what its last simulations can change, unclear and obvious choices, a clock that is a counter."""
import itertools

import numpy as np
import pytest
from fakes import LevelNetwork

from mugo.games.go import GoPosition
from mugo.mcts.result import best_by_lcb, lower_confidence_bounds
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.mcts.result import RootMoves
from mugo.mcts.search import SearchLimits, is_decided
from mugo.nn.output import NetworkProtocol


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


def test_values_with_a_part_for_the_score_can_be_larger_and_are_decided_later():
    moves = moves_of((400, 0.5, 0.3), (100, -0.5, 0.3))
    last = {factor: max(left for left in range(1, 300) if is_decided(moves, left, "lcb", Settings(
        dynamic_score_utility_factor=factor))) for factor in (0.0, 0.5)}
    assert last[0.0] > 1.2 * last[0.5] > 10


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


def test_a_choice_by_value_is_not_decided_before_the_end():
    moves = moves_of((1000, 0.9, 0.9), (1, -1, 1))
    assert [is_decided(moves, 2, rule, Settings()) for rule in ("value", "visits")] == [False, True]


def test_where_one_move_is_not_lost_the_choice_is_decided_and_the_evaluation_is_not():
    alone = moves_of((50, 0.1, 1))
    assert [is_decided(alone, 99, rule, Settings()) for rule in (None, "visits", "value")] == [False, True, True]


def test_the_deadline_and_the_rate_limit_the_simulations_that_are_left():
    limits = SearchLimits(Settings(), np.inf, 0.0, 10.0, "lcb")
    split = moves_of((60, 0.1, 1), (40, 0.2, 1))
    assert not limits.are_reached(100, 7.0, lambda: split) and limits.are_reached(100, 10, lambda: split)
    assert limits.simulations_left(100, 0.4) == np.inf   # the rate is not known yet
    assert limits.simulations_left(100, 5.0) == pytest.approx(100)
    assert SearchLimits(Settings(), 150, 0.0, np.inf, "lcb").simulations_left(100, 5.0) == 50


def test_a_search_without_early_stop_does_not_look_at_the_moves():
    limits = SearchLimits(Settings(early_stop=False), 100, 0.0, np.inf, "lcb")
    assert not limits.are_reached(99, 1.0, lambda: pytest.fail("looked"))
    assert limits.are_reached(100, 1.0, lambda: pytest.fail("looked"))


class CountedTime(NetworkProtocol):
    """A clock on which every evaluation of the network takes a tenth of a second."""

    def __init__(self, network):
        self.network, self.time = network, 0.0
        self.name, self.has_value, self.has_ownership = "counted", True, False

    def evaluate_packed(self, packed, features=None):
        self.time += 0.1
        return self.network.evaluate_packed(packed, features)


class TimeByRows(CountedTime):
    """An evaluation takes 10 ms, and 1 ms for each position."""

    def evaluate_packed(self, packed, features=None):
        self.time += 0.01 + 0.001 * len(packed) - 0.1
        return super().evaluate_packed(packed, features)


@pytest.mark.parametrize("batch, simulations", [(8, 120), (64, 150), (256, 150)])
def test_where_a_batch_does_not_fit_any_more_a_smaller_one_runs(batch, simulations):
    network = TimeByRows(LevelNetwork())
    search = Search(Settings(rollout="none", batch=batch, seed=1), network, now=lambda: network.time)
    result = search.search(GoPosition(9), seconds=0.3)
    assert result.simulations > simulations and 0.25 < result.seconds < 0.34


@pytest.mark.parametrize("select_by", ["visits", "lcb", None])
def test_a_search_takes_its_time_by_a_clock_that_counts(select_by):
    network = CountedTime(LevelNetwork())
    search = Search(Settings(rollout="none", batch=1, seed=1, early_stop=False), network, now=lambda: network.time)
    assert search.search(GoPosition(5), seconds=4.0, select_by=select_by).seconds == pytest.approx(4.0, abs=0.21)
