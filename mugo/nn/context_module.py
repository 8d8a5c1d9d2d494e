"""A context module: dilated convolutions after the trunk, through which a point depends on the whole board.

    trunk -- conv 1x1, batch norm, ReLU -- dilated conv 3x3, batch norm, add, ReLU (`layers` of them) --> heads
           '-- with chain_pooling, here and after each four of them:
               mean and maximum over the component of each point, conv 1x1, batch norm, add, ReLU

The name and the idea are Yu & Koltun's (2015, arXiv:1511.07122).  The value head always takes its output, the policy
head and the auxiliary heads with PolicyNetConfig.policy_context.  Its layers are named after the value head, which was
its only user.

The first four layers see the whole board.  Those after them, with less dilation, read on from there; the scales of
their batch normalisation are 0 at first (Goyal et al. 2017, arXiv:1706.02677, section 5.1), so that a module with them
begins as one without.

A dilated convolution sees far, but not along a chain: whether its stones live may depend on an eye at its other end.
Chain pooling is global pooling (policy_net.py) over each component of the board by itself, chains and empty regions
(nn/components.py), as Graepel et al. 2001 ("Learning on graphs in the game of Go") represent a chain by one node.
Its scales are 0 at first, too.  No Keras here.
"""
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mugo.nn.blocks import REGULAR, TWO_REGULAR, Axes, conv_axes
from mugo.nn.onnx_graph import OnnxGraph

if TYPE_CHECKING:
    from mugo.nn.layers import KerasGraph

DILATIONS = 2, 4, 8, 2, 1, 1, 2, 1, 4, 1, 2, 1           # of the 3x3 convolutions
FIRST = 4                                # of them, which are not 0 at first
POOLED_EVERY = 4                         # convolutions from one chain pooling to the next


@dataclass(frozen=True)
class ContextModule:
    """A block beside the trunk.

    filters: a multiple of 8 in an equivariant network.  layers: 3x3 convolutions, the first of DILATIONS.
    chain_pooling: whether the network has the input COMPONENTS, and this module pools over them.
    """

    filters: int
    layers: int
    chain_pooling: bool = False

    def pools_after(self, layer: int) -> bool:
        """Whether there is chain pooling after this convolution, 0 the 1x1."""
        return self.chain_pooling and layer % POOLED_EVERY == 0

    def keras(self, graph: "KerasGraph", x: Any) -> Any:
        y = graph.add("ReLU", graph.conv(x, "value_conv", self.filters, 1, "value_batch_norm"), "value_relu")
        y = self._keras_chain_pooling(graph, y, 0)
        for i, dilation in enumerate(DILATIONS[:self.layers], 1):
            z = graph.conv(y, f"value_conv{i}", self.filters, 3, f"value_batch_norm{i}", dilation,
                           "ones" if i <= FIRST else "zeros")
            y = graph.add("ReLU", graph.add("Add", [y, z], f"value_residual{i}"), f"value_relu{i}")
            y = self._keras_chain_pooling(graph, y, i)
        return y

    def _keras_chain_pooling(self, graph: "KerasGraph", y: Any, layer: int) -> Any:
        if not self.pools_after(layer):
            return y
        z = graph.add("ChainPool", [y, graph.components], f"chain_pool{layer}")
        z = graph.conv(z, f"chain_conv{layer}", self.filters, 1, f"chain_batch_norm{layer}", gamma="zeros")
        return graph.add("ReLU", graph.add("Add", [y, z], f"chain_residual{layer}"), f"chain_relu{layer}")

    def onnx(self, graph: OnnxGraph, x: str) -> str:
        y = graph.conv("value_conv", x, "value_batch_norm", relu="value_relu")
        y = self._onnx_chain_pooling(graph, y, 0)
        for i, dilation in enumerate(DILATIONS[:self.layers], 1):
            z = graph.conv(f"value_conv{i}", y, f"value_batch_norm{i}", dilation)
            y = graph.add("Relu", [graph.add("Add", [y, z], f"value_residual{i}")], f"value_relu{i}")
            y = self._onnx_chain_pooling(graph, y, i)
        return y

    def _onnx_chain_pooling(self, graph: OnnxGraph, y: str, layer: int) -> str:
        if not self.pools_after(layer):
            return y
        z = graph.conv(f"chain_conv{layer}", graph.chain_pool(f"chain_pool{layer}", y, self.filters),
                       f"chain_batch_norm{layer}")
        return graph.add("Relu", [graph.add("Add", [y, z], f"chain_residual{layer}")], f"chain_relu{layer}")

    def weight_axes(self) -> Axes:
        axes = conv_axes("value_conv", REGULAR, REGULAR, "value_batch_norm")
        for i in range(1, self.layers + 1):
            axes |= conv_axes(f"value_conv{i}", REGULAR, REGULAR, f"value_batch_norm{i}")
        for i in filter(self.pools_after, range(self.layers + 1)):
            axes |= conv_axes(f"chain_conv{i}", TWO_REGULAR, REGULAR, f"chain_batch_norm{i}")
        return axes
