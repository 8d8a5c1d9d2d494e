"""The blocks that networks are made of: the trunk's, and the context module.  The heads are in heads.py.

    packed planes --> [ConvBlock, ConvBlock, ...] --+--> PolicyHead --> "policy"
                                                    '--> ContextModule --> ValueHead --> "value", "ownership", "score"
                                                  global features ------------'

A block is written once, as operations on a graph (graph.py).  From these follow its Keras layers, its ONNX nodes, its
weights with their shapes, and how the symmetries of the board act on them.  A new block is a class with `apply`, and an
entry in the lists of architectures.py.
"""
from dataclasses import dataclass
from typing import Any

from mugo.nn.graph import REGULAR, Graph

METADATA_LAYERS = "metadata_bias"        # part of the name of each layer of add_metadata
DILATIONS = 2, 4, 8, 2, 1, 1, 2, 1, 4, 1, 2, 1           # of the context module's 3x3 convolutions
UNSCALED = 4                             # of them, whose batch normalisation does not begin with scales of 0
POOLED_EVERY = 4                         # convolutions from one chain pooling to the next


@dataclass(frozen=True)
class ConvBlock:
    """Convolution, batch normalisation, ReLU; the options are added before ReLU.

    global_pooling: see add_pooled.  metadata_encoder: see add_metadata.  residual: the input (He et al. 2015,
    arXiv:1512.03385).
    """

    index: int                           # from 0; block 0 gets the planes
    filters: int
    width: int = 3
    with_batch_norm: bool = True
    residual: bool = False
    global_pooling: bool = False
    metadata_encoder: bool = False

    def apply(self, graph: Graph, x: Any) -> Any:
        relu, batch_norm = f"relu{self.index}", f"batch_norm{self.index}" if self.with_batch_norm else ""
        plain = not (self.global_pooling or self.metadata_encoder or self.residual)
        y = graph.conv(x, f"conv{self.index}", self.filters, self.width, batch_norm=batch_norm,
                       relu=relu if plain else "")
        if self.global_pooling:
            y = add_pooled(graph, y, x, "global_pool", self.filters)
        if self.metadata_encoder:
            y = add_metadata(graph, y, METADATA_LAYERS, self.filters)
        if self.residual:
            y = graph.add([x, y], f"residual{self.index}")
        return y if plain else graph.relu(y, relu)


@dataclass(frozen=True)
class ResidualBlock:
    """Two 3x3 convolutions with batch normalisation, and the input added before the last ReLU (He et al. 2015).

    Normalisation follows its convolution, so that it can be folded into the weights.  Its last scale is 0 at first: the
    block begins as the identity (Goyal et al. 2017, arXiv:1706.02677).
    global_pooling: add_pooled to the first of the two.
    """

    index: int                           # from 1
    filters: int
    with_batch_norm: bool = True
    global_pooling: bool = False

    def apply(self, graph: Graph, x: Any) -> Any:
        y = self._conv(graph, x, "a", relu=not self.global_pooling)
        if self.global_pooling:
            name = f"block{self.index}_pool"
            y = graph.relu(add_pooled(graph, y, x, name, self.filters), f"{name}_relu")
        y = self._conv(graph, y, "b", relu=False, gamma="zeros")
        return graph.relu(graph.add([x, y], f"block{self.index}_residual"), f"block{self.index}_relu")

    def _conv(self, graph: Graph, x: Any, name: str, relu: bool, gamma: str = "ones") -> Any:
        """A convolution; relu: whether ReLU follows at once."""
        name = f"block{self.index}_{name}"
        return graph.conv(x, name, self.filters, 3, batch_norm=f"{name}_batch_norm" if self.with_batch_norm else "",
                          relu=f"{name}_relu" if relu else "", gamma=gamma)


@dataclass(frozen=True)
class ContextModule:
    """Dilated convolutions after the trunk, which see the whole board, for the heads (Yu & Koltun 2015,
    arXiv:1511.07122).

        trunk -- conv 1x1, batch norm, ReLU -- dilated conv 3x3, batch norm, add, ReLU (`layers` of them) --> heads
               '-- with chain_pooling, here and after each POOLED_EVERY of them:
                   mean and maximum over the component of each point, conv 1x1, batch norm, add, ReLU

    filters: a multiple of 8 in an equivariant network.  layers: 3x3 convolutions, the first of DILATIONS.
    chain_pooling: global pooling over each component of the board by itself (planes.connected_components).  It
    begins, as layers after the first four do, with scales of 0, so that it changes nothing at first.
    """

    filters: int
    layers: int
    chain_pooling: bool = False

    def apply(self, graph: Graph, x: Any) -> Any:
        y = graph.conv(x, "context_conv", self.filters, batch_norm="context_batch_norm", relu="context_relu")
        y = self._pool_chains(graph, y, 0)
        for i, dilation in enumerate(DILATIONS[:self.layers], 1):
            z = graph.conv(y, f"context_conv{i}", self.filters, 3, batch_norm=f"context_batch_norm{i}",
                           dilation=dilation, gamma="ones" if i <= UNSCALED else "zeros")
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


def add_pooled(graph: Graph, y: Any, x: Any, name: str, filters: int) -> Any:
    """y, and a global pooling bias for each of its filters: a dense layer of the mean and maximum of each filter of x
    (Wu 2019, arXiv:1902.10565)."""
    bias = graph.dense(graph.mean_max_pool(x, name), f"{name}_bias", filters, kind=REGULAR)
    return graph.add([y, graph.on_board(bias, f"{name}_bias4")], f"{name}_added")


def add_metadata(graph: Graph, y: Any, name: str, filters: int) -> Any:
    """y, and a bias for each of its filters: a dense layer of who plays (inputs.People), 0 at first and where nobody is
    known."""
    bias = graph.dense(graph.people, name, filters, bias=False, initializer="zeros", kind=REGULAR)
    return graph.add([y, graph.on_board(bias, f"{name}4")], f"{name}_added")
