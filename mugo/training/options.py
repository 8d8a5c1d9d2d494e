"""The options of a training run, and the quantities that follow from them.  Keras is imported for the schedule only."""
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mugo.files import BadInput
from mugo.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, PRECISIONS, SEED, check_choice, check_limits
from mugo.nn.compile import WEIGHTS
from mugo.nn.optimizers import OPTIMIZERS
from mugo.nn.schedules import WarmupStableDecay
from mugo.schema import ANYTHING, Object, check_value, integer, number, object_of, optional

MAY_CHANGE = "positions", "decay_start", "learning_rate"     # when a run is resumed: see train.resume_run
MAX_POSITIONS = 10**12
MAX_BATCH_SIZE = 65_536
MAX_VALIDATION_POSITIONS = 10**7         # their planes are in memory: 2 kB each on 19x19
DERIVED = "skip_batches", "warmup_limit"                     # not options of the command: a run finds them itself


@dataclass(frozen=True)
class TrainingOptions:
    """The options of a run; kept in its checkpoints, so that it is resumed with the same.

    Raises BadInput for values out of their limits.
    """

    positions: int                       # to train on, repeats counted
    batch_size: int = 128
    optimizer: str = "muon"              # one of optimizers.OPTIMIZERS
    learning_rate: float = 0.01          # the peak; see `schedule`
    warmup_steps: int = 200              # a tenth of all steps at the most
    decay_start: float = 0.7             # the fraction of the steps after which the learning rate decays
    final_lr_fraction: float = 0.01      # of the peak, at the last step
    symmetry: bool = True                # data augmentation: a random symmetry of the board for each position
    value_weight: float = WEIGHTS["value_weight"]        # of the value's loss against the policy's cross-entropy
    ownership_weight: float = WEIGHTS["ownership_weight"]
    score_weight: float = WEIGHTS["score_weight"]
    auxiliary_weight: float = WEIGHTS["auxiliary_weight"]        # of each auxiliary head
    checkpoint_every: int = 64_000       # positions between two checkpoints
    validation_positions: int = 8_192    # evaluated at each checkpoint
    where: str = ""                      # a query: train on these games
    moves: str = ""                      # 'FROM-TO': see move_range
    label_smoothing: float = 0.0         # see losses.LabelSmoothingCrossentropy
    seed: int = 0
    skip_batches: int = 0                # those that the network it is initialised from was trained on
    precision: str = "float32"           # or 'mixed_bfloat16'
    warmup_limit: int | None = None      # steps; None: a tenth of all.  Of a run made longer, that of the shorter run

    def __post_init__(self):
        check_limits(self, {
            "positions": (1, MAX_POSITIONS), "batch_size": (1, MAX_BATCH_SIZE), "learning_rate": (POSITIVE[0], 1),
            "warmup_steps": NON_NEGATIVE, "decay_start": FRACTION, "final_lr_fraction": FRACTION,
            **dict.fromkeys(WEIGHTS, NON_NEGATIVE), "checkpoint_every": AT_LEAST_1,
            "validation_positions": (1, MAX_VALIDATION_POSITIONS), "skip_batches": NON_NEGATIVE,
            "warmup_limit": NON_NEGATIVE,
            "label_smoothing": FRACTION, "seed": SEED})
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        check_choice("precision", self.precision, PRECISIONS)
        move_range(self.moves)

    @property
    def steps(self) -> int:
        """Of the whole run: positions / batch_size, rounded."""
        return max(1, round(self.positions / self.batch_size))

    @property
    def steps_per_checkpoint(self) -> int:
        """Steps of a checkpoint interval; the last interval may be shorter."""
        return min(self.steps, max(1, self.checkpoint_every // self.batch_size))

    def intervals(self, first_step: int) -> Iterator[tuple[int, int, int]]:
        """The checkpoint intervals from a step on, grouped: (first step, steps of each interval, how many).

        Checkpoints are at the multiples of steps_per_checkpoint and at the end, wherever the run is resumed.
        """
        step = first_step
        while step < self.steps:
            length = min(self.steps_per_checkpoint - step % self.steps_per_checkpoint, self.steps - step)
            count = (self.steps - step) // length if length == self.steps_per_checkpoint else 1
            yield step, length, count
            step += length * count

    @property
    def decay_start_step(self) -> int:
        return round(self.decay_start * self.steps)

    @property
    def warmup(self) -> int:
        """Steps of the warm-up: warmup_steps, at most warmup_limit."""
        return min(self.warmup_steps, self.steps // 10 if self.warmup_limit is None else self.warmup_limit)

    def schedule(self) -> WarmupStableDecay:
        return WarmupStableDecay(self.learning_rate, self.warmup, self.decay_start_step, self.steps,
                                 self.final_lr_fraction)


_ROW = Object({"step": integer(0), "positions": integer(0), "validation_ce": number()}, others=number())
# The metadata of a run's checkpoint, beside those that every network has.
_RUN = Object(
    {"options": object_of(TrainingOptions), "history": [_ROW], "best": optional(_ROW),
     "data": Object({}, others=ANYTHING)},
    {"learning_rates": [Object({"step": integer(0), "before": number(), "after": number()})]}, others=ANYTHING)


def check_run(metadata: dict[str, Any], path: Path) -> None:
    """Raise BadInput, which names the field, unless these are the metadata of a checkpoint of `mugo train`."""
    if "options" not in metadata or "rules" in metadata:
        raise BadInput(f"{path} is no checkpoint of `mugo train`")
    check_value(metadata, _RUN, str(path))
    try:
        TrainingOptions(**metadata["options"])
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def move_range(text: str) -> tuple[int, float]:
    """The first and last move to train on, counted from 1: of '21-60', of '21-', of '' all.  Raises BadInput."""
    found = re.fullmatch(r"(\d{1,6})-(\d{0,6})", text or "1-", re.ASCII)
    first, last = (int(found[1]), int(found[2] or 0) or math.inf) if found else (0, 0)
    if not 1 <= first <= last:
        raise BadInput(f"--moves {text}: the first and last move are needed, say 1-60, or 21- for all from the 21st on")
    return first, last
