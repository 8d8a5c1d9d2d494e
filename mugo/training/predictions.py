"""What a network says of positions from games, one row a position; and means over whole games.

    game  phase        rank  source  top1  top5   ce    winner  value_error  ...  chance  won
      17  moves 31-60  5d    kgs      1.0   1.0  0.412     0.0        1.310  ...   0.427    1

top1: the move played is the network's first choice; top5: among its first five; ce: minus the
logarithm of its probability; winner: the network names the winner; value_error: squared, of a value
in [-1, 1].  first is the probability of the first choice, chance the network's (1 + value) / 2 that
the side to move wins.  evaluate.py and calibration.py make tables of these rows.
"""
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from tqdm import tqdm

from mugo.data.positions import Batch, Positions
from mugo.data.summary_tables import rank_groups, source_family
from mugo.games.coords import WHITE_BIT
from mugo.games.planes import MAX_PLIES
from mugo.nn.inference import Network
from mugo.parallel import ordered_map

BATCH = 128
SMALLEST = 1e-10                         # a probability below it counts as this much: 23 nats
AVERAGED = "_averaged"                   # ends the name of a measure with the symmetries averaged
PHASES = ((1, 30), (31, 60), (61, 100), (101, 150), (151, 200), (201, 250), (251, MAX_PLIES))
RANKS = (("kyu", -99, 0), ("1-3d", 1, 3), ("4-6d", 4, 6), ("7-8d", 7, 8), ("9d", 9, 9),
         ("professional", 10, 18))               # see records.rank_number


def scores(network: Network, positions: Positions, numbers: np.ndarray, tta: bool) -> pd.DataFrame:
    """One row a position: what it belongs to (game, phase, rank, source) and what was measured.

    Measured are those of `measures`, with average also under their names + '_averaged'; and
    black_won and won (of the side to move): 1 or 0, NaN where the game has no winner; and ms, what
    the network took for it in its batch, not averaged.
    """
    chunks = [numbers[start:start + BATCH] for start in range(0, len(numbers), BATCH)]

    def make(chunk: np.ndarray) -> list[Batch]:
        return [positions.batch(chunk, turn) for turn in range(8 if tta and not network.equivariant else 1)]

    measured = []
    with (ThreadPoolExecutor(1) as executor,             # makes batches while the network computes
          tqdm(total=len(numbers), unit=" positions", unit_scale=True) as bar):
        for turned in ordered_map(executor, make, chunks, max_in_flight=3):
            measured.append(measure_batch(network, turned, tta))
            bar.update(len(turned[0].targets))
    rows, plies = positions.locate(numbers)
    games = positions.games.iloc[rows]
    white = positions.moves[games["move_start"].to_numpy() + plies] & WHITE_BIT
    winner = games["winner"].to_numpy()
    parts = pd.DataFrame({
        "game": rows,
        "phase": named_phases(plies + 1),
        "rank": rank_groups(pd.Series(np.where(white, games["white_rank"], games["black_rank"])), RANKS),
        "source": games["source"].map(source_family).to_numpy(),
        "black_won": np.where(winner == 0, np.nan, winner == 1),
        "won": np.where(winner == 0, np.nan, winner == np.where(white, -1, 1)),
    })
    return pd.concat([parts, pd.concat(measured, ignore_index=True)], axis=1)


def measure_batch(network: Network, turned: list[Batch], tta: bool) -> pd.DataFrame:
    """What is measured of one batch, which is given in symmetry 0, or in all eight in order.

    average: also averaged over the symmetries, which in symmetry 0 alone is the same again.
    """
    start = time.perf_counter()
    priors, values = network.evaluate_packed(turned[0].packed)
    taken = 1000 * (time.perf_counter() - start) / len(priors)
    measured = measures(priors, values, turned[0]) | {"ms": np.full(len(priors), taken)}
    if len(turned) == 8:
        others, other_values = network.evaluate_symmetries(lambda turn: turned[turn].packed, range(1, 8))
        priors = (priors + 7 * others) / 8
        values = None if values is None else (values + 7 * other_values) / 8
    if tta:
        measured |= {name + AVERAGED: column for name, column in measures(priors, values, turned[0]).items()}
    return pd.DataFrame(measured)


def measures(priors: np.ndarray, values: np.ndarray | None, batch: Batch) -> dict[str, np.ndarray]:
    """float64 (n,) for each name: of priors (n, size² + 1), values (n,) and what was played.

    winner and value_error are NaN where the game has no winner; they and chance are left out where
    there are no values.
    """
    targets = batch.targets[:, None]
    played = np.take_along_axis(priors, targets, 1)
    # Of moves held equally likely, the first on the board counts as preferred.
    before = (priors > played) | ((priors == played) & (np.arange(priors.shape[1]) < targets))
    place = before.sum(1)
    surprise = -np.log(np.maximum(played[:, 0].astype(np.float64), SMALLEST))
    measured = {"top1": place < 1, "top5": place < 5, "ce": surprise, "first": priors.max(1)}
    if values is not None:
        outcomes = np.where(batch.outcomes == 0, np.nan, batch.outcomes)
        measured["winner"] = np.where(np.isnan(outcomes), np.nan, np.sign(values) == outcomes)
        measured["value_error"] = (outcomes - values) ** 2
        measured["chance"] = (1 + values) / 2
    return {name: np.asarray(column, np.float64) for name, column in measured.items()}


def named_phases(moves: np.ndarray) -> pd.Categorical:
    """The name of the phase that each move number (from 1) falls into."""
    names = [f"moves {low}-{high}" if high < PHASES[-1][1] else f"moves {low} on" for low, high in PHASES]
    return pd.Categorical.from_codes(np.searchsorted([high for _, high in PHASES], moves), names)
