"""Losses and metrics: of the move that was played, and of the game's outcome.

Outcomes z are 1 where the side to move has won, -1 where it has lost.  A value head gives a score, and the value is
v = tanh(score).
"""
from typing import Any

from mugo.nn.backend import keras, ops


@keras.saving.register_keras_serializable("mugo")
class LabelSmoothingCrossentropy(keras.losses.Loss):
    """Cross-entropy of sparse targets with label smoothing: a fraction of each target is spread over all moves
    (Szegedy et al. 2016, arXiv:1512.00567, section 7).  Keras has it for one-hot targets only."""

    def __init__(self, label_smoothing: float, name: str = "label_smoothing_crossentropy", **options: Any):
        super().__init__(name=name, **options)
        self.label_smoothing = label_smoothing

    def call(self, y_true, y_pred):
        """y_true: move indices (n,) or (n, 1).  y_pred: logits (n, moves)."""
        move = ops.reshape(y_true, ops.shape(y_pred)[:-1])
        of_move = ops.sparse_categorical_crossentropy(move, y_pred, from_logits=True)
        of_uniform = ops.logsumexp(y_pred, axis=-1) - ops.mean(y_pred, axis=-1)
        return (1 - self.label_smoothing) * of_move + self.label_smoothing * of_uniform

    def get_config(self):
        return super().get_config() | {"label_smoothing": self.label_smoothing}


@keras.saving.register_keras_serializable("mugo")
def outcome_loss(outcome, score):
    """Negative log-likelihood of the outcome z, whose probability is (1 + z tanh(score)) / 2; 0 where z is 0, unknown.

    (z - v)² instead stops learning where tanh is saturated and wrong.
    """
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    return ops.mean(ops.abs(outcome) * ops.softplus(-2 * outcome * score), axis=-1)


@keras.saving.register_keras_serializable("mugo")
def known_squared_error(outcome, score):
    """(z - v)²; 1 for a value that is always 0, and 0 where z is 0, unknown."""
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    return ops.mean(ops.abs(outcome) * ops.square(outcome - ops.tanh(score)), axis=-1)


@keras.saving.register_keras_serializable("mugo")
def squared_error(outcome, score):
    """(z - v)², AlphaZero's loss of the value; a draw, z = 0, counts as other outcomes do."""
    return ops.mean(ops.square(ops.reshape(outcome, ops.shape(score)) - ops.tanh(score)), axis=-1)


@keras.saving.register_keras_serializable("mugo")
def entropy(_, logits):
    """Of the policy p = softmax(logits), in nats; the target is not used."""
    log_p = ops.log_softmax(logits)
    return -ops.sum(ops.exp(log_p) * log_p, axis=-1)
