"""Counts of a data set's games as DataFrames: by split, source, board size, rank, year, result, length, komi, player.

`summary_tables` takes rows of games.parquet.  How they are shown is summary.py's.
"""
import re

import numpy as np
import pandas as pd

from mugo.plots.text_table import truncate

from mugo.data.shards import SPLITS

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
    """All tables by name; the index of each says what its rows are.

    Of used games: splits, sources, sizes, ranks (counts players, not games), years, results (columns Black, White,
    neither), lengths (column moves), handicaps and komi (black_won: fraction of the decided games that Black won),
    players.  Of the other games: reasons.
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
    """Games by year, or by spans of 2, 5, 10, ... years, so that there are at most MAX_YEAR_ROWS rows."""
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
