"""The sizes in a Parquet file, against pyarrow; damaged and endless files."""
import io
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mugo.data.parquet_layout import memory_needed


def parquet(table: pa.Table, **options) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


TABLE = pa.table({"n": np.arange(5000), "text": [f"{i % 700}" * 20 for i in range(5000)],
                  "half": [None if i % 2 else i / 7 for i in range(5000)], "all": ["same"] * 5000})


@pytest.mark.parametrize("options", [{}, {"compression": "zstd"}, {"compression": "none"}, {"use_dictionary": False},
                                     {"row_group_size": 700}, {"data_page_size": 500}, {"write_statistics": False}])
def test_sizes_are_those_of_pyarrow(options):
    content = parquet(TABLE, **options)
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    columns = [metadata.row_group(i).column(k) for i in range(metadata.num_row_groups) for k in range(4)]
    sizes = sum(column.total_uncompressed_size for column in columns)    # with the headers of the pages
    found = memory_needed(content) - 8 * sum(column.num_values for column in columns)
    assert sizes * 0.8 < found < sizes


def test_the_sizes_are_those_of_the_pages_whatever_the_footer_says():
    """A text of 3 MB in a page of a few bytes; the uncompressed size in the footer is changed to 0."""
    content = parquet(pa.table({"text": ["x" * 3_000_000]}), compression="zstd", use_dictionary=False,
                      write_statistics=False)
    size = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0).total_uncompressed_size
    changed = content.replace(varint(2 * size), varint(0, 4))            # zigzag
    assert pq.ParquetFile(io.BytesIO(changed)).metadata.row_group(0).column(0).total_uncompressed_size == 0
    assert len(content) < 2000 and memory_needed(changed) == memory_needed(content) > 3_000_000


def test_columns_that_overlap_are_refused():
    """Eight columns that are all said to be where the first one is: a small file could name one page any number of
    times."""
    numbers = np.arange(990)
    table = pa.table({"a": numbers} | {name: numbers.astype(np.int32) for name in "bcdefgh"})
    content = parquet(table, compression="none", use_dictionary=False, write_statistics=False)
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    first, *others = (metadata.row_group(0).column(k) for k in range(8))
    footer = len(content) - 8 - metadata.serialized_size
    changed = content[footer:]
    for column in others:
        for name in "data_page_offset", "total_compressed_size":
            old, new = (varint(2 * getattr(one, name)) for one in (column, first))
            assert len(new) <= len(old)
            changed = changed.replace(old, varint(2 * getattr(first, name), len(old)))
    assert memory_needed(content) > 0
    with pytest.raises(ValueError, match="its columns overlap"):
        memory_needed(content[:footer] + changed)


def varint(value: int, length: int = 0) -> bytes:
    out = bytearray()
    while value >= 128 or len(out) + 1 < length:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def test_pages_that_pandas_does_not_write_are_refused():
    table = pd.DataFrame({"n": range(100)})
    for options, line in (({"data_page_version": "2.0"}, "a page is of type 3"),
                          ({"use_dictionary": False, "column_encoding": {"n": "DELTA_BINARY_PACKED"}}, "encoding 5")):
        with pytest.raises(ValueError, match=line):
            memory_needed(parquet(pa.Table.from_pandas(table), **options))


def test_damaged_files_are_refused_and_end():
    whole, rng, start = parquet(TABLE), np.random.default_rng(7), time.monotonic()
    for length in [*range(30), *range(30, len(whole), 997)]:
        with pytest.raises(ValueError):
            memory_needed(whole[:length])
    for _ in range(1500):
        content = bytearray(whole)
        at = rng.integers(len(whole) - 1500, len(whole), 2) if rng.random() < 0.7 else rng.integers(0, len(whole), 9)
        content[at[0]], content[at[1]] = rng.integers(0, 256, 2)
        try:
            assert memory_needed(bytes(content)) > 0
        except ValueError as error:
            assert str(error)
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("content", [b"\0", b"\x1c" * 10_000, b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x15" + b"\xff" * 20,
                                     b"\x29" + b"\x19" * 5000, b"\x1b\x01", b"\x18\x7f"])
def test_endless_structs_are_refused(content):
    with pytest.raises(ValueError, match="its metadata is"):
        memory_needed(b"PAR1" + content + len(content).to_bytes(4, "little") + b"PAR1")
