"""A network learns a game by playing against itself:  mugo selfplay GAME -o RUN

    mugo selfplay gomoku --size 6 -o six              # 6x6, four in a row
    mugo selfplay go --size 7 -o seven
    mugo selfplay gomoku -o six --resume --games 4000

What is in RUN: run.py and run_log.py.
"""
import argparse
import contextlib
import os
from dataclasses import fields, replace
from pathlib import Path

from mugo.files import BadInput
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.nn import checkpoint
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.backend import resolve_precision
from mugo.nn.checkpoint import latest_checkpoint
from mugo.nn.metadata import config_of
from mugo.selfplay import arena
from mugo.selfplay.options import DEFAULT_SELFPLAY_OPTIONS, RunOptions, SelfPlayOptions
from mugo.selfplay.run import SelfPlayRun

GAMES = 2000                             # of a run, by default
SIZES = {"gomoku": 8, "go": 7}           # of the board, by default
KOMI = 7.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", choices=("gomoku", "go"), help="the game")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--resume", action="store_true",
                        help="continue the run with its own options; --games makes it longer")
    parser.add_argument("--repair", action="store_true",
                        help="with --resume: keep the whole games of a damaged replay buffer, and move the damaged "
                        "file aside")
    parser.add_argument("--games", type=int, metavar="N", help=f"games of self-play in all, a multiple of "
                        f"--update-games or up to it (default: {GAMES})")
    parser.add_argument("--size", type=int, metavar="N",
                        help=f"board size (default: {SIZES['gomoku']}, of Go {SIZES['go']})")
    parser.add_argument("--k", type=int, metavar="K",
                        help="in Gomoku: how many in a row win (default: 3 on 3x3, 4 up to 6x6, else 5)")
    parser.add_argument("--exactly", action="store_true", help="in Gomoku: more than K in a row do not win")
    parser.add_argument("--komi", type=float, metavar="POINTS", help=f"in Go (default: {KOMI:g})")
    parser.add_argument("--threads", type=int, metavar="N", help="threads of self-play (default: one for each core)")
    add_selfplay_arguments(parser.add_argument_group("self-play"))
    add_training_arguments(parser.add_argument_group("training"))
    add_network_arguments(parser.add_argument_group("the network"))


def _add_numbers(group: argparse._ArgumentGroup, defaults: object, helps: dict[str, str]) -> None:
    """An option for each of these attributes of `defaults`."""
    for name, text in helps.items():
        default = getattr(defaults, name)
        group.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default, metavar="N",
                           help=f"{text} (default: %(default)s)")


def add_selfplay_arguments(group: argparse._ArgumentGroup) -> None:
    _add_numbers(group, DEFAULT_SELFPLAY_OPTIONS, {
        "simulations": "simulations for a move", "c": "exploration constant of PUCT",
        "dirichlet_weight": "weight of Dirichlet noise in the priors of the root",
        "dirichlet_alpha": "alpha of that noise",
        "temperature_moves": "moves of a game that are sampled by their visits",
        "temperature": "temperature of these samples",
        "max_moves": "a longer game is scored as it stands; 0: three moves a point"})
    _add_numbers(group, RunOptions(GAMES), {"parallel_games": "games at once, for each thread"})


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
    group.add_argument("--precision", choices=("auto", "float32", "mixed_bfloat16"), default="auto",
                       help="auto is bfloat16 where this machine multiplies it faster (default: auto)")


def add_network_arguments(group: argparse._ArgumentGroup) -> None:
    config = AlphaZeroNetConfig(3, 1)
    group.add_argument("--filters", type=int, nargs="+", default=list(config.filters), metavar="K",
                       help=f"filters of each 3x3 convolution (default: {' '.join(map(str, config.filters))})")
    _add_numbers(group, config,
                 {"policy_filters": "filters of the policy head", "value_filters": "filters of the value head",
                  "value_units": "units of the value head's dense layer"})
    group.add_argument("--batch-norm", action=argparse.BooleanOptionalAction, default=config.batch_norm,
                       help="batch normalisation")
    group.add_argument("--init-from", default="", metavar="NETWORK", help="initialise from this network's weights")


def command(args: argparse.Namespace) -> int:
    if args.repair and not args.resume:
        raise BadInput("--repair goes with --resume")
    start, config, options = resumed_arguments(args) if args.resume else new_arguments(args)
    run = SelfPlayRun(args.output, start, config, options, args.resume, args.init_from, args.repair)
    with contextlib.closing(run):
        run.run()
    print(format_result(run))
    return 0


def format_result(run: SelfPlayRun) -> str:
    """What a run has reached, in a line."""
    level = run.metadata["uct_level"]
    return (f"{run.folder / checkpoint.NETWORK}: {len(run.buffer):,} games"
            + (f"; in the arena the run's networks beat UCT with up to {arena.UCT_LEVELS[level - 1]:,} simulations"
               if level else ""))


def new_arguments(args: argparse.Namespace) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of a new run.  Raises BadInput."""
    size = args.size or SIZES[args.game]
    start = new_game(args.game, size, komi=KOMI if args.komi is None else args.komi, k=args.k, exactly=args.exactly)
    if any(value < 1 for value in (*args.filters, args.policy_filters, args.value_filters, args.value_units)):
        raise BadInput("--filters and the other sizes of the network must be at least 1")
    config = AlphaZeroNetConfig.for_game(args.game, size, filters=tuple(args.filters), batch_norm=args.batch_norm,
                                         value_units=args.value_units, policy_filters=args.policy_filters,
                                         value_filters=args.value_filters)
    selfplay = SelfPlayOptions(**{field.name: getattr(args, field.name) for field in fields(SelfPlayOptions)})
    others = {field.name: getattr(args, field.name) for field in fields(RunOptions)
              if field.name not in ("games", "selfplay", "threads", "precision")}
    return start, config, RunOptions(GAMES if args.games is None else args.games, selfplay,
                                     precision=resolve_precision(args.precision),
                                     threads=args.threads or os.cpu_count() or 1, **others)


def resumed_arguments(args: argparse.Namespace) -> tuple[BasePosition, AlphaZeroNetConfig, RunOptions]:
    """The start, network and options of the run in RUN, with --games and --threads.  Raises BadInput."""
    metadata = latest_checkpoint(args.output)[1]
    if "rules" not in metadata:
        raise BadInput(f"{args.output} holds no run of selfplay")
    config = config_of(metadata)
    assert isinstance(config, AlphaZeroNetConfig)
    options = RunOptions.from_dict(metadata["options"])
    return new_game(**metadata["rules"]), config, replace(options, games=args.games or options.games,
                                                          threads=args.threads or options.threads)
