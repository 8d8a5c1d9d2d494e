"""Nodes get their edges: the moves, with their priors and with the bounds that the rules give.  Compiled.

With PUCT edges are lazy: a node lists its moves with their priors, and gets an edge where selection needs one, since
PUCT looks at no move without visits but the one with the highest prior.

    first  ==>  [edge] [edge] [edge] [free]              count edges, in a block of the next power of two
    list   ==>  [5 moves, 5 priors] [5 moves, ...]       also in the array of the edges; the highest prior first

The edges of a node belong to the first `count` moves of its list.  A full block is copied to one of twice its size,
at the end of the array.  Moves with priors below LEAST_PRIOR are not listed.  When selection comes to one, the node
gets all edges, as the root, nodes of self-play, and those of UCB1 and RAVE have.

A node with all edges takes 11 KB on 19x19, a list 0.6 KB.  Only one thread may add lazy edges.  Arrays as in tree.
"""
import numpy as np
from mugo.core.jit import caller, kernel, subroutine
from mugo.games import game
from mugo.games.board import BOARD_TYPE, POINTS, WHITE, index_of
from mugo.games.coords import PASS
from mugo.games.planes import SCRATCH_TYPE
from mugo.games.rollouts import random_below
from mugo.mcts.atomics import lock, release_fence, unlock
from mugo.mcts.records import EDGE_TYPE, LISTED_IN_EDGE, NODE_TYPE, NULL_NODE, TREE_TYPE
from mugo.mcts.solver import LOSS, WIN, bound_node, is_proven
from numba import types


@subroutine
def has_room(tree, edges, b):
    """Whether there are enough free edges for the moves in b."""
    return tree.n_edges + b.n_empty + 1 <= len(edges)


@subroutine
def write_edge(edge, move, prior, lower, upper, b):
    """Write an edge of a move in b that was never visited."""
    edge.node = NULL_NODE
    edge.visits = 0
    edge.virtual_losses = 0
    edge.q = np.float32(0)
    edge.rave_visits = np.float32(0)
    edge.rave_q = np.float32(0)
    edge.prior = prior
    edge.move = move
    edge.lower = lower
    edge.upper = upper
    edge.may_repeat = game.may_repeat(b, move)
    edge.allowed = True


@subroutine
def write_edges(tree, nodes, edges, v, b, only, lower, upper):
    """Write the edges of node v behind all others, the moves of the side to move in b, in random order; returns how
    many.

    v has none before _publish_edges.  There is room for them, and other threads wait for the lock.
    only, lower, upper: what forced_move returns.
    """
    first = tree.n_edges
    n = 0
    avoids = tree.params.avoids and v != tree.root
    asks = tree.is_restricted and v == tree.root
    own = POINTS if b.to_play == WHITE else 0
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if avoids and b.moves < tree.params.avoid_until[own + p]:
            continue
        if game.is_candidate(b, p) and only in (0, p) or asks and tree.asked[p] and game.is_legal(b, p):
            j = first + random_below(b, n + 1)           # shuffled as they come (Durstenfeld, inside out)
            edges[first + n].move = edges[j].move
            edges[j].move = p
            n += 1
    if not game.is_gomoku(b):
        edges[first + n].move = PASS
        n += 1
    for i in range(first, first + n):
        write_edge(edges[i], np.int64(edges[i].move), np.float32(1) / np.float32(n), lower, upper, b)
    if b.passes and game.counts_all_alive(b):
        edges[first + n - 1].lower = edges[first + n - 1].upper = game.pass_value(b, tree.params.komi)
    tree.n_edges += n
    nodes[v].first = first
    return n


WRITE_EDGES = types.int64(TREE_TYPE, types.Array(NODE_TYPE, 1, "C"), types.Array(EDGE_TYPE, 1, "C"), types.int64,
                          BOARD_TYPE, types.int64, types.int64, types.int64)
# call_write_edges(tree.params.write_edges, ...): write_edges by its address, so that it is compiled once.
call_write_edges = caller(WRITE_EDGES)


@subroutine
def _publish_edges(nodes, edges, v, n):
    """Let node v have the n edges written; it gets their bounds, where any are known."""
    node = nodes[v]
    node.moves = n
    release_fence()
    node.count = n
    first = edges[node.first]
    last = edges[node.first + n - 1]                     # the pass; other edges have the same bounds
    if first.lower != LOSS or first.upper != WIN or is_proven(last):
        bound_node(nodes, edges, v)


@subroutine
def forced_move(tree, v, b, is_leaf):
    """What game.forced_move returns for node v; at a root that is restricted every move is considered."""
    if tree.is_restricted and v == tree.root:
        return np.int64(0), np.int64(LOSS), np.int64(WIN)
    return game.forced_move(tree.params.forced_move, b, is_leaf)


@subroutine
def expand(tree, nodes, edges, v, b, only, lower, upper):
    """Give node v its edges, the moves of the side to move in b, in random order; False if the tree is full.  This may
    prove v.  only, lower, upper: of forced_move.  No other thread may use the tree.
    """
    if v == NULL_NODE or not has_room(tree, edges, b):
        return False
    n = call_write_edges(tree.params.write_edges, tree, nodes, edges, v, b, only, lower, upper)
    _publish_edges(nodes, edges, v, n)
    return True


@kernel
def expand_root(tree, nodes, edges, b, scratch):
    """Give the root its edges, without a network: with heuristic priors, if the tree has them.  No other thread may use
    the tree."""
    only, lower, upper = forced_move(tree, tree.root, b, False)
    if expand(tree, nodes, edges, tree.root, b, only, lower, upper) and tree.params.heuristic_priors:
        root = nodes[tree.root]
        give_heuristic_priors(tree, edges, np.int64(root.first), np.int64(root.count), b, scratch)


@subroutine
def give_priors(tree, nodes, edges, v, b, priors):
    """Set the priors of v's edges, from (points + 1,) by move index, normalised over the edges.  A pass has at most
    tree.params.max_pass_prior, where another move has any.  Then the moves on unsettled points, if there are any, get
    equal parts of tree.params.unsettled_prior, and all moves share the rest as they did."""
    first = nodes[v].first
    end = first + nodes[v].count
    others = total = np.float32(0)                       # others: without the last, which a pass is
    for i in range(first, end):
        edges[i].prior = priors[index_of(b, np.int64(edges[i].move))]
        others = total
        total += edges[i].prior
    last = edges[end - 1]
    if last.move == PASS and last.prior > tree.params.max_pass_prior * total and others > 0:
        total = others / (np.float32(1) - tree.params.max_pass_prior)
        last.prior = tree.params.max_pass_prior * total
    for i in range(first, end):
        if total > 0:
            edges[i].prior /= total
        else:
            edges[i].prior = np.float32(1) / np.float32(end - first)
    if tree.params.unsettled_prior > 0:
        _share_among_unsettled(tree.params, edges, first, end)


@subroutine
def _share_among_unsettled(params, edges, first, end):
    """Give the moves on unsettled points, of the edges from first to end, equal parts of params.unsettled_prior."""
    n = 0
    for i in range(first, end):
        n += np.int64(params.is_unsettled[edges[i].move])
    if n == 0:
        return
    share = params.unsettled_prior / np.float32(n)
    for i in range(first, end):
        edges[i].prior *= np.float32(1) - params.unsettled_prior
        if params.is_unsettled[edges[i].move] == 1:
            edges[i].prior += share


@subroutine
def give_heuristic_priors(tree, edges, first, n, b, scratch):
    """Begin the AMAF values of n edges from `first` on, moves in b, with virtual visits and wins by the game's rules
    of thumb.  scratch: planes.Scratch."""
    priors = scratch.priors
    game.write_heuristic_priors(tree.params.write_heuristic_priors, b, scratch, priors)
    for i in range(first, first + n):
        p = np.int64(edges[i].move)
        edges[i].rave_visits = priors[p, 0]
        edges[i].rave_q = np.float32(2) * priors[p, 1] / priors[p, 0] - np.float32(1)


@subroutine
def expand_by_rollouts(tree, nodes, edges, v, b, scratch):
    """Expand node v if it has the visits for it, without a network; returns whether it has edges now.  One thread
    expands it, and the others go on without: heuristic priors are found outside the lock."""
    node = nodes[v]
    if node.visits < tree.params.expand_after or v == NULL_NODE or node.expanding or not has_room(tree, edges, b):
        return False
    lock(tree)
    if node.count or node.expanding or not has_room(tree, edges, b):
        unlock(tree)
        return node.count > 0
    only, lower, upper = forced_move(tree, v, b, False)
    n = call_write_edges(tree.params.write_edges, tree, nodes, edges, v, b, only, lower, upper)
    node.expanding = True
    unlock(tree)
    if tree.params.heuristic_priors:
        give_heuristic_priors(tree, edges, np.int64(node.first), n, b, scratch)
    lock(tree)
    _publish_edges(nodes, edges, v, n)
    node.expanding = False
    unlock(tree)
    return True


EXPAND = types.boolean(TREE_TYPE, types.Array(NODE_TYPE, 1, "C"), types.Array(EDGE_TYPE, 1, "C"), types.int64,
                       BOARD_TYPE, SCRATCH_TYPE)
# call_expand(tree.params.expand, ...): expand_by_rollouts by its address, for searches without a network only.
call_expand = caller(EXPAND)


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
def _sort_next(node, edges, n):
    """Move the entry with the highest prior of a list from n on to place n; equal priors stay in their order.  To sort
    whole lists takes a tenth of a search's time on 19x19."""
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
    """Keep only the first edge of node v, which was expanded last and has its priors, and a list of its moves, of which
    the next is always in place.  A pass that ends the game, whose value is known, is the first whatever its prior.
    b: its board."""
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
    for next_one in range(ends, min(k, 2)):
        _sort_next(node, edges, next_one)
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
        if k < node.count:                               # tree_arrays keeps no list of which all moves have edges
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
        _sort_next(node, edges, n + 1)
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
