"""Read .7z archives: the members in order, in one pass, whatever a header claims in bounded memory.

    signature header   32 bytes: where the header is, its size and checksum
    packed streams     blocks; a solid block has many members, one behind the other
    header             blocks, sizes, checksums, names, each a list of its own; or, packed, how it is unpacked

The unpacked header stays in memory as bytes, about 64 for each member; each list is read by a _Cursor of its own while
the members are.  No object is made for a member before its turn.  7zFormat.txt, of the LZMA SDK
(https://www.7-zip.org/sdk.html), names the fields.
"""
import bz2
import functools
import io
import itertools
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from mugo.sgf.budget import PIECE, Budget

LEAST_HEADER_BYTES = 16 << 20       # unpacked, of any archive; one of 250,000 files
HEADER_BYTES_PER_BYTE = 32          # more of them, for each byte of the archive; a real one has 0.02 to 0.3
_END, _HEADER, _ARCHIVE, _ADDITIONAL, _MAIN, _FILES, _PACK, _UNPACK, _SUBSTREAMS, _SIZE, _CRC, _FOLDER, _UNPACK_SIZE, \
    _NUM_STREAMS, _EMPTY_STREAM, _EMPTY_FILE, _, _NAMES = range(18)
_PACKED_HEADER = 0x17
_COPY, _LZMA, _LZMA2, _DELTA, _BZIP2, _PPMD, _AES = \
    b"\0", b"\3\1\1", b"\x21", b"\3", b"\4\2\2", b"\3\4\1", b"\6\xf1\7\1"
_BRANCH_FILTERS = {b"\4": lzma.FILTER_X86, b"\5": lzma.FILTER_POWERPC, b"\6": lzma.FILTER_IA64, b"\7": lzma.FILTER_ARM,
                   b"\x08": lzma.FILTER_ARMTHUMB, b"\x09": lzma.FILTER_SPARC, b"\3\3\1\3": lzma.FILTER_X86,
                   b"\3\3\2\5": lzma.FILTER_POWERPC, b"\3\3\4\1": lzma.FILTER_IA64, b"\3\3\5\1": lzma.FILTER_ARM,
                   b"\3\3\7\1": lzma.FILTER_ARMTHUMB, b"\3\3\x08\5": lzma.FILTER_SPARC}
MAX_CODERS = 32                     # of a block, as in 7-Zip
_UNKNOWN_METHOD = "it is packed by Deflate, ZStandard or another method that this program does not read; repack it with " \
                  "LZMA2"


class Member(NamedTuple):
    """A file in an archive.  open: a stream of its `size` bytes, until the next member is asked for."""

    name: str
    size: int
    open: Callable[[], Any]


def read_members(file: BinaryIO, budget: Budget) -> Iterator[Member]:
    """The files of an open .7z in order, without its folders.  Members that are not opened are unpacked only where one
    behind them in their block is, and then they spend the budget.

    Raises ValueError, one line, for a damaged archive and for one that cannot be unpacked in pieces.
    """
    header = _unpacked_header(file, budget)
    if not header:                                       # an empty archive has none
        return
    lists = _read_lists(_Cursor(header))
    names = lists.names and lists.names.copy()
    streams = _streams(file, lists.streams, budget)
    empty = 0                                            # files without a stream
    for number in range(lists.files):
        name = names.name() if names else ""
        if not _bit(lists.empty_streams, number):
            if (stream := next(streams, None)) is None:
                raise ValueError("damaged: its header names more files than it has")
            yield Member(name, stream.size, stream.open)
        else:
            if _bit(lists.empty_files, empty):           # else it is a folder
                yield Member(name, 0, io.BytesIO)
            empty += 1


def _bit(bits: bytes, number: int) -> bool:
    """A bit of a list, which begins with the highest of the first byte; false behind its end."""
    return number < 8 * len(bits) and bool(bits[number >> 3] & 0x80 >> (number & 7))


class _Cursor:
    """Reads the fields of a header in order, from a place in it."""

    def __init__(self, data: bytes | bytearray, at: int = 0):
        self._data, self._at = data, at

    def copy(self) -> "_Cursor":
        """Another one at the same place."""
        return _Cursor(self._data, self._at)

    def skip(self, count: int) -> None:
        if self._at + count > len(self._data):
            raise ValueError("damaged: its header ends too early")
        self._at += count

    def bytes(self, count: int) -> bytes:
        self.skip(count)
        return bytes(self._data[self._at - count:self._at])

    def byte(self) -> int:
        self.skip(1)
        return self._data[self._at - 1]

    def number(self) -> int:
        """NUMBER: the first byte has a 1 for each byte that follows, then the highest bits."""
        first, mask, value = self.byte(), 0x80, 0
        for place in range(8):
            if not first & mask:
                return value | (first & (mask - 1)) << 8 * place
            value |= self.byte() << 8 * place
            mask >>= 1
        return value

    def name(self) -> str:
        """A file name: UTF-16, up to a zero."""
        end = self._at
        while (end := self._data.find(b"\0\0", end)) >= 0 and (end - self._at) % 2:
            end += 1
        if end < 0:
            raise ValueError("damaged: its header ends too early")
        name = self.bytes(end - self._at).decode("utf-16-le", "surrogatepass")
        self.skip(2)
        return name

    def expect(self, kind: int) -> None:
        if self.byte() != kind:
            raise ValueError("damaged: its header has fields in another order")

    def checksums(self, count: int) -> Iterator[int | None]:
        """The checksums of so many streams; None for one without."""
        are_all = self.byte()
        bits = b"" if are_all else self.bytes(-(-count // 8))
        for number in range(count):
            yield int.from_bytes(self.bytes(4), "little") if are_all or _bit(bits, number) else None

    def skip_checksums(self, count: int) -> None:
        if not self.byte():
            count = int.from_bytes(self.bytes(-(-count // 8)), "big").bit_count()
        self.skip(4 * count)

    def coders(self) -> list[tuple[bytes, bytes]]:
        """The coders of a Folder, (method, properties), from the one that writes the files to the one that reads the
        archive."""
        coders = []
        if (count := self.number()) > MAX_CODERS:
            raise ValueError(_UNKNOWN_METHOD)
        for _ in range(count):
            flags = self.byte()
            method = self.bytes(flags & 15)
            if method == _AES:
                raise ValueError("it is encrypted with a password")
            if flags & 16 and (self.number(), self.number()) != (1, 1):
                raise ValueError(_UNKNOWN_METHOD)
            coders.append((method, self.bytes(self.number()) if flags & 32 else b""))
        bonds = dict((self.number(), self.number()) for _ in coders[1:])             # input: output
        order = [output for output in range(len(coders)) if output not in bonds.values()][:1]
        while order and (output := bonds.pop(order[-1], None)) is not None:
            order.append(output)
        if not order or len(order) != len(coders) or max(order) >= len(coders):
            raise ValueError(_UNKNOWN_METHOD)
        return [coders[number] for number in order]


class _Lists(NamedTuple):
    """Where the lists of a StreamsInfo are.  Each cursor is at the first entry; None for a list that is missing."""

    offset: int                          # of the first packed stream, behind the signature header
    packed_sizes: _Cursor | None
    folders: int
    coders: _Cursor | None               # of each folder
    unpacked_sizes: _Cursor | None       # of each coder
    checksums: _Cursor | None            # of the folders
    num_streams: _Cursor | None          # of each folder; 1 without it
    sizes: _Cursor | None                # of each stream of a folder but the last
    stream_checksums: _Cursor | None     # of the streams that are not a folder with a checksum


class _FileLists(NamedTuple):
    """As _Lists, of a Header.  empty_streams: bits, which files have no stream; empty_files: which of them are files."""

    streams: _Lists
    files: int
    names: _Cursor | None
    empty_streams: bytes
    empty_files: bytes


_NO_STREAMS = _Lists(0, None, 0, None, None, None, None, None, None)


def _read_lists(at: _Cursor) -> _FileLists:
    """The lists of a Header."""
    at.expect(_HEADER)
    streams, files, names, bits = _NO_STREAMS, 0, None, {}
    kind = at.byte()
    if kind == _ARCHIVE:
        while at.byte() != _END:
            at.skip(at.number())
        kind = at.byte()
    for expected in _ADDITIONAL, _MAIN:
        if kind == expected:
            streams = _read_streams(at)
            kind = at.byte()
    if kind == _FILES:
        files = at.number()
        while (kind := at.byte()) != _END:
            size = at.number()
            if kind == _NAMES:
                names = at.copy()
                names.expect(0)                          # not in another stream
                at.skip(size)
            else:
                bits[kind] = at.bytes(size) if kind in (_EMPTY_STREAM, _EMPTY_FILE) else at.skip(size)
    return _FileLists(streams, files, names, bits.get(_EMPTY_STREAM, b""), bits.get(_EMPTY_FILE, b""))


def _read_streams(at: _Cursor) -> _Lists:
    """The lists of a StreamsInfo."""
    found = _NO_STREAMS
    kind = at.byte()
    if kind == _PACK:
        found = found._replace(offset=at.number())
        count = at.number()
        while (kind := at.byte()) != _END:
            if kind == _SIZE:
                found = found._replace(packed_sizes=at.copy())
                for _ in range(count):
                    at.number()
            else:
                _expect_checksums(at, kind, count)
        kind = at.byte()
    if kind == _UNPACK:
        found = _read_folders(at, found)
        kind = at.byte()
    if kind == _SUBSTREAMS:
        found = _read_substreams(at, found)
        kind = at.byte()
    if kind != _END:
        raise ValueError("damaged: its header has fields in another order")
    return found


def _expect_checksums(at: _Cursor, kind: int, count: int) -> _Cursor:
    if kind != _CRC:
        raise ValueError("damaged: its header has fields in another order")
    checksums = at.copy()
    at.skip_checksums(count)
    return checksums


def _read_folders(at: _Cursor, found: _Lists) -> _Lists:
    at.expect(_FOLDER)
    folders = at.number()
    at.expect(0)                                         # not in another stream
    found = found._replace(folders=folders, coders=at.copy())
    outputs = sum(len(at.coders()) for _ in range(folders))
    at.expect(_UNPACK_SIZE)
    found = found._replace(unpacked_sizes=at.copy())
    for _ in range(outputs):
        at.number()
    while (kind := at.byte()) != _END:
        found = found._replace(checksums=_expect_checksums(at, kind, folders))
    return found


def _read_substreams(at: _Cursor, found: _Lists) -> _Lists:
    kind = at.byte()
    streams = without_size = found.folders
    if kind == _NUM_STREAMS:
        found = found._replace(num_streams=at.copy())
        streams = without_size = 0
        for _ in range(found.folders):
            count = at.number()
            streams, without_size = streams + count, without_size + bool(count)
        kind = at.byte()
    if kind == _SIZE:
        found = found._replace(sizes=at.copy())
        for _ in range(streams - without_size):
            at.number()
        kind = at.byte()
    if kind == _CRC:
        found = found._replace(stream_checksums=_expect_checksums(at, kind, _unchecked(found)))
        kind = at.byte()
    if kind != _END:
        raise ValueError("damaged: its header has fields in another order")
    return found


def _unchecked(lists: _Lists) -> int:
    """How many streams are in the list of their checksums: all but those that are folders with one."""
    counts = _numbers(lists.num_streams, lists.folders)
    checksums = lists.checksums.copy().checksums(lists.folders) if lists.checksums else itertools.repeat(None)
    return sum(count for count, checksum in zip(counts, checksums, strict=False) if count != 1 or checksum is None)


def _numbers(cursor: _Cursor | None, count: int) -> Iterator[int]:
    """So many numbers of a list; ones without it."""
    if cursor is None:
        yield from itertools.repeat(1, count)
    else:
        cursor = cursor.copy()
        for _ in range(count):
            yield cursor.number()


class _Stream(NamedTuple):
    """The content of a file.  open: as of Member."""

    size: int
    open: Callable[[], "_StreamReader"]


def _streams(file: BinaryIO, lists: _Lists, budget: Budget) -> Iterator[_Stream]:
    """The streams of all folders, in order."""
    at = 32 + lists.offset
    coders = lists.coders and lists.coders.copy()
    packed_sizes, unpacked_sizes = (_numbers(list_, 1 << 62) for list_ in (lists.packed_sizes, lists.unpacked_sizes))
    sizes, counts = _numbers(lists.sizes, 1 << 62), _numbers(lists.num_streams, lists.folders)
    checksums = _checksums(lists.checksums, lists.folders)
    stream_checksums = _checksums(lists.stream_checksums, 1 << 62)
    for checksum in checksums if coders else ():
        chain = coders.coders()
        size = [next(unpacked_sizes) for _ in chain][-1]             # every coder but the last keeps it
        block = _Block(file, at, next(packed_sizes), chain, size, budget)
        at = block.end
        position, count = 0, next(counts)
        for number in range(count):
            of_stream = size - position if number == count - 1 else next(sizes)
            crc = checksum if count == 1 and checksum is not None else next(stream_checksums)
            if not 0 <= of_stream <= size - position:
                raise ValueError("damaged: its header has sizes that do not add up")
            yield _Stream(of_stream, functools.partial(_StreamReader, block, position, of_stream, crc))
            position += of_stream


def _checksums(cursor: _Cursor | None, count: int) -> Iterator[int | None]:
    return cursor.copy().checksums(count) if cursor else itertools.repeat(None, count)


class _Block:
    """The unpacked bytes of a folder, read in order.

    size: of them.  packed_size: from `at` in the archive.  coders: as of _Cursor.coders.
    """

    def __init__(self, file: BinaryIO, at: int, packed_size: int, coders: list[tuple[bytes, bytes]], size: int,
                 budget: Budget):
        self.end = at + packed_size
        self.position = 0
        self._file, self._at, self._coders, self._size, self._budget = file, at, coders, size, budget
        self._decoder: Any = None
        self._unpacked, self._used, self._made = b"", 0, 0           # made: bytes that the decoder has returned

    def read(self, size: int) -> bytes:
        """At most so many bytes, and at least one.  Raises ValueError at the end."""
        if self._used == len(self._unpacked):
            self._unpacked, self._used = self._decode(), 0
        data = self._unpacked[self._used:self._used + size]
        self._used += len(data)
        self.position += len(data)
        return data

    def skip_to(self, position: int) -> None:
        """Unpack up to a position, on the budget."""
        while self.position < position:
            self._budget.spend(len(self.read(min(PIECE, position - self.position))))

    def _decode(self) -> bytes:
        if self._decoder is None:
            self._decoder = _decoder(self._coders, self._size)
        while True:
            packed = b""
            if self._decoder.needs_input:
                self._file.seek(min(self._at, 1 << 62))
                packed = self._file.read(min(PIECE, self.end - self._at))
                self._at += len(packed)
            data = self._decoder.decompress(packed, min(PIECE, self._size - self._made))
            self._made += len(data)
            if data:
                return data
            if not packed:
                raise ValueError("damaged or truncated: unexpected end of data")


class _StreamReader:
    """The bytes of a block from `start` on."""

    def __init__(self, block: _Block, start: int, size: int, checksum: int | None):
        self._block, self._left, self._checksum, self._crc = block, size, checksum, 0
        block.skip_to(start)

    def read(self, size: int) -> bytes:
        """At most so many bytes; none at the end.  Raises ValueError if they are not those that were packed."""
        data = self._block.read(min(size, self._left)) if self._left else b""
        self._left -= len(data)
        self._crc = zlib.crc32(data, self._crc)
        if not self._left and self._checksum not in (None, self._crc):
            raise ValueError("damaged: the checksum of a file in it is wrong")
        return data


def _decoder(coders: list[tuple[bytes, bytes]], size: int) -> Any:
    """What unpacks a folder of `size` bytes: an object with decompress and needs_input, as bz2.BZ2Decompressor."""
    method, properties = coders[-1]
    if len(coders) == 1 and method in (_COPY, _BZIP2, _PPMD):
        return _Copy() if method == _COPY else bz2.BZ2Decompressor() if method == _BZIP2 else _Ppmd(properties)
    filters = [_filter(*coder) for coder in coders[:-1]]
    size = max(size, 4096)                               # no more of a dictionary is used
    if method == _LZMA and len(properties) == 5 and properties[0] < 225 and \
            all(other["id"] == lzma.FILTER_DELTA for other in filters):          # liblzma keeps back a branch's end
        rest, lc = divmod(properties[0], 9)
        pb, lp = divmod(rest, 5)
        stated = max(int.from_bytes(properties[1:], "little"), 4096)
        filters.append({"id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb, "dict_size": min(stated, size)})
    elif method == _LZMA2 and len(properties) == 1 and properties[0] <= 40:
        stated = min((2 | properties[0] & 1) << properties[0] // 2 + 11, (1 << 32) - 1)
        filters.append({"id": lzma.FILTER_LZMA2, "dict_size": min(stated, size)})
    else:
        raise ValueError(_UNKNOWN_METHOD)
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)


def _filter(method: bytes, properties: bytes) -> dict[str, int]:
    """liblzma's filter for a coder that keeps the size."""
    if method == _DELTA and len(properties) == 1:
        return {"id": lzma.FILTER_DELTA, "dist": properties[0] + 1}
    if method not in _BRANCH_FILTERS or properties:
        raise ValueError(_UNKNOWN_METHOD)
    return {"id": _BRANCH_FILTERS[method]}


class _Copy:
    needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return data


class _Ppmd:
    def __init__(self, properties: bytes):
        try:
            import pyppmd
        except ImportError:
            raise ValueError("it is packed by PPMd, which needs the package pyppmd: pip install 'mugo[7z]'") from None
        if len(properties) not in (5, 7):
            raise ValueError(_UNKNOWN_METHOD)
        self._decoder = pyppmd.Ppmd7Decoder(properties[0], int.from_bytes(properties[1:5], "little"))

    @property
    def needs_input(self) -> bool:
        return self._decoder.needs_input

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if not data and self.needs_input:
            data = b"\0"                                 # which the encoder leaves out at the end
        return self._decoder.decode(data, max_length)


def _unpacked_header(file: BinaryIO, budget: Budget) -> bytes | bytearray:
    """The header as it is read: b'' of an empty archive.  Raises ValueError."""
    file_size = file.seek(0, io.SEEK_END)
    file.seek(0)
    start = file.read(32)
    offset, size = int.from_bytes(start[12:20], "little"), int.from_bytes(start[20:28], "little")
    if len(start) < 32 or zlib.crc32(start[12:]) != int.from_bytes(start[8:12], "little"):
        raise ValueError("damaged or truncated: its first 32 bytes")
    if 32 + offset + size > file_size:
        raise ValueError("damaged or truncated: its header is missing")
    file.seek(32 + offset)
    header = file.read(size)
    if zlib.crc32(header) != int.from_bytes(start[28:], "little"):
        raise ValueError("damaged: the checksum of its header is wrong")
    if header[:1] != bytes([_PACKED_HEADER]):
        return header
    stream = next(_streams(file, _read_streams(_Cursor(header, 1)), budget), None)
    limit = LEAST_HEADER_BYTES + HEADER_BYTES_PER_BYTE * file_size
    if stream is None or stream.size > limit:
        raise ValueError(f"its header has {stream.size >> 20 if stream else 0} MB; the limit for a file of this size "
                         f"is {limit >> 20} MB")
    reader, unpacked = stream.open(), bytearray()
    while data := reader.read(PIECE):
        budget.spend(len(data))
        unpacked += data
    return unpacked
