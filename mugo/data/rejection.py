"""Which legal games a data set leaves out: short ones, those that --where does not select, duplicates.

Each function marks rows of a table of games (games_table.py) with a reject_reason, in place.
"""
from collections.abc import Callable

import numpy as np
import pandas as pd

from mugo.data.dataset import select_games
from mugo.data.game_hash import canonicalize
from mugo.data.games_table import COLUMNS
from mugo.games.coords import WHITE_BIT, symmetries


def reject(table: pd.DataFrame, rows, reason: str, details) -> None:
    """Mark rows, selected by label or boolean mask, as not used."""
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
    others = good.index.difference(select_games(good[list(COLUMNS)], where).index)
    reject(table, others, "not selected by --where", f"not {where}")


def reject_duplicates(table: pd.DataFrame, encoded_game: Callable[[int], tuple[np.ndarray, np.ndarray]]) -> None:
    """Reject copies of a game (rotated, reflected, colours exchanged) but the first, and truncated copies.

    encoded_game(label) returns a game's encoded setup and moves, int16.
    """
    good = table[table["reject_reason"] == ""]
    first = good.drop_duplicates("game_hash")
    label_of = dict(zip(first["game_hash"], first.index, strict=True))
    copies = good.index.difference(first.index, sort=False)
    reject(table, copies, "duplicate", [f"the same game as {_path(table, label_of[game])}"
                                        for game in good.loc[copies, "game_hash"]])
    same_opening = first[first.duplicated("opening_hash", keep=False)]
    same_opening = same_opening.sort_values("num_moves", ascending=False, kind="stable")
    for _, group in same_opening.groupby("opening_hash", sort=False):
        _reject_truncated(table, group.index, encoded_game)


def _reject_truncated(table: pd.DataFrame, labels: pd.Index, encoded_game: Callable) -> None:
    """Of games with the same opening, the longest first, reject those that are the beginning of another one."""
    kept: list[tuple[int, bytes]] = []       # (label, canonical moves)
    for label in labels:
        setup, moves = encoded_game(label)
        size = int(table.at[label, "size"])
        line = np.empty(len(moves), np.int16)
        canonicalize(size, setup, moves, symmetries(size), line)
        while len(line) and line[-1] & (WHITE_BIT - 1) == size * size:       # passes at the end
            line = line[:-1]
        longer = next((other for other, moves_of_other in kept if moves_of_other.startswith(line.tobytes())), None)
        if longer is None:
            kept.append((label, line.tobytes()))
        else:
            reject(table, label, "duplicate", f"the beginning of {_path(table, longer)}")


def _path(table: pd.DataFrame, label: int) -> str:
    return f"{table.at[label, 'source']}/{table.at[label, 'file']}"
