"""The arrays of a search tree, how they grow with it, its root, and its transposition table.

    table    int32 (2**m,): key of a position -> node, open addressing; arrays otherwise as in tree
"""
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from mugo.games import game
from mugo.games.coords import PASS
from mugo.core.jit import kernel, subroutine
from mugo.mcts import expansion, records, solver
from mugo.mcts.expansion import block_size, list_size
from mugo.mcts.records import BLANK_NODE, NULL_NODE
from mugo.mcts.solver import LOSS, WIN

EDGES_FOR_EACH_NODE = 8                  # at least this many edges are used before the nodes run out
SMALLEST_TABLE = 1 << 14                 # slots, a power of two
ROOM_FOR_EACH = 8                        # nodes that a simulation adds at most, but where the moves are forced
MAX_LOAD = 0.5                           # nodes for each slot of the table


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
        """Let the table have slots for the nodes that this many simulations add.  No thread may use the tree."""
        wanted = min(self.n_nodes + ROOM_FOR_EACH * simulations, len(self.nodes))
        if MAX_LOAD * len(self.table) < wanted:
            self.table = np.zeros(1 << int(wanted / MAX_LOAD).bit_length(), np.int32)
            fill_table(self.trees[0], self.nodes, self.table)

    def has_room(self, edges: int) -> bool:
        """Whether another node with this many edges fits."""
        return int(self.trees[0]["n_edges"]) + edges < len(self.edges) and self.n_nodes < len(self.nodes)

    # -- the root

    def set_root(self, board: np.void, area: int, may_reuse: bool, may_keep_root: bool,
                 asked: Collection[int] | None) -> bool:
        """Make a board the root: its node and what is below it if it is in the tree and there is room to go on, else a
        new tree; returns whether it is new.  area: points of the board.  may_reuse: whether a node of the tree is of
        use at all; may_keep_root: whether its root also is.  asked: moves that have edges in any case."""
        self.record["is_restricted"] = asked is not None
        self.record["asked"] = 0
        self.record["asked"][list(asked or ())] = 1
        key = np.uint64(game.position_hash(board))
        node = int(find(self.nodes, self.table, key)) if may_reuse else records.NULL_NODE
        is_same = node == self.root                      # a full tree of the same root is searched on
        if node != records.NULL_NODE and (may_keep_root or not is_same):
            advance_root(self.trees, self.nodes, self.edges, self.table, node)
            if is_same or self.has_room(area):
                expansion.open_root(self.trees[0], self.nodes, self.edges, board)
                edges = self.root_edges
                if not len(edges) or np.isin(list(asked or ()), edges["move"]).all():
                    return False
        reset(self.trees[0], self.nodes, self.table, key)
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


@subroutine
def find_slot(nodes, table, key):
    """The slot of a key in the table, or the empty one where it belongs."""
    mask = np.uint64(len(table) - 1)
    at = key & mask
    while table[at] != NULL_NODE and nodes[table[at]].key != key:
        at = (at + np.uint64(1)) & mask
    return at


@kernel
def find(nodes, table, key):
    """The node of a key, or NULL_NODE."""
    return np.int64(table[find_slot(nodes, table, key)])


@kernel
def fill_table(tree, nodes, table):
    """Enter all nodes into a table."""
    table[:] = NULL_NODE
    for v in range(1, tree.n_nodes):
        table[find_slot(nodes, table, nodes[v].key)] = v


@subroutine
def find_or_add(tree, nodes, table, key):
    """The node of a key, a new one if there is none; NULL_NODE if the tree is full.  Threads need the lock."""
    at = find_slot(nodes, table, key)
    if table[at] != NULL_NODE:
        return np.int64(table[at])
    if tree.n_nodes >= min(len(nodes), len(table) * MAX_LOAD):
        return NULL_NODE
    v = tree.n_nodes
    tree.n_nodes += 1
    table[at] = v
    nodes[v] = BLANK_NODE[0]
    nodes[v].key = key
    return v


@kernel
def reset(tree, nodes, table, key):
    """Empty the tree and give it a root with this key."""
    tree.lock = 0
    tree.n_nodes = 1
    tree.n_edges = 0
    tree.depth_sum = 0
    nodes[NULL_NODE].lower = LOSS
    nodes[NULL_NODE].upper = WIN
    table[:] = NULL_NODE
    tree.root = find_or_add(tree, nodes, table, key)


@subroutine
def _mark_reachable(nodes, edges, root, place):
    """Set place[v] to 1 for every node that can be reached from the root; returns how many of them are expanded."""
    stack = np.empty(len(place), np.int32)
    stack[0] = root
    place[root] = 1
    depth = 1
    expanded = 0
    while depth:
        depth -= 1
        node = nodes[stack[depth]]
        expanded += node.count > 0
        for i in range(node.first, node.first + node.count):
            below = edges[i].node
            if below != NULL_NODE and not place[below]:
                place[below] = 1
                stack[depth] = below
                depth += 1
    return expanded


@kernel
def advance_root(trees, nodes, edges, table, root):
    """Make a node the root, drop all that cannot be reached from it, and compact the arrays.  Returns the number of
    nodes kept.  No virtual loss may be in the tree."""
    tree = trees[0]
    place = np.zeros(tree.n_nodes, np.int32)         # old node -> new; 0 for those dropped
    expanded = _mark_reachable(nodes, edges, root, place)
    # Blocks of edges and lists are in the order in which they were begun, which is not the order of the nodes.
    starts = np.empty(2 * expanded, np.int64)
    owners = np.empty(2 * expanded, np.int64)            # of a list, the negative of its node
    n_blocks = 0
    n_nodes = 1
    for v in range(1, tree.n_nodes):
        if place[v]:
            place[v] = n_nodes
            n_nodes += 1
            if nodes[v].count > 0:
                starts[n_blocks] = nodes[v].first
                owners[n_blocks] = v
                n_blocks += 1
            if nodes[v].count < nodes[v].listed:
                starts[n_blocks] = nodes[v].list
                owners[n_blocks] = -v
                n_blocks += 1
    n_edges = 0
    for i in np.argsort(starts[:n_blocks]):
        node = nodes[abs(owners[i])]
        if owners[i] < 0:
            for j in range(list_size(node)):
                edges[n_edges + j] = edges[node.list + j]
            node.list = n_edges
            n_edges += list_size(node)
            continue
        for j in range(node.count):
            edges[n_edges + j] = edges[node.first + j]
            edges[n_edges + j].node = place[edges[n_edges + j].node]
        node.first = n_edges
        n_edges += block_size(node)
    for v in range(1, tree.n_nodes):
        if place[v]:
            nodes[place[v]] = nodes[v]
    tree.root = place[root]
    tree.n_nodes = n_nodes
    tree.n_edges = n_edges
    tree.depth_sum = 0
    fill_table(tree, nodes, table)
    return n_nodes - 1
