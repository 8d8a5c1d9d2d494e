"""The arrays of a search tree, how they grow with it, and its root."""
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from mugo.games import game
from mugo.games.coords import PASS
from mugo.mcts import expansion, records, solver, table

EDGES_FOR_EACH_NODE = 8                  # at least so many edges are used before the nodes run out
SMALLEST_TABLE = 1 << 14                 # slots, a power of two
ROOM_FOR_EACH = 8                        # nodes that a simulation adds at most, but where the moves are forced


class TreeArrays:
    """trees: TREE (1,).  nodes: NODE (n,).  edges: EDGE (max_edges,).  table: int32 (2**m,).  See tree.  record: the
    TREE.  params: its PARAMS.

    Nodes and edges are zeros that were never written, which take no memory until they are; the table, which is written
    wherever there is a new root, is small at first and grows with the nodes.
    """

    def __init__(self, max_edges: int):
        self.trees = np.zeros(1, records.TREE)
        self.record: Any = self.trees[0]                 # views
        self.params: Any = self.record["params"]
        self.nodes = np.zeros(max_edges // EDGES_FOR_EACH_NODE + 1000, records.NODE)
        self.edges = np.zeros(max_edges, records.EDGE)
        self.table = np.zeros(SMALLEST_TABLE, np.int32)

    @property
    def root(self) -> int:
        """The number of the root's node."""
        return int(self.trees[0]["root"])

    @property
    def root_node(self) -> Any:
        """The root's NODE."""
        return self.nodes[self.root]

    @property
    def root_edges(self) -> np.ndarray:
        """EDGE (k,), a view: the edges of the root."""
        return self.edges_of(self.root)

    @property
    def n_nodes(self) -> int:
        """How many nodes are in use, the null node included."""
        return int(self.trees[0]["n_nodes"])

    def edges_of(self, node: int) -> np.ndarray:
        """EDGE (k,), a view: the edges of a node; none if it is not expanded."""
        first = self.nodes[node]["first"]
        return self.edges[first:first + self.nodes[node]["count"]]

    def moves_of(self, node: int) -> np.ndarray:
        """EDGE (k,): the edges of a node, and as edges without visits its other listed moves (expansion)."""
        record, edges = self.nodes[node], self.edges_of(node)
        n, listed = len(edges), int(record["listed"])
        if n >= listed:
            return edges
        moves = np.zeros(listed, records.EDGE)
        places = self.edges[record["list"]:][:-(-listed // records.LISTED_IN_EDGE)]
        moves["move"], moves["prior"] = (places[name].ravel()[:listed] for name in ("listed_moves", "listed_priors"))
        moves["lower"], moves["upper"] = solver.LOSS, solver.WIN
        moves[:n] = edges
        return moves

    def node_after(self, moves: Sequence[int]) -> int:
        """The node after these moves from the root; NULL_NODE where the tree ends before."""
        node = self.root
        for move in moves:
            node = next((int(edge["node"]) for edge in self.edges_of(node) if edge["move"] == move), records.NULL_NODE)
        return node

    def pv_visits(self, moves: Sequence[int], of_edges: bool = False) -> list[int]:
        """The visits of the position after each move of a variation from the root, as far as the tree goes (KataGo's
        pvVisits).  of_edges: those of the moves instead, without other ways to the position (pvEdgeVisits)."""
        visits, edges = [], self.root_edges
        for move in moves:
            edge = edges[edges["move"] == move]
            if not len(edge):
                break
            counted = edge[0] if of_edges or edge[0]["node"] == records.NULL_NODE else self.nodes[edge[0]["node"]]
            visits.append(int(counted["visits"]))
            edges = self.edges_of(int(edge[0]["node"]))          # the null node has none
        return visits

    # -- size

    def make_room(self, simulations: int) -> None:
        """Let the table have slots for the nodes that so many simulations add.  No thread may use the tree."""
        wanted = min(self.n_nodes + ROOM_FOR_EACH * simulations, len(self.nodes))
        if table.MAX_LOAD * len(self.table) < wanted:
            self.table = np.zeros(1 << int(wanted / table.MAX_LOAD).bit_length(), np.int32)
            table.fill_table(self.trees[0], self.nodes, self.table)

    def has_room(self, edges: int) -> bool:
        """Whether another node with so many edges fits."""
        return int(self.trees[0]["n_edges"]) + edges < len(self.edges) and self.n_nodes < len(self.nodes)

    # -- the root

    def set_root(self, board: np.void, area: int, may_reuse: bool, may_keep_root: bool,
                 asked: Collection[int] | None) -> bool:
        """Make a board the root: its node and what is below it if it is in the tree and there is room to go on, else a
        new tree; returns whether it is new.  area: points of the board.  may_reuse: whether a node of the tree is of
        use at all; may_keep_root: whether its root is, too.  asked: moves that have edges in any case."""
        self.record["is_restricted"] = asked is not None
        self.record["asked"] = 0
        self.record["asked"][list(asked or ())] = 1
        key = np.uint64(game.position_hash(board))
        node = int(table.find(self.nodes, self.table, key)) if may_reuse else records.NULL_NODE
        is_same = node == self.root                      # a full tree of the same root is searched on
        if node != records.NULL_NODE and (may_keep_root or not is_same):
            table.advance_root(self.trees, self.nodes, self.edges, self.table, node)
            if is_same or self.has_room(area):
                expansion.open_root(self.trees[0], self.nodes, self.edges, board)
                edges = self.root_edges
                if not len(edges) or np.isin(list(asked or ()), edges["move"]).all():
                    return False
        table.reset(self.trees[0], self.nodes, self.table, key)
        return True

    def bound_root(self, board: np.void) -> None:
        """Bring the bounds of the root, which has this board, and of its edges up to date."""
        edges = self.root_edges
        if len(edges) and edges[-1]["move"] == PASS and game.counts_all_alive(board):
            edges[-1]["upper"] = min(edges[-1]["upper"], game.pass_value(board, self.params["komi"]))
        solver.bound_root(self.nodes, self.edges, self.root)

    def prove_winning_sequence(self, board: np.void, stand_in: Callable[[int], int]) -> None:
        """Give the root's first move of a sequence that wins by force its exact value, if none is proven to win yet.
        stand_in: the move that is searched in the stead of a move."""
        if solver.is_proven(self.root_node):
            return
        move = game.winning_sequence(board)
        if move:
            edges = self.root_edges
            edges["lower"][edges["move"] == stand_in(int(move))] = solver.WIN
            self.bound_root(board)
