"""The blocks that networks are made of.  Each is spelled once, in a class that knows three things:

    keras(graph, x)    its Keras layers, applied to x
    onnx(graph, x)     the same as ONNX nodes, from the weights of these layers
    weight_axes()      how the symmetries of the board act on each axis of each of its weights

    packed planes -- UnpackPlanes --> [ConvBlock, ConvBlock, ...] --+--> PolicyHead --> "policy"
                                                                    '--> ContextModule --> ValueHead --> "value",
                                                                  global features ------------'     "ownership", "score"

The heads are in heads.py and value_head.py; context_module.py can serve the policy head, too.

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
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mugo.nn.components import connected_components
from mugo.nn.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from mugo.nn.layers import KerasGraph

TRIVIAL, REGULAR, TWO_REGULAR, POINTS, UNTIED = "trivial", "regular", "two regular", "points", "untied"
GLOBAL_FEATURES = "global_features"      # an input of networks whose value depends on komi and colour
COMPONENTS = "components"                # an input of networks that pool over chains and empty regions
ORIENTATIONS = 8                         # the order of D4; coords.symmetries numbers its elements
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
    """The end of a network: filters in, one or more outputs.

    uses_global_features: whether it also gets komi and the colour to move (games.position.global_features).
    uses_context: whether it also gets the output of the context module.
    """

    @property
    def uses_global_features(self) -> bool: ...

    @property
    def uses_context(self) -> bool: ...

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        """Add the layers; returns the outputs by their names (see keras_model.build).

        graph.komi, graph.colour: (n, 1).  graph.context: (n, rows, columns, filters)."""
        ...

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        """Add the nodes and outputs of the graph (see onnx_export).

        graph.komi, graph.colour: tensors (n, 1).  graph.context: (n, filters, rows, columns)."""
        ...

    def weight_axes(self) -> Axes:
        """As of Block."""
        ...


@dataclass(frozen=True)
class NetworkSpec:
    """A network's architecture as blocks.

    name: of the Keras model.  size: of the board it is trained on.  depth: input planes, packed eight in a byte.
    context: a block after the trunk, for the heads that use it (context_module.py).  uses_components: whether the
    network has the input COMPONENTS.  any_size: whether the ONNX graph
    takes boards of every size.  equivariant: whether weights are tied so that outputs turn with the board
    (equivariance.py).
    """

    name: str
    size: int
    depth: int
    trunk: tuple[Block, ...]
    heads: tuple[Head, ...]
    context: Block | None = None
    uses_components: bool = False
    any_size: bool = False
    equivariant: bool = False

    @property
    def uses_global_features(self) -> bool:
        """Whether the network has the input GLOBAL_FEATURES."""
        return any(head.uses_global_features for head in self.heads)

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed planes for each point."""
        return -(-self.depth // 8)

    def onnx(self, graph: OnnxGraph) -> None:
        """Add the nodes of all blocks, with the inputs and outputs."""
        rows, columns = ("height", "width") if self.any_size else (self.size, self.size)
        x = graph.planes(["n", rows, columns, self.depth])
        if self.uses_global_features:
            graph.add_global_features(GLOBAL_FEATURES)
        if self.uses_components:
            graph.add_components(COMPONENTS)
        for block in self.trunk:
            x = block.onnx(graph, x)
        for head in self.heads:
            if self.context and head.uses_context and not graph.context:
                graph.context = self.context.onnx(graph, x)
            head.onnx(graph, x)

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        """Add the layers of all blocks; x: unpacked planes.  Returns the outputs of the heads by their names."""
        for block in self.trunk:
            x = block.keras(graph, x)
        outputs: dict[str, Any] = {}
        for head in self.heads:
            if self.context and head.uses_context and graph.context is None:
                graph.context = self.context.keras(graph, x)
            outputs |= head.keras(graph, x)
        return outputs

    @property
    def parts(self) -> tuple[Block | Head, ...]:
        """All blocks."""
        return (*self.trunk, *((self.context,) if self.context else ()), *self.heads)

    def weight_axes(self) -> Axes:
        """Of all blocks.  Raises ValueError if two of them declare the same weight."""
        axes: Axes = {}
        for block in self.parts:
            declared = block.weight_axes()
            if both := axes.keys() & declared.keys():
                raise ValueError(f"two blocks of {self.name} declare the weight {min(both)!r}")
            axes |= declared
        return axes


def layer_names(block: Block | Head) -> set[str]:
    """The names of its layers that have weights."""
    return {name.split("/")[0] for name in block.weight_axes()}


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
        relu = f"relu{self.index}"
        if not (self.global_pooling or self.residual):
            return graph.conv(self._conv, x, self._batch_norm, relu=relu)
        y = graph.conv(self._conv, x, self._batch_norm)
        if self.global_pooling:
            shape = graph.constant("filters_shape", np.array([-1, self.filters, 1, 1], np.int64))
            bias = graph.dense("global_pool_bias", graph.mean_max_pool("global_pool", x))
            y = graph.add("Add", [y, graph.add("Reshape", [bias, shape], "global_pool_bias4")], "add_global_pool")
        if self.residual:
            y = graph.add("Add", [x, y], f"residual{self.index}")
        return graph.add("Relu", [y], relu)

    def weight_axes(self) -> Axes:
        axes = conv_axes(self._conv, REGULAR if self.index else TRIVIAL, REGULAR, self._batch_norm)
        return axes | dense_axes("global_pool_bias", TWO_REGULAR, REGULAR) if self.global_pooling else axes


def model_inputs(packed: np.ndarray, global_features: np.ndarray | None, with_components: bool = False) -> Any:
    """What a model takes: packed planes, uint8 (n, size², bytes); a dict of inputs if there are others.

    global_features: float32 (n, 2), where the model takes them; NaN, an unknown komi, becomes 0.  with_components:
    whether it takes the components of the boards (NetworkSpec.uses_components).
    """
    inputs = {"packed": packed}
    if global_features is not None:
        inputs[GLOBAL_FEATURES] = np.nan_to_num(global_features)
    if with_components:
        inputs[COMPONENTS] = connected_components(packed, math.isqrt(packed.shape[1]))
    return inputs if len(inputs) > 1 else packed
