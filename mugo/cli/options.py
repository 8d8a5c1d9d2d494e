"""The command lines of the tools: bench, doctor, help, completion, demo."""
import argparse
from pathlib import Path

from mugo.cli.help import TOPICS

SHELLS = ("bash", "zsh", "fish")          # that completion knows


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo bench`."""
    parser.add_argument("--times", type=int, default=1, metavar="N", help="run every search N times, and print the "
                        "highest speed of each (default: 1)")


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo doctor`."""
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def add_help_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo help`."""
    parser.add_argument("topic", choices=tuple(TOPICS), metavar="NAME", help="a command, or a kind of options: "
                        + "; ".join(f"{name} (of {', '.join(topic.commands)})" for name, topic in TOPICS.items()))


def add_completion_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that completes")


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", metavar="GAMES",
                        help="SGF files, folders of them, and archives (default: the sample games in data/)")
    parser.add_argument("-o", "--output", type=Path, default=Path("demo"), metavar="FOLDER",
                        help="folder of all results (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=2, metavar="X",
                        help="minutes of training (default: %(default)s)")
