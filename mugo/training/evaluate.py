"""How well networks predict:  mugo evaluate NETWORK [NETWORK ...] DATASET

On positions of games that they were not trained on: how often the move played is the network's first
choice (top-1) or among its first five (top-5), the cross-entropy in nats, and, of a network with a
value head, how often it names the winner and its squared error; by phase of the game, by the rank of
the player to move and by source, with and without averaging over the eight symmetries of the board.
And whether its probabilities come true (calibration.py).

Positions of one game are alike, so every standard error is computed from the sums of games, as if
games were drawn and not positions.  The positions are the same for every network on one data set, and
so the difference between two is known better than either figure: its error is that of the differences.
From Python: `evaluate(network, data)` and `compare(networks, data)` are the tables as DataFrames.
"""
import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset, game_hash, shuffle
from mugo.data.dataset import DataSet
from mugo.data.positions import Positions
from mugo.files import BadInput, atomic_write
from mugo.intervals import mean_and_standard_error
from mugo.limits import NON_NEGATIVE, SEED, check_limits
from mugo.nn.inference import Network
from mugo.plots import diagrams
from mugo.plots.diagrams import BLUE, GREEN, PALE_BLUE, PALE_GREEN
from mugo.training import calibration
from mugo.training.predictions import AVERAGED, BATCH, scores

FEWEST = 30                              # positions of a part that is drawn

# measure: (what it is called, unit, decimals)
MEASURES = {
    "top1": ("top-1", "%", 1),
    "top5": ("top-5", "%", 1),
    "ce": ("cross-entropy", "", 3),
    "winner": ("winner", "%", 1),
    "value_error": ("value error", "", 3),
}
BASE = "_base"                           # ends the name of a measure of what knows only how often each colour wins


def evaluate(network: Network, data: DataSet, *, split: str | None = "test", where: str = "",
             count: int = 10_000, tta: bool = True, seed: int = 0, size: int | None = None) -> pd.DataFrame:
    """What the command prints, as a table with one row for each part of the positions.

    Columns: by ('all', 'phase', 'rank', 'source'), part, positions, games; and for each measure its
    mean and, under its name + '_se', the standard error; with tta also both for the measure +
    '_averaged'.  top1, top5 and winner are shares from 0 to 1; winner and value_error (squared, of a
    value in [-1, 1]) are of the positions of games with a winner, and so are winner_base and
    value_error_base: what always naming the colour that wins more of these positions gets, and what
    always saying how much more.

    split: one of dataset.SPLITS, or None for all.  count: positions drawn by seed; 0 for all.
    size: of the boards, by default those that the network was trained on.  Raises BadInput if there are none.
    """
    return summarise(scores(network, *drawn(data, size or network.size, split, where, count, seed), tta))


def drawn(data: DataSet, size: int, split: str | None, where: str, count: int, seed: int
          ) -> tuple[Positions, np.ndarray]:
    """Positions, and the numbers of those to look at; see `evaluate`."""
    positions = data.positions(split, size, where)
    numbers, _ = shuffle.shuffled_positions(0, min(count or len(positions), len(positions)), len(positions), seed)
    return positions, numbers


def compare(networks: list[Network], data: DataSet, *, split: str | None = "test", where: str = "",
            count: int = 10_000, tta: bool = True, seed: int = 0, size: int | None = None) -> pd.DataFrame:
    """`evaluate` of several networks on the same positions, as a table with one row a network.

    Columns: network, positions, games, those of `evaluate` for each measure, ms (the median of what a
    position took, in batches, not averaged); and for each measure + '_difference' from the first network,
    + '_difference_se'.  What a network does not have is NaN.  Raises BadInput, also if they were
    trained on boards of different sizes and no size is given.
    """
    positions, numbers = drawn(data, size or one_size(networks), split, where, count, seed)
    rows = {name: scores(network, positions, numbers, tta)
            for name, network in zip(names_of(networks), networks, strict=True)}
    return side_by_side(rows)


def one_size(networks: list[Network]) -> int:
    """The size of board that all were trained on.  Raises BadInput if there are several."""
    first, *others = networks
    odd = next((network for network in others if network.size != first.size), None)
    if odd is not None:
        raise BadInput(f"{first.name} was trained on {first.size}x{first.size} and {odd.name} on "
                       f"{odd.size}x{odd.size}: say with --size on which positions to compare them")
    return first.size


def names_of(networks: list[Network]) -> list[str]:
    """The networks' names, numbered where two have the same."""
    names = [Path(network.name).name for network in networks]
    often, seen = Counter(names), Counter()
    for i, name in enumerate(names):
        if often[name] > 1:
            seen[name] += 1
            names[i] = f"{name}-{seen[name]}"
    return names


def side_by_side(rows: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table of `compare` from each network's rows of `scores`, of the same positions."""
    first = next(iter(rows.values()))
    table = []
    for name, of_this in rows.items():
        row = {"network": name} | describe(of_this, measured(of_this)) | {"ms": float(of_this["ms"].median())}
        for measure in measured(of_this):
            if measure in first and of_this is not first:
                differences = (of_this[measure] - first[measure]).to_numpy()
                row[f"{measure}_difference"], row[f"{measure}_difference_se"] = mean_and_standard_error(
                    differences, first["game"].to_numpy())
        table.append(row)
    return pd.DataFrame(table)


def measured(rows: pd.DataFrame) -> list[str]:
    """The columns of `scores` that are averaged: MEASURES, and each averaged over the symmetries."""
    return [name for name in rows if name.removesuffix(AVERAGED) in MEASURES]


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """The table of `evaluate` from the rows of `scores`."""
    names = measured(rows)
    table = [{"by": "all", "part": "all"} | describe(rows, names)]
    for by in ("phase", "rank", "source"):
        table += [{"by": by, "part": name} | describe(part, names) for name, part in rows.groupby(by, observed=True)]
    return pd.DataFrame(table)


def describe(rows: pd.DataFrame, names: list[str]) -> dict:
    """Means and standard errors of some positions."""
    games = rows["game"].to_numpy()
    described = {"positions": len(rows), "games": rows["game"].nunique()}
    for name in names:
        described[name], described[f"{name}_se"] = mean_and_standard_error(rows[name].to_numpy(), games)
    if "winner" in names:
        black = float(rows["black_won"].mean())
        described["winner" + BASE] = max(black, 1 - black)
        described["value_error" + BASE] = 1 - (2 * black - 1) ** 2
    return described


def checks(network: Network, data: DataSet, split: str | None) -> list[str]:
    """Lines that say what is known of whether the network has learned from the games it is asked about."""
    lines = []
    if split in ("validation", "test"):
        of_split = data.used_games["split"].to_numpy()
        openings = data.used_games["opening_hash"].to_numpy()
        shared = int(np.isin(openings[of_split == split], openings[of_split == "train"]).sum())
        lines.append(f"{split} games with the first {game_hash.OPENING_MOVES} moves of a training game, also turned, "
                     f"mirrored or recoloured: {shared or 'none'}")
    trained_on = network.metadata.get("data", {}).get("fingerprint", data.fingerprint)
    if trained_on != data.fingerprint:
        lines.append(f"{network.name} learned from another data set ({trained_on}, this is {data.fingerprint}):\nits "
                     "training games may be among these unless both were made with the same seed and shares")
    return lines


# ---- as text and as a picture

def report(table: pd.DataFrame) -> str:
    """The table as text: one block for the moves, one for the value where there is one."""
    blocks = [["top1", "top5", "ce"], ["winner", "value_error"]]
    lines = []
    for names in blocks:
        if names[0] in table:
            lines += [*diagrams.table(list(_rows(table, names))), ""]
    lines.append(legend(table))
    if "winner" in table:
        lines.append("base: always naming the colour that wins more of these positions, or saying by how much;\n"
                     "a value that is always 0, undecided, has the error 1")
    return "\n".join(lines)


def legend(table: pd.DataFrame) -> str:
    return ("±: one standard error, of games drawn at random"
            + ("; of 8: averaged over the eight symmetries" if f"top1{AVERAGED}" in table else ""))


def _columns(table: pd.DataFrame, name: str) -> dict[str, str]:
    """column of the table: its title, of what belongs to one measure."""
    title, unit, _ = MEASURES[name]
    columns = {name: f"{title} {unit}".strip(), f"{name}_se": "±", name + AVERAGED: "of 8", name + BASE: "base"}
    return {column: said for column, said in columns.items() if column in table}


def _rows(table: pd.DataFrame, names: list[str]) -> Iterator[list[str]]:
    columns = {name: _columns(table, name) for name in names}
    header = ["", "positions", *(title for name in names for title in columns[name].values())]
    yield header
    by = "all"
    for row in table.to_dict("records"):
        if row["by"] != by:
            yield [""] * len(header)
            by = row["by"]
        yield [diagrams.printable(str(row["part"]), 24), f"{row['positions']:,}",
               *(_number(name, row[column]) for name in names for column in columns[name])]


def _number(name: str, value: float, sign: str = "") -> str:
    _, unit, decimals = MEASURES[name]
    return "-" if np.isnan(value) else f"{100 * value if unit else value:{sign}.{decimals}f}"


def report_of_several(table: pd.DataFrame) -> str:
    """The table of `compare` as text: a row a network, then how each differs from the first."""
    names = [name for name in MEASURES if name in table]
    titles = {name: {column: title for column, title in _columns(table, name).items() if not column.endswith(BASE)}
              for name in names}
    both = [name for name in names if _difference(name) in table]        # what the first and another have
    called = [diagrams.printable(name, 24) for name in table["network"]]
    figures = [["", *(title for name in names for title in titles[name].values()), "ms"]]
    differences = [[f"minus {called[0]}", *(title for name in both for title in titles[name].values())]]
    for name_of_row, row in zip(called, table.to_dict("records"), strict=True):
        figures.append([name_of_row, *(_number(name, row[column]) for name in names for column in titles[name]),
                        f"{row['ms']:.2f}"])
        cells = [_number(name, row[_difference(column)], "" if column.endswith("_se") else "+")
                 for name in both for column in titles[name]]
        differences.append([name_of_row, *cells])
    lines = [*diagrams.table(figures), "", *diagrams.table([differences[0], *differences[2:]]), "", legend(table),
             f"minus {called[0]}: how much more, ± of the differences at the same positions",
             f"ms: of the network for a position, in batches of {BATCH}, not averaged"]
    return "\n".join(lines)


def _difference(column: str) -> str:
    """Where a column's difference from the first network stands."""
    return column.removesuffix("_se") + "_difference" + ("_se" if column.endswith("_se") else "")


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
    parser.add_argument("networks", nargs="+", metavar="NETWORK",
                        help="a file, the folder of a training run, or a bundled name; the first is what others "
                             "are compared with")
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="a folder made by preprocess")
    parser.add_argument("--split", choices=(*dataset.SPLITS, "all"), default="test",
                        help="the games of one split (default %(default)s)")
    parser.add_argument("--where", default="", metavar="QUERY", help="of these games only: a pandas query")
    parser.add_argument("--size", type=int, metavar="N",
                        help="of positions on this board (default: the one the networks were trained on)")
    parser.add_argument("--positions", type=float, default=10_000, metavar="N",
                        help="so many, drawn at random; 0: all (default %(default)s)")
    parser.add_argument("--tta", action=argparse.BooleanOptionalAction, default=True,
                        help="also with test-time augmentation: averaged over the board's eight symmetries, eight "
                        "times as slow; left out where all networks are equivariant, because it changes nothing")
    parser.add_argument("--seed", type=int, default=0, help="of the positions drawn (default %(default)s)")
    parser.add_argument("-o", "--output", type=Path, metavar="PREFIX",
                        help="write PREFIX.csv, PREFIX.png and the same with -calibration; of several networks the "
                             "comparison to PREFIX.csv and each one's to PREFIX-NETWORK (default: NETWORK-SPLIT or "
                             "networks-SPLIT in the current folder)")


def command(args: argparse.Namespace) -> int:
    check_limits(args, {"positions": NON_NEGATIVE, "seed": SEED, "size": (2, 19)})
    networks, data = [Network(path) for path in args.networks], dataset.load_dataset(args.dataset)
    split = None if args.split == "all" else args.split
    positions, numbers = drawn(data, args.size or one_size(networks), split, args.where, int(args.positions), args.seed)
    names, several = names_of(networks), len(networks) > 1
    prefix = args.output or Path(f"{'networks' if several else names[0]}-{args.split}")
    if not prefix.name:
        raise BadInput(f"-o {prefix} is a folder: give the beginning of a file's name in it")
    prefix.parent.mkdir(parents=True, exist_ok=True)
    tta = args.tta and not all(network.equivariant for network in networks)
    rows = {name: scores(network, positions, numbers, tta) for name, network in zip(names, networks, strict=True)}
    games = rows[names[0]]["game"].nunique()
    of_what = (f"on {len(numbers):,} {split + ' ' if split else ''}positions of {games:,} games of "
               f"{data.folder.resolve().name}" + (f" where {args.where}" if args.where else ""))
    if several:
        table = side_by_side(rows)
        print(f"{len(networks)} networks {of_what}\n\n{report_of_several(table)}\n")
        write_table(table, prefix, ".csv")
    for name, network in zip(names, networks, strict=True):
        print(("\n" if several else "") + f"{name} {of_what}\n")
        write(rows[name], prefix.with_name(f"{prefix.name}-{name}") if several else prefix, f"{name} {of_what}",
              checks(network, data, split))
    return 0


def write(rows: pd.DataFrame, prefix: Path, title: str, notes: list[str]) -> None:
    """Print one network's report with these notes under it, and write its tables and pictures."""
    table, calibrated = summarise(rows), calibration.calibrate(rows)
    print("\n".join([report(table), "", calibration.report(calibrated), "", *notes, ""]))
    write_table(table, prefix, ".csv")
    write_table(calibrated, prefix, "-calibration.csv")
    if diagrams.can_draw():
        for draw, of_what, ending in ((picture, table, ".png"), (calibration.picture, calibrated, "-calibration.png")):
            draw(of_what, prefix.with_name(prefix.name + ending), title)
            print(f"{prefix}{ending}")
    else:
        print(f"no picture: {diagrams.NO_MATPLOTLIB}")


def write_table(table: pd.DataFrame, prefix: Path, ending: str) -> None:
    """Write a table to the file whose name is the prefix and this ending, and say so."""
    with atomic_write(prefix.with_name(prefix.name + ending)) as path:
        table.to_csv(path, index=False)
    print(f"{prefix}{ending}")
