"""A data set in, a network out:  mugo train DATASET -o RUN

    RUN/checkpoint.keras              the newest state: weights, optimizer, schedule, history
    RUN/checkpoint.previous.keras     the one before
    RUN/held.keras                    the last one of the highest learning rate, or what the run began with: from
                                      here it can be made longer
    RUN/network.keras                 the best on the validation positions so far: play with this one
    RUN/log.csv, RUN/curve.png        loss and accuracy as they went
    RUN/tensorboard/                  the same for TensorBoard (on the TensorFlow backend)

Training is cut into short rounds; after each the state is saved.  Every batch is a function of (seed,
step) alone, and a checkpoint holds the step, so `--resume` after Ctrl-C or kill -9 goes on with the
very batches that would have come.  Batches are made by compiled threads while the network trains.

The learning rate climbs, holds, and goes down in a straight line.  What is validated and kept in network.keras is
the mean of the weights over the last part of the run (learning.Averaging), which has most of what the descent gains
before it comes.  `--resume --positions N` makes a run longer: it is taken up where its rate had not begun to go
down, and does what a run begun with N positions would have done.
"""
import argparse
import contextlib
import importlib.util
import math
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from mugo.data import dataset, shuffle
from mugo.data.positions import Batch, Positions
from mugo.files import BadInput, atomic_write, lock_folder
from mugo.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, SEED, check_limits
from mugo.nn import bundled, losses, metadata, policy_net
from mugo.nn.backend import keras
from mugo.nn.equivariance import ORIENTATIONS
from mugo.nn.losses import Mean, Trapezium
from mugo.nn.policy_net import Architecture
from mugo.plots import curves

COLUMNS = ["step", "positions", "seconds", "learning_rate", "loss", "ce", "top1", "top5", "value_error",
           "validation_ce", "validation_top1", "validation_top5", "validation_value_error", "positions_per_second"]
NORMALISED = 256                         # positions in each of the batches that what is shown is normalised over


@dataclass(frozen=True)
class Options:
    """What a run does; kept in its checkpoints, so that it is resumed with the same.  Raises BadInput for what makes
    no sense."""

    positions: int                       # to train on, repeats counted
    batch_size: int = 128
    optimizer: str = "muon"              # one of learning.OPTIMIZERS
    learning_rate: float = 0.01          # the highest; see `schedule`
    warm_up: int = 200                   # steps to it, a tenth of all at the most
    hold: float = 0.7                    # the share of the steps after which it goes down
    last_rate: float = 0.01              # of the highest, where it ends
    symmetry: bool = True                # turn and mirror each position at random
    value_weight: float = 0.25           # of the value's loss against the policy's cross-entropy
    round_positions: int = 64_000        # between two checkpoints
    validation_positions: int = 8_192    # looked at after each round
    where: str = ""
    moves: str = ""                      # 'FROM-TO': see move_range
    smoothing: float = 0.0               # see learning.Smoothed
    seed: int = 0
    first: int = 0                       # batches left out: those that a network it begins with has learned from
    precision: str = "float32"           # or 'mixed_bfloat16'

    def __post_init__(self):
        check_limits(self, {"positions": AT_LEAST_1, "batch_size": AT_LEAST_1, "learning_rate": (POSITIVE[0], 1),
                            "warm_up": NON_NEGATIVE, "hold": FRACTION, "last_rate": FRACTION,
                            "value_weight": NON_NEGATIVE, "round_positions": AT_LEAST_1,
                            "validation_positions": AT_LEAST_1, "smoothing": FRACTION, "seed": SEED})
        move_range(self.moves)

    @property
    def round_steps(self) -> int:
        return max(1, min(self.round_positions, self.positions) // self.batch_size)

    @property
    def rounds(self) -> int:
        return max(1, round(self.positions / (self.round_steps * self.batch_size)))

    @property
    def steps(self) -> int:
        return self.rounds * self.round_steps

    @property
    def hold_steps(self) -> int:
        """The step at which the learning rate begins to go down."""
        return int(self.hold * self.steps)

    def schedule(self) -> Trapezium:
        return Trapezium(self.learning_rate, min(self.warm_up, self.steps // 10), self.hold_steps, self.steps,
                         self.last_rate)


def move_range(text: str) -> tuple[int, float]:
    """The first and last move to learn, counted from 1: of '21-60', of '21-', of '' all.  Raises BadInput."""
    found = re.fullmatch(r"(\d{1,6})-(\d{0,6})", text or "1-", re.ASCII)
    first, last = (int(found[1]), int(found[2] or 0) or math.inf) if found else (0, 0)
    if not 1 <= first <= last:
        raise BadInput(f"--moves {text}: the first and last move are needed, say 1-60, or 21- for all from the 21st on")
    return first, last


def chosen(data: dataset.DataSet, split: str, size: int, options: Options) -> Positions:
    """The positions of a split that a run is about.  Raises BadInput if there are none."""
    return data.positions(split, size, options.where, move_range(options.moves))


def targets_of(batch: Batch, has_value: bool) -> dict[str, np.ndarray]:
    """A batch's answers in the form the network's losses want."""
    answers = {"policy": batch.targets}
    if has_value:
        answers["value"] = batch.outcomes.astype(np.float32)[:, None]
    return answers


class Feeder:
    """Batches `first`, `first + 1`, ... of make(step), in order, made ahead by threads.

    An iterator; `close` stops its threads and ends it.
    """

    def __init__(self, make: Callable[[int], tuple], first: int, threads: int = 2, ahead: int = 16):
        self._make = make
        self._queues = [queue.Queue(max(1, ahead // threads)) for _ in range(threads)]
        self._next = 0
        self._closed = False
        for i, out in enumerate(self._queues):
            threading.Thread(target=self._fill, args=(out, first + i, threads), daemon=True).start()

    def _fill(self, out: queue.Queue, step: int, stride: int) -> None:
        while not self._closed:
            try:
                item = self._make(step)
            except Exception as error:  # handed to the thread that trains, which raises it
                item = error
            while not self._closed:
                with contextlib.suppress(queue.Full):
                    out.put(item, timeout=0.5)
                    break
            step += stride

    def __iter__(self) -> Iterator[tuple]:
        return self

    def __next__(self) -> tuple:
        while True:
            with contextlib.suppress(queue.Empty):
                item = self._queues[self._next].get(timeout=0.5)
                break
            if self._closed:             # or the thread that asks, TensorFlow's own, would wait for ever
                raise StopIteration
        self._next = (self._next + 1) % len(self._queues)
        if isinstance(item, Exception):
            raise item
        return item

    def close(self) -> None:
        self._closed = True


class Progress(keras.callbacks.Callback):
    """The bar: positions/s, loss, accuracies, time left."""

    def __init__(self, options: Options, first_step: int):
        super().__init__()
        self.batch_size = options.batch_size
        self.bar = tqdm(total=options.steps * options.batch_size, initial=first_step * options.batch_size,
                        unit=" positions", unit_scale=True, smoothing=0.02)

    def on_train_batch_end(self, batch, logs=None):
        self.bar.update(self.batch_size)
        if batch % 10 == 0 and logs:
            logs = plain(logs)
            self.bar.set_postfix_str(f"loss {logs['loss']:.3f} top-1 {logs['top1']:.1%} top-5 {logs['top5']:.1%}",
                                     refresh=False)


def plain(logs: dict) -> dict[str, float]:
    """Keras's logs under the names of COLUMNS, which do not depend on whether there is a value head."""
    named = {}
    for name, value in logs.items():
        before = "validation_" if name.startswith("val_") else ""
        name = name.removeprefix("val_")
        if name not in ("policy_loss", "value_loss"):
            named[before + name.removeprefix("policy_")] = float(value)
    return named


class Keep(keras.callbacks.Callback):
    """After each round: what the mean network finds in the validation positions, the history, the checkpoint, the
    best network, the log and the curve."""

    def __init__(self, run: Path, options: Options, about: dict, bar: tqdm, mean: Mean, checked: tuple):
        super().__init__()
        self.run, self.options, self.about, self.bar, self.mean, self.checked = run, options, about, bar, mean, checked
        self.shape = Architecture(**about["architecture"])

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        trained = time.perf_counter()
        logs.update({f"val_{name}": value for name, value in self.mean.take().evaluate(
            *self.checked, batch_size=self.options.batch_size, verbose=0, return_dict=True).items()})
        history = self.about["history"]
        step = int(self.model.optimizer.iterations)
        before = history[-1] if history else {"step": 0, "seconds": 0.0}
        row = plain(logs) | {
            "step": step, "positions": step * self.options.batch_size,
            "seconds": round(before["seconds"] + time.perf_counter() - self.start, 1),
            "learning_rate": float(self.options.schedule()(step)),
            "positions_per_second": (step - before["step"]) * self.options.batch_size / (trained - self.start),
        }
        history.append({name: round(row[name], 6) for name in COLUMNS if name in row})
        self.save()
        self.bar.write(f"{step:8,} steps  {row['positions']:11,} positions  loss {row['loss']:.3f}  "
                       f"top-1 {row['top1']:.1%}  validation: top-1 {row['validation_top1']:.2%}  "
                       f"top-5 {row['validation_top5']:.2%}  cross-entropy {row['validation_ce']:.3f}"
                       + (f"  value error {row['validation_value_error']:.3f}" if self.shape.value else ""))

    def save(self) -> None:
        """Write everything; at each moment at least one whole checkpoint is there."""
        history = self.about["history"]
        checkpoint = self.run / "checkpoint.keras"
        if checkpoint.exists():
            keep_as(checkpoint, self.run / "checkpoint.previous.keras")
        if not self.about["best"] or history[-1]["validation_ce"] < self.about["best"]["validation_ce"]:
            self.about["best"] = history[-1]
        policy_net.save(self.model, checkpoint, self.about)
        if history[-1]["step"] <= self.options.hold_steps:
            keep_as(checkpoint, self.run / "held.keras")
        ship_if_best(self.mean, self.run, self.about)
        with atomic_write(self.run / "log.csv") as path:
            pd.DataFrame(history, columns=COLUMNS).to_csv(path, index=False)
        curves.training_curve(history, self.run / "curve.png")


def keep_as(checkpoint: Path, path: Path) -> None:
    """Let the checkpoint's file go by another name too, whatever stood there."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    os.link(checkpoint, path)


def ship_if_best(mean: Mean, run: Path, about: dict) -> None:
    """Write RUN/network.keras, the mean network as it was last taken, if no round before the last was better."""
    if about["best"] == about["history"][-1]:
        shipped = {name: value for name, value in about.items() if name != "history"}
        policy_net.ship(mean.model, run / "network.keras", shipped)


def train(data: dataset.DataSet, run: Path, shape: Architecture, options: Options, resume: bool = False,
          start: str = "") -> Path:
    """Train a network and return its file, RUN/network.keras.

    resume: go on from RUN's checkpoint; shape and options then come from there, all but options.positions
    and options.hold: see `taken_up`.
    start: a network (see network.find) whose weights to begin with, of the same shape but for its
    board size and value head, and with no more filters.  Batches go on where those that it learned from ended.
    Raises BadInput if RUN holds a run already, or none to go on with.
    """
    if resume:
        model, about = taken_up(run, options)
        if about["data"]["fingerprint"] != data.fingerprint:
            raise BadInput(f"{run} was trained on other games than {data.folder} has now: its data set has "
                           f"fingerprint {about['data']['fingerprint']}, this one {data.fingerprint}")
        shape, options = Architecture(**about["architecture"]), Options(**about["options"])
    else:
        if (run / "checkpoint.keras").exists():
            raise BadInput(f"{run} holds a training run already: --resume goes on with it, or give -o another folder")
        about = policy_net.describe(shape) | {
            "name": run.name, "options": asdict(options), "history": [], "best": None,
            "data": {"fingerprint": data.fingerprint, "sources": [s["label"] for s in data.meta["sources"]],
                     "games": len(data.used_games), "positions": int(data.used_games["num_moves"].sum())},
        }
        keras.utils.set_random_seed(options.seed)
        model = policy_net.build(shape, options.precision)
        if start:
            about["start"] = policy_net.begin_with(model, shape, bundled.find_network(start))
            options = replace(options, first=-(-positions_seen(bundled.find_network(start)) // options.batch_size))
            about["options"] = asdict(options)
        compile_as(model, shape, options)
    training = chosen(data, "train", shape.size, options)
    checked = validation_batch(chosen(data, "validation", shape.size, options), options, shape.value)
    mean = Mean(model, [training.shuffled_batch(i, NORMALISED, options.seed + 1, options.symmetry).packed
                        for i in range(max(1, min(16, len(training) // NORMALISED)))])
    if about["history"]:                 # killed after its checkpoint, the run may not have come to that
        mean.take()
        ship_if_best(mean, run, about)
    first_step = int(model.optimizer.iterations)
    if first_step >= options.steps:
        print(f"{run} is finished: {options.steps:,} steps of {options.batch_size} positions")
        return run / "network.keras"
    cores = os.cpu_count() or 1

    def make(step: int) -> tuple:
        batch = training.shuffled_batch(options.first + step, options.batch_size, options.seed, options.symmetry)
        return batch.packed, targets_of(batch, shape.value)

    with contextlib.ExitStack() as stack:
        stack.enter_context(lock_folder(run))
        if not resume:
            model.optimizer.build(model.trainable_variables)
            policy_net.save(model, run / "held.keras", about)
        feeder = stack.enter_context(contextlib.closing(Feeder(make, first_step, threads=min(8, cores))))
        progress = Progress(options, first_step)
        stack.callback(progress.bar.close)
        callbacks = [progress, Keep(run, options, about, progress.bar, mean, checked)]
        if keras.backend.backend() == "tensorflow" and importlib.util.find_spec("tensorboard"):
            callbacks.append(keras.callbacks.TensorBoard(run / "tensorboard", write_graph=False))
        model.fit((batch for batch in feeder), steps_per_epoch=options.round_steps, epochs=options.rounds,
                  initial_epoch=first_step // options.round_steps, verbose=0, shuffle=False, callbacks=callbacks)
    return run / "network.keras"


def compile_as(model: keras.Model, shape: Architecture, options: Options) -> None:
    losses.compile_for_training(model, options.schedule(), options.value_weight, shape.value, options.optimizer,
                                  shape.equivariant, options.smoothing)


def positions_seen(path: Path) -> int:
    """How many positions of the stream of batches that its seed names a network has learned from, or left out."""
    about = metadata.read_metadata(path)
    options = about.get("options", {})
    return (about.get("best") or {}).get("positions", 0) + options.get("first", 0) * options.get("batch_size", 0)


def validation_batch(positions: Positions, options: Options, has_value: bool) -> tuple:
    """The same positions for every run on this data set, drawn once from all of its validation games."""
    numbers, _ = shuffle.shuffled_positions(0, min(options.validation_positions, len(positions)), len(positions), 0)
    batch = positions.batch(np.sort(numbers))
    return batch.packed, targets_of(batch, has_value)


def newest(run: Path, names: tuple[str, ...] = ("checkpoint.keras", "checkpoint.previous.keras")
           ) -> tuple[keras.Model, dict]:
    """The newest whole checkpoint of a run and its mugo.json.  Raises BadInput if there is none."""
    for name in names:
        if (run / name).exists():
            with contextlib.suppress(BadInput):
                return policy_net.load(run / name), metadata.read_metadata(run / name)
    raise BadInput(f"{run} holds no training run to resume: {names[0]} is missing or damaged")


def shape_from_people(about: dict, name: str | Path) -> Architecture:
    """The shape of a policy network.  Raises BadInput for one of the other kind, which selfplay trains."""
    shape = policy_net.shape_of(about["architecture"])
    if not isinstance(shape, Architecture):
        raise BadInput(f"{name} learned from self-play: what learns from people's games is a network of another kind")
    return shape


def taken_up(run: Path, wanted: Options) -> tuple[keras.Model, dict]:
    """`newest`, to go on to wanted.positions, holding the rate for wanted.hold of them.

    Where these are not the run's own, it goes on from before the descent of its learning rate.
    Raises BadInput if the run would become shorter and is past where that begins.
    """
    model, about = newest(run)
    begun = Options(**about["options"])
    changed = replace(begun, positions=wanted.positions, hold=wanted.hold)
    if changed == begun:
        return model, about
    if about["history"][-1]["step"] > min(begun.hold_steps, changed.hold_steps):
        if changed.steps < begun.steps:
            raise BadInput(f"{run} has gone too far to become a run of {changed.positions:,} positions: its learning "
                           "rate would go down by now")
        best = about["best"]
        model, about = newest(run, ("held.keras",))
        about["best"] = best             # RUN/network.keras, which the longer run has to surpass
    about["options"] = asdict(changed)
    model.optimizer.learning_rate = changed.schedule()
    return model, about


def positions_in(minutes: float, data: dataset.DataSet, shape: Architecture, options: Options) -> int:
    """How many positions this machine can train on in so many minutes: measured for a few seconds."""
    model = policy_net.build(shape, options.precision)
    compile_as(model, shape, options)
    batch = chosen(data, "train", shape.size, options).shuffled_batch(0, options.batch_size, 0)
    answers = targets_of(batch, shape.value)
    model.train_on_batch(batch.packed, answers)
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < min(5.0, 6 * minutes):
        model.train_on_batch(batch.packed, answers)
        steps += 1
    # A twentieth goes into validation and saving.
    rate = steps * options.batch_size / (time.perf_counter() - start)
    return max(options.batch_size, int(0.95 * rate * 60 * minutes))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shape, options = Architecture(), Options(1)
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="a folder made by preprocess")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--resume", action="store_true",
                        help="go on with the run, exactly as it was begun; --positions and --hold make it longer")
    parser.add_argument("--start", default="", metavar="NETWORK",
                        help="begin with this network's weights and shape; the board may have another size, and the "
                        "new one more --filters")
    group = parser.add_argument_group("how long (default: one epoch)").add_mutually_exclusive_group()
    group.add_argument("--positions", type=float, metavar="N", help="positions to train on, say 2e6")
    group.add_argument("--epochs", type=float, metavar="N", help="times through all positions of the training split")
    group.add_argument("--minutes", type=float, metavar="N", help="as many as this machine does in N minutes")
    group = parser.add_argument_group("the network")
    group.add_argument("--size", type=int, metavar="N", help="board size (default: the data set's most frequent)")
    group.add_argument("--filters", type=int, metavar="K", help=f"default {shape.filters}")
    group.add_argument("--layers", type=int, metavar="N",
                       help=f"convolutions, the 5x5 and the 1x1 counted (default {shape.layers})")
    for name, what in (("norm", "batch normalisation"), ("residual", "each 3x3 layer adds its input"),
                       ("pooling", "a bias from the whole board in the middle layer"),
                       ("point_bias", "a number to learn for each point of the board"),
                       ("value", "a second output: who wins")):
        group.add_argument(f"--{name.replace('_', '-')}", action=argparse.BooleanOptionalAction, default=None,
                           help=f"{what} (default {'yes' if getattr(shape, name) else 'no'})")
    group.add_argument("--equivariant", action=argparse.BooleanOptionalAction, default=None,
                       help="what it says turns with the board, because its filters stand in eight orientations each; "
                       "much the better use of every position (default yes)")
    group = parser.add_argument_group("how it learns")
    for name, kind, what in (
            ("batch_size", int, ""), ("learning_rate", float, "the highest"), ("warm_up", int, "steps up to it"),
            ("last_rate", float, "share of it at the end"),
            ("value_weight", float, "of the value's loss"),
            ("smoothing", float, "share of the moves taken as drawn from all alike"),
            ("round_positions", int, "between checkpoints"),
            ("validation_positions", int, "looked at after each round"), ("seed", int, "")):
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, default=getattr(options, name), metavar="N",
                           help=f"{what} (default %(default)s)".strip())
    group.add_argument("--hold", type=float, metavar="SHARE", help="of the steps, after which the learning rate goes "
                       f"down (default {options.hold})")
    group.add_argument("--optimizer", choices=tuple(losses.OPTIMIZERS), default=options.optimizer,
                       help="default %(default)s")
    group.add_argument("--symmetry", action=argparse.BooleanOptionalAction, default=options.symmetry,
                       help="turn and mirror each position at random")
    group.add_argument("--where", default="", metavar="QUERY", help="train on these games: a pandas query")
    group.add_argument("--moves", default="", metavar="FROM-TO",
                       help="train on these moves of each game: 1-60, or 21- for all from the 21st on")
    group.add_argument("--precision", choices=("auto", "float32", "mixed_bfloat16"), default="auto",
                       help="auto: bfloat16 where this machine multiplies it faster")


def command(args: argparse.Namespace) -> int:
    check_limits(args, {"positions": AT_LEAST_1, "epochs": POSITIVE, "minutes": POSITIVE, "hold": FRACTION,
                        "size": (2, 19), "filters": AT_LEAST_1, "layers": (3, math.inf)})
    data = dataset.load_dataset(args.dataset)
    if args.resume and (args.epochs or args.minutes):
        raise BadInput("with --resume, only --positions can make a run longer")
    if args.resume:
        about = newest(args.output)[1]
        shape_from_people(about, args.output)
        begun = Options(**about["options"])
        args.positions = args.positions or begun.positions
        args.hold = begun.hold if args.hold is None else args.hold
    elif args.hold is None:
        args.hold = Options(1).hold
    sizes = data.board_sizes()
    size = args.size or (sizes[0] if sizes else 19)
    begin = shape_from_people(metadata.read_metadata(bundled.find_network(args.start)), args.start) if args.start else \
        Architecture(equivariant=True)
    asked = {field: getattr(args, field) for field in asdict(begin)}
    shape = replace(begin, **{field: value for field, value in asked.items() if value is not None} | {"size": size})
    if not args.resume and shape.equivariant and shape.filters % ORIENTATIONS:
        raise BadInput(f"--filters {shape.filters}: an equivariant network has a multiple of {ORIENTATIONS}; "
                       "--no-equivariant has any number")
    options = Options(int(args.positions or 1), precision=policy_net.precision_of(args.precision),
                      **{name: getattr(args, name) for name in asdict(Options(1))
                         if name not in ("positions", "precision", "first")})
    if not args.resume and not args.positions:
        positions = positions_in(args.minutes, data, shape, options) if args.minutes else \
            int((args.epochs or 1) * len(chosen(data, "train", shape.size, options)))
        options = replace(options, positions=positions)
    path = train(data, args.output, shape, options, args.resume, args.start)
    best = metadata.read_metadata(path)["best"]
    print(f"{path}: top-1 {best['validation_top1']:.2%}, top-5 {best['validation_top5']:.2%} on validation positions "
          f"after {best['positions']:,} positions")
    return 0
