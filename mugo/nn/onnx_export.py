"""Networks as graphs for ONNX Runtime, from plain weights.  No Keras here.

The policy network, layers.py's:

    planes      uint8 (n, size, size, 48) --+                                 +--> policy  float32 (n, size² + 1)
                                            +--> the convolutions of layers.py
    point_bias  float32 (size²,) -----------+                                 +--> value   float32 (n,)

Size is any size: all that belongs to the board that was trained on is the bias of its points.  So the bias is
an input, and the trained one stands beside the graph, as metadata, for network.py to fit to other boards.

The policy-value network, policy_value.py's, has no such input, and one size:

    planes      uint8 (n, size, size, depth) --> convolutions, two heads --> policy, value

In both, normalisation is folded into the convolutions, and the outputs are what a player asks for: probabilities,
and a value in [-1, 1].
"""
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mugo.games import game, planes
from mugo.nn.inference import Network
from mugo.nn.metadata import POINT_BIAS, POLICY_VALUE

EPSILON = 1e-3                           # of batch normalisation
OPSET, IR = 17, 8


def pooled_layer(layers: int) -> int:
    """The convolution, from 0, whose filters get a bias computed from the whole board."""
    return (layers - 1) // 2


def to_onnx(weights: dict[str, list[np.ndarray]], architecture: dict) -> bytes:
    """The graph as ONNX writes it.

    weights: by the name of the layer, as Keras orders them.  architecture: what mugo.json says under that name:
    the fields of layers.Architecture, or of policy_value.PolicyValue and its kind.
    """
    graph = _Graph(weights)
    if architecture.get("kind") == POLICY_VALUE:
        return _policy_value(graph, architecture)
    return _policy(graph, architecture)


class _Graph:
    """A graph in the making: its nodes in order and its constants, by the names of the layers they are made from."""

    def __init__(self, weights: dict[str, list[np.ndarray]]):
        from onnx import helper, numpy_helper

        self.weights = weights
        self._helper, self._numpy = helper, numpy_helper
        self._nodes, self._constants = [], []

    def constant(self, name: str, array) -> str:
        self._constants.append(self._numpy.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, kind: str, inputs: list[str], output: str, **attributes) -> str:
        self._nodes.append(self._helper.make_node(kind, inputs, [output], **attributes))
        return output

    def filters_of_planes(self) -> str:
        """The input as floats, filters before rows and columns, as convolutions take it."""
        numbers = self.add("Cast", ["planes"], "float", to=self._helper.TensorProto.FLOAT)
        return self.add("Transpose", [numbers], "nchw", perm=[0, 3, 1, 2])

    def normalisation(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A BatchNormalization as (scale, shift)."""
        gamma, beta, mean, variance = self.weights[name]
        scale = gamma / np.sqrt(variance + EPSILON)
        return scale, beta - mean * scale

    def dense(self, name: str, x: str, output: str = "", points: int = 1) -> str:
        """points: where x is a flattened convolution, of how many points.  Its numbers come filter by filter
        here and point by point in Keras."""
        kernel, bias = self.weights[name]
        kernel = kernel.reshape(points, -1, kernel.shape[1]).transpose(1, 0, 2).reshape(kernel.shape)
        return self.add("Gemm", [x, self.constant(f"{name}_w", kernel), self.constant(f"{name}_b", bias)],
                        output or name)

    def convolution(self, name: str, norm: str, x: str) -> str:
        kernel, *bias = self.weights[name]
        bias = bias[0] if bias else np.zeros(kernel.shape[-1], np.float32)
        if norm:
            scale, shift = self.normalisation(norm)
            kernel, bias = kernel * scale, bias * scale + shift
        weights = self.constant(f"{name}_w", kernel.transpose(3, 2, 0, 1))
        return self.add("Conv", [x, weights, self.constant(f"{name}_b", bias)], name,
                        pads=[kernel.shape[0] // 2] * 4)

    def value(self, score: str) -> None:
        """The output `value`, from a score (n, 1)."""
        last = self.constant("last_axis", np.array([1], np.int64))
        self.add("Squeeze", [self.add("Tanh", [score], "value_tanh"), last], "value")

    def written(self, planes_shape: list, others: dict[str, list], has_value: bool, metadata: dict[str, str]) -> bytes:
        """The whole as bytes.  planes_shape, others: shapes of the inputs."""
        import onnx

        floats, described = onnx.TensorProto.FLOAT, self._helper.make_tensor_value_info
        inputs = [described("planes", onnx.TensorProto.UINT8, planes_shape),
                  *(described(name, floats, shape) for name, shape in others.items())]
        outputs = [described("policy", floats, ["n", "moves"])] + [described("value", floats, ["n"])] * has_value
        graph = self._helper.make_graph(self._nodes, "mugo", inputs, outputs, self._constants)
        proto = self._helper.make_model(graph, opset_imports=[self._helper.make_opsetid("", OPSET)], ir_version=IR)
        self._helper.set_model_props(proto, metadata)
        onnx.checker.check_model(proto)
        return proto.SerializeToString()


def _policy(graph: _Graph, architecture: dict) -> bytes:
    add, constant, convolution, dense = graph.add, graph.constant, graph.convolution, graph.dense
    filters, layers = architecture["filters"], architecture["layers"]
    x = graph.filters_of_planes()
    for i in range(layers - 1):
        y = convolution(f"conv{i}", f"norm{i}" if architecture["norm"] else "", x)
        if architecture["pooling"] and i == pooled_layer(layers):
            pools = [add("GlobalAveragePool", [x], "pool_mean"), add("GlobalMaxPool", [x], "pool_max")]
            pooled = add("Flatten", [add("Concat", pools, "pools", axis=1)], "pool")
            as_filters = constant("as_filters", np.array([-1, filters, 1, 1], np.int64))
            bias = add("Reshape", [dense("pool_bias", pooled), as_filters], "pool_bias4")
            y = add("Add", [y, bias], f"pooled{i}")
        if architecture["residual"] and i:
            y = add("Add", [x, y], f"sum{i}")
        x = add("Relu", [y], f"relu{i}")
    plane = add("Flatten", [convolution("move", "", x)], "moves")
    points = add("Add", [plane, POINT_BIAS], "points")
    mean = add("Flatten", [add("GlobalAveragePool", [x], "mean4")], "mean")
    a_pass = dense("pass", mean)
    logits = add("Concat", [points, a_pass], "logits", axis=1)
    add("Softmax", [logits], "policy", axis=1)
    if architecture["value"]:
        y = add("Relu", [convolution("value_conv", "value_norm", x)], "value_relu")
        pools = [add("GlobalAveragePool", [y], "value_mean"), add("GlobalMaxPool", [y], "value_max")]
        pooled = add("Flatten", [add("Concat", pools, "value_pools", axis=1)], "value_pool")
        scale, shift = graph.normalisation("value_level")
        level = add("Add", [add("Mul", [pooled, constant("value_scale", scale)], "value_scaled"),
                            constant("value_shift", shift)], "value_levelled")
        hidden = add("Elu", [dense("value_hidden", level)], "value_hidden_elu")
        graph.value(dense("value", hidden, "value_score"))
    return graph.written(["n", "height", "width", planes.DEPTH], {POINT_BIAS: ["points"]}, architecture["value"],
                         {POINT_BIAS: json.dumps(graph.weights["point_bias"][0].tolist())})


def _policy_value(graph: _Graph, architecture: dict) -> bytes:
    add, size = graph.add, architecture["size"]
    norm = "_norm" if architecture["norm"] else ""
    x = graph.filters_of_planes()

    def convolution(name: str, x: str) -> str:
        return add("Relu", [graph.convolution(name, norm and name + norm, x)], f"{name}_relu")

    def dense(name: str, x: str) -> str:
        return graph.dense(name, add("Flatten", [x], f"{name}_flat"), f"{name}_dense", size ** 2)

    for i in range(len(architecture["filters"])):
        x = convolution(f"conv{i}", x)
    add("Softmax", [dense("policy", convolution("policy_conv", x))], "policy", axis=1)
    hidden = add("Relu", [dense("value_hidden", convolution("value_conv", x))], "value_hidden_relu")
    graph.value(graph.dense("value", hidden, "value_score"))
    return graph.written(["n", size, size, architecture["depth"]], {}, True, {})


def onnx_difference(model: Callable[[np.ndarray], dict], path: Path) -> float:
    """The largest difference of any output between ONNX Runtime and a model, on random planes.

    model: packed planes in; logits under "policy" and, before tanh, a score (n, 1) under "value" out, as
    layers.build makes it.
    """
    network = Network(path, threads=1)
    packed = np.random.default_rng(0).integers(0, 256, (4, network.size ** 2, game.packed_bytes(network.game)),
                                             np.uint8)
    outputs = {name: np.asarray(output) for name, output in model(packed).items()}
    policy, value = network.evaluate_packed(packed)
    powers = np.exp(outputs["policy"] - outputs["policy"].max(1, keepdims=True))
    difference = float(np.abs(policy - powers / powers.sum(1, keepdims=True)).max())
    if value is not None:
        difference = max(difference, float(np.abs(value - np.tanh(outputs["value"][:, 0])).max()))
    return difference
