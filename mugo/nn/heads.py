"""The policy heads of networks, and AlphaZero's value head.  value_head.py has that of networks that learn from people.

    PolicyHead         for boards of every size
    DensePolicyHead    AlphaZero's, for one size
    DenseValueHead     likewise
    OutcomeHead        a value from the planes alone

See blocks.Head.  No Keras here.

The value head of networks that learn from people: who wins, by how many points, and who owns each point.

    context module -- conv 1x1, batch norm, ReLU
      |
      |-- conv 1x1 to one plane --------> ownership (logits; their tanh is the owner, 1 the side to move)
      |                                        | sum: the lead on the board
      |                               colour   |-----------------------------------------------+
      |                                    |   | / 20                                          |
      |                                    v   v                                               v
      '-- mean and maximum, batch norm, dense, ELU --> dense, ELU --> three dense layers --> score: mean, scale <-- komi
                                                                                         --> value, before tanh

The komi is the number of points that the side to move gets at the end: White's compensation, komi and points for
handicap stones, if White is to move, and minus that if Black is (KataGo's selfKomi, Wu 2019, arXiv:1902.10565,
table 1).  It is added at the end, so the policy and the ownership do not depend on it, a point of komi is a point of
score, and more komi is never worse.  The colour, 1 Black, -1 White, says who has moved more often, which the planes
show only to a network that counts all stones and captures.

In an equivariant network an output that is the same in all orientations has one weight for all eight of them, so a
plane of ownership made of 48 filters would be a sum of six numbers; the convolution before it is wide.

The final score is modelled as a logistic distribution: its mean is the lead by ownership plus a correction, both
without komi, plus komi; its scale is learned.  The probability of a score above 0 is then that of a win,
sigmoid(mean / scale), so tanh(mean / (2 scale)) is a value; a learned term is added, since games also end by
resignation and on time.  So one game whose final score is known teaches the value for every komi (multi-labelled value
networks, Wu et al. 2017, arXiv:1705.10701).  No Keras here.
"""
from dataclasses import dataclass
from typing import Any

import numpy as np

from mugo.nn.blocks import add_metadata
from mugo.nn.graph import TRIVIAL, Graph
from mugo.nn.inputs import POINT_BIAS


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

POINTS_UNIT = 20.0                       # points of a lead that a unit of the dense layers stands for
MIN_SCALE = 0.25                         # points: of the score's distribution; half a point decides games
STDEV_OF_SCALE = np.pi / 3 ** 0.5        # standard deviation of a logistic distribution of scale 1


@dataclass(frozen=True)
class ValueHead:
    """Outputs of the Keras model: "value", a score (n, 1) whose tanh is the value; "ownership", logits (n, size²) whose
    tanh is the owner; "score", (n, 2), the mean and the scale of a logistic distribution of the score in points.

    Of the ONNX graph: "value" (n,), "ownership" (n, size²), "score_mean" and "score_stdev" (n,).
    It takes the output of the context module (context_module.py).  wide: a multiple of 8 in an equivariant network.
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
        # The pooled means are far from 0, and the first steps left every ReLU here at 0 for good: so they are
        # normalised, and the activation is ELU.
        pooled = graph.batch_norm(graph.mean_max_pool(y, "value_pool"), "value_pool_batch_norm")
        hidden = graph.dense(pooled, "value_hidden", self.units, activation="elu")
        features = [hidden, graph.colour, graph.rescale(lead, "lead_unit", 1 / POINTS_UNIT)]
        hidden = graph.dense(graph.concatenate(features, "value_features"), "value_hidden_2", self.units,
                             activation="elu")
        correction, scale, outcome = (graph.dense(hidden, name, 1, initializer="zeros") for name in (
            "score_correction", "score_scale", "value_correction"))
        score = graph.score(lead, correction, scale, POINTS_UNIT, MIN_SCALE)
        return {"value": graph.value_of_score(score, outcome), "ownership": ownership, "score": score}
