"""A summary of a data set:  mugo show DATASET

    games found     144,667      not used                 split        games   positions
    games used      144,220      too few moves    276     train      138,423  28,611,942
    ...
"""
import argparse
import functools
import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from mugo.core.files import BadInput
from mugo.data import dataset
from mugo.data.dataset import DataSet
from mugo.data.shards import SPLITS
from mugo.plots.terminal import format_table, side_by_side, truncate

# What the tables need of games.parquet.
COLUMNS = ["reject_reason", "split", "num_moves", "source", "size", "black_rank", "white_rank", "date", "result",
           "winner", "handicap", "komi", "black", "white", "ownership_start"]
MAX_YEAR_ROWS = 16                       # of the table of years; more years are grouped
YEAR_SPANS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
WIN_BY = {"R": "resignation", "T": "time", "F": "forfeit", "": "unknown margin"}

# (name, lowest, highest) on the scale of sgf.properties.rank_number: 1k = 0, 1d = 1 ... 9d = 9, 1p = 10 ... 9p = 18.
RANK_GROUPS = (
    *((f"{-low + 1}-{-low - 3}k", low, low + 4) for low in range(-29, 0, 5)),
    *((f"{dan}d", dan, dan) for dan in range(1, 10)),
    ("1-3p", 10, 12), ("4-6p", 13, 15), ("7-8p", 16, 17), ("9p", 18, 18),
)
QUANTILES = {"shortest": 0, "5 %": 5, "25 %": 25, "median": 50, "75 %": 75, "95 %": 95, "longest": 100}


def summary_tables(games: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """All tables by name; the index of each says what its rows are.  `reasons` counts the games that are not used.

    Columns are games, positions, players, moves, and black_won: the fraction of the decided games that Black won.
    """
    used = games[games["reject_reason"] == ""]
    rejected = games.loc[games["reject_reason"] != "", "reject_reason"]
    return {
        "reasons": rejected.value_counts().to_frame("games"),
        "splits": _games_and_positions(used, used["split"]).reindex(SPLITS, fill_value=0),
        "sources": source_table(games),
        "sizes": _games_and_positions(used, used["size"]).sort_values("games", ascending=False),
        "ranks": rank_table(used),
        "years": year_table(used),
        "results": result_table(used),
        "lengths": length_table(used),
        "handicaps": _games_and_wins(used, used["handicap"]).sort_index(),
        "komi": _games_and_wins(used, used["komi"].fillna(np.inf)).sort_values("games", ascending=False),
        "players": player_table(used),
    }


def source_table(games: pd.DataFrame) -> pd.DataFrame:
    """Columns found, used, positions for every source, most positions first."""
    used = games["reject_reason"] == ""
    rows = pd.DataFrame({"used": used, "positions": games["num_moves"].where(used, 0)})
    counts = rows.groupby(games["source"]).agg(found=("used", "size"), used=("used", "sum"),
                                               positions=("positions", "sum"))
    return counts.sort_values("positions", ascending=False).rename_axis(None)


def source_family(label: str) -> str:
    """The common prefix of archives of one origin: 'kgs' for 'KGS-2003-19.tar.gz' and 'kgs_2015'; short."""
    letters = re.match(r"[^\W\d_]{2,}", label)
    return truncate(letters[0].lower() if letters else label, 24)


def rank_groups(ranks: pd.Series, groups: tuple[tuple[str, float, float], ...]) -> pd.Series:
    """The group of each rank number, (name, lowest, highest), as a categorical Series; 'unknown' for the others."""
    tests = [(ranks >= low) & (ranks <= high) for _, low, high in groups]
    found = np.select(tests, [name for name, _, _ in groups], "unknown")
    return pd.Series(pd.Categorical(found, [*(name for name, _, _ in groups), "unknown"]), ranks.index)


def rank_table(games: pd.DataFrame) -> pd.DataFrame:
    """Players by rank group, both players of each game."""
    ranks = pd.concat([games["black_rank"], games["white_rank"]], ignore_index=True)
    players = rank_groups(ranks, RANK_GROUPS).value_counts(sort=False)
    return players[players > 0].to_frame("players")


def year_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games by year, or by spans of years if there are more than MAX_YEAR_ROWS."""
    years = games["date"].str.extract(r"^(\d{4})")[0].astype(float)
    span = next(span for span in YEAR_SPANS if (years // span).nunique() <= MAX_YEAR_ROWS)
    first = (years // span * span).dropna().astype(int)
    counts = first.value_counts().sort_index()
    counts.index = [f"{year}-{str(year + span - 1)[-2:]}" if span > 1 else str(year) for year in counts.index]
    if years.isna().any():
        counts["unknown"] = years.isna().sum()
    return counts.to_frame("games")


def result_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games by the kind of result (rows) and the winner (columns)."""
    kinds = games["result"].map(result_kind)
    winner = games["winner"].map({1: "Black", -1: "White", 0: "neither"})
    order = ["resignation", "points", "time", "forfeit", "unknown margin", "draw", "unknown"]
    counts = pd.crosstab(kinds, winner)
    counts = counts.reindex(index=order, columns=["Black", "White", "neither"], fill_value=0)
    return counts[counts.sum(axis=1) > 0].rename_axis(index=None, columns=None)


def result_kind(result: str) -> str:
    """How a game with this Record.result ended."""
    if result[:2] in ("B+", "W+"):
        return WIN_BY.get(result[2:], "points")
    return "draw" if result == "0" else "unknown"


def length_table(games: pd.DataFrame) -> pd.DataFrame:
    """Quantiles and mean of the number of moves."""
    if not len(games):
        return pd.DataFrame({"moves": []})
    moves = games["num_moves"].to_numpy()
    quantiles = dict(zip(QUANTILES, np.percentile(moves, list(QUANTILES.values())), strict=True))
    return pd.DataFrame({"moves": {name: round(float(n)) for name, n in {**quantiles, "mean": moves.mean()}.items()}})


def player_table(games: pd.DataFrame) -> pd.DataFrame:
    """Games and win rate (of the decided games) of every player with a name, most games first."""
    sides = pd.concat([pd.DataFrame({"name": games[name], "winner": sign * games["winner"]})
                       for name, sign in (("black", 1), ("white", -1))])
    sides = sides[sides["name"].str.strip() != ""]
    counts = _games_and_wins(sides, sides["name"]).rename(columns={"black_won": "won"})
    return counts.sort_values("games", ascending=False, kind="stable")


def _games_and_positions(games: pd.DataFrame, by: pd.Series) -> pd.DataFrame:
    return games.groupby(by).agg(games=("num_moves", "size"), positions=("num_moves", "sum")).rename_axis(None)


def _games_and_wins(games: pd.DataFrame, by: pd.Series) -> pd.DataFrame:
    """Games, and the fraction of the decided ones that Black won; NaN if none is decided."""
    rows = pd.DataFrame({"won": games["winner"] == 1, "decided": games["winner"] != 0})
    counts = rows.groupby(by).agg(games=("won", "size"), won=("won", "sum"), decided=("decided", "sum"))
    counts["black_won"] = counts["won"] / counts["decided"]
    return counts[["games", "black_won"]].rename_axis(None)


MAX_ROWS = {"sources": 12, "reasons": 12, "handicaps": 10, "komi": 8}    # rows printed of long tables
Tables = dict[str, pd.DataFrame]


# ---- text

def report(data: DataSet, games: pd.DataFrame, tables: Tables, where: str = "") -> str:
    """The tables of the games that `where` selects as text, about 100 columns wide.  games: rows of data.games, with
    COLUMNS.  tables: summary_tables(games)."""
    lines = [f"{data.folder}: data set {data.fingerprint}" + (f", where {where}" if where else ""), ""]
    lines += side_by_side([
        format_table(_totals(games)),
        _block("split", tables["splits"]),
        _block("not used", _largest(tables["reasons"], "reasons")) if len(tables["reasons"]) else [],
    ]) + [""]
    lines += _block("source", _largest(tables["sources"].rename(index=_name), "sources"))
    if not len(_used(games)):
        return "\n".join(lines)
    lines += ["", *side_by_side([
        _block("rank of player", _with_fractions(tables["ranks"])),
        _block("year", _with_fractions(tables["years"])),
        _block("length", tables["lengths"]),
    ])]
    lines += ["", *side_by_side([
        _block("result", _with_win_rates(tables["results"])),
        _block("handicap", _largest(tables["handicaps"].rename(index=_stones), "handicaps")),
        _block("komi", _largest(tables["komi"].rename(index=_komi), "komi")),
    ])]
    lines += ["", *side_by_side([
        _block("player", tables["players"].iloc[:10].rename(index=_name)),
        _block("board", tables["sizes"].rename(index=_board)),
    ])]
    return "\n".join(lines)


def _used(games: pd.DataFrame) -> pd.DataFrame:
    return games[games["reject_reason"] == ""]


def _totals(games: pd.DataFrame) -> list[list[str]]:
    used = _used(games)
    return [["games found", f"{len(games):,}"], ["games used", f"{len(used):,}"],
            ["  final ownership", f"{int((used['ownership_start'] >= 0).sum()):,}"],
            ["positions", f"{int(used['num_moves'].sum()):,}"]]


_name = functools.partial(truncate, columns=32)
_komi: Callable[[float], str] = lambda komi: f"{komi:g}" if np.isfinite(komi) else "unknown"
_stones: Callable[[int], str] = lambda handicap: str(handicap or "none")
_board: Callable[[int], str] = lambda size: f"{size}x{size}"


def _with_fractions(table: pd.DataFrame) -> pd.DataFrame:
    """A table of one column, and the fraction of each row of the total."""
    return table.assign(share=table.iloc[:, 0] / table.iloc[:, 0].sum())


def _with_win_rates(results: pd.DataFrame) -> pd.DataFrame:
    """The table of results as text, with a last row: the win rates of Black and White in the decided games."""
    total = results.sum()
    decided = max(1, total["Black"] + total["White"])
    shown = results.map("{:,}".format)
    shown.loc["win rate"] = [f"{total['Black'] / decided:.1%}", f"{total['White'] / decided:.1%}", ""]
    return shown


def _largest(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The MAX_ROWS largest rows, in their order, and one row for all others."""
    most = MAX_ROWS[name]
    if len(table) <= most + 1:
        return table
    largest = table.iloc[:, 0].to_numpy().argsort(kind="stable")[::-1][:most]
    kept, others = table.iloc[np.sort(largest)], table.drop(table.index[largest])
    rest = {column: others[column].sum() if others[column].dtype.kind in "iu" else np.nan for column in table}
    return pd.concat([kept, pd.DataFrame(rest, index=[f"{len(others)} others"])])


def _block(title: str, table: pd.DataFrame) -> list[str]:
    """A table as lines below a header; floats are shown as percentages."""
    header = [title, *(name.replace("_", " ") for name in table.columns)]
    return format_table([header, *([str(name), *map(_cell, row)] for name, *row in table.itertuples())])


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return "-" if np.isnan(value) else f"{value:.1%}"
    return f"{value:,}"


def command(args: argparse.Namespace) -> int:
    data = dataset.load_dataset(args.dataset)
    games = data.table(COLUMNS, args.where)
    if not len(games):
        raise BadInput(f"{data.folder}: no games" + (f" where {args.where}" if args.where else ""))
    print(report(data, games, summary_tables(games), args.where))
    return 0
