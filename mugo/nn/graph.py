"""The operations that blocks (blocks.py) are written in.  Three graphs carry them out, each on tensors of its own:

    weights.WeightGraph        tensors are numbers of features: the weights, their shapes, and their group action
    keras_model.KerasGraph     Keras tensors (n, rows, columns, filters), or (n, features): a model to train
    onnx_graph.OnnxGraph       names of tensors (n, filters, rows, columns), or (n, features): a graph to play with

A feature on the board is a filter.  Every operation has a name; weights are named LAYER/WEIGHT, as in Keras
("conv0/kernel").  Each axis of a weight, rows and columns of a kernel aside, is of one of these kinds (in the language
of Cohen & Welling 2016, the representation of D4, the eight symmetries of the board, that its entries transform by),
which follow from the operations:

    TRIVIAL        turning the board leaves the entries alone: input planes, units, the filters of some heads
    REGULAR        filters in eight orientations, which turning permutes
    TWO_REGULAR    the same twice: means of the filters, then their maxima
    POINTS         points of the board
    UNTIED         no action is defined: a dense layer over points and filters; such a block cannot be equivariant

The weights of a network: their names, their shapes, and how the symmetries of the board act on them.  No Keras here.

They follow from its blocks (blocks.py), whose operations are applied to numbers of features.

What a network costs: convolutions on the policy's path, weights, and multiplications for a position; and what a run
of training makes of a device.  No Keras here.

A multiplication is one of a convolution or of a dense layer, on a board of the network's own size; batch normalisation
is folded into the convolutions, and tied weights save none.  Depth is that of the longest path from the planes to the
policy.
"""
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from mugo.nn.inputs import INPUTS

TRIVIAL, REGULAR, TWO_REGULAR, POINTS, UNTIED = "trivial", "regular", "two regular", "points", "untied"


class Graph(Protocol):
    """A network in the making.

    komi, colour: (n, 1), of a network with global features.  people: (n, people.INPUTS), of one with a metadata
    encoder.  context: the output of the context module, if there is one.
    """
    komi: Any
    colour: Any
    people: Any
    context: Any

    @property
    def float32(self) -> Self:
        """This graph, with layers that compute in float32 where the model trains in bfloat16."""
        ...

    def start(self, spec: Any) -> Any:
        """The inputs of a network, a blocks.NetworkSpec; returns the planes, 0 and 1."""
        ...

    def conv(self, x: Any, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> Any:
        """A convolution with padding; batch normalisation if it is given a name, and without it a bias; ReLU if that is
        given a name.  gamma: as in batch_norm.  kind: of the filters."""
        ...

    def plane(self, x: Any, name: str, *, bias: bool = False, initializer: str = "glorot_uniform") -> Any:
        """A 1x1 convolution to one filter, of logits: it is not quantised.  bias: whether it has one."""
        ...

    def batch_norm(self, x: Any, name: str, *, gamma: str = "ones") -> Any:
        """Batch normalisation that no convolution precedes.  gamma: the initializer of its scales."""
        ...

    def dense(self, x: Any, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "glorot_uniform", kind: str = TRIVIAL) -> Any:
        """A dense layer of (n, features).  points: where x is (n, filters, rows, columns), which is flattened, the
        points of the board.  activation: "elu", "relu" or ''.  bias: whether it has one.  kind: of the units."""
        ...

    def add(self, tensors: Sequence[Any], name: str) -> Any: ...

    def relu(self, x: Any, name: str) -> Any: ...

    def concatenate(self, tensors: Sequence[Any], name: str) -> Any:
        """(n, features) each."""
        ...

    def rescale(self, x: Any, name: str, factor: float) -> Any: ...

    def mean_pool(self, x: Any, name: str) -> Any:
        """The mean of each filter over the board: (n, filters)."""
        ...

    def mean_max_pool(self, x: Any, name: str) -> Any:
        """The mean of each filter over the board, then the maxima: (n, 2 * filters)."""
        ...

    def chain_pool(self, x: Any, name: str, filters: int) -> Any:
        """The mean of each filter, none below 0, over the component of a point, then the maxima: 2 * filters."""
        ...

    def on_board(self, x: Any, name: str) -> Any:
        """(n, filters) as filters that are the same at all points."""
        ...

    def point_bias(self, plane: Any, name: str, *, size: int, trainable: bool) -> Any:
        """A plane, to which a learned number is added at each point of a board of this size: (n, points)."""
        ...

    def ownership(self, plane: Any) -> Any:
        """Ownership, (n, points), of a plane of its logits."""
        ...

    def lead(self, ownership: Any) -> Any:
        """The points that the side to move is ahead by on the board, (n, 1).  No gradient passes: those of value and
        score are the same for all points, and 13 times as large as that of ownership."""
        ...

    def score(self, lead: Any, correction: Any, scale: Any, unit: float, min_scale: float) -> Any:
        """The mean and the scale of a logistic distribution of the final score, (n, 2) in points: of the lead, a
        correction of it and a scale before softplus, in units of so many points, and komi.  min_scale: in points."""
        ...

    def value_of_score(self, score: Any, correction: Any) -> Any:
        """The value before tanh, (n, 1): mean / (2 scale) of the score, and a correction."""
        ...
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

Weights = Mapping[str, np.ndarray]       # LAYER/WEIGHT: its numbers, float32, in the shape that Keras has it in
BATCH_NORM = "gamma", "beta", "moving_mean", "moving_variance"
INT8_BIAS = "int8_bias"                  # LAYER/int8_bias: the folded bias in the int8 graph (range_calibration)
INT8_KERNEL = "int8_kernel"              # LAYER/int8_kernel: the kernel of a dense layer there


class Weight(NamedTuple):
    """shape: as in Keras.  kinds: of its axes, a kernel's rows and columns aside (graph.py)."""

    shape: tuple[int, ...]
    kinds: tuple[str, ...]


class Features(NamedTuple):
    """A tensor: how many features it has at a point, or for the board, and of which kind."""

    count: int
    kind: str


class WeightGraph:
    """A graph (graph.py) that notes the weights of its layers."""

    komi = colour = Features(1, TRIVIAL)
    people = Features(INPUTS, TRIVIAL)
    context = Features(8, REGULAR)       # of a head that stands alone, in `layer_names`

    def __init__(self) -> None:
        self.weights: dict[str, Weight] = {}

    def _note(self, layer: str, weights: dict[str, Weight]) -> None:
        for name, weight in weights.items():
            if f"{layer}/{name}" in self.weights:
                raise ValueError(f"two blocks have the weight {layer}/{name}")
            self.weights[f"{layer}/{name}"] = weight

    @property
    def float32(self) -> Self:
        return self

    def start(self, spec: NetworkSpec) -> Features:
        return Features(spec.depth, TRIVIAL)

    def conv(self, x: Features, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> Features:
        y = Features(filters, kind)
        bias = {} if batch_norm else {"bias": Weight((filters,), (kind,))}
        self._note(name, {"kernel": Weight((width, width, x.count, filters), (x.kind, kind))} | bias)
        return self.batch_norm(y, batch_norm) if batch_norm else y

    def plane(self, x: Features, name: str, *, bias: bool = False, initializer: str = "") -> Features:
        weights = {"kernel": Weight((1, 1, x.count, 1), (x.kind, TRIVIAL))}
        self._note(name, weights | ({"bias": Weight((1,), (TRIVIAL,))} if bias else {}))
        return Features(1, TRIVIAL)

    def batch_norm(self, x: Features, name: str, *, gamma: str = "ones") -> Features:
        self._note(name, dict.fromkeys(BATCH_NORM, Weight((x.count,), (x.kind,))))
        return x

    def dense(self, x: Features, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "", kind: str = TRIVIAL) -> Features:
        inputs = UNTIED if points > 1 else x.kind
        self._note(name, {"kernel": Weight((points * x.count, units), (inputs, kind))}
                   | ({"bias": Weight((units,), (kind,))} if bias else {}))
        return Features(units, kind)

    def add(self, tensors: Sequence[Features], name: str) -> Features:
        return tensors[0]

    def relu(self, x: Features, name: str) -> Features:
        return x

    mean_pool = on_board = relu

    def concatenate(self, tensors: Sequence[Features], name: str) -> Features:
        kinds = {tensor.kind for tensor in tensors}
        return Features(sum(tensor.count for tensor in tensors), TRIVIAL if kinds == {TRIVIAL} else UNTIED)

    def rescale(self, x: Features, name: str, factor: float) -> Features:
        return x

    def mean_max_pool(self, x: Features, name: str) -> Features:
        return Features(2 * x.count, TWO_REGULAR if x.kind == REGULAR else x.kind)

    def chain_pool(self, x: Features, name: str, filters: int) -> Features:
        return self.mean_max_pool(x, name)

    def point_bias(self, plane: Features, name: str, *, size: int, trainable: bool) -> Features:
        self._note(name, {"bias": Weight((size ** 2,), (POINTS,))})
        return plane

    def ownership(self, plane: Features) -> Features:
        return plane

    def lead(self, ownership: Features) -> Features:
        return Features(1, TRIVIAL)

    def score(self, lead: Features, correction: Features, scale: Features, unit: float, min_scale: float) -> Features:
        return Features(2, TRIVIAL)

    def value_of_score(self, score: Features, correction: Features) -> Features:
        return Features(1, TRIVIAL)


@functools.lru_cache(16)
def network_weights(spec: NetworkSpec) -> Mapping[str, Weight]:
    """All weights of a network.  Raises ValueError if two blocks have the same."""
    graph = WeightGraph()
    spec.apply(graph)
    return graph.weights


def weight_axes(spec: NetworkSpec) -> dict[str, tuple[str, ...]]:
    """The kinds of the axes of all weights of a network."""
    return {name: weight.kinds for name, weight in network_weights(spec).items()}


def is_of_int8(name: str) -> bool:
    """Whether LAYER/WEIGHT is a weight of the int8 graph alone."""
    return name.endswith((f"/{INT8_BIAS}", f"/{INT8_KERNEL}"))


def layer_names(block: Block | Head) -> set[str]:
    """The names of a block's layers that have weights."""
    graph: Any = WeightGraph()
    block.apply(graph, Features(8, REGULAR))
    return {name.split("/")[0] for name in graph.weights}


class Traced(NamedTuple):
    """A tensor of WeightGraph, and the convolutions on the longest path to it: all, and those wider than 1x1."""

    count: int
    kind: str
    depth: int = 0
    wide: int = 0


class CostGraph(WeightGraph):
    """A graph that also counts multiplications and depth."""

    komi = colour = Traced(1, TRIVIAL)
    people = Traced(INPUTS, TRIVIAL)

    def __init__(self, size: int) -> None:
        super().__init__()
        self.points = size ** 2
        self.multiplications = 0

    def start(self, spec: NetworkSpec) -> Any:
        return Traced(*super().start(spec))

    def conv(self, x: Any, name: str, filters: int, width: int = 1, **rest: Any) -> Any:
        self.multiplications += self.points * width ** 2 * x.count * filters
        y = super().conv(x, name, filters, width, **rest)
        return Traced(y.count, y.kind, x.depth + 1, x.wide + (width > 1))

    def plane(self, x: Any, name: str, **rest: Any) -> Any:
        self.multiplications += self.points * x.count
        return Traced(*super().plane(x, name, **rest), x.depth + 1, x.wide)

    def dense(self, x: Any, name: str, units: int, *, points: int = 1, **rest: Any) -> Any:
        self.multiplications += points * x.count * units
        return Traced(*super().dense(x, name, units, points=points, **rest), x.depth, x.wide)

    def add(self, tensors: Any, name: str) -> Any:
        return max(tensors, key=lambda tensor: tensor.depth)

    def concatenate(self, tensors: Any, name: str) -> Any:
        deepest = self.add(tensors, name)
        return Traced(*super().concatenate(tensors, name), deepest.depth, deepest.wide)

    def mean_max_pool(self, x: Any, name: str) -> Any:
        return Traced(*super().mean_max_pool(x, name), x.depth, x.wide)

    def lead(self, ownership: Any) -> Any:
        return Traced(1, TRIVIAL)

    def score(self, lead: Any, correction: Any, scale: Any, unit: float, min_scale: float) -> Any:
        return Traced(2, TRIVIAL)


class Cost(NamedTuple):
    """depth, wide: convolutions on the policy's path, and those of them wider than 1x1.  weights: those of layers; a
    convolution with batch normalisation has a scale and a shift for each filter."""

    depth: int
    wide: int
    weights: int
    multiplications: int


def cost(spec: NetworkSpec) -> Cost:
    """What a network costs on a board of its own size."""
    graph = CostGraph(spec.size)
    policy = spec.apply(graph)["policy"]
    weights = 0
    for name, weight in graph.weights.items():
        if name.rpartition("/")[2] not in BATCH_NORM[2:]:        # moving statistics are not trained
            count = 1
            for side in weight.shape:
                count *= side
            weights += count
    return Cost(policy.depth, policy.wide, weights, graph.multiplications)
