"""Parquet files: games.parquet and the parts of an unfinished preprocess.

A file's schema must be the expected one.  A small file can be made to take any amount of memory: by compression, and by
text that is stored once and repeated.  So the sizes of its pages are checked before it is read (parquet_layout.py); and
text is read as a dictionary, whose size is checked before it is written out.
"""
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mugo.data.parquet_layout import memory_needed
from mugo.core.files import BadInput, error_line

FREE_BYTES, BYTES_PER_BYTE = 256 << 20, 100              # memory that a file may take: these, and so many for each byte
_TYPES = {str: (pa.string(), pa.large_string()), bytes: (pa.binary(), pa.large_binary())}
_WIDE = {kind: wide for kind, (_, wide) in _TYPES.items()}


def write_table(table: pd.DataFrame, schema: dict[str, type]) -> bytes:
    """A table as the content of a Parquet file.  schema: its columns; see read_table.

    The types are said, because pandas 2 does not know that of a column of text without rows.
    """
    types = pa.schema([(name, _WIDE.get(kind) or pa.from_numpy_dtype(kind)) for name, kind in schema.items()])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(table, types, preserve_index=False), out, compression="zstd")
    return out.getvalue()


def read_table(data: bytes, path: Path, schema: dict[str, type], columns: list[str] | None = None) -> pd.DataFrame:
    """A table, or some of its columns, from the content of a Parquet file.

    schema: all columns in their order, with the type of their values: str, bytes or a NumPy type.
    path: for messages.  Raises BadInput if the content is damaged, has another schema, or would take too much memory.
    """
    try:
        _check_memory(memory_needed(data), path, len(data))
        file = pq.ParquetFile(pa.BufferReader(data))
        _check_columns(file.schema_arrow, path, schema)
        dictionaries = [name for name, kind in schema.items() if kind in (str, bytes)]
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=dictionaries)
        table = file.read(columns)
        table.validate(full=True)        # such as indices of a dictionary, which pyarrow does not check as it reads
        return _in_full(table, path, schema, len(data)).to_pandas()
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None


def _check_columns(found: pa.Schema, path: Path, schema: dict[str, type]) -> None:
    if found.names != list(schema):
        raise BadInput(f"{path} has the columns {str(found.names)[:500]}, expected {', '.join(schema)}")
    for name, kind in schema.items():
        expected = _TYPES.get(kind) or (pa.from_numpy_dtype(kind),)
        if found.field(name).type not in expected:
            raise BadInput(f"{path}: column {name} is {str(found.field(name).type)[:60]}, expected {expected[0]}")


def _check_memory(needed: int, path: Path, size: int) -> None:
    limit = FREE_BYTES + BYTES_PER_BYTE * size
    if not 0 <= needed <= limit:
        raise BadInput(f"{path} would take {needed / 1e9:,.1f} GB of memory, expected at most {limit / 1e9:,.1f} GB "
                       f"for {size:,} bytes")


def _in_full(table: pa.Table, path: Path, schema: dict[str, type], size: int) -> pa.Table:
    """The table with its text written out.  Raises BadInput if that is too long, and for missing values."""
    needed = 0
    for name in table.column_names:
        column = table.column(name)
        if column.null_count and schema[name] is not np.float32:
            raise BadInput(f"{path}: column {name} has no value in {column.null_count:,} rows")
        if pa.types.is_dictionary(column.type):
            for chunk in column.chunks:
                lengths = pc.binary_length(chunk.dictionary).cast(pa.int64())
                needed += pc.sum(lengths.take(chunk.indices)).as_py() or 0
    _check_memory(needed + table.nbytes, path, size)
    plain = [(name, _WIDE.get(schema[name], table.schema.field(name).type)) for name in table.column_names]
    return table.cast(pa.schema(plain))                  # and without pandas' metadata
