"""Lazy edges of PUCT: a node lists its moves with their priors, and gets an edge where selection needs one.  Compiled.

    first  ==>  [edge] [edge] [edge] [free]              count edges, in a block of the next power of two
    list   ==>  [5 moves, 5 priors] [5 moves, ...]       in the array of the edges, too

The edges of a node are those of the first `count` moves of its list, the most likely ones.  The next move of the list
is the most likely one of the others: PUCT looks at no other move without visits.  A full block is copied to one of
twice its size, at the end of the array.  Moves with priors below LEAST_PRIOR are not listed.  When all listed moves
have edges and selection comes to another, the board gives the rest, which share what is left of the prior; the node
then has all edges, as the root always has.

A node with all edges takes 11 KB on 19x19, a list 0.6 KB.  UCB1 visits every edge, RAVE gives every edge a value, and
Gumbel's formula looks at every prior, so their nodes have all edges, as those of self-play have.  Only one thread may
add edges.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.coords import PASS
from mugo.mcts.expansion import call_write_edges, has_room, write_edge
from mugo.mcts.records import LISTED_IN_EDGE
from mugo.mcts.solver import LOSS, WIN, is_proven

LEAST_PRIOR = np.float32(1e-5)           # of a listed move


@subroutine
def list_size(node):
    """How many places of edges the list of a node takes."""
    return (np.int64(node.listed) + LISTED_IN_EDGE - 1) // LISTED_IN_EDGE


@subroutine
def block_size(node):
    """How many edges the block of a node has room for."""
    size = np.int64(node.count)
    while size < node.moves and size & (size - 1):
        size += 1
    return size


@subroutine
def _listed(node, edges, k):
    """(move, prior) of entry k of a node's list."""
    slot = edges[node.list + k // LISTED_IN_EDGE]
    return np.int64(slot.listed_moves[k % LISTED_IN_EDGE]), slot.listed_priors[k % LISTED_IN_EDGE]


@subroutine
def _set_listed(node, edges, k, move, prior):
    slot = edges[node.list + k // LISTED_IN_EDGE]
    slot.listed_moves[k % LISTED_IN_EDGE] = move
    slot.listed_priors[k % LISTED_IN_EDGE] = prior


@subroutine
def _bring_next(node, edges, n):
    """Move the most likely entry of a list from n on to place n.  Equal priors stay in their order."""
    at = n
    best, most = _listed(node, edges, n)
    for k in range(n + 1, node.listed):
        move, prior = _listed(node, edges, k)
        if prior > most:
            at, best, most = k, move, prior
    for k in range(at, n, -1):
        move, prior = _listed(node, edges, k - 1)
        _set_listed(node, edges, k, move, prior)
    _set_listed(node, edges, n, best, most)


@subroutine
def list_moves(tree, nodes, edges, v, b):
    """Keep only the first edge of node v, which was expanded last and has its priors, and a list of its moves.  A pass
    that ends the game, whose value is known, is the first whatever its prior.  b: its board."""
    node = nodes[v]
    first = np.int64(node.first)
    n = np.int64(node.count)
    if n <= 2:                                           # nothing would be saved
        return
    node.list = first                                    # over the edges, which are read before
    last = edges[first + n - 1]
    lower, upper = last.lower, last.upper
    ends = np.int64(is_proven(last))
    k = ends
    if ends:
        _set_listed(node, edges, 0, np.int64(last.move), last.prior)
    for i in range(first, first + n - ends):
        move, prior = np.int64(edges[i].move), edges[i].prior
        if prior >= LEAST_PRIOR:
            _set_listed(node, edges, k, move, prior)
            k += 1
    node.listed = k
    if not ends:
        _bring_next(node, edges, 0)
    if k > 1:
        _bring_next(node, edges, 1)
    node.count = 1
    node.first = first + list_size(node)
    move, prior = _listed(node, edges, 0)
    write_edge(edges[node.first], move, prior, lower, upper, b)
    tree.n_edges = np.int64(node.first) + 1


@subroutine
def next_prior(node, edges, priors):
    """The prior of the next move that has no edge.  There is one.  priors: the sum of those of the node's edges."""
    n = np.int64(node.count)
    if n < node.listed:
        return _listed(node, edges, n)[1]
    return np.float32(max(1 - priors, 0.0) / (node.moves - n))


@subroutine
def _open_all(tree, nodes, edges, v, b):
    """Give node v, with board b, the edges of all its moves.  There is room for them."""
    node = nodes[v]
    old = np.int64(node.first)
    n = call_write_edges(tree.params.write_edges, tree, nodes, edges, v, b, 0, LOSS, WIN)
    first = np.int64(node.first)
    listed = max(np.int64(node.count), np.int64(node.listed))
    others = 1.0
    for k in range(listed):                              # they keep their places
        if k < node.count:                               # compact keeps no list of which all moves have edges
            move, prior = np.int64(edges[old + k].move), edges[old + k].prior
        else:
            move, prior = _listed(node, edges, k)
        j = k
        while j < n and edges[first + j].move != move:
            j += 1
        may_repeat = j == n or edges[first + j].may_repeat
        if j == n:                                       # avoided at this depth, and not where the list was written
            n += 1
            tree.n_edges += 1
        edges[first + j] = edges[first + k]
        if k < node.count:
            edges[first + k] = edges[old + k]
        else:
            edges[first + k].move = move
            edges[first + k].prior = prior
            edges[first + k].may_repeat = may_repeat
        others -= prior
    prior = np.float32(max(others, 0.0) / max(n - listed, 1))
    for k in range(listed, n):
        edges[first + k].prior = prior
    node.count = n
    node.moves = n


@subroutine
def open_next(tree, nodes, edges, v, b):
    """Give node v, with board b, the edge of its next move, or where it is not listed those of all; False if the tree
    is full."""
    node = nodes[v]
    n = np.int64(node.count)
    if n == node.listed:
        if not has_room(tree, edges, b):
            return False
        _open_all(tree, nodes, edges, v, b)
        return True
    if n & (n - 1) == 0:                                 # the block is full
        place = tree.n_edges
        if place + 2 * n > len(edges):
            return False
        for k in range(n):
            edges[place + k] = edges[node.first + k]
        node.first = place
        tree.n_edges += 2 * n
    move, prior = _listed(node, edges, n)
    write_edge(edges[node.first + n], move, prior, LOSS, WIN, b)
    node.count = n + 1
    if node.count < node.listed:
        _bring_next(node, edges, n + 1)
    return True


@kernel
def open_root(tree, nodes, edges, b):
    """Give the root, with board b, the edges of all its moves, the pass last.  There is room for them."""
    root = nodes[tree.root]
    if root.count == root.moves:
        return
    free = np.int64(root.first)
    _open_all(tree, nodes, edges, tree.root, b)
    last = np.int64(root.first) + np.int64(root.count) - 1
    for i in range(root.first, last):
        if edges[i].move == PASS:
            edges[free] = edges[i]
            edges[i] = edges[last]
            edges[last] = edges[free]
            break
