"""The search tree: select, evaluate, back up.  Compiled.

    nodes    positions; with transpositions, all orders of moves that lead to a position share its node
    edges    moves; those of one node are contiguous, the pass, if the game has one, last unless they are lazy; with
             PUCT lists of moves and priors, too, from which nodes get edges as they need them: lazy_edges
    table    transposition table: key of a position -> node, open addressing

               edges first ... first + count - 1
    node  ==>  [move prior visits q | move prior visits q | ...]  --node-->  node  ==>  ...

Arrays of the kernels, with N simulations in a batch:

    trees     TREE (1,)                  nodes     NODE (nodes,)           edges    EDGE (edges,)
    table     int32 (2**m,)              boards    BOARD (1 + 2 N,)        history  uint64 (moves,)
    path      int32 (MAX_DEPTH, 2)       paths     int32 (N, MAX_DEPTH, 2)
    leaves    LEAF (N,)                  symmetry  int64 (N, points)        packed   uint8 (N, points, bytes)
    priors    float32 (n, points + 1)    values    float32 (n,)            ownership  int32 (POINTS,)

boards[0] is the root's, 1 ... N the leaves', 1 + N ... 2 N those in which rollouts are played.  A value is +1 for a
win, -1 for a loss, of the side to move at the node; q of an edge is its node's mean value, of the side that made the
move, as it was when a simulation last passed: UCT2 of Childs, Brodeur and Kocsis 2008 ("Transpositions and Move Groups
in Monte Carlo Tree Search"), with means refreshed along the path only.  The value of a proven node is exact (solver).
Which edge a simulation follows is formulas'.  A simulation under way counts as a loss for the side that moved (virtual
loss), so that the simulations of a batch, and of several threads, spread out.

Threads may `simulate` in one tree at once (threaded_growth); records says how each field is written.  A mean that is
refreshed may miss what another thread adds to it at that moment; it stays a mean of values from -1 to 1.

Knows no network or clock, and asks games.game for everything about the game.  Repetitions depend on the path, so they
are looked for during selection.  By simple ko a simulation ends where a position of its path, or of the game so far,
comes again: with no result, a draw, in a leaf without a node; or if there was a pass in between, with an evaluation.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games import game
from mugo.mcts.atomics import acquire_fence, fetch_add, lock, release_fence, unlock
from mugo.mcts.expansion import call_expand, expand, forced_move, give_priors, has_room
from mugo.mcts.formulas import select_child
from mugo.mcts.lazy_edges import list_moves
from mugo.mcts.rave import backup_amaf, record_rollout
from mugo.mcts.records import MAX_DEPTH, NULL_NODE
from mugo.mcts.solver import LOSS, WIN, bound_edge, bound_node, edge_at, is_proven

MAX_LOAD = 0.5                           # of the table: nodes for each slot


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
def _node_below(tree, nodes, edges, table, i, key):
    """The node that edge i leads to, the one with this key; NULL_NODE if the tree is full."""
    lock(tree)
    if edges[i].node == NULL_NODE:
        below = find_or_add(tree, nodes, table, key)
        release_fence()
        edges[i].node = below
    unlock(tree)
    return np.int64(edges[i].node)


@subroutine
def select(tree, nodes, edges, table, b, history, path, scratch):
    """Play b, the root's board, down to a leaf; returns (leaf, edges of the path).

    path: gets the node of each step, and which of its edges is followed, from 0; virtual losses are added along it.
    scratch: planes.Scratch.  A leaf is a node without edges, NULL_NODE when the tree is full and for no result, one
    below the root that is proven or repeats a position, or in a full tree one without an edge that superko allows.
    """
    v = tree.root
    depth = 0
    while True:
        fetch_add(nodes[v], "virtual_losses", 1, tree.shared)
        if game.is_over(b) or depth == MAX_DEPTH:
            break
        if nodes[v].count == 0 and (tree.params.has_priors
                                    or not call_expand(tree.params.expand, tree, nodes, edges, v, b, scratch)):
            break
        acquire_fence()                                  # the edges were written before their count
        if is_proven(nodes[v]) and v != tree.root:
            break
        for check_superko in (False, True):              # two constants would compile the formulas twice
            i = select_child(tree, nodes, edges, v, b, history, check_superko)
            is_allowed = game.is_allowed(b, history, np.int64(edges[i].move))
            if is_allowed:
                break
        if not is_allowed:                               # a full tree has no room for the edge of another move
            break
        edge = edges[i]
        move = np.int64(edge.move)
        game.play(tree.params.play, b, move)
        history[b.moves] = b.hash
        fetch_add(edge, "virtual_losses", 1, tree.shared)
        path[depth, 0] = v
        path[depth, 1] = i - nodes[v].first
        depth += 1
        earlier = game.earlier_occurrence(b, history)
        if earlier >= b.last_pass:                       # no result
            fetch_add(nodes[NULL_NODE], "virtual_losses", 1, tree.shared)
            return np.int64(NULL_NODE), depth
        below = np.int64(edge.node)
        if below == NULL_NODE:
            below = _node_below(tree, nodes, edges, table, i, game.position_hash(b))
        v = below
        if earlier >= 0:
            fetch_add(nodes[v], "virtual_losses", 1, tree.shared)
            break
    return v, depth


@subroutine
def _remove_virtual_losses(tree, nodes, edges, leaf, depth, path):
    """Take the virtual losses of a path back."""
    fetch_add(nodes[leaf], "virtual_losses", -1, tree.shared)
    for k in range(depth):
        fetch_add(nodes[path[k, 0]], "virtual_losses", -1, tree.shared)
        fetch_add(edges[edge_at(nodes, path, k)], "virtual_losses", -1, tree.shared)


@subroutine
def _add_value(tree, node, value):
    """Count a simulation with this value in a node's statistics."""
    visits = fetch_add(node, "visits", 1, tree.shared) + 1
    fetch_add(node, "total", value, tree.shared)
    node.value_square += np.float32((value * value - node.value_square) / visits)


@subroutine
def _mean(node):
    """The mean value of a node with visits.  Visits are counted first and read last, so it is from -1 to 1."""
    total = node.total
    acquire_fence()
    return total / node.visits


@subroutine
def backup(tree, nodes, edges, leaf, depth, path, value, exact):
    """Add the value of a leaf, of its side to move, to every node and edge of its path, and draw the conclusions.
    exact: whether the value is the outcome of the game.  From a node that is proven, its exact value goes on."""
    _remove_virtual_losses(tree, nodes, edges, leaf, depth, path)
    fetch_add(tree, "depth_sum", depth, tree.shared)
    if exact and leaf != NULL_NODE:
        nodes[leaf].lower = np.int8(value)
        nodes[leaf].upper = np.int8(value)
    elif is_proven(nodes[leaf]):
        value = float(nodes[leaf].lower)
    _add_value(tree, nodes[leaf], value)
    for k in range(depth - 1, -1, -1):
        v = np.int64(path[k, 0])
        node = nodes[v]
        i = edge_at(nodes, path, k)
        edge = edges[i]
        visits = fetch_add(edge, "visits", 1, tree.shared) + 1
        if edge.node == NULL_NODE or leaf == NULL_NODE and k == depth - 1:
            edge.q += np.float32(-value - edge.q) / np.float32(visits)
        else:
            below = nodes[edge.node]
            edge.q = np.float32(-value) if is_proven(below) else np.float32(-_mean(below))
            # Bounds of a new edge and of its node are the same: nothing to do on most paths.
            is_legal = not edge.may_repeat or v == tree.root             # on all paths
            if (edge.upper != -below.lower or edge.lower != -below.upper) and (is_legal or not tree.params.simple_ko):
                lock(tree)
                if bound_edge(nodes, edges, i, is_legal):
                    bound_node(nodes, edges, v)
                unlock(tree)
        value = float(node.lower) if is_proven(node) else -value
        _add_value(tree, node, value)


@subroutine
def known_value(tree, nodes, leaf, b, history):
    """(whether a leaf needs no evaluation, as the rules decide it or it is proven; its value for the side to move)."""
    if leaf == NULL_NODE and game.earlier_occurrence(b, history) >= b.last_pass:
        return True, 0.0                                 # no result
    if game.is_decided(b):
        return True, game.outcome(b, tree.params.komi) * b.to_play
    return is_proven(nodes[leaf]), float(nodes[leaf].lower)


@subroutine
def evaluate_leaf(tree, boards, start, work, ownership, scratch):
    """The mean outcome of rollouts from boards[start], for its side to move; plays them in boards[work], whose `random`
    is the state of the random numbers, not 0.

    ownership: as in game.add_ownership.  scratch: planes.Scratch; scratch.amaf gets the AMAF values of the rollouts, if
    the search has RAVE.
    """
    params = tree.params
    if params.roll_out == 0:                             # the search has no rollouts
        return 0.0
    total = 0.0
    for _ in range(params.rollouts):
        random = boards[work].random
        boards[work] = boards[start]
        boards[work].random = random
        outcome = game.roll_out(params.roll_out, boards[work], scratch.light_boards, params.mercy, params.komi,
                                scratch.first_plays)
        game.add_ownership(boards[work], ownership)
        if params.rave:
            record_rollout(scratch.first_plays, outcome, 1 / params.rollouts, scratch.amaf)
        total += outcome
    return total / params.rollouts * boards[start].to_play


@kernel
def simulate(trees, nodes, edges, table, boards, history, path, ownership, scratch):
    """Simulations, one after the other, leaves evaluated by rollouts alone, until tree.simulations_left is 0; returns
    how many.

    Several threads may do this at once, each with its own boards, history, path, ownership and scratch.
    boards: (3,), boards[1].random is the state of the random numbers.  scratch: planes.Scratch.
    """
    tree = trees[0]
    done = 0
    while fetch_add(tree, "simulations_left", -1, tree.shared) > 0:
        done += 1
        random = boards[1].random
        boards[1] = boards[0]
        boards[1].random = random
        leaf, depth = select(tree, nodes, edges, table, boards[1], history, path, scratch)
        c = boards[1].to_play
        exact, value = known_value(tree, nodes, leaf, boards[1], history)
        if not exact:
            boards[2].random = boards[1].random
            value = evaluate_leaf(tree, boards, 1, 2, ownership, scratch)
            boards[1].random = boards[2].random
        backup(tree, nodes, edges, leaf, depth, path, value, exact)
        if tree.params.rave:
            backup_amaf(nodes, edges, depth, path, c, value, scratch.amaf)
    return done


@subroutine
def _look_at_leaf(tree, nodes, edges, b, history, path, record):
    """Write what is known of a selected leaf without a network or rollouts to its LEAF record, all but node and length.
    b: its board.  A leaf that its forced move decides gets edges, which prove it."""
    leaf = np.int64(record.node)
    record.only = 0
    record.needs_evaluation = False
    is_over = game.is_over(b)
    if tree.params.has_priors and nodes[leaf].count == 0 and not is_over:
        record.only, lower, upper = forced_move(tree, leaf, b, True)
        if lower == upper:                               # known also where the tree has no room for the edges
            expand(tree, nodes, edges, leaf, b, record.only, lower, upper)
            record.known, record.value = True, float(lower)
            return
    record.known, record.value = known_value(tree, nodes, leaf, b, history)
    if record.known:
        return
    record.value = 0.0
    # Evaluated before, and no node has the value.  With rollouts every visit is another one.
    if leaf == NULL_NODE and tree.params.lambda_ == 0:
        edge = edges[edge_at(nodes, path, record.length - 1)]
        if edge.visits:
            record.known, record.value = True, -edge.q
            return
    if not tree.params.has_priors:
        return
    if nodes[leaf].count or nodes[leaf].evaluated and (is_over or not has_room(tree, edges, b)):
        record.value = (1 - tree.params.lambda_) * nodes[leaf].raw_value
    elif record.length < MAX_DEPTH:
        record.needs_evaluation = (leaf == NULL_NODE or leaf == tree.root
                                   or nodes[leaf].visits >= tree.params.expand_after)


@kernel
def select_batch(trees, nodes, edges, table, boards, history, paths, leaves, scratch, symmetry, packed):
    """Select up to len(leaves) leaves, under virtual loss; returns how many.  scratch: planes.Scratch.  packed: gets
    the planes of leaf k in symmetry[k] where leaves[k].needs_evaluation.  Fewer than len(leaves) are selected when
    selection comes to a leaf that is already in the batch."""
    tree = trees[0]
    for k in range(len(leaves)):
        random = boards[1 + k].random
        boards[1 + k] = boards[0]
        boards[1 + k].random = random
        leaf, depth = select(tree, nodes, edges, table, boards[1 + k], history, paths[k], scratch)
        record = leaves[k]
        record.node = leaf
        record.length = depth
        _look_at_leaf(tree, nodes, edges, boards[1 + k], history, paths[k], record)
        if record.needs_evaluation:
            if leaf != NULL_NODE and nodes[leaf].virtual_losses > 1:
                _remove_virtual_losses(tree, nodes, edges, leaf, depth, paths[k])
                return k
            game.write_planes(tree.params.write_planes, boards[1 + k], history, scratch, symmetry[k], packed[k])
    return len(leaves)


@kernel
def evaluate_leaves(trees, boards, leaves, start, end, n, ownership, scratch):
    """Roll out leaves [start, end) of the n selected; adds lambda times the outcome to their values.  scratch:
    planes.Scratch, of this thread."""
    tree = trees[0]
    for k in range(start, end):
        if not leaves[k].known:
            outcome = evaluate_leaf(tree, boards, 1 + k, 1 + n + k, ownership, scratch)
            leaves[k].value += tree.params.lambda_ * outcome


@kernel
def expand_and_backup(trees, nodes, edges, boards, paths, leaves, n, priors, values):
    """Finish the n simulations selected: expand the leaves, back up their values.  priors, values: a row for each leaf
    that needs_evaluation, in order.  leaves[k].value holds the part of the rollouts already, and gets the whole."""
    tree = trees[0]
    row = 0
    for k in range(n):
        leaf = np.int64(leaves[k].node)
        value = leaves[k].value
        if leaves[k].needs_evaluation:
            value += (1 - tree.params.lambda_) * values[row]
            if not game.is_over(boards[1 + k]) and expand(tree, nodes, edges, leaf, boards[1 + k], leaves[k].only,
                                                          LOSS, WIN):
                give_priors(tree, nodes, edges, leaf, boards[1 + k], priors[row])
                if tree.params.lazy_edges and leaf != tree.root and leaves[k].only == 0:
                    list_moves(tree, nodes, edges, leaf, boards[1 + k])
                nodes[leaf].evaluated = False
            else:
                nodes[leaf].evaluated = leaf != NULL_NODE
            nodes[leaf].raw_value = values[row]
            row += 1
        elif tree.params.lambda_ > 0 and not (leaves[k].known or nodes[leaf].evaluated or nodes[leaf].count):
            value /= tree.params.lambda_                  # only rollouts evaluated it
        backup(tree, nodes, edges, leaf, leaves[k].length, paths[k], value, leaves[k].known)
        leaves[k].value = value
