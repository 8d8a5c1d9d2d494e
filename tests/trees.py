"""A search tree and its arrays, grown by the kernels of mcts.tree alone."""
import math

import numpy as np
import pytest

from mugo.core.jit import address_of
from mugo.games import game
from mugo.games.board import POINTS, new_boards
from mugo.games.coords import symmetries
from mugo.games.planes import new_scratch
from mugo.games.position import BasePosition
from mugo.mcts import records, selection, tree, tree_arrays
from mugo.mcts.result import MoveInfo, move_infos
from mugo.mcts.search import Search


def moves_of(arrays, v):
    """EDGE (k,): the edges of a node, and as edges without visits its other listed moves."""
    record = arrays.nodes[v]
    edges, listed = arrays.edges[record["first"]:record["first"] + record["count"]], int(record["listed"])
    if len(edges) >= listed:
        return edges
    moves = np.zeros(listed, records.EDGE)
    places = arrays.edges[record["list"]:][:-(-listed // records.LISTED_IN_EDGE)]
    moves["move"], moves["prior"] = (places[name].ravel()[:listed] for name in ("listed_moves", "listed_priors"))
    moves["lower"], moves["upper"] = -1, 1
    moves[:len(edges)] = edges
    return moves


def node_after(arrays, moves):
    """The node after these moves from the root; NULL_NODE where the tree ends before."""
    node = arrays.root
    for move in moves:
        node = next((int(edge["node"]) for edge in arrays.edges_of(node) if edge["move"] == move), records.NULL_NODE)
    return node


def moves_after(search: Search, moves=()) -> tuple[MoveInfo, ...]:
    """The moves after these moves from the root, the best first; () where the tree ends before."""
    if not moves:
        return search._root_infos(search._root)
    edges = moves_of(search.tree, node_after(search.tree, moves))
    return move_infos(search.tree.nodes, search.tree.edges, edges, None, search.settings.lcb_stdevs)


class Grown:
    """A tree and its arrays, of one position."""

    def __init__(self, position: BasePosition, *, max_edges=100_000, nodes=20_000, batch=8, **settings):
        self.position = position
        self.trees = np.zeros(1, records.TREE)
        formula = settings.pop("formula", "ucb")
        chosen = dict(c=0.7, fpu=math.inf, expand_after=1, komi=position.komi,
                      rollouts=1, lambda_=1.0, max_pass_prior=1.0) | settings
        for name, value in chosen.items():
            self.trees[0]["params"][name] = value
        selection.set_addresses(self.trees[0]["params"], position.game)
        if formula == "puct":
            self.trees[0]["params"]["select_child"] = address_of(selection.puct_child, selection.SELECT_CHILD)
        self.nodes = np.zeros(nodes, records.NODE)
        self.edges = np.zeros(max_edges, records.EDGE)
        self.edges["allowed"] = True                     # those that a test writes itself
        self.table = np.zeros(1 << 16, np.int32)
        self.history = np.zeros(4096, np.uint64)
        self.history[:position.plies + 1] = position.history
        self.boards = new_boards(1 + 2 * batch)
        self.boards["random"] = np.arange(1, 2 + 2 * batch) * 7919
        self.boards[0] = position.board[0]
        self.paths = np.zeros((batch, records.MAX_DEPTH, 2), np.int32)
        self.leaves = np.zeros(batch, records.LEAF)
        self.ownership = np.zeros(POINTS, np.int32)
        self.scratch = new_scratch()
        tree_arrays.reset(self.trees[0], self.nodes, self.table, np.uint64(game.position_hash(position.board[0])))

    @property
    def root(self):
        return self.nodes[self.trees[0]["root"]]

    @property
    def used(self):
        return self.nodes[1:self.trees[0]["n_nodes"]]

    def edges_of(self, node):
        return self.edges[node["first"]:node["first"] + node["count"]]

    def simulate(self, n):
        self.trees[0]["simulations_left"] = n
        tree.simulate(self.trees, self.nodes, self.edges, self.table, self.boards, self.history, self.paths[0],
                      self.ownership, self.scratch)
        return self

    def batch(self, n, evaluate=None, after_selection=lambda n: None):
        """One batch of at most n; evaluate(number of leaves) -> priors, values."""
        size = self.position.size
        packed = np.zeros((n, size * size, game.packed_bytes(self.position.game)), np.uint8)
        leaves = self.leaves[:n]
        n = tree.select_batch(self.trees, self.nodes, self.edges, self.table, self.boards, self.history, self.paths,
                              leaves, self.scratch, symmetries(size)[np.zeros(n, int)], packed)
        after_selection(n)
        if self.trees[0]["params"]["rave"]:
            amaf = np.zeros((n, 2, POINTS, 2), np.float32)
            for k in np.flatnonzero(~leaves[:n]["known"]):
                leaves[k]["rollout"] = tree.evaluate_leaf(self.trees[0], self.boards, 1 + k, 1 + n + k,
                                                          self.ownership, self.scratch._replace(amaf=amaf[k]))
        else:
            tree.evaluate_leaves(self.trees, self.boards, leaves, 0, n, n, self.ownership, self.scratch)
        asked = int(leaves[:n]["needs_evaluation"].sum())
        priors, values = evaluate(asked) if evaluate else (np.zeros((0, size * size + 1)), np.zeros(0))
        tree.expand_and_backup(self.trees, self.nodes, self.edges, self.boards, self.paths, leaves, n,
                               priors.astype(np.float32), values.astype(np.float32), tree.NO_SCORES)
        if self.trees[0]["params"]["rave"]:
            for k in range(n):
                selection.backup_amaf(self.nodes, self.edges, int(leaves[k]["length"]), self.paths[k],
                                      int(self.boards[1 + k]["to_play"]), float(leaves[k]["value"]), amaf[k])
        return n

    def check(self):
        """What holds of every tree between simulations."""
        for v, node in enumerate(self.used, 1):
            assert node["virtual_losses"] == 0
            assert abs(node["total"]) <= node["visits"]
            assert tree_arrays.find(self.nodes, self.table, node["key"]) == v
            edges = self.edges_of(node)
            assert edges["visits"].sum() <= node["visits"]
            assert (edges["virtual_losses"] == 0).all()
            moves = moves_of(self, v)
            assert len(set(moves["move"].tolist())) == len(moves) <= node["moves"]
            assert not len(moves) or moves["prior"].sum() == pytest.approx(1, abs=1e-3)
            if len(edges):
                assert node["lower"] == edges["lower"].max()
                assert node["upper"] == (edges["upper"].max() if len(edges) == node["moves"] else 1)
            for edge in edges[edges["visits"] > 0]:
                below = self.nodes[edge["node"]]
                assert edge["node"] == records.NULL_NODE or below["visits"] >= edge["visits"]
                assert -1 <= edge["q"] <= 1
            assert (np.abs(edges["rave_q"]) <= 1).all()
        assert len(set(self.used["key"].tolist())) == len(self.used)
