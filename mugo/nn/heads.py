"""The heads of networks: see graph.Block.

    PolicyHead         logits of all moves, on boards of every size
    ValueHead          who wins, by how many points, and who owns each point; takes the context module's output
    OutcomeHead        a value from the trunk alone
    DensePolicyHead, DenseValueHead      AlphaZero's, for boards of one size
"""
from dataclasses import dataclass
from typing import Any

import numpy as np

from mugo.nn.blocks import add_metadata
from mugo.nn.graph import TRIVIAL, Graph
from mugo.nn.inputs import POINT_BIAS

POINTS_UNIT = 20.0                       # points of a lead that a unit of the dense layers stands for
MIN_SCALE = 0.25                         # points, for the score's distribution; half a point decides games
STDEV_OF_SCALE = np.pi / 3 ** 0.5        # standard deviation of a logistic distribution of scale 1
UNKNOWN_OWNER = 2                        # in a target of ownership
# Of the losses of the heads, next to 1 of the policy's.
LOSS_WEIGHTS = {"value_weight": 0.5, "ownership_weight": 0.5, "score_weight": 0.05, "auxiliary_weight": 0.15}


@dataclass(frozen=True)
class PolicyHead:
    """A hidden 1x1 convolution, batch normalisation, ReLU.  Then logits of points: a 1x1 convolution to one plane and a
    bias for each point.  The logit of a pass: a dense layer of the mean of each filter.

    point_bias: whether the bias of the points is trained; otherwise it stays 0.  In ONNX it is an input, POINT_BIAS,
    because it depends on the size of the board (inputs.fit_bias).
    auxiliary: the name of a move after the one that is played, which this head predicts while the network is trained;
    such a head is not in the ONNX graph.  '': the move that is played.
    filters: the filters of the hidden convolution; 0: there is none, as in AlphaGo.
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
class ValueHead:
    """The value head of networks that learn from people.

        context module -- conv 1x1 to `wide` filters, batch norm, ReLU
          |-- conv 1x1 to one plane --> ownership, whose sum is the lead on the board
          '-- mean and maximum, dense; with colour and lead: dense --> three dense layers --> score: lead and a
                                                              correction, komi added; its scale --> value

    The probability of a score above 0 is sigmoid(mean / scale), so tanh(mean / (2 scale)) is a value; a learned term is
    added, because games also end by resignation.  Komi is selfKomi in Wu 2019, arXiv:1902.10565, table 1.

    Outputs of the Keras model: "value", a score (n, 1) whose tanh is the value; "ownership", logits (n, size²) whose
    tanh is the owner, 1 the side to move; "score", (n, 2), the mean and the scale of a logistic distribution of the
    score in points.
    Outputs of the ONNX graph: "value" (n,), "ownership" (n, size²), "score_mean" and "score_stdev" (n,).
    wide: a multiple of 8 in an equivariant network.
    """

    size: int
    wide: int = 256
    units: int = 64

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        y = graph.conv(graph.context, "value_wide", self.wide, batch_norm="value_wide_batch_norm",
                       relu="value_wide_relu")
        graph = graph.float32
        ownership = graph.ownership(graph.plane(y, "ownership_conv", bias=True, initializer="zeros"))
        lead = graph.lead(ownership)
        features = [pooled_hidden(graph, y, self.units), graph.colour,
                    graph.rescale(lead, "lead_unit", 1 / POINTS_UNIT)]
        hidden = graph.dense(graph.concatenate(features, "value_features"), "value_hidden_2", self.units,
                             activation="elu")
        correction, scale, outcome = (graph.dense(hidden, name, 1, initializer="zeros") for name in (
            "score_correction", "score_scale", "value_correction"))
        score = graph.score(lead, correction, scale, POINTS_UNIT, MIN_SCALE)
        return {"value": graph.value_of_score(score, outcome), "ownership": ownership, "score": score}


@dataclass(frozen=True)
class OutcomeHead:
    """A value without komi: 1x1 convolution, batch normalisation, ReLU; pooled_hidden; dense to a score."""

    filters: int = 32
    units: int = 64

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        y = graph.conv(x, "value_conv", self.filters, batch_norm="value_batch_norm", relu="value_relu", kind=TRIVIAL)
        graph = graph.float32
        return {"value": graph.dense(pooled_hidden(graph, y, self.units), "value", 1, initializer="zeros")}


def pooled_hidden(graph: Graph, y: Any, units: int) -> Any:
    """(n, units): mean and maximum of each filter, batch normalisation, dense, ELU.  Without normalisation, and with
    ReLU, all units became 0 in the first steps and stayed so."""
    pooled = graph.batch_norm(graph.mean_max_pool(y, "value_pool"), "value_pool_batch_norm")
    return graph.dense(pooled, "value_hidden", units, activation="elu")


@dataclass(frozen=True)
class DensePolicyHead:
    """1x1 convolution, batch normalisation, ReLU, dense to size² + 1 logits."""

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
    """1x1 convolution, batch normalisation, ReLU, dense, ReLU, dense to a score."""

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
