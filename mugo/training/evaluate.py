"""How well networks predict:  mugo evaluate NETWORK [NETWORK ...] DATASET

The measures of predictions.py, by phase of the game, by the rank of the player to move and by source, and at the last
position of games that ended by scoring; with and without test-time augmentation (TTA) over the eight symmetries of the
board.  And whether a network's probabilities come true (calibration.py).

Positions of one game are alike, so standard errors are clustered by game.  The positions are the same for every
network on one data set, so comparisons between networks are paired.
"""
import argparse
import contextlib
import functools
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.data import dataset, game_hash
from mugo.data.dataset import DataSet
from mugo.data.shards import DATASET_HELP, SPLITS, WHERE_HELP
from mugo.data.positions import Positions
from mugo.core.files import BadInput, atomic_write, check_writable
from mugo.core.intervals import mean_and_standard_error
from mugo.core.limits import SEED
from mugo.core.options import add_options, check, given, option
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.nn.inference import PLAY_PRECISIONS, Network
from mugo.nn.network_file import NETWORK_HELP
from mugo.nn.quantization import format_metrics
from mugo.core.parallel import add_scheduler_argument, open_executor
from mugo.plots import figures
from mugo.training import calibration, report
from mugo.training.people_report import KNOWLEDGE, POSITIONS_PER_PLAYER, rank_report, rank_table
from mugo.training.predictions import TTA, Measure, measure_on_cluster, predict_positions, with_people
from mugo.training.provenance import copy_notes, unseen_notes
from mugo.training.report import BASELINE, LAST_MOVE, MEASURES, difference_column

COMPARE = "compare"                      # of --people


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
                         "rank such as 3d in place of that of both players; compare: what each of these is worth, and "
                         "how well ranks are estimated from games", metavar="WHO", common=True)
    seed: int = option(0, "random seed of the sample", least=SEED[0], most=SEED[1], common=True)
    precision: tuple[str, ...] = option(("float32",), "precision of the networks: float32, int8, or auto, as they are "
                                        "played on this processor; several, such as float32,int8, compare each network "
                                        "in each of them", choices=PLAY_PRECISIONS, metavar="NAME", common=True)

    def __post_init__(self):
        check(self)


def evaluate(network: Network, data: DataSet, *, split: str | None = "test", where: str = "",
             count: int = 10_000, symmetries: bool = True, seed: int = 0, size: int | None = None,
             people: str = "unknown") -> pd.DataFrame:
    """What the command prints, as a table with one row for each subset of the positions.

    Columns: by ('all', 'phase', 'rank', 'source', 'last move'), subset, positions, games; and for each measure
    (predictions.py) its mean and, under its name + '_se', the standard error clustered by game; with symmetries
    also both for the measure + '_tta', with test-time augmentation.  Accuracies are from 0 to 1.
    value_accuracy_baseline and value_mse_baseline are those of the majority class, which always predicts the colour
    that wins more of these positions, with its frequency.  'last move' is not in 'all': the positions before the last
    move of all games that ended by scoring, `count` at most.

    split: one of shards.SPLITS, or None for all.  where: a query that selects games.  count: positions drawn
    by seed; 0 for all.  size: of the boards, by default those that the network was trained on.  people: what a network
    with a metadata encoder is told (predictions.with_people).  Raises BadInput if there are no such positions.
    """
    sample = sample_positions(data, size or network.size, split, where, count, seed, people)
    return summary_table(predict_sample(network, sample, symmetries))


class Sample(NamedTuple):
    """Positions to evaluate, by their numbers: those drawn, and the last ones of games that ended by scoring."""

    positions: Positions
    numbers: np.ndarray                  # int64 (n,)
    last: np.ndarray                     # int64 (m,)


def sample_positions(data: DataSet, size: int, split: str | None, where: str, count: int, seed: int,
                     people: str = "unknown") -> Sample:
    """The positions to evaluate; see `evaluate`."""
    positions = with_people(data.positions(split, size, where), people)
    is_scored = (positions.games.column("ownership_start") >= 0) & (np.diff(positions.first_index) > 0)
    last = positions.first_index[1:][is_scored] - 1
    return Sample(positions, _drawn(len(positions), count, seed), last[_drawn(len(last), count, seed)])


def _drawn(n: int, count: int, seed: int) -> np.ndarray:
    """`count` of the numbers 0 to n - 1, drawn by seed; all if there are fewer, or count is 0."""
    return game_hash.shuffled_positions(0, min(count or n, n), n, seed)[0]


def predict_sample(network: Network, sample: Sample, symmetries: bool, measure: Measure | None = None
                   ) -> pd.DataFrame:
    """The rows of `predict_positions`, with a column last_move: whether the row is one of sample.last."""
    numbers = np.concatenate([sample.numbers, sample.last])
    rows = predict_positions(network, sample.positions, numbers, symmetries, measure)
    return rows.assign(last_move=np.arange(len(rows)) >= len(sample.numbers))


def common_size(networks: list[Network]) -> int:
    """The size of board that all were trained on.  Raises BadInput if there are several."""
    first, *others = networks
    other = next((network for network in others if network.size != first.size), None)
    if other is not None:
        raise BadInput(f"{first.name} was trained on {first.size}x{first.size} and {other.name} on "
                       f"{other.size}x{other.size}: give the --size of the positions to compare them on")
    return first.size


def unique_names(networks: list[Network]) -> list[str]:
    """The networks' names, with the precision where networks are in several, and numbered where two are the same; names
    that differ only in case are the same, because they become names of files."""
    several = len({network.precision for network in networks}) > 1
    names = [Path(network.name).name + f"-{network.precision}" * several for network in networks]
    total = Counter(name.casefold() for name in names)
    used = set(total)
    for i, name in enumerate(names):
        if total[name.casefold()] > 1:
            names[i] = next(numbered for number in itertools.count(1)
                            if (numbered := f"{name}-{number}").casefold() not in used)
            used.add(names[i].casefold())
    return names


def comparison_table(rows: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables of `evaluate` for several networks in one, a row for each subset and network, from their rows of
    `predict_sample`, of the same positions.

    Columns: by, subset, network, positions, games, those of `evaluate` for each measure, ms (the median time of a
    position, in batches, without TTA); and for each measure + '_difference' from the first network,
    + '_difference_se', paired.  What a network does not have is NaN.
    """
    first = next(iter(rows.values()))
    table = []
    for by, subset, where in subsets(first):
        base = first.iloc[where]
        for name, of_network in rows.items():
            own = of_network.iloc[where]
            measures = measure_columns(own)
            row = {"by": by, "subset": subset, "network": name} | means_and_errors(own, measures) | {
                "ms": float(np.median(own["ms"]))}
            for measure in measures:
                if measure in first and of_network is not first:
                    differences = (own[measure] - base[measure]).to_numpy()
                    row[difference_column(measure)], row[difference_column(f"{measure}_se")] = \
                        mean_and_standard_error(differences, base["game"].to_numpy())
            table.append(row)
    return pd.DataFrame(table)


def subsets(rows: pd.DataFrame) -> Iterator[tuple[str, str, np.ndarray]]:
    """(by, subset, numbers of the rows) of every subset of the rows of `predict_sample`; see `evaluate`."""
    last = rows["last_move"].to_numpy()
    yield "all", "all", np.flatnonzero(~last)
    for by in ("phase", "rank", "source"):
        for name, where in rows.groupby(by, observed=True).indices.items():
            if len(where := where[~last[where]]):
                yield by, str(name), where
    if last.any():
        yield LAST_MOVE, "last move before scoring", np.flatnonzero(last)


def measure_columns(rows: pd.DataFrame) -> list[str]:
    """The columns of `predict_positions` that are averaged: MEASURES, and each with TTA."""
    return [name for name in rows if name.removesuffix(TTA) in MEASURES]


def summary_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The table of `evaluate` from the rows of `predict_sample`."""
    names = measure_columns(rows)
    return pd.DataFrame([{"by": by, "subset": subset} | means_and_errors(rows.iloc[where], names)
                         for by, subset, where in subsets(rows)])


def means_and_errors(rows: pd.DataFrame, names: list[str]) -> dict:
    """Means and standard errors of these columns, and the baselines of the value."""
    games = rows["game"].to_numpy()
    row: dict = {"positions": len(rows), "games": rows["game"].nunique()}
    for name in names:
        row[name], row[f"{name}_se"] = mean_and_standard_error(rows[name].to_numpy(), games)
    if "value_accuracy" in names:
        black = float(rows["black_won"].mean())
        row["value_accuracy" + BASELINE] = max(black, 1 - black)
        row["value_mse" + BASELINE] = 1 - (2 * black - 1) ** 2
    return row


# ---- the command

def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("networks", nargs="+", metavar="NETWORK",
                        help=f"{NETWORK_HELP}; the others are compared with the first")
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    add_options(parser, EvaluateOptions)
    add_scheduler_argument(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="PREFIX",
                        help="write PREFIX.csv, PREFIX.png and the same with -calibration; of several networks the "
                             "comparison to PREFIX.csv and each one's to PREFIX-NETWORK (default: NETWORK-SPLIT or "
                             "networks-SPLIT in the current folder, or in PREFIX if it is a folder)")


def command(args: argparse.Namespace) -> int:
    """Run `mugo evaluate`; returns the exit status.  Raises BadInput."""
    options = EvaluateOptions(**given(EvaluateOptions, args))
    networks = [Network(path, precision=precision) for path in args.networks for precision in options.precision]
    if other := next((network for network in networks if network.game != "go"), None):
        raise BadInput(f"{other.path} plays {other.game.capitalize()}, and a data set has games of Go")
    data = dataset.load_dataset(args.dataset)
    split = None if options.split == "all" else options.split
    if options.people != "unknown" and not any(network.takes_people for network in networks):
        raise BadInput(f"--people {options.people}: none of these networks was trained with --metadata-encoder")
    if options.people == COMPARE:
        return compare_people(networks, data, split, options, args)
    sample = sample_positions(data, options.size or common_size(networks), split, options.where, options.sample,
                              options.seed, options.people)
    names, several = unique_names(networks), len(networks) > 1
    prefix = _output_prefix(args.output, f"{'networks' if several else names[0]}-{options.split}")
    symmetries = options.symmetries and not all(network.equivariant for network in networks)
    with contextlib.ExitStack() as stack:
        measure = None
        if args.scheduler:
            executor = stack.enter_context(open_executor(scheduler=args.scheduler))
            measure = functools.partial(measure_on_cluster, executor, data.folder, split, options.where, options.people)
        rows = {name: predict_sample(network, sample, symmetries, measure)
                for name, network in zip(names, networks, strict=True)}
    games = sample.positions.games.take(np.unique(sample.positions.locate(sample.numbers)[0]))
    described = (f"on {len(sample.numbers):,} {split + ' ' if split else ''}positions of {len(games):,} games of "
                 f"{data.folder.resolve().name}" + (f" where {options.where}" if options.where else "")
                 + (f", people: {options.people}" if options.people != "unknown" else ""))
    if several:
        table = comparison_table(rows)
        print(f"{len(networks)} networks {described}\n\n{report.comparison_report(table)}\n")
        write_csv(table, prefix, ".csv")
    notes = copy_notes(data, games, split)
    for name, network in zip(names, networks, strict=True):
        print(("\n" if several else "") + f"{name} {described}\n")
        quantization = network.metadata.get("quantization")
        write(rows[name], prefix.with_name(f"{prefix.name}-{name}") if several else prefix, f"{name} {described}",
              unseen_notes(name, network.metadata, games) + notes
              + ([format_metrics(quantization)] if quantization else []))
    return 0


def _output_prefix(given: Path | None, default: str) -> Path:
    """The path that the names of all output files begin with, in a folder that can be written.  Raises BadInput.

    given: such a path, or an existing folder, in which the files get their default names.
    """
    prefix = given / default if given and given.is_dir() else given or Path(default)
    prefix.parent.mkdir(parents=True, exist_ok=True)
    check_writable(prefix.parent)
    return prefix


def compare_people(networks: list[Network], data: DataSet, split: str | None, options: EvaluateOptions,
                   args: argparse.Namespace) -> int:
    """The command with --people compare: see people_report.  Raises BadInput."""
    if len(networks) > 1 or args.scheduler:
        raise BadInput(f"--people {COMPARE} is for one network, on this machine")
    network, prefix = networks[0], _output_prefix(args.output, f"{networks[0].name}-{options.split}")
    samples = {people: sample_positions(data, options.size or network.size, split, options.where, options.sample,
                                        options.seed, people) for people in KNOWLEDGE}
    table = comparison_table({people: predict_sample(network, sample, symmetries=False)
                              for people, sample in samples.items()})
    positions = samples[KNOWLEDGE[0]].positions
    print(f"{network.name} on {len(samples[KNOWLEDGE[0]].numbers):,} positions of {data.folder.resolve().name}, by "
          f"what it is told of who plays\n\n{report.comparison_report(table)}\n")
    write_csv(table, prefix, "-people.csv")
    players = -(-options.sample // POSITIONS_PER_PLAYER)
    ranks = rank_table(network, data, positions, players, options.seed)
    print(f"\n{rank_report(ranks)}\n")
    write_csv(ranks, prefix, "-ranks.csv")
    return 0


def write(rows: pd.DataFrame, prefix: Path, title: str, notes: list[str]) -> None:
    """Print one network's report with these notes under it, and write its tables and pictures."""
    table, calibrated = summary_table(rows), calibration.calibrate(rows[~rows["last_move"]])
    print("\n".join([report.report(table), "", calibration.report(calibrated), "", *notes, ""]))
    write_csv(table, prefix, ".csv")
    write_csv(calibrated, prefix, "-calibration.csv")
    if figures.has_matplotlib():
        for plot, plotted, ending in ((report.plot, table, ".png"), (calibration.plot, calibrated, "-calibration.png")):
            plot(plotted, prefix.with_name(prefix.name + ending), title)
            print(f"{prefix}{ending}")
    else:
        print(f"no picture: {figures.NO_MATPLOTLIB}")


def write_csv(table: pd.DataFrame, prefix: Path, ending: str) -> None:
    """Write a table to the file whose name is the prefix and this ending, and print that name."""
    with atomic_write(prefix.with_name(prefix.name + ending)) as temporary:
        table.to_csv(temporary, index=False)
    print(f"{prefix}{ending}")
