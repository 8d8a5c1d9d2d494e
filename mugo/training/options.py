"""The options of a training run, and the quantities that follow from them.  Keras is imported for the schedule only."""
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import AT_LEAST_1, FRACTION, NON_NEGATIVE, POSITIVE, PRECISIONS, SEED, check_choice, check_limits
from mugo.nn.compile import WEIGHTS
from mugo.nn.optimizers import OPTIMIZERS
from mugo.nn.schedules import WarmupStableDecay
from mugo.core.schema import ANYTHING, Object, check_value, integer, number, object_of, optional
from mugo.training.batch_schedule import BatchSchedule

MAY_CHANGE = "positions", "decay_start", "learning_rate"     # when a run is resumed: see train.resume_run
MAX_POSITIONS = 10**12
MAX_BATCH_SIZE = 65_536
MAX_CHECKPOINT_MINUTES = 1_440
MAX_STEPS_PER_EXECUTION = 16             # as many batches as are prefetched
MIN_INTERVAL_STEPS = 64                  # between checkpoints by time; the first of them show how fast the run is
MAX_VALIDATION_POSITIONS = 10**7         # their planes are in memory: 2 kB each on 19x19
DERIVED = "skip_batches", "warmup_limit"                     # not options of the command: a run finds them itself


@dataclass(frozen=True)
class TrainingOptions:
    """The options of a run; kept in its checkpoints, so that it is resumed with the same.

    Raises BadInput for values out of their limits.
    """

    positions: int                       # to train on, repeats counted
    batch_size: int = 128
    max_batch_size: int | None = None    # where the batch size grows; None: it does not
    double_batch_every: int | None = None    # positions after which the batch size doubles, up to max_batch_size
    optimizer: str = "muon"              # one of optimizers.OPTIMIZERS
    learning_rate: float = 0.01          # the peak; see `schedule`
    weight_decay: float = 0.0            # see optimizers.AveragingOptimizer
    warmup_steps: int = 200              # a tenth of all steps at the most
    decay_start: float = 0.7             # the fraction of the positions after which the learning rate decays
    final_lr_fraction: float = 0.01      # of the peak, at the last step
    symmetry: bool = True                # data augmentation: a random symmetry of the board for each position
    value_weight: float = WEIGHTS["value_weight"]        # of the value's loss against the policy's cross-entropy
    ownership_weight: float = WEIGHTS["ownership_weight"]
    score_weight: float = WEIGHTS["score_weight"]
    auxiliary_weight: float = WEIGHTS["auxiliary_weight"]        # of each auxiliary head
    checkpoint_every: float = 5.0        # minutes between two checkpoints; see checkpoint_seconds
    checkpoint_positions: int | None = None  # positions between two checkpoints, instead of minutes
    validation_positions: int = 8_192    # evaluated at each checkpoint
    where: str = ""                      # a query: train on these games
    moves: str = ""                      # 'FROM-TO': see move_range
    endgame_fraction: float = 0.0        # of each batch, drawn from endgames alone: see loader.TrainingStream
    label_smoothing: float = 0.0         # see losses.LabelSmoothingCrossentropy
    freeze_policy: bool = False          # only the value head learns: see compile.freeze_policy
    seed: int = 0
    skip_batches: int = 0                # those that the network it is initialised from was trained on
    precision: str = "float32"           # or 'mixed_bfloat16'
    warmup_limit: int | None = None      # steps; None: a tenth of all.  Of a run made longer, that of the shorter run

    def __post_init__(self):
        check_limits(self, {
            "positions": (1, MAX_POSITIONS), "batch_size": (1, MAX_BATCH_SIZE), "learning_rate": (POSITIVE[0], 1),
            "warmup_steps": NON_NEGATIVE, "decay_start": FRACTION, "final_lr_fraction": FRACTION,
            **dict.fromkeys(WEIGHTS, NON_NEGATIVE), "max_batch_size": (1, MAX_BATCH_SIZE),
            "double_batch_every": (1, MAX_POSITIONS), "weight_decay": FRACTION, "checkpoint_positions": AT_LEAST_1,
            "validation_positions": (1, MAX_VALIDATION_POSITIONS), "skip_batches": NON_NEGATIVE,
            "warmup_limit": NON_NEGATIVE,
            "label_smoothing": FRACTION, "endgame_fraction": FRACTION, "seed": SEED})
        check_choice("optimizer", self.optimizer, OPTIMIZERS)
        check_choice("precision", self.precision, PRECISIONS)
        move_range(self.moves)
        if not 0 < self.checkpoint_every <= MAX_CHECKPOINT_MINUTES:
            raise BadInput(f"--checkpoint-every {self.checkpoint_every:g}: must be minutes, above 0 and at most "
                           f"{MAX_CHECKPOINT_MINUTES:,}; --checkpoint-positions takes positions")
        self._check_batch_sizes()

    def _check_batch_sizes(self) -> None:
        if (self.max_batch_size is None) != (self.double_batch_every is None):
            raise BadInput("--max-batch-size and --double-batch-every are given together or not at all")
        growth, rest = divmod(self.max_batch_size or self.batch_size, self.batch_size)
        if rest or growth & (growth - 1) or not growth:
            raise BadInput(f"--max-batch-size {self.max_batch_size}: must be --batch-size {self.batch_size} times a "
                           "power of two")

    @property
    def batches(self) -> BatchSchedule:
        """The size of each batch.  double_batch_every is rounded up to whole batches of the last size."""
        last = self.max_batch_size or self.batch_size
        return BatchSchedule(self.batch_size, last, -(-(self.double_batch_every or 1) // last) * last)

    @property
    def steps(self) -> int:
        """Of the whole run: positions in whole batches, rounded."""
        return max(1, self.batches.nearest_step(self.positions))

    def checkpoint_step(self, step: int) -> int:
        """The last step that the next checkpoint after this step can be at.

        With checkpoint_positions: the next multiple of these positions, rounded down to whole batches, wherever a run
        is resumed.  Else the step at which the learning rate begins to decay, and the last one.
        """
        if self.checkpoint_positions is None:
            return self.decay_start_step if step < self.decay_start_step else self.steps
        last = self.batches.last
        every = max(1, self.checkpoint_positions // last) * last
        return min(self.steps, self.batches.step_at((self.batches.positions_at(step) // every + 1) * every))

    def checkpoint_seconds(self, seconds: float) -> float:
        """The time until the next checkpoint of a run that has taken so many seconds; inf with checkpoint_positions.

        The first one comes after an eighth of checkpoint_every, and each doubles the run's time until that is reached.
        """
        if self.checkpoint_positions is not None:
            return math.inf
        return 60 * self.checkpoint_every * min(1.0, max(1 / 8, seconds / (60 * self.checkpoint_every)))

    def interval_steps(self, step: int, seconds: float, steps_per_second: float) -> int:
        """The number of steps until the next checkpoint of a run at this step, which has taken so many seconds.

        steps_per_second: measured; 0 while it is not known.  Between checkpoints by time are at least
        MIN_INTERVAL_STEPS, and multiples of MAX_STEPS_PER_EXECUTION but before those that have their place.
        """
        last = self.checkpoint_step(step) - step
        if self.checkpoint_positions is not None:
            return last
        steps = max(MIN_INTERVAL_STEPS, steps_per_second * self.checkpoint_seconds(seconds))
        return min(last, round(steps / MAX_STEPS_PER_EXECUTION) * MAX_STEPS_PER_EXECUTION)

    @property
    def skip_positions(self) -> int:
        """Of the stream of positions, those that the network it is initialised from was trained on."""
        return self.skip_batches * self.batch_size

    @property
    def decay_start_step(self) -> int:
        return min(self.steps, self.batches.nearest_step(self.decay_start * self.batches.positions_at(self.steps)))

    @property
    def warmup(self) -> int:
        """Steps of the warm-up: warmup_steps, at most warmup_limit."""
        return min(self.warmup_steps, self.steps // 10 if self.warmup_limit is None else self.warmup_limit)

    def schedule(self) -> WarmupStableDecay:
        return WarmupStableDecay(self.learning_rate, self.warmup, self.decay_start_step, self.steps,
                                 self.final_lr_fraction)


_ROW = Object({"step": integer(0), "positions": integer(0), "seconds": number(0), "positions_per_second": number(0),
               "validation_ce": number(), "validation_top1": number(), "validation_top5": number()}, others=number())
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
        raise BadInput(f"--moves {text}: give the first move and one not before it, say 1-60, or 21- for all from the "
                       "21st on")
    return first, last
