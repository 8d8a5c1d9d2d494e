"""Targets of positions that a teacher has labelled: what it says, mixed with what people played and how games ended.

    policy       the move played, weight 1 - a, and the teacher's best moves, together a
    value        (1 - a) z + a (2 w - 1), for the outcome z and the win rate w; where z is not known, 2 w - 1
    ownership    likewise
    score        with probability a five scores with the mean and standard deviation of the teacher's lead, else the
                 game's; where one of them is not known, the other

a is --teacher-weight.  A cross-entropy is linear in its target, so the mixture of targets is that of the losses; the
score's is not, and is drawn.
"""
import numpy as np

from mugo.data.teacher_labels import OWNERSHIP_UNIT, has_ownership
from mugo.nn.keras.losses import UNKNOWN_OWNER

# Scores that stand for a logistic distribution: the middles of five equal parts, scaled to a standard deviation of 1.
_ODDS = np.log(np.array([1, 3, 5, 7, 9]) / np.array([9, 7, 5, 3, 1]))
SCORES = _ODDS / _ODDS.std()


def taught_targets(targets: dict[str, np.ndarray], labels: np.ndarray, weight: float, mixes_policy: bool,
                   drawn: np.ndarray) -> dict[str, np.ndarray]:
    """The targets of a batch, mixed with a teacher's labels (teacher_labels.label_type, (n,)).

    mixes_policy: also those of the policy.  drawn: float (n,), from 0 to 1, for the score.
    """
    mixed = dict(targets)
    if mixes_policy:
        mixed["policy"] = policy_target(targets["policy"], labels, weight)
    if "value" in targets:
        mixed["value"] = value_target(targets["value"], labels, weight)
    if "score" in targets:
        mixed["ownership"] = ownership_target(targets["ownership"], labels, weight)
        mixed["score"] = score_target(targets["score"], labels, weight, drawn)
    return mixed


def policy_target(moves: np.ndarray, labels: np.ndarray, weight: float) -> np.ndarray:
    """float32 (n, 34), for losses.weighted_moves_loss: the move played and the teacher's moves, and their weights."""
    probabilities = labels["probabilities"].astype(np.float32)
    shares = weight * probabilities / probabilities.sum(1, keepdims=True)
    played = np.full((len(moves), 1), 1 - weight)
    return np.concatenate([moves[:, None], labels["moves"], played, shares], 1, dtype=np.float32)


def value_target(outcomes: np.ndarray, labels: np.ndarray, weight: float) -> np.ndarray:
    """float32 (n, 1).  outcomes: float (n, 1), 0 where it is not known."""
    values = (2 * labels["win_rate"] - 1)[:, None]
    return np.where(outcomes == 0, values, (1 - weight) * outcomes + weight * values).astype(np.float32)


def ownership_target(owners: np.ndarray, labels: np.ndarray, weight: float) -> np.ndarray:
    """float32 (n, points).  owners: int8 (n, points), UNKNOWN_OWNER where a game has none."""
    if not has_ownership(labels):
        return owners.astype(np.float32)
    taught = labels["ownership"].astype(np.float32) / OWNERSHIP_UNIT
    return np.where(owners == UNKNOWN_OWNER, taught, (1 - weight) * owners + weight * taught).astype(np.float32)


def score_target(scores: np.ndarray, labels: np.ndarray, weight: float, drawn: np.ndarray) -> np.ndarray:
    """float32 (n, 5).  scores: float (n, 1), NaN where it is not known.  drawn: float (n,), from 0 to 1."""
    lead = labels["lead"][:, None]
    taught = lead + np.nan_to_num(labels["stdev"])[:, None] * SCORES
    chosen = (drawn[:, None] < weight) | np.isnan(scores)
    return np.where(chosen & ~np.isnan(lead), taught, scores).astype(np.float32)
