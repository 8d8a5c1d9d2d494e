"""`mugo train`: its command line, and the config and options that it asks for."""
import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from mugo.core.config import check_typed
from mugo.core.files import BadInput
from mugo.core.machine import keep_freed_memory
from mugo.core.options import add_options, check, format_names, given
from mugo.data.dataset import DataSet, load_dataset
from mugo.data.shards import DATASET_HELP
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.keras.backend import has_gpu, resolve_precision
from mugo.nn.keras.checkpoint import latest_metadata
from mugo.nn.keras.devices import DataParallel, distributed, is_first, process_count, synchronized
from mugo.nn.network_file import architecture, find_network, new_metadata, read_metadata
from mugo.training.loop import batch_maker, training_rate
from mugo.training.loader import TrainingStream, select_positions
from mugo.training.options import (
    DEFAULTS, GPU_DEFAULTS, CommandOptions, TrainingOptions, check_training_run, run_options)
from mugo.training.train import CHECKPOINTS, MAY_CHANGE, check_new, compiled_model, policy_config, train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo train`."""
    parser.epilog = f"{parser.epilog}  With --resume, {format_names(MAY_CHANGE)} can change."
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    add_options(parser, CommandOptions)
    add_options(parser.add_argument_group("the network"), PolicyNetConfig, defaults=DEFAULTS)
    add_options(parser.add_argument_group("learning"), TrainingOptions)


def command(args: argparse.Namespace) -> int:
    """Train; returns the exit status."""
    called = CommandOptions(**given(CommandOptions, args))
    with distributed(called.distributed, called.coordinator_address, called.num_processes, called.process_id):
        with synchronized():
            data = load_dataset(args.dataset)
            config, options = (resumed_arguments if called.resume else new_arguments)(args, called, data)
        if not has_gpu():
            keep_freed_memory()
        path = train(data, args.output, config, options, called.resume, called.init_from, called.devices)
        if is_first():
            best = read_metadata(path)["best"]
            print(f"{path}: loss {best['validation_loss']:.3f}, top-1 {best['validation_top1']:.2%}, top-5 "
                  f"{best['validation_top5']:.2%} on validation positions after {best['positions']:,} positions")
    return 0


def new_arguments(args: argparse.Namespace, called: CommandOptions, data: DataSet
                  ) -> tuple[PolicyNetConfig, TrainingOptions]:
    """The config and options of a new run.  Raises BadInput."""
    if sum(value is not None for value in (args.positions, called.epochs, called.minutes)) > 1:
        raise BadInput("--positions, --epochs and --minutes: give one of them")
    config = config_from_arguments(args, called.init_from, data)
    values: dict[str, Any] = {"positions": 1} | given(TrainingOptions, args)
    if has_gpu() and not GPU_DEFAULTS.keys() & values.keys():
        values |= GPU_DEFAULTS
    options = TrainingOptions(**values)
    check_frozen(config, options, called.init_from)
    if called.minutes and process_count() > 1:
        raise BadInput("--minutes: several processes take --positions or --epochs")
    if called.minutes:
        return config, replace(options, positions=positions_in(called.minutes, data, config, options, called.devices))
    if args.positions is None:
        epoch = len(select_positions(data, "train", config, options))
        options = replace(options, positions=max(1, int((called.epochs or 1) * epoch)))
    return config, options


def resumed_arguments(args: argparse.Namespace, called: CommandOptions, data: DataSet
                      ) -> tuple[PolicyNetConfig, TrainingOptions]:
    """The config and options of the run in RUN, with those that are given; train.check_begin compares.  Raises
    BadInput."""
    if called.epochs or called.minutes:
        raise BadInput("with --resume, only --positions can make a run longer")
    if args.model:
        raise BadInput("--model: a run that is resumed keeps its architecture")
    metadata = latest_metadata(args.output, check_training_run, CHECKPOINTS)
    check_typed(args.output, asdict(run_options(metadata)), given(TrainingOptions, args))
    return replace(policy_config(metadata, args.output), **given(PolicyNetConfig, args)), \
        replace(run_options(metadata), **given(TrainingOptions, args))


def config_from_arguments(args: argparse.Namespace, init: str, data: DataSet) -> PolicyNetConfig:
    """The config of a new network, from that of --init-from or the defaults.  Raises BadInput."""
    values = given(PolicyNetConfig, args)
    if init and args.model:
        raise BadInput("--model and --init-from: give one of them, for a network that is initialised has its own "
                       "architecture")
    default = policy_config(read_metadata(find_network(init)), init) if init else \
        architecture(args.model or CommandOptions().model)
    config = replace(default, **{"size": next(iter(data.board_sizes()), default.size)} | values)
    check(config)
    if config.value_head != default.value_head and "komi_input" not in values:
        config = replace(config, komi_input=config.value_head)
    if config.problem:
        raise BadInput(config.problem)
    for name in "context_filters", "context_layers":
        if values.get(name) and not config.has_context:
            raise BadInput(f"--{name.replace('_', '-')}: only networks with --value-head or --policy-context have a "
                           "context module")
    if config.komi_input and not config.value_head:
        raise BadInput("--komi-input: only a value head takes komi: give --value-head too, or --no-komi-input")
    return config


def check_frozen(config: PolicyNetConfig, options: TrainingOptions, init: str) -> None:
    """Raise BadInput for a new run that keeps a policy or a network, if there is none to keep, or nothing to learn."""
    if not options.frozen:
        return
    if options.freeze_policy and options.freeze_network:
        raise BadInput("--freeze-policy and --freeze-network: give one of them")
    if not init:
        raise BadInput(f"--freeze-{options.frozen}: give --init-from NETWORK, of which that is kept")
    source = policy_config(read_metadata(find_network(init)), init)
    if options.freeze_network:
        if config != replace(source, size=config.size, metadata_encoder=True):
            raise BadInput("--freeze-network trains a metadata encoder and nothing else: give --metadata-encoder, and "
                           "no other option of the network")
        return
    context = ("context_filters", "context_layers", "chain_pooling") if config.policy_context else ()
    for name in "filters", "metadata_encoder", "policy_filters", "policy_context", *context, "equivariant":
        if getattr(config, name) != getattr(source, name):
            raise BadInput(f"--freeze-policy: the policy of {init} is kept, and so are its {name.replace('_', ' ')}: "
                           f"{getattr(source, name)}")
    if not config.value_head or config.auxiliary_heads:
        raise BadInput("--freeze-policy trains a value head and no other: give --value-head and --no-auxiliary-heads")


def positions_in(minutes: float, data: DataSet, config: PolicyNetConfig, options: TrainingOptions,
                 devices: int | None = 1) -> int:
    """How many positions this machine can train on in so many minutes: measured for a few seconds."""
    metadata, options = new_metadata(config), replace(options, precision=resolve_precision(options.precision))
    check_new(config, metadata)
    parallel = DataParallel(devices)
    parallel.check_batch_size(options.batch_size)
    with parallel.scope():
        model = compiled_model(metadata | {"options": asdict(options)})
    stream = TrainingStream(select_positions(data, "train", config, options), options)
    rate = training_rate(model, batch_maker(stream, config, options), options.batch_size, parallel,
                         min(5.0, 6 * minutes))
    # A twentieth goes into validation and saving.
    return max(options.batch_size, int(0.95 * rate * 60 * minutes))
