"""A network as a Keras model: MuGo's own layers, and the operations of graph.py as Keras layers."""
import copy
import functools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from mugo.games import planes
from mugo.nn.graph import REGULAR, TRIVIAL, Graph, NetworkSpec, network_weights, weight_axes
from mugo.nn.inputs import COMPONENTS, GLOBAL_FEATURES, INPUTS, PEOPLE
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import keras, ops, quiet, tensorflow
from mugo.nn.onnx_graph import EPSILON

layers = keras.layers
MOMENTUM = 0.99                          # of the moving statistics of batch normalisation


class UnpackPlanes(layers.Layer):
    """Packed planes, uint8 (n, size², bytes), to 0 and 1, (n, size, size, depth); bits above depth are left out."""

    def __init__(self, size: int, depth: int = planes.DEPTH, **kwargs):
        super().__init__(**kwargs)
        self.size, self.depth = size, depth

    def call(self, packed):
        shifts = np.arange(8, dtype=np.uint8)
        bits = ops.bitwise_and(ops.right_shift(ops.expand_dims(packed, -1), shifts), np.uint8(1))
        bits = ops.reshape(bits, (-1, self.size, self.size, 8 * packed.shape[-1]))
        return ops.cast(bits[..., :self.depth], self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.size, self.size, self.depth)


class FusedBatchNorm(layers.BatchNormalization):
    """Batch normalisation of (n, rows, columns, filters).  While training on TensorFlow it is one operation, where
    Keras's own is several: with 96 filters, training processes 12 % more positions per second."""

    def call(self, inputs, training=None, mask=None):
        if not (tensorflow and training and self.trainable and len(inputs.shape) == 4):
            return super().call(inputs, training=training, mask=mask)
        unused = tensorflow.zeros([0])
        outputs, mean, variance = tensorflow.raw_ops.FusedBatchNormV3(
            x=inputs, scale=ops.convert_to_tensor(self.gamma), offset=ops.convert_to_tensor(self.beta), mean=unused,
            variance=unused, epsilon=self.epsilon, is_training=True)[:3]
        for moving, of_batch in (self.moving_mean, mean), (self.moving_variance, variance):
            moving.assign(moving * self.momentum + of_batch * (1 - self.momentum))
        return outputs


class DilatedConv2D(layers.Conv2D):
    """A dilated convolution of (n, rows, columns, filters).

    TensorFlow's function for all devices takes the board apart into dilation² smaller ones.  oneDNN and cuDNN do it in
    one operation: with twelve convolutions in the context module, training processes 16 % more positions per second.
    """

    def convolution_op(self, inputs, kernel):
        if not dilated_convolutions():
            return super().convolution_op(inputs, kernel)
        return _dilated_convolution(inputs, ops.convert_to_tensor(kernel), self.dilation_rate)


def _dilated_convolution(inputs, kernel, dilation: tuple[int, int]):
    return tensorflow.raw_ops.Conv2D(input=inputs, filter=kernel, strides=[1, 1, 1, 1], padding="SAME",
                                     dilations=[1, *dilation, 1])


@functools.cache
def dilated_convolutions() -> bool:
    """Whether TensorFlow has the operation on this machine, and its gradient; found by trying."""
    if not tensorflow:
        return False
    with tensorflow.init_scope(), quiet():
        board = tensorflow.ones((1, 5, 5, 1))
        try:
            _dilated_convolution(board, tensorflow.ones((3, 3, 1, 1)), (2, 2))
            tensorflow.raw_ops.Conv2DBackpropFilter(input=board, filter_sizes=(3, 3, 1, 1), out_backprop=board,
                                                    strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 2, 1])
        except tensorflow.errors.OpError:
            return False
    return True


class PointBias(layers.Layer):
    """Adds a learned number to each of (n, points): what edges and corners are worth by themselves."""

    def build(self, input_shape):
        self.bias = self.add_weight(name="bias", shape=(input_shape[-1],), initializer="zeros")

    def call(self, x):
        return x + ops.cast(self.bias, x.dtype)


class ChainPool(layers.Layer):
    """Each filter's mean over the component of a point, then its maximum: (n, rows, columns, filters) and
    planes.connected_components, int32 (n, rows * columns), to (n, rows, columns, 2 * filters).

    In bfloat16, sums over components are products with the matrix of pairs of points of one component: a training step
    of policy-19 takes 12 % less time on an Intel Xeon with AMX.  In float32 the sums of segments are faster.
    """

    def call(self, inputs):
        x, components = inputs
        n, rows, columns, filters = ops.shape(x)[0], *x.shape[1:]
        points = rows * columns
        first = ops.expand_dims(ops.arange(n, dtype="int32") * points, 1)        # of each board, in the batch
        segments = ops.reshape(components + first, (-1,))
        same_component = ops.equal(components[:, :, None], components[:, None, :])       # (n, points, points)
        count = ops.sum(ops.cast(same_component, "float32"), -1, keepdims=True)

        def of_segments(reduce, values):
            """(n, points, k): each point gets what is reduced over its component."""
            reduced = reduce(ops.reshape(values, (-1, values.shape[-1])), segments, n * points)
            return ops.reshape(ops.take(reduced, segments, axis=0), (-1, points, values.shape[-1]))

        def sums(values):
            if self.compute_dtype == "float32":
                return of_segments(ops.segment_sum, values)
            return ops.matmul(ops.cast(same_component, values.dtype), values)

        @ops.custom_gradient
        def pool(x):
            mean = ops.cast(ops.cast(sums(x), "float32") / count, x.dtype)
            maximum = of_segments(ops.segment_max, x)

            def gradient(*args, upstream=None):
                """The mean gives an equal part to each point; the maximum, an equal part to each point that has it."""
                of_mean, of_maximum = ops.split(args[0] if upstream is None else upstream, 2, -1)
                is_maximum = ops.cast(ops.equal(x, maximum), x.dtype)
                from_mean, from_maximum, ties = ops.split(sums(ops.concatenate(
                    [of_mean / ops.cast(count, x.dtype), of_maximum, is_maximum], -1)), 3, -1)
                return from_mean + is_maximum * from_maximum / ops.maximum(ties, 1)

            return ops.concatenate([mean, maximum], -1), gradient

        return ops.reshape(pool(ops.reshape(x, (-1, points, filters))), (-1, rows, columns, 2 * filters))

    def compute_output_shape(self, input_shape):
        return (*input_shape[0][:-1], 2 * input_shape[0][-1])


def build(spec: NetworkSpec, dtype: str = "float32") -> keras.Model:
    """A new network: packed planes, uint8 (n, size², bytes), to the outputs of the heads by their names.

    With other inputs besides it takes the dict of inputs.model_inputs.  "policy": float32 logits (n, size² + 1).
    "value": a float32 score (n, 1), whose tanh is the value.  "ownership", "score": as in heads.ValueHead.
    dtype: a Keras dtype policy; weights are float32 also with 'mixed_bfloat16'.
    Raises ValueError if an operation makes other weights than graph.Graph notes.
    """
    graph = KerasGraph(dtype)
    outputs = spec.apply(graph)
    model = keras.Model(graph.inputs if len(graph.inputs) > 1 else graph.inputs["packed"], outputs, name=spec.name)
    built = {equivariance.weight_name(variable): tuple(variable.shape) for variable in model.weights}
    if built != {name: weight.shape for name, weight in network_weights(spec).items()}:
        raise ValueError("the model has other weights than graph.network_weights lists")
    if spec.equivariant:
        equivariance.tie_weights(model, weight_axes(spec))
    return model


class KerasGraph(Graph):
    """A graph of Keras layers.  dtype: a Keras dtype policy, of all layers.  inputs: by name."""

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
        self.inputs["packed"] = keras.Input((points, -(-spec.depth // 8)), dtype="uint8", name="packed")
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
