"""The next position as the root of the tree: everything that cannot be reached from it is dropped.  Compiled.

Arrays as in tree.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.mcts.lazy_edges import block_size, list_size
from mugo.mcts.records import NULL_NODE
from mugo.mcts.tree import fill_table


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
