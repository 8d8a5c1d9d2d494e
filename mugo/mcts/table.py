"""The transposition table, key of a position -> node; a new tree; and the next position as the root of the tree, where
everything that cannot be reached from it is dropped.  Compiled.

Arrays as in tree.
"""
import numpy as np
from mugo.core.jit import kernel, subroutine
from mugo.mcts.expansion import block_size, list_size
from mugo.mcts.records import NULL_NODE
from mugo.mcts.solver import LOSS, WIN

MAX_LOAD = 0.5                           # nodes for each slot


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
    node = nodes[v]
    node.key = key
    node.total = 0.0
    node.visits = 0
    node.virtual_losses = 0
    node.first = 0
    node.count = 0
    node.moves = 0
    node.listed = 0
    node.list = 0
    node.tried = 0
    node.expanding = False
    node.evaluated = False
    node.lower = LOSS
    node.upper = WIN
    node.scored = 0
    node.score_mean = np.float32(0)
    node.score_square = np.float32(0)
    node.score_utility = np.float32(0)
    node.value_square = np.float32(0)
    node.raw_value = np.float32(0)
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
