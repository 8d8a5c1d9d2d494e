"""The policy heads of networks, and AlphaZero's value head.  value_head.py has that of networks that learn from people.

    PolicyHead         for boards of every size
    DensePolicyHead    AlphaZero's, for one size
    DenseValueHead     likewise
    OutcomeHead        a value from the planes alone

See blocks.Head.  No Keras here.
"""
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mugo.nn.blocks import (
    POINT_BIAS,
    POINTS,
    REGULAR,
    TRIVIAL,
    UNTIED,
    Axes,
    batch_norm_axes,
    conv_axes,
    dense_axes,
)
from mugo.nn.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from mugo.nn.layers import KerasGraph


@dataclass(frozen=True)
class PolicyHead:
    """A hidden 1x1 convolution, batch normalisation, ReLU.  Then logits of points: a 1x1 convolution to one plane and a
    bias for each point.  Of a pass: a dense layer of the mean of each filter.

    All of it but the bias works on boards of every size, so in ONNX the bias is an input, POINT_BIAS; the trained one
    is in the graph's metadata, and inference.fit_bias fits it to other boards.
    point_bias: whether that bias is trained; otherwise it stays 0.
    auxiliary: the name of a move after the one that is played, which this head predicts while the network is trained;
    such a head is not in the ONNX graph.  '': the move that is played.
    filters: of the hidden convolution; 0: there is none, as in AlphaGo.  In an equivariant network a logit has one
    weight for the eight orientations of a feature: without it, those of 128 filters are sums of 16 numbers.
    uses_context: whether that convolution also takes the output of the context module, by a 1x1 convolution and a batch
    normalisation of its own, whose scales are 0 at first.
    """

    size: int
    point_bias: bool = True
    auxiliary: str = ""
    filters: int = 0
    uses_context: bool = False
    uses_global_features = False

    @property
    def output(self) -> str:
        """The name of the output: "policy", "policy_reply"."""
        return f"policy_{self.auxiliary}" if self.auxiliary else "policy"

    @property
    def _layers(self) -> tuple[str, str, str]:
        """The names of the layers with weights."""
        names = f"{self.output}_conv", POINT_BIAS, "pass"
        return (names[0], f"{self.output}_bias", f"{self.output}_pass") if self.auxiliary else names

    @property
    def _context_layers(self) -> tuple[str, str]:
        """The convolution of the context module's output, and its batch normalisation."""
        return f"{self.output}_context", f"{self.output}_context_batch_norm"

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        conv, bias, of_pass = self._layers
        if self.filters:
            y = graph.conv(x, f"{self.output}_hidden", self.filters, 1, f"{self.output}_batch_norm")
            if self.uses_context:
                context, batch_norm = self._context_layers
                z = graph.conv(graph.context, context, self.filters, 1, batch_norm, gamma="zeros")
                y = graph.add("Add", [y, z], f"{self.output}_add_context")
            x = graph.add("ReLU", y, f"{self.output}_relu")
        plane = graph.add("Conv2D", x, conv, filters=1, kernel_size=1, use_bias=False)
        points = graph.add("Reshape", plane, dtype="float32", target_shape=(self.size ** 2,))
        points = graph.add("PointBias", points, bias, "float32", trainable=self.point_bias)
        mean = graph.add("GlobalAveragePooling2D", x, f"{self.output}_mean", "float32")
        return {self.output: graph.add("Concatenate", [points, graph.add("Dense", mean, of_pass, "float32", units=1)],
                                       self.output, "float32")}

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        if self.auxiliary:
            return
        graph.metadata[POINT_BIAS] = json.dumps(graph.weights[POINT_BIAS][0].tolist())
        bias = graph.input(POINT_BIAS, "FLOAT", ["points"])
        if self.filters and self.uses_context:
            y = graph.conv("policy_hidden", x, "policy_batch_norm")
            z = graph.conv(self._context_layers[0], graph.context, self._context_layers[1])
            x = graph.add("Relu", [graph.add("Add", [y, z], "policy_add_context")], "policy_relu")
        elif self.filters:
            x = graph.conv("policy_hidden", x, "policy_batch_norm", relu="policy_relu")
        plane = graph.add("Flatten", [graph.conv("policy_conv", x, quantize=False)], "policy_plane")
        points = graph.add("Add", [plane, bias], "points")
        mean = graph.add("Flatten", [graph.add("GlobalAveragePool", [x], "policy_mean4")], "policy_mean")
        logits = graph.add("Concat", [points, graph.dense("pass", mean)], "logits", axis=1)
        graph.add("Softmax", [logits], "policy", axis=1)
        graph.output("policy", ["n", "moves"])

    def weight_axes(self) -> Axes:
        conv, bias, of_pass = self._layers
        axes = conv_axes(f"{self.output}_hidden", REGULAR, REGULAR, f"{self.output}_batch_norm") if self.filters else {}
        if self.filters and self.uses_context:
            context, batch_norm = self._context_layers
            axes |= conv_axes(context, REGULAR, REGULAR, batch_norm)
        return {**axes, f"{conv}/kernel": (REGULAR, TRIVIAL), f"{bias}/bias": (POINTS,),
                **dense_axes(of_pass, REGULAR, TRIVIAL)}


@dataclass(frozen=True)
class OutcomeHead:
    """1x1 convolution, batch normalisation, ReLU; mean and maximum of each filter, batch normalisation; dense, ELU;
    dense to a score."""

    filters: int = 32
    units: int = 64
    uses_global_features = uses_context = False

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        y = graph.add("ReLU", graph.conv(x, "value_conv", self.filters, 1, "value_batch_norm"), "value_relu")
        pooled = graph.mean_max_pool(y, "value_pool", "float32")
        # The pooled means are far from 0, and the first steps left every ReLU here at 0 for good: so they are
        # normalised, and the activation is ELU.
        pooled = graph.batch_norm(pooled, "value_pool_batch_norm", "float32")
        hidden = graph.add("Dense", pooled, "value_hidden", "float32", units=self.units, activation="elu")
        return {"value": graph.add("Dense", hidden, "value", "float32", units=1, kernel_initializer="zeros")}

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.conv("value_conv", x, "value_batch_norm", relu="value_relu")
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
    uses_global_features = uses_context = False

    @property
    def _batch_norm(self) -> str:
        return "policy_batch_norm" if self.with_batch_norm else ""

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        y = graph.add("ReLU", graph.conv(x, "policy_conv", self.filters, 1, self._batch_norm), "policy_relu")
        return {"policy": graph.add("Dense", graph.add("Flatten", y), "policy", "float32", units=self.size ** 2 + 1,
                                    kernel_initializer="zeros")}

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.conv("policy_conv", x, self._batch_norm, relu="policy_relu")
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
    uses_global_features = uses_context = False

    @property
    def _batch_norm(self) -> str:
        return "value_batch_norm" if self.with_batch_norm else ""

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        y = graph.add("ReLU", graph.conv(x, "value_conv", self.filters, 1, self._batch_norm), "value_relu")
        hidden = graph.add("Dense", graph.add("Flatten", y), "value_hidden", units=self.units, activation="relu",
                           kernel_initializer="he_normal")
        return {"value": graph.add("Dense", hidden, "value", "float32", units=1, kernel_initializer="zeros")}

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.conv("value_conv", x, self._batch_norm, relu="value_relu")
        hidden = graph.dense("value_hidden", graph.add("Flatten", [y], "value_flat"), points=self.size ** 2)
        graph.value(graph.dense("value", graph.add("Relu", [hidden], "value_hidden_relu"), "value_score"))

    def weight_axes(self) -> Axes:
        return {**conv_axes("value_conv", REGULAR, REGULAR, self._batch_norm),
                **dense_axes("value_hidden", UNTIED, TRIVIAL), **dense_axes("value", TRIVIAL, TRIVIAL)}
