"""The file of results, docs/results.toml: read, compared with models/, and as Markdown tables.

    python docs/tools/results.py        # prints the checksum of each network's weights, and what is wrong with the file
"""
import functools
import hashlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from mugo.core.intervals import Estimate, wilson_interval
from mugo.nn.graph import is_of_int8
from mugo.nn.network_file import read_network

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "results.toml"
MODELS = ROOT / "models"
PAGE_REVIEW = ROOT / "mugo" / "web" / "static" / "core" / "review.js"


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


def match_interval(match: dict[str, Any]) -> Estimate:
    """Wilson's interval of the share of wins; a draw counts as half a win, and copies of games do not count."""
    share = (match["won"] + match.get("drawn", 0) / 2) / match["games"]
    games = match.get("different", match["games"])
    return wilson_interval(share * games, games)


def match_text(match: dict[str, Any]) -> tuple[str, str]:
    """("87 of 100", "87 % (79 to 92 %)"); a draw counts as half a win."""
    games, drawn, different = match["games"], match.get("drawn", 0), match.get("different")
    interval = match_interval(match)
    rate = int(100 * (match["won"] + drawn / 2) / games + 0.5)
    return (f"{match['won']} of {games}" + (f", {drawn} drawn" if drawn else "")
            + (f", {different} different games" if different else ""),
            f"{rate} % ({100 * interval.low:.0f} to {100 * interval.high:.0f} %)")


def of_network(results: dict[str, Any], weights: str) -> list[dict[str, Any]]:
    """The results of one network."""
    return [each for each in results["measured"] if each.get("weights") == weights]


def accuracy_table(results: dict[str, Any]) -> str:
    """Markdown: how well the networks that learned from people predict, at the first positions that each was tested
    with; its card has the others."""
    rows = ["| network | test positions | top-1 | top-5 | cross-entropy | winner named | value MSE |",
            "|---|---|---|---|---|---|---|"]
    for network in results["networks"]:
        for each in of_network(results, network["weights"]):
            found = each.get("results", {})
            if "top-1 %" in found:
                cells = [value_text(metric, found[metric]) if metric in found else "" for metric in
                         ("top-1 %", "top-5 %", "cross-entropy", "winner named %", "value MSE")]
                rows.append(f"| `{network['name']}` | {each['conditions']} | " + " | ".join(cells) + " |")
                break
    return "\n".join(rows)


def match_table(results: dict[str, Any]) -> str:
    """Markdown: matches of the networks and of players without one, but those against earlier networks."""
    rows = ["| player | network | opponent | board | games won | share, 95 % interval | conditions |",
            "|---|---|---|---|---|---|---|"]
    names = {network["weights"]: f"`{network['name']}`" for network in results["networks"]}
    for each in results["measured"]:
        match = each.get("match")
        if match and "earlier version" not in match["opponent"]:
            won, share = match_text(match)
            opponent = f"`{match['opponent']}`" if match["opponent"].startswith("uct") else match["opponent"]
            rows.append(f"| `{each['player']}` | {names.get(each.get('weights'), 'none')} | {opponent} | "
                        f"{match['board']} | {won} | {share} | {each.get('conditions', '')} |")
    return "\n".join(rows)


SPEED = re.compile(r"(mcts|uct)(?: in (float32|int8))?(.*), simulations/s")


def speed_table(results: dict[str, Any]) -> str:
    """Markdown: simulations per second of processor time."""
    rows = ["| player | network | precision | simulations/s | measured on |", "|---|---|---|---|---|"]
    names = {network["weights"]: f"`{network['name']}`" for network in results["networks"]}
    order = [*names, None]
    for each in sorted(results["measured"], key=lambda each: order.index(each.get("weights"))):
        for metric, value in each.get("results", {}).items():
            if found := SPEED.fullmatch(metric):
                player, precision, board = found.groups()
                rows.append(f"| `{player}`{board} | {names.get(each.get('weights'), 'none')} | {precision or ''} | "
                            f"{value:,} | {each['conditions']} |")
    return "\n".join(rows)


def review_table(results: dict[str, Any]) -> str:
    """Markdown: minutes to search every position of a game, by the visits of each, at the speed of mcts_speed.py."""
    depths = re.search(r"DEPTHS = \{ quick: (\d+), normal: (\d+), deep: (\d+)", PAGE_REVIEW.read_text(encoding="utf-8"))
    assert depths
    visits = dict(zip(map(int, depths.groups()), ("*quick*", "*normal*", "*deep*, and `mugo review`"), strict=True))
    speeds = {each["weights"]: value for each in results["measured"] if "mcts_speed" in each.get("command", "")
              for value in each["results"].values()}
    games = [("policy-19", 230), ("policy-19-small", 230), ("policy-9", 60)]
    rows = ["| visits per position | " + " | ".join(f"{moves} moves with `{name}`" for name, moves in games) + " |",
            "|---|" + "---|" * len(games)]
    for count, name in visits.items():
        cells = [f"{moves * count / speeds[each['weights']] / 60:.1f} minutes" for network, moves in games
                 for each in results["networks"] if each["network"] == network]
        rows.append(f"| {count}: {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def duration(least: float, most: float | None = None) -> str:
    """Minutes as "35 minutes", "26 hours", "4 to 5 days"; the unit is that of the larger number."""
    most = least if most is None else most
    unit, name = (1, "minutes") if most < 120 else (60, "hours") if most < 60 * 72 else (1440, "days")
    numbers = [f"{minutes / unit:.0f}" for minutes in (least, most)]
    return f"{' to '.join(dict.fromkeys(numbers))} {name}"


def run_table(results: dict[str, Any]) -> str:
    """Markdown: training runs that were made, and what they reached."""
    rows = ["| network | positions | time | machine | moves of KGS test games predicted |", "|---|---|---|---|---|"]
    for run in results["runs"]:
        if "positions" in run:
            positions = f"{run['positions'] / 1e6:g} million" if run["positions"] >= 1e6 else f"{run['positions']:,}"
            note = f", {run['note']}" if "note" in run else ""
            rows.append(f"| {run['network']} | {positions} | {duration(run['minutes'])} | {run['machine']} | "
                        f"{run['top-1 %']:.1f} %{note} |")
    return "\n".join(rows)


def selfplay_table(results: dict[str, Any]) -> str:
    """Markdown: runs of self-play, and the match of the network that each of them made."""
    rows = ["| network | games | time | machine | its match | games won |", "|---|---|---|---|---|---|"]
    for run in results["runs"]:
        if "games" in run:
            weights = next(network["weights"] for network in results["networks"]
                           if network["network"] == run["network"].split("`")[1])
            match = next(each["match"] for each in of_network(results, weights) if run["match"] == {
                "player": each.get("player"), "opponent": each.get("match", {}).get("opponent")})
            won, share = match_text(match)
            rows.append(f"| {run['network']} | {run['games']:,} | {duration(run['minutes'])} | {run['machine']} | "
                        f"`{run['match']['player']}` against {match['opponent']} | {won}: {share} |")
    return "\n".join(rows)


def training_table(results: dict[str, Any]) -> str:
    """Markdown: positions per second of training, and what ten million of them take."""
    rows = ["| network | machine | batch size | positions/s | 10 million positions take |", "|---|---|---|---|---|"]
    for each in results["training"]:
        speeds = each["positions/s"] if isinstance(each["positions/s"], list) else [each["positions/s"]]
        rows.append(f"| {each['network']} | {each['machine']} | {each['batch']:,} | "
                    f"{' to '.join(f'{speed:,}' for speed in speeds)} | "
                    f"{duration(*(1e7 / speed / 60 for speed in reversed(speeds)))} |")
    return "\n".join(rows)


def version_table(results: dict[str, Any]) -> str:
    """Markdown: what each version is worth, the newest first; the columns are the rows of benchmarks/release.py."""
    sys.path.append(str(ROOT / "benchmarks"))
    from release import ROWS

    lines = [f"| version | {' | '.join(ROWS)} |", "|---" * (1 + len(ROWS)) + "|"]
    for version, found in reversed(results["versions"].items()):
        lines.append(f"| {version} | {' | '.join(str(found.get(name, 'not measured')) for name in ROWS)} |")
    return "\n".join(lines)


# The comparison of int8 with float32 has the accuracy of both, which the differences sum up.
OF_BOTH_PRECISIONS = re.compile(r"(top-1|cross-entropy|value MSE) in (float32|int8)")


def card_table(results: dict[str, Any], name: str) -> str:
    """Markdown: the results of a network, which --network finds by this name, for its card."""
    weights = next(network["weights"] for network in results["networks"] if network["network"] == name)
    rows = ["| conditions | results | recorded |", "|---|---|---|"]
    for each in of_network(results, weights):
        recorded = f"{each['date']}" + (f", {each['commit']}" if "commit" in each else "")
        conditions = each.get("conditions", "")
        if found := each.get("results"):
            shown = "; ".join(f"{metric.removesuffix(' %')} {value_text(metric, value)}"
                              for metric, value in found.items() if not OF_BOTH_PRECISIONS.match(metric))
            rows.append(f"| {conditions} | {shown} | {recorded} |")
        if match := each.get("match"):
            won, share = match_text(match)
            where = f"`{each['player']}` against {match['opponent']} on {match['board']}"
            rows.append(f"| {where}{conditions and '; ' + conditions} | {won}: {share} | {recorded} |")
    return "\n".join(rows)


def main() -> int:
    for checksum, path in shipped().items():
        print(path.stem, checksum)
    found = problems(load())
    print("\n".join(found), file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
