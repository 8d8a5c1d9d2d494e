"""The blocks that networks are made of.  Each is spelled once, in a class that knows three things:

    keras(graph, x)    its Keras layers, applied to x
    onnx(graph, x)     the same as ONNX nodes, from the weights of these layers
    weight_axes()      how the symmetries of the board act on each axis of each of its weights

    packed planes -- UnpackPlanes --> [ConvBlock, ConvBlock, ...] --+--> PolicyHead --> "policy"
                                                                    '--> ValueHead  --> "value"

policy_net.py and alphazero_net.py make lists of blocks; keras_model.py, onnx_export.py and equivariance.py walk them.
A new block is a class with these methods, and an entry in such a list.  Weights are named LAYER/WEIGHT, as in Keras
("conv0/kernel").

The axes of a weight, rows and columns of a kernel aside, are of one of these kinds (in the language of Cohen & Welling
2016, the representation of D4, the eight symmetries of the board, that its entries transform by):

    TRIVIAL        turning the board leaves the entries alone: input planes, units, the filters of the value head
    REGULAR        filters in eight orientations, which turning permutes
    TWO_REGULAR    the same twice: means of the filters, then their maxima
    POINTS         points of the board
    UNTIED         no action is defined: a dense layer over points and filters; such a block cannot be equivariant

No Keras here: a block gets a layers.KerasGraph only when a model is built.
"""
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mugo.nn.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from mugo.nn.layers import KerasGraph

TRIVIAL, REGULAR, TWO_REGULAR, POINTS, UNTIED = "trivial", "regular", "two regular", "points", "untied"
POINT_BIAS = "point_bias"                # an input of the ONNX graph; the trained bias is in the graph's metadata

Axes = dict[str, tuple[str, ...]]        # weight, as LAYER/WEIGHT: the kind of each of its axes


class Block(Protocol):
    """Part of a network: filters in, filters out."""

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        """Add the layers; x and the result are (n, rows, columns, filters)."""
        ...

    def onnx(self, graph: OnnxGraph, x: str) -> str:
        """Add the nodes; x and the result are names of tensors (n, filters, rows, columns)."""
        ...

    def weight_axes(self) -> Axes:
        """The kinds of the axes of all weights of these layers."""
        ...


class Head(Protocol):
    """The end of a network: filters in, one output."""

    output: str                          # its name, "policy" or "value"

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        """Add the layers; returns float32 logits (n, moves), or a score (n, 1) whose tanh is the value."""
        ...

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        """Add the nodes and an output of the graph: probabilities (n, moves), or a value (n,) in [-1, 1]."""
        ...

    def weight_axes(self) -> Axes:
        """As of Block."""
        ...


@dataclass(frozen=True)
class NetworkSpec:
    """A network's architecture as blocks.

    name: of the Keras model.  size: of the board it is trained on.  depth: input planes, packed eight in a byte.
    any_size: whether the ONNX graph takes boards of every size.  equivariant: whether weights are tied so that
    outputs turn with the board (equivariance.py).
    """

    name: str
    size: int
    depth: int
    trunk: tuple[Block, ...]
    heads: tuple[Head, ...]
    any_size: bool = False
    equivariant: bool = False

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed planes for each point."""
        return -(-self.depth // 8)

    def onnx(self, graph: OnnxGraph) -> None:
        """Add the nodes of all blocks, with the inputs and outputs."""
        rows, columns = ("height", "width") if self.any_size else (self.size, self.size)
        x = graph.planes(["n", rows, columns, self.depth])
        for block in self.trunk:
            x = block.onnx(graph, x)
        for head in self.heads:
            head.onnx(graph, x)

    def weight_axes(self) -> Axes:
        """Of all blocks.  Raises ValueError if two of them declare the same weight."""
        axes: Axes = {}
        for block in (*self.trunk, *self.heads):
            declared = block.weight_axes()
            if both := axes.keys() & declared.keys():
                raise ValueError(f"two blocks of {self.name} declare the weight {min(both)!r}")
            axes |= declared
        return axes


def conv_axes(layer: str, inputs: str, outputs: str, batch_norm: str = "") -> Axes:
    """Of KerasGraph.conv: a kernel, and a bias or the weights of a batch normalisation."""
    return {f"{layer}/kernel": (inputs, outputs)} | (
        batch_norm_axes(batch_norm, outputs) if batch_norm else {f"{layer}/bias": (outputs,)})


def batch_norm_axes(layer: str, kind: str) -> Axes:
    return {f"{layer}/{weight}": (kind,) for weight in ("gamma", "beta", "moving_mean", "moving_variance")}


def dense_axes(layer: str, inputs: str, outputs: str) -> Axes:
    return {f"{layer}/kernel": (inputs, outputs), f"{layer}/bias": (outputs,)}


@dataclass(frozen=True)
class ConvBlock:
    """Convolution, batch normalisation, ReLU; the next few are added before ReLU.

    global_pooling: a bias for each filter, a dense layer of the mean and maximum of each filter of the input (KataGo's
    global pooling bias, Wu 2019, arXiv:1902.10565).  residual: the input (He et al. 2015, arXiv:1512.03385).
    """

    index: int                           # from 0; block 0 gets the planes
    filters: int
    width: int = 3
    with_batch_norm: bool = True
    residual: bool = False
    global_pooling: bool = False

    @property
    def _conv(self) -> str:
        return f"conv{self.index}"

    @property
    def _batch_norm(self) -> str:
        return f"batch_norm{self.index}" if self.with_batch_norm else ""

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        y = graph.conv(x, self._conv, self.filters, self.width, self._batch_norm)
        if self.global_pooling:
            bias = graph.add("Dense", graph.mean_max_pool(x, "global_pool"), "global_pool_bias", units=self.filters)
            y = graph.add("Add", [y, graph.add("Reshape", bias, target_shape=(1, 1, self.filters))], "add_global_pool")
        if self.residual:
            y = graph.add("Add", [x, y], f"residual{self.index}")
        return graph.add("ReLU", y, f"relu{self.index}")

    def onnx(self, graph: OnnxGraph, x: str) -> str:
        y = graph.conv(self._conv, x, self._batch_norm)
        if self.global_pooling:
            shape = graph.constant("filters_shape", np.array([-1, self.filters, 1, 1], np.int64))
            bias = graph.dense("global_pool_bias", graph.mean_max_pool("global_pool", x))
            y = graph.add("Add", [y, graph.add("Reshape", [bias, shape], "global_pool_bias4")], "add_global_pool")
        if self.residual:
            y = graph.add("Add", [x, y], f"residual{self.index}")
        return graph.add("Relu", [y], f"relu{self.index}")

    def weight_axes(self) -> Axes:
        axes = conv_axes(self._conv, REGULAR if self.index else TRIVIAL, REGULAR, self._batch_norm)
        return axes | dense_axes("global_pool_bias", TWO_REGULAR, REGULAR) if self.global_pooling else axes


@dataclass(frozen=True)
class PolicyHead:
    """Logits of points: a 1x1 convolution to one plane and a bias for each point.  Of a pass: a dense layer of the mean
    of each filter.

    All of it but the bias works on boards of every size, so in ONNX the bias is an input, POINT_BIAS; the trained one
    is in the graph's metadata, and inference.fit_bias fits it to other boards.
    point_bias: whether that bias is trained; otherwise it stays 0.
    """

    size: int
    point_bias: bool = True
    output = "policy"

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        plane = graph.add("Conv2D", x, "policy_conv", filters=1, kernel_size=1, use_bias=False)
        points = graph.add("Reshape", plane, dtype="float32", target_shape=(self.size ** 2,))
        points = graph.add("PointBias", points, POINT_BIAS, "float32", trainable=self.point_bias)
        mean = graph.add("GlobalAveragePooling2D", x, "policy_mean", "float32")
        return graph.add("Concatenate", [points, graph.add("Dense", mean, "pass", "float32", units=1)],
                         "policy", "float32")

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        graph.metadata[POINT_BIAS] = json.dumps(graph.weights[POINT_BIAS][0].tolist())
        bias = graph.input(POINT_BIAS, "FLOAT", ["points"])
        plane = graph.add("Flatten", [graph.conv("policy_conv", x)], "policy_plane")
        points = graph.add("Add", [plane, bias], "points")
        mean = graph.add("Flatten", [graph.add("GlobalAveragePool", [x], "policy_mean4")], "policy_mean")
        logits = graph.add("Concat", [points, graph.dense("pass", mean)], "logits", axis=1)
        graph.add("Softmax", [logits], "policy", axis=1)
        graph.output("policy", ["n", "moves"])

    def weight_axes(self) -> Axes:
        return {"policy_conv/kernel": (REGULAR, TRIVIAL), f"{POINT_BIAS}/bias": (POINTS,),
                **dense_axes("pass", REGULAR, TRIVIAL)}


@dataclass(frozen=True)
class ValueHead:
    """1x1 convolution, batch normalisation, ReLU; mean and maximum of each filter, batch normalisation; dense, ELU;
    dense to a score."""

    filters: int = 32
    units: int = 64
    output = "value"

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        y = graph.add("ReLU", graph.conv(x, "value_conv", self.filters, 1, "value_batch_norm"), "value_relu")
        pooled = graph.mean_max_pool(y, "value_pool", "float32")
        # The pooled means are far from 0, and the first steps left every ReLU here at 0 for good: so they are
        # normalised, and the activation is ELU.
        pooled = graph.batch_norm(pooled, "value_pool_batch_norm", "float32")
        hidden = graph.add("Dense", pooled, "value_hidden", "float32", units=self.units, activation="elu")
        return graph.add("Dense", hidden, "value", "float32", units=1, kernel_initializer="zeros")

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.add("Relu", [graph.conv("value_conv", x, "value_batch_norm")], "value_relu")
        pooled = graph.batch_norm("value_pool_batch_norm", graph.mean_max_pool("value_pool", y))
        hidden = graph.add("Elu", [graph.dense("value_hidden", pooled)], "value_hidden_elu")
        graph.value(graph.dense("value", hidden, "value_score"))

    def weight_axes(self) -> Axes:
        return {**conv_axes("value_conv", REGULAR, TRIVIAL, "value_batch_norm"),
                **batch_norm_axes("value_pool_batch_norm", TRIVIAL), **dense_axes("value_hidden", TRIVIAL, TRIVIAL),
                **dense_axes("value", TRIVIAL, TRIVIAL)}


@dataclass(frozen=True)
class DensePolicyHead:
    """AlphaZero's policy head: 1x1 convolution, batch normalisation, ReLU, dense to size² + 1 logits, for one size."""

    size: int
    filters: int
    with_batch_norm: bool = False
    output = "policy"

    @property
    def _batch_norm(self) -> str:
        return "policy_batch_norm" if self.with_batch_norm else ""

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        y = graph.add("ReLU", graph.conv(x, "policy_conv", self.filters, 1, self._batch_norm), "policy_relu")
        return graph.add("Dense", graph.add("Flatten", y), "policy", "float32", units=self.size ** 2 + 1,
                         kernel_initializer="zeros")

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.add("Relu", [graph.conv("policy_conv", x, self._batch_norm)], "policy_relu")
        logits = graph.dense("policy", graph.add("Flatten", [y], "policy_flat"), "policy_logits", self.size ** 2)
        graph.add("Softmax", [logits], "policy", axis=1)
        graph.output("policy", ["n", "moves"])

    def weight_axes(self) -> Axes:
        return {**conv_axes("policy_conv", REGULAR, REGULAR, self._batch_norm), **dense_axes("policy", UNTIED, UNTIED)}


@dataclass(frozen=True)
class DenseValueHead:
    """AlphaZero's value head: 1x1 convolution, batch normalisation, ReLU, dense, ReLU, dense to a score, for one
    size."""

    size: int
    filters: int
    units: int
    with_batch_norm: bool = False
    output = "value"

    @property
    def _batch_norm(self) -> str:
        return "value_batch_norm" if self.with_batch_norm else ""

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        y = graph.add("ReLU", graph.conv(x, "value_conv", self.filters, 1, self._batch_norm), "value_relu")
        hidden = graph.add("Dense", graph.add("Flatten", y), "value_hidden", units=self.units, activation="relu",
                           kernel_initializer="he_normal")
        return graph.add("Dense", hidden, "value", "float32", units=1, kernel_initializer="zeros")

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.add("Relu", [graph.conv("value_conv", x, self._batch_norm)], "value_relu")
        hidden = graph.dense("value_hidden", graph.add("Flatten", [y], "value_flat"), points=self.size ** 2)
        graph.value(graph.dense("value", graph.add("Relu", [hidden], "value_hidden_relu"), "value_score"))

    def weight_axes(self) -> Axes:
        return {**conv_axes("value_conv", REGULAR, REGULAR, self._batch_norm),
                **dense_axes("value_hidden", UNTIED, TRIVIAL), **dense_axes("value", TRIVIAL, TRIVIAL)}
