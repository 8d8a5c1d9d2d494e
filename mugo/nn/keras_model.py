"""A Keras model from an architecture's blocks."""
from typing import Any

from mugo.nn import equivariance
from mugo.nn.backend import keras
from mugo.nn.blocks import COMPONENTS, GLOBAL_FEATURES, NetworkSpec
from mugo.nn.layers import KerasGraph


def build(spec: NetworkSpec, dtype: str = "float32") -> keras.Model:
    """A new network: packed planes, uint8 (n, size², bytes), to the outputs of the heads by their names.

    A network whose heads use global features has the inputs {"packed": these planes, "global_features": float32 (n, 2),
    as of games.position.global_features}, and one that pools over chains "components", int32 (n, size²), as of
    components.connected_components; see blocks.model_inputs.
    "policy": float32 logits (n, size² + 1).  "value": a float32 score (n, 1), whose tanh is the value.  "ownership",
    "score": as of value_head.ValueHead.
    dtype: a Keras dtype policy.  'mixed_bfloat16' halves the time of training on processors that multiply bfloat16;
    weights are float32 all the same.
    Raises ValueError if a block makes a weight that it does not declare.
    """
    graph = KerasGraph(dtype)
    packed = keras.Input((spec.size ** 2, spec.packed_bytes), dtype="uint8", name="packed")
    inputs: dict[str, Any] = {"packed": packed}
    if spec.uses_components:
        graph.components = inputs[COMPONENTS] = keras.Input((spec.size ** 2,), dtype="int32", name=COMPONENTS)
    if spec.uses_global_features:
        inputs[GLOBAL_FEATURES] = keras.Input((2,), dtype="float32", name=GLOBAL_FEATURES)
        graph.komi, graph.colour = (graph.add("Column", inputs[GLOBAL_FEATURES], name, "float32", index=index)
                                    for index, name in enumerate(("komi", "colour")))
    x = graph.add("UnpackPlanes", packed, "unpack", size=spec.size, depth=spec.depth)
    model = keras.Model(inputs if len(inputs) > 1 else packed, spec.keras(graph, x), name=spec.name)
    axes = spec.weight_axes()
    for variable in model.weights:
        equivariance.kinds_of(equivariance.weight_name(variable), axes)
    if spec.equivariant:
        equivariance.tie_weights(model, axes)
    return model
