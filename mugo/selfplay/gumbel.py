"""Gumbel AlphaZero's search: Danihelka, Guez, Schrittwieser and Silver 2022, "Policy improvement by planning with
Gumbel".  Compiled.

At the root, sequential halving: `considered` moves with the highest gumbel + logit share a `budget` of simulations;
after each round the better half of them goes on, and the last one is played, by

    gumbel + logit + sigma(q)          sigma(q) = (c_visit + max n) c_scale (1 + q) / 2

Below the root, the move with the highest

    improved policy - n / (1 + N)      improved policy = softmax(logit + sigma(completed q))
                                       completed q: the mixed value of the node for a move without visits

n are the visits of an edge, N their sum, logit = ln prior, q from -1 to 1.  The mixed value (appendix D) is

    (raw value + N (sum of prior q of the moves with visits) / (sum of their priors)) / (1 + N)

The improved policy is the target of training.  Names and order of simulations follow DeepMind's mctx.  Moves that
are proven to lose are left out while there are others.
"""
import math

import numpy as np
from mugo.core.jit import kernel, subroutine
from mugo.mcts.selection import losing_bound
from mugo.mcts.solver import LOSS, may_select

_LEAST_PRIOR = 1e-30                     # of a logit: a prior may be 0 in float32


@subroutine
def considered_visits(considered, budget, simulation):
    """The visits that a move of the root has when it is next, in the simulation with this number, from 0: mctx's table
    of considered visits."""
    if considered <= 1:
        return simulation
    rounds = math.ceil(math.log2(considered))
    visits = 0
    while True:
        extra = max(1, budget // (rounds * considered))
        if simulation < extra * considered:
            return visits + simulation // considered
        simulation -= extra * considered
        visits += extra
        considered = max(2, considered // 2)


@subroutine
def mixed_value(node, edges):
    """The value of a node that stands for its moves without visits, -1 to 1."""
    visits = 0
    priors = 0.0
    weighted = 0.0
    for i in range(node.first, node.first + node.count):
        edge = edges[i]
        if edge.visits:
            visits += edge.visits
            prior = max(float(edge.prior), _LEAST_PRIOR)
            priors += prior
            weighted += prior * edge.q
    if not visits:
        return float(node.raw_value)
    return (node.raw_value + visits * weighted / priors) / (1 + visits)


@kernel
def improved_logits(tree, node, edges):
    """float64 (count,): logit + sigma(completed q) of the edges of a node."""
    first = np.int64(node.first)
    most = 0
    for i in range(first, first + node.count):
        most = max(most, edges[i].visits)
    params = tree.params
    sigma = (params.c_visit + most) * params.c_scale / 2         # of q + 1; the 1 is the same for all and left out
    value = mixed_value(node, edges)
    logits = np.empty(node.count)
    for k in range(node.count):
        edge = edges[first + k]
        logits[k] = math.log(max(float(edge.prior), _LEAST_PRIOR)) + sigma * (edge.q if edge.visits else value)
    return logits


@subroutine
def improved_policy(tree, node, edges):
    """float64 (count,): the improved policy of a node.  Moves that are proven to lose have 0 while there are others."""
    policy = improved_logits(tree, node, edges)
    if node.upper > LOSS:
        for k in range(node.count):
            if edges[node.first + k].upper == LOSS:
                policy[k] = -np.inf
    policy = np.exp(policy - policy.max())
    return policy / policy.sum()


@kernel
def root_scores(tree, node, edges):
    """float64 (count,): gumbel + logit + sigma(completed q) of the edges of the root."""
    scores = improved_logits(tree, node, edges)
    for k in range(node.count):
        scores[k] += tree.params.gumbel[k]
    return scores


@subroutine
def gumbel_root_child(tree, node, edges, losing, b, history, check_superko):
    """The edge of the root that is next in sequential halving: of those whose visits, with simulations under way, are
    nearest to what is due, the one with the highest score.  Arguments as in solver.may_select."""
    first = np.int64(node.first)
    done = 0
    for i in range(first, first + node.count):
        done += edges[i].visits + edges[i].virtual_losses
    due = considered_visits(tree.params.considered, tree.params.budget, done)
    scores = root_scores(tree, node, edges)
    chosen = first + np.int64(node.count) - 1
    best = -np.inf
    nearest = np.int64(1) << 60
    for k in range(node.count):
        edge = edges[first + k]
        distance = abs(np.int64(edge.visits) + np.int64(edge.virtual_losses) - due)
        if (distance < nearest or distance == nearest and scores[k] > best) and may_select(
                edge, losing, b, history, check_superko):
            nearest = distance
            best = scores[k]
            chosen = first + k
    return chosen


@subroutine
def gumbel_child(tree, node, edges, losing, b, history, check_superko):
    """The edge of a node below the root that is furthest behind the improved policy.  Arguments as in may_select."""
    first = np.int64(node.first)
    policy = improved_policy(tree, node, edges)
    done = 0
    for i in range(first, first + node.count):
        done += edges[i].visits + edges[i].virtual_losses
    chosen = first + np.int64(node.count) - 1
    best = -np.inf
    for k in range(node.count):
        edge = edges[first + k]
        lag = policy[k] - (edge.visits + edge.virtual_losses) / (1 + done)
        if lag > best and may_select(edge, losing, b, history, check_superko):
            best = lag
            chosen = first + k
    return chosen


@subroutine
def select_by_gumbel(tree, nodes, edges, v, b, history, check_superko):
    """A formula, as those of mcts.selection."""
    if v == tree.root:
        return gumbel_root_child(tree, nodes[v], edges, losing_bound(nodes[v]), b, history, check_superko)
    return gumbel_child(tree, nodes[v], edges, losing_bound(nodes[v]), b, history, check_superko)


def start(params: np.ndarray, n: int, budget: int, max_considered: int, scale: float, rng: np.random.Generator) -> None:
    """Set PARAMS for a search of a root with n edges and this budget of simulations.  scale: the scale of the noise."""
    params["gumbel"][:n] = scale * rng.gumbel(size=n) if scale else 0
    params["considered"] = max(min(max_considered, n, budget), 1)
    params["budget"] = max(budget, 1)
