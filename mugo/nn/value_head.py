"""The value head of networks that learn from people: who wins, by how many points, and who owns each point.

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
table 1).  It is added at the end, so the policy and the owners do not depend on it, a point of komi is a point of
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
from typing import TYPE_CHECKING, Any

import numpy as np

from mugo.nn.blocks import REGULAR, TRIVIAL, TWO_REGULAR, Axes, batch_norm_axes, conv_axes, dense_axes
from mugo.nn.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from mugo.nn.layers import KerasGraph

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
    uses_global_features = uses_context = True

    def keras(self, graph: "KerasGraph", x: Any) -> dict[str, Any]:
        y = graph.conv(graph.context, "value_wide", self.wide, 1, "value_wide_batch_norm")
        y = graph.add("ReLU", y, "value_wide_relu")
        plane = graph.add("Conv2D", y, "ownership_conv", filters=1, kernel_size=1, kernel_initializer="zeros")
        ownership = graph.add("Reshape", plane, "ownership", "float32", target_shape=(self.size ** 2,))
        lead = graph.add("Lead", ownership, "lead", "float32")
        # The pooled means are far from 0, and the first steps left every ReLU here at 0 for good: so they are
        # normalised, and the activation is ELU.
        pooled = graph.batch_norm(graph.mean_max_pool(y, "value_pool", "float32"), "value_pool_batch_norm", "float32")
        hidden = graph.add("Dense", pooled, "value_hidden", "float32", units=self.units, activation="elu")
        features = [hidden, graph.colour, graph.add("Rescaling", lead, "lead_unit", "float32", scale=1 / POINTS_UNIT)]
        hidden = graph.add("Dense", graph.add("Concatenate", features, "value_features", "float32"),
                           "value_hidden_2", "float32", units=self.units, activation="elu")
        score = [graph.add("Dense", hidden, name, "float32", units=1, kernel_initializer="zeros")
                 for name in ("score_correction", "score_scale")]
        score = graph.add("ScoreDistribution", [lead, *score, graph.komi], "score", "float32", unit=POINTS_UNIT,
                          min_scale=MIN_SCALE)
        outcome = graph.add("Dense", hidden, "value_correction", "float32", units=1, kernel_initializer="zeros")
        return {"value": graph.add("ValueOfScore", [score, outcome], "value", "float32"), "ownership": ownership,
                "score": score}

    def onnx(self, graph: OnnxGraph, x: str) -> None:
        y = graph.conv("value_wide", graph.context, "value_wide_batch_norm", relu="value_wide_relu")
        logits = graph.add("Flatten", [graph.conv("ownership_conv", y, quantize=False)], "ownership_logits")
        owners = graph.add("Tanh", [logits], "ownership")
        last = graph.constant("last_axis", np.array([1], np.int64))
        lead = graph.add("ReduceSum", [owners, last], "lead", keepdims=1)
        pooled = graph.batch_norm("value_pool_batch_norm", graph.mean_max_pool("value_pool", y))
        scaled = graph.add("Mul", [lead, graph.number("lead_factor", 1 / POINTS_UNIT)], "lead_unit")
        hidden = graph.add("Elu", [graph.dense("value_hidden", pooled)], "value_hidden_elu")
        features = graph.add("Concat", [hidden, graph.colour, scaled], "value_features", axis=1)
        hidden = graph.add("Elu", [graph.dense("value_hidden_2", features)], "value_hidden_2_elu")
        unit = graph.number("points_unit", POINTS_UNIT)
        correction = graph.add("Mul", [graph.dense("score_correction", hidden), unit], "score_correction_points")
        mean = graph.add("Add", [graph.add("Add", [lead, correction], "mean_without_komi"), graph.komi], "mean")
        scale = graph.add("Mul", [graph.add("Softplus", [graph.dense("score_scale", hidden)], "score_softplus"), unit],
                          "scale_points")
        scale = graph.add("Add", [scale, graph.number("min_scale", MIN_SCALE)], "scale")
        ratio = graph.add("Div", [mean, graph.add("Add", [scale, scale], "two_scales")], "mean_of_scale")
        score = graph.add("Add", [ratio, graph.dense("value_correction", hidden)], "value_score")
        stdev = graph.add("Mul", [scale, graph.number("stdev_of_scale", STDEV_OF_SCALE)], "stdev")
        for name, tensor in (("value", graph.add("Tanh", [score], "value_tanh")), ("score_mean", mean),
                             ("score_stdev", stdev)):
            graph.add("Squeeze", [tensor, last], name)
            graph.output(name, ["n"])
        graph.output("ownership", ["n", "points"])

    def weight_axes(self) -> Axes:
        return {**conv_axes("value_wide", REGULAR, REGULAR, "value_wide_batch_norm"),
                **conv_axes("ownership_conv", REGULAR, TRIVIAL),
                **batch_norm_axes("value_pool_batch_norm", TWO_REGULAR),
                **dense_axes("value_hidden", TWO_REGULAR, TRIVIAL), **dense_axes("value_hidden_2", TRIVIAL, TRIVIAL),
                **dense_axes("score_correction", TRIVIAL, TRIVIAL), **dense_axes("score_scale", TRIVIAL, TRIVIAL),
                **dense_axes("value_correction", TRIVIAL, TRIVIAL)}
