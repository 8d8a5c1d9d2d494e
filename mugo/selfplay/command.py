"""The command line of `mugo selfplay`.  Its --help loads no Keras."""
import argparse
from pathlib import Path

from mugo.core.options import add_options, format_names
from mugo.core.parallel import add_scheduler_argument
from mugo.nn.architectures import AlphaZeroNetConfig
from mugo.selfplay.options import MAY_CHANGE, CommandOptions, GameOptions, RunOptions, SelfPlayOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo selfplay`."""
    parser.epilog = f"{parser.epilog}  With --resume, {format_names(MAY_CHANGE)} can change."
    parser.add_argument("game", choices=("gomoku", "go"), help="the game")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    add_options(parser, CommandOptions)
    add_scheduler_argument(parser)
    add_options(parser.add_argument_group("the game"), GameOptions)
    add_options(parser.add_argument_group("the network"), AlphaZeroNetConfig)
    group = parser.add_argument_group("self-play and training")
    add_options(group, RunOptions)
    add_options(group, SelfPlayOptions)


def command(args: argparse.Namespace) -> int:
    """Run it; returns the exit status."""
    from mugo.selfplay import run

    return run.command(args)
