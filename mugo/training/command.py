"""The command line of `mugo train`.  Its --help loads no Keras."""
import argparse
from pathlib import Path

from mugo.core.options import add_options, format_names
from mugo.data.shards import DATASET_HELP
from mugo.nn.architectures import PolicyNetConfig
from mugo.training.options import DEFAULTS, MAY_CHANGE, CommandOptions, TrainingOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo train`."""
    parser.epilog = f"{parser.epilog}  With --resume, {format_names(MAY_CHANGE)} can change."
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    add_options(parser, CommandOptions)
    add_options(parser.add_argument_group("the network"), PolicyNetConfig, defaults=DEFAULTS)
    add_options(parser.add_argument_group("learning"), TrainingOptions)


def command(args: argparse.Namespace) -> int:
    """Run it; returns the exit status."""
    from mugo.training import train

    return train.command(args)
