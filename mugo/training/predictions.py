"""A network's predictions for positions of games, scored, one row a position; and their calibration.

    policy      top1                 whether the move played has the highest probability; of k moves that share it,
                                     1 / k (see TIE)
                top5                 whether it is among the first five, likewise
                ce                   its negative log-likelihood, in nats
                top1_probability     of the first move
    value       value_accuracy       whether the value names the winner (`known_outcomes`)
                value_mse            squared error, of a value in [-1, 1]
                win_probability      (1 + value) / 2, of the side to move
    ownership   ownership_accuracy   the fraction of the points whose owner is right, of those that somebody owns
                ownership_*_0 ... 9  for calibration: see measure_ownership
    score       score_error          absolute error of the mean, in points
                score_pit            probability integral transform: the predicted probability of a lower score than
                                     the game's (Dawid 1984), uniform from 0 to 1 for a calibrated network

What is not known of a game is NaN: the value of games without a winner, or whose komi is unknown; ownership and score
of games that did not end by scoring (data/labels.py); all of these where a handicap is still to be made up for
by strength.  Outcomes and scores come from positions.Batch.results, which networks are trained on.
"""
import functools
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mugo.core.intervals import mean_and_standard_error
from mugo.core.parallel import TaskExecutor, ordered_map
from mugo.core.progress import ProgressBar, progress_bar
from mugo.data.dataset import load_dataset
from mugo.data.positions import Batch, Positions
from mugo.data.summary import rank_groups, source_family
from mugo.games import coords
from mugo.games.planes import MAX_PLIES
from mugo.nn.network_file import find_network, name_everywhere
from mugo.nn.inference import Network
from mugo.nn.inputs import encode_people, parse_rank
from mugo.nn.output import NetworkOutput, mean_output, turned_back
from mugo.nn.heads import STDEV_OF_SCALE

BATCH = 128
MIN_PROBABILITY = 1e-10                  # a probability below it counts as this much: 23 nats
TIE = 1e-3                               # relative difference of probabilities up to which moves share their rank: an
                                         # equivariant network gives symmetric moves the same one, up to rounding
WRONG_BY = 5                             # ranks
BINS = 10                                # of predicted probability, for calibration
TTA = "_tta"                             # ends the name of a measure with test-time augmentation
PHASES = ((1, 30), (31, 60), (61, 100), (101, 150), (151, 200), (201, 250), (251, MAX_PLIES))
RANKS = (("kyu", -99, 0), ("1-3d", 1, 3), ("4-6d", 4, 6), ("7-8d", 7, 8), ("9d", 9, 9),
         ("professional", 10, 18))               # numbers as sgf's rank_number gives them
TASK_POSITIONS = 8 * BATCH               # of a task of a cluster: some seconds of a core
# (network, positions, numbers, symmetries, bar) -> the measures of these positions, in order
Measure = Callable[[Network, Positions, np.ndarray, bool, ProgressBar], Iterator[pd.DataFrame]]


def with_people(positions: Positions, people: str) -> Positions:
    """Positions whose batches say who plays.  people: "unknown"; "true"; "source and year", without the ranks; "wrong
    rank", WRONG_BY ranks off, towards the middle of those of the games; or a rank of both players, such as "3d".
    Raises BadInput."""
    if people == "unknown":
        return positions
    known = positions.with_people()
    if people == "true":
        return known
    assert known.people is not None
    ranks = known.people[:, :2]
    if people == "wrong rank":
        ranks += np.where(ranks > np.nanmedian(ranks), -WRONG_BY, WRONG_BY)
    else:
        ranks[:] = np.nan if people == "source and year" else parse_rank(people)
    return known


def predict_positions(network: Network, positions: Positions, numbers: np.ndarray, symmetries: bool,
                      measure: Measure | None = None) -> pd.DataFrame:
    """One row for each of these positions: game, phase, rank and source, and what `measure` returns; black_won and won
    (the side to move), 1, 0 or NaN (known_outcomes); ms, the network's time for the position, without TTA.

    symmetries: also with test-time augmentation over the eight symmetries, under the same names + '_tta'.
    measure: measure_positions, or what does it on a cluster.
    """
    with progress_bar("positions", len(numbers), scale=True) as bar:
        measured = list((measure or measure_positions)(network, positions, numbers, symmetries, bar))
    rows, moves_played = positions.locate(numbers)
    games = positions.games.take(rows).table(["source", "black_rank", "white_rank"])
    found = pd.concat(measured, ignore_index=True)
    white = found.pop("colour") < 0
    groups = pd.DataFrame({
        "game": rows,
        "phase": phase_names(moves_played + 1),
        "rank": rank_groups(pd.Series(np.where(white, games["white_rank"], games["black_rank"])), RANKS),
        "source": games["source"].map(source_family).to_numpy(),
    })
    rows = pd.concat([groups, found], axis=1)
    return rows.assign(black_won=np.where(white, 1 - rows["won"], rows["won"]))


def measure_positions(network: Network, positions: Positions, numbers: np.ndarray, symmetries: bool,
                      bar: "ProgressBar | None" = None) -> Iterator[pd.DataFrame]:
    """The measures of these positions, BATCH at a time; the bar advances with each batch."""
    chunks = [numbers[start:start + BATCH] for start in range(0, len(numbers), BATCH)]
    n = 8 if symmetries and not network.equivariant else 1

    def make(chunk: np.ndarray) -> list[Batch]:
        return [positions.batch(chunk, symmetry) for symmetry in range(n)]

    with ThreadPoolExecutor(1) as executor:              # makes batches while the network computes
        for batches in ordered_map(executor, make, chunks, max_in_flight=3):
            yield measure_batch(network, batches, symmetries)
            if bar is not None:
                bar.update(len(batches[0].targets))


def measure_batch(network: Network, batches: list[Batch], symmetries: bool) -> pd.DataFrame:
    """The measures of one batch, given in symmetry 0 or in all eight in order, and its `colours`, as colour.
    symmetries: also with test-time augmentation, which in symmetry 0 alone changes nothing."""
    features = np.nan_to_num(batches[0].global_features())
    people = encode_people(batches[0].people) if network.takes_people else None
    start = time.perf_counter()
    output = network.evaluate_packed(batches[0].packed, features, people)
    ms = 1000 * (time.perf_counter() - start) / len(output.priors)
    measured = measure(output, batches[0]) | {"ms": np.full(len(output.priors), ms),
                                              "won": (1 + known_outcomes(batches[0])) / 2}
    if len(batches) == 8:
        table = coords.symmetries(math.isqrt(output.priors.shape[1]))
        output = mean_output([output, *(turned_back(network.evaluate_packed(batch.packed, features, people), turn)
                                        for turn, batch in zip(table[1:], batches[1:], strict=True))])
    if symmetries:
        measured |= {name + TTA: column for name, column in measure(output, batches[0]).items()}
    return pd.DataFrame(measured | {"colour": batches[0].colours})


def known_outcomes(batch: Batch) -> np.ndarray:
    """The outcomes of Batch.results, float (n,), with NaN for 0."""
    outcomes = batch.results().outcomes
    return np.where(outcomes == 0, np.nan, outcomes)


def measure(output: NetworkOutput, batch: Batch) -> dict[str, np.ndarray]:
    """The measures, float64 (n,) each, of a network's output against what was played and how the games ended; those of
    outputs that the network does not have are left out."""
    priors, values, targets, results = output.priors, output.values, batch.targets[:, None], batch.results()
    of_target = np.take_along_axis(priors, targets, 1)
    before = (priors > of_target * (1 + TIE)).sum(1)
    tied = (priors >= of_target * (1 - TIE)).sum(1) - before         # with the move itself
    top1, top5 = (np.clip((first - before) / tied, 0, 1) for first in (1, 5))    # in random order of the tied moves
    nll = -np.log(np.maximum(of_target[:, 0].astype(np.float64), MIN_PROBABILITY))
    measured = {"top1": top1, "top5": top5, "ce": nll, "top1_probability": priors.max(1)}
    if values is not None:
        outcomes = known_outcomes(batch)
        measured["value_accuracy"] = np.where(np.isnan(outcomes), np.nan, np.sign(values) == outcomes)
        measured["value_mse"] = (outcomes - values) ** 2
        measured["win_probability"] = (1 + values) / 2
    if output.ownership is not None:
        measured |= measure_ownership(output.ownership, batch.ownership * results.has_ownership[:, None])
    if output.score_mean is not None and output.score_stdev is not None:
        scores, mean = results.scores.astype(np.float64), output.score_mean
        measured["score_error"] = np.abs(scores - mean)
        # The score's distribution is logistic (nn/value_head.py); its cumulative distribution function.
        measured["score_pit"] = (1 + np.tanh((scores - mean) / output.score_stdev * STDEV_OF_SCALE / 2)) / 2
    return {name: np.asarray(column, np.float64) for name, column in measured.items()}


def measure_ownership(ownership: np.ndarray, owners: np.ndarray) -> dict[str, np.ndarray]:
    """ownership_accuracy, (n,), NaN where no point has an owner; and for each bin b of the predicted probability
    (1 + ownership) / 2, of the points that somebody owns, their number, ownership_points_b, the sum of their
    probabilities, ownership_predicted_b, and how many are the side to move's, ownership_observed_b.

    ownership: float (n, size²) in [-1, 1].  owners: int8 (n, size²), as in data.positions.Batch.
    """
    row, point = np.nonzero(owners)
    said, owner, n = ownership[row, point].astype(np.float64), owners[row, point], len(owners)
    owned = np.bincount(row, minlength=n)
    right = np.bincount(row, np.sign(said) == owner, n)
    probability = (1 + said) / 2
    cell = row * BINS + np.clip((probability * BINS).astype(int), 0, BINS - 1)
    sums = {"points": None, "predicted": probability, "observed": owner > 0}
    by_bin = {name: np.bincount(cell, weights, n * BINS).reshape(n, BINS) for name, weights in sums.items()}
    return {"ownership_accuracy": right / np.where(owned, owned, np.nan)} | {
        f"ownership_{name}_{b}": columns[:, b] for name, columns in by_bin.items() for b in range(BINS)}


def phase_names(moves: np.ndarray) -> pd.Categorical:
    """The name of the phase that each move number (from 1) belongs to."""
    names = [f"moves {low}-{high}" if high < PHASES[-1][1] else f"moves {low} on" for low, high in PHASES]
    return pd.Categorical.from_codes(np.searchsorted([high for _, high in PHASES], moves), names)


# ---- calibration

HEADS = {"policy": ("top1_probability", "top1"), "value": ("win_probability", "won")}   # head: (predicted, observed)
MEAN_ABSOLUTE_NORMAL = np.sqrt(2 / np.pi)        # mean absolute deviation of a normal, in standard deviations


def calibrate(rows: pd.DataFrame) -> pd.DataFrame:
    """Whether a network's probabilities come true, from the rows of `predict_positions`: one row for each bin.

    Columns: head ('policy', 'value', 'ownership', 'score'), tta, phase ('all' too), bin ('0-10 %', ...; of the score
    its quantile, '10 %', ...; 'all'), count (positions; of ownership, points), games; predicted and observed, means
    from 0 to 1; observed_se, clustered by game; ece, their distance, in the row of all bins the mean of theirs: the
    expected calibration error (Guo et al. 2017, arXiv:1706.04599); null_ece, that of a perfectly calibrated network.
    """
    table = []
    for head, tta, known in _heads(rows):
        for phase, part in [("all", known), *known.groupby("phase", observed=True)]:
            table += [{"head": head, "tta": tta, "phase": phase} | row for row in _bins(head, part)]
    return pd.DataFrame(table)


def _heads(rows: pd.DataFrame) -> Iterator[tuple[str, bool, pd.DataFrame]]:
    """(head, tta, rows) of each head; rows: as `_known` gives them."""
    for ending in ("", TTA):
        for head, (predicted, observed) in HEADS.items():
            if predicted + ending in rows:
                won = observed if observed == "won" else observed + ending
                yield head, bool(ending), _known(rows, rows[predicted + ending], rows[won])
        if f"ownership_points_0{ending}" in rows:
            bins = []
            for b in range(BINS):
                points, predicted, owned = (rows[f"ownership_{name}_{b}{ending}"]
                                            for name in ("points", "predicted", "observed"))
                some = points.where(points > 0)
                bins.append(_known(rows, predicted / some, owned / some, points, b))
            yield "ownership", bool(ending), pd.concat(bins, ignore_index=True)
        if f"score_pit{ending}" in rows:
            yield "score", bool(ending), _known(rows, 0.5, rows[f"score_pit{ending}"])


def _known(rows: pd.DataFrame, predicted: Any, observed: pd.Series, weight: Any = 1.0, bin_number: int | None = None
           ) -> pd.DataFrame:
    """Rows of game, phase, predicted, observed, weight and bin_number, where observed is not NaN."""
    known = rows[["game", "phase"]].assign(predicted=predicted, observed=observed, weight=weight)[observed.notna()]
    predicted_bin = np.minimum((known["predicted"] * BINS).astype(int), BINS - 1)
    return known.assign(bin_number=predicted_bin if bin_number is None else bin_number)


def _bins(head: str, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """One row for all positions; then one for each bin that has some, of the score one for each quantile.  rows: as
    `_heads` gives them."""
    if not len(rows):
        return []
    bins: list[dict[str, Any]]
    if head == "score":
        bins = [_statistics(rows.assign(predicted=b / BINS, observed=(rows["observed"] < b / BINS).astype(float)))
                | {"bin": f"{100 * b // BINS} %"} for b in range(1, BINS)]
    else:
        bins = [_statistics(part) | {"bin": f"{100 * b // BINS}-{100 * (b + 1) // BINS} %"}
                for b, part in rows.groupby("bin_number")]
    counts = None if head == "score" else [row["count"] for row in bins]
    errors = {name: float(np.average([row[name] for row in bins], weights=counts)) for name in ("ece", "null_ece")}
    return [_statistics(rows) | errors | {"bin": "all"}, *bins]


def _statistics(rows: pd.DataFrame) -> dict[str, Any]:
    weights, games = rows["weight"].to_numpy(), rows["game"].to_numpy()
    count = float(weights.sum())
    predicted = float(np.average(rows["predicted"], weights=weights))
    observed, error = mean_and_standard_error(rows["observed"].to_numpy(), games, weights)
    # One game, or games that all end alike, give no estimate of their spread: then that of tossed coins.
    spread = error if error > 0 else np.sqrt(predicted * (1 - predicted) / count)
    return {"bin": "", "count": int(count), "games": rows["game"].nunique(), "predicted": predicted,
            "observed": observed, "observed_se": error, "ece": abs(observed - predicted),
            "null_ece": MEAN_ABSOLUTE_NORMAL * spread}


# ---- on the workers of a cluster, which see network and data set under the same paths

class MeasureTask(NamedTuple):
    """measured: what a worker opens, the arguments of _open."""

    measured: tuple
    numbers: np.ndarray
    symmetries: bool
    name: str = "positions of a data set"


def measure_on_cluster(executor: TaskExecutor, data: Path, split: str | None, where: str, people: str, network: Network,
                       positions: Positions, numbers: np.ndarray, symmetries: bool, bar: ProgressBar
                       ) -> Iterator[pd.DataFrame]:
    """measure_positions by the workers of a cluster; positions: those that the first arguments select."""
    measured = name_everywhere(network.path), network.precision, data.absolute(), split, positions.size, where, people
    tasks = (MeasureTask(measured, numbers[start:start + TASK_POSITIONS], symmetries)
             for start in range(0, len(numbers), TASK_POSITIONS))
    for found in ordered_map(executor, measure_task, tasks):
        yield found
        bar.update(len(found))


def measure_task(task: MeasureTask) -> pd.DataFrame:
    """The measures of a task's positions, in a worker, which runs the network in one thread."""
    network, positions = _open(*task.measured)
    return pd.concat(measure_positions(network, positions, task.numbers, task.symmetries), ignore_index=True)


@functools.lru_cache(4)
def _open(network: str, precision: str, data: Path, split: str | None, size: int, where: str, people: str
          ) -> tuple[Network, Positions]:
    positions = load_dataset(data).positions(split, size, where)
    return Network(find_network(network), threads=1, precision=precision), with_people(positions, people)
