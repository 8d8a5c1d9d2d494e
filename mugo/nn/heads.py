"""The policy heads of networks, and AlphaZero's value head.  value_head.py has that of networks that learn from people.

    PolicyHead         for boards of every size
    DensePolicyHead    AlphaZero's, for one size
    DenseValueHead     likewise
    OutcomeHead        a value from the planes alone

See blocks.Head.  No Keras here.
"""
from dataclasses import dataclass
from typing import Any

from mugo.nn.blocks import add_metadata
from mugo.nn.graph import POINT_BIAS, TRIVIAL, Graph


@dataclass(frozen=True)
class PolicyHead:
    """A hidden 1x1 convolution, batch normalisation, ReLU.  Then logits of points: a 1x1 convolution to one plane and a
    bias for each point.  Of a pass: a dense layer of the mean of each filter.

    All of it but the bias works on boards of every size, so in ONNX the bias is an input, POINT_BIAS;
    inference.fit_bias fits the trained one to other boards.
    point_bias: whether that bias is trained; otherwise it stays 0.
    auxiliary: the name of a move after the one that is played, which this head predicts while the network is trained;
    such a head is not in the ONNX graph.  '': the move that is played.
    filters: of the hidden convolution; 0: there is none, as in AlphaGo.  In an equivariant network a logit has one
    weight for the eight orientations of a feature: without it, those of 128 filters are sums of 16 numbers.
    uses_context: whether that convolution also takes the output of the context module, by a 1x1 convolution and a batch
    normalisation of its own, whose scales are 0 at first.
    metadata_encoder: blocks.add_metadata to that convolution.
    """

    size: int
    point_bias: bool = True
    auxiliary: str = ""
    filters: int = 0
    uses_context: bool = False
    metadata_encoder: bool = False

    @property
    def output(self) -> str:
        """The name of the output: "policy", "policy_reply"."""
        return f"policy_{self.auxiliary}" if self.auxiliary else "policy"

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        output = self.output
        of_points, of_pass = (f"{output}_bias", f"{output}_pass") if self.auxiliary else (POINT_BIAS, "pass")
        if self.filters:
            relu, plain = f"{output}_relu", not (self.uses_context or self.metadata_encoder)
            y = graph.conv(x, f"{output}_hidden", self.filters, batch_norm=f"{output}_batch_norm",
                           relu=relu if plain else "")
            if self.uses_context:
                context = graph.conv(graph.context, f"{output}_context", self.filters, gamma="zeros",
                                     batch_norm=f"{output}_context_batch_norm")
                y = graph.add([y, context], f"{output}_add_context")
            if self.metadata_encoder:
                y = add_metadata(graph, y, f"{output}_metadata_bias", self.filters)
            x = y if plain else graph.relu(y, relu)
        graph = graph.float32
        plane = graph.plane(x, f"{output}_conv")
        points = graph.point_bias(plane, of_points, size=self.size, trainable=self.point_bias)
        logit = graph.dense(graph.mean_pool(x, f"{output}_mean"), of_pass, 1)
        return {output: graph.concatenate([points, logit], output)}


@dataclass(frozen=True)
class OutcomeHead:
    """1x1 convolution, batch normalisation, ReLU; mean and maximum of each filter, batch normalisation; dense, ELU;
    dense to a score."""

    filters: int = 32
    units: int = 64

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        y = graph.conv(x, "value_conv", self.filters, batch_norm="value_batch_norm", relu="value_relu", kind=TRIVIAL)
        graph = graph.float32
        # The pooled means are far from 0, and the first steps left every ReLU here at 0 for good: so they are
        # normalised, and the activation is ELU.
        pooled = graph.batch_norm(graph.mean_max_pool(y, "value_pool"), "value_pool_batch_norm")
        hidden = graph.dense(pooled, "value_hidden", self.units, activation="elu")
        return {"value": graph.dense(hidden, "value", 1, initializer="zeros")}


@dataclass(frozen=True)
class DensePolicyHead:
    """AlphaZero's policy head: 1x1 convolution, batch normalisation, ReLU, dense to size² + 1 logits, for one size."""

    size: int
    filters: int
    with_batch_norm: bool = False

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        batch_norm = "policy_batch_norm" if self.with_batch_norm else ""
        y = graph.conv(x, "policy_conv", self.filters, batch_norm=batch_norm, relu="policy_relu")
        points = self.size ** 2
        return {"policy": graph.float32.dense(y, "policy", points + 1, points=points, initializer="zeros")}


@dataclass(frozen=True)
class DenseValueHead:
    """AlphaZero's value head: 1x1 convolution, batch normalisation, ReLU, dense, ReLU, dense to a score, for one
    size."""

    size: int
    filters: int
    units: int
    with_batch_norm: bool = False

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        batch_norm = "value_batch_norm" if self.with_batch_norm else ""
        y = graph.conv(x, "value_conv", self.filters, batch_norm=batch_norm, relu="value_relu")
        hidden = graph.dense(y, "value_hidden", self.units, points=self.size ** 2, activation="relu",
                             initializer="he_normal")
        return {"value": graph.float32.dense(hidden, "value", 1, initializer="zeros")}
