"""The arrays of a search tree, and how they grow with it."""
from collections.abc import Sequence

import numpy as np

from mugo.games.position import BasePosition
from mugo.search import compact, records, tree

EDGES_FOR_EACH_NODE = 8                  # at least so many edges are used before the nodes run out
SMALLEST_TABLE = 1 << 14                 # slots, a power of two
ROOM_FOR_EACH = 8                        # nodes that a simulation adds at most, but where the moves are forced


class TreeArrays:
    """trees: TREE (1,).  nodes: NODE (n,).  edges: EDGE (max_edges,).  table: int32 (2**m,).  See tree.

    Nodes and edges are zeros that were never written, which take no memory until they are; the table, which is written
    wherever there is a new root, is small at first and grows with the nodes.
    """

    def __init__(self, max_edges: int):
        self.trees = np.zeros(1, records.TREE)
        self.nodes = np.zeros(max_edges // EDGES_FOR_EACH_NODE + 1000, records.NODE)
        self.edges = np.zeros(max_edges, records.EDGE)
        self.table = np.zeros(SMALLEST_TABLE, np.int32)

    @property
    def root(self) -> int:
        """The number of the root's node."""
        return int(self.trees[0]["root"])

    def make_room(self, simulations: int) -> None:
        """Let the table have slots for the nodes that so many simulations add.  No thread may use the tree."""
        wanted = min(int(self.trees[0]["n_nodes"]) + ROOM_FOR_EACH * simulations, len(self.nodes))
        if tree.MAX_LOAD * len(self.table) < wanted:
            self.table = np.zeros(1 << int(wanted / tree.MAX_LOAD).bit_length(), np.int32)
            tree.fill_table(self.trees[0], self.nodes, self.table)

    def has_room(self, edges: int) -> bool:
        """Whether another node with so many edges fits."""
        return int(self.trees[0]["n_edges"]) + edges < len(self.edges) \
            and int(self.trees[0]["n_nodes"]) < len(self.nodes)

    def find(self, key: np.uint64) -> int:
        """The node of a key, or NULL_NODE."""
        return int(tree.find(self.nodes, self.table, key))

    def reset(self, key: np.uint64) -> None:
        """Empty the tree and give it a root with this key."""
        tree.reset(self.trees[0], self.nodes, self.table, key)

    def advance_root(self, node: int) -> None:
        """Make a node the root and drop all that cannot be reached from it."""
        compact.advance_root(self.trees, self.nodes, self.edges, self.table, node)

    def edges_of(self, node: int) -> np.ndarray:
        """EDGE (k,), a view: the edges of a node; none if it is not expanded."""
        first = self.nodes[node]["first"]
        return self.edges[first:first + self.nodes[node]["count"]]

    def pv_visits(self, moves: Sequence[int]) -> list[int]:
        """The visits of each move of a variation from the root, as far as the tree goes (KataGo's pvVisits)."""
        visits, edges = [], self.edges_of(self.root)
        for move in moves:
            edge = edges[edges["move"] == move]
            if not len(edge):
                break
            visits.append(int(edge[0]["visits"]))
            edges = self.edges_of(int(edge[0]["node"]))          # the null node has none
        return visits

    def key_from_path(self, root: BasePosition, position: BasePosition) -> np.uint64 | None:
        """Without transpositions: the key of a position that was reached from the root; None if it was not."""
        n = root.plies
        if n > position.plies or not np.array_equal(position.history[:n + 1], root.history):
            return None
        key, side = np.uint64(self.nodes[self.root]["key"]), root.to_play
        for colour, point in position.moves[n:]:
            if colour != side:
                return None
            key = np.uint64(tree.key_after(self.trees[0], key, position.board[0], point))
            side = -side
        return key if side == position.to_play else None
