"""Proven values in the tree against exhaustive search, and what a search makes of them."""
import random

import numpy as np
import pytest
from drawing import SETTLED, after, draw
from fakes import LevelNetwork
from trees import Grown

from mugo.games import go, gomoku
from mugo.games.coords import PASS, point_at
from mugo.games.position import BasePosition
from mugo.games.rules import NAMED_RULES
from mugo.mcts import records, result, solver, tree, tree_arrays
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

KINDS = {
    "uct": (Settings(rollout="mogo", seed=1), None),
    "uct uniform": (Settings(seed=1), None),
    "uct with rave": (Settings(rollout="mogo", rave=True, heuristic_priors=True, seed=1), None),
    "mcts": (Settings(rollout="none", seed=1), LevelNetwork()),
    "mcts with rollouts": (Settings(rollout="mogo", lambda_=0.5, seed=1), LevelNetwork()),
}


def a_search(kind: str, **changes) -> Search:
    settings, network = KINDS[kind]
    return Search(Settings(**{**settings.__dict__, **changes}), network)


# ---- slow oracles

def exact_value(position: BasePosition, known: dict) -> int:
    """The value of a position of Gomoku for the side to move, by exhaustive search.  known: values."""
    key = position.stones.tobytes(), position.to_play
    if key not in known:
        if position.is_over:
            known[key] = int(position.score()) * position.to_play
        else:
            value = -1
            for point in position.legal_points().tolist():
                value = max(value, -exact_value(position.play(point), known))
                if value == 1:
                    break
            known[key] = value
    return known[key]


def exact_value_of_go(position: go.GoPosition, lowest: int = -1, highest: int = 1, budget: list | None = None) -> int:
    """The value of a position of Go with its history, for the side to move, by alpha-beta search; the moves are the
    sensible ones and the pass.  budget: [positions left]; raises TimeoutError beyond."""
    if position.is_over:
        return int(np.sign(position.score())) * position.to_play
    if budget is not None:
        budget[0] -= 1
        if budget[0] < 0:
            raise TimeoutError
    best = -1
    for point in [PASS, *position.sensible_points().tolist()]:
        best = max(best, -exact_value_of_go(position.play(point), -highest, -max(best, lowest), budget))
        if best >= highest:
            break
    return best


def random_position(start: BasePosition, plies: int, rng: random.Random) -> BasePosition:
    """A position after random moves, as many as the game has up to `plies`; in Go sometimes a pass."""
    position = start
    while position.plies < plies:
        moves = position.sensible_points().tolist()
        if position.may_pass and position.last != PASS and rng.random() < 0.2:
            moves = []
        after = position.play(rng.choice(moves) if moves else PASS)
        if after.is_over:
            break
        position = after
    return position


# ---- proofs are true

@pytest.mark.parametrize("size, k, plies", [(3, 3, 0), (3, 3, 2), (4, 4, 9), (4, 3, 7)])
@pytest.mark.parametrize("settings", [{}, {"formula": "puct", "c": 1.5}])
def test_the_bounds_of_every_node_hold_in_gomoku(size, k, plies, settings):
    known, rng = {}, random.Random(size + k)
    for _ in range(2):
        start = random_position(gomoku.GomokuPosition(size, k), plies, rng)
        grown = Grown(start, **settings)
        while not solver.is_proven(grown.root) and grown.root["visits"] < 5000:
            grown.simulate(250)
        # A proven draw is visited on, so that to prove that there is no win takes long.
        assert solver.is_proven(grown.root) or exact_value(start, known) == 0
        seen, todo = set(), [(int(grown.trees[0]["root"]), start)]
        while todo:
            v, position = todo.pop()
            if v in seen:
                continue
            seen.add(v)
            node = grown.nodes[v]
            assert node["lower"] <= exact_value(position, known) <= node["upper"], f"\n{position}"
            for edge in grown.edges_of(node) if not position.is_over else ():
                after = position.play(int(edge["move"]))
                assert edge["lower"] <= -exact_value(after, known) <= edge["upper"], f"\n{after}"
                if edge["node"]:
                    todo.append((int(edge["node"]), after))
        assert len(seen) == len(grown.used)


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_proves_the_value_of_noughts_and_crosses(kind):
    known, rng = {}, random.Random(kind)
    for plies in 0, 2, 3, 4, 5:
        position = random_position(gomoku.GomokuPosition(3), plies, rng)
        result = a_search(kind).search(position, simulations=20_000)
        value = exact_value(position, known)
        assert result.proven == value or (result.proven, value) == (None, 0)
        assert result.win_rate == pytest.approx((1 + value) / 2, abs=0 if result.proven is not None else 0.1)
        if result.proven is not None:
            assert result.lower_bound == result.win_rate
            assert result.simulations < 20_000
        for info in result.moves:
            if info.proven is not None:
                assert info.proven == -exact_value(position.play(info.point), known)
                assert info.win_rate == info.lower_bound == (1 + info.proven) / 2
        for select_by in "visits", "value":
            assert -exact_value(position.play(result.best(select_by).point), known) == value


@pytest.mark.parametrize("settings", [Settings(seed=1), Settings(seed=1, rave=True, heuristic_priors=True)])
@pytest.mark.parametrize("size, komi", [(2, 0.5), (2, 1), (2, 2.5), (3, 3.5), (3, 0)])
def test_proofs_in_go_are_true_for_the_moves_that_led_there(size, komi, settings):
    # On these boards nearly every capture can be undone, so superko decides most games.
    rng, checked = random.Random(size), 0
    for _ in range(25):
        position = random_position(go.GoPosition(size, komi), rng.randrange(3 * size, 8 * size), rng)
        result = Search(settings).search(position, simulations=400)
        try:
            if result.proven is not None:
                assert result.proven == exact_value_of_go(position, budget=[3000]), f"\n{position}\n{result.table()}"
                checked += 1
            for info in result.moves:
                if info.proven is not None:
                    after = position.play(info.point)
                    assert info.proven == -exact_value_of_go(after, budget=[1000]), f"\n{after}\n{result.table()}"
        except TimeoutError:
            continue
    assert checked >= 5


@pytest.mark.parametrize("size, komi", [(2, 0.5), (2, 1.5), (2, 2.5)])
def test_proofs_by_simple_ko_are_true_though_a_repetition_is_no_result(size, komi):
    rng, checked = random.Random(size), 0
    start = go.GoPosition(size, komi).with_rules(NAMED_RULES["chinese"])
    for _ in range(40):
        position = random_position(start, rng.randrange(3 * size, 12 * size), rng)
        result = Search(Settings(seed=1)).search(position, simulations=400)
        for info in result.moves:
            after = position.play(info.point)
            try:
                if info.proven is not None:
                    assert info.proven == -exact_value_of_go(after, budget=[700]), f"\n{after}\n{result.table()}"
                    checked += 1
            except TimeoutError:
                continue
    assert checked >= 20


# ---- superko

def test_a_win_by_a_move_that_superko_forbids_on_some_path_is_no_proof_for_all():
    ko, at = draw("""
        . X O .
        X O a O
        . X O .
        b . . c
    """)
    point = point_at(1, 1, 4)                            # where Black has taken a stone that White may retake later
    grown = Grown(after(ko, at, "a b c")).simulate(2)
    edges = grown.edges_of(grown.root)
    assert {int(edge["move"]) for edge in edges if edge["may_repeat"]} == {point}
    v = int(grown.trees[0]["root"])
    i = int(grown.root["first"]) + int(np.flatnonzero(edges["move"] == point)[0])
    grown.edges[i]["node"] = 2
    grown.nodes[2]["lower"] = grown.nodes[2]["upper"] = solver.LOSS
    for at_root in False, True:
        assert solver.bound_edge(grown.nodes, grown.edges, i, at_root or not grown.edges[i]["may_repeat"]) == at_root
        solver.bound_node(grown.nodes, grown.edges, v)
        assert solver.is_proven(grown.root) == at_root
    grown.edges[i]["lower"] = grown.root["lower"] = solver.LOSS
    solver.bound_root(grown.nodes, grown.edges, v)       # the moves that led to the root are known
    assert solver.is_proven(grown.root)
    for at_root in False, True:
        grown.edges[i]["lower"] = grown.root["lower"] = solver.LOSS
        grown.trees[0]["root"] = v if at_root else 0
        for record in grown.nodes[2], grown.nodes[v], grown.edges[i]:
            record["virtual_losses"] = 1
        path = np.array([[v, i]], np.int32)
        tree.backup(grown.trees[0], grown.nodes, grown.edges, 2, 1, path, -1.0, True,
                    tree.NO_SCORE)
        assert solver.is_proven(grown.nodes[v]) == at_root


# ---- the shortest win, the longest resistance

def test_the_shortest_win_is_the_best_and_the_longest_resistance_counts():
    """1 -> 2 -> 3 -> 4 and 1 -> 5 are wins of the side to move at 1; 6 loses by 3 and by 1; 7 is not proven."""
    bounds = {1: 1, 2: -1, 3: 1, 4: -1, 5: -1, 6: -1}
    links = {1: (2, 5), 2: (3,), 3: (4,), 6: (3, 1, 3)}
    nodes, edges, n = np.zeros(8, records.NODE), np.zeros(8, records.EDGE), 0
    edges["allowed"] = True
    nodes["lower"], nodes["upper"] = -1, 1
    for v, value in bounds.items():
        nodes[v]["lower"] = nodes[v]["upper"] = value
        nodes[v]["first"], nodes[v]["count"] = n, len(links.get(v, ()))
        for below in links.get(v, ()):
            edges[n]["node"], edges[n]["lower"], edges[n]["upper"] = below, -bounds[below], -bounds[below]
            edges[n]["visits"] = 100 - n
            n += 1
    lengths = solver.proof_lengths(nodes, edges, 8, 1)
    assert lengths[[1, 2, 3, 4, 5]].tolist() == [1, 2, 1, 0, 0] and lengths[6] > 1000 < lengths[7]
    assert solver.proof_lengths(nodes, edges, 8, 6)[[1, 6]].tolist() == [1, 2]
    assert result.ranking(edges[:2], lengths).tolist() == [1, 0]      # the shortest, though it has fewer visits
    edges[1]["lower"] = edges[1]["upper"] = -1
    lengths = solver.proof_lengths(nodes, edges, 8, 6)
    assert lengths[[1, 6]].tolist() == [3, 4]                            # 6 resists longest by 1


# ---- what is played

def edges_of(*rows):
    edges = np.zeros(len(rows), records.EDGE)
    for edge, (visits, lower, upper) in zip(edges, rows, strict=True):
        edge["visits"], edge["lower"], edge["upper"] = visits, lower, upper
    return edges


@pytest.mark.parametrize("rows, order, mistakes", [
    ([(5, -1, 1), (9, -1, 1)], [1, 0], []),                              # by visits
    ([(5, -1, 1), (9, -1, -1), (1, -1, 1)], [0, 2, 1], [1]),             # a proven loss comes last
    ([(5, -1, 1), (2, 1, 1), (9, -1, -1)], [1, 0, 2], [0, 2]),           # a proven win first
    ([(9, -1, 0), (1, 0, 0), (5, -1, -1)], [1, 0, 2], [0, 2]),           # a proven draw, where there is no more
    ([(9, -1, 1), (1, 0, 0), (5, -1, -1)], [0, 1, 2], [2]),              # a draw in hand, and perhaps more
    ([(3, -1, -1), (7, -1, -1)], [1, 0], []),                            # lost: the longest resistance
])
def test_the_order_of_moves_and_which_are_mistakes(rows, order, mistakes):
    edges = edges_of(*rows)
    assert result.ranking(edges).tolist() == order
    assert np.flatnonzero(result.is_proven_mistake(edges)).tolist() == mistakes


@pytest.mark.parametrize("proven, infos, best", [
    (None, [(30, 0.4, None), (20, 0.6, None)], {"visits": 0, "value": 1}),
    (None, [(20, 0.4, None), (30, 0.0, -1), (3, 0.3, None)], {"visits": 0, "value": 0}),
    (None, [(30, 0.4, None), (0, 0.5, None)], {"visits": 0, "value": 0}),
    (None, [(0, 0.5, None), (30, 0.0, -1)], {"visits": 0, "value": 0}),
    (1, [(3, 1.0, 1), (20, 1.0, None)], {"visits": 0, "value": 0}),
    (0, [(3, 0.5, 0), (20, 0.6, None)], {"visits": 0, "value": 0}),
])
def test_the_best_move_of_a_result(proven, infos, best):
    moves = tuple(MoveInfo(point, 0.5, visits, rate, (point,), value)
                  for point, (visits, rate, value) in enumerate(infos, 5))
    result = SearchResult(gomoku.GomokuPosition(3), moves, 0.5, 60, 60, 1.0, 1.0, 9, 0, None, proven)
    assert {select_by: result.best(select_by).point - 5 for select_by in best} == best


def test_a_lost_root_that_is_searched_on_visits_every_move():
    rng, found = random.Random(5), 0
    while found < 3:
        position = random_position(gomoku.GomokuPosition(4, 3), 3, rng)
        proof = Search(Settings(seed=1)).search(position, simulations=2000)
        if proof.proven != -1 or len(proof.moves) < 3:
            continue
        found += 1
        result = Search(Settings(seed=1, early_stop=False)).search(position, simulations=3000)
        visits = [info.visits for info in result.moves]
        assert result.proven == -1 and sum(visits) >= 2999
        assert min(visits) > 0.5 * max(visits)           # all are worth the same


def test_a_won_root_that_is_searched_on_visits_other_moves_too():
    position = draw(SETTLED, to_play=-1, komi=-20)[0].play(PASS)     # another pass wins for Black
    result = Search(Settings(seed=1, early_stop=False)).search(position, simulations=500)
    assert result.proven == 1 and sum(info.visits for info in result.moves) == 500
    assert result.best().point == PASS and all(info.visits > 5 for info in result.moves)


def test_a_pass_that_loses_is_not_visited():
    position = draw(SETTLED, to_play=-1, komi=20)[0].play(PASS)
    for settings, network in (Settings(seed=1), None), (Settings(seed=1, rollout="none"), LevelNetwork()):
        result = Search(settings, network).search(position, simulations=100)
        assert next(info for info in result.moves if info.point == PASS).visits == 0


@pytest.mark.parametrize("kind", ["uct", "mcts with rollouts"])
def test_a_proven_node_below_the_root_is_not_searched_any_more(kind):
    search = a_search(kind, early_stop=False)
    position = gomoku.GomokuPosition(3)                        # a draw, and after a while nearly every node is proven
    search.search(position, simulations=10_000)
    again = search.search(position, simulations=1000)
    assert again.rollouts < 300 and again.depth < 3


def test_the_exact_value_of_a_proven_node_goes_up_whatever_the_leaf_was_worth():
    """1 -> 2 -> 3, and 2 has been proven by another path."""
    grown = Grown(gomoku.GomokuPosition(3))
    for v in 2, 3:
        tree_arrays.find_or_add(grown.trees[0], grown.nodes, grown.table, np.uint64(v))
    for v, below in (1, 2), (2, 3):
        grown.nodes[v]["first"], grown.nodes[v]["count"], grown.nodes[v]["moves"] = v, 1, 1
        grown.edges[v]["node"], grown.edges[v]["lower"], grown.edges[v]["upper"] = below, -1, 1
        grown.nodes[v]["virtual_losses"] = grown.edges[v]["virtual_losses"] = 1
    grown.nodes[3]["virtual_losses"] = 1
    grown.nodes[2]["lower"] = grown.nodes[2]["upper"] = solver.LOSS
    path = np.array([[1, 0], [2, 0]], np.int32)
    tree.backup(grown.trees[0], grown.nodes, grown.edges, 3, 2, path, 0.25, False,
                    tree.NO_SCORE)
    assert grown.nodes["total"][1:4].tolist() == [1.0, -1.0, 0.25]
    assert grown.edges["q"][1:3].tolist() == [1.0, -0.25]
    assert (grown.root["lower"], grown.root["upper"]) == (1, 1)


def test_a_full_tree_proves_nothing_wrong():
    grown = Grown(gomoku.GomokuPosition(5, 4), max_edges=1000, nodes=60).simulate(4000)
    assert not solver.is_proven(grown.nodes[records.NULL_NODE])
    known: dict = {}
    grown.check()
    position = random_position(gomoku.GomokuPosition(4, 3), 8, random.Random(3))
    small = Grown(position, max_edges=60, nodes=12).simulate(500)
    assert small.root["lower"] <= exact_value(small.position, known) <= small.root["upper"]
