"""The operations that blocks (blocks.py) are written in, and the weights of a network, which follow from them.

Three graphs carry the operations out, each on tensors of its own:

    Graph                     tensors are numbers of features: the weights, their shapes, and their group action
    keras.model.KerasGraph    Keras tensors (n, rows, columns, filters), or (n, features): a model to train
    onnx_graph.OnnxGraph      names of tensors (n, filters, rows, columns), or (n, features): a graph to play with

A feature on the board is a filter.  Weights are named LAYER/WEIGHT, as in Keras ("conv0/kernel").  Each axis of a
weight, rows and columns of a kernel aside, has a kind: the representation of D4, the eight symmetries of the board,
that its entries transform by (Cohen & Welling 2016, arXiv:1602.07576).

    TRIVIAL        turning the board leaves the entries alone: input planes, units, the filters of some heads
    REGULAR        filters in eight orientations, which turning permutes
    TWO_REGULAR    the same twice: means of the filters, then their maxima
    POINTS         points of the board
    UNTIED         no action is defined: a dense layer over points and filters; such a block cannot be equivariant
"""
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from mugo.nn.inputs import INPUTS

TRIVIAL, REGULAR, TWO_REGULAR, POINTS, UNTIED = "trivial", "regular", "two regular", "points", "untied"
ORIENTATIONS = 8                         # the order of D4; coords.symmetries numbers its elements

Weights = Mapping[str, np.ndarray]       # LAYER/WEIGHT: its numbers, float32, in the shape that Keras has it in
BATCH_NORM = "gamma", "beta", "moving_mean", "moving_variance"
INT8_BIAS = "int8_bias"                  # LAYER/int8_bias: the folded bias in the int8 graph (quantization.py)
INT8_KERNEL = "int8_kernel"              # LAYER/int8_kernel: the kernel of a dense layer there


class Weight(NamedTuple):
    shape: tuple[int, ...]               # as in Keras
    kinds: tuple[str, ...]               # the kinds of its axes, a kernel's rows and columns aside


class Features(NamedTuple):
    """A tensor of Graph: its features at a point, or of the board, their kind, and the convolutions on the longest path
    to it: all of them, and those wider than 1x1."""

    count: int
    kind: str
    depth: int = 0
    wide: int = 0


class Graph:
    """A network in the making.  This graph notes the weights; its subclasses override all operations.

    komi, colour: (n, 1), of a network with global features.  people: (n, INPUTS), of one with a metadata encoder.
    context: the output of the context module, if there is one.
    """

    komi: Any = Features(1, TRIVIAL)
    colour: Any = komi
    people: Any = Features(INPUTS, TRIVIAL)
    context: Any = Features(ORIENTATIONS, REGULAR)       # of a head that stands alone, in `layer_names`

    def __init__(self) -> None:
        self.noted: dict[str, Weight] = {}

    def _note(self, layer: str, **weights: Weight) -> None:
        for name, weight in weights.items():
            if f"{layer}/{name}" in self.noted:
                raise ValueError(f"two blocks have the weight {layer}/{name}")
            self.noted[f"{layer}/{name}"] = weight

    @property
    def float32(self) -> Self:
        """This graph, with layers that compute in float32 where the model trains in bfloat16."""
        return self

    def start(self, spec: "NetworkSpec") -> Any:
        """The inputs of a network; returns the planes, 0 and 1."""
        return Features(spec.depth, TRIVIAL)

    def conv(self, x: Any, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> Any:
        """A convolution with padding; batch normalisation if it is given a name, and without it a bias; ReLU if that is
        given a name.  gamma: as in batch_norm.  kind: the kind of the filters."""
        bias = {} if batch_norm else {"bias": Weight((filters,), (kind,))}
        self._note(name, kernel=Weight((width, width, x.count, filters), (x.kind, kind)), **bias)
        y = Features(filters, kind, x.depth + 1, x.wide + (width > 1))
        return self.batch_norm(y, batch_norm) if batch_norm else y

    def plane(self, x: Any, name: str, *, bias: bool = False, initializer: str = "glorot_uniform") -> Any:
        """A 1x1 convolution to one filter, of logits: it is not quantised.  bias: whether it has one."""
        self._note(name, kernel=Weight((1, 1, x.count, 1), (x.kind, TRIVIAL)),
                   **({"bias": Weight((1,), (TRIVIAL,))} if bias else {}))
        return Features(1, TRIVIAL, x.depth + 1, x.wide)

    def batch_norm(self, x: Any, name: str, *, gamma: str = "ones") -> Any:
        """Batch normalisation of (n, features); of filters it is a part of conv.  gamma: the initializer of scales."""
        self._note(name, **dict.fromkeys(BATCH_NORM, Weight((x.count,), (x.kind,))))
        return x

    def dense(self, x: Any, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "glorot_uniform", kind: str = TRIVIAL) -> Any:
        """A dense layer of (n, features).  points: where x is (n, filters, rows, columns), which is flattened, the
        points of the board.  activation: "elu", "relu" or ''.  bias: whether it has one.  kind: the kind of the
        units."""
        self._note(name, kernel=Weight((points * x.count, units), (UNTIED if points > 1 else x.kind, kind)),
                   **({"bias": Weight((units,), (kind,))} if bias else {}))
        return x._replace(count=units, kind=kind)

    def add(self, tensors: Sequence[Any], name: str) -> Any:
        return max(tensors, key=lambda tensor: tensor.depth)

    def relu(self, x: Any, name: str) -> Any:
        return x

    def concatenate(self, tensors: Sequence[Any], name: str) -> Any:
        """(n, features) each."""
        kinds = {tensor.kind for tensor in tensors}
        return self.add(tensors, name)._replace(
            count=sum(tensor.count for tensor in tensors), kind=TRIVIAL if kinds == {TRIVIAL} else UNTIED)

    def rescale(self, x: Any, name: str, factor: float) -> Any:
        return x

    def mean_pool(self, x: Any, name: str) -> Any:
        """The mean of each filter over the board: (n, filters)."""
        return x

    def mean_max_pool(self, x: Any, name: str) -> Any:
        """The mean of each filter over the board, then the maxima: (n, 2 * filters)."""
        return x._replace(count=2 * x.count, kind=TWO_REGULAR if x.kind == REGULAR else x.kind)

    def chain_pool(self, x: Any, name: str, filters: int) -> Any:
        """The mean of each filter, none below 0, over the component of a point, then the maxima: 2 * filters."""
        return self.mean_max_pool(x, name)

    def on_board(self, x: Any, name: str) -> Any:
        """(n, filters) as filters that are the same at all points."""
        return x

    def point_bias(self, plane: Any, name: str, *, size: int, trainable: bool) -> Any:
        """A plane, to which a learned number is added at each point of a board of this size: (n, points)."""
        self._note(name, bias=Weight((size ** 2,), (POINTS,)))
        return plane

    def ownership(self, plane: Any) -> Any:
        """Ownership, (n, points), of a plane of its logits."""
        return plane

    def lead(self, ownership: Any) -> Any:
        """The points that the side to move is ahead by on the board, (n, 1).  No gradient passes: for value and
        score it would be 13 times as large as for ownership."""
        return ownership

    def score(self, lead: Any, correction: Any, scale: Any, unit: float, min_scale: float) -> Any:
        """The mean and the scale of a logistic distribution of the final score, (n, 2) in points, from the lead, a
        correction of it and a scale before softplus, in units of `unit` points, and komi.  min_scale: in points."""
        return lead._replace(count=2)

    def value_of_score(self, score: Any, correction: Any) -> Any:
        """The value before tanh, (n, 1): mean / (2 scale) of the score, and a correction."""
        return score._replace(count=1)


class Block(Protocol):
    """Part of a network: filters in, filters out.  A head gives its outputs by their names (keras.model.build)."""

    def apply(self, graph: Graph, x: Any) -> Any: ...


@dataclass(frozen=True)
class NetworkSpec:
    """A network's architecture as blocks.

    name: the name of the Keras model.  size: the size of the board it is trained on.  depth: input planes, packed eight
    in a byte.
    context: a block after the trunk, for the heads that use it (blocks.ContextModule).  uses_global_features,
    uses_components, uses_people: whether the network has the inputs GLOBAL_FEATURES, COMPONENTS and PEOPLE (inputs.py).
    any_size: whether the ONNX graph takes boards of every size.  equivariant: whether weights are tied so that outputs
    turn with the board (keras/equivariance.py).
    """

    name: str
    size: int
    depth: int
    trunk: tuple[Block, ...]
    heads: tuple[Block, ...]
    context: Block | None = None
    uses_global_features: bool = False
    uses_components: bool = False
    uses_people: bool = False
    any_size: bool = False
    equivariant: bool = False

    @property
    def blocks(self) -> tuple[Block, ...]:
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


@functools.lru_cache(16)
def network_weights(spec: NetworkSpec) -> Mapping[str, Weight]:
    """All weights of a network by LAYER/WEIGHT.  Raises ValueError if two blocks have the same."""
    graph = Graph()
    spec.apply(graph)
    return graph.noted


def weight_axes(spec: NetworkSpec) -> dict[str, tuple[str, ...]]:
    """The kinds of the axes of all weights of a network."""
    return {name: weight.kinds for name, weight in network_weights(spec).items()}


def is_of_int8(name: str) -> bool:
    """Whether LAYER/WEIGHT is a weight of the int8 graph alone."""
    return name.endswith((f"/{INT8_BIAS}", f"/{INT8_KERNEL}"))


def layer_names(block: Block) -> set[str]:
    """The names of a block's layers that have weights."""
    graph = Graph()
    block.apply(graph, Features(ORIENTATIONS, REGULAR))
    return {name.split("/")[0] for name in graph.noted}


class Cost(NamedTuple):
    """What a network costs on a board of its own size."""

    depth: int                           # convolutions on the longest path from the planes to the policy
    wide: int                            # those of them wider than 1x1
    weights: int                         # that are trained; tied ones count each
    multiplications: int                 # for a position; batch normalisation is folded into convolutions


def cost(spec: NetworkSpec) -> Cost:
    graph = Graph()
    policy = spec.apply(graph)["policy"]
    kernels = [weight.shape for name, weight in graph.noted.items() if name.endswith("/kernel")]
    moving = tuple(f"/{name}" for name in BATCH_NORM[2:])
    return Cost(policy.depth, policy.wide,
                sum(math.prod(weight.shape) for name, weight in graph.noted.items() if not name.endswith(moving)),
                sum(math.prod(shape) * (spec.size ** 2 if len(shape) == 4 else 1) for shape in kernels))
