"""The selection formulas of the tree: which edge of a node a simulation follows.  Compiled.

    UCB1     w + c sqrt(ln N / n)              w = (1 + q) / 2    Auer et al. 2002, Kocsis and Szepesvari 2006
    RAVE     w + c sqrt(ln N / (n + 1))        w of q and rave_q              Gelly and Silver 2007
    PUCT     q + c(N) prior sqrt(N) / (1 + n)                                 Silver et al. 2016

n are the visits of an edge, N those of its node, q is the mean value of the edge from -1 to 1, with simulations under
way as losses.  Edges that are proven to lose are not selected while there are others.  The tree calls the formula of a
search by its address.

PUCT has the terms that KataGo and Leela Zero add to AlphaZero's formula; by default they are 0:

    c(N) = c + log ln((N + base) / base)        log, base: cpuct_exploration_log, cpuct_exploration_base
    q of an edge without visits = value of the node - reduction sqrt(sum of the priors of the edges with visits)

RAVE (Gelly and Silver 2011, "Monte-Carlo tree search and rapid action value estimation in computer Go"): every edge
also has an all-moves-as-first (AMAF) mean rave_q over rave_visits, of all simulations through its node in which its
move was played there or later, by the same side, as the first stone on that point.  Selection takes

    (1 - beta) q + beta rave_q        beta = rave_visits / (n + rave_visits + 4 b^2 n rave_visits)

where b is the RAVE bias.  Heuristic priors (games.go_priors, games.gomoku_threats) are virtual visits that rave_visits
and rave_q begin with, so they also count without RAVE.

    first_plays   int8 (POINTS,)             the colour of the first stone that a rollout played on each point, 0 none
    amaf          float32 (2, POINTS, 2)     of one simulation, by colour (1 Black, 0 White) and point: the share of its
                                             rollouts in which that colour played there first, and the sum of their
                                             values for it, so shared.  Between simulations 0; a pass has none
"""
from typing import Any

import numpy as np
from mugo.core.jit import address_of, caller, subroutine
from mugo.games.board import BOARD_TYPE, POINTS
from mugo.games.coords import PASS
from mugo.games.game import SIGNATURES, function_of
from mugo.mcts.atomics import fetch_add
from mugo.mcts.expansion import EXPAND, WRITE_EDGES, expand_by_rollouts, next_prior, open_next, write_edges
from mugo.mcts.records import EDGE_TYPE, NODE_TYPE, TREE_TYPE
from mugo.mcts.solver import LOSS, edge_at, is_proven, last_allowed, may_select, q_under_loss
from numba import types
from numba.core.typing.templates import Signature


@subroutine
def exploration_constant(params, visits):
    """c(N) of a node with this many visits."""
    c = params.c
    if params.cpuct_exploration_log > 0:
        c += params.cpuct_exploration_log * np.log((visits + params.cpuct_exploration_base)
                                                   / params.cpuct_exploration_base)
    return np.float32(c)


@subroutine
def first_play_urgency(params, node, is_root, visited_priors):
    """The q of edges without visits.  visited_priors: the sum of the priors of the others."""
    if not np.isnan(params.fpu):
        return np.float32(params.fpu)
    reduction = params.root_fpu_reduction_max if is_root else params.fpu_reduction_max
    return np.float32(node.total / max(node.visits, 1) - reduction * np.sqrt(max(visited_priors, 0.0)))


@subroutine
def losing_bound(node):
    """The upper bound up to which the edges of a node are left out: all are looked at in a proven root that is searched
    on."""
    return LOSS - 1 if is_proven(node) else LOSS


@subroutine
def puct_child(tree, nodes, edges, v, b, history, check_superko):
    """The edge of node v that maximises PUCT; of the moves without visits only the one with the highest prior can, and
    gets an edge if it has none.  Arguments as in select_child."""
    node = nodes[v]
    losing = losing_bound(node)
    visits = max(node.visits + node.virtual_losses, 1)
    scale = exploration_constant(tree.params, visits) * np.sqrt(np.float32(visits))
    while True:
        first = np.int64(node.first)
        end = first + np.int64(node.count)
        best = np.float32(-np.inf)
        best_prior = np.float32(-np.inf)
        chosen = unvisited = last_allowed(edges, first, end)
        visited_priors = 0.0
        other_priors = 0.0
        for i in range(first, end):
            edge = edges[i]
            if not edge.allowed:
                continue
            losses = np.float32(edge.virtual_losses)
            n = np.float32(edge.visits) + losses
            if n > 0:
                visited_priors += edge.prior
                q = q_under_loss(edge, losses, n)
                u = q + scale * edge.prior / (np.float32(1) + n)
                if u > best and may_select(edge, losing, b, history, check_superko):
                    best = u
                    chosen = i
            else:
                other_priors += edge.prior
                if edge.prior > best_prior and may_select(edge, losing, b, history, check_superko):
                    best_prior = edge.prior
                    unvisited = i
        urgency = first_play_urgency(tree.params, node, v == tree.root, visited_priors)
        if node.count < node.moves:
            prior = next_prior(node, edges, visited_priors + other_priors)
            if prior > best_prior and scale * prior + urgency > best and open_next(tree, nodes, edges, v, b):
                continue
        return unvisited if best_prior >= 0 and scale * best_prior + urgency > best else chosen


@subroutine
def rave_weight(visits, rave_visits, bias):
    """beta, the weight of rave_q; rave_visits is above 0.  visits, rave_visits, bias: float32."""
    return rave_visits / (visits + rave_visits + np.float32(4) * bias * bias * visits * rave_visits)


@subroutine
def mixed_value(edge, q, visits, losses, bias):
    """The weighted mean of an edge's own value q, of this many visits, and its AMAF value.  Both count simulations
    under way, the losses, as lost; the edge has AMAF visits or some of those.  visits, losses: float32."""
    rave_visits = edge.rave_visits + losses
    rave_q = (edge.rave_q * edge.rave_visits - losses) / rave_visits
    return q + rave_weight(visits, rave_visits, bias) * (rave_q - q)


@subroutine
def rave_child(tree, nodes, edges, v, b, history, check_superko):
    """The edge of node v that maximises RAVE.  Arguments as in select_child."""
    node = nodes[v]
    losing = losing_bound(node)
    first = np.int64(node.first)
    end = first + np.int64(node.count)
    best = np.float32(-np.inf)
    chosen = last_allowed(edges, first, end)
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
    """Add a simulation to the AMAF values of the edges of every node on its path, and clear amaf.  amaf: the AMAF
    statistics of its rollouts; the moves of the path come before theirs.  value: the value of the leaf, for to_play,
    its side to move."""
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


@subroutine
def _untried_edge(tree, node, edges, losing, b, history):
    """The next edge of a node that visits each of them once first; -1 when all are tried."""
    while node.tried < node.count:
        tried = np.int64(fetch_add(node, "tried", 1, tree.shared))
        if tried >= node.count:                          # another thread has had the last one
            break
        i = np.int64(node.first) + tried
        if may_select(edges[i], losing, b, history, True):
            return i
    return -1


@subroutine
def ucb_child(tree, nodes, edges, v, b, history, check_superko):
    """The edge of node v that maximises UCB1.  Arguments as in select_child."""
    node = nodes[v]
    losing = losing_bound(node)
    if tree.params.fpu == np.inf:
        i = _untried_edge(tree, node, edges, losing, b, history)
        if i >= 0:
            return i
    first = np.int64(node.first)
    end = first + np.int64(node.count)
    best = np.float32(-np.inf)
    chosen = last_allowed(edges, first, end)
    c = np.float32(tree.params.c)
    log = np.log(np.float32(max(node.visits + node.virtual_losses, 1)))
    unvisited = np.float32(tree.params.fpu)
    for i in range(first, end):
        edge = edges[i]
        n = np.float32(edge.visits + edge.virtual_losses)
        if n > 0:
            q = q_under_loss(edge, np.float32(edge.virtual_losses), n)
            u = np.float32(0.5) + np.float32(0.5) * q + c * np.sqrt(log / n)
        else:
            u = unvisited
        if u > best and may_select(edge, losing, b, history, check_superko):
            best = u
            chosen = i
    return chosen


SELECT_CHILD = types.int64(TREE_TYPE, types.Array(NODE_TYPE, 1, "C"), types.Array(EDGE_TYPE, 1, "C"), types.int64,
                           BOARD_TYPE, types.uint64[::1], types.boolean)
_call_select_child = caller(SELECT_CHILD)


@subroutine
def select_child(tree, nodes, edges, v, b, history, check_superko):
    """The edge of v that maximises the formula.  check_superko: among those that repeat no position."""
    return _call_select_child(tree.params.select_child, tree, nodes, edges, v, b, history, check_superko)


def _called_by_address(params: np.void, game: str) -> dict[str, tuple[Any, Signature]]:
    """The functions that a search with these records.PARAMS calls of its formula and of its game, "go" or "gomoku",
    with their signatures, by the names of the fields that get their addresses."""
    select = (puct_child if params["has_priors"] else
              rave_child if params["rave"] or params["heuristic_priors"] else ucb_child)
    called = {"select_child": (select, SELECT_CHILD), "write_edges": (write_edges, WRITE_EDGES)}
    if not params["has_priors"]:
        called["expand"] = expand_by_rollouts, EXPAND
    is_used = {"roll_out": params["lambda_"] > 0 or not params["has_priors"],
               "write_heuristic_priors": params["heuristic_priors"],
               "write_planes": params["has_priors"]}
    return called | {name: function_of(game, name, int(params["rollout_kind"]))
                     for name in SIGNATURES if is_used.get(name, True)}


def set_addresses(params: np.void, game: str) -> None:
    """Compile what a search of a game, "go" or "gomoku", calls by address, or load it from numba's cache, and set the
    addresses in its records.PARAMS."""
    called = _called_by_address(params, game)
    for name in "select_child", "write_edges", "expand", *SIGNATURES:
        params[name] = address_of(*called[name]) if name in called else 0
