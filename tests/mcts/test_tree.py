"""The search tree against what its docstring promises: counts, means, formulas, superko, what is kept."""
import math

import numpy as np
import pytest
from drawing import draw
from trees import Grown

from mugo.games import game, gomoku
from mugo.games.coords import PASS, board_points
from mugo.games.go import BLACK, WHITE, GoPosition
from mugo.games.rules import NAMED_RULES
from mugo.mcts import records, selection, solver, tree, tree_arrays
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


@pytest.mark.parametrize("settings", [{}, {"fpu": 1.1}, {"expand_after": 3}, {"rollouts": 3},
                                      {"formula": "puct", "c": 2.0, "fpu": math.nan},
                                      {"rave": True, "rave_bias": 0.02, "heuristic_priors": True}])
def test_statistics_of_a_tree_are_consistent(settings):
    grown = Grown(GoPosition(5), **settings).simulate(3000)
    grown.check()
    assert grown.root["visits"] == 3000
    assert grown.edges_of(grown.root)["visits"].sum() == 3000 - settings.get("expand_after", 1)
    assert -3000 < grown.root["total"] < 3000
    assert grown.ownership.any()


def test_the_mean_of_a_node_with_one_parent_is_of_its_own_simulations():
    grown, checked = Grown(GoPosition(4)).simulate(2000), 0
    parents = np.bincount(grown.edges["node"][:grown.trees[0]["n_edges"]])
    for node in grown.used:
        for edge in grown.edges_of(node):
            if edge["visits"] and parents[edge["node"]] == 1:
                below = grown.nodes[edge["node"]]
                assert below["visits"] == edge["visits"]
                mean = below["lower"] if solver.is_proven(below) else below["total"] / below["visits"]
                assert edge["q"] == pytest.approx(-mean, abs=1e-5)
                checked += 1
    assert checked > 300


def test_a_node_shared_by_two_parents_has_the_exact_mean_of_both():
    """root -> first, second -> shared: values of three simulations, by both parents in turn, worked out by hand."""
    grown = Grown(GoPosition(5))
    root, first, second, shared = 1, 2, 3, 4
    for v in first, second, shared:
        assert tree_arrays.find_or_add(grown.trees[0], grown.nodes, grown.table, np.uint64(1000 + v)) == v
    for i, node in enumerate([first, second, shared, shared]):         # edges 0, 1 of the root; 2 of first, 3 of second
        grown.edges[i]["node"], grown.edges[i]["lower"], grown.edges[i]["upper"] = node, solver.LOSS, solver.WIN
    for v, start, count in (root, 0, 2), (first, 2, 1), (second, 3, 1):
        grown.nodes[v]["first"], grown.nodes[v]["count"], grown.nodes[v]["moves"] = start, count, count
    paths = {first: np.array([[root, 0], [first, 0]], np.int32), second: np.array([[root, 1], [second, 0]], np.int32)}

    def simulate(parent, value, exact=False):
        for v, i in paths[parent]:
            grown.nodes[v]["virtual_losses"] += 1
            grown.edges_of(grown.nodes[v])["virtual_losses"][i] += 1
        grown.nodes[shared]["virtual_losses"] += 1
        tree.backup(grown.trees[0], grown.nodes, grown.edges, shared, 2, paths[parent], value, exact,
                    tree.NO_SCORE)
        assert not grown.nodes["virtual_losses"].any() and not grown.edges["virtual_losses"].any()

    def statistics():
        return [(int(node["visits"]), float(node["total"])) for node in grown.nodes[root:shared + 1]], \
               [(int(edge["visits"]), round(float(edge["q"]), 6)) for edge in grown.edges[:4]]

    simulate(first, 0.5)
    assert statistics() == ([(1, 0.5), (1, -0.5), (0, 0), (1, 0.5)], [(1, 0.5), (0, 0), (1, -0.5), (0, 0)])
    simulate(second, -1.0)
    # The mean of the shared node, -0.25, is seen by the edge that was passed; the other one keeps its 0.5 (UCT2).
    assert statistics() == ([(2, -0.5), (1, -0.5), (1, 1.0), (2, -0.5)], [(1, 0.5), (1, -1.0), (1, -0.5), (1, 0.25)])
    simulate(first, 0.25)
    nodes, edges = statistics()
    assert nodes == [(3, -0.25), (2, -0.75), (1, 1.0), (3, -0.25)]
    assert edges == [(2, 0.375), (1, -1.0), (2, pytest.approx(1 / 12, abs=1e-5)), (1, 0.25)]
    # A proof found by one path: it counts for the other as soon as selection comes there.
    simulate(second, 1.0, exact=True)
    assert [solver.is_proven(node) for node in grown.nodes[root:shared + 1]] == [True, False, True, True]
    assert (grown.edges[3]["q"], grown.edges[1]["q"]) == (-1, 1)
    assert (grown.nodes[second]["lower"], grown.root["lower"]) == (-1, 1)
    simulate(first, 0.0)                                 # a value for a proven node is replaced by the exact one
    assert solver.is_proven(grown.nodes[first]) and grown.edges[0]["q"] == 1 and grown.edges[2]["q"] == -1


def test_the_position_hash_includes_side_to_move_ko_and_passes():
    position = GoPosition(4)
    keys = {game.position_hash(p.board[0]) for p in (position, position.with_turn(WHITE), position.play(PASS),
                                                     position.play(PASS).play(PASS))}
    assert len(keys) == 4
    ko, at = draw("""
        . X O .
        X O a O
        . X O .
        . . . .
    """)
    taken = ko.play(at["a"])
    points = board_points(4)
    never_taken = GoPosition(4).with_stones(*(points[(taken.stones == c).ravel()] for c in (BLACK, WHITE)), WHITE)
    assert (never_taken.stones == taken.stones).all()
    assert game.position_hash(never_taken.board[0]) != game.position_hash(taken.board[0])


@pytest.mark.parametrize("rave", [False, True])
def test_select_child_maximises_the_formula(rave):
    settings = {"formula": "ucb", "c": 0.8, "fpu": 0.6, "rave": rave, "rave_bias": 0.1}
    grown = Grown(GoPosition(4), **settings).simulate(500)
    rng = np.random.default_rng(1)
    checked = 0
    for v, node in enumerate(grown.used, 1):
        edges = grown.edges_of(node)
        if not len(edges):
            continue
        edges["prior"] = rng.dirichlet(np.ones(len(edges)))
        edges["virtual_losses"] = rng.integers(0, 3, len(edges))
        node["virtual_losses"] = 2
        worth = []
        for edge in edges:
            n = edge["visits"] + edge["virtual_losses"]
            q = (edge["q"] * edge["visits"] - edge["virtual_losses"]) / n if n else None
            if rave:
                total, losses = max(node["visits"] + node["virtual_losses"], 1), edge["virtual_losses"]
                rave_n = edge["rave_visits"] + losses
                if edge["lower"] == edge["upper"]:
                    value = edge["lower"]
                elif not rave_n:
                    value = q
                else:
                    beta = rave_n / (n + rave_n + 4 * 0.1 ** 2 * n * rave_n)
                    value = (1 - beta) * (q or 0) + beta * (edge["rave_q"] * edge["rave_visits"] - losses) / rave_n
                exploration = 0.8 * math.sqrt(math.log(total) / (n + 1))
                worth.append(exploration + (0.6 if value is None else (1 + value) / 2))
            else:
                total = max(node["visits"] + node["virtual_losses"], 1)
                worth.append(0.6 if q is None else (1 + q) / 2 + 0.8 * math.sqrt(math.log(total) / n))
            if edge["upper"] == solver.LOSS and not solver.is_proven(node):
                worth[-1] = -math.inf
        chosen = selection.select_child(grown.trees[0], grown.nodes, grown.edges, v, grown.boards[0], grown.history,
                                       False)
        assert worth[chosen - node["first"]] == pytest.approx(max(worth), abs=1e-5)
        checked += 1
    assert checked > 20


def test_ucb1_visits_every_edge_once_first():
    grown = Grown(GoPosition(4)).simulate(1 + 17)
    assert (grown.edges_of(grown.root)["visits"] == 1).all()
    grown.simulate(17)
    assert grown.edges_of(grown.root)["visits"].max() > 1


def test_no_path_in_the_tree_repeats_a_position():
    # On 2x2 nearly every line runs into superko.
    grown = Grown(GoPosition(2, komi=0.5), nodes=50_000)
    path = np.zeros((records.MAX_DEPTH, 2), np.int32)
    longest = 0
    for _ in range(3000):
        random = grown.boards[1]["random"]
        grown.boards[1] = grown.boards[0]
        grown.boards[1]["random"] = random
        leaf, depth = tree.select(grown.trees[0], grown.nodes, grown.edges, grown.table, grown.boards[1],
                                  grown.history, path, grown.scratch)
        longest = max(longest, depth)
        position = GoPosition(2, komi=0.5)
        for v, i in path[:depth]:                        # `play` raises IllegalMove for a repetition
            position = position.play(int(grown.edges_of(grown.nodes[v])[i]["move"]))
        assert (position.board[0]["colour"] == grown.boards[1]["colour"]).all()
        assert position.is_over == (grown.boards[1]["passes"] >= 2)
        value = 0.0                                      # backup replaces that of a proven leaf
        if position.is_over:
            value = np.sign(position.score()) * position.to_play
        tree.backup(grown.trees[0], grown.nodes, grown.edges, leaf, depth, path, float(value), position.is_over,
                    tree.NO_SCORE)
    assert longest > 8
    grown.check()


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
def test_by_simple_ko_a_simulation_ends_where_a_position_comes_again(rules):
    start = GoPosition(2, komi=0.5).with_rules(NAMED_RULES[rules])
    grown = Grown(start, nodes=50_000, simple_ko=True)
    path = np.zeros((records.MAX_DEPTH, 2), np.int32)
    first, ends = (start.stones.tobytes(), start.to_play), []
    for _ in range(3000):
        random = grown.boards[1]["random"]
        grown.boards[1] = grown.boards[0]
        grown.boards[1]["random"] = random
        leaf, depth = tree.select(grown.trees[0], grown.nodes, grown.edges, grown.table, grown.boards[1],
                                  grown.history, path, grown.scratch)
        position, seen, since_pass, repeats = start, {first}, {first}, False
        for step, (v, i) in enumerate(path[:depth]):
            position = position.play(int(grown.edges_of(grown.nodes[v])[i]["move"]))
            situation = position.stones.tobytes(), position.to_play
            repeats = position.last != PASS and situation in seen
            assert not repeats or step == depth - 1, "no position comes again before the end of a simulation"
            if not repeats:
                since_pass = {situation} | (set() if position.last == PASS else since_pass)
            seen.add(situation)
        is_no_result = repeats and situation in since_pass
        assert (leaf == records.NULL_NODE) == is_no_result
        ends.append(is_no_result)
        exact, value = tree.known_value(grown.trees[0], grown.nodes, leaf, grown.boards[1], grown.history)
        assert not is_no_result or (exact, value) == (True, 0)
        tree.backup(grown.trees[0], grown.nodes, grown.edges, leaf, depth, path, float(value), exact, tree.NO_SCORE)
    assert 10 < sum(ends) < 2900
    assert not grown.used["virtual_losses"].any()


@pytest.mark.parametrize("settings", [{}, {"rave": True, "rave_bias": 0.02, "heuristic_priors": True}])
def test_a_full_tree_is_searched_without_expansion(settings):
    grown = Grown(GoPosition(9), max_edges=2000, nodes=300, **settings).simulate(5000)
    grown.check()
    assert grown.root["visits"] == 5000
    assert grown.trees[0]["n_edges"] <= 2000 and grown.trees[0]["n_nodes"] <= 300
    assert grown.edges_of(grown.root)["visits"].sum() == 4999


def test_advance_root_keeps_exactly_the_subtree():
    grown = Grown(GoPosition(4)).simulate(4000)
    first = grown.edges_of(grown.root)
    v = int(first[np.argmax(first["visits"])]["node"])

    def facts(v):
        """Everything reachable from a node, by key."""
        found, todo = {}, [v]
        while todo:
            node = grown.nodes[todo.pop()]
            if int(node["key"]) in found:
                continue
            edges = grown.edges_of(node)
            found[int(node["key"])] = int(node["visits"]), float(node["total"]), [
                (int(edge["move"]), int(edge["visits"]), float(edge["q"]), int(grown.nodes[edge["node"]]["key"]))
                for edge in edges]
            todo += [int(e["node"]) for e in edges if e["node"]]
        return found

    before, all_nodes = facts(v), len(grown.used)
    kept = tree_arrays.advance_root(grown.trees, grown.nodes, grown.edges, grown.table, v)
    assert facts(int(grown.trees[0]["root"])) == before
    assert kept == len(before) == len(grown.used) < all_nodes
    assert grown.trees[0]["n_edges"] == sum(len(edges) for _, _, edges in before.values())
    grown.check()


def test_a_batch_selects_different_leaves_and_leaves_no_virtual_loss():
    grown = Grown(GoPosition(5), has_priors=True, lazy_edges=True, formula="puct", c=3.0, fpu=math.nan,
                  expand_after=0, batch=8)

    def even(n):
        return np.full((n, 26), 1 / 26), np.zeros(n)

    assert grown.batch(8, even) == 1                      # the root alone has to be judged first
    assert grown.batch(8, even) == 8
    assert len(set(grown.leaves["node"].tolist())) == 8
    for _ in range(50):
        grown.batch(8, even)
    grown.check()
    assert grown.root["visits"] == 1 + 8 * 51


def test_priors_are_normalised_over_legal_moves():
    position, at = draw("""
        . X .
        X a X
        . X .
    """, to_play=WHITE)
    grown = Grown(position, has_priors=True, formula="puct", expand_after=0)
    grown.batch(1, lambda n: (np.eye(10)[[4]], np.zeros(1)))
    edges = grown.edges_of(grown.root)
    assert at["a"] not in edges["move"]
    assert edges["prior"] == pytest.approx(1 / len(edges))


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 1.0])
def test_the_value_of_a_leaf_is_mixed_by_lambda(lambda_):
    position = GoPosition(5, komi=-50)                      # every rollout is Black's
    for to_play, outcome in ((BLACK, 1.0), (WHITE, -1.0)):
        grown = Grown(position.with_turn(to_play), has_priors=True, formula="puct", expand_after=0,
                      lambda_=lambda_)
        grown.batch(1, lambda n: (np.full((n, 26), 1 / 26), np.full(n, 0.4)))
        assert grown.root["total"] == pytest.approx((1 - lambda_) * 0.4 + lambda_ * outcome)
        assert grown.root["visits"] == 1


def test_a_leaf_that_the_network_does_not_evaluate_has_the_value_of_its_rollouts_alone():
    grown = Grown(GoPosition(5, komi=-50), has_priors=True, formula="puct", expand_after=2, lambda_=0.5)
    for total in 0.5, 1.5, 2.5:                          # the root: half the rollout and half the network's 0
        grown.batch(1, lambda n: (np.full((n, 26), 1 / 26), np.zeros(n)))
        assert grown.root["total"] == pytest.approx(total)


@pytest.mark.parametrize("lambda_, repeats", [(0.0, True), (1.0, False)])
def test_an_edge_without_a_node_repeats_a_networks_value_but_not_a_rollout(lambda_, repeats):
    grown = Grown(GoPosition(3, 0.5), nodes=3, formula="puct", has_priors=True, expand_after=0, lambda_=lambda_,
                  c=9.0)
    rng = np.random.default_rng(1)
    for _ in range(400):
        grown.batch(1, lambda n: (np.full((n, 10), 0.1), rng.uniform(-0.9, 0.9, n)))
    edges = [edge for node in grown.used for edge in grown.edges_of(node) if edge["visits"] > 9 and not edge["node"]]
    values = [abs(float(edge["q"])) for edge in edges]
    assert len(edges) > 3
    assert all(value < 0.95 for value in values) if repeats else any(0.02 < value < 0.98 for value in values)


@pytest.mark.parametrize("position", [GoPosition(5), gomoku.GomokuPosition(6, 4)], ids=["go", "gomoku"])
def test_a_search_does_not_depend_on_the_size_of_the_table(position, monkeypatch):
    def searched():
        search = Search(Settings(seed=1, rollout="uniform", expand_after=1, early_stop=False))
        first = search.search(position, simulations=3000)
        second = search.search(position.play(first.best().point), simulations=3000)
        return [[(info.point, info.visits, info.win_rate) for info in result.moves] for result in (first, second)], \
            len(search.tree.table)

    usual, size = searched()
    monkeypatch.setattr(tree_arrays, "SMALLEST_TABLE", 16)
    small, grown = searched()
    assert small == usual and 16 < grown <= size
