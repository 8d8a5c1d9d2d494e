"""Write the parts of the documentation that follow from the program, from models/ and from docs/results.toml.

    python docs/tools/generate.py

A generated part stands between a line `<!-- KIND ...: written by docs/tools/generate.py -->` and the line END:

    options TOPIC      the table of the options of a topic of `mugo help`
    command NAME       the arguments of `mugo NAME`, without the options that belong to a topic
    shared             the arguments that three commands or more have
    networks           the networks in models/
    boards             which of them plays a board of each size
    architectures      their depth, weights and multiplications
    planes             the input planes of Go
    languages          those of the page
    strengths          the opponents of the page whose strength matches have measured
    accuracy, matches, speed, review, runs, selfplay, training, versions   tables of results
    card NAME          the results of a network

And mugo/api/keywords.py, the options of the library's functions as type checkers and editors know them.
tests/test_docs.py checks that each is the current one.
"""
import argparse
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import architectures
import results

from mugo.cli.help import TOPICS, topics_of
from mugo.cli.main import COMMANDS, add_arguments
from mugo.core.options import options_of
from mugo.data.options import add_preprocess_arguments
from mugo.games.coords import MAX_SIZE, MIN_SIZE, format_size
from mugo.games.planes import PLANES
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.bundled import bundled_name
from mugo.match.options import add_match_arguments
from mugo.mcts.settings import Settings
from mugo.nn.network_file import read_metadata
from mugo.players import options as players
from mugo.training.options import EvaluateOptions, add_train_arguments
from mugo.web.opponents import LADDER, STRENGTHS

END = "<!-- end -->\n"
PART = re.compile(r"(<!-- (\w+) ?([\w-]*): written by docs/tools/generate\.py -->\n).*?" + END, re.DOTALL)
ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def option_table(kinds: Iterable[type], defaults: Mapping[str, str]) -> str:
    """The options of dataclasses as a table; defaults: those that differ from the fields', in words."""
    rows = [f"| `--{each.name}` | {defaults.get(name, each.described_default)} | {each.description}"
            f"{each.choices and ': ' + ', '.join(f'`{choice}`' for choice in each.choices) or ''} |"
            for kind in kinds for name, each in options_of(kind).items()]
    return "\n".join(["| option | default | meaning |", "|---|---|---|", *rows])


def options(topic: str) -> str:
    """The table of a topic, without the rows of an earlier topic; of training three: common, architecture, others."""
    kinds, defaults = TOPICS[topic].load()
    head, rule, *rows = option_table(kinds, defaults).splitlines()
    if topic == "train":
        found = {f"| `--{each.name}` |":
                 "Common" if each.common else "Architecture" if kind is PolicyNetConfig else "Others"
                 for kind in kinds for each in options_of(kind).values()}
        parts = {title: [row for row in rows if found[" ".join(row.split()[:3])] == title]
                 for title in ("Common", "Architecture", "Others")}
        return "\n\n".join("\n".join([f"**{title}**", "", head, rule, *part]) for title, part in parts.items())
    above = {row for name in list(TOPICS)[:list(TOPICS).index(topic)]
             for row in option_table(*TOPICS[name].load()).splitlines()[2:]}
    again = [row.split()[1] for row in rows if row in above]
    return "\n".join([head, rule, *(row for row in rows if row not in above),
                      *(["", f"And, as in the tables above: {', '.join(again)}."] if again else [])])


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    parser = argparse.ArgumentParser(prog=f"mugo {name}")
    add_arguments(parser, name)
    return parser


def described(parser: argparse.ArgumentParser, action: argparse.Action) -> tuple[str, str]:
    """An argument as a table has it: (`--option VALUE`, meaning)."""
    help_text = parser._get_formatter()._expand_help(action) if action.help else ""
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices and action.option_strings
                               else action.dest.upper())
    value = " ".join(value) if isinstance(value, tuple) else value
    names = value
    if action.option_strings:
        names = f"{', '.join(action.option_strings)}{f' {value}' if action.nargs != 0 else ''}"
    return f"`{names}`", " ".join(help_text.split())


def options_of_topics(name: str) -> set[str]:
    """The options of a command that belong to a topic of `mugo help`."""
    return {f"--{each.name}" for topic in topics_of(name) for kind in TOPICS[topic].load()[0]
            for each in options_of(kind).values()}


@functools.cache
def shared_arguments() -> dict[tuple[str, str], list[str]]:
    """The arguments that three commands or more have with the same meaning -> those commands."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in COMMANDS:
        parser, others = parser_of(name), {"--help", *options_of_topics(name)}
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and not others & {*action.option_strings}:
                found.setdefault(described(parser, action), []).append(name)
    return {key: names for key, names in found.items() if len(names) >= 3}


def shared(_: str) -> str:
    """The arguments that several commands have, once."""
    return "\n".join(["| argument | of | meaning |", "|---|---|---|",
                      *(f"| {argument} | {', '.join(f'`{name}`' for name in names)} | {meaning} |"
                        for (argument, meaning), names in shared_arguments().items())])


def command(name: str) -> str:
    """The arguments of a command as a Markdown table, and where the options that it shares with others are."""
    parser = parser_of(name)
    rows, words, others = [], [f"mugo {name} [OPTIONS]"], []
    for action in parser._actions:
        if action.help == argparse.SUPPRESS or ({"--help", "--config", *options_of_topics(name)}
                                                 & {*action.option_strings}):
            continue
        argument, meaning = described(parser, action)
        if not action.option_strings:
            value = argument.strip("`")
            words.append({"*": f"[{value} ...]", "+": f"{value} [{value} ...]", "?": f"[{value}]"}.get(
                str(action.nargs), value))
        if (argument, meaning) not in shared_arguments():
            rows.append(f"| {argument} | {meaning} |")
        elif action.option_strings:
            others.append(f"`{action.option_strings[-1]}`")
    links = [f"[{topic}](options.md#{topic})" for topic in topics_of(name)]
    links += others
    return "\n".join([f"`{' '.join(words)}`", "", "| argument | meaning |", "|---|---|", *rows,
                      *(["", f"Also: {', '.join(links)}."] if links else [])])


def positions_trained(metadata: dict[str, Any]) -> int:
    """How many positions a network was trained on, those of the network it was initialised from included."""
    total, source = 0, metadata
    while source:
        total += (source.get("best") or {}).get("positions", 0)
        source = source.get("init_from")
    return total


def networks(_: str) -> str:
    rows = ["| network | `--network` | game | weights | trained on |", "|---|---|---|---|---|"]
    for network in results.load()["networks"]:
        metadata = read_metadata(results.shipped()[network["weights"]])
        config = architectures.config_of(metadata)
        cost = architectures.cost(config.spec())
        game = f"{'Gomoku' if metadata['game'] == 'gomoku' else 'Go'} {config.size}x{config.size}"
        trained = (f"{positions_trained(metadata) / 1e6:.2f} million positions" if metadata["game"] == "go"
                   else f"{metadata['best']['games']:,} games of self-play")
        rows.append(f"| [`{network['name']}`](../lab/cards/{network['name']}.md) | `{network['network']}` | {game} "
                    f"| {cost.weights:,} | {trained} |")
    return "\n".join(rows)


def boards(_: str) -> str:
    """Which bundled network plays a square board of each size."""
    rows = ["| board | network |", "|---|---|"]
    named = [(size, bundled_name(size)) for size in range(MIN_SIZE, MAX_SIZE + 1)]
    for name, group in itertools.groupby(named, key=lambda pair: pair[1]):
        sizes = [size for size, _ in group]
        rows.append(f"| {sizes[0]}x{sizes[0]} to {sizes[-1]}x{sizes[-1]} | `{name}` |")
    return "\n".join(rows)


def planes(_: str) -> str:
    """The input planes of Go, which planes.py numbers in the order of its table."""
    rows, first = ["| planes | feature | meaning |", "|---|---|---|"], 0
    for plane in PLANES:
        last = first + plane.depth - 1
        rows.append(f"| {first if plane.depth == 1 else f'{first} to {last}'} | {plane.name} | {plane.meaning} |")
        first = last + 1
    return "\n".join(rows)


def languages(_: str) -> str:
    """The languages of the page, by their own names."""
    texts = (ROOT / "mugo" / "web" / "static" / "texts").glob("*.js")
    names = [re.search(r'languageName: "(.+?)"', path.read_text(encoding="utf-8")) for path in texts]
    return "The page speaks " + ", ".join(sorted(name[1] for name in names if name)) + "."


def strengths(_: str) -> str:
    """The opponents of the page whose strength matches have measured, by board."""
    def text(strength: dict[str, Any]) -> str:
        if "wins" in strength:
            return f"{strength['wins']} %"
        return f"above {strength['above']}" if "above" in strength else \
            f"{strength['from']} to {strength['to']} kyu" if "to" in strength else f"{strength['from']} kyu or stronger"

    boards = sorted({size for _, size in STRENGTHS})
    rows = [f"| opponent | {' | '.join(map(format_size, boards))} |", "|---|" + "---|" * len(boards)]
    for key in LADDER:
        cells = [text(STRENGTHS[key, size]) if (key, size) in STRENGTHS else "" for size in boards]
        if any(cells):
            rows.append(f"| `{key}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def of_results(table: Callable[[dict[str, Any]], str]) -> Callable[[str], str]:
    """A table of docs/results.toml as a kind of part."""
    return lambda _: table(results.load())


KINDS: dict[str, Callable[[str], str]] = {
    "options": options, "command": command, "shared": shared, "networks": networks, "boards": boards, "planes": planes,
    "languages": languages, "strengths": strengths,
    "architectures": lambda _: architectures.table(),
    "presets": lambda _: architectures.presets(),
    **{name: of_results(table) for name, table in [
        ("accuracy", results.accuracy_table), ("matches", results.match_table),
        ("speed", results.speed_table), ("runs", results.run_table), ("selfplay", results.selfplay_table),
        ("training", results.training_table), ("review", results.review_table), ("versions", results.version_table)]},
    "card": lambda name: results.card_table(results.load(), name),
}


# ---- mugo/api/keywords.py

KEYWORDS = ROOT / "mugo" / "api" / "keywords.py"
# The library's functions that take options: the parser of a command, or a class; the parameters of the function itself.
FUNCTIONS: dict[str, tuple[Callable[[Any], None] | type, tuple[str, ...]]] = {
    "Search": (Settings, ()),
    "Player": (players.add_arguments, ("network",)),
    "Preprocess": (add_preprocess_arguments, ("output", "jobs")),
    "Train": (add_train_arguments, ("output", "positions")),
    "Evaluate": (EvaluateOptions, ()),
    "Match": (add_match_arguments, ("games", "output", "json")),
}


def keywords() -> str:
    """The text of mugo/api/keywords.py: a TypedDict for each of FUNCTIONS."""
    lines = ['"""Options of library functions, for editors and type checkers: written by docs/tools/generate.py."""',
             "from collections.abc import Sequence", "from typing import Literal, TypedDict"]
    of_search = options_of(Settings)
    for name, (source, own) in FUNCTIONS.items():
        base = "TypedDict"
        if isinstance(source, type):
            types = {option: _annotation(each.kind, each.is_list, each.choices)
                     for option, each in options_of(source).items()}
        else:
            parser = argparse.ArgumentParser(add_help=False)
            source(parser)
            types = {action.dest: _annotation_of(action) for action in parser._actions
                     if action.option_strings and action.dest not in own}
            if types.keys() >= of_search.keys():
                base = "SearchKeywords"
                types = {option: kind for option, kind in types.items() if option not in of_search}
        lines += ["", "", f"class {name}Keywords({base}, total=False):",
                  *(f"    {option}: {kind}" for option, kind in types.items())]
    return "\n".join(lines) + "\n"


def _annotation_of(action: argparse.Action) -> str:
    option = getattr(action.type, "__self__", None)      # of Option.parse_argument
    if option is not None:
        return _annotation(option.kind, option.is_list, option.choices)
    is_flag = action.nargs == 0
    return _annotation(bool if is_flag else action.type or str, action.nargs not in (None, 0), action.choices or ())


def _annotation(kind: Any, is_list: bool, choices: Iterable[str]) -> str:
    if choices:
        item = f"Literal[{', '.join(map(repr, choices))}]".replace("'", '"')
    else:
        item = "str | int" if kind is str else kind.__name__
    return f"{item} | Sequence[{item}] | None" if is_list else f"{item} | None"


def with_parts(text: str) -> str:
    """A page with its current generated parts."""
    return PART.sub(lambda match: f"{match[1]}\n{KINDS[match[2]](match[3])}\n\n{END}", text)


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := with_parts(text)) != text:
            page.write_text(new, encoding="utf-8")
            print(page)
    KEYWORDS.write_text(keywords(), encoding="utf-8")
