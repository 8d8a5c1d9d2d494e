"""The weights of a network: their names, their shapes, and how the symmetries of the board act on them.  No Keras here.

They follow from its blocks (blocks.py), whose operations are applied to numbers of features.
"""
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from mugo.nn.blocks import Block, Head, NetworkSpec
from mugo.nn.people import INPUTS
from mugo.nn.graph import POINTS, REGULAR, TRIVIAL, TWO_REGULAR, UNTIED

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
