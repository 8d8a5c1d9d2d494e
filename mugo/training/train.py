"""A data set in, a network out:  mugo train DATASET -o RUN

    RUN/checkpoint.safetensors    the newest state: weights, optimizer, schedule, history
    RUN/previous.safetensors      the checkpoint before
    RUN/pre-decay.safetensors     the last checkpoint before the learning rate decays, or the initial state: the run can
                                  be made longer from here
    RUN/network.safetensors       the network with the least validation loss so far: play with this one
    RUN/options.toml              the run's options, for --config of another one
    RUN/metrics.jsonl             every hundred steps, and at each checkpoint: loss, accuracy, speed, ... (metrics.py)
    RUN/log.csv, curve.png        the checkpoints' lines of it; RUN/tensorboard/: all of it for TensorBoard

Every batch is a function of (seed, step) alone, and a checkpoint holds the step, so `--resume` after Ctrl-C or kill -9
continues with exactly the batches that would have come.  `--resume --positions N` makes a run longer: it is resumed
from before the learning rate decays, and the result equals a run started with N positions.
Validation and network.safetensors are of the averaged weights (optimizers.Adam).
"""
import argparse
import contextlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.config import check_typed
from mugo.core.files import BadInput, atomic_write, lock_folder, log_to_stderr
from mugo.core.machine import keep_freed_memory
from mugo.core.options import check, check_kept, format_option, given, options_of, to_toml
from mugo.data.dataset import DataSet, load_dataset
from mugo.data.positions import Positions
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.graph import cost
from mugo.nn.heads import LOSS_WEIGHTS
from mugo.nn.keras import checkpoint
from mugo.nn.keras.backend import backend_name, has_gpu, keras, resolve_precision
from mugo.nn.keras.checkpoint import check_init, init_from, latest_checkpoint, latest_metadata
from mugo.nn.keras.devices import (
    DataParallel, describe_devices, device_warnings, distributed, is_first, one_device, process_count, synchronized)
from mugo.nn.keras.losses import compile_for_training
from mugo.nn.keras.model import build
from mugo.nn.keras.optimizers import AveragedModel
from mugo.nn.network_file import architecture, check_metadata, find_network, new_metadata, read_metadata, run_name
from mugo.training.loader import TrainingStream, examples, select_positions, validation_batch
from mugo.training.loop import (
    PRE_DECAY, add_int8, batch_maker, link_pre_decay, make_steps, train_steps, training_rate, write_results)
from mugo.training.options import (
    GPU_DEFAULTS, MAY_CHANGE, CommandOptions, TrainingOptions, check_training_run, run_options)
from mugo.training.provenance import check_same_data, describe_data, init_notes, training_notes

CHECKPOINTS = (checkpoint.CHECKPOINT, checkpoint.PREVIOUS, PRE_DECAY)    # the last is there before the first one
OPTIONS = "options.toml"
RECALIBRATION_POSITIONS = 4096           # for batch-norm statistics
RECALIBRATION_BATCH = 64, 256            # positions in each batch of them: the run's own number, within these limits


def train(data: DataSet, run: Path, config: PolicyNetConfig, options: TrainingOptions, resume: bool = False,
          init: str = "", devices: int | None = 1, minutes: float | None = None) -> Path:
    """Train a network and return its file, RUN/network.safetensors.

    resume: continue from RUN's checkpoint; config and options must be the run's, all but MAY_CHANGE: see `resume_run`.
    init: a network (see find_network) to initialise from (checkpoint.init_from).  The first batch is the one after
    those that it was trained on; if those were of other positions, some may be repeated: see provenance.init_notes.
    devices: how many to train on; None: all.  The run is the same on any number, up to rounding.
    minutes: instead of options.positions, as many as this machine trains on in this time, of a new run.
    In several processes (devices.distributed) each calls this with the same arguments; process 0 alone writes.
    Raises BadInput if RUN holds a run already, or none to resume; and for a loss or weights that become infinite or
    NaN, after which the files of the last checkpoint are unchanged.
    """
    options = replace(options, precision=resolve_precision(options.precision))
    with contextlib.ExitStack() as stack:
        with synchronized(lambda: {"the options": json.dumps([asdict(config), asdict(options), resume]).encode(),
                                   "the data set": data.fingerprint.encode()}):
            parallel = DataParallel(devices)
            parallel.check_batch_size(options.batch_size)
            if is_first():
                stack.enter_context(lock_folder(run))
            check_begin(run, config, options, init, resume)
            training, validating = (select_positions(data, split, config, options)
                                    for split in ("train", "validation"))
            stream = TrainingStream(training, options)
        with synchronized(), parallel.scope():
            model, metadata = resume_run(run, data, options, training, validating) if resume else \
                new_training_run(run, data, config, options, init, training, validating)
            model.optimizer.build(model.trainable_variables)
        if is_first():
            for line in (f"{run}: {model.count_params():,} weights, {cost(config.spec()).multiplications / 1e6:,.1f} "
                         f"million multiplications per position, {options.precision}, on "
                         f"{describe_devices(parallel.count)}, {backend_name()}, Keras {keras.version()}",
                         *device_warnings(parallel.count), *training_notes(training, validating, config)):
                log_to_stderr(line)
        validation = validation_batch(validating, options, config)
        steps = make_steps(model, parallel, validation)
        if minutes:
            before, made = checkpoint.arrays_of(model), batch_maker(stream, config, run_options(metadata))
            rate = training_rate(steps, made, options.batch_size, parallel, min(5.0, 6 * minutes))
            checkpoint.assign(model, before)
            # A twentieth goes into validation and saving.
            options = replace(run_options(metadata), positions=max(options.batch_size, int(0.95 * rate * 60 * minutes)))
            metadata["options"], model.optimizer.learning_rate = asdict(options), options.schedule()
        averaged = averaged_model(model, stream, config)
        with synchronized():
            if is_first():
                write_begin(run, model, metadata, averaged)
        train_steps(steps, model, run, metadata, stream, averaged, validation, parallel)
        with synchronized(), one_device():
            if is_first():
                add_int8(run, validation)
    return run / checkpoint.NETWORK


def check_begin(run: Path, config: PolicyNetConfig, options: TrainingOptions, init: str, resume: bool) -> None:
    """Raise BadInput if the run cannot begin, or be resumed: all that can be said without its data and its model."""
    if not resume:
        if (run / checkpoint.CHECKPOINT).exists() or (run / checkpoint.PREVIOUS).exists():
            raise BadInput(f"{run} holds a training run already: --resume continues it, or give -o another folder")
        if (run / checkpoint.NETWORK).exists():
            raise BadInput(f"{run} holds a network already: give -o another folder")
        check_new(config, new_metadata(config))
        return
    metadata = latest_metadata(run, check_training_run, CHECKPOINTS)
    kept, given = (asdict(network) | {name: getattr(of_run, name) for name in options_of(TrainingOptions)}
                   for network, of_run in ((policy_config(metadata, run), run_options(metadata)),
                                           (config, options)))
    check_kept(run, kept, given, MAY_CHANGE)
    check_init(run, metadata, init)


def new_training_run(run: Path, data: DataSet, config: PolicyNetConfig, options: TrainingOptions, init: str,
                     training: Positions, validating: Positions) -> tuple[keras.Model, dict[str, Any]]:
    """A new model, compiled, and the metadata of its run; see `train`."""
    keras.utils.set_random_seed(options.seed)
    model = build(config.spec(), options.precision)
    metadata = new_metadata(config) | {
        "name": run_name(run.name), "history": [], "best": None,
        "data": describe_data(data, training, validating, options.seed)}
    if training.taught is not None:
        metadata["teachers"] = [teacher.header["teacher"] for teacher in training.taught.teachers]
    if init:
        path = find_network(init)
        metadata["init_from"] = init_from(model, config, path)
        source = read_metadata(path)
        for line in init_notes(init, source, options.seed, training, validating) if is_first() else ():
            log_to_stderr(line)
        options = replace(options, skip_batches=-(-positions_seen(source) // options.batch_size))
    compile_model(model, config, options)
    return model, metadata | {"options": asdict(options)}


def compiled_model(metadata: dict[str, Any]) -> keras.Model:
    """A new model for the checkpoint of a run that has these metadata, compiled, with its optimizer built."""
    config, options = policy_config(metadata, metadata.get("name") or "it"), run_options(metadata)
    model = build(config.spec(), options.precision)
    compile_model(model, config, options)
    model.optimizer.build(model.trainable_variables)
    return model


def check_new(config: PolicyNetConfig, metadata: dict[str, Any]) -> None:
    """Raise BadInput, which names the options, if the network of a new run could not be read again."""
    sizes = "filters", "layers", "policy_filters", "context_filters", "context_layers"
    check_metadata(metadata, "a network with " + " ".join(format_option(name, getattr(config, name)) for name in sizes))


def resume_run(run: Path, data: DataSet, options: TrainingOptions, training: Positions, validating: Positions
               ) -> tuple[keras.Model, dict[str, Any]]:
    """The latest checkpoint of a run, to continue with the values of MAY_CHANGE in these options: with another learning
    rate from there on, with other positions or decay_start from before the learning rate decayed.

    Raises BadInput for other data; and if it has no checkpoint from before the step where that decay would begin now.
    """
    keras.utils.set_random_seed(options.seed)            # Keras makes random weights first: the same in all processes
    model, metadata = latest_checkpoint(run, check_training_run, compiled_model, CHECKPOINTS)
    check_same_data(run, metadata["data"], data, training, validating)
    before = run_options(metadata)
    if is_first():
        link_pre_decay(run, before, metadata)            # the run may have been killed before that
    changed = replace(before, **{name: getattr(options, name) for name in MAY_CHANGE})
    rescheduled = replace(changed, learning_rate=before.learning_rate) != before
    if rescheduled and last_step(metadata) > min(before.decay_start_step, changed.decay_start_step):
        best = metadata["best"]
        model, metadata = latest_checkpoint(run, check_training_run, compiled_model, (PRE_DECAY,))
        if last_step(metadata) > changed.decay_start_step:
            raise BadInput(f"{run} cannot become a run of {format_option('positions', changed.positions)} "
                           f"{format_option('decay_start', changed.decay_start)}: it is past step "
                           f"{changed.decay_start_step:,}, at which the learning rate of that would begin to decay")
        before = run_options(metadata)
        metadata["best"] = best          # RUN/network.safetensors, which the longer run has to surpass
    if metadata["history"]:              # its warm-up has begun, and stays as it was
        changed = replace(changed, warmup_limit=before.warmup)
    if changed.learning_rate != before.learning_rate:
        metadata.setdefault("learning_rates", []).append(
            {"step": int(model.optimizer.iterations.numpy()), "before": before.learning_rate,
             "after": changed.learning_rate})
    if changed != before:
        metadata["options"] = asdict(changed)
        model.optimizer.learning_rate = changed.schedule()
    return model, metadata


def last_step(metadata: dict[str, Any]) -> int:
    """The step of a run's checkpoint that has these metadata."""
    return metadata["history"][-1]["step"] if metadata["history"] else 0


def write_begin(run: Path, model: keras.Model, metadata: dict[str, Any], averaged: AveragedModel) -> None:
    """Write what a run has before its first step, or what it was killed before writing after its last checkpoint."""
    with atomic_write(run / OPTIONS) as temporary:
        temporary.write_text(to_toml(config_of(metadata), run_options(metadata)), encoding="utf-8")
    if metadata["history"]:
        averaged.update_ema_model()
        write_results(averaged.model, run, metadata)
    else:
        checkpoint.save(model, run / PRE_DECAY, metadata)


def averaged_model(model: keras.Model, stream: TrainingStream, config: PolicyNetConfig) -> AveragedModel:
    """In float32, as it is played; with batches of training positions for its batch-norm statistics."""
    averaged, options = build(config.spec()), stream.options
    compile_model(averaged, config, options)
    size = int(np.clip(options.batch_size, *RECALIBRATION_BATCH))
    return AveragedModel(model, averaged, [
        examples(stream.batch(i, size, options.seed + 1), config)[0]
        for i in range(max(1, min(RECALIBRATION_POSITIONS, len(stream.positions)) // size))])


def compile_model(model: keras.Model, config: PolicyNetConfig, options: TrainingOptions) -> None:
    weights = {name: getattr(options, name) for name in LOSS_WEIGHTS}
    compile_for_training(model, config, options.schedule(), weights=weights,
                         optimizer=options.optimizer, clip_norm=options.clip_norm, frozen=options.frozen,
                         mixes_policy=options.mixes_policy)


def positions_seen(metadata: dict[str, Any]) -> int:
    """Positions of the stream of batches that a network was trained on or skipped; its seed defines the stream."""
    options = metadata.get("options", {})
    return (metadata.get("best") or {}).get("positions", 0) \
        + options.get("skip_batches", 0) * options.get("batch_size", 0)


def policy_config(metadata: dict[str, Any], name: str | Path) -> PolicyNetConfig:
    """The config of a policy network.  Raises BadInput for a policy-value network, which selfplay trains."""
    config = config_of(metadata)
    if not isinstance(config, PolicyNetConfig):
        raise BadInput(f"{name} is a policy-value network, trained by selfplay; train makes policy networks")
    return config


# ---- the command

def command(args: argparse.Namespace) -> int:
    """Train; returns the exit status."""
    called = CommandOptions(**given(CommandOptions, args))
    with distributed(called.distributed, called.coordinator_address, called.num_processes, called.process_id):
        with synchronized():
            data = load_dataset(args.dataset)
            config, options = (resumed_arguments if called.resume else new_arguments)(args, called, data)
        if not has_gpu():
            keep_freed_memory()
        path = train(data, args.output, config, options, called.resume, called.init_from, called.devices,
                     called.minutes)
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
    if args.positions is None and not called.minutes:
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
    if options.freeze_network and config != replace(source, size=config.size, metadata_encoder=True):
        raise BadInput("--freeze-network trains a metadata encoder and nothing else: give --metadata-encoder, and no "
                       "other option of the network")
    if options.freeze_policy:
        context = ("context_filters", "context_layers", "chain_pooling") if config.policy_context else ()
        for name in "filters", "metadata_encoder", "policy_filters", "policy_context", *context, "equivariant":
            if getattr(config, name) != getattr(source, name):
                raise BadInput(f"--freeze-policy: the policy of {init} is kept, and so are its "
                               f"{name.replace('_', ' ')}: {getattr(source, name)}")
        if not config.value_head or config.auxiliary_heads:
            raise BadInput("--freeze-policy trains a value head and no other: give --value-head and "
                           "--no-auxiliary-heads")
