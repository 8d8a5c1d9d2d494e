"""RAVE: what the moves of a rollout say about the moves of the nodes above it.  Compiled.

Gelly and Silver 2007 ("Combining Online and Offline Knowledge in UCT"), 2011 ("Monte-Carlo tree search and rapid action
value estimation in computer Go").  In addition to its own mean value q over n visits, every edge has an
all-moves-as-first (AMAF) mean rave_q over rave_visits: of all simulations through its node in which its move was
played there or later, by the same side, as the first stone on that point.  Selection takes

    (1 - beta) q + beta rave_q        beta = rave_visits / (n + rave_visits + 4 b^2 n rave_visits)

the weight of least mean squared error, where b, the RAVE bias, is how far rave_q is from the truth.  Heuristic priors
(games.go_priors, games.gomoku_priors) are virtual visits that rave_visits and rave_q begin with, so they count without
RAVE, too.

    first_plays   int8 (POINTS,)             the colour of the first stone that a rollout played on each point, 0 none
    amaf          float32 (2, POINTS, 2)     of one simulation, by colour (1 Black, 0 White) and point: the share of its
                                             rollouts in which that colour played there first, and the sum of their
                                             values for it, so shared

Between simulations amaf is 0.  A pass, point 0, has no AMAF value.  Arrays otherwise as in tree.
"""
import numpy as np

from mugo.core.jit import subroutine
from mugo.games.board import POINTS
from mugo.games.coords import PASS
from mugo.mcts.solver import edge_at, is_proven, may_select, q_under_loss


@subroutine
def rave_weight(visits, rave_visits, bias):
    """beta, the weight of rave_q; rave_visits is above 0.  visits, rave_visits, bias: float32."""
    return rave_visits / (visits + rave_visits + np.float32(4) * bias * bias * visits * rave_visits)


@subroutine
def mixed_value(edge, q, visits, losses, bias):
    """The weighted mean of an edge's own value q, of so many visits, and its AMAF value.  Both count simulations under
    way, the losses, as lost; the edge has AMAF visits or some of those.  visits, losses: float32."""
    rave_visits = edge.rave_visits + losses
    rave_q = (edge.rave_q * edge.rave_visits - losses) / rave_visits
    return q + rave_weight(visits, rave_visits, bias) * (rave_q - q)


@subroutine
def rave_child(tree, node, edges, losing, b, history, check_superko):
    """The edge of a node that maximises w + c sqrt(ln N / (n + 1)), w being the mean of both values as a win rate.
    Arguments as in solver.may_select."""
    first = np.int64(node.first)
    end = first + np.int64(node.count)
    best = np.float32(-np.inf)
    chosen = end - 1
    half = np.float32(0.5)
    c = np.float32(tree.params.c)
    bias = np.float32(tree.params.rave_bias)
    log = np.log(np.float32(max(node.visits + node.virtual_losses, 1)))
    for i in range(first, end):
        edge = edges[i]
        losses = np.float32(edge.virtual_losses)
        n = np.float32(edge.visits) + losses
        q = q_under_loss(edge, losses, n) if n > 0 else np.float32(0)
        if is_proven(edge):
            u = half + half * np.float32(edge.lower)
        elif edge.rave_visits + losses > 0:
            u = half + half * mixed_value(edge, q, n, losses, bias)
        else:
            u = half + half * q if n > 0 else np.float32(tree.params.fpu)
        if c > 0:
            u += c * np.sqrt(log / (n + np.float32(1)))
        if u > best and may_select(edge, losing, b, history, check_superko):
            best = u
            chosen = i
    return chosen


@subroutine
def record_rollout(first_plays, outcome, share, amaf):
    """Add a rollout to the AMAF values of its simulation, and clear first_plays.  outcome: 1 if Black has won, -1 if
    White has, 0 a draw.  share: 1 / rollouts of the simulation."""
    for p in range(1, POINTS):
        c = first_plays[p]
        if c:
            black = np.int64(c > 0)
            amaf[black, p, 0] += np.float32(share)
            amaf[black, p, 1] += np.float32(share * outcome * c)
            first_plays[p] = 0


@subroutine
def backup_amaf(nodes, edges, depth, path, to_play, value, amaf):
    """Add a simulation to the AMAF values of the edges of every node on its path, and clear amaf.  amaf: of its
    rollouts; the moves of the path come before theirs.  value: of the leaf, for to_play, its side to move."""
    side = to_play
    for k in range(depth - 1, -1, -1):
        side = -side
        value = -value
        black = np.int64(side > 0)
        move = np.int64(edges[edge_at(nodes, path, k)].move)
        if move != PASS:
            amaf[black, move, 0] = np.float32(1)
            amaf[black, move, 1] = np.float32(value)
            amaf[1 - black, move, 0] = np.float32(0)
        node = nodes[path[k, 0]]
        first = np.int64(node.first)
        for i in range(first, first + np.int64(node.count)):
            edge = edges[i]
            p = np.int64(edge.move)
            share = amaf[black, p, 0]
            if share > 0:
                edge.rave_visits += share
                edge.rave_q += (amaf[black, p, 1] - share * edge.rave_q) / edge.rave_visits
    amaf[:] = np.float32(0)
