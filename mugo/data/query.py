"""Queries that select games, and expressions that weight them: what `--where` and `--sample-weight` understand.

    black_rank >= 7 and white_rank >= 7
    source.str.contains('KGS') and handicap == 0
    abs(black_rank - white_rank) <= 1 and komi.notna()

pandas evaluates them (pandas.DataFrame.eval), and it calls methods of any object.  So a query is what somebody types:
one that stands in a file, as in a checkpoint, is shown and has to be typed again (check_typed).
"""
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, error_line
from mugo.core.options import format_option

WEIGHTS = 1e-9, 1e9                      # the least and the most other than 0: their sums and squares are finite


def matching_rows(games: pd.DataFrame, query: str) -> np.ndarray:
    """Whether each game satisfies a query: bool (len(games),); '' is satisfied by all.

    With an unknown number (NaN) every comparison but != is false.  Raises BadInput for what pandas cannot evaluate, and
    for a value that is not true or false for each game.
    """
    if not query:
        return np.ones(len(games), bool)
    value = _value(games, query, "where")
    if not isinstance(value, pd.Series) or value.dtype != bool:
        raise BadInput(f"{format_option('where', query)}: its value must be true or false for each game")
    return value.to_numpy()


def weights_of_rows(games: pd.DataFrame, expression: str) -> np.ndarray:
    """The value of an expression for each game, float64 (len(games),); conditions are numbers, 1 and 0.

    Raises BadInput for what pandas cannot evaluate, and for a value that is neither 0 nor within WEIGHTS.
    """
    option = format_option("sample_weight", expression)
    try:
        weights = np.broadcast_to(np.asarray(_value(games, expression, "sample_weight"), np.float64), len(games)).copy()
    except (TypeError, ValueError):
        raise BadInput(f"{option}: its value must be a number for each game") from None
    least, most = WEIGHTS
    if wrong := int((~((weights == 0) | (weights >= least) & (weights <= most))).sum()):
        raise BadInput(f"{option}: a weight must be 0, or from {least:g} to {most:g}, and that of {wrong:,} of "
                       f"{len(games):,} games is not; notna() finds the games that have a rank")
    return weights


def names_in(query: str, schema: dict[str, type]) -> list[str]:
    """The columns that a query names, of tables of this schema."""
    return [name for name in schema if re.search(rf"\b{name}\b", query)]


def check_typed(path: Any, stored: Mapping[str, Any], typed: Mapping[str, Any]) -> None:
    """Raise BadInput for a query that the file at a path has, and that was not typed."""
    for name in "where", "sample_weight":
        if stored.get(name) and name not in typed:
            raise BadInput(f"{path} has a query, which is not taken from a file; if you trust it, give it: "
                           f"{format_option(name, stored[name])}")


def _value(games: pd.DataFrame, query: str, option: str) -> Any:
    try:
        return games.eval(query, engine="python", local_dict={}, global_dict={})
    except NameError as error:
        raise BadInput(f"{format_option(option, query)}: {error_line(error)} (columns: {', '.join(games.columns)})"
                       ) from None
    except Exception as error:           # pandas and the methods it calls raise any
        raise BadInput(f"{format_option(option, query)}: {error_line(error)}; an example of a query: "
                       "black_rank >= 7 and source.str.contains('KGS')") from None
