"""A network learns a game by playing against itself:  mugo selfplay GAME -o RUN

    mugo selfplay gomoku --size 6 -o six              # 6x6, four in a row
    mugo selfplay go --size 7 -o seven
    mugo selfplay gomoku -o six --resume --games 4000
    mugo selfplay go -o seven --scheduler tcp://10.0.0.1:8786

What is in RUN: run.py and run_log.py.
"""
import argparse
import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.options import add_options, check, check_kept, format_names, given
from mugo.core.parallel import add_scheduler_argument
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.games.rules import KOMI
from mugo.nn import checkpoint
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.checkpoint import latest_metadata
from mugo.nn.metadata import config_of
from mugo.nn.runtime import check_options
from mugo.nn.transfer import check_init
from mugo.players.game_options import refuse_other_options
from mugo.selfplay import arena
from mugo.selfplay.options import (
    GAMES,
    MAY_CHANGE,
    SIZES,
    CommandOptions,
    GameOptions,
    RunOptions,
    SelfPlayOptions,
    check_selfplay_run,
)
from mugo.selfplay.run import SelfPlayRun


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
    """Play and train; returns the exit status."""
    called, game = CommandOptions(**given(CommandOptions, args)), given(GameOptions, args)
    GameOptions(**game)                                  # checks it
    if called.repair and not called.resume:
        raise BadInput("--repair goes with --resume")
    start, config, options = (resumed_arguments if called.resume else new_arguments)(args, game)
    if args.scheduler is None:                           # else the workers have it
        check_options("auto", options.provider)
    run = SelfPlayRun(args.output, start, config, options, called.resume, called.init_from, called.repair)
    with contextlib.closing(run):
        run.run(args.scheduler)
    print(format_result(run))
    return 0


def format_result(run: SelfPlayRun) -> str:
    """What a run has reached, in a line."""
    level = min(run.metadata["uct_level"], len(arena.UCT_LEVELS))
    return (f"{run.folder / checkpoint.NETWORK}: {len(run.buffer):,} games"
            + (f"; in the arena the run's networks beat UCT with up to {arena.UCT_LEVELS[level - 1]:,} simulations"
               if level else ""))


def new_arguments(args: argparse.Namespace, game: dict[str, Any]
                  ) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of a new run.  game: the GameOptions that are given.  Raises BadInput."""
    refuse_other_options(args, args.game)
    start = new_game(args.game, game.get("size", SIZES[args.game]), komi=game.get("komi", KOMI), k=game.get("k"),
                     exactly=game.get("exactly", False))
    return start, *_changed(AlphaZeroNetConfig.for_game(args.game, start.size), RunOptions(GAMES), args)


def resumed_arguments(args: argparse.Namespace, game: dict[str, Any]
                      ) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of the run in RUN, with those that are given; SelfPlayRun compares.

    Raises BadInput.
    """
    metadata = latest_metadata(args.output, check_selfplay_run)
    rules, config = metadata["rules"], config_of(metadata)
    check_kept(args.output, rules, {"game": args.game} | game, MAY_CHANGE)
    check_init(args.output, metadata, args.init_from or "")
    assert isinstance(config, AlphaZeroNetConfig)
    return new_game(**rules), *_changed(config, RunOptions.from_dict(metadata["options"]), args)


def _changed(config: AlphaZeroNetConfig, options: RunOptions, args: argparse.Namespace
             ) -> tuple[AlphaZeroNetConfig, RunOptions]:
    """The network and options of a run, with those that a command line gives.  Raises BadInput."""
    config = replace(config, **given(AlphaZeroNetConfig, args))
    check(config)
    selfplay = replace(options.selfplay, **given(SelfPlayOptions, args))
    return config, replace(options, selfplay=selfplay, **given(RunOptions, args))
