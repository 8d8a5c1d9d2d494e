"""`mugo help TOPIC`: all options of a kind, with those that no --help shows.

A topic is a row of TOPICS: the dataclasses whose fields are its options.  The table in the documentation is of the
same row (docs/tools/option_tables.py).
"""
import argparse
import importlib
import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

from mugo.core.options import Option, options_of

WIDTH = 100
HOW = "Each may be given as --NAME VALUE, as --set NAME=VALUE, or in a file of --config"


class Topic(NamedTuple):
    """Options that are explained together.

    about: whose they are, for a list of the topics.  kinds: their dataclasses, as "module:Class" of mugo, which are
    imported when they are needed.  introduction: the first lines.  defaults: "module:NAME" of the defaults that differ
    from the fields', in words, by field.
    """
    about: str
    kinds: tuple[str, ...]
    introduction: str
    defaults: str = ""

    def load(self) -> tuple[list[type], Mapping[str, str]]:
        """(dataclasses, defaults), as option_table takes them."""
        return [_load(each) for each in self.kinds], _load(self.defaults) if self.defaults else {}


TOPICS = {
    "search": Topic("of uct and mcts, in gtp, play, match, review, analysis",
                    ("players.searcher:PlayOptions", "search.settings:Settings"),
                    f"Options of the players uct and mcts.  {HOW}, and over GTP as mugo-param NAME VALUE; in brackets "
                    "KataGo's name for kata-set-param.",
                    "players.options:PLAYERS_DEFAULTS"),
    "train": Topic("of mugo train", ("training.options:CommandOptions", "nn.policy_net:PolicyNetConfig",
                                     "training.options:TrainingOptions"),
                   f"Options of mugo train.  {HOW}.  A run writes its own to options.toml, for --config.",
                   "training.options:DEFAULTS"),
    "selfplay": Topic("of mugo selfplay", ("selfplay.options:CommandOptions", "selfplay.options:GameOptions",
                                           "nn.alphazero_net:AlphaZeroNetConfig", "selfplay.options:RunOptions",
                                           "selfplay.options:SelfPlayOptions"),
                      f"Options of mugo selfplay.  {HOW}.  A run writes its own to options.toml, for --config."),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo help`."""
    parser.add_argument("topic", choices=tuple(TOPICS),
                        help="; ".join(f"{name}: {topic.about}" for name, topic in TOPICS.items()))


def command(args: argparse.Namespace) -> int:
    """Print the options; returns the exit status."""
    topic = TOPICS[args.topic]
    print(f"{textwrap.fill(topic.introduction, WIDTH)}\n")
    kinds, defaults = topic.load()
    for kind in kinds:
        for field, each in options_of(kind).items():
            print(_described(each, defaults.get(field, each.described_default)))
    return 0


def _load(name: str) -> Any:
    """The class or constant "module:NAME" of mugo."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(f"mugo.{module}"), attribute)


def _described(each: Option, default: str) -> str:
    """An option as a paragraph."""
    name = f"--{each.name}" + (f" [{each.katago}]" if each.katago else "")
    choices = f": {', '.join(each.choices)}" if each.choices else ""
    text = f"{each.player and f'of {each.player}: '}{each.help}{choices} (default: {default})"
    return f"{name}\n{textwrap.fill(text, WIDTH, initial_indent='    ', subsequent_indent='    ')}"
