"""Which legal games a data set leaves out: short ones, those that --where does not select, duplicates.

These functions mark rows of a table of games (games_table.py) with a reject_reason, in place.  duplicates.py finds
the duplicates.
"""
import pandas as pd

from mugo.data.games_table import COLUMNS
from mugo.data.query import matching_rows


def reject(table: pd.DataFrame, rows, reason: str, details) -> None:
    """Mark rows, selected by index or boolean mask, as not used."""
    table.loc[rows, "reject_reason"] = reason
    table.loc[rows, "reject_details"] = details


def reject_short(table: pd.DataFrame, min_moves: int) -> None:
    """Reject games of fewer than min_moves moves."""
    short = (table["reject_reason"] == "") & (table["num_moves"] < min_moves)
    reject(table, short, "too few moves",
           table.loc[short, "num_moves"].astype(str) + f" moves; at least {min_moves} are required")


def reject_unselected(table: pd.DataFrame, where: str) -> None:
    """Reject games for which a query is false."""
    good = table[table["reject_reason"] == ""]
    others = good.index[~matching_rows(good[list(COLUMNS)], where)]
    reject(table, others, "not selected by --where", f"not {where}")
