"""Which legal games a data set leaves out: short ones, those that --where does not select, duplicates.

The functions for tables mark rows of a table of games (games_table.py) with a reject_reason, in place.  Duplicates are
found among games with one opening hash: copies have equal game hashes, and a truncated copy is the beginning of a
longer game.  So only the games of one bucket (opening_buckets.py) are compared at a time.
"""
from collections.abc import Iterator

import numpy as np
import pandas as pd

from mugo.data.game_hash import canonicalize
from mugo.data.game_index import GameArrays
from mugo.data.games_table import COLUMNS
from mugo.data.query import matching_rows
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
    others = good.index[~matching_rows(good[list(COLUMNS)], where)]
    reject(table, others, "not selected by --where", f"not {where}")


def find_copies_of_games(games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(labels of the games that are copies, rotated, reflected or with colours exchanged, of one with a lower label,
    that label), both int64.

    games: opening_buckets.KEY (n,).
    """
    games = games[np.argsort(games["label"], kind="stable")]
    _, first, group = np.unique(games["game_hash"], return_index=True, return_inverse=True)
    original = games["label"][first[group]]
    is_copy = original != games["label"]
    return games["label"][is_copy], original[is_copy]


def same_openings(games: np.ndarray, first_new: int) -> np.ndarray:
    """The games that share their opening with another one, if one of these has a label of at least first_new.

    games: opening_buckets.KEY (n,), without copies.  Returned: by opening, the longest first, then by label.
    """
    _, group, count = np.unique(games["opening_hash"], return_inverse=True, return_counts=True)
    has_new = np.zeros(len(count), bool)
    has_new[group[games["label"] >= first_new]] = True
    games = games[(count > 1)[group] & has_new[group]]
    return games[np.lexsort((games["label"], -games["num_moves"].astype(np.int64), games["opening_hash"]))]


def canonical_lines(games: GameArrays) -> Iterator[bytes]:
    """The canonical moves of each game without the passes at its end, int16."""
    for record, setup_start, setup_end, start, count in zip(games.games, *games.ranges, strict=True):
        size = int(record["size"])
        line = np.empty(count, np.int16)
        canonicalize(size, games.setup[setup_start:setup_end], games.moves[start:start + count], symmetries(size), line)
        while len(line) and line[-1] & (WHITE_BIT - 1) == size * size:
            line = line[:-1]
        yield line.tobytes()


def find_truncated(labels: np.ndarray, lines: list[bytes]) -> Iterator[tuple[int, int]]:
    """(label of a game that is the beginning of another one, the label of that) of games with one opening.

    lines: of each, as of `canonical_lines`, in the order of `same_openings`.
    """
    kept: list[tuple[int, bytes]] = []
    for label, line in zip(labels.tolist(), lines, strict=True):
        longer = next((other for other, line_of_other in kept if line_of_other.startswith(line)), None)
        if longer is None:
            kept.append((label, line))
        else:
            yield label, longer
