"""A context module: dilated convolutions after the trunk, through which a point depends on the whole board.

    trunk -- conv 1x1, batch norm, ReLU -- dilated conv 3x3, batch norm, add, ReLU (`layers` of them) --> heads

The name and the idea are Yu & Koltun's (2015, arXiv:1511.07122).  The value head always takes its output, the policy
head and the auxiliary heads with PolicyNetConfig.policy_context.  Its layers are named after the value head, which was
its only user.

The first four layers see the whole board.  Those after them, with less dilation, read on from there; the scales of
their batch normalisation are 0 at first (Goyal et al. 2017, arXiv:1706.02677, section 5.1), so that a module with them
begins as one without.  No Keras here.
"""
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mugo.nn.blocks import REGULAR, Axes, conv_axes
from mugo.nn.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from mugo.nn.layers import KerasGraph

DILATIONS = 2, 4, 8, 2, 1, 1, 2, 1, 4, 1, 2, 1           # of the 3x3 convolutions
FIRST = 4                                # of them, which are not 0 at first


@dataclass(frozen=True)
class ContextModule:
    """A block beside the trunk.

    filters: a multiple of 8 in an equivariant network.  layers: 3x3 convolutions, the first of DILATIONS.
    """

    filters: int
    layers: int

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        y = graph.add("ReLU", graph.conv(x, "value_conv", self.filters, 1, "value_batch_norm"), "value_relu")
        for i, dilation in enumerate(DILATIONS[:self.layers], 1):
            z = graph.conv(y, f"value_conv{i}", self.filters, 3, f"value_batch_norm{i}", dilation,
                           "ones" if i <= FIRST else "zeros")
            y = graph.add("ReLU", graph.add("Add", [y, z], f"value_residual{i}"), f"value_relu{i}")
        return y

    def onnx(self, graph: OnnxGraph, x: str) -> str:
        y = graph.conv("value_conv", x, "value_batch_norm", relu="value_relu")
        for i, dilation in enumerate(DILATIONS[:self.layers], 1):
            z = graph.conv(f"value_conv{i}", y, f"value_batch_norm{i}", dilation)
            y = graph.add("Relu", [graph.add("Add", [y, z], f"value_residual{i}")], f"value_relu{i}")
        return y

    def weight_axes(self) -> Axes:
        axes = conv_axes("value_conv", REGULAR, REGULAR, "value_batch_norm")
        for i in range(1, self.layers + 1):
            axes |= conv_axes(f"value_conv{i}", REGULAR, REGULAR, f"value_batch_norm{i}")
        return axes
