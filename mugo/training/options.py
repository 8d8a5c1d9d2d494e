"""The options of a training run, and the quantities that follow from them.  Keras is imported for the schedule only."""
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mugo.files import BadInput
from mugo.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, SEED, check_limits
from mugo.nn.schedules import WarmupStableDecay

MAY_CHANGE = "positions", "decay_start", "learning_rate"     # when a run is resumed: see train.resume_run
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
    value_weight: float = 0.25           # of the value's loss against the policy's cross-entropy
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
            "positions": AT_LEAST_1, "batch_size": AT_LEAST_1, "learning_rate": (POSITIVE[0], 1),
            "warmup_steps": NON_NEGATIVE, "decay_start": FRACTION, "final_lr_fraction": FRACTION,
            "value_weight": NON_NEGATIVE, "checkpoint_every": AT_LEAST_1, "validation_positions": AT_LEAST_1,
            "label_smoothing": FRACTION, "seed": SEED})
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


def move_range(text: str) -> tuple[int, float]:
    """The first and last move to train on, counted from 1: of '21-60', of '21-', of '' all.  Raises BadInput."""
    found = re.fullmatch(r"(\d{1,6})-(\d{0,6})", text or "1-", re.ASCII)
    first, last = (int(found[1]), int(found[2] or 0) or math.inf) if found else (0, 0)
    if not 1 <= first <= last:
        raise BadInput(f"--moves {text}: the first and last move are needed, say 1-60, or 21- for all from the 21st on")
    return first, last
