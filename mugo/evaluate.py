"""How well a network predicts:  mugo evaluate NETWORK DATASET

On positions of games that it was not trained on: how often the move played is the network's first
choice (top-1) or among its first five (top-5), the cross-entropy in nats, and, of a network with a
value head, how often it names the winner and its squared error; by phase of the game, by the rank of
the player to move and by source, with and without averaging over the eight symmetries of the board.

Positions of one game are alike, so every standard error is computed from the sums of games, as if
games were drawn and not positions.  The positions are the same for every network on one data set.
From Python: `evaluate(network, data)` is the table as a DataFrame.
"""
import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from mugo import dataset, diagrams
from mugo.coords import WHITE_BIT
from mugo.dataset import Batch, DataSet, Positions
from mugo.diagrams import BLUE, GREEN, PALE_BLUE, PALE_GREEN
from mugo.files import BadInput, written_whole
from mugo.network import Network
from mugo.parallel import in_order
from mugo.planes import MAX_PLIES
from mugo.statistics import kind_of_source, named_ranks

BATCH = 128
FEWEST = 30                              # positions of a part that is drawn
SMALLEST = 1e-10                         # a probability below it counts as this much: 23 nats

# measure: (what it is called, unit, decimals)
MEASURES = {
    "top1": ("top-1", "%", 1),
    "top5": ("top-5", "%", 1),
    "ce": ("cross-entropy", "", 3),
    "winner": ("winner", "%", 1),
    "value_error": ("value error", "", 3),
}
AVERAGED = "_averaged"                   # ends the name of a measure with the symmetries averaged
PHASES = ((1, 30), (31, 60), (61, 100), (101, 150), (151, 200), (201, 250), (251, MAX_PLIES))
RANKS = (("kyu", -99, 0), ("1-3d", 1, 3), ("4-6d", 4, 6), ("7-8d", 7, 8), ("9d", 9, 9),
         ("professional", 10, 18))               # see records.rank_number


def evaluate(network: Network, data: DataSet, *, split: str | None = "test", where: str = "",
             count: int = 10_000, average: bool = True, seed: int = 0) -> pd.DataFrame:
    """What the command prints, as a table with one row for each part of the positions.

    Columns: by ('all', 'phase', 'rank', 'source'), part, positions, games; and for each measure its
    mean and, under its name + '_se', the standard error; with average also both for the measure +
    '_averaged'.  top1, top5 and winner are shares from 0 to 1; winner and value_error (squared, of a
    value in [-1, 1]) are of the positions of games with a winner.

    split: one of dataset.SPLITS, or None for all.  count: positions drawn by seed; 0 for all.
    Raises BadInput if there are none on the network's board.
    """
    positions = data.positions(split, network.size, where)
    numbers, _ = dataset.shuffled(0, min(count or len(positions), len(positions)), len(positions), seed)
    return summarise(scores(network, positions, numbers, average))


def scores(network: Network, positions: Positions, numbers: np.ndarray, average: bool) -> pd.DataFrame:
    """One row a position: what it belongs to (game, phase, rank, source) and its measures.

    winner and value_error are NaN where the game has no winner, and are left out of a network
    without a value head.
    """
    chunks = [numbers[start:start + BATCH] for start in range(0, len(numbers), BATCH)]

    def make(chunk: np.ndarray) -> list[Batch]:
        return [positions.batch(chunk, turn) for turn in range(8 if average else 1)]

    measured = []
    with (ThreadPoolExecutor(1) as executor,             # makes batches while the network computes
          tqdm(total=len(numbers), unit=" positions", unit_scale=True) as bar):
        for turned in in_order(executor, make, chunks, in_flight=3):
            measured.append(measure_batch(network, turned))
            bar.update(len(turned[0].targets))
    rows, plies = positions.plies(numbers)
    games = positions.games.iloc[rows]
    coded = positions.moves[games["move_start"].to_numpy() + plies]
    ranks = np.where(coded & WHITE_BIT, games["white_rank"], games["black_rank"])
    parts = pd.DataFrame({
        "game": rows,
        "phase": named_phases(plies + 1),
        "rank": named_ranks(pd.Series(ranks), RANKS),
        "source": games["source"].map(kind_of_source).to_numpy(),
    })
    return pd.concat([parts, pd.concat(measured, ignore_index=True)], axis=1)


def measure_batch(network: Network, turned: list[Batch]) -> pd.DataFrame:
    """The measures of one batch, which is given in symmetry 0, or in all eight in order."""
    priors, values = network.evaluate_packed(turned[0].packed)
    measured = measures(priors, values, turned[0])
    if len(turned) == 8:
        others, other_values = network.average(lambda turn: turned[turn].packed, range(1, 8))
        priors = (priors + 7 * others) / 8
        values = None if values is None else (values + 7 * other_values) / 8
        measured |= {name + AVERAGED: column for name, column in measures(priors, values, turned[0]).items()}
    return pd.DataFrame(measured)


def measures(priors: np.ndarray, values: np.ndarray | None, batch: Batch) -> dict[str, np.ndarray]:
    """float64 (n,) for each of MEASURES: of priors (n, size² + 1), values (n,) and what was played."""
    targets = batch.targets[:, None]
    played = np.take_along_axis(priors, targets, 1)
    # Of moves held equally likely, the first on the board counts as preferred.
    before = (priors > played) | ((priors == played) & (np.arange(priors.shape[1]) < targets))
    place = before.sum(1)
    surprise = -np.log(np.maximum(played[:, 0].astype(np.float64), SMALLEST))
    measured = {"top1": place < 1, "top5": place < 5, "ce": surprise}
    if values is not None:
        outcomes = np.where(batch.outcomes == 0, np.nan, batch.outcomes)
        measured["winner"] = np.where(np.isnan(outcomes), np.nan, np.sign(values) == outcomes)
        measured["value_error"] = (outcomes - values) ** 2
    return {name: np.asarray(column, np.float64) for name, column in measured.items()}


def named_phases(moves: np.ndarray) -> pd.Categorical:
    """The name of the phase that each move number (from 1) falls into."""
    names = [f"moves {low}-{high}" if high < PHASES[-1][1] else f"moves {low} on" for low, high in PHASES]
    return pd.Categorical.from_codes(np.searchsorted([high for _, high in PHASES], moves), names)


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """The table of `evaluate` from the rows of `scores`."""
    names = [name for name in rows if name.removesuffix(AVERAGED) in MEASURES]
    table = [describe(rows, names) | {"by": "all", "part": "all"}]
    for by in ("phase", "rank", "source"):
        table += [describe(part, names) | {"by": by, "part": name}
                  for name, part in rows.groupby(by, observed=True)]
    columns = [column for name in names for column in (name, f"{name}_se")]
    return pd.DataFrame(table)[["by", "part", "positions", "games", *columns]]


def describe(rows: pd.DataFrame, names: list[str]) -> dict:
    """Means and standard errors of some positions."""
    games = rows["game"].to_numpy()
    described = {"positions": len(rows), "games": rows["game"].nunique()}
    for name in names:
        described[name], described[f"{name}_se"] = mean_and_error(rows[name].to_numpy(), games)
    return described


def mean_and_error(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """The mean of values that are not NaN, and its standard error when whole clusters (int) are drawn.

    The square of the error is G / (G - 1) * sum of squares of the G clusters' sums of residuals / n²
    (Cochran, Sampling Techniques, 1977, 3A.3).  NaN where there is nothing to compute it from.
    """
    known = ~np.isnan(values)
    values, clusters = values[known], clusters[known]
    if not len(values):
        return np.nan, np.nan
    mean = float(values.mean())
    _, places = np.unique(clusters, return_inverse=True)
    sums = np.bincount(places, values - mean)
    if len(sums) < 2:
        return mean, np.nan
    return mean, float(np.sqrt(len(sums) / (len(sums) - 1) * (sums ** 2).sum())) / len(values)


# ---- as text and as a picture

def report(table: pd.DataFrame) -> str:
    """The table as text: one block for the moves, one for the value where there is one."""
    blocks = [["top1", "top5", "ce"], ["winner", "value_error"]]
    lines = []
    for names in blocks:
        if names[0] in table:
            lines += [*diagrams.table(list(_rows(table, names))), ""]
    lines.append("±: one standard error, of games drawn at random"
                 + ("; of 8: averaged over the eight symmetries" if f"top1{AVERAGED}" in table else ""))
    return "\n".join(lines)


def _rows(table: pd.DataFrame, names: list[str]) -> Iterator[list[str]]:
    header = ["", "positions"]
    for name in names:
        title, unit, _ = MEASURES[name]
        header += [f"{title} {unit}".strip(), "±", *(["of 8"] if name + AVERAGED in table else [])]
    yield header
    by = "all"
    for row in table.to_dict("records"):
        if row["by"] != by:
            yield [""] * len(header)
            by = row["by"]
        cells = [diagrams.printable(str(row["part"]), 24), f"{row['positions']:,}"]
        for name in names:
            shown = [name, f"{name}_se", *([name + AVERAGED] if name + AVERAGED in table else [])]
            cells += [_number(name, row[column]) for column in shown]
        yield cells


def _number(name: str, value: float) -> str:
    _, unit, decimals = MEASURES[name]
    return "-" if np.isnan(value) else f"{100 * value if unit else value:.{decimals}f}"


def picture(table: pd.DataFrame, path: Path, title: str) -> None:
    """Means with standard errors: measures from top to bottom, by phase, rank and source from left to right.

    Parts of fewer than FEWEST positions are not drawn, as their errors would hide the others.
    """
    averaged = f"top1{AVERAGED}" in table
    rows = [("top1", "top5"), ("ce",), *([("winner",)] if "winner" in table else [])]
    columns = ("phase", "rank", "source")

    def draw(axes: list) -> None:
        for i, names in enumerate(rows):
            for j, by in enumerate(columns):
                part = table[table["by"] == by].nlargest(10, "positions").sort_index()
                part = part[part["positions"] >= min(FEWEST, part["positions"].max())]
                series = {}
                for name in names:
                    called, unit, _ = MEASURES[name]
                    for column, said in ((name, called), (name + AVERAGED, f"{called} of 8"))[:1 + averaged]:
                        scale = 100 if unit else 1
                        series[said] = (scale * part[column], scale * part[f"{column}_se"])
                labels = [str(name).removeprefix("moves ") for name in part["part"]]
                what = " and ".join(f"{MEASURES[name][0]} {MEASURES[name][1]}".strip() for name in names)
                colours = (BLUE, PALE_BLUE, GREEN, PALE_GREEN) if averaged else (BLUE, GREEN)
                diagrams.estimates(axes[i * len(columns) + j], labels, series, f"{what} by {by}", colours)

    note = "\nbars: one standard error" + ("; of 8: averaged over the eight symmetries" if averaged else "")
    diagrams.chart(path, len(rows), len(columns), draw, title + note)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", metavar="NETWORK",
                        help="a file, the folder of a training run, or a bundled name")
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="a folder made by preprocess")
    parser.add_argument("--split", choices=(*dataset.SPLITS, "all"), default="test",
                        help="the games of one split (default %(default)s)")
    parser.add_argument("--where", default="", metavar="QUERY", help="of these games only: a pandas query")
    parser.add_argument("--positions", type=float, default=10_000, metavar="N",
                        help="so many, drawn at random; 0: all (default %(default)s)")
    parser.add_argument("--average", action=argparse.BooleanOptionalAction, default=True,
                        help="also averaged over the board's eight symmetries; eight times as slow")
    parser.add_argument("--seed", type=int, default=0, help="of the positions drawn (default %(default)s)")
    parser.add_argument("-o", "--output", type=Path, metavar="PREFIX",
                        help="write PREFIX.csv and PREFIX.png (default: NETWORK-SPLIT in the current folder)")


def command(args: argparse.Namespace) -> int:
    if args.positions < 0:
        raise BadInput(f"--positions {args.positions:g}: 0 is all of them, and fewer there are not")
    network, data = Network(args.network), dataset.open_dataset(args.dataset)
    table = evaluate(network, data, split=None if args.split == "all" else args.split, where=args.where,
                     count=int(args.positions), average=args.average, seed=args.seed)
    whole = table.iloc[0]
    of_split = "" if args.split == "all" else f"{args.split} "
    title = (f"{network.name} on {whole['positions']:,} {of_split}positions of {whole['games']:,} games of "
             f"{data.folder.resolve().name}" + (f" where {args.where}" if args.where else ""))
    print(f"{title}\n\n{report(table)}\n")
    prefix = args.output or Path(f"{Path(network.name).name}-{args.split}")
    with written_whole(prefix.with_name(prefix.name + ".csv")) as path:
        table.to_csv(path, index=False)
    print(f"{prefix}.csv")
    if diagrams.can_draw():
        picture(table, prefix.with_name(prefix.name + ".png"), title)
        print(f"{prefix}.png")
    else:
        print(f"no picture: {diagrams.NO_MATPLOTLIB}")
    return 0
