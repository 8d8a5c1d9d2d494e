"""Scores in the search tree, from networks that have them: the mean over the leaves below every node.  Compiled.

A node's score is KataGo's scoreMean: points of its side to move, komi included, averaged over the leaves that a network
evaluated at or below it.  Its standard deviation has both parts, that of the leaves' means and the leaves' own.  Games
that end in the tree are left out: their area counts dead stones as alive.  Without such a network all is 0.
"""
import math

import numpy as np

from mugo.core.jit import kernel, subroutine


@subroutine
def _add(node, score, square):
    node.scored += 1
    node.score_mean += np.float32((score - node.score_mean) / node.scored)
    node.score_square += np.float32((square - node.score_square) / node.scored)


@kernel
def backup_scores(nodes, paths, leaves, means, stdevs):
    """Add the scores of a batch's leaves to every node of their paths; after tree.expand_and_backup.

    means, stdevs: float32, one for each leaf that needs_evaluation, in order, of the side to move there.  A leaf that
    was evaluated before has the same score again.
    """
    row = 0
    for k in range(len(leaves)):
        leaf = nodes[leaves[k].node]
        if leaves[k].needs_evaluation:
            score = float(means[row])
            square = score * score + float(stdevs[row]) * float(stdevs[row])
            row += 1
        elif not leaves[k].known and leaf.evaluated and leaf.scored:
            score = float(leaf.score_mean)
            square = float(leaf.score_square)
        else:
            continue
        _add(leaf, score, square)
        for i in range(leaves[k].length - 1, -1, -1):
            score = -score
            _add(nodes[paths[k, i, 0]], score, square)


def score_of(node: np.ndarray) -> tuple[float | None, float | None]:
    """(mean, standard deviation) of a node's score, in points of its side to move; None where no leaf has one."""
    if not node["scored"]:
        return None, None
    mean = float(node["score_mean"])
    return mean, math.sqrt(max(float(node["score_square"]) - mean * mean, 0.0))
