"""How well networks predict:  mugo evaluate NETWORK [NETWORK ...] DATASET

The measures of predictions.py, by phase of the game, by the rank of the player to move and by source, and at the last
position of games that ended by scoring; with and without test-time augmentation (TTA) over the eight symmetries of the
board; and whether a network's probabilities come true.

Standard errors are clustered by game, because positions of one game are alike.  The positions are the same for every
network on one data set, so comparisons between networks are paired.
"""
import argparse
import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, atomic_write, check_writable
from mugo.core.intervals import mean_and_standard_error
from mugo.core.options import given
from mugo.core.parallel import open_executor
from mugo.data import dataset, game_hash
from mugo.data.dataset import DataSet
from mugo.data.positions import Positions
from mugo.nn.inference import Network
from mugo.nn.quantization import format_metrics
from mugo.plots import figures
from mugo.plots.figures import BLUE, PALE_BLUE, save_charts
from mugo.plots.terminal import format_table, truncate
from mugo.training.options import EvaluateOptions
from mugo.training.predictions import (
    BATCH, TTA, Measure, calibrate, measure_on_cluster, predict_positions, with_people)
from mugo.training.provenance import unseen_notes

COMPARE = "compare"                      # of --people: what each of KNOWLEDGE is worth
KNOWLEDGE = "true", "source and year", "unknown", "wrong rank"           # of predictions.with_people
MIN_POSITIONS = 30                       # of a subset, and of a bin, that is drawn, unless all have fewer
# measure: (title, unit, decimals)
MEASURES = {
    "top1": ("top-1", "%", 1),
    "top5": ("top-5", "%", 1),
    "ce": ("cross-entropy", "", 3),
    "value_accuracy": ("value accuracy", "%", 1),
    "value_mse": ("value MSE", "", 3),
    "ownership_accuracy": ("ownership accuracy", "%", 1),
    "score_error": ("score error", "", 2),
}
BLOCKS = (("top1", "top5", "ce"), ("value_accuracy", "value_mse"), ("ownership_accuracy", "score_error"))
HEAD_TITLES = {"policy": "policy: its first move is played", "value": "value: the side to move wins",
               "ownership": "ownership of points", "score": "score: below the quantile"}
LAST_MOVE = "last move"                  # in the column `by`: a subset that is not in the others
BASELINE = "_baseline"                   # ends the name of a measure of the majority-class baseline
Columns = dict[str, tuple[str, str]]     # column: (measure, title)


def evaluate(network: Network, data: DataSet, *, split: str | None = "test", where: str = "",
             count: int = 10_000, symmetries: bool = True, seed: int = 0, size: int | None = None,
             people: str = "unknown") -> pd.DataFrame:
    """What the command prints, as a table with one row for each subset of the positions.

    Columns: by ('all', 'phase', 'rank', 'source', 'last move'), subset, positions, games; of each measure
    (predictions.py) the mean and, as NAME_se, the standard error clustered by game; both also as NAME_tta with
    symmetries; value_accuracy_baseline and value_mse_baseline of the majority class.  Accuracies are from 0 to 1.
    'last move', which is not in 'all': the last positions of games that ended by scoring, `count` at most.

    split: one of shards.SPLITS, or None for all.  where: a query that selects games.  count: positions drawn
    by seed; 0 for all.  size: the size of the boards, by default those that the network was trained on.  people: what a
    network with a metadata encoder is told (predictions.with_people).  Raises BadInput if there are no such positions.
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


# ---- tables

def summary_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The table of `evaluate` from the rows of `predict_sample`."""
    names = measure_columns(rows)
    return pd.DataFrame([{"by": by, "subset": subset} | means_and_errors(rows.iloc[where], names)
                         for by, subset, where in subsets(rows)])


def comparison_table(rows: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """A row for each subset and network, from the rows of `predict_sample` of several networks, of the same positions.

    Columns: network, ms (the median time of a position, in batches, without TTA), those of `evaluate`; and of each
    measure NAME_difference from the first network and NAME_difference_se, paired.  What a network lacks is NaN.
    """
    first = next(iter(rows.values()))
    table = []
    for by, subset, where in subsets(first):
        base = first.iloc[where]
        for name, predicted in rows.items():
            own = predicted.iloc[where]
            measures = measure_columns(own)
            row = {"by": by, "subset": subset, "network": name} | means_and_errors(own, measures) | {
                "ms": float(np.median(own["ms"]))}
            for measure in measures:
                if measure in first and predicted is not first:
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


def difference_column(column: str) -> str:
    """The column of a comparison with the difference of this column from the first network's."""
    return column.removesuffix("_se") + "_difference" + ("_se" if column.endswith("_se") else "")


# ---- as text

def report(table: pd.DataFrame) -> str:
    """The table of `evaluate` as text: a block for each of BLOCKS that the network has."""
    lines = []
    for names in BLOCKS:
        if names[0] in table:
            lines += [*_by_subset(table, "", _columns(table, names)), ""]
    return "\n".join([*lines, *_legend(table)])


def comparison_report(table: pd.DataFrame) -> str:
    """The table of `comparison_table` as text: for each block of measures a row a network, then each one's differences
    from the first, over all positions and by subset."""
    whole = table[table["by"] == "all"]
    first = truncate(whole["network"].iloc[0], 24)
    lines = []
    for block in BLOCKS:
        names = [name for name in block if name in table]
        if not names:
            continue
        columns = {column: measure for column, measure in _columns(table, names).items()
                   if not column.endswith(BASELINE)}
        cells = [["", *(title for _, title in columns.values())]]
        cells += [[truncate(row["network"], 24), *(_number(name, row[column]) for column, (name, _) in columns.items())]
                  for row in whole.to_dict("records")]
        if block is BLOCKS[0]:
            cells = [[*row, ms] for row, ms in zip(cells, ["ms", *(f"{ms:.2f}" for ms in whole["ms"])], strict=True)]
        lines += [*format_table(cells), ""]
        compared = {column: kind for column, kind in columns.items() if difference_column(column) in table}
        for name in whole["network"].iloc[1:] if compared else ():
            lines += [*_by_subset(table[table["network"] == name], f"{truncate(name, 24)} minus {first}", compared,
                                  difference_column), ""]
    return "\n".join([*lines, *_legend(table), "minus: paired differences, at the same positions",
                      f"ms: the network's time for a position, in batches of {BATCH}, without TTA"])


def _legend(table: pd.DataFrame) -> list[str]:
    lines = ["±: one standard error, clustered by game"
             + ("; TTA: test-time augmentation, averaged over the eight symmetries" if f"top1{TTA}" in table else "")]
    if np.any(table["by"] == LAST_MOVE):
        lines.append("last move before scoring: the positions before the last move of games that ended by scoring")
    if "value_accuracy" in table:
        lines += ["value: of games with a winner and a known komi; a value that is always 0 has MSE 1",
                  "baseline: the majority class, always predicting the colour that wins more of these positions with "
                  "its frequency"]
    if "ownership_accuracy" in table:
        lines.append("ownership accuracy, score error in points: of games that ended by scoring")
    return lines


def _columns(table: pd.DataFrame, names: Sequence[str]) -> Columns:
    """The columns of the table that belong to these measures."""
    columns = {}
    for name in names:
        title, unit, _ = MEASURES[name]
        columns |= {name: (name, f"{title} {unit}".strip()), f"{name}_se": (name, "±"), name + TTA: (name, "TTA"),
                    name + BASELINE: (name, "baseline")}
    return {column: measure for column, measure in columns.items() if column in table}


def _by_subset(table: pd.DataFrame, title: str, columns: Columns, shown: Callable[[str], str] | None = None
               ) -> list[str]:
    """Lines of a table with a row for each subset, and an empty one between two kinds of them.  shown: the column whose
    number stands in a column, with its sign."""
    lines = [[title, "positions", *(heading for _, heading in columns.values())]]
    by = "all"
    for row in table.to_dict("records"):
        if row["by"] != by:
            lines.append([""] * len(lines[0]))
            by = row["by"]
        lines.append([truncate(str(row["subset"]), 24), f"{row['positions']:,}"])
        for column, (name, _) in columns.items():
            sign = "+" if shown and not column.endswith("_se") else ""
            lines[-1].append(_number(name, row[shown(column) if shown else column], sign))
    return format_table(lines)


def _number(name: str, value: float, sign: str = "") -> str:
    _, unit, decimals = MEASURES[name]
    return "-" if np.isnan(value) else f"{100 * value if unit else value:{sign}.{decimals}f}"


def calibration_report(table: pd.DataFrame) -> str:
    """The table of `calibrate` as text: a block for each head, with TTA where there is that; a line for each bin, and
    but for the policy for each phase."""
    blocks = []
    for head, part in table.groupby("head", sort=False):
        tta = bool(np.any(part["tta"]))
        part = part[part["tta"] == tta]
        lines = [[f"{head}{', TTA' * tta}: {'quantile' if head == 'score' else 'predicted'}",
                  "points" if head == "ownership" else "positions", "mean %", "observed %", "±", "ECE %", "null ECE %"]]
        whole, *bins = part[part["phase"] == "all"].to_dict("records")
        lines += [_calibration_line(row, row["bin"]) for row in [*bins, whole]]
        if head != "policy":
            phases = part[(part["phase"] != "all") & (part["bin"] == "all")].to_dict("records")
            lines += [[""] * len(lines[0]), *(_calibration_line(row, str(row["phase"])) for row in phases)]
        blocks.append("\n".join(format_table(lines)))
    blocks.append("ECE: expected calibration error, the distance of predicted and observed, averaged over bins;\n"
                  "null ECE: its expectation for a perfectly calibrated network")
    if np.any(table["head"] == "score"):
        blocks[-1] += ("\nscore: how often the final score is below a quantile of the predicted distribution; all: the "
                       "mean of the\nprobabilities of a lower score than the game's, 50 % if scores are neither too "
                       "high nor too low")
    return "\n\n".join(blocks)


def _calibration_line(row: dict, name: str) -> list[str]:
    numbers = (row["predicted"], row["observed"], row["observed_se"], row["ece"], row["null_ece"])
    return [name, f"{row['count']:,}", *("-" if np.isnan(number) else f"{100 * number:.1f}" for number in numbers)]


# ---- as a picture

def calibration_plot(table: pd.DataFrame, path: Path, title: str) -> None:
    """Reliability diagrams: of every head, and of the value in every phase of the game."""
    panels = [(head, phase) for head, phase in table[["head", "phase"]].drop_duplicates().itertuples(index=False)
              if phase == "all" or head == "value"]
    panels.sort(key=lambda panel: panel[1] != "all")
    columns = min(3, len(panels))

    def draw(axes: list) -> None:
        for axis, (head, phase) in zip(axes, panels, strict=False):
            series = {}
            for tta, part in table.query("head == @head and phase == @phase").groupby("tta"):
                whole, bins = part[part["bin"] == "all"].iloc[0], part[part["bin"] != "all"]
                bins = bins[bins["count"] >= min(MIN_POSITIONS, bins["count"].max())]
                shares = (0 if head == "score" else 1) * bins["count"] / whole["count"]
                name = f"ECE {100 * whole['ece']:.1f} %, null {100 * whole['null_ece']:.1f} %"
                series[f"TTA: {name}" if tta else name] = (
                    bins["predicted"], bins["observed"], bins["observed_se"], shares)
            unit = "points" if head == "ownership" else "positions"
            name = HEAD_TITLES[head] if phase == "all" else f"{head}, {phase}"
            figures.reliability_diagram(axis, series, f"{name} ({whole['count']:,} {unit})", (BLUE, PALE_BLUE))
        for axis in axes[len(panels):]:
            axis.axis("off")

    note = "bars: standard errors; grey: positions or points" \
        + ("; TTA: test-time augmentation over the eight symmetries" if np.any(table["tta"]) else "")
    save_charts(path, -(-len(panels) // columns), columns, draw, f"{title}\n{note}",
                (3.6, 3.6) if columns > 1 else (6.4, 5.0))


# ---- the command

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
    if options.people == COMPARE and len(networks) > 1:
        raise BadInput(f"--people {COMPARE} is for one network")
    told = KNOWLEDGE if options.people == COMPARE else (options.people,)
    samples = [sample_positions(data, options.size or common_size(networks), split, options.where, options.sample,
                                options.seed, people) for people in told]
    symmetries = options.symmetries and not all(network.equivariant for network in networks)
    rows = {}
    with contextlib.ExitStack() as stack:
        executor = stack.enter_context(open_executor(scheduler=args.scheduler)) if args.scheduler else None
        for name, network in zip(unique_names(networks), networks, strict=True):
            for people, sample in zip(told, samples, strict=True):
                measure = None if executor is None else functools.partial(
                    measure_on_cluster, executor, data.folder, split, options.where, people)
                rows[people if options.people == COMPARE else name] = \
                    predict_sample(network, sample, symmetries, measure)
    numbers, positions = samples[0].numbers, samples[0].positions
    games = positions.games.take(np.unique(positions.locate(numbers)[0]))
    described = (f"on {len(numbers):,} {split + ' ' if split else ''}positions of {len(games):,} games of "
                 f"{data.folder.resolve().name}" + (f" where {options.where}" if options.where else "")
                 + (f", people: {options.people}" if options.people != "unknown" else ""))
    prefix = _output_prefix(args.output, f"{'networks' if len(networks) > 1 else networks[0].name}-{options.split}")
    if len(rows) > 1:
        table = comparison_table(rows)
        print(f"{f'{len(rows)} networks' if len(networks) > 1 else networks[0].name} {described}\n\n"
              f"{comparison_report(table)}\n")
        write_csv(table, prefix, ".csv")
    if options.people == COMPARE:
        return 0
    for (name, predicted), network in zip(rows.items(), networks, strict=True):
        print(("\n" if len(rows) > 1 else "") + f"{name} {described}\n")
        quantization = network.metadata.get("quantization")
        write(predicted, prefix.with_name(f"{prefix.name}-{name}") if len(rows) > 1 else prefix, f"{name} {described}",
              unseen_notes(name, network.metadata, games)
              + ([format_metrics(quantization)] if quantization else []))
    return 0


def common_size(networks: list[Network]) -> int:
    """The size of board that all were trained on.  Raises BadInput if there are several."""
    first, *others = networks
    other = next((network for network in others if network.size != first.size), None)
    if other is not None:
        raise BadInput(f"{first.name} was trained on {first.size}x{first.size} and {other.name} on "
                       f"{other.size}x{other.size}: give the --size of the positions to compare them on")
    return first.size


def unique_names(networks: list[Network]) -> list[str]:
    """The networks' names, with the precision where networks are in several, and numbered where two are the same."""
    several = len({network.precision for network in networks}) > 1
    names = [Path(network.name).name + f"-{network.precision}" * several for network in networks]
    return [f"{name}-{names[:i + 1].count(name)}" if names.count(name) > 1 else name for i, name in enumerate(names)]


def _output_prefix(given: Path | None, default: str) -> Path:
    """The path that the names of all output files begin with, in a folder that can be written.  given: such a path, or
    an existing folder, in which the files get their default names."""
    prefix = given / default if given and given.is_dir() else given or Path(default)
    prefix.parent.mkdir(parents=True, exist_ok=True)
    check_writable(prefix.parent)
    return prefix


def write(rows: pd.DataFrame, prefix: Path, title: str, notes: list[str]) -> None:
    """Print one network's report with these notes under it, and write its tables and pictures."""
    table, calibrated = summary_table(rows), calibrate(rows[~rows["last_move"]])
    print("\n".join([report(table), "", calibration_report(calibrated), "", *notes, ""]))
    write_csv(table, prefix, ".csv")
    write_csv(calibrated, prefix, "-calibration.csv")
    if figures.has_matplotlib():
        calibration_plot(calibrated, prefix.with_name(f"{prefix.name}-calibration.png"), title)
        print(f"{prefix}-calibration.png")
    else:
        print(f"no picture: {figures.NO_MATPLOTLIB}")


def write_csv(table: pd.DataFrame, prefix: Path, ending: str) -> None:
    """Write a table to the file whose name is the prefix and this ending, and print that name."""
    with atomic_write(prefix.with_name(prefix.name + ending)) as temporary:
        table.to_csv(temporary, index=False)
    print(f"{prefix}{ending}")
