"""Shell completion:  eval "$(mugo completion bash)"

The script is made by shtab from the parsers of all commands, so it has every command, option and choice of this
version.  https://docs.iterative.ai/shtab/
"""
import argparse
import importlib
import re
import textwrap
from pathlib import Path

from mugo.cli.main import COMMANDS, EXTRAS, add_command, add_config_arguments

SHELLS = ("bash", "zsh", "fish")
# What stands for a file or a folder in --help, where the type does not say it.
PATHS = ("FILE", "FOLDER", "GAMES", "DATASET", "PATH", "DIR", "NETWORK", "OUTPUT")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that completes")


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo completion`; returns the exit status."""
    import shtab

    print(shtab.complete(full_parser(), arguments.shell))
    return 0


def full_parser() -> argparse.ArgumentParser:
    """The parser of `mugo` with the options of every command whose packages are installed."""
    import shtab

    parser = argparse.ArgumentParser(prog="mugo")
    parser.add_argument("--version", action="store_true", help="print versions")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module_name, *_) in COMMANDS.items():
        subparser = add_command(subparsers, name)
        try:
            importlib.import_module(f"mugo.{module_name}").add_arguments(subparser)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in EXTRAS:
                raise
        add_config_arguments(subparser)
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
