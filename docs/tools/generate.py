"""Write the parts of the documentation that follow from the program, from models/ and from docs/results.toml.

    python docs/tools/generate.py

A generated part stands between a line `<!-- KIND ...: written by docs/tools/generate.py -->` and the line END:

    options TOPIC      the table of the options of a topic of `mugo help`
    command NAME       the arguments of `mugo NAME`, without the options that belong to a topic
    networks           the networks in models/
    architectures      their depth, weights and multiplications
    accuracy, matches, int8       tables of results
    card NAME          all results of a network

tests/test_docs.py checks that each is the current one.
"""
import argparse
import importlib
import re
from collections.abc import Callable
from pathlib import Path

import architectures
import results

from mugo.cli.help import TOPICS, topics_of
from mugo.cli.main import COMMANDS
from mugo.core.options import option_table, options_of
from mugo.nn.metadata import positions_trained, read_metadata

END = "<!-- end -->\n"
PART = re.compile(r"(<!-- (\w+) ?([\w-]*): written by docs/tools/generate\.py -->\n).*?" + END, re.DOTALL)
PAGES = sorted(Path(__file__).parents[1].rglob("*.md"))


def options(topic: str) -> str:
    return option_table(*TOPICS[topic].load())


def command(name: str) -> str:
    """The arguments of a command as a Markdown table, and where the options that it shares with others are."""
    parser = argparse.ArgumentParser(prog=f"mugo {name}")
    importlib.import_module(f"mugo.{COMMANDS[name][0]}").add_arguments(parser)
    topics = topics_of(name)
    shared = {f"--{each.name}" for topic in topics for kind in TOPICS[topic].load()[0]
              for each in options_of(kind).values()}
    rows, words = [], [f"mugo {name} [OPTIONS]"]
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or {"--help", "--config", "--set", *shared} & {*action.option_strings}:
            continue
        help_text = parser._get_formatter()._expand_help(action) if action.help else ""
        value = action.metavar or ("|".join(map(str, action.choices)) if action.choices and action.option_strings
                                   else action.dest.upper())
        value = " ".join(value) if isinstance(value, tuple) else value
        if action.option_strings:
            names = f"{', '.join(action.option_strings)}{f' {value}' if action.nargs != 0 else ''}"
        else:
            names = value
            words.append({"*": f"[{value} ...]", "+": f"{value} [{value} ...]", "?": f"[{value}]"}.get(
                str(action.nargs), value))
        rows.append(f"| `{names}` | {' '.join(help_text.split())} |")
    links = ", ".join(f"[{topic}](options.md#{topic})" for topic in topics)
    return "\n".join([f"`{' '.join(words)}`", "",
                      "| argument | meaning |", "|---|---|", *rows,
                      *(["", f"It also has the options of these tables: {links}."] if links else [])])


def networks(_: str) -> str:
    rows = ["| network | `--network` | game | filters | convolutions on the policy's path | weights | trained on |",
            "|---|---|---|---|---|---|---|"]
    for network in results.load()["networks"]:
        metadata = read_metadata(results.shipped()[network["weights"]])
        config = architectures.config_of(metadata)
        cost = architectures.cost(config.spec())
        filters = max(config.filters) if isinstance(config.filters, tuple) else config.filters
        game = f"{'Gomoku' if metadata['game'] == 'gomoku' else 'Go'} {config.size}x{config.size}"
        trained = (f"{positions_trained(metadata) / 1e6:.2f} million positions" if metadata["game"] == "go"
                   else f"{metadata['best']['games']:,} games of self-play")
        rows.append(f"| [`{network['name']}`](../lab/cards/{network['name']}.md) | `{network['network']}` | {game} "
                    f"| {filters} | {cost.depth} | {cost.weights:,} | {trained} |")
    return "\n".join(rows)


KINDS: dict[str, Callable[[str], str]] = {
    "options": options, "command": command, "networks": networks,
    "architectures": lambda _: architectures.table(),
    "presets": lambda _: architectures.presets(),
    "accuracy": lambda _: results.accuracy_table(results.load()),
    "matches": lambda _: results.match_table(results.load()),
    "int8": lambda _: results.int8_table(results.load()),
    "card": lambda name: results.card_table(results.load(), name),
}


def with_parts(text: str) -> str:
    """A page with its current generated parts."""
    return PART.sub(lambda match: f"{match[1]}\n{KINDS[match[2]](match[3])}\n\n{END}", text)


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := with_parts(text)) != text:
            page.write_text(new, encoding="utf-8")
            print(page)
