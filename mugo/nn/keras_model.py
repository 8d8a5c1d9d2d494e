"""A network as a Keras model: the operations of graph.py as Keras layers."""
import copy
from collections.abc import Sequence
from typing import Any, Self

from mugo.nn import equivariance
from mugo.nn.backend import keras, ops
from mugo.nn.blocks import NetworkSpec
from mugo.nn.graph import COMPONENTS, GLOBAL_FEATURES, PEOPLE, REGULAR, TRIVIAL
from mugo.nn.layers import ChainPool, DilatedConv2D, FusedBatchNorm, PointBias, UnpackPlanes
from mugo.nn.onnx_graph import EPSILON
from mugo.nn.people import INPUTS
from mugo.nn.weights import network_weights, weight_axes

layers = keras.layers
MOMENTUM = 0.99                          # of the moving statistics of batch normalisation


def build(spec: NetworkSpec, dtype: str = "float32") -> keras.Model:
    """A new network: packed planes, uint8 (n, size², bytes), to the outputs of the heads by their names.

    A network whose heads use global features has the inputs {"packed": these planes, "global_features": float32 (n, 2),
    as in games.position.global_features}, one with a metadata encoder "people", float32 (n, people.INPUTS), and one
    that pools over chains "components", int32 (n, size²), as in components.connected_components; see
    blocks.model_inputs.
    "policy": float32 logits (n, size² + 1).  "value": a float32 score (n, 1), whose tanh is the value.  "ownership",
    "score": as in value_head.ValueHead.
    dtype: a Keras dtype policy.  'mixed_bfloat16' halves the time of training on processors that multiply bfloat16;
    weights are float32 all the same.
    Raises ValueError if an operation makes other weights than weights.WeightGraph notes.
    """
    graph = KerasGraph(dtype)
    outputs = spec.apply(graph)
    model = keras.Model(graph.inputs if len(graph.inputs) > 1 else graph.inputs["packed"], outputs, name=spec.name)
    built = {equivariance.weight_name(variable): tuple(variable.shape) for variable in model.weights}
    if built != {name: weight.shape for name, weight in network_weights(spec).items()}:
        raise ValueError("the weights of the model are not those of weights.network_weights")
    if spec.equivariant:
        equivariance.tie_weights(model, weight_axes(spec))
    return model


class KerasGraph:
    """A graph (graph.py) of Keras layers.  dtype: a Keras dtype policy, the default of all layers.  inputs: by name."""
    komi: Any = None
    colour: Any = None
    people: Any = None
    context: Any = None

    def __init__(self, dtype: str = "float32"):
        self.dtype = dtype
        self.inputs: dict[str, Any] = {}

    @property
    def float32(self) -> Self:
        other = copy.copy(self)
        other.dtype = "float32"
        return other

    def start(self, spec: NetworkSpec) -> Any:
        points = spec.size ** 2
        self.inputs["packed"] = keras.Input((points, spec.packed_bytes), dtype="uint8", name="packed")
        if spec.uses_components:
            self.inputs[COMPONENTS] = keras.Input((points,), dtype="int32", name=COMPONENTS)
        if spec.uses_people:
            self.people = self.inputs[PEOPLE] = keras.Input((INPUTS,), dtype="float32", name=PEOPLE)
        if spec.uses_global_features:
            features = self.inputs[GLOBAL_FEATURES] = keras.Input((2,), dtype="float32", name=GLOBAL_FEATURES)
            self.komi, self.colour = features[:, :1], features[:, 1:]
        return UnpackPlanes(spec.size, spec.depth, name="unpack", dtype=self.dtype)(self.inputs["packed"])

    def conv(self, x: Any, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> Any:
        layer = layers.Conv2D if dilation == 1 else DilatedConv2D
        x = layer(filters, width, padding="same", use_bias=not batch_norm, dilation_rate=dilation,
                  kernel_initializer="he_normal", name=name, dtype=self.dtype)(x)
        if batch_norm:
            x = self.batch_norm(x, batch_norm, gamma=gamma)
        return self.relu(x, relu) if relu else x

    def plane(self, x: Any, name: str, *, bias: bool = False, initializer: str = "glorot_uniform") -> Any:
        return layers.Conv2D(1, 1, use_bias=bias, kernel_initializer=initializer, name=name, dtype=self.dtype)(x)

    def batch_norm(self, x: Any, name: str, *, gamma: str = "ones") -> Any:
        return FusedBatchNorm(epsilon=EPSILON, momentum=MOMENTUM, gamma_initializer=gamma, name=name,
                              dtype=self.dtype)(x)

    def dense(self, x: Any, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "glorot_uniform", kind: str = TRIVIAL) -> Any:
        if points > 1:
            x = layers.Flatten(name=f"{name}_flat", dtype=self.dtype)(x)
        return layers.Dense(units, activation=activation or None, use_bias=bias, kernel_initializer=initializer,
                            name=name, dtype=self.dtype)(x)

    def add(self, tensors: Sequence[Any], name: str) -> Any:
        return layers.Add(name=name, dtype=self.dtype)(tensors)

    def relu(self, x: Any, name: str) -> Any:
        return layers.ReLU(name=name, dtype=self.dtype)(x)

    def concatenate(self, tensors: Sequence[Any], name: str) -> Any:
        return layers.Concatenate(name=name, dtype=self.dtype)(tensors)

    def rescale(self, x: Any, name: str, factor: float) -> Any:
        return x * factor

    def mean_pool(self, x: Any, name: str) -> Any:
        return layers.GlobalAveragePooling2D(name=name, dtype=self.dtype)(x)

    def mean_max_pool(self, x: Any, name: str) -> Any:
        return self.concatenate([self.mean_pool(x, f"{name}_mean"),
                                 layers.GlobalMaxPooling2D(name=f"{name}_max", dtype=self.dtype)(x)], name)

    def chain_pool(self, x: Any, name: str, filters: int) -> Any:
        return ChainPool(name=name, dtype=self.dtype)([x, self.inputs[COMPONENTS]])

    def on_board(self, x: Any, name: str) -> Any:
        return layers.Reshape((1, 1, x.shape[-1]), name=name, dtype=self.dtype)(x)

    def point_bias(self, plane: Any, name: str, *, size: int, trainable: bool) -> Any:
        points = layers.Reshape((size ** 2,), name=f"{name}_plane", dtype=self.dtype)(plane)
        return PointBias(trainable=trainable, name=name, dtype=self.dtype)(points)

    def ownership(self, plane: Any) -> Any:
        """Logits, whose tanh is the ownership."""
        return layers.Flatten(name="ownership", dtype=self.dtype)(plane)

    def lead(self, ownership: Any) -> Any:
        return ops.sum(ops.tanh(ops.stop_gradient(ownership)), axis=-1, keepdims=True)

    def score(self, lead: Any, correction: Any, scale: Any, unit: float, min_scale: float) -> Any:
        return self.concatenate([lead + unit * correction + self.komi, unit * ops.softplus(scale) + min_scale], "score")

    def value_of_score(self, score: Any, correction: Any) -> Any:
        return self.add([score[:, :1] / (2 * score[:, 1:]), correction], "value")
