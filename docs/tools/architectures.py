"""What a network costs: convolutions on the policy's path, weights, and multiplications for a position.

    python docs/tools/architectures.py          # Markdown tables (docs/explanation/network.md, docs/howto/gpu.md)

All three are counted in the blocks of the network's configuration (mugo/nn/graph.py).
"""
import re
from pathlib import Path
from typing import Any

from mugo.nn.architectures import PRESETS, PolicyNetConfig, config_of
from mugo.nn.graph import NetworkSpec, cost
from mugo.nn.network_file import read_metadata

MODELS = Path(__file__).resolve().parents[2] / "models"
# AlphaGo's policy network (Silver et al. 2016): not shipped.
FIVE = "policy-19-five"                  # the literal network of the mission: the first row of every table
ALPHAGO = PolicyNetConfig(filters=192, layers=13, batch_norm=False, global_pooling=False)


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
