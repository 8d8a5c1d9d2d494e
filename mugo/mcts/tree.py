"""The search tree: select a leaf, evaluate it, back its value up.  Compiled.

The rules of the game (game.FUNCTIONS) and the formula that selects (selection) are called by address.

    nodes    positions; all orders of moves that lead to a position share its node
    edges    moves; those of one node are contiguous, the pass, if the game has one, last unless they are lazy; with
             PUCT lists of moves and priors, too: expansion
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
move, when a simulation last passed: UCT2 of Childs, Brodeur and Kocsis 2008 ("Transpositions and Move Groups in Monte
Carlo Tree Search").  A simulation under way counts as a loss for the side that moved (virtual loss).

The value of a leaf is

    (1 - lambda) (v + f u) + lambda z        v, u: by the network, z: the mean outcome of rollouts

and where one of both is missing the other.  u is KataGo's utility of the score; score_utility is its part of a node's
value, so that win rates are without it.  A node's score is KataGo's scoreMean: points of its side to move, komi
included, averaged over the leaves that a network with scores evaluated at or below it.

Threads may `simulate` in one tree at once (growth); records says how each field is written.  A mean may miss what
another thread adds at that moment.  Repetitions depend on the path, so they are looked for during selection.  By simple
ko a simulation ends where a position of its path, or of the game so far, comes again: with no result, a draw, in a leaf
without a node; or if there was a pass in between, with an evaluation.
"""
import math
from typing import NamedTuple

import numpy as np
from mugo.core.jit import kernel, subroutine
from mugo.games import game
from mugo.mcts.atomics import acquire_fence, fetch_add, lock, release_fence, unlock
from mugo.mcts.expansion import call_expand, expand, forced_move, give_priors, has_room, list_moves
from mugo.mcts.records import MAX_DEPTH, NULL_NODE
from mugo.mcts.selection import backup_amaf, record_rollout, select_child
from mugo.mcts.solver import LOSS, WIN, bound_edge, bound_node, edge_at, is_proven
from mugo.mcts.tree_arrays import find_or_add

CENTER = 0.8                             # of the root's lead: 1 - KataGo's dynamicScoreCenterZeroWeight
SCALE = 0.75                             # of the side of the board: KataGo's dynamicScoreCenterScale
NO_SCORE = (False, 0.0, 0.0, 0.0)        # of a leaf; see backup


class Scores(NamedTuple):
    """The scores of the leaves of a batch, by a network.

    means, stdevs: float32 (n,), for the side to move at the leaf; (0,) without scores.  factor: f in the value of a
    leaf, 0 if no part of it is for the score.  lead: Black's at the root, in points.  area: points of the board.
    """
    means: np.ndarray
    stdevs: np.ndarray
    factor: float = 0.0
    lead: float = 0.0
    area: int = 0


NO_SCORES = Scores(np.zeros(0, np.float32), np.zeros(0, np.float32))


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
def _add(tree, node, value, has_score, mean, square, utility):
    """Count a simulation with this value, and this score if it has one, in a node's statistics."""
    visits = fetch_add(node, "visits", 1, tree.shared) + 1
    fetch_add(node, "total", value, tree.shared)
    node.value_square += np.float32((value * value - node.value_square) / visits)
    if has_score:
        node.scored += 1
        node.score_mean += np.float32((mean - node.score_mean) / node.scored)
        node.score_square += np.float32((square - node.score_square) / node.scored)
        node.score_utility += np.float32((utility - node.score_utility) / node.scored)


@subroutine
def _mean(node):
    """The mean value of a node with visits.  Visits are counted first and read last, so it is from -1 to 1."""
    total = node.total
    acquire_fence()
    return total / node.visits


@subroutine
def backup(tree, nodes, edges, leaf, depth, path, value, exact, score):
    """Add the value of a leaf, of its side to move, to every node and edge of its path, and draw the conclusions.
    exact: whether the value is the outcome of the game.  From a node that is proven, its exact value goes on.
    score: (whether it has one, its mean, the mean of its square, the part of the value that is for it)."""
    has_score, mean, square, utility = score
    _remove_virtual_losses(tree, nodes, edges, leaf, depth, path)
    fetch_add(tree, "depth_sum", depth, tree.shared)
    if exact and leaf != NULL_NODE:
        nodes[leaf].lower = np.int8(value)
        nodes[leaf].upper = np.int8(value)
    elif is_proven(nodes[leaf]):
        value = float(nodes[leaf].lower)
    _add(tree, nodes[leaf], value, has_score, mean, square, utility)
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
        mean, utility = -mean, -utility
        _add(tree, node, value, has_score, mean, square, utility)


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
        backup(tree, nodes, edges, leaf, depth, path, value, exact, NO_SCORE)
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
    record.has_network = False
    record.rollout = 0.0
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
    # Evaluated before, and no node has the value.  With rollouts every visit is another one.
    if leaf == NULL_NODE and tree.params.lambda_ == 0:
        edge = edges[edge_at(nodes, path, record.length - 1)]
        if edge.visits:
            record.known, record.value = True, -edge.q
            return
    if not tree.params.has_priors:
        return
    if nodes[leaf].count or nodes[leaf].evaluated and (is_over or not has_room(tree, edges, b)):
        record.has_network, record.network = True, nodes[leaf].raw_value
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
    """Roll out leaves [start, end) of the n selected.  scratch: planes.Scratch, of this thread."""
    for k in range(start, end):
        if not leaves[k].known:
            leaves[k].rollout = evaluate_leaf(trees[0], boards, 1 + k, 1 + n + k, ownership, scratch)


@subroutine
def score_utility(mean, stdev, lead, area):
    """KataGo's dynamic score utility of a score, 2 / pi arctan((score - center) / scale), from -1 to 1.

    The center is CENTER lead, but at most the scale of a sure score away from the lead.  The scale has the standard
    deviation, in the place of KataGo's mean over scores.  lead: the root's score, for the same side.  area: points
    of the board.
    """
    least_scale = SCALE * math.sqrt(area)
    center = lead - min(max((1 - CENTER) * lead, -least_scale), least_scale)
    return 2 / math.pi * math.atan((mean - center) / math.sqrt(least_scale * least_scale + stdev * stdev))


@subroutine
def value_of(tree, record):
    """The value of a leaf; see above."""
    if record.known:
        return record.value
    if not record.has_network:
        return record.rollout
    return (1 - tree.params.lambda_) * record.network + tree.params.lambda_ * record.rollout


@subroutine
def _score_of_leaf(tree, node, record, to_play, row, scores):
    """The score of a leaf, as in `backup`; scores: as in expand_and_backup.  One that was evaluated before has the same
    again.  The leaf's value by the network, of row `row` of the batch, gets the part for the score."""
    if record.needs_evaluation and len(scores.means):
        mean, stdev = float(scores.means[row]), float(scores.stdevs[row])
        utility = np.float32(0)
        if scores.factor > 0:
            lead = scores.lead * to_play
            utility = np.float32(scores.factor) * np.float32(score_utility(mean, stdev, lead, scores.area))
        record.network = np.float32(record.network) + utility
        return True, mean, mean * mean + stdev * stdev, (1 - tree.params.lambda_) * float(utility)
    if not record.needs_evaluation and not record.known and node.evaluated and node.scored:
        return True, float(node.score_mean), float(node.score_square), float(node.score_utility)
    return NO_SCORE


@kernel
def expand_and_backup(trees, nodes, edges, boards, paths, leaves, n, priors, values, scores):
    """Finish the n simulations selected: expand the leaves, back up their values, which leaves[k].value gets.

    priors, values: float32, a row for each leaf that needs_evaluation, in order.  scores: Scores of the same leaves.
    """
    tree = trees[0]
    row = 0
    for k in range(n):
        record = leaves[k]
        leaf = np.int64(record.node)
        if record.needs_evaluation:
            record.has_network, record.network = True, values[row]
        score = _score_of_leaf(tree, nodes[leaf], record, boards[1 + k].to_play, row, scores)
        if record.needs_evaluation:
            nodes[leaf].evaluated = False
            b = boards[1 + k]
            if not game.is_over(b) and expand(tree, nodes, edges, leaf, b, record.only, LOSS, WIN):
                give_priors(tree, nodes, edges, leaf, b, priors[row])
                if tree.params.lazy_edges and leaf != tree.root and record.only == 0:
                    list_moves(tree, nodes, edges, leaf, b)
            else:
                nodes[leaf].evaluated = leaf != NULL_NODE
            nodes[leaf].raw_value = record.network
            row += 1
        record.value = value_of(tree, record)
        backup(tree, nodes, edges, leaf, record.length, paths[k], record.value, record.known, score)


@kernel
def recenter(trees, nodes, edges, factor, area, before, after):
    """Measure the score utilities of a reused tree against the lead `after` of its root's side to move, in place of
    `before`; KataGo's recursivelyRecomputeStats.  A node's utility is changed by that of its mean score.

    factor: that of the utility in the value of a leaf by the network.  area: points of the board.
    """
    tree = trees[0]
    share = factor * (1 - tree.params.lambda_)           # of the utility in the value of a leaf
    sides = np.zeros(tree.n_nodes, np.int8)              # 1: the root's side to move, -1: the other, 0: not reached
    stack = np.empty(tree.n_nodes, np.int32)
    stack[0] = tree.root
    sides[tree.root] = 1
    depth = 1
    while depth:
        depth -= 1
        v = stack[depth]
        node = nodes[v]
        if node.scored:
            mean = float(node.score_mean)
            stdev = math.sqrt(max(float(node.score_square) - mean * mean, 0.0))
            change = (score_utility(mean, stdev, sides[v] * after, area)
                      - score_utility(mean, stdev, sides[v] * before, area))
            in_mean = share * change * node.scored / node.visits
            node.value_square += np.float32(in_mean * (2 * node.total / node.visits + in_mean))
            node.total += in_mean * node.visits
            node.score_utility += np.float32(share * change)
            node.raw_value += np.float32(factor * change)
        for i in range(node.first, node.first + node.count):
            below = edges[i].node
            if below != NULL_NODE and not sides[below]:
                sides[below] = -sides[v]
                stack[depth] = below
                depth += 1
    for v in range(1, tree.n_nodes):
        for i in range(nodes[v].first, nodes[v].first + nodes[v].count):
            below = nodes[edges[i].node]
            if edges[i].node != NULL_NODE and below.visits and not is_proven(below):
                edges[i].q = np.float32(-below.total / below.visits)
