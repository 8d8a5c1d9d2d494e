"""What a Parquet file takes in memory, from its footer and the headers of all its pages, before pyarrow reads it.

    PAR1 | pages, each after its PageHeader | FileMetaData | its length  uint32 | PAR1

pyarrow allocates what a page header asks for, and ends the process for some footers.  The structures are in Thrift's
compact protocol (thrift-compact-protocol.md); the numbers of their fields are those of parquet.thrift.  Accepted is
what pandas writes: dictionary pages and data pages of version 1, in the encodings below.
"""
from typing import Any

MAX_FOOTER_BYTES = 4 << 20               # one of 144,000 games has 12 kB
MAX_PAGES = 200_000                      # 6 GB, at a megabyte a column and page
DATA_PAGE, DICTIONARY_PAGE = 0, 2
ENCODINGS = {0, 2, 3, 4, 8}              # plain, dictionary, RLE, bit-packed; others can expand without limit


def memory_needed(data: bytes) -> int:
    """Bytes of all pages uncompressed, and eight for each value.  Raises ValueError if the file is damaged."""
    if len(data) < 12 or data[:4] != b"PAR1" or data[-4:] != b"PAR1":
        raise ValueError("it is no Parquet file")
    length = int.from_bytes(data[-8:-4], "little")
    if length > min(MAX_FOOTER_BYTES, len(data) - 12):
        raise ValueError(f"its footer has {length:,} bytes")
    needed, pages, stored = 0, 0, 0
    try:
        for group in _Thrift(data, len(data) - 8 - length).struct()[4]:
            for chunk in group[1]:
                if 1 in chunk:
                    raise ValueError("a column is in another file")
                needed += 8 * max(_count(chunk[3], 5), _count(group, 3))
                stored += _count(chunk[3], 7)
                if stored > len(data):
                    raise ValueError("its columns overlap")
                sizes = _page_sizes(data, chunk[3])
                needed, pages = needed + sum(sizes), pages + len(sizes)
                if pages > MAX_PAGES:
                    raise ValueError(f"it has more than {MAX_PAGES:,} pages")
    except (LookupError, TypeError, RecursionError):     # a field is missing, or of another type
        raise ValueError("its metadata is damaged") from None
    return needed


def _page_sizes(data: bytes, column: dict[int, Any]) -> list[int]:
    """The uncompressed size of each page of a column chunk, given its ColumnMetaData."""
    start = _count(column, 9)
    if 11 in column:                     # the dictionary is before the data; a table without rows has no data pages
        start = min(start or column[11], _count(column, 11) or start)
    end = start + _count(column, 7)
    if not 4 <= start <= end <= len(data):
        raise ValueError("a column is outside of it")
    reader, sizes = _Thrift(data, start), list[int]()
    while reader.at < end:
        header = reader.struct()
        kind, size, compressed = (_count(header, field) for field in (1, 2, 3))
        if kind not in (DATA_PAGE, DICTIONARY_PAGE) or len(sizes) > MAX_PAGES:
            raise ValueError(f"a page is of type {kind}")
        encoding = _count(header[5 if kind == DATA_PAGE else 7], 2)
        if encoding not in ENCODINGS:
            raise ValueError(f"a page has encoding {encoding}, expected one of {sorted(ENCODINGS)}")
        sizes.append(size)
        reader.at += compressed
    if reader.at != end:
        raise ValueError("the pages of a column are longer than it")
    return sizes


def _count(struct: dict[int, Any], field: int) -> int:
    value = struct[field]
    if type(value) is not int or value < 0:
        raise ValueError("its metadata is damaged")
    return value


class _Thrift:
    """Reads structs in Thrift's compact protocol.  at: the offset of the next byte.  Raises ValueError."""

    def __init__(self, data: bytes, at: int):
        self.data, self.at = data, at

    def struct(self) -> dict[int, Any]:
        """The fields by their numbers: int, bytes, list, dict or bool."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._take(1)[0]:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = head & 15 == 1 if head & 15 in (1, 2) else self._value(head & 15)
        return fields

    def _value(self, kind: int) -> Any:
        match kind:
            case 1 | 2 | 3:              # bool as an element of a list; int8
                return self._take(1)[0]
            case 4 | 5 | 6:
                return self._integer()
            case 7:                      # float64
                return self._take(8)
            case 8:
                return self._take(self._varint())
            case 9 | 10:                 # each item has at least a byte
                head = self._take(1)[0]
                length = head >> 4 if head >> 4 < 15 else self._varint()
                return [self._value(head & 15) for _ in range(length)]
            case 12:
                return self.struct()
        raise ValueError("its metadata is damaged")      # maps do not occur

    def _take(self, count: int) -> bytes:
        self.at += count
        if self.at > len(self.data):
            raise ValueError("its metadata is cut off")
        return self.data[self.at - count:self.at]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("its metadata is damaged")

    def _integer(self) -> int:
        """An integer of 16, 32 or 64 bits, or a field's number: zigzag."""
        value = self._varint()
        return value >> 1 ^ -(value & 1)
