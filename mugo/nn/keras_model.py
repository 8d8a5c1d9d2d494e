"""A Keras model from an architecture's blocks."""
from typing import Any

import numpy as np

from mugo.nn import equivariance
from mugo.nn.backend import keras
from mugo.nn.blocks import NetworkSpec
from mugo.nn.layers import KerasGraph


def build(spec: NetworkSpec, dtype: str = "float32") -> keras.Model:
    """A new network: packed planes, uint8 (n, size², bytes), to the outputs of the heads by their names.

    A network whose heads use komi has the inputs {"packed": these planes, "komi": float32 (n, 1), the points that the
    side to move gets at the end}; see `model_inputs`.
    "policy": float32 logits (n, size² + 1).  "value": a float32 score (n, 1), whose tanh is the value.  "ownership",
    "score": as of value_head.ValueHead.
    dtype: a Keras dtype policy.  'mixed_bfloat16' halves the time of training on processors that multiply bfloat16;
    weights are float32 all the same.
    Raises ValueError if a block makes a weight that it does not declare.
    """
    graph = KerasGraph(dtype)
    packed = keras.Input((spec.size ** 2, spec.packed_bytes), dtype="uint8", name="packed")
    if spec.uses_komi:
        graph.komi = keras.Input((1,), dtype="float32", name="komi")
    x = graph.add("UnpackPlanes", packed, "unpack", size=spec.size, depth=spec.depth)
    for block in spec.trunk:
        x = block.keras(graph, x)
    outputs: dict[str, Any] = {}
    for head in spec.heads:
        outputs |= head.keras(graph, x)
    model = keras.Model({"packed": packed, "komi": graph.komi} if spec.uses_komi else packed, outputs, name=spec.name)
    axes = spec.weight_axes()
    for variable in model.weights:
        equivariance.kinds_of(equivariance.weight_name(variable), axes)
    if spec.equivariant:
        equivariance.tie_weights(model, axes)
    return model


def model_inputs(packed: np.ndarray, komi: np.ndarray | None) -> Any:
    """What a model takes: packed planes; with komi, float32 (n,), those and komi as a column.  NaN, an unknown komi,
    becomes 0."""
    return packed if komi is None else {"packed": packed, "komi": np.nan_to_num(komi)[:, None]}
