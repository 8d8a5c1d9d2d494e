"""What a network costs: convolutions on the policy's path, weights, and multiplications for a position; and what a run
of training makes of a device.  No Keras here.

A multiplication is one of a convolution or of a dense layer, on a board of the network's own size; batch normalisation
is folded into the convolutions, and tied weights save none.  Depth is that of the longest path from the planes to the
policy.
"""
from typing import Any, NamedTuple

from mugo.nn.blocks import NetworkSpec
from mugo.nn.graph import TRIVIAL
from mugo.nn.people import INPUTS
from mugo.nn.weights import BATCH_NORM, WeightGraph

FLOP_OF_TRAINING = 6                     # for a multiplication: it and an addition, forward, and twice so backward
# TFLOP/s of multiplications in bfloat16, dense, by data sheets.
PEAK_TFLOPS = {"H200": 989, "H100": 989, "A100": 312, "L40S": 362, "L4": 121, "RTX 4090": 165, "RTX 3090": 71}


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


class Throughput(NamedTuple):
    """What training makes of its devices.  multiplications: for a position; 0 if a part of the network is frozen.
    peak: TFLOP/s of all devices in bfloat16; 0 where it is not known."""

    multiplications: int
    peak: float

    def tflops(self, positions_per_second: float) -> float:
        """TFLOP/s of a run at this speed."""
        return FLOP_OF_TRAINING * self.multiplications * positions_per_second / 1e12

    def describe(self, positions_per_second: float) -> str:
        """'3.1 TFLOP/s (31 % of the peak)'; '' if a part is frozen."""
        if not self.multiplications:
            return ""
        tflops = self.tflops(positions_per_second)
        share = f" ({tflops / self.peak:.0%} of the peak)" if self.peak else ""
        return f"{tflops:.3g} TFLOP/s{share}"


def throughput(spec: NetworkSpec, frozen: bool, devices: list[str]) -> Throughput:
    """That of a network on accelerators with these names; none: the CPU, whose peak is not known."""
    peaks = [next((peak for name, peak in PEAK_TFLOPS.items() if name in device), 0) for device in devices]
    return Throughput(0 if frozen else cost(spec).multiplications, sum(peaks) if all(peaks) else 0)
