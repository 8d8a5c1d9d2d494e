"""PUCT selection, with the terms that KataGo and Leela Zero add to AlphaZero's formula.  Compiled.

Of the edges of a node, the one with the highest

    q + c(N) prior sqrt(N) / (1 + n)            n: visits of the edge, N: of the node

    c(N) = c + log ln((N + base) / base)        log, base: cpuct_exploration_log, cpuct_exploration_base
    q of an edge without visits = value of the node - reduction sqrt(sum of the priors of the edges with visits)

AlphaZero (Silver et al. 2018, pseudo-code) has c 1.25, log 1, base 19652; KataGo (cpuctExploration,
cpuctExplorationLog, cpuctExplorationBase) 1, 0.45, 500.  The reduction is KataGo's fpuReductionMax, at the root
rootFpuReductionMax: the more of the prior the moves with visits have, the worse are the others taken to be.  Leela
Zero's fpu_reduction of 0.25 counts in win rates and is 0.5 here.  With log and both reductions 0 this is PUCT as in
Silver et al. 2016.
"""
import numpy as np

from mugo.core.jit import subroutine
from mugo.mcts.lazy_edges import next_prior, open_next
from mugo.mcts.solver import may_select, q_under_loss


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
def puct_child(tree, nodes, edges, v, losing, b, history, check_superko):
    """The edge of node v that maximises the formula; of the moves without visits only the one with the highest prior
    can, and gets an edge if it has none.  Simulations under way count as lost.  Arguments as in solver.may_select."""
    node = nodes[v]
    visits = max(node.visits + node.virtual_losses, 1)
    scale = exploration_constant(tree.params, visits) * np.sqrt(np.float32(visits))
    while True:
        first = np.int64(node.first)
        end = first + np.int64(node.count)
        best = np.float32(-np.inf)
        best_prior = np.float32(-np.inf)
        chosen = end - 1
        unvisited = end - 1
        visited_priors = 0.0
        other_priors = 0.0
        for i in range(first, end):
            edge = edges[i]
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
