"""A context module: dilated convolutions after the trunk, through which a point depends on the whole board.

    trunk -- conv 1x1, batch norm, ReLU -- dilated conv 3x3, batch norm, add, ReLU (`layers` of them) --> heads
           '-- with chain_pooling, here and after each four of them:
               mean and maximum over the component of each point, conv 1x1, batch norm, add, ReLU

The name and the idea are Yu & Koltun's (2015, arXiv:1511.07122).  The value head always takes its output, the policy
head and the auxiliary heads with PolicyNetConfig.policy_context.

The first four layers see the whole board.  Those after them, with less dilation, read on from there; the scales of
their batch normalisation are 0 at first (Goyal et al. 2017, arXiv:1706.02677, section 5.1), so that a module with them
begins as one without.

A dilated convolution sees far, but not along a chain: whether its stones live may depend on an eye at its other end.
Chain pooling is global pooling (policy_net.py) over each component of the board by itself, chains and empty regions
(nn/components.py), as Graepel et al. 2001 ("Learning on graphs in the game of Go") represent a chain by one node.
Its scales are 0 at first, too.  No Keras here.
"""
from dataclasses import dataclass
from typing import Any

from mugo.nn.graph import Graph

DILATIONS = 2, 4, 8, 2, 1, 1, 2, 1, 4, 1, 2, 1           # of the 3x3 convolutions
FIRST = 4                                # of them, which are not 0 at first
POOLED_EVERY = 4                         # convolutions from one chain pooling to the next


@dataclass(frozen=True)
class ContextModule:
    """A block that takes the trunk's output, for the heads.

    filters: a multiple of 8 in an equivariant network.  layers: 3x3 convolutions, the first of DILATIONS.
    chain_pooling: whether the network has the input COMPONENTS, and this module pools over them.
    """

    filters: int
    layers: int
    chain_pooling: bool = False

    def apply(self, graph: Graph, x: Any) -> Any:
        y = graph.conv(x, "context_conv", self.filters, batch_norm="context_batch_norm", relu="context_relu")
        y = self._pool_chains(graph, y, 0)
        for i, dilation in enumerate(DILATIONS[:self.layers], 1):
            z = graph.conv(y, f"context_conv{i}", self.filters, 3, batch_norm=f"context_batch_norm{i}",
                           dilation=dilation, gamma="ones" if i <= FIRST else "zeros")
            y = graph.relu(graph.add([y, z], f"context_residual{i}"), f"context_relu{i}")
            y = self._pool_chains(graph, y, i)
        return y

    def _pool_chains(self, graph: Graph, y: Any, layer: int) -> Any:
        """Chain pooling after this convolution, 0 the 1x1, where there is some."""
        if not self.chain_pooling or layer % POOLED_EVERY:
            return y
        z = graph.chain_pool(y, f"chain_pool{layer}", self.filters)
        z = graph.conv(z, f"chain_conv{layer}", self.filters, batch_norm=f"chain_batch_norm{layer}", gamma="zeros")
        return graph.relu(graph.add([y, z], f"chain_residual{layer}"), f"chain_relu{layer}")
