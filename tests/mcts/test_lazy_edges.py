"""Lazy edges: the tree is that of a search in which every node has all its edges, in a fraction of the memory."""
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from trees import moves_after, moves_of

from mugo.games import game, gomoku
from mugo.games.coords import PASS, board_points
from mugo.games.go import GoPosition
from mugo.games.position import BasePosition
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.mcts import records, solver
from mugo.mcts.expansion import LEAST_PRIOR
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


class Rugged(NetworkProtocol):
    """A network whose priors differ by factors of up to e^spread, and whose values are small, by a hash of the
    planes."""
    name, has_value, has_ownership = "rugged", True, False

    def __init__(self, spread: float = 6.0):
        self.spread = spread

    def evaluate_packed(self, packed, features=None) -> NetworkOutput:
        area = int(np.prod(packed.shape[1:-1]))
        output = NetworkOutput(np.empty((len(packed), area + 1), np.float32), np.empty(len(packed), np.float32))
        for k, planes in enumerate(packed):
            rng = np.random.default_rng(list(planes.tobytes()))
            priors = np.exp(self.spread * rng.random(area + 1))
            priors[-1] = 1e-9                            # no game ends
            output.priors[k] = priors / priors.sum()
            output.values[k] = rng.uniform(-0.2, 0.2)
        return output


def search_of(network=None, **settings) -> Search:
    return Search(Settings(**{"rollout": "none", "early_stop": False, "seed": 1, "batch": 1, **settings}),
                  network or Rugged())


@dataclass
class Node:
    """A node of the oracle, with all its moves.  moves: by point, [prior, visits, q]."""
    moves: dict[int, list[float]] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.visits


class SlowTree:
    """PUCT with transpositions, c 2 and no first-play reduction, as docs/explanation/search.md has it."""

    def __init__(self, position: BasePosition, network: Rugged):
        self.position, self.network = position, network
        self.nodes: dict[int, Node] = {}

    def node_of(self, position: BasePosition) -> Node:
        return self.nodes.setdefault(int(game.position_hash(position.board[0])), Node())

    def simulate(self) -> None:
        position, node = self.position, self.node_of(self.position)
        path: list[tuple[Node, int]] = []
        while node.moves:
            visits, mean = node.visits + 1, node.mean    # this simulation counts
            move = max(node.moves, key=lambda point: (
                (node.moves[point][2] if node.moves[point][1] else mean)
                + 2 * node.moves[point][0] * math.sqrt(visits) / (1 + node.moves[point][1])))
            path.append((node, move))
            position = position.play(move)
            node = self.node_of(position)
        value = self.expand(node, position)
        node.visits, node.total = node.visits + 1, node.total + value
        for parent, move in reversed(path):
            parent.moves[move][1:] = parent.moves[move][1] + 1, -node.mean
            value = -value
            node = parent
            node.visits, node.total = node.visits + 1, node.total + value

    def expand(self, node: Node, position: BasePosition) -> float:
        """Give a node its moves; returns its value."""
        output = self.network.evaluate_packed(game.encode([position]))
        points = [*position.sensible_points().tolist(), *[PASS] * position.may_pass]
        index = {point: k for k, point in enumerate([*board_points(position.shape).tolist(), PASS])}
        priors = output.priors[0][[index[point] for point in points]].astype(float)
        node.moves = {point: [prior, 0, 0.0] for point, prior in zip(points, priors / priors.sum(), strict=True)}
        return float(output.values[0])


@pytest.mark.parametrize("position, spread", [
    (GoPosition(5), 6.0), (GoPosition(6), 2.0), (GoPosition(9), 9.0), (gomoku.GomokuPosition(9, 5), 4.0)])
def test_the_tree_is_that_of_a_plain_search_with_all_edges(position, spread):
    network = Rugged(spread)
    slow, search = SlowTree(position, network), search_of(network)
    n = 200
    for _ in range(n):
        slow.simulate()
    result = search.search(position, simulations=n)
    compared = 0

    def compare(moves: tuple[int, ...], at: BasePosition) -> None:
        nonlocal compared
        node = slow.node_of(at)
        found = {info.point: info for info in moves_after(search, moves) if info.visits}
        assert {point: info.visits for point, info in found.items()} == {
            point: visits for point, (_, visits, _) in node.moves.items() if visits}
        for point, info in found.items():
            assert info.win_rate == pytest.approx((1 + node.moves[point][2]) / 2, abs=1e-5)
            assert info.prior == pytest.approx(node.moves[point][0], rel=1e-4)
            compared += 1
            if len(moves) < 4:
                compare((*moves, point), at.play(point))

    compare((), position)
    assert result.visits == n and compared > 100


def check_lists(search: Search) -> int:
    """What holds of every node's edges and list; returns the places that they take."""
    tree, used = search.tree, set()
    for v in range(1, tree.n_nodes):
        node, edges, moves = tree.nodes[v], tree.edges_of(v), moves_of(tree, v)
        assert len(edges) <= len(moves) <= node["moves"] and len(set(moves["move"].tolist())) == len(moves)
        assert moves["prior"].sum() == pytest.approx(1, abs=361 * float(LEAST_PRIOR)) or not len(moves)
        others, first = moves["prior"][len(edges):], edges["prior"][edges["move"] != PASS]     # which may be the first
        assert not len(others) or others[0] == others.max() <= first.min(initial=1)
        assert others.min(initial=1) >= LEAST_PRIOR
        places = [*range(node["first"], node["first"] + len(edges))]
        if len(edges) < node["listed"]:
            places += range(node["list"], node["list"] - (-node["listed"] // records.LISTED_IN_EDGE))
        assert not used & set(places) and max(places, default=0) < tree.record["n_edges"]
        used.update(places)
    return len(used)


def test_the_next_root_has_all_moves():
    search, position = search_of(Rugged(25.0)), GoPosition(9)
    move = search.search(position, simulations=100).best().point
    assert len(moves_after(search, (move,))) < 60         # the others have priors below LEAST_PRIOR
    position = position.play(move)
    result = search.search(position, simulations=20)
    assert result.visits > 20
    assert {info.point for info in result.moves} == {*position.legal_points().tolist(), PASS}
    assert sum(info.prior for info in result.moves) == pytest.approx(1, abs=1e-4)
    assert search.tree.root_edges["move"][-1] == PASS


def test_moves_that_are_not_listed_are_searched_when_the_others_lose():
    """The only move with a prior lets the opponent win at once; of the others two do not."""
    class Blunders(Rugged):
        def evaluate_packed(self, packed, features=None):
            output = super().evaluate_packed(packed)
            output.priors[:] = 1e-12
            output.priors[:, 0] = 1.0
            return output

    search = search_of(Blunders(), c=0.1)
    position = gomoku.GomokuPosition(4, 3)
    result = search.search(position, simulations=2000)
    tree = search.tree
    lazy = [v for v in range(1, tree.n_nodes) if 0 < tree.nodes[v]["count"] < tree.nodes[v]["moves"]]
    full = [v for v in range(2, tree.n_nodes) if 1 < tree.nodes[v]["count"] == tree.nodes[v]["moves"]
            and tree.nodes[v]["listed"] == 1]
    assert lazy and full and result.proven == solver.WIN
    for v in full:
        assert tree.edges_of(v)["prior"].sum() == pytest.approx(1, abs=1e-4)


def test_a_node_whose_list_was_dropped_gets_the_edges_of_all_other_moves():
    """Its listed moves all had edges when another root was chosen, and compaction let others have the list's place."""
    class Sure(Rugged):
        def evaluate_packed(self, packed, features=None):
            output = super().evaluate_packed(packed)
            output.priors[:] = np.where(output.priors < output.priors.max(1, keepdims=True), 1e-7, 1.0)
            output.values[:] *= 4
            return output

    search, position = search_of(Sure(), c=0.1), GoPosition(9)
    dropped = opened = 0
    for _ in range(4):
        result = search.search(position, simulations=200)
        nodes, tree = search.tree.nodes, search.tree
        dropped += sum(0 < nodes[v]["count"] == nodes[v]["listed"] < nodes[v]["moves"] for v in range(1, tree.n_nodes))
        for v in range(1, tree.n_nodes):
            if nodes[v]["count"] and nodes[v]["count"] == nodes[v]["moves"]:
                opened += 1
                assert len({*tree.edges_of(v)["move"].tolist()}) == nodes[v]["count"] <= 82
                assert tree.edges_of(v)["prior"].sum() == pytest.approx(1, abs=1e-3)
        position = position.play(int(result.best().point))
    assert dropped > 10 and opened > 10


@pytest.mark.parametrize("rollout", ["none", "uniform"])
@pytest.mark.parametrize("size", [2, 5])
def test_a_full_tree_is_searched_on(rollout, size):
    """Also on 2x2, where superko may forbid the only moves that have edges."""
    search = search_of(max_edges=1000, rollout=rollout, batch=4)
    result = search.search(GoPosition(size), simulations=3000)
    assert result.visits == 3000 == sum(info.visits for info in result.moves) + 1
    check_lists(search)
    assert result.is_full == (size == 5)
