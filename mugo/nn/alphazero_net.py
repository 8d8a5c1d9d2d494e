"""The network that learns from self-play, as AlphaZero's for Gomoku: one body, a policy and a value.

    packed planes (size², bytes) uint8
      | Unpack                         depth planes of 0 and 1
      | conv 3x3 to 32, to 64, to 128, each with ReLU                     (`filters`: any number of any width)
      |-- conv 1x1 to 4, ReLU -> dense size² + 1 -> policy                (logits)
      '-- conv 1x1 to 2, ReLU -> dense 64, ReLU -> dense 1 -> value       (a score: tanh is left to who asks,
                                                                           as in layers.py)

    loss = (z - v)² - π·log p + c·‖θ‖²         v = tanh(score), p = softmax(logits), θ every weight that learns

The dense layers see each point of the board by itself, so such a network plays the size it was trained on and no
other.  A new one knows nothing and says so: all moves are equally likely, and no position is better than another.
"""
from dataclasses import dataclass

import numpy as np

from mugo.games.game import packed_bytes
from mugo.nn.backend import JIT, Norm, Unpack, keras, ops
from mugo.nn.metadata import PLANE_TABLES
from mugo.nn.onnx_export import EPSILON


@dataclass(frozen=True)
class PolicyValue:
    """What such a network looks like."""

    size: int
    depth: int                           # planes
    packed: int                          # bytes a point that they are packed in
    filters: tuple[int, ...] = (32, 64, 128)
    policy_filters: int = 4
    value_filters: int = 2
    hidden: int = 64
    norm: bool = False                   # batch normalisation after each convolution

    def __post_init__(self):
        object.__setattr__(self, "filters", tuple(self.filters))          # a list, where it comes from JSON


def shape_for(game: str, size: int, **options) -> PolicyValue:
    """One that sees a game's planes.  options: fields from `filters` on."""
    depth = sum(plane.depth for plane in PLANE_TABLES[game])
    return PolicyValue(size, depth, packed_bytes(game), **options)


def build_policy_value(shape: PolicyValue, dtype: str = "float32") -> keras.Model:
    """A new network: uint8 (n, size², packed) in; float32 logits (n, size² + 1) under "policy" and a score
    (n, 1) under "value" out.  dtype: a Keras dtype policy, as of layers.build."""
    layer = keras.layers

    def convolution(x, filters: int, width: int, name: str):
        x = layer.Conv2D(filters, width, padding="same", use_bias=not shape.norm, kernel_initializer="he_normal",
                         name=name, dtype=dtype)(x)
        if shape.norm:
            x = Norm(epsilon=EPSILON, momentum=0.99, name=f"{name}_norm", dtype=dtype)(x)
        return layer.ReLU(name=f"{name}_relu", dtype=dtype)(x)

    packed = keras.Input((shape.size ** 2, shape.packed), dtype="uint8", name="packed")
    x = Unpack(shape.size, shape.depth, name="unpack", dtype=dtype)(packed)
    for i, filters in enumerate(shape.filters):
        x = convolution(x, filters, 3, f"conv{i}")
    policy = layer.Flatten(dtype=dtype)(convolution(x, shape.policy_filters, 1, "policy_conv"))
    value = layer.Flatten(dtype=dtype)(convolution(x, shape.value_filters, 1, "value_conv"))
    value = layer.Dense(shape.hidden, "relu", kernel_initializer="he_normal", name="value_hidden", dtype=dtype)(value)
    return keras.Model(packed, {
        "policy": layer.Dense(shape.size ** 2 + 1, kernel_initializer="zeros", name="policy", dtype="float32")(policy),
        "value": layer.Dense(1, kernel_initializer="zeros", name="value", dtype="float32")(value),
    }, name="policy_value_network")


# ---- learning

@keras.saving.register_keras_serializable("mugo")
def squared_error(outcome, score):
    """(z - v)² of the value v = tanh(score); a draw, z = 0, counts as the others do."""
    return ops.mean(ops.square(ops.reshape(outcome, ops.shape(score)) - ops.tanh(score)), axis=-1)


@keras.saving.register_keras_serializable("mugo")
def entropy(_, logits):
    """Of p = softmax(logits), in nats: how undecided the network is, whatever would be right."""
    logarithms = ops.log_softmax(logits)
    return -ops.sum(ops.exp(logarithms) * logarithms, axis=-1)


def compile_for_selfplay(model: keras.Model, learning_rate: float = 2e-3, c: float = 1e-4) -> None:
    """Make a network ready to learn, by Adam.  `learn` is a step of it.

    c: of c·‖θ‖² in the loss.  A checkpoint (layers.save) keeps it with the model.
    """
    for layer in model.layers:
        for name in ("kernel", "bias", "gamma", "beta"):
            weight = getattr(layer, name, None)
            if weight is not None:
                weight.regularizer = keras.regularizers.L2(c)             # counts from now on,
                setattr(layer, f"{name}_regularizer", weight.regularizer)  # and in a model that is loaded again
    model.compile(
        keras.optimizers.Adam(learning_rate),
        loss={"policy": keras.losses.CategoricalCrossentropy(from_logits=True), "value": squared_error},
        metrics={"policy": [keras.metrics.CategoricalCrossentropy(from_logits=True, name="ce"),
                            keras.metrics.MeanMetricWrapper(entropy, name="entropy"),
                            keras.metrics.CategoricalAccuracy(name="top1")],
                 "value": [keras.metrics.MeanMetricWrapper(squared_error, name="error")]},
        jit_compile=JIT)


def learn(model: keras.Model, packed: np.ndarray, policy: np.ndarray, value: np.ndarray,
          learning_rate: float | None = None) -> dict[str, float]:
    """One step of learning.

    packed: uint8 (n, size², bytes).  policy: π, float32 (n, size² + 1), each row a distribution.  value: z, (n,),
    1 where the side to move has won, -1 where it has lost, 0 for a draw.  learning_rate: from this step on.
    Returns what this batch gave before the step: loss (all of it), ce (-π·log p), entropy (of p), top1 (how often
    the best moves of p and π agree), error ((z - v)²).
    """
    if learning_rate is not None:
        model.optimizer.learning_rate = learning_rate
    model.reset_metrics()
    logs = model.train_on_batch(packed, {"policy": policy, "value": np.asarray(value, np.float32)[:, None]},
                                return_dict=True)
    return {"loss": float(logs["loss"])} | {
        name: float(logs[key]) for name, key in
        {"ce": "policy_ce", "entropy": "policy_entropy", "top1": "policy_top1", "error": "value_error"}.items()}
