"""Losses and metrics: of the moves that were played, of the game's outcome, its score and the final ownership.

Outcomes z are 1 where the side to move has won, -1 where it has lost.  A value head gives a score, and the value is
v = tanh(score).  What is not known of a game is masked: it has a loss of 0, and metrics leave it out.
"""
from typing import Any

from mugo.nn.backend import keras, ops


def outcome_loss(outcome, score):
    """Negative log-likelihood of the outcome z, whose probability is (1 + z tanh(score)) / 2; 0 where z is 0, unknown.
    Where z lies between -1 and 1, a teacher's value, it is the cross-entropy of the win rates.

    (z - v)² instead stops learning where tanh is saturated and wrong.
    """
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    known = ops.cast(outcome != 0, score.dtype)
    return ops.mean(known * (ops.softplus(2 * score) - (1 + outcome) * score), axis=-1)


def squared_error(outcome, score):
    """(z - v)², AlphaZero's loss of the value; a draw, z = 0, counts as other outcomes do."""
    return ops.mean(ops.square(ops.reshape(outcome, ops.shape(score)) - ops.tanh(score)), axis=-1)


def entropy(_, logits):
    """Of the policy p = softmax(logits), in nats; the target is not used."""
    log_p = ops.log_softmax(logits)
    return -ops.sum(ops.exp(log_p) * log_p, axis=-1)


UNKNOWN_OWNER = 2                        # in a target of ownership


def ownership_loss(ownership, logits):
    """Cross-entropy of the owner of each point, whose probability is (1 + tanh(logit)) / 2, in nats, averaged over the
    board: (n,).

    ownership: (n, points), 1 the side to move, -1 the opponent, 0 neither; UNKNOWN_OWNER where the game has none.
    """
    ownership = ops.cast(ownership, logits.dtype)
    known = ops.cast(ownership < UNKNOWN_OWNER, logits.dtype)
    return ops.mean(known * (ops.softplus(2 * logits) - (1 + ownership) * logits), axis=-1)


def score_loss(points, score):
    """Negative log-likelihood of the final score, in points, under a logistic distribution: (n,).

    points: (n, k), NaN where it is not known; a mean over k scores, say of those that a teacher expects.
    score: (n, 2), the mean and the scale.
    """
    points = ops.cast(points, score.dtype)
    known = points == points
    mean, scale = score[..., :1], score[..., 1:]
    error = (ops.where(known, points, mean) - mean) / scale
    return ops.mean(ops.where(known, ops.log(scale) + error + 2 * ops.softplus(-error), 0.0), axis=-1)


def known_move_loss(moves, logits):
    """Cross-entropy of move indices (n, 1), of which those below 0 are masked, and logits (n, moves): (n,)."""
    moves = ops.cast(ops.reshape(moves, ops.shape(logits)[:-1]), "int32")
    loss = ops.sparse_categorical_crossentropy(ops.maximum(moves, 0), logits, from_logits=True)
    return ops.where(moves >= 0, loss, 0.0)


def weighted_moves_loss(targets, logits):
    """Cross-entropy of several moves, each with a weight: (n,).

    targets: float32 (n, 2 k): k move indices, of which those of weight 0 may be any below 0, and their weights.
    """
    k = targets.shape[-1] // 2
    moves, weights = ops.maximum(ops.cast(targets[:, :k], "int32"), 0), ops.cast(targets[:, k:], logits.dtype)
    return -ops.sum(weights * ops.take_along_axis(ops.log_softmax(logits), moves, axis=-1), axis=-1)


def first_move_metrics() -> list:
    """ce, top1 and top5 of the first of the moves in targets of weighted_moves_loss."""
    metrics, wrapper = keras.metrics, keras.metrics.MeanMetricWrapper
    return [
        wrapper(lambda targets, logits: keras.losses.sparse_categorical_crossentropy(
            targets[:, 0], logits, from_logits=True), name="ce"),
        wrapper(lambda targets, logits: metrics.sparse_categorical_accuracy(targets[:, 0], logits), name="top1"),
        wrapper(lambda targets, logits: metrics.sparse_top_k_categorical_accuracy(targets[:, 0], logits, k=5),
                name="top5")]


def _outcome_error(outcome, score):
    return ops.square(outcome - ops.tanh(score)), outcome != 0


def _is_sign_right(signs, logits):
    return ops.sign(logits) == ops.sign(signs), ops.logical_and(signs != 0, ops.abs(signs) <= 1)


def _score_error(points, score):
    return ops.abs(ops.where(points == points, points, 0.0) - score[..., :1]), points == points


KNOWN_MEANS = {"mse": _outcome_error, "accuracy": _is_sign_right, "error": _score_error}


class KnownMean(keras.metrics.Mean):
    """A mean over what is known; NaN where nothing is.  name: one of KNOWN_MEANS,

        mse         of values, (z - v)²: 1 for a value that is always 0
        accuracy    the fraction of values that have the winner's sign; of points whose owner is right, of the
                    points of a position that somebody owns, averaged over the positions
        error       the mean absolute error of the score, in points
    """

    def __init__(self, name: str, **options: Any):
        super().__init__(name=name, **options)
        self.measure = KNOWN_MEANS[name]

    def update_state(self, y_true, y_pred, sample_weight=None):
        """As keras.metrics.Metric.  Targets and outputs are those of the losses."""
        y_pred = ops.cast(y_pred, "float32")
        y_true = ops.cast(y_true, "float32")
        if self.name == "error":
            y_true = ops.mean(y_true, axis=-1, keepdims=True)
        y_true = ops.reshape(y_true, (-1, 1 if self.name == "error" else y_pred.shape[-1]))     # no static shape
        values, known = (ops.cast(array, "float32") for array in self.measure(y_true, y_pred))
        count = ops.sum(known, axis=-1)
        super().update_state(ops.sum(values * known, axis=-1) / ops.maximum(count, 1.0),
                             sample_weight=ops.cast(count > 0, "float32"))

    def result(self):
        """As keras.metrics.Metric."""
        return ops.where(self.count > 0, super().result(), float("nan"))
