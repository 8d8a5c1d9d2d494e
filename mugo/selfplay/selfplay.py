"""A network learns a game by playing against itself:  mugo selfplay GAME -o RUN

    mugo selfplay gomoku --size 6 -o six              # 6x6, four in a row
    mugo selfplay go --size 7 -o seven
    mugo selfplay gomoku -o six --resume --games 4000
    mugo selfplay go -o seven --scheduler tcp://10.0.0.1:8786

What is in RUN: run.py and run_log.py.
"""
import argparse
import contextlib
import os
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.options import argument_type
from mugo.games.coords import interpret_square_size
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.core.limits import PRECISIONS, check_limits
from mugo.games.rules import KOMI
from mugo.nn import checkpoint
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.backend import resolve_precision
from mugo.nn.checkpoint import latest_metadata
from mugo.nn.metadata import MAX_WIDTH, config_of
from mugo.nn.transfer import check_init
from mugo.core.parallel import add_scheduler_argument
from mugo.players.game_options import refuse_other_options
from mugo.core.resume import check_kept, format_names
from mugo.selfplay import arena
from mugo.selfplay.options import (
    DEFAULT_SELFPLAY_OPTIONS,
    MAX_KOMI,
    MAY_CHANGE,
    RunOptions,
    SelfPlayOptions,
    check_run,
)
from mugo.selfplay.run import SelfPlayRun

GAMES = 2000                             # of a run, by default
SIZES = {"gomoku": 8, "go": 7}           # of the board, by default


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", choices=("gomoku", "go"), help="the game")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--resume", action="store_true",
                        help=f"continue the run with its own options; only {format_names(MAY_CHANGE)} can change")
    parser.add_argument("--repair", action="store_true",
                        help="with --resume: keep the whole games of a damaged replay buffer, and move the damaged "
                        "file aside")
    parser.add_argument("--games", type=int, metavar="N", help=f"games of self-play in all, a multiple of "
                        f"--update-games or up to it (default: {GAMES})")
    parser.add_argument("--size", type=argument_type(interpret_square_size), metavar="N",
                        help=f"board size (default: {SIZES['gomoku']}, of Go {SIZES['go']})")
    parser.add_argument("--k", type=int, metavar="K",
                        help="in Gomoku: how many in a row win (default: 3 on 3x3, 4 up to 6x6, else 5)")
    parser.add_argument("--exactly", action="store_true", default=None,
                        help="in Gomoku: more than K in a row do not win")
    parser.add_argument("--komi", type=float, metavar="POINTS", help=f"in Go (default: {KOMI:g})")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of self-play (default: one for each core)")
    add_scheduler_argument(parser)
    add_selfplay_arguments(parser.add_argument_group("self-play"))
    add_training_arguments(parser.add_argument_group("training"))
    add_network_arguments(parser.add_argument_group("the network"))


def _add_numbers(group: argparse._ArgumentGroup, defaults: object, helps: dict[str, str]) -> None:
    """An option for each of these attributes of `defaults`; None where it is not given."""
    for name, text in helps.items():
        default = getattr(defaults, name)
        group.add_argument(f"--{name.replace('_', '-')}", type=type(default), metavar="N",
                           help=f"{text} (default: {default})")


def add_selfplay_arguments(group: argparse._ArgumentGroup) -> None:
    _add_numbers(group, DEFAULT_SELFPLAY_OPTIONS, {
        "simulations": "simulations for a move", "c": "exploration constant of PUCT",
        "dirichlet_weight": "weight of Dirichlet noise in the priors of the root",
        "dirichlet_alpha": "alpha of that noise",
        "temperature_moves": "moves of a game that are sampled by their visits",
        "temperature": "temperature of these samples",
        "max_moves": "a longer game is scored as it stands; 0: three moves a point"})
    group.add_argument("--gumbel", action=argparse.BooleanOptionalAction,
                       help="search as Gumbel AlphaZero does, for 16 to 50 simulations: without Dirichlet noise and "
                            "sampled moves (default: off)")
    _add_numbers(group, DEFAULT_SELFPLAY_OPTIONS, {
        "max_num_considered_actions": "of --gumbel: moves in the first round of sequential halving",
        "c_visit": "of --gumbel: weight of values beside visits", "c_scale": "of --gumbel: scale of values"})
    group.add_argument("--int8", action=argparse.BooleanOptionalAction,
                       help="evaluate positions in int8 where the processor multiplies it fast (default: on)")
    _add_numbers(group, RunOptions(GAMES), {
        "parallel_games": "games at once, for each thread",
        "warm_start_games": "the first games, which UCT plays with RAVE and heuristic priors",
        "warm_start_simulations": "of its searches"})


def add_training_arguments(group: argparse._ArgumentGroup) -> None:
    _add_numbers(group, RunOptions(GAMES), {
        "update_games": "games between two updates of the network", "steps": "training steps in an update",
        "batch_size": "positions in a batch",
        "window": "positions to train on, of the newest games, at most half of all",
        "learning_rate": "peak learning rate",
        "decay_start": "fraction of the games after which the learning rate decays",
        "final_lr_fraction": "final learning rate, as a fraction of the peak", "l2": "c of c ||theta||^2 in the loss",
        "arena_every": "games of self-play between two evaluations in the arena",
        "arena_games": "games of a match in the arena, at most",
        "seed": "random seed"})
    group.add_argument("--precision", choices=("auto", *PRECISIONS), default="auto",
                       help="auto is bfloat16 where this machine multiplies it faster (default: auto)")


def add_network_arguments(group: argparse._ArgumentGroup) -> None:
    config = AlphaZeroNetConfig(3, 1)
    group.add_argument("--filters", type=int, nargs="+", metavar="K",
                       help=f"filters of each 3x3 convolution (default: {' '.join(map(str, config.filters))})")
    _add_numbers(group, config,
                 {"policy_filters": "filters of the policy head", "value_filters": "filters of the value head",
                  "value_units": "units of the value head's dense layer"})
    group.add_argument("--batch-norm", action=argparse.BooleanOptionalAction,
                       help=f"batch normalisation (default: {'on' if config.batch_norm else 'off'})")
    group.add_argument("--head-batch-norm", action=argparse.BooleanOptionalAction,
                       help="batch normalisation of the heads (default: on)")
    group.add_argument("--init-from", default="", metavar="NETWORK", help="initialise from this network's weights")


def command(args: argparse.Namespace) -> int:
    if args.repair and not args.resume:
        raise BadInput("--repair goes with --resume")
    start, config, options = resumed_arguments(args) if args.resume else new_arguments(args)
    run = SelfPlayRun(args.output, start, config, options, args.resume, args.init_from, args.repair)
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


def given(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Those of these options that are given."""
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def with_given(config: AlphaZeroNetConfig, options: RunOptions, args: argparse.Namespace
               ) -> tuple[AlphaZeroNetConfig, RunOptions]:
    """The network and options of a run, with those that are given.  Raises BadInput."""
    for filters in args.filters or ():
        check_limits(argparse.Namespace(filters=filters), {"filters": (1, MAX_WIDTH)})
    check_limits(args, dict.fromkeys(("policy_filters", "value_filters", "value_units"), (1, MAX_WIDTH)))
    config = replace(config, **given(args, ("filters", "policy_filters", "value_filters", "value_units", "batch_norm",
                                            "head_batch_norm")))
    selfplay = replace(options.selfplay, **given(args, [field.name for field in fields(SelfPlayOptions)]))
    return config, replace(options, selfplay=selfplay, **given(args, [
        field.name for field in fields(RunOptions) if field.name not in ("selfplay", "precision")]))


def new_arguments(args: argparse.Namespace) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of a new run.  Raises BadInput."""
    refuse_other_options(args, args.game)
    check_limits(args, {"komi": (-MAX_KOMI, MAX_KOMI)})
    size = args.size or SIZES[args.game]
    start = new_game(args.game, size, komi=KOMI if args.komi is None else args.komi, k=args.k,
                     exactly=bool(args.exactly))
    options = RunOptions(GAMES, threads=os.cpu_count() or 1, precision=resolve_precision(args.precision))
    return start, *with_given(AlphaZeroNetConfig.for_game(args.game, size), options, args)


def resumed_arguments(args: argparse.Namespace) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of the run in RUN, with those that are given; SelfPlayRun compares.

    Raises BadInput.
    """
    metadata = latest_metadata(args.output, check_run)
    rules = metadata["rules"]
    check_kept(args.output, rules, {"game": args.game} | given(args, ("size", "k", "exactly", "komi")), MAY_CHANGE)
    check_init(args.output, metadata, args.init_from)
    config = config_of(metadata)
    assert isinstance(config, AlphaZeroNetConfig)
    options = RunOptions.from_dict(metadata["options"])
    if args.precision != "auto":
        options = replace(options, precision=args.precision)
    return new_game(**rules), *with_given(config, options, args)
