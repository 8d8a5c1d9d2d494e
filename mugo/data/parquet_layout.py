"""What a Parquet file takes in memory, from its footer and the headers of all its pages, before pyarrow reads it.

    PAR1 | pages, each after its PageHeader | FileMetaData | its length  uint32 | PAR1

pyarrow allocates what a page header asks for, and ends the process for some footers.  The structures are in Thrift's
compact protocol (thrift-compact-protocol.md); the numbers of their fields are those of parquet.thrift.  Accepted is
what pandas writes: dictionary pages and data pages of version 1, in the encodings below.
"""
from typing import Any, TypeVar

MAX_FOOTER_BYTES = 4 << 20               # one of 144,000 games has 12 kB
MAX_PAGES = 200_000                      # 6 GB, at a megabyte a column and page
MAX_DEPTH = 16
DATA_PAGE, DICTIONARY_PAGE = 0, 2
PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, RLE_DICTIONARY = 0, 2, 3, 4, 8       # others can expand without limit
ENCODINGS = {PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, RLE_DICTIONARY}
Kind = TypeVar("Kind", int, list, dict)
Struct = dict[int, Any]                  # number of a field: int, float, bool, bytes, list or Struct


def memory_needed(data: bytes) -> int:
    """Bytes of all pages uncompressed, and eight for each value.  Raises ValueError if the file is damaged."""
    if len(data) < 12 or data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ValueError("it is no Parquet file")
    length = int.from_bytes(data[-8:-4], "little")
    if length > min(MAX_FOOTER_BYTES, len(data) - 12):
        raise ValueError(f"its footer has {length:,} bytes")
    reader = ThriftReader(data, len(data) - 8 - length)
    groups = _get(reader.read_struct(), 4, list)
    needed, pages, stored = 0, 0, 0
    for group in groups:
        for chunk in _get(group, 1, list):
            column = _get(chunk, 3, dict)
            if 1 in chunk:
                raise ValueError("a column is in another file")
            needed += 8 * max(_get(column, 5, int), _get(group, 3, int))
            stored += _get(column, 7, int)
            if stored > len(data):
                raise ValueError("its columns overlap")
            sizes = _page_sizes(data, column)
            needed, pages = needed + sum(sizes), pages + len(sizes)
            if pages > MAX_PAGES:
                raise ValueError(f"it has more than {MAX_PAGES:,} pages")
    return needed


def _page_sizes(data: bytes, column: Struct) -> list[int]:
    """The uncompressed size of each page of a column chunk, given its ColumnMetaData."""
    start = _get(column, 9, int)
    if 11 in column:                     # the dictionary is before the data
        dictionary = _get(column, 11, int)
        start = min(start or dictionary, dictionary or start)            # a table without rows has no data pages
    end = start + _get(column, 7, int)
    if not 4 <= start <= end <= len(data):
        raise ValueError("a column is outside of it")
    reader, sizes = ThriftReader(data, start), list[int]()
    while reader.at < end:
        header = reader.read_struct()
        kind, size, compressed = (_get(header, field, int) for field in (1, 2, 3))
        if kind not in (DATA_PAGE, DICTIONARY_PAGE) or size < 0 or compressed < 0 or len(sizes) > MAX_PAGES:
            raise ValueError(f"a page is of type {kind} and has {size:,} bytes")
        description = _get(header, 5 if kind == DATA_PAGE else 7, dict)
        if _get(description, 2, int) not in ENCODINGS:
            raise ValueError(f"a page has encoding {description[2]}, expected one of {sorted(ENCODINGS)}")
        sizes.append(size)
        reader.at += compressed
    if reader.at != end:
        raise ValueError("the pages of a column are longer than it")
    return sizes


def _get(struct: Any, field: int, kind: type[Kind]) -> Kind:
    """A field of a struct.  Raises ValueError if it is missing or of another type."""
    value = struct.get(field) if isinstance(struct, dict) else None
    if not isinstance(value, kind) or isinstance(value, int) and value < 0:
        raise ValueError("its metadata is damaged")
    return value


class ThriftReader:
    """Reads structs in Thrift's compact protocol.  at: the offset of the next byte.  Raises ValueError."""

    def __init__(self, data: bytes, at: int):
        self.data, self.at = data, at

    def read_struct(self, depth: int = 0) -> Struct:
        fields: Struct = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = head & 15 == 1 if head & 15 in (1, 2) else self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError("its metadata is nested too deep")
        if kind in (1, 2, 3):            # bool as an element of a list; int8
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            self.at += 8
            return 0.0
        if kind == 8:
            length = self._varint()
            self.at += length
            return self.data[self.at - length:self.at]
        if kind in (9, 10):
            head = self._byte()
            length = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(self._bounded(length))]
        if kind == 12:
            return self.read_struct(depth + 1)
        raise ValueError("its metadata is damaged")      # maps do not occur

    def _bounded(self, length: int) -> int:
        """The length of a list, whose items have at least a byte each."""
        if length > len(self.data) - self.at:
            raise ValueError("its metadata is damaged")
        return length

    def _byte(self) -> int:
        if self.at >= len(self.data):
            raise ValueError("its metadata is cut off")
        self.at += 1
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("its metadata is damaged")

    def _integer(self) -> int:
        """An integer of 16, 32 or 64 bits, or a field's number: zigzag."""
        value = self._varint()
        return value >> 1 ^ -(value & 1)
