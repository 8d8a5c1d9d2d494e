"""Losses and metrics, and the compilation of a model with them and with its optimizer.

    supervised    the sum of the losses of all heads, each with its weight (SUPERVISED)
    self-play     (z - v)² - π·log p + l2·‖θ‖²         v = tanh(score), p = softmax(logits), θ all trainable weights

Outcomes z are 1 where the side to move has won, -1 where it has lost.  A value head gives a score, and the value is
v = tanh(score).  What is not known of a game is masked: it has a loss of 0, and metrics leave it out.
"""
import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.graph import layer_names, network_weights, weight_axes
from mugo.nn.heads import LOSS_WEIGHTS, UNKNOWN_OWNER, PolicyHead
from mugo.nn.keras.backend import JIT, keras, ops
from mugo.nn.keras.optimizers import CLASSES


def outcome_loss(outcome, score):
    """Negative log-likelihood of the outcome z, whose probability is (1 + z tanh(score)) / 2: (n,); 0 where z is 0,
    unknown.  A z between -1 and 1 is a teacher's value."""
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    known = ops.cast(outcome != 0, score.dtype)
    return ops.mean(known * (ops.softplus(2 * score) - (1 + outcome) * score), axis=-1)


def squared_error(outcome, score):
    """(z - v)², AlphaZero's loss of the value; a draw, z = 0, counts as other outcomes do."""
    return ops.mean(ops.square(ops.reshape(outcome, ops.shape(score)) - ops.tanh(score)), axis=-1)


def entropy(_, logits):
    """The entropy of the policy softmax(logits), in nats; the target is not used."""
    log_p = ops.log_softmax(logits)
    return -ops.sum(ops.exp(log_p) * log_p, axis=-1)


def ownership_loss(ownership, logits):
    """Cross-entropy of the owner of each point, whose probability is (1 + tanh(logit)) / 2, averaged over the board:
    (n,).  ownership: (n, points), 1 the side to move, -1 the opponent, 0 neither; UNKNOWN_OWNER."""
    ownership = ops.cast(ownership, logits.dtype)
    known = ops.cast(ownership < UNKNOWN_OWNER, logits.dtype)
    return ops.mean(known * (ops.softplus(2 * logits) - (1 + ownership) * logits), axis=-1)


def score_loss(points, score):
    """Negative log-likelihood of the final score, in points, under a logistic distribution: (n,).

    points: (n, k), k scores that a teacher expects, or one; NaN where it is not known.  The loss is the mean over them.
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
    """Cross-entropy of several moves, each with a weight: (n,).  targets: float32 (n, 2 k): k move indices, of which
    those of weight 0 may be any below 0, and their weights."""
    k = targets.shape[-1] // 2
    moves, weights = ops.maximum(ops.cast(targets[:, :k], "int32"), 0), ops.cast(targets[:, k:], logits.dtype)
    return -ops.sum(weights * ops.take_along_axis(ops.log_softmax(logits), moves, axis=-1), axis=-1)


def policy_metrics(mixes_policy: bool) -> list:
    """ce, top1 and top5 of moves; mixes_policy: the mixes policy of the first of the moves in targets of
    weighted_moves_loss."""
    functions = {"ce": functools.partial(keras.losses.sparse_categorical_crossentropy, from_logits=True),
                 "top1": keras.metrics.sparse_categorical_accuracy,
                 "top5": functools.partial(keras.metrics.sparse_top_k_categorical_accuracy, k=5)}

    def of_moves(function: Callable) -> Callable:
        return (lambda targets, logits: function(targets[:, 0], logits)) if mixes_policy else function

    return [keras.metrics.MeanMetricWrapper(of_moves(function), name=name) for name, function in functions.items()]


class KnownMean(keras.metrics.Mean):
    """A mean over what is known; NaN where nothing is.  Its name says of what:

        mse         of values, (z - v)²: 1 for a value that is always 0
        accuracy    the fraction of values that have the winner's sign; of ownership the fraction of owned points
                    whose owner is right, averaged over the positions
        error       the mean absolute error of the score, in points
    """

    def update_state(self, y_true, y_pred, sample_weight=None):
        """As keras.metrics.Metric.  Targets and outputs are the same as for the losses."""
        y_pred, y_true = ops.cast(y_pred, "float32"), ops.cast(y_true, "float32")
        if self.name == "error":
            y_true = ops.reshape(ops.mean(y_true, axis=-1), (-1, 1))
            known = y_true == y_true
            values = ops.abs(ops.where(known, y_true, 0.0) - y_pred[..., :1])
        else:
            y_true = ops.reshape(y_true, (-1, y_pred.shape[-1]))         # it has no static shape
            known = ops.logical_and(y_true != 0, ops.abs(y_true) <= 1)
            values = ops.square(y_true - ops.tanh(y_pred)) if self.name == "mse" else \
                ops.sign(y_pred) == ops.sign(y_true)
        known, values = ops.cast(known, "float32"), ops.cast(values, "float32")
        count = ops.sum(known, axis=-1)
        super().update_state(ops.sum(values * known, axis=-1) / ops.maximum(count, 1.0),
                             sample_weight=ops.cast(count > 0, "float32"))

    def result(self):
        """As keras.metrics.Metric."""
        return ops.where(self.count > 0, super().result(), float("nan"))


# The losses of the heads other than the policy, by output: (loss, the option that is its weight, metrics).
SUPERVISED: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "value": (outcome_loss, "value_weight", ("mse", "accuracy")),
    "ownership": (ownership_loss, "ownership_weight", ("accuracy",)),
    "score": (score_loss, "score_weight", ("error",)),
    "policy_reply": (known_move_loss, "auxiliary_weight", ()),
    "policy_next": (known_move_loss, "auxiliary_weight", ()),
}


def compile_for_training(model: keras.Model, config: PolicyNetConfig, schedule: Any, *,
                         weights: dict[str, float] = LOSS_WEIGHTS, optimizer: str = "muon",
                         clip_norm: float | None = None, frozen: str = "",
                         mixes_policy: bool = False) -> None:
    """Prepare a model of this config for supervised learning; top-1 and top-5 accuracy are among its metrics.

    schedule: the learning rate, a number or a schedule.  weights: what each loss counts, by the names of LOSS_WEIGHTS.
    optimizer: one of OPTIMIZERS.  clip_norm: see optimizers.Adam.
    frozen: what does not learn, one of LEARNING; '': everything learns.
    mixes_policy: whether the targets of the policy are for weighted_moves_loss, not moves.
    """
    if frozen:
        own = LEARNING[frozen](config)
        for layer in model.layers:
            layer.trainable = layer.name in own
    losses: dict[str, Any] = {"policy": weighted_moves_loss if mixes_policy else
                              keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    loss_weights, metrics = {"policy": 1.0}, {"policy": policy_metrics(mixes_policy)}
    for output in sorted(set(model.output_names) - {"policy"}):
        loss, weight, measures = SUPERVISED[output]
        losses[output], loss_weights[output] = loss, weights[weight]
        metrics[output] = [KnownMean(name) for name in measures]
    axes = weight_axes(config.spec()) if config.equivariant else None
    model.compile(CLASSES[optimizer](schedule, weight_axes=axes, clip_norm=clip_norm),
                  loss=losses, loss_weights=loss_weights, metrics=metrics, jit_compile=JIT)


def build_metrics(model: keras.Model, inputs: Any, targets: dict[str, Any]) -> None:
    """Make the variables of a compiled model's losses and metrics, from a few examples."""
    outputs = model(inputs)
    model.compute_loss(inputs, targets, outputs)
    model.compute_metrics(inputs, targets, outputs)
    model.reset_metrics()


def _value_head(config: PolicyNetConfig) -> set[str]:
    """The layers that the policy does not use.  A context module that it does not use is the value head's."""
    spec = config.spec()
    trained = [head for head in spec.heads if not isinstance(head, PolicyHead)]
    return {name for block in (*trained, None if config.policy_context else spec.context) if block
            for name in layer_names(block)}


def _metadata_encoder(config: PolicyNetConfig) -> set[str]:
    """The layers that the network would not have without a metadata encoder."""
    with_it, without = ({name.split("/")[0] for name in network_weights(of.spec())}
                        for of in (config, replace(config, metadata_encoder=False)))
    return with_it - without


# What does not learn, and the layers that do.  Batch normalisation in the others uses and keeps its moving statistics.
LEARNING: dict[str, Callable[[PolicyNetConfig], set[str]]] = {"policy": _value_head, "network": _metadata_encoder}


def compile_for_selfplay(model: keras.Model, learning_rate: float = 2e-3, l2: float = 1e-4) -> None:
    """Prepare a model for self-play learning by Adam (`train_step`).  l2: the factor of ‖θ‖² in the loss."""
    for layer in model.layers:
        for name in ("kernel", "bias", "gamma", "beta"):
            weight = getattr(layer, name, None)
            if weight is not None:
                weight.regularizer = keras.regularizers.L2(l2)
    model.compile(
        keras.optimizers.Adam(learning_rate),
        loss={"policy": keras.losses.CategoricalCrossentropy(from_logits=True), "value": squared_error},
        metrics={"policy": [keras.metrics.CategoricalCrossentropy(from_logits=True, name="ce"),
                            keras.metrics.MeanMetricWrapper(entropy, name="entropy"),
                            keras.metrics.CategoricalAccuracy(name="top1")],
                 "value": [keras.metrics.MeanMetricWrapper(squared_error, name="mse")]},
        jit_compile=JIT)


def train_step(model: keras.Model, packed: np.ndarray, policy: np.ndarray, value: np.ndarray,
               learning_rate: float | None = None) -> dict[str, float]:
    """One step of self-play learning.

    packed: uint8 (n, size², bytes).  policy: π, float32 (n, size² + 1), each row a distribution.  value: z, (n,), 0 for
    a draw.  learning_rate: from this step on.
    Returns the metrics of this batch before the step: loss (all of it), ce (-π·log p), entropy (of p), top1 (how often
    the best moves of p and π agree), value_mse ((z - v)²).
    """
    if learning_rate is not None:
        model.optimizer.learning_rate = learning_rate
    model.reset_metrics()
    logs = model.train_on_batch(packed, {"policy": policy, "value": np.asarray(value, np.float32)[:, None]},
                                return_dict=True)
    return {"loss": float(logs["loss"]), "value_mse": float(logs["value_mse"])} | {
        name: float(logs[f"policy_{name}"]) for name in ("ce", "entropy", "top1")}
