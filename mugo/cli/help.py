"""`mugo help TOPIC`: all options of a kind, with those that no --help shows.

`mugo help COMMAND` is the command's --help; where a topic has its name, the topic's options follow.

A topic is a row of TOPICS: the dataclasses whose fields are its options.  The table in the documentation is of the
same row (docs/tools/generate.py).
"""
import argparse
import importlib
import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

from mugo.core.options import Option, options_of

WIDTH = 100
HOW = "Each may be given as --NAME VALUE, or in a file of --config."


class Topic(NamedTuple):
    """Options that are explained together.

    commands: those that name the topic at the end of their --help.  kinds: the options' dataclasses, as "module:Class"
    of mugo.  defaults: "module:NAME" of the defaults that differ from the fields', in words, by field.
    """
    commands: tuple[str, ...]
    kinds: tuple[str, ...]
    introduction: str
    defaults: str = ""

    def load(self) -> tuple[list[type], Mapping[str, str]]:
        """(dataclasses, defaults)."""
        return [_load(each) for each in self.kinds], _load(self.defaults) if self.defaults else {}


PLAYING = ("gtp", "play", "review", "analysis")
TOPICS = {
    "player": Topic((*PLAYING, "web"), ("players.options:PlayerOptions",), "Options of all players."),
    "search": Topic(PLAYING, ("players.play_options:PlayOptions", "mcts.settings:Settings"),
                    "Options of the players uct and mcts; in brackets KataGo's name for kata-set-param.",
                    "players.options:PLAYERS_DEFAULTS"),
    "game": Topic(("gtp", "play", "match", "web"), ("players.options:GameOptions",),
                  "Options of the game, and of how it begins."),
    "gtp": Topic(("gtp",), ("gtp.options:GtpOptions",), "Options of the GTP engine itself."),
    "web": Topic(("web",), ("web.options:WebOptions",), "How the server of the page is reached."),
    "match": Topic(("match",), ("match.options:MatchOptions",),
                   "What the games of a match depend on: it is continued only with the same."),
    "train": Topic(("train",), ("training.options:CommandOptions", "nn.architectures:PolicyNetConfig",
                                "training.options:TrainingOptions"),
                   "Options of training.  A run writes its own to options.toml, for --config.",
                   "training.options:DEFAULTS"),
    "selfplay": Topic(("selfplay",), ("selfplay.options:CommandOptions", "selfplay.options:GameOptions",
                                      "nn.architectures:AlphaZeroNetConfig", "selfplay.options:RunOptions",
                                      "selfplay.options:SelfPlayOptions"),
                      "Options of self-play.  A run writes its own to options.toml, for --config."),
}


def topics_of(command: str) -> list[str]:
    """The topics that a command names in its --help."""
    return [name for name, topic in TOPICS.items() if command in topic.commands]


def command(args: argparse.Namespace) -> int:
    """Print the options; returns the exit status."""
    topic = TOPICS[args.topic]
    print(textwrap.fill(f"{topic.introduction}  {HOW}", WIDTH) + "\n")
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
    text = f"{each.description}{choices} (default: {default})"
    return f"{name}\n{textwrap.fill(text, WIDTH, initial_indent='    ', subsequent_indent='    ')}"
