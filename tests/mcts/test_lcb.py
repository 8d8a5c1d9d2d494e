"""The lower confidence bound, and the move chosen by it."""
import math

import numpy as np
import pytest
from fakes import LevelNetwork

from mugo.games.go import GoPosition
from mugo.mcts import records, solver
from mugo.mcts.result import best_by_lcb, lower_confidence_bounds
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


def katago_lcb(visits, mean, square, stdevs):
    """KataGo's getSelfUtilityLCBAndRadius for visits of weight 1 and utilities from -1 to 1, line by line."""
    weight_sum = weight_sq_sum = float(visits)
    ess = weight_sum * weight_sum / weight_sq_sum
    prior_weight = weight_sum / (ess * ess * ess)
    square = max(square, mean * mean + 1e-8)
    square = (square * weight_sum + (square + 1.0) * prior_weight) / (weight_sum + prior_weight)
    weight_sum += prior_weight
    weight_sq_sum += prior_weight * prior_weight
    ess = weight_sum * weight_sum / weight_sq_sum
    return mean - stdevs * math.sqrt((square - mean * mean) / ess)


def test_the_bound_is_that_of_katago():
    rng = np.random.default_rng(1)
    visits = rng.integers(1, 3000, 200)
    visits[:20] = np.arange(1, 21)
    means = rng.uniform(-1, 1, 200)
    squares = means ** 2 + rng.uniform(0, 1, 200) * (1 - means ** 2)
    for stdevs in 0.0, 2.0, 5.0:
        expected = [katago_lcb(*row, stdevs) for row in zip(visits, means, squares, strict=True)]
        assert lower_confidence_bounds(visits, means, squares, stdevs) == pytest.approx(expected, abs=1e-9)


def test_known_bounds():
    bounds = lower_confidence_bounds(np.array([0, 1, 10_000]), np.array([0.9, 1.0, 0.2]), np.array([1.0, 1.0, 1.04]), 5)
    assert bounds[0] == -3                               # no visits: below everything
    assert bounds[1] == pytest.approx(1 - 5 * math.sqrt(0.25), abs=1e-6)             # half the weight is the prior's
    assert bounds[2] == pytest.approx(0.2 - 5 * 0.01, abs=1e-5)                      # a variance of 1, 100² visits


def test_a_move_needs_its_proportion_of_visits():
    visits, bounds = np.array([100, 20, 10, 0]), np.array([0.1, 0.2, 0.3, 0.9])
    assert best_by_lcb(visits, bounds, 0.15) == 1
    assert best_by_lcb(visits, bounds, 0.1) == 2
    assert best_by_lcb(visits, bounds, 0.21) == 0
    assert best_by_lcb(visits, bounds, 0) == 2           # never one without visits
    assert best_by_lcb(np.zeros(3, int), np.zeros(3)) == 0
    assert best_by_lcb(np.array([5, 9]), np.array([0.5, 0.5])) == 1


def test_where_all_bounds_are_below_a_loss_the_surest_loss_is_not_played():
    """Move 1 lost all of its 12 simulations, and has the highest bound; move 0 won some."""
    visits, means, squares = np.array([37, 12, 30]), np.array([-0.94, -1.0, -0.5]), np.array([1.0, 1.0, 1.0])
    bounds = lower_confidence_bounds(visits, means, squares)
    assert bounds[:2].max() < -1 and bounds[1] > bounds[0] and bounds[2] < -1
    assert best_by_lcb(visits, bounds) == 0
    moves = [(point, int(n), (1 + mean) / 2, (1 + bound) / 2, None)
             for point, n, mean, bound in zip((8, 9, 10), visits, means, bounds, strict=True)]
    assert result_of(*moves).best("lcb").point == 8


def result_of(*moves, proven=None):
    """moves: (point, visits, win rate, lcb, proven)."""
    infos = tuple(MoveInfo(point, 0.1, visits, win_rate, (point,), outcome, lcb=lcb)
                  for point, visits, win_rate, lcb, outcome in moves)
    return SearchResult(GoPosition(5), infos, 0.5, 100, 100, 1.0, 1.0, 9, 0, None, proven)


def test_the_move_played_by_each_rule():
    moves = (8, 50, 0.50, 0.40, None), (9, 30, 0.55, 0.45, None), (10, 5, 0.8, 0.3, None), (11, 40, 0.0, 0.9, -1)
    result = result_of(*moves)
    assert [result.best(rule).point for rule in ("visits", "value", "lcb")] == [8, 10, 9]
    assert result_of(*moves, proven=0).best("lcb").point == 8


def test_the_variance_is_that_of_the_values_of_the_leaves():
    """The mean and the mean square of a node are those of its own simulations, where no other leads to those below."""
    class Values(LevelNetwork):
        def __init__(self):
            self.rng = np.random.default_rng(5)

        def evaluate_packed(self, packed, komi=None):
            output = super().evaluate_packed(packed)
            return output._replace(values=self.rng.uniform(-1, 1, len(packed)).astype(np.float32))

    search = Search(Settings(rollout="none", early_stop=False, seed=1), Values())
    result = search.search(GoPosition(4), simulations=400)
    nodes, edges = search.tree.nodes, search.tree.edges
    parents, checked = np.bincount(edges["node"][:search.tree.record["n_edges"]]), 0
    for v in range(1, int(search.tree.record["n_nodes"])):
        node = nodes[v]
        if not node["count"] or solver.is_proven(node):
            continue
        block = edges[node["first"]:node["first"] + node["count"]]
        numbers = block["node"][block["node"] != records.NULL_NODE]
        below = nodes[numbers]
        if (parents[numbers] > 1).any() or (below["lower"] == below["upper"]).any():
            continue
        square = float(node["raw_value"]) ** 2 + (below["value_square"] * below["visits"]).sum()
        total = float(node["raw_value"]) - below["total"].sum()
        assert node["visits"] == 1 + below["visits"].sum()
        assert node["value_square"] * node["visits"] == pytest.approx(square, rel=1e-4)
        assert node["total"] == pytest.approx(total, abs=1e-4)
        checked += 1
    assert checked > 20
    best = result.moves[0]
    edge = search.tree.root_edges[search.tree.root_edges["move"] == best.point][0]
    node = nodes[edge["node"]]
    mean = -node["total"] / node["visits"]
    assert best.lcb == pytest.approx((1 + katago_lcb(best.visits, mean, node["value_square"], 5.0)) / 2, abs=1e-6)
    assert best.lcb < best.win_rate
