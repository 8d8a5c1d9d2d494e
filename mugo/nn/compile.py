"""Keras's compile for both kinds of learning: losses, metrics and optimizer of a model; and self-play's training step.

    supervised    the sum of the losses of all heads, each with its weight (SUPERVISED)
    self-play     (z - v)² - π·log p + l2·‖θ‖²         v = tanh(score), p = softmax(logits), θ all trainable weights
"""
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mugo.nn.backend import JIT, keras
from mugo.nn.heads import PolicyHead
from mugo.nn.losses import (
    KnownMean,
    entropy,
    first_move_metrics,
    known_move_loss,
    outcome_loss,
    ownership_loss,
    score_loss,
    squared_error,
    weighted_moves_loss,
)
from mugo.nn.optimizers import OPTIMIZERS
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.weights import layer_names, network_weights, weight_axes

# The losses of the heads other than the policy, by output: (loss, the option that is its weight, metrics).  See losses.
SUPERVISED: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "value": (outcome_loss, "value_weight", ("mse", "accuracy")),
    "ownership": (ownership_loss, "ownership_weight", ("accuracy",)),
    "score": (score_loss, "score_weight", ("error",)),
    "policy_reply": (known_move_loss, "auxiliary_weight", ()),
    "policy_next": (known_move_loss, "auxiliary_weight", ()),
}
WEIGHTS = {"value_weight": 0.5, "ownership_weight": 0.5, "score_weight": 0.05, "auxiliary_weight": 0.15}


def compile_for_training(model: keras.Model, config: PolicyNetConfig, schedule: Any, *,
                         weights: dict[str, float] = WEIGHTS, optimizer: str = "muon",
                         weight_decay: float = 0.0, clip_norm: float | None = None, frozen: str = "",
                         mixes_policy: bool = False) -> None:
    """Prepare a model of this config for supervised learning; top-1 and top-5 accuracy are among its metrics.

    schedule: the learning rate, a number or a schedule.  weights: of the losses, by the names of WEIGHTS.  optimizer:
    one of OPTIMIZERS.  weight_decay, clip_norm: see optimizers.Adam.
    frozen: what does not learn, one of LEARNING; '': everything learns.
    mixes_policy: whether the targets of the policy are those of losses.weighted_moves_loss, not moves.
    """
    if frozen:
        own = LEARNING[frozen](config)
        for layer in model.layers:
            layer.trainable = layer.name in own
    losses: dict[str, Any] = {"policy": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    loss_weights = {"policy": 1.0}
    metrics: dict[str, list] = {"policy": [
        keras.metrics.SparseCategoricalCrossentropy(from_logits=True, name="ce"),
        keras.metrics.SparseCategoricalAccuracy(name="top1"),
        keras.metrics.SparseTopKCategoricalAccuracy(5, name="top5"),
    ]}
    if mixes_policy:
        losses["policy"], metrics["policy"] = weighted_moves_loss, first_move_metrics()
    for output in sorted(set(model.output_names) - {"policy"}):
        loss, weight, measures = SUPERVISED[output]
        losses[output], loss_weights[output] = loss, weights[weight]
        metrics[output] = [KnownMean(name) for name in measures]
    axes = weight_axes(config.spec()) if config.equivariant else None
    model.compile(OPTIMIZERS[optimizer](schedule, weight_axes=axes, weight_decay=weight_decay, clip_norm=clip_norm),
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
    """Prepare a model for self-play learning by Adam; `train_step` is a step of it.

    l2: the factor of ‖θ‖² in the loss.
    """
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

    packed: uint8 (n, size², bytes).  policy: π, float32 (n, size² + 1), each row a distribution.  value: z, (n,),
    1 where the side to move has won, -1 where it has lost, 0 for a draw.  learning_rate: from this step on.
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
