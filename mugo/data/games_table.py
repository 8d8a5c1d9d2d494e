"""The table of games: its columns, the rows of the games in a batch of SGF files, and queries that select games.

`read_batch` is what the worker processes of `mugo preprocess` run: parse, replay, hash.  A game that cannot be used
has a row too, with a reject_reason.
"""
import hashlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mugo.core.files import BadInput, error_line
from mugo.core.options import format_option
from mugo.data.labels import confirmed_ownership, pack_ownership
from mugo.data.game_hash import game_hashes
from mugo.games.board import WHITE, clear, new_boards
from mugo.games.coords import MAX_MOVES, PASS, WHITE_BIT, board_points, format_size, move_index, symmetries
from mugo.games.go import IllegalMove
from mugo.games.planes import MAX_PLIES
from mugo.games.history import replay, set_up
from mugo.sgf.archives import SgfFile, UnreadableFile
from mugo.sgf.parser import read_records
from mugo.sgf.properties import rank_in
from mugo.sgf.record import BadRecord, Record
from mugo.sgf.record_positions import position_of

# A column is a row here: its value is the Record's attribute of this name, unless _describe says another.
# Unknown values are 0, NaN or ''.
COLUMNS = {
    "file_key": np.uint64,                          # of the SGF file: see file_key
    "source": str, "file": str,                     # archive or folder; path in it
    "game_number": np.int32,                        # in its file, from 1; 0 if the file is unreadable
    "reject_reason": str, "reject_details": str,    # '' for a used game
    "size": np.int16, "num_moves": np.int32, "handicap": np.int16, "komi": np.float32,
    "result": str, "winner": np.int8,               # 1 Black, -1 White, 0 draw or unknown
    "date": str, "black": str, "white": str,        # names of the players
    "black_rank": np.float32, "white_rank": np.float32,     # sgf.properties.rank_in
    "event": str, "rules": str,
    "game_hash": np.uint64, "opening_hash": np.uint64,      # data.game_hash
}
ENCODED = ("setup", "moves", "ownership")   # int16: the encoded game, and labels.pack_ownership or nothing
PART_COLUMNS = COLUMNS | dict.fromkeys(ENCODED, bytes)
_DEFAULTS = {name: "" if kind is str else kind(np.nan) if kind is np.float32 else 0
             for name, kind in COLUMNS.items()} | dict.fromkeys(ENCODED, b"")


def make_table(rows: list[dict]) -> pd.DataFrame:
    """Rows as a table with the types of PART_COLUMNS; missing values unknown."""
    table = pd.DataFrame([_DEFAULTS | row for row in rows], columns=list(_DEFAULTS))
    return table.astype(COLUMNS)


def file_key(checksum: bytes, name: str, content: bytes) -> int:
    """A 64-bit hash of an SGF file: the checksum of its archive, its path and its content."""
    h = hashlib.blake2b(digest_size=8)
    for part in (checksum, name.encode(), content):
        h.update(len(part).to_bytes(8, "little"))
        h.update(part)
    return int.from_bytes(h.digest(), "little")


def read_batch(batch: list[tuple[int, SgfFile | UnreadableFile]]) -> pd.DataFrame:
    """One row for each game in files with their keys, as `make_table` has them; one for a file that cannot be read."""
    rows = []
    for key, file in batch:
        if isinstance(file, UnreadableFile):
            rows.append({"file_key": key, "source": file.source, "file": file.name, "reject_reason": "unreadable file",
                         "reject_details": file.error})
            continue
        for number, record in enumerate(read_records(file.data), file.games_before + 1):
            row = {"file_key": key, "source": file.source, "file": file.name, "game_number": number}
            if isinstance(record, BadRecord):
                row |= {"reject_reason": record.reason, "reject_details": str(record)}
            elif record.shape[0] != record.shape[1]:
                row |= {"reject_reason": "unsupported board size",
                        "reject_details": f"{format_size(record.shape)}; a data set holds square boards"}
            else:
                row |= _describe(record, f"{file.source}/{file.name}")
            rows.append(row)
    return make_table(rows)


_board = new_boards(1)
_history = np.zeros(MAX_PLIES, np.uint64)


def _describe(record: Record, path: str) -> dict:
    """The columns of a game, which is replayed to check that its moves are legal.  path: its file."""
    num_moves = len(record.moves)
    row = {name: getattr(record, name) for name in COLUMNS if hasattr(record, name)} | {
        "num_moves": num_moves, "komi": np.nan if record.komi is None else record.komi,
        "black_rank": rank_in(record.black_rank, path), "white_rank": rank_in(record.white_rank, path)}
    if num_moves >= MAX_PLIES:
        return row | {"reject_reason": "too many moves",
                      "reject_details": f"{num_moves} moves; at most {MAX_PLIES - 1}"}
    board = _board[0]
    clear(board, record.size, record.size)
    setup_is_legal = set_up(board, record.setup) == len(record.setup)
    if not setup_is_legal or replay(board, _history, record.moves, 0, num_moves) < num_moves:
        try:
            position_of(record)              # slower; its exception names the move
        except IllegalMove as error:
            return row | {"reject_reason": "illegal move" if setup_is_legal else "illegal setup",
                          "reject_details": str(error)}
    ownership = confirmed_ownership(record, _board)
    setup, moves = opening_as_setup(record)
    game, opening = game_hashes(record.size, setup, moves, symmetries(record.size))
    if ownership is not None:
        moves = with_final_passes(moves, record.size)
    return row | {"num_moves": len(moves), "game_hash": int(game), "opening_hash": int(opening),
                  "setup": setup.tobytes(), "moves": moves.tobytes(),
                  "ownership": b"" if ownership is None else pack_ownership(ownership).tobytes()}


def with_final_passes(moves: np.ndarray, size: int) -> np.ndarray:
    """The encoded moves of a game that ended by scoring, with the two passes that ended it, which Tygem and Fox leave
    out.  A game without moves, or without room for more (coords.MAX_MOVES), stays as it is."""
    is_pass = moves & (WHITE_BIT - 1) == move_index(PASS, size)
    missing = 2 - int(np.cumprod(is_pass[:-3:-1]).sum())
    if not len(moves) or len(moves) + missing > MAX_MOVES:
        return moves
    other = (moves[-1] & WHITE_BIT) ^ WHITE_BIT
    passes = move_index(PASS, size) | np.array([other, other ^ WHITE_BIT])
    return np.concatenate([moves, passes[:missing]]).astype(np.int16)


def opening_as_setup(record: Record) -> tuple[np.ndarray, np.ndarray]:
    """(setup, moves) of a legal game, both int16 and encoded; the moves of its opening, which are random or another
    game's, are setup stones."""
    if not record.opening_moves:
        return record.setup, record.moves
    board, size = _board[0], record.size
    clear(board, size, size)
    set_up(board, record.setup)
    replay(board, _history, record.moves, 0, record.opening_moves)
    colours = board["colour"][board_points(size)]
    setup = np.flatnonzero(colours) + np.where(colours[colours != 0] == WHITE, WHITE_BIT, 0)
    return setup.astype(np.int16), record.moves[record.opening_moves:]


# ---- Parquet files: games.parquet and the parts of an unfinished preprocess

_WIDE = {str: pa.large_string(), bytes: pa.large_binary()}


def write_table(table: pd.DataFrame, schema: dict[str, type]) -> bytes:
    """A table as the content of a Parquet file.  schema: its columns, each of type str, bytes or a NumPy type."""
    types = pa.schema([(name, _WIDE.get(kind) or pa.from_numpy_dtype(kind)) for name, kind in schema.items()])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(table, types, preserve_index=False), out, compression="zstd")
    return out.getvalue()


def read_table(data: bytes, path: Path, schema: dict[str, type], columns: list[str] | None = None) -> pd.DataFrame:
    """A table, or some of its columns, from the content of a Parquet file.  path: for messages.  Raises BadInput if the
    content is damaged or has other columns."""
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if file.schema_arrow.names != list(schema):
            raise BadInput(f"{path} has other columns than {', '.join(schema)}; make the data set again")
        return file.read(columns).to_pandas(ignore_metadata=True)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None


# ---- queries: what --where and --sample-weight understand
#
#     black_rank >= 7 and white_rank >= 7
#     source.str.contains('KGS') and handicap == 0
#     abs(black_rank - white_rank) <= 1 and komi.notna()
#
# pandas evaluates them (DataFrame.eval), and it calls methods of any object.  So a query is what somebody types: one
# that stands in a file, as in a checkpoint, is shown and has to be typed again (core.config.check_typed).

WEIGHTS = 1e-9, 1e9                      # the least and the most other than 0: their sums and squares are finite


def matching_rows(games: pd.DataFrame, query: str) -> np.ndarray:
    """Whether each game satisfies a query: bool (len(games),); '' is satisfied by all.

    Raises BadInput for what pandas cannot evaluate, and for a value that is not true or false for each game.
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


def _value(games: pd.DataFrame, query: str, option: str) -> Any:
    try:
        return games.eval(query, engine="python", local_dict={}, global_dict={})
    except NameError as error:
        raise BadInput(f"{format_option(option, query)}: {error_line(error)} (columns: {', '.join(games.columns)})"
                       ) from None
    except Exception as error:           # pandas and the methods it calls raise any
        raise BadInput(f"{format_option(option, query)}: {error_line(error)}; an example of a query: "
                       "black_rank >= 7 and source.str.contains('KGS')") from None
