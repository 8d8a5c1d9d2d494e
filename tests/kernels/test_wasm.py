"""Kernels in WebAssembly do what they do natively: the same planes, trees, scores, byte for byte.  Needs node and a
linker (mugo.kernels.webassembly); where there is none, these tests are skipped."""
from dataclasses import replace

import numpy as np
import pytest
from fakes import StoneCounter
from wasm_calls import Calls, addresses, has_tools

from mugo.games import game, planes, rollouts, scoring
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.mcts import tree
from mugo.mcts.search import Search
from mugo.players.registry import GOMOKU_MCTS, MCTS, UCT


pytestmark = pytest.mark.skipif(not has_tools(), reason="needs node, and a linker for WebAssembly")


@pytest.fixture
def calls(monkeypatch):
    recorded = Calls()
    recorded.names = addresses()
    return recorded


def assert_same(results: list[dict]) -> None:
    assert results
    assert [each for each in results if each["different"] or not each["result"]] == []


def finished(size: int = 9) -> GoPosition:
    """A game that random moves have filled."""
    rng, position = np.random.default_rng(1), GoPosition(size)
    while len(points := position.sensible_points()):
        position = position.play(int(rng.choice(points)))
    return position


@pytest.mark.parametrize("position", [GoPosition(9), GoPosition((7, 11)), GomokuPosition(8)],
                         ids=["9x9", "11x7", "gomoku"])
def test_a_search_with_rollouts_has_the_same_tree(position, calls, built_kernels, tmp_path, monkeypatch):
    search = Search(replace(UCT, max_edges=300_000, seed=1))
    search.search(position, simulations=1)
    native = tree.simulate
    monkeypatch.setattr(tree, "simulate", lambda *given: calls.call("simulate", native, *given))
    search.growth.grow(5000)
    assert_same(calls.compare(built_kernels, tmp_path))


@pytest.mark.parametrize(("position", "settings"), [(GoPosition(9), MCTS), (GomokuPosition(8), GOMOKU_MCTS)],
                         ids=["go", "gomoku"])
def test_a_search_with_a_network_has_the_same_tree(position, settings, calls, built_kernels, tmp_path, monkeypatch):
    search = Search(replace(settings, max_edges=40_000, seed=1), StoneCounter())
    search.search(position, simulations=300)
    for name in "select_batch", "evaluate_leaves", "expand_and_backup":
        native = getattr(tree, name)
        monkeypatch.setattr(tree, name, lambda *given, name=name, native=native: calls.call(name, native, *given))
    for _ in range(3):
        search.growth.grow(8)
    assert {each["name"] for each in calls.calls} >= {"select_batch", "expand_and_backup"}
    assert_same(calls.compare(built_kernels, tmp_path))


def test_dead_stones_and_planes_are_the_same(calls, built_kernels, tmp_path, monkeypatch):
    position = finished()
    for module, name, exported in ((scoring, "_mark", "mark"), (planes, "_write_components", "write_components"),
                                   (game, "_write_planes", "write_planes"),
                                   (rollouts, "roll_outs_ownership", "roll_outs_ownership")):
        native = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, name=exported, native=native: calls.call(name, native, *given))
    scoring._look.cache_clear()
    rollouts.rollout_ownership.cache_clear()
    assert scoring.judge(position.stones).is_clear in (True, False)
    planes.connected_components(game.encode([position]), 9)
    assert len(calls.calls) >= 4
    assert_same(calls.compare(built_kernels, tmp_path))
