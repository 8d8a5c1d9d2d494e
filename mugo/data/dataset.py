"""The format of a data set, a folder; and DataSet, which reads it.

    games.parquet   one row per game, also for unused games, with the reason; columns: games_table.COLUMNS
    moves.npy       int16: the encoded moves (games/coords.py) of all used games, concatenated
    setup.npy       int16: their encoded setup stones, likewise
    meta.json       format, options of preprocess, sources with checksums, counts

Two bytes per move and no planes: positions.py encodes positions when they are needed.  merge.py writes these files.
"""
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data.game_hash import content_hashes
from mugo.data.positions import Positions, digest, game_ranges
from mugo.data.query import matching_rows
from mugo.files import BadInput, error_line

FORMAT = 2                               # 1 had other names of columns (plies, game, opening, reason, ...)
FILES = ("games.parquet", "moves.npy", "setup.npy", "meta.json")
SPLITS = ("train", "validation", "test")
ALL_MOVES = (1, float("inf"))            # range of moves, both ends included, counted from 1


@dataclass(frozen=True)
class DataSet:
    """The files of a data set, in memory."""

    folder: Path
    meta: dict
    games: pd.DataFrame                  # games.parquet
    setup: np.ndarray                    # int16
    moves: np.ndarray                    # int16

    @property
    def used_games(self) -> pd.DataFrame:
        """The rows of the games that are used: those without a reject_reason."""
        return self.games[self.games["reject_reason"] == ""]

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal where the used games, their order and the split of each are the same."""
        games = self.used_games
        contents = content_hashes(self.setup, self.moves, *game_ranges(games))
        splits = games["split"].map(SPLITS.index).to_numpy(np.int8)
        return digest(contents, games["size"].to_numpy(np.int16), games["winner"].to_numpy(np.int8), splits)

    @property
    def split_options(self) -> dict[str, float]:
        """The options of assign_splits: "seed", "validation", "test"."""
        return {name: self.meta["options"][name] for name in ("seed", "validation", "test")}

    def board_sizes(self) -> list[int]:
        """The board sizes of the used games, the most frequent first."""
        return [int(size) for size in self.used_games["size"].value_counts().index]

    def positions(self, split: str | None = None, size: int | None = None, where: str = "",
                  moves: tuple[int, float] = ALL_MOVES) -> Positions:
        """Positions of the used games, before each of their moves in the range `moves`.

        split: one of SPLITS; None for all.  size: board size; None for the most frequent.  where: a query on
        games.parquet.  Raises BadInput if the query is invalid or no position is left.
        """
        games = self.used_games
        if split is not None:
            games = games[games["split"] == split]
        sizes = self.board_sizes()
        size = size or (sizes[0] if sizes else 19)
        games = select_games(games[games["size"] == size], where)
        if not len(games):
            raise BadInput(f"{self.folder}: no {split or 'used'} games on {size}x{size}"
                           + (f" where {where}" if where else ""))
        skip_moves = moves[0] - 1
        counts = np.maximum(np.minimum(games["num_moves"].to_numpy(), moves[1]) - skip_moves, 0)
        if not counts.any():
            raise BadInput(f"{self.folder}: no {split or 'used'} game on {size}x{size} has {moves[0]} moves")
        first_index = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Positions(size, games.reset_index(drop=True), first_index, self.setup, self.moves, skip_moves)


def select_games(games: pd.DataFrame, where: str) -> pd.DataFrame:
    """The rows that satisfy a query (query.matching_rows); '' selects all.  Raises BadInput for an invalid query."""
    return games[matching_rows(games, where)] if where else games


def read_meta(folder: Path) -> dict:
    """A data set's meta.json.  Raises BadInput if it is damaged or of another format; FileNotFoundError."""
    try:
        meta = json.loads((folder / "meta.json").read_text())
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder}/meta.json cannot be read: {error_line(error)}") from None
    found = meta.get("format") if isinstance(meta, dict) else None
    if found != FORMAT:
        raise BadInput(f"{folder} is a data set of format {found}; this version reads format {FORMAT}: delete it and "
                       f"run `mugo preprocess GAMES -o {folder}` again")
    return meta


def read_table(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """A Parquet file, or some of its columns.  Raises BadInput if it is damaged; FileNotFoundError."""
    try:
        return pd.read_parquet(path, columns=columns)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:               # pyarrow's exceptions are of these types
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None


def load_dataset(folder: str | Path) -> DataSet:
    """Read a data set.  Raises BadInput if there is none, or it is incomplete, damaged or of another format."""
    folder = Path(folder)
    try:
        meta = read_meta(folder)
        games = read_table(folder / "games.parquet")
        moves = np.load(folder / "moves.npy")
        setup = np.load(folder / "setup.npy")
        used = games[games["reject_reason"] == ""]
        ends = {"moves": (used["move_start"] + used["num_moves"]).max(), "setup": used["setup_end"].max()}
    except FileNotFoundError as error:
        missing = Path(error.filename or "meta.json").name
        raise BadInput(f"{folder} is not a data set: {missing} is missing (make one: mugo preprocess GAMES -o {folder})"
                       ) from None
    except KeyError as error:
        raise BadInput(f"{folder} cannot be read as a data set: games.parquet has no column {error}") from None
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{folder} cannot be read as a data set: {error_line(error)}") from None
    for name, array in ("moves", moves), ("setup", setup):
        if array.ndim != 1 or array.dtype != np.int16 or len(used) and ends[name] > len(array):
            raise BadInput(f"{folder} is damaged: {name}.npy is shorter than games.parquet requires, or not int16; "
                           "make the data set again")
    return DataSet(folder, meta, games, setup, moves)
