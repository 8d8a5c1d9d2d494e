"""Threads on one tree: nothing is lost or counted twice, proofs hold, and what one thread does is as it was."""
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from drawing import LADDER, SEKI, draw
from numba import njit
from trees import Grown

from mugo.games import gomoku
from mugo.games.coords import PASS, board_points
from mugo.games.go import WHITE, GoPosition
from mugo.players.registry import UCT
from mugo.mcts import solver
from mugo.mcts.atomics import fetch_add, lock, unlock
from mugo.mcts.root import AvoidedMoves, Root
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.mcts.growth import ThreadedGrowth
from mugo.mcts.tree_arrays import TreeArrays

THREADS = 6                              # more than cores: they are interrupted in the middle of a simulation
HEURISTIC = {"rave": True, "rave_bias": 0.02, "heuristic_priors": True, "c": 0.0, "expand_after": 4}
COUNTER = np.dtype([("small", np.uint16), ("sum", np.float64), ("lock", np.int64), ("shared", np.bool_),
                    ("locked", np.int64)], align=True)


@njit(nogil=True)
def count(counters, n):
    counter = counters[0]
    last = 0
    for _ in range(n):
        fetch_add(counter, "small", 3, counter.shared)
        last = fetch_add(counter, "sum", 0.5, counter.shared)
        fetch_add(counter, "small", -2, counter.shared)
        lock(counter)
        counter.locked += 1
        unlock(counter)
    return last


def in_threads(function, *arguments):
    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(function, *arguments) for _ in range(THREADS)]]


def test_atomic_additions_lose_nothing_and_a_lock_lets_one_thread_in():
    alone, together, n = np.zeros(1, COUNTER), np.zeros(1, COUNTER), 100_000
    assert count(alone, 5) == 2.0                        # the value before the last addition
    assert alone[0].item() == (5, 2.5, 0, False, 5)
    together["shared"] = True
    last = in_threads(count, together, n)
    total = THREADS * n
    assert together[0].item() == (total % 2**16, total / 2, 0, True, total)
    assert max(last) == (total - 1) / 2


class GrownByThreads(Grown):
    """A tree grown by threads; their rollouts are in `rollouts`, an ownership array for each."""

    def simulate(self, n):
        arrays = TreeArrays(1000)
        arrays.trees, arrays.nodes, arrays.edges, arrays.table = self.trees, self.nodes, self.edges, self.table
        arrays.record = self.trees[0]
        with ThreadPoolExecutor(THREADS) as pool:
            growth = ThreadedGrowth(arrays, THREADS, np.random.default_rng(1), pool)
            growth.set_root(Root(self.position, allowed_moves=None, may_pass=True, avoided=AvoidedMoves(), prunes=False,
                                 unsettled=None), None)
            assert growth.grow(n) == n
        self.rollouts = growth.rollouts
        return self


@pytest.mark.parametrize("position, settings", [
    (GoPosition(5), {}), (GoPosition(3, 3.5), {}), (GoPosition(5), HEURISTIC),
    (GoPosition(5), {"fpu": 1.1, "rollouts": 3}), (GoPosition(5), {"max_edges": 2000, "nodes": 300}),
    (gomoku.GomokuPosition(5, 4), {}), (gomoku.GomokuPosition(8, 5), HEURISTIC)])
def test_a_tree_that_threads_have_grown_is_as_consistent_as_that_of_one(position, settings):
    """Every simulation is counted once, no virtual loss stays, no edge or node belongs to two, bounds are those of
    the edges (Grown.check)."""
    n = 4000
    grown = GrownByThreads(position, **settings).simulate(n)
    grown.check()
    assert grown.root["visits"] == n
    assert n - 2 * THREADS * settings.get("expand_after", 1) <= grown.edges_of(grown.root)["visits"].sum() <= n
    tree = grown.trees[0]
    assert tree["lock"] == 0 and not grown.used["expanding"].any()
    blocks = sorted((int(node["first"]), int(node["count"])) for node in grown.used if node["count"])
    assert [first for first, _ in blocks] == np.cumsum([0, *(count for _, count in blocks)])[:-1].tolist()
    assert sum(count for _, count in blocks) == tree["n_edges"]
    assert grown.rollouts[:, 0].sum() <= n * settings.get("rollouts", 1)


def test_more_than_one_thread_simulates():
    """They do until each has: on busy cores a thread may wait long before it begins."""
    search = Search(Settings(threads=THREADS, early_stop=False))
    search.search(GoPosition(5), should_stop=lambda: bool(search.growth.rollouts[:, 0].all()))
    assert (search.growth.rollouts[:, 0] > 0).all()


def test_visits_and_values_are_the_sums_of_all_simulations():
    """A node's visits and total are those of its edges' nodes, where each has this parent alone, and of its own leaf
    evaluations, each of which was worth -1, 0 or 1."""
    grown, checked = GrownByThreads(GoPosition(4, 0.0)).simulate(6000), 0
    parents = np.bincount(grown.edges["node"][:grown.trees[0]["n_edges"]])
    for node in grown.used:
        edges = grown.edges_of(node)
        numbers = edges["node"][edges["visits"] > 0]
        below = grown.nodes[numbers]
        if len(edges) and (parents[numbers] == 1).all() and not solver.is_proven(node) \
                and not any(map(solver.is_proven, below)):
            checked += len(numbers) > 1
            own = int(node["visits"]) - int(edges["visits"].sum())
            rest = node["total"] + below["total"].sum()
            assert own >= (node["key"] != grown.root["key"]) and rest == round(rest) and abs(rest) <= own
    assert checked > 20


@pytest.mark.parametrize("size, k, moves, value", [(4, 3, 0, 1), (4, 3, 1, -1), (3, 3, 0, 0)])
def test_proofs_are_found_and_right(size, k, moves, value):
    """The first side wins three in a row on 4x4, also by a first move in the middle; 3x3 is a draw."""
    position = gomoku.GomokuPosition(size, k)
    for _ in range(moves):
        position = position.play(int(position.legal_points()[5]))
    for seed in range(4):
        search = Search(Settings(seed=seed, threads=THREADS, c=2.0))         # a small c starves what began badly
        result = search.search(position, simulations=100_000)
        assert result.proven == value and result.simulations < 100_000
        below = {info.point: info.proven for info in result.moves}
        assert max(proven for proven in below.values() if proven is not None) == value


def test_results_have_the_ownership_of_all_threads_and_no_move_in_a_seki():
    position, _ = draw(SEKI, komi=0.5)
    search = Search(replace(UCT, threads=THREADS, early_stop=False, seed=1))
    result = search.search(position, simulations=4000)
    assert result.best().point == PASS and result.win_rate > 0.9
    rollouts = search.growth.rollouts[:, 0]
    assert result.rollouts == rollouts.sum() > 1000
    owners = search.growth.rollouts.sum(0)[board_points(position.size)] / rollouts.sum()
    assert np.allclose(result.ownership.ravel(), owners, atol=1e-6)


def test_the_tree_of_threads_is_kept_and_full_trees_are_begun_anew():
    search, position = Search(Settings(threads=3, early_stop=False)), GoPosition(5)
    result = search.search(position, simulations=3000)
    info = result.best()
    again = search.search(position.play(info.point), simulations=1)
    assert again.visits == info.visits + 1
    small = Search(Settings(threads=3, max_edges=1000, early_stop=False))
    for _ in range(6):
        result = small.search(position, simulations=500)
        assert result.visits >= 500 and small.tree.record["n_edges"] <= 1000
        position = position.play(result.best().point)


def test_threads_stop_early_when_the_move_is_decided():
    position, _ = draw(LADDER, to_play=WHITE, komi=14.5)
    result = Search(replace(UCT, threads=3)).search(position, simulations=40_000, select_by="visits")
    first, second = (info.visits for info in result.moves[:2])
    assert result.simulations < 40_000 and first - second > 40_000 - result.simulations


def test_after_an_interrupt_the_next_search_waits_for_the_threads():
    search = Search(replace(UCT, threads=3, early_stop=False))
    search.search(GoPosition(9), simulations=500)

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.search(GoPosition(9), simulations=2000, should_stop=interrupt)
    result = search.search(GoPosition(9), simulations=700)
    assert result.visits == 700
    assert sum(info.visits for info in result.moves if info.symmetry_of is None) <= 700
    used = search.tree.record
    assert not search.tree.nodes["virtual_losses"][1:used["n_nodes"]].any()
    assert not search.tree.edges["virtual_losses"][:used["n_edges"]].any()
