"""Nodes get their edges: the moves, with their priors and with the bounds that the rules give.  Compiled.

Several threads may come to a node at once (threaded_growth).  One of them writes the edges, under the lock, and its
heuristic priors, without it; the node's count, which lets the others see them, is written last.

Arrays as in tree.
"""
import numpy as np
from numba import types

from mugo.core.jit import kernel, subroutine
from mugo.games import game
from mugo.games.addresses import BOARD_TYPE, caller
from mugo.games.board import POINTS, WHITE, index_of
from mugo.games.coords import PASS
from mugo.games.planes import SCRATCH_TYPE
from mugo.games.rollouts import random_below
from mugo.mcts.atomics import lock, release_fence, unlock
from mugo.mcts.records import EDGE_TYPE, NODE_TYPE, NULL_NODE, TREE_TYPE
from mugo.mcts.solver import LOSS, WIN, bound_node, is_proven


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
