"""PUCT's formula with the terms of KataGo and Leela Zero: known numbers, and a slow version of it."""
import math

import numpy as np
import pytest
from fakes import LevelNetwork
from trees import moves_after

from mugo.games.board import new_boards
from mugo.games.coords import PASS
from mugo.games.go import GoPosition
from mugo.mcts import records, selection
from mugo.mcts.root import with_dirichlet_noise, with_temperature
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.mcts.solver import LOSS, WIN

HISTORY = np.zeros(8, np.uint64)


def tree_record(**values):
    tree = np.zeros(1, records.TREE)
    for name, value in (dict(c=2.0, fpu=math.nan) | values).items():
        tree[0]["params"][name] = value
    tree[0]["root"] = 1
    return tree[0]


@pytest.mark.parametrize("c, c_log, c_base, visits, expected", [
    (1.25, 1, 19652, 0, 1.25), (1.25, 1, 19652, 19652, 1.25 + math.log(2)),          # AlphaZero's pseudo-code
    (1, 0.45, 500, 500, 1 + 0.45 * math.log(2)), (1, 0.45, 500, 9500, 1 + 0.45 * math.log(20)),        # KataGo
    (2, 0, 0, 1000, 2)])
def test_c_grows_with_the_logarithm_of_visits(c, c_log, c_base, visits, expected):
    found = selection.exploration_constant(
        tree_record(c=c, cpuct_exploration_log=c_log, cpuct_exploration_base=c_base)["params"], visits)
    assert found == pytest.approx(expected, rel=1e-6)


def slow_puct(tree, node, edges, is_root, may_select):
    """The edge that maximises the formula, each term as it is written in the module's picture."""
    visits, params = max(int(node["visits"]) + int(node["virtual_losses"]), 1), tree["params"]
    log, base = float(params["cpuct_exploration_log"]), float(params["cpuct_exploration_base"])
    c = params["c"] + (log * math.log((visits + base) / base) if log else 0)
    n = edges["visits"] + edges["virtual_losses"].astype(int)
    reduction = params["root_fpu_reduction_max" if is_root else "fpu_reduction_max"]
    fpu = float(params["fpu"])
    if math.isnan(fpu):
        fpu = node["total"] / max(node["visits"], 1) - reduction * math.sqrt(edges["prior"][n > 0].sum())
    scores = []
    for edge, count in zip(edges, n, strict=True):
        q = (edge["q"] * edge["visits"] - edge["virtual_losses"]) / count if count else fpu
        scores.append(q + c * edge["prior"] * math.sqrt(visits) / (1 + count) if may_select(edge) else -math.inf)
    return scores


@pytest.mark.parametrize("settings", [
    {}, {"fpu_reduction_max": 0.4, "root_fpu_reduction_max": 0.1}, {"fpu": -0.2, "c": 0.5},
    {"cpuct_exploration_log": 0.8, "cpuct_exploration_base": 30.0},
    {"fpu_reduction_max": 2.0, "root_fpu_reduction_max": 2.0, "c": 0.1}])
def test_selection_agrees_with_the_formula(settings):
    rng = np.random.default_rng(1)
    tree, boards = tree_record(**settings), new_boards(1)
    kinds = set()
    for case in range(300):
        count = int(rng.integers(1, 12))
        edges = np.zeros(count, records.EDGE)
        edges["allowed"] = True
        edges["visits"] = rng.integers(0, 4, count) * rng.integers(0, 20, count) * (case % 3 > 0)
        edges["virtual_losses"] = rng.integers(0, 3, count) * (case % 2)
        edges["q"] = np.where(edges["visits"] > 0, rng.uniform(-1, 1, count), 0)
        edges["prior"] = rng.dirichlet(np.full(count, 0.5))
        edges["lower"], edges["upper"] = LOSS, WIN
        edges["upper"][rng.random(count) < 0.2] = LOSS
        node = np.zeros(1, records.NODE)
        node[0]["visits"], node[0]["count"], node[0]["moves"] = 1 + edges["visits"].sum(), count, count
        node[0]["virtual_losses"], node[0]["lower"], node[0]["upper"] = edges["virtual_losses"].sum(), LOSS, WIN
        node[0]["total"] = node[0]["visits"] * rng.uniform(-1, 1)
        if not (edges["upper"] > LOSS).any():
            continue
        is_root = bool(case % 5 == 0)
        tree["root"] = 0 if is_root else 1
        found = selection.puct_child(tree, node, edges, 0, boards[0], HISTORY, False)
        scores = slow_puct(tree, node[0], edges, is_root, lambda edge: edge["upper"] > LOSS)
        assert scores[found] == pytest.approx(max(scores), abs=1e-5)
        kinds.add(bool(edges[found]["visits"] + edges[found]["virtual_losses"]))
    assert kinds == {True, False}


def test_a_reduction_keeps_a_search_to_fewer_moves():
    def tried(reduction):
        settings = Settings(rollout="none", fpu_reduction_max=reduction, root_fpu_reduction_max=reduction, c=0.5,
                            early_stop=False, batch=1, seed=1)
        result = Search(settings, LevelNetwork()).search(GoPosition(9), simulations=60)
        return sum(info.visits > 0 for info in result.moves)

    assert tried(0.0) > 50 and tried(2.0) < 10


def test_root_policy_temperature_known_numbers():
    priors = np.array([0.8, 0.2], np.float32)
    assert with_temperature(priors, 2).tolist() == pytest.approx([2 / 3, 1 / 3])     # square roots: 2 to 1
    assert with_temperature(priors, 0.5).tolist() == pytest.approx([16 / 17, 1 / 17])
    assert with_temperature(priors, 1).tolist() == pytest.approx([0.8, 0.2])
    assert with_temperature(np.array([1.0, 0.0]), 1.5).sum() == pytest.approx(1)
    rng = np.random.default_rng(1)
    assert with_dirichlet_noise(priors, 0, 0.3, rng).tolist() == pytest.approx([0.8, 0.2])
    assert with_dirichlet_noise(priors, 0.25, 0.3, rng).sum() == pytest.approx(1)


def test_the_temperature_changes_the_search_and_not_the_priors_that_are_told():
    class OneMove(LevelNetwork):
        def evaluate_packed(self, packed, komi=None):
            output = super().evaluate_packed(packed)
            priors = output.priors * 0.5
            priors[:, 0] += 0.5
            return output._replace(priors=priors)

    def searched(temperature):
        settings = Settings(rollout="none", root_policy_temperature=temperature, early_stop=False, seed=1)
        search = Search(settings, OneMove())
        result = search.search(GoPosition(5), simulations=100)
        assert max(info.prior for info in result.moves) == pytest.approx(0.5 + 0.5 / 26)
        return result.moves[0]

    plain, flat = searched(1.0), searched(3.0)
    assert plain.point == flat.point and plain.prior == flat.prior
    assert plain.visits > 1.5 * flat.visits


class Passes(LevelNetwork):
    """A network that gives the pass a prior of 0.98, and the second point thrice the prior of every other."""
    pass_prior = 0.98

    def evaluate_packed(self, packed, komi=None):
        output = super().evaluate_packed(packed)
        others = np.ones((1, output.priors.shape[1] - 1), np.float32)
        others[0, 1] = 3
        priors = np.append((1 - self.pass_prior) * others / others.sum(), [[self.pass_prior]], 1)
        return output._replace(priors=np.repeat(priors.astype(np.float32), len(packed), 0))


def root_priors(network, position, **settings) -> dict[int, float]:
    """The priors of the moves at the root, by point; those below it are checked."""
    search = Search(Settings(rollout="none", early_stop=False, seed=1, **settings), network)
    result = search.search(position, simulations=30)
    below = moves_after(search, (result.best().point,))
    found = [{info.point: info.prior for info in infos} for infos in (result.moves, below)]
    if network.pass_prior < 1:
        assert found[1].get(PASS, 0) <= settings.get("max_pass_prior", 1.0) + 1e-6
    assert sum(found[1].values()) == pytest.approx(1)
    return found[0]


def test_a_pass_has_no_more_than_its_largest_prior_and_the_other_moves_the_rest():
    plain, capped = (root_priors(Passes(), GoPosition(5), max_pass_prior=most) for most in (1.0, 0.5))
    assert plain[PASS] == pytest.approx(0.98) and capped[PASS] == pytest.approx(0.5)
    assert sum(capped.values()) == pytest.approx(1)
    for point in plain.keys() - {PASS}:
        assert capped[point] == pytest.approx(plain[point] * 0.5 / 0.02, rel=1e-4)
    assert root_priors(Passes(), GoPosition(5), max_pass_prior=0.0)[PASS] == 0


def test_a_smaller_prior_of_a_pass_stays_as_it_is():
    network = Passes()
    network.pass_prior = 0.3
    assert root_priors(network, GoPosition(5), max_pass_prior=0.5) == root_priors(network, GoPosition(5))


def test_a_pass_that_is_the_only_move_with_a_prior_keeps_it():
    network = Passes()
    network.pass_prior = 1.0
    assert root_priors(network, GoPosition(5), max_pass_prior=0.5)[PASS] == 1
