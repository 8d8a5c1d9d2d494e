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

CENTER = 0.8                             # of the root's lead: 1 - KataGo's dynamicScoreCenterZeroWeight
SCALE = 0.75                             # of the side of the board: KataGo's dynamicScoreCenterScale


def score_utility(means: np.ndarray, stdevs: np.ndarray, leads: np.ndarray, area: int) -> np.ndarray:
    """float32 (n,): KataGo's dynamic score utility of leaves, 2 / pi arctan((score - center) / scale), from -1 to 1.
    The center is CENTER lead, but at most the scale of a sure score away from the lead.

    means, stdevs: float32 (n,), of their scores.  leads: (n,), of the root's score for the side to move at the leaf.
    area: points of the board.  The scale has the standard deviation, in the place of KataGo's mean over scores.
    """
    least_scale = SCALE * math.sqrt(area)
    centers = leads - np.clip((1 - CENTER) * leads, -least_scale, least_scale)
    return (2 / np.pi * np.arctan((means - centers) / np.hypot(least_scale, stdevs))).astype(np.float32)


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
