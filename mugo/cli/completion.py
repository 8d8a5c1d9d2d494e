"""Shell completion:  eval "$(mugo completion bash)"

The script is made by shtab from the parsers of all commands, so it has every command, option and choice of this
version.  https://docs.iterative.ai/shtab/
"""
import argparse
import re
import textwrap
from pathlib import Path

from mugo.cli.main import COMMANDS, add_command

# What stands for a file or a folder in --help, where the type does not say it.
PATHS = ("FILE", "FOLDER", "GAMES", "DATASET", "PATH", "DIR", "NETWORK", "OUTPUT")


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo completion`; returns the exit status."""
    import shtab

    print(shtab.complete(full_parser(), arguments.shell))
    return 0


def full_parser() -> argparse.ArgumentParser:
    """The parser of `mugo` with the options of every command."""
    import shtab

    parser = argparse.ArgumentParser(prog="mugo")
    parser.add_argument("--version", action="store_true", help="print versions")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS:
        subparser = add_command(subparsers, name)
        for action in subparser._actions:
            if action.type is Path or str(action.metavar).rstrip(".") in PATHS:
                action.complete = shtab.FILE             # pyright: ignore[reportAttributeAccessIssue]
            if action.help == argparse.SUPPRESS:         # not in --help, but to be completed
                action.help = getattr(action, "description", None) or action.option_strings[0].lstrip("-")
            if action.help:
                action.help = first_words(action.help)
    return parser


def first_words(text: str) -> str:
    """The beginning of a help text, for a shell that shows it next to each choice: at most 70 characters, without whose
    option it is."""
    text = re.sub(r"^instead of --[\w-]+: ", "", text)
    return textwrap.shorten(re.split(r"[:;(]|\.\s", text)[0], 70, placeholder=" ...")
