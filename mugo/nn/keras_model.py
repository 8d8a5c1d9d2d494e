"""A Keras model from an architecture's blocks."""
from mugo.nn import equivariance
from mugo.nn.backend import keras
from mugo.nn.blocks import NetworkSpec
from mugo.nn.layers import KerasGraph


def build(spec: NetworkSpec, dtype: str = "float32") -> keras.Model:
    """A new network: packed planes, uint8 (n, size², bytes), to the outputs of the heads by their names.

    "policy": float32 logits (n, size² + 1).  "value": a float32 score (n, 1), whose tanh is the value.
    dtype: a Keras dtype policy.  'mixed_bfloat16' halves the time of training on processors that multiply bfloat16;
    weights are float32 all the same.
    Raises ValueError if a block makes a weight that it does not declare.
    """
    graph = KerasGraph(dtype)
    packed = keras.Input((spec.size ** 2, spec.packed_bytes), dtype="uint8", name="packed")
    x = graph.add("UnpackPlanes", packed, "unpack", size=spec.size, depth=spec.depth)
    for block in spec.trunk:
        x = block.keras(graph, x)
    model = keras.Model(packed, {head.output: head.keras(graph, x) for head in spec.heads}, name=spec.name)
    axes = spec.weight_axes()
    for variable in model.weights:
        equivariance.kinds_of(equivariance.weight_name(variable), axes)
    if spec.equivariant:
        equivariance.tie_weights(model, axes)
    return model
