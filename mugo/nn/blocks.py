"""The blocks that networks are made of.  Each is written once, as operations on a graph (graph.py), from which follow
its Keras layers, its ONNX nodes, its weights with their shapes, and how the symmetries of the board act on these.

    packed planes --> [ConvBlock, ConvBlock, ...] --+--> PolicyHead --> "policy"
                                                    '--> ContextModule --> ValueHead --> "value", "ownership", "score"
                                                  global features ------------'

The heads are in heads.py and value_head.py; context_module.py can serve the policy head, too.

policy_net.py and alphazero_net.py make lists of blocks.  A new block is a class with `apply`, and an entry in such a
list.  No Keras here.
"""
import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mugo.nn.components import connected_components
from mugo.nn.graph import COMPONENTS, GLOBAL_FEATURES, PEOPLE, REGULAR, Graph

METADATA_LAYERS = "metadata_bias"        # part of the name of each layer of add_metadata
ORIENTATIONS = 8                         # the order of D4; coords.symmetries numbers its elements


class Block(Protocol):
    """Part of a network: filters in, filters out."""

    def apply(self, graph: Graph, x: Any) -> Any: ...


class Head(Protocol):
    """The end of a network: filters in, one or more outputs."""

    def apply(self, graph: Graph, x: Any) -> dict[str, Any]:
        """The outputs by their names: see keras_model.build."""
        ...


@dataclass(frozen=True)
class NetworkSpec:
    """A network's architecture as blocks.

    name: of the Keras model.  size: of the board it is trained on.  depth: input planes, packed eight in a byte.
    context: a block after the trunk, for the heads that use it (context_module.py).  uses_global_features,
    uses_components, uses_people: whether the network has the inputs GLOBAL_FEATURES, COMPONENTS and PEOPLE.  any_size:
    whether the ONNX graph takes boards of every size.  equivariant: whether weights are tied so that outputs turn with
    the board (equivariance.py).
    """

    name: str
    size: int
    depth: int
    trunk: tuple[Block, ...]
    heads: tuple[Head, ...]
    context: Block | None = None
    uses_global_features: bool = False
    uses_components: bool = False
    uses_people: bool = False
    any_size: bool = False
    equivariant: bool = False

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed planes for each point."""
        return -(-self.depth // 8)

    @property
    def blocks(self) -> tuple[Block | Head, ...]:
        """All of them."""
        return (*self.trunk, *((self.context,) if self.context else ()), *self.heads)

    def apply(self, graph: Graph) -> dict[str, Any]:
        """Build the network in a graph; returns the outputs of the heads by their names."""
        x = graph.start(self)
        for block in self.trunk:
            x = block.apply(graph, x)
        if self.context:
            graph.context = self.context.apply(graph, x)
        outputs: dict[str, Any] = {}
        for head in self.heads:
            outputs |= head.apply(graph, x)
        return outputs


@dataclass(frozen=True)
class ConvBlock:
    """Convolution, batch normalisation, ReLU; the next few are added before ReLU.

    global_pooling: a bias for each filter, a dense layer of the mean and maximum of each filter of the input (KataGo's
    global pooling bias, Wu 2019, arXiv:1902.10565).  metadata_encoder: see add_metadata.  residual: the input (He et
    al. 2015, arXiv:1512.03385).
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
            bias = graph.dense(graph.mean_max_pool(x, "global_pool"), "global_pool_bias", self.filters, kind=REGULAR)
            y = graph.add([y, graph.on_board(bias, "global_pool_bias4")], "add_global_pool")
        if self.metadata_encoder:
            y = add_metadata(graph, y, "metadata_bias", self.filters)
        if self.residual:
            y = graph.add([x, y], f"residual{self.index}")
        return y if plain else graph.relu(y, relu)


@dataclass(frozen=True)
class ResidualBlock:
    """Two 3x3 convolutions with batch normalisation, and the input added before the last ReLU (He et al. 2015; AlphaGo
    Zero, Silver et al. 2017).  The normalisation follows its convolution, and not the sum as in pre-activation blocks,
    so that it is a part of the convolution's weights in play.  The last scale is 0 at first: the block begins as the
    identity (Goyal et al. 2017, arXiv:1706.02677).

    global_pooling: as in ConvBlock, of the first of the two.  bottleneck: between 1x1 convolutions to half of the
    filters and back (He et al. 2015, figure 5).
    """

    index: int                           # from 1
    filters: int
    with_batch_norm: bool = True
    global_pooling: bool = False
    bottleneck: bool = False

    def apply(self, graph: Graph, x: Any) -> Any:
        inner = self.filters // 2 if self.bottleneck else self.filters
        y = self._conv(graph, x, "reduce", inner, 1) if self.bottleneck else x
        pooled = y
        y = self._conv(graph, y, "a", inner, 3, relu=not self.global_pooling)
        if self.global_pooling:
            name = f"block{self.index}_pool"
            bias = graph.dense(graph.mean_max_pool(pooled, name), f"{name}_bias", inner, kind=REGULAR)
            y = graph.relu(graph.add([y, graph.on_board(bias, f"{name}_bias4")], f"{name}_add"), f"{name}_relu")
        last: dict[str, Any] = {"relu": False, "gamma": "zeros"}
        y = self._conv(graph, y, "b", inner, 3, **({} if self.bottleneck else last))
        if self.bottleneck:
            y = self._conv(graph, y, "expand", self.filters, 1, **last)
        return graph.relu(graph.add([x, y], f"block{self.index}_residual"), f"block{self.index}_relu")

    def _conv(self, graph: Graph, x: Any, name: str, filters: int, width: int, relu: bool = True,
              gamma: str = "ones") -> Any:
        """A convolution; relu: whether ReLU follows at once."""
        name = f"block{self.index}_{name}"
        return graph.conv(x, name, filters, width, batch_norm=f"{name}_batch_norm" if self.with_batch_norm else "",
                          relu=f"{name}_relu" if relu else "", gamma=gamma)


def add_metadata(graph: Graph, x: Any, name: str, filters: int) -> Any:
    """x, and a bias for each of its filters: a dense layer of who plays (people.py), 0 at first.

    Before ReLU, so that it moves the threshold of each filter, and after batch normalisation, whose statistics do not
    depend on it then.  The layer has no bias of its own: where nobody is known, it adds 0.
    """
    bias = graph.dense(graph.people, name, filters, bias=False, initializer="zeros", kind=REGULAR)
    return graph.add([x, graph.on_board(bias, f"{name}4")], f"{name}_added")


def model_inputs(packed: np.ndarray, global_features: np.ndarray | None, with_components: bool = False,
                 people: np.ndarray | None = None) -> Any:
    """What a model takes: packed planes, uint8 (n, size², bytes); a dict of inputs if there are others.

    global_features: float32 (n, 2), where the model takes them; NaN, an unknown komi, becomes 0.  with_components:
    whether it takes the components of the boards (NetworkSpec.uses_components).  people: float32 (n, people.INPUTS),
    where the model takes them.
    """
    inputs = {"packed": packed}
    if global_features is not None:
        inputs[GLOBAL_FEATURES] = np.nan_to_num(global_features)
    if people is not None:
        inputs[PEOPLE] = people
    if with_components:
        inputs[COMPONENTS] = connected_components(packed, math.isqrt(packed.shape[1]))
    return inputs if len(inputs) > 1 else packed
