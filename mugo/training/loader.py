"""Positions and batches for training: which positions, their targets, and batches prefetched by threads."""
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import numpy as np

from mugo.data import game_hash
from mugo.data.dataset import DataSet
from mugo.data.positions import Batch, Positions
from mugo.data.teacher_labels import OWNERSHIP_UNIT, has_ownership, labels_path, open_labels, taught_positions
from mugo.core.files import BadInput
from mugo.core.parallel import ordered_map
from mugo.games.planes import HISTORY
from mugo.nn.architectures import NEXT_MOVES, PolicyNetConfig
from mugo.nn.inputs import GLOBAL_FEATURES, PEOPLE, encode_people, model_inputs
from mugo.nn.heads import UNKNOWN_OWNER
from mugo.nn.quantization import CALIBRATED, COMPARED, CalibrationPositions
from mugo.training.options import EXECUTION_STEPS, TrainingOptions, move_range

OTHER_KOMI = 0.5                         # of the positions with a known final score, those that get another komi
KOMI_STDEV = 15.0                        # points; of the other komi around the game's
NO_HISTORY = 0.05                        # of the positions to learn from, those whose last moves are not told
ENDGAME_MOVES = 60                       # the last of a game; another number is another stream (TrainingStream)


def select_positions(data: DataSet, split: str, config: PolicyNetConfig, options: TrainingOptions) -> Positions:
    """The positions of a split that options.where and options.moves select, with what a network of this config takes;
    those to train on with options.sample_weight.  Raises BadInput if there are none."""
    positions = data.positions(split, config.size, options.where, move_range(options.moves))
    if options.teacher:
        positions = taught_positions(positions, [open_labels(labels_path(data.folder, name))
                                                 for name in options.teacher.split(",")])
    positions = positions.weighted(options.sample_weight) if split == "train" else positions
    return positions.with_people() if config.metadata_encoder else positions


class TrainingStream:
    """The shuffled stream of batches that a run trains on.  With options.endgame_fraction the last positions of each
    batch are of the last ENDGAME_MOVES moves of games that ended by scoring.

    Raises BadInput if there are no such positions, or a batch is too small to have one.
    """

    def __init__(self, positions: Positions, options: TrainingOptions):
        self.positions, self.options = positions, options
        self.endgame = positions.endgame(ENDGAME_MOVES) if options.endgame_fraction else None
        if self.endgame is None:
            return
        given = f"--endgame-fraction {options.endgame_fraction:g}"
        if not len(self.endgame) or self.endgame.weights is not None and not self.endgame.weights.any():
            weighted = "" if self.endgame.weights is None else " with a --sample-weight above 0"
            raise BadInput(f"{given}: no training game{weighted} ended by scoring with its recorded result, and has "
                           f"one of its last {ENDGAME_MOVES} moves among those of --moves")
        if not self._endgames(options.batch_size):
            raise BadInput(f"{given}: is less than one position of --batch-size {options.batch_size}")

    def _endgames(self, size: int) -> int:
        """How many positions of a batch of this size are endgames."""
        return 0 if self.endgame is None else round(self.options.endgame_fraction * size)

    def batch(self, number: int, size: int, seed: int, process_index: int = 0, process_count: int = 1) -> Batch:
        """Batch `number` of this size, or the slice of it that one of several processes trains on."""
        augment, endgames = self.options.augment, self._endgames(size)
        start, end = (size // process_count * i for i in (process_index, process_index + 1))
        middle = min(max(start, size - endgames), end)   # the first of the endgames
        batches = [self.positions.shuffled(number * size + start, middle - start, seed, augment)] * (middle > start)
        if self.endgame is not None and middle < end:
            first = number * endgames + middle - (size - endgames)
            batches.append(self.endgame.shuffled(first, end - middle, seed, augment))
        joined: Any = (np.concatenate(columns) for columns in zip(*batches, strict=True) if columns[0] is not None)
        return batches[0] if len(batches) == 1 else Batch(*joined)


def examples(batch: Batch, config: PolicyNetConfig, rng: np.random.Generator | None = None,
             process_index: int = 0, process_count: int = 1, people_dropout: float = 0.0,
             teacher_weight: float = 0.0, mixes_policy: bool = False) -> tuple[Any, dict]:
    """A batch as Keras takes it: (inputs, targets) of a model of this config; see nn/keras/model.py and losses.py.

    rng: to learn from.  Half of the positions with a known score get another komi, drawn around the game's; results
    are those that Batch.results estimates; who plays is dropped (people_kept), and in some the last moves, so that the
    network also knows positions that were set up.  None: to validate on, by the results that predictions.py measures
    by; who plays is unknown in every second position.
    process_index, process_count: which slice of a larger batch this is, as in TrainingStream.batch.
    teacher_weight, mixes_policy: of TrainingOptions, for positions that teachers have labelled (taught_targets).
    """
    n = len(batch.komi)
    here = slice(process_index * n, (process_index + 1) * n)
    targets: dict[str, np.ndarray] = {"policy": batch.targets}
    features, komi = None, batch.komi
    if config.value_head:
        if batch.teachers is not None:
            komi = -batch.colours * batch.teachers[0]["komi"]
        elif config.komi_input and rng is not None:
            drawn, shifts = rng.random(process_count * n), rng.standard_normal(process_count * n)
            others = ~np.isnan(batch.scores) & (drawn[here] < OTHER_KOMI)
            komi = np.where(others, np.floor(komi + KOMI_STDEV * shifts[here]) + 0.5, komi).astype(np.float32)
        results = batch.results(komi, estimated=rng is not None)
        is_other = np.isnan(batch.scores) & (komi != batch.komi) & ~np.isnan(batch.komi)       # of a label
        targets["value"] = np.where(is_other, 0, results.outcomes).astype(np.float32)[:, None]
        if config.komi_input:
            features = np.nan_to_num(batch.global_features(komi))
            targets["ownership"] = np.where(results.has_ownership[:, None], batch.ownership,
                                            UNKNOWN_OWNER).astype(np.int8)
            targets["score"] = results.scores[:, None]
    if batch.teachers is not None:
        drawn = np.full(n, 0.5) if rng is None else rng.random(process_count * n)[here]
        targets = taught_targets(targets, batch.teachers, teacher_weight, mixes_policy, drawn)
    if config.auxiliary_heads:
        targets |= {f"policy_{move}": batch.next_moves[:, i:i + 1] for i, move in enumerate(NEXT_MOVES)}
    people = None
    if config.metadata_encoder:
        is_known = np.arange(n)[:, None] % 2 == 0 if rng is None else \
            people_kept(process_count * n, people_dropout, rng)[here]
        people = encode_people(np.where(is_known, batch.people, np.nan))
    packed = batch.packed
    if rng is not None:
        without = rng.random(process_count * n)[here] < NO_HISTORY
        packed = np.where(without[:, None, None], packed & ~HISTORY, packed)
    return model_inputs(packed, features, config.spec().uses_components, people), targets


# ---- teachers' targets

# Scores that stand for a logistic distribution: the middles of five equal parts, scaled to a standard deviation of 1.
_ODDS = np.log(np.array([1, 3, 5, 7, 9]) / np.array([9, 7, 5, 3, 1]))
SCORES = _ODDS / _ODDS.std()


def taught_targets(targets: dict[str, np.ndarray], labels: Sequence[np.ndarray], weight: float, mixes_policy: bool,
                   drawn: np.ndarray) -> dict[str, np.ndarray]:
    """The targets of a batch, mixed with teachers' labels (teacher_labels.label_type, (n,) each), for a weight a:

        policy       the move played, weight 1 - a, and the mean of the teachers' best moves, together a
        value        (1 - a) z + a (2 w - 1), for the outcome z and the first teacher's win rate w; where z is not
                     known, 2 w - 1
        ownership    likewise
        score        with probability a five scores with the mean and standard deviation of the first teacher's lead,
                     else the game's; where one of them is not known, the other

    mixes_policy: also those of the policy.  drawn: float (n,), from 0 to 1, for the score.
    """
    mixed = dict(targets)
    if mixes_policy:
        mixed["policy"] = policy_target(targets["policy"], labels, weight)
    if "value" in targets:
        mixed["value"] = value_target(targets["value"], labels[0], weight)
    if "score" in targets:
        mixed["ownership"] = ownership_target(targets["ownership"], labels[0], weight)
        mixed["score"] = score_target(targets["score"], labels[0], weight, drawn)
    return mixed


def policy_target(moves: np.ndarray, labels: Sequence[np.ndarray], weight: float) -> np.ndarray:
    """float32 (n, 2 + 32 teachers), for losses.weighted_moves_loss: the move played and the teachers' moves, and their
    weights."""
    probabilities = [each["probabilities"].astype(np.float32) for each in labels]
    shares = [weight / len(labels) * each / each.sum(1, keepdims=True) for each in probabilities]
    played = np.full((len(moves), 1), 1 - weight)
    return np.concatenate([moves[:, None], *(each["moves"] for each in labels), played, *shares], 1, dtype=np.float32)


def value_target(outcomes: np.ndarray, labels: np.ndarray, weight: float) -> np.ndarray:
    """float32 (n, 1).  outcomes: float (n, 1), 0 where it is not known."""
    values = (2 * labels["win_rate"] - 1)[:, None]
    return np.where(outcomes == 0, values, (1 - weight) * outcomes + weight * values).astype(np.float32)


def ownership_target(owners: np.ndarray, labels: np.ndarray, weight: float) -> np.ndarray:
    """float32 (n, points).  owners: int8 (n, points), UNKNOWN_OWNER where a game has none."""
    if not has_ownership(labels):
        return owners.astype(np.float32)
    taught = labels["ownership"].astype(np.float32) / OWNERSHIP_UNIT
    return np.where(owners == UNKNOWN_OWNER, taught, (1 - weight) * owners + weight * taught).astype(np.float32)


def score_target(scores: np.ndarray, labels: np.ndarray, weight: float, drawn: np.ndarray) -> np.ndarray:
    """float32 (n, 5).  scores: float (n, 1), NaN where it is not known.  drawn: float (n,), from 0 to 1."""
    lead = labels["lead"][:, None]
    taught = lead + np.nan_to_num(labels["stdev"])[:, None] * SCORES
    chosen = (drawn[:, None] < weight) | np.isnan(scores)
    return np.where(chosen & ~np.isnan(lead), taught, scores).astype(np.float32)


def people_kept(count: int, dropout: float, rng: np.random.Generator) -> np.ndarray:
    """Which of Batch.people positions are trained with, bool (count, 4): all four are unknown with this probability,
    and otherwise each by itself, so that a network learns to do without any of them."""
    kept = rng.random((count, 5)) >= dropout
    return kept[:, :1] & kept[:, 1:]


def validation_batch(positions: Positions, options: TrainingOptions, config: PolicyNetConfig) -> tuple[Any, dict]:
    """Examples, the same for every run on this data set: drawn once from all of these positions."""
    numbers, _ = game_hash.shuffled_positions(0, min(options.validation_positions, len(positions)), len(positions), 0)
    return examples(positions.batch(np.sort(numbers)), config, teacher_weight=options.teacher_weight,
                    mixes_policy=options.mixes_policy)


def calibration_positions(inputs: Any, targets: dict[str, np.ndarray]) -> CalibrationPositions:
    """The positions that an exported network is quantised with, of `examples`, in random order."""
    inputs = inputs if isinstance(inputs, dict) else {"packed": inputs}
    order = np.random.default_rng(0).permutation(len(inputs["packed"]))[:CALIBRATED + COMPARED]
    packed, features, people = (inputs[name][order] if name in inputs else None
                                for name in ("packed", GLOBAL_FEATURES, PEOPLE))
    assert packed is not None
    outcomes = targets["value"][order, 0] if "value" in targets else None
    moves = targets["policy"] if targets["policy"].ndim == 1 else targets["policy"][:, 0].astype(np.int32)
    return CalibrationPositions(packed, features, moves[order], outcomes, people)


class PrefetchLoader:
    """An iterator over batches `first`, `first + 1`, ... of make(step), in order, prefetched by threads: one for each,
    and EXECUTION_STEPS more.  `close` ends it and waits for the threads.

    An exception of make is raised where its batch was due.  waited: seconds in which no batch was ready.
    """

    def __init__(self, make: Callable[[int], tuple], first: int, threads: int):
        self._executor, self._closed, self.waited = ThreadPoolExecutor(threads), False, 0.0
        self._batches = ordered_map(self._executor, make, itertools.count(first),
                                    threads + EXECUTION_STEPS)

    def __iter__(self) -> Iterator[tuple]:
        return self

    def __next__(self) -> tuple:
        began = time.perf_counter()
        try:
            return next(self._batches)
        except (CancelledError, RuntimeError):
            if self._closed:             # while TensorFlow's thread, which consumes, waited
                raise StopIteration from None
            raise
        finally:
            self.waited += time.perf_counter() - began

    def close(self) -> None:
        self._closed = True
        self._executor.shutdown(cancel_futures=True)
