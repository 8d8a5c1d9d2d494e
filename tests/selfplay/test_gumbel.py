"""Gumbel AlphaZero's search: its schedule, its policy, and that it improves on the priors."""
import math

import numpy as np
import pytest

from mugo.games.board import new_boards
from mugo.mcts import records
from mugo.selfplay import gumbel
from mugo.mcts.solver import LOSS, WIN

HISTORY = np.zeros(8, np.uint64)


def mctx_schedule(considered, simulations):
    """get_sequence_of_considered_visits of mctx (seq_halving.py), which keeps a list of visits."""
    if considered <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    sequence, visits, n = [], [0] * considered, considered
    while len(sequence) < simulations:
        for _ in range(max(1, int(simulations / (rounds * n)))):
            sequence.extend(visits[:n])
            for i in range(n):
                visits[i] += 1
        n = max(2, n // 2)
    return sequence[:simulations]


def test_the_schedule_is_that_of_mctx():
    for considered in range(1, 34):
        for simulations in (1, 2, 5, 16, 31, 50, 200):
            assert [gumbel.considered_visits(considered, simulations, k) for k in range(simulations)] \
                == mctx_schedule(considered, simulations)


def node_of(priors, visits, q, *, raw_value=0.0, considered=4, budget=16, noise=None, upper=None, **values):
    """(tree, node, edges) of a root with these edges."""
    count = len(priors)
    tree, node, edges = np.zeros(1, records.TREE), np.zeros(1, records.NODE), np.zeros(count, records.EDGE)
    edges["allowed"] = True
    for name, value in (dict(c_visit=50.0, c_scale=1.0, considered=considered, budget=budget) | values).items():
        tree[0]["params"][name] = value
    if noise is not None:
        tree[0]["params"]["gumbel"][:count] = noise
    edges["prior"], edges["visits"], edges["q"] = priors, visits, q
    edges["lower"], edges["upper"] = LOSS, WIN if upper is None else upper
    node[0]["count"], node[0]["raw_value"], node[0]["visits"] = count, raw_value, 1 + np.sum(visits)
    node[0]["lower"], node[0]["upper"] = LOSS, WIN
    return tree[0], node[0], edges


def slow_policy(priors, visits, q, raw_value, c_visit=50.0, c_scale=1.0):
    """The improved policy by the formulas of the paper: equation 11 and appendix D, with q from 0 to 1 in sigma."""
    visited = visits > 0
    weighted = (priors * q)[visited].sum() / priors[visited].sum() if visited.any() else 0.0
    mixed = (raw_value + visits.sum() * weighted) / (1 + visits.sum())
    completed = (1 + np.where(visited, q, mixed)) / 2
    logits = np.log(priors) + (c_visit + visits.max()) * c_scale * completed
    weights = np.exp(logits - logits.max())
    return mixed, weights / weights.sum()


def random_node(rng, count):
    visits = rng.integers(0, 6, count) * rng.integers(0, 2, count)
    return dict(priors=rng.dirichlet(np.ones(count)).astype(np.float32), visits=visits,
                q=np.where(visits > 0, rng.uniform(-1, 1, count), 0).astype(np.float32),
                raw_value=float(np.float32(rng.uniform(-1, 1))))


def test_the_improved_policy_is_that_of_the_paper():
    rng = np.random.default_rng(1)
    for _ in range(200):
        case, weights = random_node(rng, int(rng.integers(1, 20))), dict(c_visit=20.0, c_scale=0.3)
        mixed, policy = slow_policy(**case, **weights)
        tree, node, edges = node_of(**case, **weights)
        assert gumbel.mixed_value(node, edges) == pytest.approx(mixed, abs=1e-5)
        assert gumbel.improved_policy(tree, node, edges) == pytest.approx(policy, abs=1e-4)


def test_what_is_proven_to_lose_has_no_share_of_the_policy():
    tree, node, edges = node_of([0.6, 0.4], [2, 1], [-1, -0.9], upper=[LOSS, WIN])
    assert gumbel.improved_policy(tree, node, edges).tolist() == [0, 1]
    node["upper"] = LOSS
    assert gumbel.improved_policy(tree, node, edges).min() > 0       # all lose


def halve(case, values):
    """Sequential halving by the kernel, simulation by simulation: (visits, the move played)."""
    tree, node, edges = case
    b = new_boards(1)[0]
    order = []
    for _ in range(tree["params"]["budget"]):
        i = gumbel.gumbel_root_child(tree, node, edges, LOSS, b, HISTORY, False)
        order.append(i)
        edges["q"][i] = (edges["q"][i] * edges["visits"][i] + values(i)) / (edges["visits"][i] + 1)
        edges["visits"][i] += 1
    scores = gumbel.root_scores(tree, node, edges)
    return order, int(max(range(len(edges)), key=lambda i: (edges["visits"][i], scores[i])))


def test_the_better_half_goes_on_by_gumbel_logit_and_value():
    """Eight moves, four considered: those with the highest noise + logit; then the two that win more."""
    noise = np.array([0, 3, 0, 2, 0, 1, 4, 0], np.float32)
    values = [0.9, -0.5, 0.9, 0.3, 0.9, 0.2, -0.8, 0.9]
    case = node_of(np.full(8, 0.125), np.zeros(8), np.zeros(8), noise=noise, budget=16)
    order, played = halve(case, values.__getitem__)
    assert sorted(order[:4]) == sorted(order[4:8]) == [1, 3, 5, 6]
    assert set(order[8:]) == {3, 5} and played == 3


def test_without_noise_the_most_likely_moves_are_considered():
    priors = np.array([0.05, 0.3, 0.1, 0.25, 0.3], np.float32)
    order, _ = halve(node_of(priors, np.zeros(5), np.zeros(5), budget=8), lambda i: 0.0)
    assert set(order) == {1, 2, 3, 4}


def test_simulations_under_way_count_as_visits():
    tree, node, edges = node_of(np.full(6, 1 / 6), np.zeros(6), np.zeros(6), noise=np.arange(6)[::-1], budget=8)
    b, order = new_boards(1)[0], []
    for _ in range(8):
        order.append(gumbel.gumbel_root_child(tree, node, edges, LOSS, b, HISTORY, False))
        edges["virtual_losses"][order[-1]] += 1
    assert order == [0, 1, 2, 3, 0, 1, 0, 1]


def test_a_move_proven_to_lose_gives_way_in_the_middle():
    tree, node, edges = node_of(np.full(4, 0.25), [2, 2, 0, 0], [0.1, 0, 0, 0], considered=2, budget=8)
    b = new_boards(1)[0]
    assert gumbel.gumbel_root_child(tree, node, edges, LOSS, b, HISTORY, False) == 0
    edges["upper"][0] = LOSS
    assert gumbel.gumbel_root_child(tree, node, edges, LOSS, b, HISTORY, False) == 1
    edges["upper"][1] = LOSS
    assert gumbel.gumbel_root_child(tree, node, edges, LOSS, b, HISTORY, False) in (2, 3)


@pytest.mark.parametrize("budget, considered", [(2, 2), (4, 4), (16, 4), (16, 16)])
def test_the_move_is_better_than_one_sampled_from_the_priors(budget, considered):
    """Random bandits with exact values: the mean value of the move played, and that of the improved policy, are higher
    than that of the priors, with any number of simulations (Danihelka et al. 2022, section 3)."""
    rng = np.random.default_rng(budget)
    gains, policy_gains = [], []
    for _ in range(1500):
        values, priors = rng.uniform(-1, 1, 16), rng.dirichlet(np.full(16, 0.5)).astype(np.float32)
        raw = float((priors * values).sum())             # the value that a perfect network gives the node
        case = node_of(priors, np.zeros(16), np.zeros(16), raw_value=raw, noise=rng.gumbel(size=16), budget=budget,
                       considered=considered)
        _, played = halve(case, values.__getitem__)
        gains.append(values[played] - raw)
        policy_gains.append((gumbel.improved_policy(*case) * values).sum() - raw)
    for sample in gains, policy_gains:
        assert np.mean(sample) > 4 * np.std(sample) / len(sample) ** 0.5
    assert np.mean(gains) > 0.1


def test_below_the_root_visits_follow_the_improved_policy():
    """Fractions of visits converge to the policy, where values do not change."""
    rng = np.random.default_rng(2)
    tree, node, edges = node_of(rng.dirichlet(np.ones(6)), np.zeros(6), np.zeros(6), c_scale=0.0)
    b = new_boards(1)[0]
    for _ in range(600):
        edges["visits"][gumbel.gumbel_child(tree, node, edges, LOSS, b, HISTORY, False)] += 1
    assert edges["visits"] / 600 == pytest.approx(edges["prior"], abs=0.005)
