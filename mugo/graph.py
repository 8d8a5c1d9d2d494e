"""The network as a graph for ONNX Runtime, from plain weights.  No Keras here.

    planes      uint8 (n, size, size, 48) --+                                 +--> policy  float32 (n, size² + 1)
                                            +--> the convolutions of layers.py
    point_bias  float32 (size²,) -----------+                                 +--> value   float32 (n,)

Size is any size: all that belongs to the board that was trained on is the bias of its points.  So the bias is
an input, and the trained one stands beside the graph, as metadata, for network.py to fit to other boards.
Normalisation is folded into the convolutions, and the outputs are what a player asks for: probabilities, and
a value in [-1, 1].
"""
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mugo import planes
from mugo.network import POINT_BIAS, Network

EPSILON = 1e-3                           # of batch normalisation


def pooled_layer(layers: int) -> int:
    """The convolution, from 0, whose filters get a bias computed from the whole board."""
    return (layers - 1) // 2


def to_onnx(weights: dict[str, list[np.ndarray]], architecture: dict) -> bytes:
    """The graph as ONNX writes it.

    weights: by the name of the layer, as Keras orders them.  architecture: the fields of layers.Architecture.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    filters, layers = architecture["filters"], architecture["layers"]
    nodes, constants = [], []

    def constant(name: str, array) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(kind: str, inputs: list[str], output: str, **attributes) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def normalisation(name: str) -> tuple[np.ndarray, np.ndarray]:
        """A BatchNormalization as (scale, shift)."""
        gamma, beta, mean, variance = weights[name]
        scale = gamma / np.sqrt(variance + EPSILON)
        return scale, beta - mean * scale

    def dense(name: str, x: str) -> str:
        kernel, bias = weights[name]
        return add("Gemm", [x, constant(f"{name}_w", kernel), constant(f"{name}_b", bias)], name)

    def convolution(name: str, norm: str, x: str) -> str:
        kernel, *bias = weights[name]
        bias = bias[0] if bias else np.zeros(kernel.shape[-1], np.float32)
        if norm:
            scale, shift = normalisation(norm)
            kernel, bias = kernel * scale, bias * scale + shift
        return add("Conv", [x, constant(f"{name}_w", kernel.transpose(3, 2, 0, 1)), constant(f"{name}_b", bias)],
                   name, pads=[kernel.shape[0] // 2] * 4)

    x = add("Transpose", [add("Cast", ["planes"], "float", to=TensorProto.FLOAT)], "nchw", perm=[0, 3, 1, 2])
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
    outputs = [helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["n", "moves"])]
    if architecture["value"]:
        y = add("Relu", [convolution("value_conv", "value_norm", x)], "value_relu")
        pools = [add("GlobalAveragePool", [y], "value_mean"), add("GlobalMaxPool", [y], "value_max")]
        pooled = add("Flatten", [add("Concat", pools, "value_pools", axis=1)], "value_pool")
        scale, shift = normalisation("value_level")
        level = add("Add", [add("Mul", [pooled, constant("value_scale", scale)], "value_scaled"),
                            constant("value_shift", shift)], "value_levelled")
        hidden = add("Elu", [dense("value_hidden", level)], "value_hidden_elu")
        last = constant("last_axis", np.array([1], np.int64))
        kernel, bias = weights["value"]
        score = add("Gemm", [hidden, constant("value_w", kernel), constant("value_b", bias)], "value_score")
        add("Squeeze", [add("Tanh", [score], "value_tanh"), last], "value")
        outputs.append(helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n"]))
    inputs = [helper.make_tensor_value_info("planes", TensorProto.UINT8, ["n", "height", "width", planes.DEPTH]),
              helper.make_tensor_value_info(POINT_BIAS, TensorProto.FLOAT, ["points"])]
    graph = helper.make_graph(nodes, "mugo", inputs, outputs, constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(proto, {POINT_BIAS: json.dumps(weights["point_bias"][0].tolist())})
    onnx.checker.check_model(proto)
    return proto.SerializeToString()


def onnx_difference(model: Callable[[np.ndarray], dict], path: Path) -> float:
    """The largest difference of any output between ONNX Runtime and a model, on random planes.

    model: packed planes in; logits under "policy" and, before tanh, a score (n, 1) under "value" out, as
    layers.build makes it.
    """
    network = Network(path, threads=1)
    packed = np.random.default_rng(0).integers(0, 256, (4, network.size ** 2, planes.PACKED), np.uint8)
    outputs = {name: np.asarray(output) for name, output in model(packed).items()}
    policy, value = network.evaluate_packed(packed)
    powers = np.exp(outputs["policy"] - outputs["policy"].max(1, keepdims=True))
    difference = float(np.abs(policy - powers / powers.sum(1, keepdims=True)).max())
    if value is not None:
        difference = max(difference, float(np.abs(value - np.tanh(outputs["value"][:, 0])).max()))
    return difference
