"""The options of a training run, and what follows from them.

A field of TrainingOptions or of nn.architectures.PolicyNetConfig is an option of `mugo train`, a line of its help and
of docs/reference/options.md, a value in the run's metadata and options.toml, and is compared by --resume.
"""
import argparse
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mugo.core.files import BadInput
from mugo.core.limits import OPTIMIZERS, PLAY_PRECISIONS, SEED, TRAINING_PRECISIONS
from mugo.core.options import (
    NETWORK_HELP, REQUIRED, add_options, check, defaults_in_words, format_names, may_change, option)
from mugo.core.parallel import add_scheduler_argument
from mugo.data.options import DATASET_HELP, SPLITS, WHERE_HELP
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.nn.architectures import PRESETS, PolicyNetConfig
from mugo.nn.heads import LOSS_WEIGHTS

if TYPE_CHECKING:                        # --help needs no Keras
    from mugo.nn.keras.optimizers import WarmupStableDecay

EXECUTION_STEPS = 16                     # after which the loss is read; as many batches are prefetched
MIN_INTERVAL_STEPS = 64                  # between checkpoints by time; the first of them show how fast the run is
NEW_NETWORK = PRESETS["default"]         # the defaults of a new network
GPU_DEFAULTS = {"batch_size": 512, "learning_rate": 0.015}      # on a GPU or TPU, where neither of them is given
# Options that runs of earlier versions have in their checkpoints, each with the value that this version trains with.
FORMER_OPTIONS: dict[str, Any] = {"label_smoothing": 0.0, "max_batch_size": None, "double_batch_every": None,
                                  "weight_decay": 0.0}
# What differs from the defaults of the fields, in words.
DEFAULTS = defaults_in_words(NEW_NETWORK) | {"size": "the data set's most frequent",
                                             "komi_input": "on with --value-head"}


@dataclass(frozen=True)
class TrainingOptions:
    """The options of a run; kept in its checkpoints, so that it is resumed with the same.

    Raises BadInput for values out of their limits.
    """

    positions: int = option(REQUIRED, "number of positions to train on, including repeats, for example 2e6", least=1,
                            most=10**12, shown_default="one epoch", common=True, may_change=True)
    batch_size: int = option(128, "positions in a batch", least=1, most=65_536, common=True,
                             shown_default=f"128, on a GPU {GPU_DEFAULTS['batch_size']}")
    optimizer: str = option("muon", "Muon for the convolutions and Adam for the rest, or Adam for everything",
                            choices=OPTIMIZERS)
    learning_rate: float = option(0.01, "peak learning rate", above=0, most=1, common=True, may_change=True,
                                  shown_default=f"0.01, on a GPU {GPU_DEFAULTS['learning_rate']}")
    clip_norm: float | None = option(None, "the gradients of a step, all together, are shortened to this norm", above=0,
                                     shown_default="off")
    warmup_steps: int = option(200, "steps of the linear warm-up, a tenth of all steps at most", least=0)
    decay_start: float = option(0.7, "fraction of the positions after which the learning rate decays; 1: never",
                                least=0, most=1, may_change=True)
    final_lr_fraction: float = option(0.01, "final learning rate, as a fraction of the peak", least=0, most=1)
    augment: bool = option(True, "data augmentation: a random symmetry of the board for each position")
    value_weight: float = option(LOSS_WEIGHTS["value_weight"], "weight of the value's loss", least=0)
    ownership_weight: float = option(LOSS_WEIGHTS["ownership_weight"], "weight of the ownership's loss", least=0)
    score_weight: float = option(LOSS_WEIGHTS["score_weight"], "weight of the score's loss", least=0)
    auxiliary_weight: float = option(LOSS_WEIGHTS["auxiliary_weight"], "weight of the loss of each auxiliary head",
                                     least=0)
    checkpoint_every: float = option(5.0, "minutes between checkpoints, each with validation; shorter at first",
                                     above=0, most=1_440)
    checkpoint_positions: int | None = option(None, "positions between checkpoints, instead of minutes", least=1)
    keep_checkpoint_every: int | None = option(None, "positions after which a checkpoint is kept for good, as "
                                               "checkpoint-POSITIONS.safetensors", least=1, shown_default="off")
    validation_positions: int = option(8_192, "positions evaluated at each checkpoint", least=1,
                                       most=10**7)
    where: str = option("", WHERE_HELP, shown_default="all", metavar="QUERY", common=True)
    sample_weight: str = option("", "how often the positions of a game are drawn: a number from its columns, such as "
                                "\"1 + 3 * (black_rank < 0)\"; validation is not weighted", shown_default="all alike",
                                metavar="EXPR", common=True)
    moves: str = option("", "train on these moves of each game: 1-60, or 21- for all from the 21st on",
                        shown_default="all", metavar="FROM-TO")
    endgame_fraction: float = option(0.0, "fraction of each batch that is drawn from the last 60 moves of games that "
                                     "ended by scoring, as far as --moves selects them: a better value where a game is "
                                     "nearly decided", least=0, most=1)
    teacher: str = option("", "train on the positions of the labels of this name, which `mugo label` wrote, and mix "
                          "what the teacher says with what people played and how their games ended; of several "
                          "teachers, the mean of their policies, and the values of the first", metavar="NAME[,NAME]",
                          shown_default="none", common=True)
    teacher_weight: float = option(0.5, "with --teacher, its share of the targets; 1: learn from it alone", least=0,
                                   most=1, common=True)
    people_dropout: float = option(0.3, "with --metadata-encoder, the probability that all of who plays is dropped, "
                                   "and else that each rank, the source and the year is, by itself", least=0, most=1)
    freeze_policy: bool = option(False, "train the value head alone: the policy of --init-from stays as it is")
    freeze_network: bool = option(False, "train the metadata encoder alone: where nobody is known, the network of "
                                  "--init-from stays as it is")
    seed: int = option(0, "random seed", least=SEED[0], most=SEED[1], common=True)
    precision: str = option("auto", "precision of the multiplications: auto is bfloat16 where this machine multiplies "
                            "it faster", choices=("auto", *TRAINING_PRECISIONS), common=True)
    # Not options of the command: a run finds these itself.
    skip_batches: int = 0                # those that the network it is initialised from was trained on
    warmup_limit: int | None = None      # steps; None: a tenth of all.  For a run made longer, the shorter run's

    def __post_init__(self):
        check(self)
        move_range(self.moves)
        if self.teacher and (self.sample_weight or self.endgame_fraction):
            raise BadInput("--teacher: the positions are those that it has labelled, without --sample-weight and "
                           "--endgame-fraction")

    @property
    def mixes_policy(self) -> bool:
        """Whether the policy learns from a teacher too."""
        return bool(self.teacher) and not self.freeze_policy

    @property
    def frozen(self) -> str:
        """What does not learn, one of nn.compile.LEARNING; '': everything does."""
        return "policy" if self.freeze_policy else "network" if self.freeze_network else ""

    @property
    def steps(self) -> int:
        """Of the whole run: positions in whole batches, rounded."""
        return max(1, round(self.positions / self.batch_size))

    def checkpoint_step(self, step: int) -> int:
        """The latest step at which the checkpoint after this step is due: with checkpoint_positions the next multiple;
        else the step at which the learning rate begins to decay, and the last one."""
        if self.checkpoint_positions is None:
            return self.decay_start_step if step < self.decay_start_step else self.steps
        every = max(1, self.checkpoint_positions // self.batch_size)
        return min(self.steps, (step // every + 1) * every)

    def checkpoint_seconds(self, seconds: float) -> float:
        """The time until the next checkpoint of a run after n seconds; inf with checkpoint_positions.  The first comes
        after an eighth of checkpoint_every, and each doubles the run's time until that is reached."""
        if self.checkpoint_positions is not None:
            return math.inf
        return 60 * self.checkpoint_every * min(1.0, max(1 / 8, seconds / (60 * self.checkpoint_every)))

    def interval_steps(self, step: int, seconds: float, steps_per_second: float) -> int:
        """The number of steps until the next checkpoint of a run at this step, after n seconds.  steps_per_second: 0
        while it is not known.  Checkpoints by time are multiples of EXECUTION_STEPS apart."""
        last = self.checkpoint_step(step) - step
        if self.checkpoint_positions is not None:
            return last
        steps = max(MIN_INTERVAL_STEPS, steps_per_second * self.checkpoint_seconds(seconds))
        return min(last, round(steps / EXECUTION_STEPS) * EXECUTION_STEPS)

    @property
    def decay_start_step(self) -> int:
        return round(self.decay_start * self.steps)

    @property
    def warmup(self) -> int:
        """Steps of the warm-up: warmup_steps, at most warmup_limit."""
        return min(self.warmup_steps, self.steps // 10 if self.warmup_limit is None else self.warmup_limit)

    def schedule(self) -> "WarmupStableDecay":
        from mugo.nn.keras.optimizers import WarmupStableDecay
        return WarmupStableDecay(self.learning_rate, self.warmup, self.decay_start_step, self.steps,
                                 self.final_lr_fraction)


@dataclass(frozen=True)
class CommandOptions:
    """What a command line of `mugo train` says besides, which the run does not keep.  Raises BadInput."""

    epochs: float | None = option(None, "instead of --positions: times through all positions of the training split",
                                  above=0, most=1_000_000, common=True)
    minutes: float | None = option(None, "instead of --positions: as many as this machine trains on in these minutes",
                                   above=0, most=1_000_000, common=True)
    model: str = option("default", f"the architecture, which the options of the network change: "
                        f"{', '.join(PRESETS)}, or that of a network, without its weights", metavar="NAME", common=True)
    resume: bool = option(False, "continue the run with its own options", common=True)
    init_from: str = option("", "initialise from this network, with its config; the board may have another size, and "
                            "the new network more --context-layers, and a --metadata-encoder", metavar="NETWORK",
                            common=True)
    devices: int | None = option(None, "number of GPUs, each of which gets an equal slice of each batch", least=1,
                                 shown_default="all", common=True)
    distributed: bool = option(False, "train in several processes, on JAX, which finds the others by itself under "
                               "Slurm, Open MPI, Kubernetes and on TPUs; elsewhere give the next three options")
    coordinator_address: str | None = option(None, "host of process 0, with a free port",
                                             metavar="HOST:PORT", shown_default="JAX_COORDINATOR_ADDRESS")
    num_processes: int | None = option(None, "number of processes", least=1, most=10_000)
    process_id: int | None = option(None, "index of this process, from 0", least=0, most=9_999)

    def __post_init__(self):
        check(self)


def run_options(metadata: dict[str, Any]) -> TrainingOptions:
    """The options in the metadata of a run's checkpoint."""
    return TrainingOptions(**{name: value for name, value in metadata["options"].items() if name not in FORMER_OPTIONS})


def check_training_run(metadata: dict[str, Any], path: Path) -> None:
    """Raise BadInput unless these are the metadata of a checkpoint of `mugo train` that this version resumes."""
    if "options" not in metadata or "rules" in metadata:
        raise BadInput(f"{path} is not a checkpoint of `mugo train`")
    for name, only in FORMER_OPTIONS.items():
        if metadata["options"].get(name, only) != only:
            raise BadInput(f"{path}: options.{name} is {metadata['options'][name]}, and this version has no "
                           f"--{name.replace('_', '-')}")
    try:
        run_options(metadata)
    except (BadInput, TypeError) as error:
        raise BadInput(f"{path}: {error}") from None


def move_range(text: str) -> tuple[int, float]:
    """The first and last move to train on, counted from 1: of '21-60', of '21-', of '' all.  Raises BadInput."""
    found = re.fullmatch(r"(\d{1,6})-(\d{0,6})", text or "1-", re.ASCII)
    first, last = (int(found[1]), int(found[2] or 0) or math.inf) if found else (0, 0)
    if not 1 <= first <= last:
        raise BadInput(f"--moves {text}: give the first move and one not before it, say 1-60, or 21- for all from the "
                       "21st on")
    return first, last


MAY_CHANGE = may_change(TrainingOptions)                 # when a run is resumed: see train.resume_run


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of `mugo train`."""
    parser.epilog = f"{parser.epilog}  With --resume, {format_names(MAY_CHANGE)} can change."
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    add_options(parser, CommandOptions)
    add_options(parser.add_argument_group("the network"), PolicyNetConfig, defaults=DEFAULTS)
    add_options(parser.add_argument_group("learning"), TrainingOptions)


@dataclass(frozen=True)
class LabelOptions:
    """The options of `mugo label`.  Raises BadInput for values out of their limits."""
    network: str = option("", "the teacher: a network of MuGo, by its name or file", metavar="NETWORK", common=True,
                          shown_default="none")
    engine: str = option("", "the teacher: a program that speaks KataGo's analysis protocol, say \"katago analysis "
                         "-config analysis.cfg -model net.bin.gz\"; its own configuration says how many visits it "
                         "searches", metavar="COMMAND", common=True, shown_default="none")
    positions: int | None = option(None, "how many positions to label", least=1, shown_default="all", common=True)
    last: int | None = option(None, "label the last N positions of each game, no others", least=1,
                              shown_default="all", common=True)
    ownership: bool = option(False, "also keep who owns each point, a byte a point", common=True)
    jobs: int | None = option(None, "threads of a network, or programs that run at a time", least=1, common=True,
                              shown_default="one thread for each core, or one program")
    resume: bool = option(False, "continue the labels of this name", common=True)

    def __post_init__(self):
        check(self)
        if bool(self.network) == bool(self.engine):
            raise BadInput("give one teacher: --network NETWORK or --engine COMMAND")


def add_label_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("-o", "--output", required=True, metavar="NAME", help="the labels' name: they are written to "
                        "DATASET/teachers/NAME.labels")
    add_options(parser, LabelOptions)


@dataclass(frozen=True)
class EvaluateOptions:
    """The options of `mugo evaluate`.  Raises BadInput for values out of their limits."""
    split: str = option("test", "positions of this split", choices=(*SPLITS, "all"), common=True)
    where: str = option("", WHERE_HELP, shown_default="all", metavar="QUERY", common=True)
    size: int | None = option(None, "board size", least=MIN_SIZE, most=MAX_SIZE, common=True,
                              shown_default="the one that the networks were trained on")
    sample: int = option(10_000, "number of positions, drawn at random; 0: all.  The standard error of top-1 is "
                         "about 0.6 % at 10,000 positions and 0.2 % at 60,000", least=0, common=True)
    symmetries: bool = option(True, "also with test-time augmentation: averaged over the board's eight symmetries, "
                              "eight times as slow; left out where all networks are equivariant, because it changes "
                              "nothing", common=True)
    people: str = option("unknown", "what networks with a metadata encoder are told of who plays: unknown, true, or a "
                         "rank such as 3d in place of that of both players; compare: what each of these is worth",
                         metavar="WHO", common=True)
    seed: int = option(0, "random seed of the sample", least=SEED[0], most=SEED[1], common=True)
    precision: tuple[str, ...] = option(("float32",), "precision of the networks: float32, int8, or auto, as they are "
                                        "played on this processor; several, such as float32,int8, compare each network "
                                        "in each of them", choices=PLAY_PRECISIONS, metavar="NAME", common=True)

    def __post_init__(self):
        check(self)


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("networks", nargs="+", metavar="NETWORK",
                        help=f"{NETWORK_HELP}; the others are compared with the first")
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    add_options(parser, EvaluateOptions)
    add_scheduler_argument(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="PREFIX",
                        help="write PREFIX.csv, PREFIX-calibration.csv and .png; of several networks the "
                             "comparison to PREFIX.csv and each one's to PREFIX-NETWORK (default: NETWORK-SPLIT or "
                             "networks-SPLIT in the current folder, or in PREFIX if it is a folder)")


@dataclass(frozen=True)
class QuantizeOptions:
    """The options of `mugo quantize`.  Raises BadInput for values out of their limits."""
    where: str = option("", WHERE_HELP, shown_default="all", metavar="QUERY", common=True)
    seed: int = option(0, "random seed of the positions", least=SEED[0], most=SEED[1], common=True)

    def __post_init__(self):
        check(self)


def add_quantize_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="NETWORK", help=NETWORK_HELP)
    parser.add_argument("dataset", nargs="?", type=Path, metavar="DATASET",
                        help="calibrate on validation positions of this data set (default: on positions of games that "
                        "the network plays against itself)")
    add_options(parser, QuantizeOptions)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the file to write (default: NETWORK itself)")


def add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="NETWORK", help=NETWORK_HELP)
    parser.add_argument("output", type=Path, metavar="FILE", help="the file to write, FILE.onnx")
