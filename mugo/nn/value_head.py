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

from mugo.nn.graph import Graph

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
