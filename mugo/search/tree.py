"""The search tree: select, expand, back up.  Compiled.

    nodes    positions; with transpositions, all orders of moves that lead to a position share its node
    edges    moves; those of one node are contiguous, the pass, if the game has one, last
    table    transposition table: key of a position -> node, open addressing

               edges first ... first + count - 1
    node  ==>  [move prior visits q | move prior visits q | ...]  --node-->  node  ==>  ...

Arrays of the kernels, with N simulations in a batch:

    trees     TREE (1,)                  nodes     NODE (nodes,)           edges    EDGE (edges,)
    table     int32 (2**m,)              boards    BOARD (1 + 2 N,)        history  uint64 (moves,)
    path      int32 (MAX_DEPTH, 2)       paths     int32 (N, MAX_DEPTH, 2)
    leaves    LEAF (N,)                  symmetry  int64 (N, size²)        packed   uint8 (N, size², bytes)
    priors    float32 (n, size² + 1)     values    float32 (n,)            ownership  int32 (POINTS,)

boards[0] is the root's, 1 ... N the leaves', 1 + N ... 2 N those in which rollouts are played.  A value is +1 for a
win, -1 for a loss, of the side to move at the node; q of an edge is its node's mean value, of the side that made the
move, as it was when a simulation last passed: UCT2 of Childs, Brodeur and Kocsis 2008 ("Transpositions and Move Groups
in Monte Carlo Tree Search"), with means refreshed along the path only.  The value of a proven node is exact (solver).
Which edge a simulation follows is formulas'.  A simulation under way counts as a loss for the side that moved (virtual
loss), so that the simulations of a batch spread out.

Knows no network, clock or thread, and asks games.game for everything about the game.  Superko depends on the path, so
it is checked during selection.
"""
import numpy as np
from numba import njit

from mugo.games import game
from mugo.games.board import POINTS, index_of
from mugo.games.coords import PASS
from mugo.games.rng import random_below
from mugo.search.formulas import select_child
from mugo.search.rave import backup_amaf, record_rollout
from mugo.search.records import MAX_DEPTH, NULL_NODE
from mugo.search.solver import LOSS, WIN, bound_edge, bound_node, is_proven


@njit(cache=True, nogil=True)
def key_after(tree, key, b, move):
    """The key of b's node, reached by a move from the node with `key`."""
    return game.position_hash(b) if tree.transpositions else game.path_hash(key, move)


@njit(cache=True, nogil=True)
def find_slot(nodes, table, key):
    """The slot of a key in the table, or the empty one where it belongs."""
    mask = np.uint64(len(table) - 1)
    at = key & mask
    while table[at] != NULL_NODE and nodes[table[at]].key != key:
        at = (at + np.uint64(1)) & mask
    return at


@njit(cache=True, nogil=True)
def find(nodes, table, key):
    """The node of a key, or NULL_NODE."""
    return np.int64(table[find_slot(nodes, table, key)])


@njit(cache=True, nogil=True)
def find_or_add(tree, nodes, table, key):
    """The node of a key, a new one if there is none; NULL_NODE if the tree is full."""
    at = find_slot(nodes, table, key)
    if table[at] != NULL_NODE:
        return np.int64(table[at])
    if tree.n_nodes >= len(nodes):
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
    node.tried = 0
    node.lower = LOSS
    node.upper = WIN
    node.scored = 0
    node.score_mean = np.float32(0)
    node.score_square = np.float32(0)
    node.value_square = np.float32(0)
    node.raw_value = np.float32(0)
    return v


@njit(cache=True, nogil=True)
def reset(tree, nodes, table, key):
    """Empty the tree and give it a root with this key."""
    tree.n_nodes = 1
    tree.n_edges = 0
    tree.depth_sum = 0
    nodes[NULL_NODE].lower = LOSS
    nodes[NULL_NODE].upper = WIN
    table[:] = NULL_NODE
    tree.root = find_or_add(tree, nodes, table, key)


@njit(cache=True, nogil=True)
def expand(tree, nodes, edges, v, b):
    """Give node v its edges, the moves of the side to move in b, in random order; False if the tree is full.

    A move that wins at once and a pass that ends the game have exact values, so this may prove v.
    """
    if v == NULL_NODE or tree.n_edges + b.n_empty + 1 > len(edges):
        return False
    first = tree.n_edges
    n = 0
    only, lower, upper = game.forced_move(b, tree.has_priors)
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if game.is_candidate(b, p) and only in (0, p):
            j = first + random_below(b, n + 1)           # shuffled as they come (Durstenfeld, inside out)
            edges[first + n].move = edges[j].move
            edges[j].move = p
            n += 1
    if game.may_pass(b):
        edges[first + n].move = PASS
        n += 1
    for i in range(first, first + n):
        edge = edges[i]
        edge.node = NULL_NODE
        edge.visits = 0
        edge.virtual_losses = 0
        edge.q = np.float32(0)
        edge.rave_visits = np.float32(0)
        edge.rave_q = np.float32(0)
        edge.prior = np.float32(1) / np.float32(n)
        edge.lower = lower
        edge.upper = upper
        edge.may_repeat = game.may_repeat(b, np.int64(edge.move))
    if b.passes and game.may_pass(b):
        edges[first + n - 1].lower = edges[first + n - 1].upper = game.pass_value(b, tree.komi)
    tree.n_edges += n
    nodes[v].first = first
    nodes[v].count = n
    if only or b.passes:
        bound_node(nodes, edges, v)
    return True


@njit(cache=True, nogil=True)
def _expand_if_decided(tree, nodes, edges, v, b):
    """Expand node v, which has no priors yet, if that proves it; returns whether it does."""
    _, lower, upper = game.forced_move(b, tree.has_priors)
    return lower == upper and expand(tree, nodes, edges, v, b)


@njit(cache=True, nogil=True)
def _give_priors(nodes, edges, v, b, priors):
    """Set the priors of v's edges, from (size² + 1,) by move index, normalised over the edges."""
    first = nodes[v].first
    end = first + nodes[v].count
    total = np.float32(0)
    for i in range(first, end):
        edges[i].prior = priors[index_of(b, np.int64(edges[i].move))]
        total += edges[i].prior
    for i in range(first, end):
        if total > 0:
            edges[i].prior /= total
        else:
            edges[i].prior = np.float32(1) / np.float32(end - first)


@njit(cache=True, nogil=True)
def give_heuristic_priors(nodes, edges, v, b, scratch):
    """Begin the AMAF values of v's edges with the virtual visits and wins of the game's rules of thumb.

    scratch: planes.Scratch.
    """
    priors = np.zeros((POINTS, 2), np.float32)
    game.write_heuristic_priors(b, scratch, priors)
    first = np.int64(nodes[v].first)
    for i in range(first, first + np.int64(nodes[v].count)):
        p = np.int64(edges[i].move)
        edges[i].rave_visits = priors[p, 0]
        edges[i].rave_q = np.float32(2) * priors[p, 1] / priors[p, 0] - np.float32(1)


@njit(cache=True, nogil=True)
def _expand_by_rollouts(tree, nodes, edges, v, b, scratch):
    """Expand node v if it has the visits for it, without a network; returns whether it has edges now."""
    if nodes[v].visits < tree.expand_after or not expand(tree, nodes, edges, v, b):
        return False
    if tree.heuristic_priors:
        give_heuristic_priors(nodes, edges, v, b, scratch)
    return True


@njit(cache=True, nogil=True)
def select(tree, nodes, edges, table, b, history, path, scratch):
    """Play b, the root's board, down to a leaf; returns (leaf, edges of the path).

    path: gets the (node, edge) of each step; virtual losses are added along it.  scratch: planes.Scratch.
    A leaf is a node without edges: a new one, the end of a game, or NULL_NODE when the tree is full; or one below the
    root that is proven.
    """
    v = tree.root
    depth = 0
    while True:
        nodes[v].virtual_losses += 1
        if game.is_over(b) or depth == MAX_DEPTH:
            break
        if nodes[v].count == 0:
            if tree.has_priors:
                if not _expand_if_decided(tree, nodes, edges, v, b):
                    break
            elif not _expand_by_rollouts(tree, nodes, edges, v, b, scratch):
                break
        if is_proven(nodes[v]) and v != tree.root:
            break
        i = select_child(tree, nodes, edges, v, b, history, False)
        if not game.is_allowed(b, history, np.int64(edges[i].move)):
            i = select_child(tree, nodes, edges, v, b, history, True)
        edge = edges[i]
        move = np.int64(edge.move)
        game.play(b, move)
        history[b.moves] = b.hash
        edge.virtual_losses += 1
        path[depth, 0] = v
        path[depth, 1] = i
        depth += 1
        if edge.node == NULL_NODE:
            edge.node = find_or_add(tree, nodes, table, key_after(tree, nodes[v].key, b, move))
        v = np.int64(edge.node)
    return v, depth


@njit(cache=True, nogil=True)
def _remove_virtual_losses(nodes, edges, leaf, depth, path):
    """Take the virtual losses of a path back."""
    nodes[leaf].virtual_losses -= 1
    for k in range(depth):
        nodes[path[k, 0]].virtual_losses -= 1
        edges[path[k, 1]].virtual_losses -= 1


@njit(cache=True, nogil=True)
def _add_value(node, value):
    """Count a simulation with this value in a node's statistics."""
    node.visits += 1
    node.total += value
    node.value_square += np.float32((value * value - node.value_square) / node.visits)


@njit(cache=True, nogil=True)
def backup(tree, nodes, edges, leaf, depth, path, value, exact):
    """Add the value of a leaf, of its side to move, to every node and edge of its path, and draw the conclusions.

    exact: whether the value is the outcome of the game.  From a node that is proven, its exact value goes on.
    """
    _remove_virtual_losses(nodes, edges, leaf, depth, path)
    tree.depth_sum += depth
    if exact and leaf != NULL_NODE:
        nodes[leaf].lower = np.int8(value)
        nodes[leaf].upper = np.int8(value)
    elif is_proven(nodes[leaf]):
        value = float(nodes[leaf].lower)
    _add_value(nodes[leaf], value)
    for k in range(depth - 1, -1, -1):
        v = np.int64(path[k, 0])
        node = nodes[v]
        edge = edges[path[k, 1]]
        edge.visits += 1
        if edge.node == NULL_NODE:
            edge.q += np.float32(-value - edge.q) / np.float32(edge.visits)
        else:
            below = nodes[edge.node]
            edge.q = np.float32(-value) if is_proven(below) else np.float32(-below.total / below.visits)
            # Bounds of a new edge and of its node are the same: nothing to do on most paths.
            if (edge.upper != -below.lower or edge.lower != -below.upper) and bound_edge(
                    nodes, edges, path[k, 1], not edge.may_repeat or v == tree.root):
                bound_node(nodes, edges, v)
        value = float(node.lower) if is_proven(node) else -value
        _add_value(node, value)


@njit(cache=True, nogil=True)
def evaluate_leaf(tree, boards, start, work, ownership, first_plays, amaf):
    """The mean outcome of rollouts from boards[start], for its side to move; plays them in boards[work].

    first_plays, amaf: as in rave; amaf gets the AMAF values of the rollouts.
    boards[work].random is the state of the random numbers, not 0.  ownership: the owner of each point at the end of
    each rollout is added; ownership[0] counts the rollouts.
    """
    total = 0.0
    for _ in range(tree.rollouts):
        random = boards[work].random
        boards[work] = boards[start]
        boards[work].random = random
        outcome = game.roll_out(boards[work], tree.rollout_kind, tree.mercy, tree.komi, first_plays)
        game.add_ownership(boards[work], ownership)
        if tree.rave:
            record_rollout(first_plays, outcome, 1 / tree.rollouts, amaf)
        total += outcome
    return total / tree.rollouts * boards[start].to_play


@njit(cache=True, nogil=True)
def simulate(trees, nodes, edges, table, boards, history, path, ownership, scratch, n):
    """n simulations, one after the other, leaves evaluated by rollouts alone.

    boards: (3,), boards[1].random is the state of the random numbers.  scratch: planes.Scratch.
    """
    tree = trees[0]
    first_plays = np.zeros(POINTS, np.int8)
    amaf = np.zeros((2, POINTS, 2), np.float32)
    for _ in range(n):
        random = boards[1].random
        boards[1] = boards[0]
        boards[1].random = random
        leaf, depth = select(tree, nodes, edges, table, boards[1], history, path, scratch)
        c = boards[1].to_play
        exact = True
        if game.is_over(boards[1]):
            value = game.outcome(boards[1], tree.komi) * c
        elif is_proven(nodes[leaf]):
            value = float(nodes[leaf].lower)
        else:
            exact = False
            boards[2].random = boards[1].random
            value = evaluate_leaf(tree, boards, 1, 2, ownership, first_plays, amaf)
            boards[1].random = boards[2].random
        backup(tree, nodes, edges, leaf, depth, path, value, exact)
        if tree.rave:
            backup_amaf(nodes, edges, depth, path, c, value, amaf)


@njit(cache=True, nogil=True)
def select_batch(trees, nodes, edges, table, boards, history, paths, leaves, scratch, symmetry, packed):
    """Select up to len(leaves) leaves, under virtual loss; returns how many.

    scratch: planes.Scratch.  packed: gets the planes of leaf k in symmetry[k] where leaves[k].needs_evaluation.
    Fewer than len(leaves) are selected when selection comes to a leaf that is already in the batch.
    """
    tree = trees[0]
    for k in range(len(leaves)):
        random = boards[1 + k].random
        boards[1 + k] = boards[0]
        boards[1 + k].random = random
        leaf, depth = select(tree, nodes, edges, table, boards[1 + k], history, paths[k], scratch)
        record = leaves[k]
        record.node = leaf
        record.length = depth
        record.value = 0.0
        record.exact = True
        if game.is_over(boards[1 + k]):
            record.value = game.outcome(boards[1 + k], tree.komi) * boards[1 + k].to_play
        elif is_proven(nodes[leaf]):
            record.value = float(nodes[leaf].lower)
        else:
            record.exact = False
        record.needs_evaluation = (tree.has_priors and not record.exact and depth < MAX_DEPTH
                       and (leaf == NULL_NODE or leaf == tree.root or nodes[leaf].visits >= tree.expand_after))
        if record.needs_evaluation:
            if leaf != NULL_NODE and nodes[leaf].virtual_losses > 1:
                _remove_virtual_losses(nodes, edges, leaf, depth, paths[k])
                return k
            game.write_planes(boards[1 + k], history, scratch, symmetry[k], packed[k])
    return len(leaves)


@njit(cache=True, nogil=True)
def evaluate_leaves(trees, boards, leaves, start, end, n, ownership, amaf):
    """Roll out leaves [start, end) of the n selected; adds lambda times the outcome to their values.

    amaf: as in rave.backup_batch; without RAVE it may have one row.
    """
    tree = trees[0]
    first_plays = np.zeros(POINTS, np.int8)
    for k in range(start, end):
        if not leaves[k].exact:
            leaves[k].value += tree.lambda_ * evaluate_leaf(tree, boards, 1 + k, 1 + n + k, ownership, first_plays,
                                                            amaf[k if tree.rave else 0])


@njit(cache=True, nogil=True)
def expand_and_backup(trees, nodes, edges, boards, paths, leaves, n, priors, values):
    """Finish the n simulations selected: expand the leaves, back up their values.

    priors, values: a row for each leaf that needs_evaluation, in order.  leaves[k].value holds the part of the
    rollouts already, and gets the whole.
    """
    tree = trees[0]
    row = 0
    for k in range(n):
        leaf = np.int64(leaves[k].node)
        value = leaves[k].value
        if leaves[k].needs_evaluation:
            value += (1 - tree.lambda_) * values[row]
            if nodes[leaf].count == 0 and expand(tree, nodes, edges, leaf, boards[1 + k]):
                _give_priors(nodes, edges, leaf, boards[1 + k], priors[row])
                nodes[leaf].raw_value = value
            row += 1
        elif tree.lambda_ > 0 and not leaves[k].exact:
            value /= tree.lambda_                  # only rollouts evaluated it
        backup(tree, nodes, edges, leaf, leaves[k].length, paths[k], value, leaves[k].exact)
        leaves[k].value = value
