"""What a network costs: convolutions on the policy's path, weights, and multiplications for a position.

    python docs/tools/architectures.py          # Markdown tables (docs/explanation/network.md, docs/howto/gpu.md)

All three are counted in the blocks of the network's configuration.  A multiplication is one of a convolution or of a
dense layer, on a board of the network's own size; batch normalisation is folded into the convolutions, and tied
weights save none.  Depth is that of the longest path from the planes to the policy.
"""
import re
from pathlib import Path
from typing import Any, NamedTuple

from mugo.nn.blocks import NetworkSpec
from mugo.nn.graph import TRIVIAL
from mugo.nn.metadata import config_of, read_metadata
from mugo.nn.people import INPUTS
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.presets import PRESETS
from mugo.nn.weights import BATCH_NORM, WeightGraph

MODELS = Path(__file__).resolve().parents[2] / "models"
# AlphaGo's policy network (Silver et al. 2016): not shipped.
FIVE = "policy-19-five"                  # the literal network of the mission: the first row of every table
ALPHAGO = PolicyNetConfig(filters=192, layers=13, batch_norm=False, global_pooling=False)


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


def shipped() -> dict[str, Any]:
    """Name, without its version -> configuration of each network in models/."""
    found = sorted(MODELS.glob("*.safetensors"))
    return {re.sub(r"-v\d+$", "", path.stem): config_of(read_metadata(path)) for path in found}


def row(name: str, spec: NetworkSpec, note: str = "") -> str:
    each = cost(spec)
    return (f"| {name} | {each.depth} | {each.wide} | {each.weights:,} | {each.multiplications / 1e6:,.1f} million "
            f"| {spec.size}x{spec.size} |{note}")


def presets() -> str:
    """Markdown: the presets of `mugo train --model`."""
    return "\n".join(["| `--model` | convolutions on the policy's path | weights | multiplications per position |",
                      "|---|---|---|---|",
                      *(f"| `{name}` | {each.depth} | {each.weights:,} | {each.multiplications / 1e6:,.0f} million |"
                        for name, config in PRESETS.items() for each in [cost(config.spec())])])


def table() -> str:
    """Markdown: the networks in models/, of five plain convolutions first, and AlphaGo's."""
    return "\n".join([
        "| network | convolutions on the policy's path | wider than 1x1 | weights | multiplications per position "
        "| board |",
        "|---|---|---|---|---|---|",
        *(row(f"`{name}`", config.spec()) for name, config in sorted(
            shipped().items(), key=lambda each: (each[0] != FIVE, each[0]))),
        row("AlphaGo 2016, 13 convolutions of 192 filters, not shipped", ALPHAGO.spec())])


if __name__ == "__main__":
    print(table(), presets(), sep="\n\n")
