"""What is in a data set:  mugo show DATASET

    games found     144,667      not used                 split        games   positions
    games used      144,220      too few moves    276     train      138,423  28,611,942
    ...

Tables on stdout, and the same as charts in DATASET/statistics.png.  Nothing is written to the data
set's own files.  From Python: `tables(games)` is a dict of DataFrames.
"""
import argparse
import re
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.files import BadInput
from mugo.plots import diagrams
from mugo.plots.diagrams import GREEN, GREY, INK

MOST = {"sources": 12, "reasons": 12, "handicaps": 10, "komi": 8}    # rows printed of long tables
YEARS = 16                               # rows of the table of years; longer spans where there are more
SPANS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
ENDINGS = {"R": "resignation", "T": "time", "F": "forfeit", "": "not said how"}

# Rank numbers are records.rank_number's: 1k = 0, 1d = 1 ... 9d = 9, 1p = 10 ... 9p = 18.
RANKS = (
    *((f"{-low + 1}-{-low - 3}k", low, low + 4) for low in range(-29, 0, 5)),
    *((f"{dan}d", dan, dan) for dan in range(1, 10)),
    ("1-3p", 10, 12), ("4-6p", 13, 15), ("7-8p", 16, 17), ("9p", 18, 18),
)
LENGTHS = {"shortest": 0, "5 %": 5, "25 %": 25, "median": 50, "75 %": 75, "95 %": 95, "longest": 100}


def tables(games: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Everything counted, of rows of games.parquet.  Each table's index says what its rows are of.

    Those of used games: splits, sources, sizes, ranks (players, not games), years, results (with
    columns Black, White, neither), lengths (one column, moves), handicaps and komi (with the share
    of decided games that Black won), players.  `reasons` is of the others.
    """
    used = games[games["reason"] == ""]
    counted = {"reasons": games.loc[games["reason"] != "", "reason"].value_counts().to_frame("games")}
    counted["splits"] = _games_and_positions(used, used["split"]).reindex(dataset.SPLITS, fill_value=0)
    counted["sources"] = source_table(games)
    counted["sizes"] = _games_and_positions(used, used["size"]).sort_values("games", ascending=False)
    counted["ranks"] = rank_table(used)
    counted["years"] = year_table(used)
    counted["results"] = result_table(used)
    counted["lengths"] = length_table(used)
    counted["handicaps"] = _games_and_wins(used, used["handicap"]).sort_index()
    counted["komi"] = _games_and_wins(used, used["komi"]).sort_values("games", ascending=False)
    counted["players"] = player_table(used)
    return counted


def source_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games found and used of every source, those with the most positions first."""
    used = games["reason"] == ""
    rows = pd.DataFrame({"used": used, "positions": games["plies"].where(used, 0)})
    counted = rows.groupby(games["source"]).agg(found=("used", "size"), used=("used", "sum"),
                                                positions=("positions", "sum"))
    return counted.sort_values("positions", ascending=False).rename_axis(None)


def kind_of_source(label: str) -> str:
    """The family an archive belongs to, by its name: 'KGS-2003-19.tar.gz' and 'kgs_2015' are both 'kgs'."""
    letters = re.match(r"[^\W\d_]{2,}", label)
    return letters[0].lower() if letters else label


def ranks_of_players(games: pd.DataFrame) -> pd.Series:
    """The name in RANKS of both players of each game, 'unknown' for the others; twice as long as games."""
    return named_ranks(pd.concat([games["black_rank"], games["white_rank"]], ignore_index=True), RANKS)


def named_ranks(ranks: pd.Series, names: tuple[tuple[str, float, float], ...]) -> pd.Series:
    """A categorical Series: for each rank number the name whose (name, lowest, highest) holds it."""
    tests = [(ranks >= low) & (ranks <= high) for _, low, high in names]
    found = np.select(tests, [name for name, _, _ in names], "unknown")
    return pd.Series(pd.Categorical(found, [*(name for name, _, _ in names), "unknown"]), ranks.index)


def rank_table(games: pd.DataFrame) -> pd.DataFrame:
    players = ranks_of_players(games).value_counts(sort=False)
    return players[players > 0].to_frame("players")


def years_of(games: pd.DataFrame) -> pd.Series:
    """The year of each game, NaN where its date does not begin with one."""
    return games["date"].str.extract(r"^(\d{4})")[0].astype(float)


def year_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games of each year, or of each 2, 5, 10, ... years, so that there are no more than YEARS rows."""
    years = years_of(games)
    span = next(span for span in SPANS if (years // span).nunique() <= YEARS)
    first = (years // span * span).dropna().astype(int)
    counted = first.value_counts().sort_index()
    if span == 1:
        counted.index = [str(year) for year in counted.index]
    else:
        counted.index = [f"{year}-{str(year + span - 1)[-2:]}" for year in counted.index]
    if years.isna().any():
        counted["unknown"] = years.isna().sum()
    return counted.to_frame("games")


def result_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games by how they ended (rows) and who won (columns)."""
    how = games["result"].map(ending)
    winner = games["winner"].map({1: "Black", -1: "White", 0: "neither"})
    counted = pd.crosstab(how, winner)
    order = ["resignation", "points", "time", "forfeit", "not said how", "drawn", "unknown"]
    counted = counted.reindex(index=order, columns=["Black", "White", "neither"], fill_value=0)
    return counted[counted.sum(axis=1) > 0].rename_axis(index=None, columns=None)


def ending(result: str) -> str:
    """How a game ended, from a Record's result."""
    if result[:2] in ("B+", "W+"):
        return ENDINGS.get(result[2:], "points")
    return "drawn" if result == "0" else "unknown"


def length_table(games: pd.DataFrame) -> pd.DataFrame:
    if not len(games):
        return pd.DataFrame({"moves": []})
    moves = games["plies"].to_numpy()
    rows = {name: round(float(np.percentile(moves, share))) for name, share in LENGTHS.items()}
    return pd.DataFrame({"moves": rows | {"mean": round(float(moves.mean()))}})


def player_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games and wins of every named player, the most frequent first."""
    names = pd.concat([games["black"], games["white"]])
    won = pd.concat([games["winner"] == 1, games["winner"] == -1])
    decided = pd.concat([games["winner"] != 0] * 2)
    rows = pd.DataFrame({"name": names, "won": won, "decided": decided})[names.str.strip() != ""]
    counted = rows.groupby("name").agg(games=("won", "size"), won=("won", "sum"), decided=("decided", "sum"))
    counted["won"] = counted["won"] / counted.pop("decided")
    return counted.sort_values("games", ascending=False, kind="stable").rename_axis(None)


def _games_and_positions(games: pd.DataFrame, by: pd.Series) -> pd.DataFrame:
    return games.groupby(by).agg(games=("plies", "size"), positions=("plies", "sum")).rename_axis(None)


def _games_and_wins(games: pd.DataFrame, by: pd.Series) -> pd.DataFrame:
    """Games, and the share of those with a winner that Black won; NaN where there are none."""
    counted = games.groupby(by.fillna(np.inf)).agg(
        games=("winner", "size"), won=("winner", lambda winner: (winner == 1).sum()),
        lost=("winner", lambda winner: (winner == -1).sum()))
    counted["black_won"] = counted["won"] / (counted["won"] + counted["lost"])
    return counted[["games", "black_won"]].rename_axis(None)


# ---- as text

def report(data: DataSet, games: pd.DataFrame, counted: dict[str, pd.DataFrame], where: str = "") -> str:
    """The tables as text, about 100 columns wide."""
    used = games[games["reason"] == ""]
    lines = [f"{data.folder}: data set {data.fingerprint}" + (f", where {where}" if where else ""), ""]
    overview = [["games found", f"{len(games):,}"], ["games used", f"{len(used):,}"],
                ["positions", f"{int(used['plies'].sum()):,}"]]
    lines += diagrams.beside([
        diagrams.table(overview),
        _block("split", counted["splits"]),
        _block("not used", _with_tail(counted["reasons"], "reasons")) if len(counted["reasons"]) else [],
    ]) + [""]
    lines += _block("source", _with_tail(counted["sources"].rename(index=_name), "sources"))
    if not len(used):
        return "\n".join(lines)
    lines += ["", *diagrams.beside([
        _block("rank of player", _with_shares(counted["ranks"])),
        _block("year", _with_shares(counted["years"])),
        _block("length", counted["lengths"]),
    ])]
    lines += ["", *diagrams.beside([
        _block("won by", _with_winners(counted["results"])),
        _block("handicap", _with_tail(counted["handicaps"].rename(index=_stones), "handicaps")),
        _block("komi", _with_tail(counted["komi"].rename(index=_komi), "komi")),
    ])]
    lines += ["", *diagrams.beside([
        _block("player", counted["players"].iloc[:10].rename(index=_name)),
        _block("board", counted["sizes"].rename(index=_board)),
    ])]
    return "\n".join(lines)


def _name(text: str) -> str:
    return diagrams.printable(text, 32)


def _komi(komi: float) -> str:
    return f"{komi:g}" if np.isfinite(komi) else "unknown"


def _stones(handicap: int) -> str:
    return str(handicap) if handicap else "none"


def _board(size: int) -> str:
    return f"{size}x{size}"


def _with_shares(counted: pd.DataFrame) -> pd.DataFrame:
    """A table of one column, and what part each row is of the whole."""
    return counted.assign(share=counted.iloc[:, 0] / counted.iloc[:, 0].sum())


def _with_winners(results: pd.DataFrame) -> pd.DataFrame:
    """The table of results as text, with a last row: who won how many of the decided games."""
    total = results.sum()
    decided = max(1, total["Black"] + total["White"])
    shown = results.map("{:,}".format)
    shown.loc["in all"] = [f"{total['Black'] / decided:.1%}", f"{total['White'] / decided:.1%}", ""]
    return shown


def _with_tail(counted: pd.DataFrame, which: str) -> pd.DataFrame:
    """The largest rows, in their order, and one for all others."""
    most = MOST[which]
    if len(counted) <= most + 1:
        return counted
    largest = counted.iloc[:, 0].to_numpy().argsort(kind="stable")[::-1][:most]
    kept, others = counted.iloc[np.sort(largest)], counted.drop(counted.index[largest])
    tail = {name: others[name].sum() if others[name].dtype.kind in "iu" else np.nan for name in counted}
    return pd.concat([kept, pd.DataFrame(tail, index=[f"{len(others)} others"])])


def _block(title: str, counted: pd.DataFrame) -> list[str]:
    """A table as lines under a header; a float is shown as a share."""
    header = [title, *(name.replace("_", " ") for name in counted.columns)]
    return diagrams.table([header, *([str(name), *map(_cell, row)] for name, *row in counted.itertuples())])


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return "-" if np.isnan(value) else f"{value:.1%}"
    return f"{value:,}"


# ---- as a picture

def picture(data: DataSet, games: pd.DataFrame, counted: dict[str, pd.DataFrame], path: Path,
            where: str = "") -> None:
    """The same as a page of charts.  Raises BadInput if there is no game to draw, or no matplotlib."""
    used = games[games["reason"] == ""]
    if not len(used):
        raise BadInput(f"{data.folder}: no game is used, so there is nothing to draw")

    def draw(axes: list) -> None:
        overview, sources, reasons, ranks, years, lengths, results, handicaps, komi = axes
        splits, sizes = counted["splits"], counted["sizes"].iloc[:4]
        diagrams.words(overview, "\n".join(diagrams.table([
            ["games found", f"{len(games):,}"], ["games used", f"{len(used):,}"],
            ["positions", f"{int(used['plies'].sum()):,}"],
            *([f"  in {split}", f"{n:,}"] for split, n in splits["positions"].items()),
            *([f"games on {_board(size)}", f"{n:,}"] for size, n in sizes["games"].items()),
            ["players", f"{len(counted['players']):,}"],
            ["Black won", _with_winners(counted["results"]).at["in all", "Black"]],
        ])))
        kinds = counted["sources"].groupby(kind_of_source).sum().nlargest(8, "positions")
        notes = [f"{n:,} games" for n in kinds["used"]]
        diagrams.horizontal_bars(sources, list(kinds.index), kinds["positions"] / 1e6, notes,
                                 "positions by kind of source, millions")
        most = counted["reasons"]["games"].iloc[:8]
        notes = [f"{n:,}" for n in most]
        diagrams.horizontal_bars(reasons, list(most.index), most, notes, "games not used", GREY)
        for chart, name, title in ((ranks, "ranks", "rank of the players, %"),
                                   (years, "years", "year of the game, %")):
            share = _with_shares(counted[name])["share"]
            diagrams.bars(chart, list(share.index), {"": 100 * share}, title, (GREEN,))
        diagrams.histogram(lengths, used["plies"].to_numpy(), 10, "games by their length in moves")
        share = 100 * counted["results"] / len(used)
        diagrams.bars(results, list(share.index), dict(share.items()), "who won, and how, %",
                      (INK, "white", GREY))
        for chart, name, table, label in ((handicaps, "handicap", counted["handicaps"], _stones),
                                          (komi, "komi", counted["komi"], _komi)):
            rows = table.nlargest(9, "games").sort_index()
            rows = rows[rows["games"] >= len(used) / 2000]           # a lower bar cannot be seen
            share = 100 * rows["games"] / len(used)
            notes = ["" if np.isnan(won) else f"{100 * won:.0f}" for won in rows["black_won"]]
            diagrams.bars(chart, [label(value) for value in rows.index], {"": share},
                          f"{name}: share of the games, and how many Black won, %", notes=notes)

    title = f"{data.folder.resolve().name}: {len(used):,} games"
    diagrams.chart(path, 3, 3, draw, title + (f" where {where}" if where else ""))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="a folder made by preprocess")
    parser.add_argument("--where", default="", metavar="QUERY",
                        help="of these games only: a pandas query, say \"handicap == 0 and black_rank >= 6\"")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE",
                        help="the picture, .png, .svg or .pdf (default: DATASET/statistics.png)")


def command(args: argparse.Namespace) -> int:
    data = dataset.open_dataset(args.dataset)
    games = dataset.chosen(data.games, args.where)
    if not len(games):
        raise BadInput(f"{data.folder}: no games" + (f" where {args.where}" if args.where else ""))
    counted = tables(games)
    print(report(data, games, counted, args.where))
    if args.output or (diagrams.can_draw() and (games["reason"] == "").any()):
        path = args.output or data.folder / "statistics.png"
        picture(data, games, counted, path, args.where)
        print(f"\n{path}")
    elif not diagrams.can_draw():
        print(f"\nno picture: {diagrams.NO_MATPLOTLIB}")
    return 0
