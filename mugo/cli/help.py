"""`mugo help search`: all options of a kind, with those that no --help shows."""
import argparse
import textwrap

from mugo.core.options import Option, options_of
from mugo.players.options import PLAYERS_DEFAULTS
from mugo.players.searcher import PlayOptions
from mugo.search.settings import Settings

WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo help`."""
    parser.add_argument("topic", choices=("search",), help="search: of uct and mcts, in gtp, play, match, review, ...")


def command(args: argparse.Namespace) -> int:
    """Print the options; returns the exit status."""
    print("Options of the players uct and mcts.  Each may be given as --NAME VALUE, as --set NAME=VALUE, in a file of\n"
          "--config, and over GTP as mugo-param NAME VALUE; in brackets KataGo's name for kata-set-param.\n")
    for kind in PlayOptions, Settings:
        for field, each in options_of(kind).items():
            print(_described(each, PLAYERS_DEFAULTS.get(field, each.described_default)))
    return 0


def _described(each: Option, default: str) -> str:
    """An option as a paragraph."""
    name = f"--{each.name}" + (f" [{each.katago}]" if each.katago else "")
    choices = f": {', '.join(each.choices)}" if each.choices else ""
    text = f"{each.player and f'of {each.player}: '}{each.help}{choices} (default: {default})"
    return f"{name}\n{textwrap.fill(text, WIDTH, initial_indent='    ', subsequent_indent='    ')}"
