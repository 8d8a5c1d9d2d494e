"""The network as a graph for ONNX Runtime, from plain weights.  No Keras here.

    planes (n, size, size, 48) uint8 -> the convolutions of layers.py -> policy (n, size² + 1), value (n,)

Normalisation is folded into the convolutions, and the outputs are what a player asks for: probabilities, and
a value in [-1, 1].
"""
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mugo import planes
from mugo.network import Network

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

    size, filters, layers = (architecture[name] for name in ("size", "filters", "layers"))
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

    x = add("Transpose", [add("Cast", ["planes"], "float", to=TensorProto.FLOAT)], "nchw", perm=[0, 3, 1, 2])
    for i in range(layers - 1):
        kernel, *bias = weights[f"conv{i}"]
        bias = bias[0] if bias else np.zeros(filters, np.float32)
        if architecture["norm"]:
            scale, shift = normalisation(f"norm{i}")
            kernel, bias = kernel * scale, bias * scale + shift
        width = kernel.shape[0] // 2
        y = add("Conv", [x, constant(f"w{i}", kernel.transpose(3, 2, 0, 1)), constant(f"b{i}", bias)], f"conv{i}",
                pads=[width] * 4)
        if architecture["pooling"] and i == pooled_layer(layers):
            pools = [add("GlobalAveragePool", [x], "pool_mean"), add("GlobalMaxPool", [x], "pool_max")]
            pooled = add("Flatten", [add("Concat", pools, "pools", axis=1)], "pool")
            as_filters = constant("as_filters", np.array([-1, filters, 1, 1], np.int64))
            bias = add("Reshape", [dense("pool_bias", pooled), as_filters], "pool_bias4")
            y = add("Add", [y, bias], f"pooled{i}")
        if architecture["residual"] and i:
            y = add("Add", [x, y], f"sum{i}")
        x = add("Relu", [y], f"relu{i}")
    kernel, = weights["move"]
    plane = add("Flatten", [add("Conv", [x, constant("move_w", kernel.transpose(3, 2, 0, 1))], "move")], "moves")
    points = add("Add", [plane, constant("point_bias", weights["point_bias"][0])], "points")
    mean = add("Flatten", [add("GlobalAveragePool", [x], "mean4")], "mean")
    a_pass = dense("pass", mean)
    logits = add("Concat", [points, a_pass], "logits", axis=1)
    add("Softmax", [logits], "policy", axis=1)
    outputs = [helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["n", size ** 2 + 1])]
    if architecture["value"]:
        scale, shift = normalisation("value_norm")
        level = add("Add", [add("Mul", [mean, constant("value_scale", scale)], "value_scaled"),
                            constant("value_shift", shift)], "value_level")
        hidden = add("Relu", [dense("value_hidden", level)], "value_relu")
        last = constant("last_axis", np.array([1], np.int64))
        kernel, bias = weights["value"]
        score = add("Gemm", [hidden, constant("value_w", kernel), constant("value_b", bias)], "value_score")
        add("Squeeze", [add("Tanh", [score], "value_tanh"), last], "value")
        outputs.append(helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n"]))
    inputs = [helper.make_tensor_value_info("planes", TensorProto.UINT8, ["n", size, size, planes.DEPTH])]
    graph = helper.make_graph(nodes, "mugo", inputs, outputs, constants)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
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
