"""The format of a data set, a folder; and DataSet, which reads it.

    games.parquet   one row per game, also for unused games, with the reason; columns: SCHEMA
    moves.npy       int16: the encoded moves (games/coords.py) of all used games, concatenated
    setup.npy       int16: their encoded setup stones, likewise
    owners.npy      int16: who owns the points at the end of the games that were counted (final_ownership.py)
    meta.json       format, options of preprocess, sources, counts; lengths and checksums of all files (meta.py)

Two bytes per move and no planes: positions.py encodes positions when they are needed.  merge.py writes these files.

Nothing in them is trusted.  load_dataset is the only way to the games: it checks the checksums, the types, and every
number that compiled code will use as an index (range_checks.py).
"""
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from mugo.data.array_files import read_array
from mugo.data.game_hash import content_hashes
from mugo.data.games_table import COLUMNS
from mugo.data.labels import label_contents
from mugo.data.meta import ARRAYS, GAMES, META, read_state
from mugo.data.positions import Positions, digest, game_ranges
from mugo.data.query import matching_rows
from mugo.data.range_checks import SPLITS, check_games
from mugo.data.table_file import read_table
from mugo.files import BadInput, error_line

# A game's place in the arrays; -1 where it has no owners.
OFFSETS = dict.fromkeys(("setup_start", "setup_end", "move_start", "owners_start"), np.int64)
SCHEMA = COLUMNS | OFFSETS | {"split": str}              # of games.parquet
ALL_MOVES = (1, float("inf"))            # range of moves, both ends included, counted from 1


@dataclass(frozen=True)
class DataSet:
    """The files of a data set, in memory."""

    folder: Path
    meta: dict                           # meta.json
    games: pd.DataFrame                  # games.parquet
    setup: np.ndarray                    # int16
    moves: np.ndarray                    # int16
    owners: np.ndarray                   # int16

    @property
    def used_games(self) -> pd.DataFrame:
        """The rows of the games that are used: those without a reject_reason."""
        return self.games[self.games["reject_reason"] == ""]

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal where the used games, their order, their labels and the split of each are."""
        games = self.used_games
        contents = content_hashes(self.setup, self.moves, *game_ranges(games))
        splits = games["split"].map(SPLITS.index).to_numpy(np.int8)
        return digest(contents, games["size"].to_numpy(np.int16), splits, *label_contents(games, self.owners))

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
        return Positions(size, games.reset_index(drop=True), first_index, self.setup, self.moves, self.owners,
                         skip_moves)


def select_games(games: pd.DataFrame, where: str) -> pd.DataFrame:
    """The rows that satisfy a query (query.matching_rows); '' selects all.  Raises BadInput for an invalid query."""
    return games[matching_rows(games, where)] if where else games


def load_dataset(folder: str | Path) -> DataSet:
    """Read a data set.

    Raises BadInput, which names the file, if there is none, or it is incomplete, damaged, made up or of another format.
    """
    folder = Path(folder)
    path = folder / GAMES
    try:
        meta, content = read_state(folder)
        files = meta["files"]
        if not files:
            raise FileNotFoundError(2, "no such file", str(path))
        moves, setup, owners = (read_array(folder / name, files[name]["items"], files[name]["crc32"])
                                for name in ARRAYS)
        games = read_table(content, path, SCHEMA)
    except FileNotFoundError as error:
        missing = Path(error.filename or META).name
        raise BadInput(f"{folder} is not a data set: {missing} is missing (make one: mugo preprocess GAMES -o {folder})"
                       ) from None
    except (OSError, MemoryError) as error:
        raise BadInput(f"{folder} cannot be read as a data set: {error_line(error)}") from None
    check_games(path, games, setup, moves, owners)
    if meta["counts"] != count_games(games):
        raise BadInput(f"{folder / META}: counts is {meta['counts']}, but {GAMES} has {count_games(games)}")
    return DataSet(folder, meta, games, setup, moves, owners)


def count_games(games: pd.DataFrame) -> dict[str, int]:
    """The counts of meta.json: games found, games used, positions."""
    is_used = games["reject_reason"] == ""
    return {"found": len(games), "used": int(is_used.sum()), "positions": int(games["num_moves"][is_used].sum())}
