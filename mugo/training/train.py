"""A data set in, a network out:  mugo train DATASET -o RUN

    RUN/checkpoint.safetensors    the newest state: weights, optimizer, schedule, history
    RUN/previous.safetensors      the checkpoint before
    RUN/pre-decay.safetensors     the last checkpoint before the learning rate decays, or the initial state: the run can
                                  be made longer from here
    RUN/network.safetensors       the network with the least validation loss so far: play with this one
    RUN/log.csv, curve.png        loss and accuracy at each checkpoint
    RUN/tensorboard/              the same for TensorBoard

There is a checkpoint every --checkpoint-every minutes, and more often at first; or every --checkpoint-positions.  Every
batch is a function of (seed, step) alone, and a checkpoint holds the step, so `--resume` after Ctrl-C or kill -9
continues with exactly the batches that would have come.  Batches are made by compiled threads while the network trains.

Learning rate: linear warm-up, constant, linear decay (schedules.WarmupStableDecay).  Validation and network.safetensors
are of the averaged weights (optimizers.AveragingOptimizer), which have most of what the decay gains before it comes.
`--resume --positions N` makes a run longer: it is resumed from before the decay, and the result is that of a run
started with N positions.
"""
import argparse
import contextlib
import hashlib
import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from mugo import __version__
from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.core.files import BadInput, lock_folder, log_to_stderr, open_regular_file
from mugo.core.limits import AT_LEAST_1, FRACTION, POSITIVE, check_limits
from mugo.nn import checkpoint
from mugo.nn.backend import keras, resolve_precision
from mugo.nn.blocks import ORIENTATIONS
from mugo.nn.bundled import find_network
from mugo.nn.checkpoint import latest_checkpoint, latest_metadata
from mugo.nn.compile import WEIGHTS, compile_for_training
from mugo.nn.context_module import DILATIONS
from mugo.nn.devices import DataParallel, one_device
from mugo.nn.keras_model import build
from mugo.nn.metadata import (
    MAX_LAYERS,
    MAX_WIDTH,
    check_metadata,
    config_of,
    new_metadata,
    printable_name,
    read_metadata,
)
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.processes import check_equal, ending_together, is_first, join, place, together
from mugo.nn.transfer import check_init, init_from
from mugo.nn.weight_averaging import AveragedModel
from mugo.core.resume import check_kept, format_option
from mugo.training.arguments import POLICY_FILTERS, add_arguments  # noqa: F401   cli takes add_arguments from here
from mugo.training.callbacks import (
    DIVERGED,
    PRE_DECAY,
    add_int8,
    check_diverged,
    link_pre_decay,
    write_results,
)
from mugo.training.fit import fit_run, training_rate
from mugo.training.loader import TrainingStream, examples, select_positions, validation_batch
from mugo.training.options import DERIVED, MAY_CHANGE, TrainingOptions, check_run
from mugo.training.provenance import check_same_data, describe_data, init_notes, outcome_note

RESUMED = (checkpoint.CHECKPOINT, checkpoint.PREVIOUS, PRE_DECAY)   # the last is there before the first checkpoint
RECALIBRATION_BATCH = 256                # positions in each batch that batch-norm statistics are recalibrated on


def train(data: DataSet, run: Path, config: PolicyNetConfig, options: TrainingOptions, resume: bool = False,
          init: str = "", devices: int | None = 1) -> Path:
    """Train a network and return its file, RUN/network.safetensors.

    resume: continue from RUN's checkpoint; config and options must be the run's, all but MAY_CHANGE: see `resume_run`.
    init: a network (see find_network) to initialise from (transfer.init_from).  The first batch is the one after
    those that it was trained on; if those were of other positions, some may be repeated: see provenance.init_notes.
    devices: how many to train on; None: all.  The run is the same on any number, but for rounding.
    In several processes (processes.join) each calls this with the same arguments; process 0 alone writes.
    Raises BadInput if RUN holds a run already, or none to resume; and for a loss or weights that become infinite or
    NaN, after which the files of the last checkpoint are unchanged.
    """
    with contextlib.ExitStack() as stack:
        with together():
            parallel = DataParallel(devices)
            parallel.check_batch_size(options.batch_size)
        check_equal(lambda: inputs_of(run, data, config, options, init) | {"--resume": bytes([resume])})
        with together():                     # before a model is made, which is work of all processes on JAX
            is_new_folder = not run.is_dir()
            if not is_new_folder and is_first():
                stack.enter_context(lock_folder(run))
        with together():
            with parallel.scope():
                model, metadata = resume_run(run, config, options, data, init) if resume else \
                    new_run(run, data, config, options, init)
                model.optimizer.build(model.trainable_variables)
        check_equal(lambda: weights_of(model))
        config, options = policy_config(metadata, run), TrainingOptions(**metadata["options"])
        training = select_positions(data, "train", config.size, options)
        validating = select_positions(data, "validation", config.size, options)
        validation = validation_batch(validating, options, config)
        stream = TrainingStream(training, options)
        averaged = averaged_model(model, stream, config)
        if is_first() and (note := outcome_note(training, validating, config)):
            log_to_stderr(note)
        with together():
            if is_new_folder and is_first():     # created when nothing is wrong with the input
                stack.enter_context(lock_folder(run))
                check_no_run(run)                # another process may have made one
            if not resume and is_first():
                checkpoint.save(model, run / PRE_DECAY, metadata)
            elif metadata["history"] and is_first():
                averaged.update_ema_model()
                write_results(averaged.model, run, metadata)
        fit_run(model, run, metadata, stream, averaged, validation, parallel)
        check_equal(lambda: weights_of(model))
        with together(), one_device():
            if is_first():
                add_int8(run, validation)
    return run / checkpoint.NETWORK


def inputs_of(run: Path, data: DataSet, config: PolicyNetConfig, options: TrainingOptions, init: str
              ) -> dict[str, bytes]:
    """What must be the same in all processes of a run before they make its model, by its name in errors."""
    files = [run / checkpoint.CHECKPOINT, run / PRE_DECAY, run / DIVERGED, *([find_network(init)] if init else [])]
    return {"the version of MuGo or Keras": f"{__version__} {keras.version()}".encode(),
            "the options": json.dumps([asdict(config), asdict(options)]).encode(),
            "the data set": data.fingerprint.encode(),
            "a checkpoint or network": b"".join(file_digest(path) for path in files)}


def weights_of(model: keras.Model) -> dict[str, bytes]:
    """As `inputs_of`: a hash of the weights and of the optimizer's state."""
    h = hashlib.blake2b()
    for weight in (*model.weights, *model.optimizer.variables):
        h.update(np.asarray(keras.ops.convert_to_numpy(weight)).tobytes())
    return {"the weights": h.digest()}


def file_digest(path: Path) -> bytes:
    """A hash of a file; b"missing" if there is none."""
    with contextlib.suppress(OSError), open_regular_file(path) as file:
        return hashlib.blake2b(file.read()).digest()
    return b"missing"


def new_run(run: Path, data: DataSet, config: PolicyNetConfig, options: TrainingOptions, init: str
            ) -> tuple[keras.Model, dict[str, Any]]:
    """A new model, compiled, and the metadata of its run; see `train`."""
    check_no_run(run)
    check_diverged(run, options.learning_rate)
    training, validation = (select_positions(data, split, config.size, options) for split in ("train", "validation"))
    metadata = new_metadata(config) | {
        "name": printable_name(run.name), "options": asdict(options), "history": [], "best": None,
        "data": describe_data(data, training, validation, options.seed),
    }
    check_new(config, metadata)
    keras.utils.set_random_seed(options.seed)
    model = build(config.spec(), options.precision)
    if init:
        path = find_network(init)
        metadata["init_from"] = init_from(model, config, path)
        source = read_metadata(path)
        for line in init_notes(init, source, options.seed, training, validation) if is_first() else ():
            log_to_stderr(line)
        last = options.batches.last
        options = replace(options, skip_batches=-(-positions_seen(source) // last) * last // options.batch_size)
        metadata["options"] = asdict(options)
    compile_model(model, config, options)
    return model, metadata


def compiled_model(metadata: dict[str, Any]) -> keras.Model:
    """A new model for the checkpoint of a run that has these metadata, compiled, with its optimizer built."""
    config, options = policy_config(metadata, metadata.get("name") or "it"), TrainingOptions(**metadata["options"])
    model = build(config.spec(), options.precision)
    compile_model(model, config, options)
    model.optimizer.build(model.trainable_variables)
    return model


def check_new(config: PolicyNetConfig, metadata: dict[str, Any]) -> None:
    """Raise BadInput, which names the options, if the network of a new run could not be read again."""
    sizes = "filters", "layers", "policy_filters", "context_filters", "context_layers"
    check_metadata(metadata, "a network with " + " ".join(format_option(name, getattr(config, name)) for name in sizes))


def check_no_run(run: Path) -> None:
    """Raise BadInput if the folder holds a run, or a network."""
    if (run / checkpoint.CHECKPOINT).exists() or (run / checkpoint.PREVIOUS).exists():
        raise BadInput(f"{run} holds a training run already: --resume continues it, or give -o another folder")
    if (run / checkpoint.NETWORK).exists():
        raise BadInput(f"{run} holds a network already: give -o another folder")


def resume_run(run: Path, config: PolicyNetConfig, options: TrainingOptions, data: DataSet, init: str
               ) -> tuple[keras.Model, dict[str, Any]]:
    """The latest checkpoint of a run, to continue with options.positions, .decay_start and .learning_rate.

    A learning rate that differs from the run's counts from this checkpoint on; metadata["learning_rates"] has a row for
    each such change.  Where positions or decay_start differ, the run continues from before its learning rate decayed.
    Raises BadInput for other data; for options, a config or `init` that differ otherwise; if the run would become
    shorter and is past the start of that decay; and if it has diverged with this learning rate.
    """
    check_diverged(run, options.learning_rate)
    keras.utils.set_random_seed(options.seed)            # Keras makes random weights first: the same in all processes
    model, metadata = latest_checkpoint(run, check_run, compiled_model, RESUMED)
    before = TrainingOptions(**metadata["options"])
    size = policy_config(metadata, run).size
    check_same_data(run, metadata["data"], data, *(select_positions(data, split, size, before)
                                                   for split in ("train", "validation")))
    given = {name: value for name, value in (asdict(config) | asdict(options)).items() if name not in DERIVED}
    check_kept(run, asdict(policy_config(metadata, run)) | asdict(before), given, MAY_CHANGE)
    check_init(run, metadata, init)
    if is_first():
        link_pre_decay(run, before, metadata)            # the run may have been killed before that
    changed = replace(before, **{name: getattr(options, name) for name in MAY_CHANGE})
    rescheduled = replace(changed, learning_rate=before.learning_rate) != before
    step = metadata["history"][-1]["step"] if metadata["history"] else 0
    if rescheduled and step > min(before.decay_start_step, changed.decay_start_step):
        if changed.steps < before.steps:
            raise BadInput(f"{run} cannot become a run of {changed.positions:,} positions: it is past the step at "
                           "which the learning rate of that would begin to decay")
        best = metadata["best"]
        model, metadata = latest_checkpoint(run, check_run, compiled_model, (PRE_DECAY,))
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


def averaged_model(model: keras.Model, stream: TrainingStream, config: PolicyNetConfig) -> AveragedModel:
    """With batches of the training positions for its batch-norm statistics."""
    return AveragedModel(model, [
        examples(stream.batch(i, RECALIBRATION_BATCH, stream.options.seed + 1), config)[0]
        for i in range(max(1, min(16, len(stream.positions) // RECALIBRATION_BATCH)))])


def compile_model(model: keras.Model, config: PolicyNetConfig, options: TrainingOptions) -> None:
    compile_for_training(model, config, options.schedule(), weights={name: getattr(options, name) for name in WEIGHTS},
                         optimizer=options.optimizer, label_smoothing=options.label_smoothing,
                         weight_decay=options.weight_decay, only_value_head=options.freeze_policy)


def positions_seen(metadata: dict[str, Any]) -> int:
    """How many positions of the stream of batches that its seed defines a network was trained on, or skipped."""
    options = metadata.get("options", {})
    return (metadata.get("best") or {}).get("positions", 0) \
        + options.get("skip_batches", 0) * options.get("batch_size", 0)


def policy_config(metadata: dict[str, Any], name: str | Path) -> PolicyNetConfig:
    """The config of a policy network.  Raises BadInput for a policy-value network, which selfplay trains."""
    config = config_of(metadata)
    if not isinstance(config, PolicyNetConfig):
        raise BadInput(f"{name} is a policy-value network, trained by selfplay; train makes policy networks")
    return config


def positions_in(minutes: float, data: DataSet, config: PolicyNetConfig, options: TrainingOptions,
                 devices: int | None = 1) -> int:
    """How many positions this machine can train on in so many minutes: measured for a few seconds."""
    check_new(config, new_metadata(config))
    parallel = DataParallel(devices)
    parallel.check_batch_size(options.batch_size)
    with parallel.scope():
        model = build(config.spec(), options.precision)
        compile_model(model, config, options)
        model.optimizer.build(model.trainable_variables)
    batch = examples(select_positions(data, "train", config.size, options).shuffled_batch(0, options.batch_size, 0),
                     config)
    rate = training_rate(model, lambda: batch, options.batch_size, parallel, min(5.0, 6 * minutes))
    # A twentieth goes into validation and saving.
    return max(options.batch_size, int(0.95 * rate * 60 * minutes))


# ---- the command

def command(args: argparse.Namespace) -> int:
    join(args.coordinator_address, args.num_processes, args.process_id)
    with ending_together():
        return train_command(args)


def train_command(args: argparse.Namespace) -> int:
    with together():
        check_limits(args, {"positions": AT_LEAST_1, "epochs": POSITIVE, "minutes": POSITIVE, "decay_start": FRACTION,
                            "size": (2, 19), "filters": (1, MAX_WIDTH), "policy_filters": (0, MAX_WIDTH),
                            "context_filters": (1, MAX_WIDTH), "context_layers": (1, len(DILATIONS)),
                            "layers": (3, MAX_LAYERS)})
        data = dataset.load_dataset(args.dataset)
        config, options = resumed_arguments(args) if args.resume else new_arguments(args, data)
    path = train(data, args.output, config, options, args.resume, args.init_from, args.devices)
    if not is_first():
        return 0
    best = read_metadata(path)["best"]
    print(f"{path}: " + (f"loss {best['validation_loss']:.3f}, " if "validation_loss" in best else "")
          + f"top-1 {best['validation_top1']:.2%}, top-5 {best['validation_top5']:.2%} on validation positions after "
          f"{best['positions']:,} positions")
    return 0


def with_given(defaults: Any, args: argparse.Namespace) -> Any:
    """A dataclass with those of its fields that are options of the command, and given.  Raises BadInput."""
    given = {field: getattr(args, field, None) for field in asdict(defaults) if field not in ("positions", "precision")}
    return replace(defaults, **{field: value for field, value in given.items() if value is not None})


def new_arguments(args: argparse.Namespace, data: DataSet) -> tuple[PolicyNetConfig, TrainingOptions]:
    """The config and options of a new run.  Raises BadInput."""
    config = config_from_arguments(args, data)
    options = with_given(TrainingOptions(int(args.positions or 1), precision=resolve_precision(args.precision)), args)
    check_frozen_policy(config, options, args.init_from)
    if args.minutes and place()[1] > 1:
        raise BadInput("--minutes: several processes take --positions or --epochs")
    if not args.positions:
        positions = positions_in(args.minutes, data, config, options, args.devices) if args.minutes else \
            int((args.epochs or 1) * len(select_positions(data, "train", config.size, options)))
        options = replace(options, positions=positions)
    return config, options


def check_frozen_policy(config: PolicyNetConfig, options: TrainingOptions, init: str) -> None:
    """Raise BadInput for a new run whose policy is frozen, if there is none to keep, or nothing else to learn."""
    if not options.freeze_policy:
        return
    if not init:
        raise BadInput("--freeze-policy: give --init-from NETWORK, whose policy is kept")
    source = policy_config(read_metadata(find_network(init)), init)
    context = ("context_filters", "context_layers", "chain_pooling") if config.policy_context else ()
    for name in "filters", "policy_filters", "policy_context", *context, "equivariant":
        if getattr(config, name) != getattr(source, name):
            raise BadInput(f"--freeze-policy: the policy of {init} is kept, and so are its {name.replace('_', ' ')}: "
                           f"{getattr(source, name)}")
    if not config.value_head or config.auxiliary_heads:
        raise BadInput("--freeze-policy trains a value head and no other: give --value-head and --no-auxiliary-heads")


def resumed_arguments(args: argparse.Namespace) -> tuple[PolicyNetConfig, TrainingOptions]:
    """The config and options of the run in RUN, with what is given; `resume_run` compares.  Raises BadInput."""
    if args.epochs or args.minutes:
        raise BadInput("with --resume, only --positions can make a run longer")
    check_diverged(args.output, args.learning_rate or math.inf)
    metadata = latest_metadata(args.output, check_run, RESUMED)
    options = with_given(TrainingOptions(**metadata["options"]), args)
    return with_given(policy_config(metadata, args.output), args), replace(
        options, positions=int(args.positions or options.positions),
        precision=options.precision if args.precision == "auto" else args.precision)


def config_from_arguments(args: argparse.Namespace, data: DataSet) -> PolicyNetConfig:
    """The config of a new network, from that of --init-from or the defaults.  Raises BadInput."""
    sizes = data.board_sizes()
    size = args.size or (sizes[0] if sizes else 19)
    default = policy_config(read_metadata(find_network(args.init_from)), args.init_from) if args.init_from else \
        PolicyNetConfig(equivariant=True, policy_filters=POLICY_FILTERS)
    config = replace(with_given(default, args), size=size)
    if config.value_head and not default.value_head and args.komi_input is None:
        config = replace(config, komi_input=True)
    for name in config.tied_widths:
        if getattr(config, name) % ORIENTATIONS:
            raise BadInput(f"--{name.replace('_', '-')} {getattr(config, name)}: an equivariant network has a multiple "
                           f"of {ORIENTATIONS}; --no-equivariant has any number")
    if config.policy_context and not config.policy_context_fits:
        raise BadInput("--policy-context is for networks with --policy-filters, and with --komi-input if they have a "
                       "value head")
    for name in "context_filters", "context_layers", "chain_pooling":
        if getattr(args, name) and not config.has_context:
            raise BadInput(f"--{name.replace('_', '-')}: only networks with --value-head or --policy-context have a "
                           "context module")
    if config.komi_input and not config.value_head:
        raise BadInput("--komi-input: only a value head takes komi: give --value-head too, or --no-komi-input")
    return config
