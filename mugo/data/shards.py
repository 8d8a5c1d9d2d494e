"""A shard: some games of a data set, in a folder of its own, written once and never changed; and meta.json, which names
the shards.

    shard-000003/games.parquet      one row per game, also for unused games, with the reason; columns: SCHEMA
                 index.npy          INDEX, 72 bytes for each used game:
                                       setup_start, num_setup      --> setup.npy
                                       move_start, num_moves       --> moves.npy
                                       ownership_start, or -1      --> ownership.npy
                 moves.npy          int16: the encoded moves (games/coords.py) of the used games, concatenated
                 setup.npy          int16: their encoded setup stones, likewise
                 ownership.npy      int16: final ownership of the games that ended by scoring
                 rejected.parquet   games of older shards that these games replace; columns: REJECTED

    meta.json    {"format": 7, "options": {...}, "sources": [...], "counts": {...},
                  "shards": [{"name": "shard-000000", "rows": 65536,
                              "files": {"games.parquet": {"bytes": 27185, "crc32": "89ab0123"}, ...}}, ...],
                  "checksum": "02468ace"}                    CRC-32 of the text without this line

The CRC-32 of a NumPy file covers its data.  Those of the arrays are compared when a shard is opened, in 0.15 s per
gigabyte, and that of a table when it is read; after that the files are trusted: compiled code uses their numbers as
indices.  A mapped file must not be cut off while it is in use: reading behind its end ends the process (SIGBUS).
"""
import json
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mugo.core.files import BadInput, atomic_write, error_line, fsync_folder
from mugo.data.game_hash import content_hashes, words_hashes
from mugo.data.games_table import COLUMNS, ENCODED, read_table, write_table
from mugo.data.labels import white_points, words_per_game
from mugo.data.options import SPLITS

FORMAT = 7
META, GAMES, INDEX_FILE, REJECTED_FILE = "meta.json", "games.parquet", "index.npy", "rejected.parquet"
MOVES, SETUP, OWNERSHIP = "moves.npy", "setup.npy", "ownership.npy"
FILES = (GAMES, INDEX_FILE, MOVES, SETUP, OWNERSHIP, REJECTED_FILE)         # of a shard

# ownership_start: the game's place in ownership.npy; -1 where its final ownership is not known.
SCHEMA = COLUMNS | {"ownership_start": np.int64, "split": str}              # of games.parquet
REJECTED = {"shard": np.int32, "row": np.int32, "reject_reason": str, "reject_details": str}
SPLIT_NAMES = {"train": "training", "validation": "validation", "test": "test", None: "used"}    # in sentences
INDEX = np.dtype([
    ("content_hash", "<u8"), ("ownership_hash", "<u8"),     # game_hash.content_hashes, words_hashes
    ("game_hash", "<u8"), ("opening_hash", "<u8"),       # game_hash.game_hashes
    ("row", "<i4"),                                      # of games.parquet
    ("setup_start", "<i4"), ("move_start", "<i4"), ("ownership_start", "<i4"),
    ("num_setup", "<i4"), ("num_moves", "<i4"),
    ("white_points", "<f4"),                             # labels.white_points
    ("black_rank", "<f4"), ("white_rank", "<f4"),        # sgf.properties.rank_number, NaN if unknown
    ("size", "<i2"), ("winner", "i1"), ("split", "i1"),  # of SPLITS
])


# ---- meta.json

def crc32(content: bytes | memoryview) -> str:
    """The CRC-32 of bytes as 8 hexadecimal digits."""
    return f"{zlib.crc32(content):08x}"


def read_meta(folder: Path) -> dict[str, Any]:
    """The contents of meta.json, without its checksum.  Raises BadInput if it is damaged or of another format;
    FileNotFoundError."""
    path = folder / META
    data = path.read_bytes()
    try:
        meta = json.loads(data)
        has_checksum = meta.pop("checksum", None) is not None
        is_whole = data == format_meta(meta)
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise BadInput(f"{path} is damaged: it is not JSON ({error_line(error)}); make the data set again") from None
    if meta.get("format") != FORMAT and (is_whole or not has_checksum):
        raise BadInput(f"{folder} is a data set of format {str(meta.get('format'))[:40]}; this version reads "
                       f"format {FORMAT}: delete it and run `mugo preprocess GAMES -o {folder}` again")
    if not is_whole:
        raise BadInput(f"{path} is damaged: its checksum is wrong; make the data set again")
    return meta


def format_meta(meta: dict[str, Any]) -> bytes:
    """The text of meta.json, with its checksum."""
    text = json.dumps(meta, indent=1)
    return (text[:-2] + f',\n "checksum": "{crc32(text.encode())}"\n}}').encode()


def write_meta(folder: Path, meta: dict[str, Any]) -> None:
    """Write meta.json, with its checksum."""
    with atomic_write(folder / META) as path:
        path.write_bytes(format_meta(meta))


def shard_name(number: int) -> str:
    """The name of a shard's folder."""
    return f"shard-{number:06d}"


def is_shard_name(name: str) -> bool:
    return re.fullmatch(r"shard-[0-9]{6,9}", name) is not None


# ---- the index

class GameArrays(NamedTuple):
    """Games in memory: their records, and the arrays into which these point."""

    games: np.ndarray                    # INDEX (n,)
    setup: np.ndarray                    # int16: encoded setup stones (games/coords.py)
    moves: np.ndarray                    # int16: encoded moves
    ownership: np.ndarray                # int16: labels.pack_ownership


def ranges(games: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """setup_start, setup_end, move_start and num_moves of records, int64 (n,)."""
    start, stones, move_start, num_moves = (
        games[name].astype(np.int64) for name in ("setup_start", "num_setup", "move_start", "num_moves"))
    return start, start + stones, move_start, num_moves


def ownership_words(games: np.ndarray) -> np.ndarray:
    """The number of words in ownership.npy of records, int64 (n,); 0 for a game without ownership."""
    return np.where(games["ownership_start"] >= 0, words_per_game(games["size"].astype(np.int64)), 0)


def index_games(table: pd.DataFrame) -> GameArrays:
    """The games of a table of PART_COLUMNS and `split`, all of which are used; `row`: from 0."""
    (setup, setup_starts), (moves, move_starts), (ownership, ownership_starts) = (
        join_encoded(table[name]) for name in ENCODED)
    games = np.zeros(len(table), INDEX)
    games["row"] = np.arange(len(table))
    games["setup_start"], games["num_setup"] = setup_starts[:-1], np.diff(setup_starts)
    games["move_start"], games["num_moves"] = move_starts[:-1], np.diff(move_starts)
    games["ownership_start"] = np.where(np.diff(ownership_starts) > 0, ownership_starts[:-1], -1)
    for name in ("game_hash", "opening_hash", "black_rank", "white_rank", "size", "winner"):
        games[name] = table[name].to_numpy()
    games["white_points"] = white_points(table)
    games["split"] = table["split"].map(SPLITS.index).to_numpy(np.int8)
    games["content_hash"] = content_hashes(setup, moves, *ranges(games))
    games["ownership_hash"] = words_hashes(ownership, games["ownership_start"].astype(np.int64),
                                           np.diff(ownership_starts))
    return GameArrays(games, setup, moves, ownership)


def join_encoded(games: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """(array, starts) of games as bytes: int16, end to end; int64 (n + 1,), where each begins and the last ends."""
    starts = np.concatenate([[0], np.cumsum([len(game) // 2 for game in games])]).astype(np.int64)
    return np.frombuffer(b"".join(game[:len(game) // 2 * 2] for game in games), np.int16), starts


# ---- files

@dataclass(frozen=True, eq=False)
class Shard:
    """An open shard.  The arrays are read-only and mapped."""

    folder: Path
    entry: dict[str, Any]                # of meta.json
    index: np.ndarray                    # INDEX (games,)
    setup: np.ndarray                    # int16
    moves: np.ndarray                    # int16
    ownership: np.ndarray                # int16

    @property
    def rows(self) -> int:
        """The rows of games.parquet."""
        return self.entry["rows"]

    def table(self, columns: list[str] | None = None) -> pd.DataFrame:
        """games.parquet, or some of its columns.  Raises BadInput if it is damaged."""
        return read_table(self._content(GAMES), self.folder / GAMES, SCHEMA, columns)

    def rejected(self) -> pd.DataFrame:
        """rejected.parquet.  Raises BadInput if it is damaged."""
        return read_table(self._content(REJECTED_FILE), self.folder / REJECTED_FILE, REJECTED)

    def check_arrays(self) -> None:
        """Raise BadInput if an array is damaged."""
        for name, array in ((INDEX_FILE, self.index), (SETUP, self.setup), (MOVES, self.moves),
                            (OWNERSHIP, self.ownership)):
            self._check(name, array.view(np.uint8).data)

    def _content(self, name: str) -> bytes:
        try:
            content = (self.folder / name).read_bytes()
        except OSError as error:
            raise BadInput(f"{self.folder / name} cannot be read: {error_line(error)}") from None
        self._check(name, content)
        return content

    def _check(self, name: str, content: bytes | memoryview) -> None:
        if crc32(content) != self.entry["files"][name]["crc32"]:
            raise BadInput(f"{self.folder / name} is damaged: its checksum is not the one in meta.json; make the data "
                           "set again")

    @staticmethod
    def empty_table(columns: list[str] | None = None) -> pd.DataFrame:
        """`table` of a shard without rows."""
        names = list(SCHEMA) if columns is None else columns
        return pd.DataFrame(columns=names).astype({name: SCHEMA[name] for name in names})


def open_shard(folder: Path, entry: dict[str, Any]) -> Shard:
    """A shard, whose arrays are checked.  entry: of meta.json.  Raises BadInput if it is damaged; FileNotFoundError."""
    arrays = []
    for name in INDEX_FILE, SETUP, MOVES, OWNERSHIP:
        try:
            array = np.asarray(np.load(folder / name, mmap_mode="r", allow_pickle=False))
        except OSError:
            raise
        except Exception as error:       # numpy's parser of headers has several
            raise BadInput(f"{folder / name} is damaged: {error_line(error)}; make the data set again") from None
        expected = INDEX if name == INDEX_FILE else np.dtype("<i2")
        if array.dtype != expected or array.ndim != 1:
            raise BadInput(f"{folder / name} is damaged: it is an array of another type; make the data set again")
        arrays.append(array)
    shard = Shard(folder, entry, *arrays)
    shard.check_arrays()
    return shard


def write_shard(folder: Path, table: pd.DataFrame, rejected: pd.DataFrame) -> dict[str, Any]:
    """Write the files of a shard to a new folder; returns its entry in meta.json but for its name.

    table: of PART_COLUMNS and `split`, which is '' for an unused game.  rejected: of REJECTED.
    """
    table = table.reset_index(drop=True)
    is_used = (table["reject_reason"] == "").to_numpy()
    arrays = index_games(table[is_used])
    arrays.games["row"] = np.flatnonzero(is_used)
    ownership_start = np.full(len(table), -1)
    ownership_start[is_used] = arrays.games["ownership_start"]
    columns = table.drop(columns=list(ENCODED)).assign(ownership_start=ownership_start)[list(SCHEMA)].astype(SCHEMA)
    folder.mkdir()
    files = {}
    for name, array in ((INDEX_FILE, arrays.games), (SETUP, arrays.setup), (MOVES, arrays.moves),
                        (OWNERSHIP, arrays.ownership)):
        with atomic_write(folder / name) as path, open(path, "wb") as file:
            np.save(file, array, allow_pickle=False)
            files[name] = {"bytes": file.tell(), "crc32": crc32(array.view(np.uint8).data)}
    for name, content in ((GAMES, write_table(columns, SCHEMA)), (REJECTED_FILE, write_table(rejected, REJECTED))):
        with atomic_write(folder / name) as path:
            path.write_bytes(content)
        files[name] = {"bytes": len(content), "crc32": crc32(content)}
    fsync_folder(folder.parent)
    return {"rows": len(table), "files": {name: files[name] for name in FILES}}
