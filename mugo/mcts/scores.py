"""Scores in the search tree, from networks that have them: the mean over the leaves below every node.  Compiled.

A node's score is KataGo's scoreMean: points of its side to move, komi included, averaged over the leaves that a network
evaluated at or below it.  Its standard deviation has both parts, that of the leaves' means and the leaves' own.  Games
that end in the tree are left out: their area counts dead stones as alive.  Without such a network all is 0.

Values in the tree are KataGo's utilities: a part of the value of a leaf may be for its score (score_utility), so that
won games are won by many points, and lost ones lost by few.  Win rates are without it (utility_of_score).
"""
import math

import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.mcts.records import NULL_NODE
from mugo.mcts.solver import is_proven

CENTER = 0.8                             # of the root's lead: 1 - KataGo's dynamicScoreCenterZeroWeight
SCALE = 0.75                             # of the side of the board: KataGo's dynamicScoreCenterScale


@subroutine
def _utility(mean, stdev, lead, area):
    """KataGo's dynamic score utility of a score, 2 / pi arctan((score - center) / scale), from -1 to 1.

    The center is CENTER lead, but at most the scale of a sure score away from the lead.  The scale has the standard
    deviation, in the place of KataGo's mean over scores.
    """
    least_scale = SCALE * math.sqrt(area)
    center = lead - min(max((1 - CENTER) * lead, -least_scale), least_scale)
    return 2 / math.pi * math.atan((mean - center) / math.sqrt(least_scale * least_scale + stdev * stdev))


@kernel
def score_utility(means, stdevs, leads, area):
    """float32 (n,): the dynamic score utility of leaves, from -1 to 1.

    means, stdevs: float32 (n,), of their scores.  leads: float64 (n,), of the root's score for the side to move at the
    leaf.  area: points of the board.
    """
    utilities = np.empty(len(means), np.float32)
    for k in range(len(means)):
        utilities[k] = _utility(float(means[k]), float(stdevs[k]), leads[k], area)
    return utilities


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
            change = (_utility(mean, stdev, sides[v] * after, area) - _utility(mean, stdev, sides[v] * before, area))
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


@subroutine
def _add(node, score, square, utility):
    node.scored += 1
    node.score_mean += np.float32((score - node.score_mean) / node.scored)
    node.score_square += np.float32((square - node.score_square) / node.scored)
    node.score_utility += np.float32((utility - node.score_utility) / node.scored)


@kernel
def backup_scores(nodes, paths, leaves, means, stdevs, utilities):
    """Add the scores of a batch's leaves to every node of their paths; after tree.expand_and_backup.

    means, stdevs, utilities: float32, one for each leaf that needs_evaluation, in order, of the side to move there;
    utilities are the parts of the values that are for the score.  A leaf that was evaluated before has the same again.
    """
    row = 0
    for k in range(len(leaves)):
        leaf = nodes[leaves[k].node]
        if leaves[k].needs_evaluation:
            score = float(means[row])
            square = score * score + float(stdevs[row]) * float(stdevs[row])
            utility = float(utilities[row])
            row += 1
        elif not leaves[k].known and leaf.evaluated and leaf.scored:
            score = float(leaf.score_mean)
            square = float(leaf.score_square)
            utility = float(leaf.score_utility)
        else:
            continue
        _add(leaf, score, square, utility)
        for i in range(leaves[k].length - 1, -1, -1):
            score = -score
            utility = -utility
            _add(nodes[paths[k, i, 0]], score, square, utility)


def utility_of_score(node: np.ndarray) -> float:
    """The part of a node's mean value that is for the score; 0 without visits."""
    return float(node["score_utility"]) * int(node["scored"]) / max(int(node["visits"]), 1)


def score_of(node: np.ndarray) -> tuple[float | None, float | None]:
    """(mean, standard deviation) of a node's score, in points of its side to move; None where no leaf has one."""
    if not node["scored"]:
        return None, None
    mean = float(node["score_mean"])
    return mean, math.sqrt(max(float(node["score_square"]) - mean * mean, 0.0))
