"""The file of results, docs/results.toml: read, compared with models/, and as Markdown tables.

    python docs/tools/results.py        # prints the checksum of each network's weights, and what is wrong with the file
"""
import functools
import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any

from mugo.core.intervals import wilson_interval
from mugo.nn.network_file import read_network
from mugo.nn.weights import is_of_int8

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "results.toml"
MODELS = ROOT / "models"


def load() -> dict[str, Any]:
    """The file, parsed."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def weights_checksum(path: Path) -> str:
    """The first 16 digits of the SHA-256 of a network's weights, in the order of their names.  Neither its metadata nor
    its int8 graph count."""
    weights, _ = read_network(path)
    digest = hashlib.sha256()
    for name in sorted(weights):
        if not is_of_int8(name):
            digest.update(name.encode())
            digest.update(weights[name].tobytes())
    return digest.hexdigest()[:16]


@functools.cache
def shipped() -> dict[str, Path]:
    """The checksum of its weights -> the file of each network in models/."""
    return {weights_checksum(path): path for path in sorted(MODELS.glob("*.safetensors"))}


def problems(results: dict[str, Any]) -> list[str]:
    """A sentence for each network or result that does not fit models/."""
    listed = {network["weights"]: network for network in results["networks"]}
    found = [f"models/{path.name} has the weights {checksum}, which docs/results.toml does not list"
             for checksum, path in shipped().items() if checksum not in listed]
    found += [f"docs/results.toml lists {network['name']}, whose weights are not in models/"
              for checksum, network in listed.items() if checksum not in shipped()]
    found += [f"docs/results.toml calls {shipped()[checksum].name} {network['name']}"
              for checksum, network in listed.items() if checksum in shipped()
              and shipped()[checksum].stem not in (network["network"], network["name"])]
    known = set(listed)
    return found + [f"a result is of the weights {each['weights']}, which no listed network has"
                    for each in results["measured"] if "weights" in each and each["weights"] not in known]


def value_text(metric: str, value: Any) -> str:
    """A result as pages state it: "50.6 ± 0.3 %", "1.766 ± 0.012", "79,000"."""
    unit = " %" if metric.endswith(" %") else ""
    number, *error = value if isinstance(value, list) else [value]
    digits = max(len(f"{each}".partition(".")[2]) for each in [number, *error])
    return f"{number:,.{digits}f}" + (f" ± {error[0]:.{digits}f}" if error else "") + unit


def match_text(match: dict[str, Any]) -> tuple[str, str]:
    """("87 of 100", "87 % (79 to 92 %)"); a draw counts as half a win."""
    games, drawn = match["games"], match.get("drawn", 0)
    wins = match["won"] + drawn / 2
    interval = wilson_interval(wins, games)
    rate = int(100 * wins / games + 0.5)
    return (f"{match['won']} of {games}" + (f", {drawn} drawn" if drawn else ""),
            f"{rate} % ({100 * interval.low:.0f} to {100 * interval.high:.0f} %)")


def of_network(results: dict[str, Any], weights: str) -> list[dict[str, Any]]:
    """The results of one network."""
    return [each for each in results["measured"] if each.get("weights") == weights]


def accuracy_table(results: dict[str, Any]) -> str:
    """Markdown: how well the networks that learned from people predict."""
    rows = ["| network | test positions | top-1 | top-5 | cross-entropy | winner named | value MSE |",
            "|---|---|---|---|---|---|---|"]
    for network in results["networks"]:
        for each in of_network(results, network["weights"]):
            found = each.get("results", {})
            if "top-1 %" in found:
                cells = [value_text(metric, found[metric]) if metric in found else "" for metric in
                         ("top-1 %", "top-5 %", "cross-entropy", "winner named %", "value MSE")]
                rows.append(f"| `{network['name']}` | {each['conditions']} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def match_table(results: dict[str, Any]) -> str:
    """Markdown: matches of the networks and of players without one."""
    rows = ["| player | network | opponent | board | games won | share, 95 % interval | conditions |",
            "|---|---|---|---|---|---|---|"]
    names = {network["weights"]: f"`{network['name']}`" for network in results["networks"]}
    for each in results["measured"]:
        if match := each.get("match"):
            won, share = match_text(match)
            opponent = f"`{match['opponent']}`" if match["opponent"].startswith("uct") else match["opponent"]
            rows.append(f"| `{each['player']}` | {names.get(each.get('weights'), 'none')} | {opponent} | "
                        f"{match['board']} | {won} | {share} | {each.get('conditions', '')} |")
    return "\n".join(rows)


def int8_table(results: dict[str, Any]) -> str:
    """Markdown: what int8 loses and gains."""
    metrics = ("same first move %", "KL divergence", "value, RMS difference", "float32, ms", "int8, ms",
               "mcts in float32, simulations/s", "mcts in int8, simulations/s")
    rows = ["| network | same first move | KL divergence | value, RMS difference | float32, ms per position | "
            "int8, ms per position | `mcts` in float32, simulations/s | `mcts` in int8, simulations/s |",
            "|---|---|---|---|---|---|---|---|"]
    for network in results["networks"]:
        found: dict[str, Any] = {}
        for each in of_network(results, network["weights"]):
            found |= each.get("results", {})
        cells = [value_text(metric, found[metric]) if metric in found else "not measured" for metric in metrics]
        rows.append(f"| `{network['name']}` | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def card_table(results: dict[str, Any], name: str) -> str:
    """Markdown: every result of a network, which --network finds by this name, for its card."""
    weights = next(network["weights"] for network in results["networks"] if network["network"] == name)
    rows = ["| measured | result | conditions | recorded |", "|---|---|---|---|"]
    for each in of_network(results, weights):
        recorded = f"{each['date']}" + (f", {each['commit']}" if "commit" in each else "")
        conditions = each.get("conditions", "")
        for metric, value in each.get("results", {}).items():
            rows.append(f"| {metric.removesuffix(' %')} | {value_text(metric, value)} | {conditions} | {recorded} |")
        if match := each.get("match"):
            won, share = match_text(match)
            where = f"on {match['board']}" + (f"; {conditions}" if conditions else "")
            rows.append(f"| `{each['player']}` against {match['opponent']} | {won}: {share} | {where} | {recorded} |")
    return "\n".join(rows)


def main() -> int:
    for checksum, path in shipped().items():
        print(path.stem, checksum)
    found = problems(load())
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
