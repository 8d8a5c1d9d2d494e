"""The header of a .7z: where its lists are, each read by a Cursor of its own, in order; nothing is made for an entry
before its turn.

    blocks      packed size, coders, unpacked size, checksum, number of files in it
    streams     the content of a file: size, checksum
    files       name, whether it has a stream, whether it is a folder

7zFormat.txt, of the LZMA SDK (https://www.7-zip.org/sdk.html), names the fields.
"""
import itertools
from collections.abc import Iterator
from typing import NamedTuple

MAX_CODERS = 32                     # of a block, as in 7-Zip
UNKNOWN_METHOD = ("it is packed by Deflate, ZStandard or another method that this program does not read; repack it "
                  "with LZMA2")
_END, _HEADER, _ARCHIVE, _ADDITIONAL, _MAIN, _FILES, _PACK, _UNPACK, _SUBSTREAMS, _SIZE, _CRC, _FOLDER, _UNPACK_SIZE, \
    _NUM_STREAMS, _EMPTY_STREAM, _EMPTY_FILE, _, _NAMES = range(18)
_AES = b"\6\xf1\7\1"


def bit(bits: bytes, number: int) -> bool:
    """A bit of a list, which begins with the highest of the first byte; false behind its end."""
    return number < 8 * len(bits) and bool(bits[number >> 3] & 0x80 >> (number & 7))


class Cursor:
    """Reads the fields of a header in order, from a place in it."""

    def __init__(self, data: bytes | bytearray, at: int = 0):
        self._data, self._at = data, at

    def copy(self) -> "Cursor":
        """Another one at the same place."""
        return Cursor(self._data, self._at)

    def skip(self, count: int) -> None:
        if self._at + count > len(self._data):
            raise ValueError("damaged: its header ends too early")
        self._at += count

    def take(self, count: int) -> bytes:
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
        name = self.take(end - self._at).decode("utf-16-le", "surrogatepass")
        self.skip(2)
        return name

    def expect(self, kind: int) -> None:
        if self.byte() != kind:
            raise ValueError("damaged: its header has fields in another order")

    def checksums(self, count: int) -> Iterator[int | None]:
        """The checksums of so many streams; None for one without."""
        are_all = self.byte()
        bits = b"" if are_all else self.take(-(-count // 8))
        for number in range(count):
            yield int.from_bytes(self.take(4), "little") if are_all or bit(bits, number) else None

    def skip_checksums(self, count: int) -> None:
        if not self.byte():
            count = int.from_bytes(self.take(-(-count // 8)), "big").bit_count()
        self.skip(4 * count)

    def coders(self) -> list[tuple[bytes, bytes]]:
        """The coders of a Folder, (method, properties), from the one that writes the files to the one that reads the
        archive."""
        coders = []
        if (count := self.number()) > MAX_CODERS:
            raise ValueError(UNKNOWN_METHOD)
        for _ in range(count):
            flags = self.byte()
            method = self.take(flags & 15)
            if method == _AES:
                raise ValueError("it is encrypted with a password")
            if flags & 16 and (self.number(), self.number()) != (1, 1):
                raise ValueError(UNKNOWN_METHOD)
            coders.append((method, self.take(self.number()) if flags & 32 else b""))
        bonds = dict((self.number(), self.number()) for _ in coders[1:])             # input: output
        order = [output for output in range(len(coders)) if output not in bonds.values()][:1]
        while order and (output := bonds.pop(order[-1], None)) is not None:
            order.append(output)
        if not order or len(order) != len(coders) or max(order) >= len(coders):
            raise ValueError(UNKNOWN_METHOD)
        return [coders[number] for number in order]


class Lists(NamedTuple):
    """Where the lists of a StreamsInfo are.  Each cursor is at the first entry; None for a list that is missing."""

    offset: int                          # of the first packed stream, behind the signature header
    packed_sizes: Cursor | None
    folders: int
    coders: Cursor | None               # of each folder
    unpacked_sizes: Cursor | None       # of each coder
    checksums: Cursor | None            # of the folders
    num_streams: Cursor | None          # of each folder; 1 without it
    sizes: Cursor | None                # of each stream of a folder but the last
    stream_checksums: Cursor | None     # of the streams that are not a folder with a checksum


class FileLists(NamedTuple):
    """The lists of a Header.  Bits say which files have no stream (empty_streams); which of these are no folders."""

    streams: Lists
    files: int
    names: Cursor | None
    empty_streams: bytes
    empty_files: bytes


_NO_STREAMS = Lists(0, None, 0, None, None, None, None, None, None)


def read_lists(at: Cursor) -> FileLists:
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
            streams = read_streams(at)
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
                bits[kind] = at.take(size) if kind in (_EMPTY_STREAM, _EMPTY_FILE) else at.skip(size)
    return FileLists(streams, files, names, bits.get(_EMPTY_STREAM, b""), bits.get(_EMPTY_FILE, b""))


def read_streams(at: Cursor) -> Lists:
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


def _expect_checksums(at: Cursor, kind: int, count: int) -> Cursor:
    if kind != _CRC:
        raise ValueError("damaged: its header has fields in another order")
    checksums = at.copy()
    at.skip_checksums(count)
    return checksums


def _read_folders(at: Cursor, found: Lists) -> Lists:
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


def _read_substreams(at: Cursor, found: Lists) -> Lists:
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


def _unchecked(lists: Lists) -> int:
    """How many streams are in the list of their checksums: all but those that are folders with one."""
    counts = numbers(lists.num_streams, lists.folders)
    checksums = lists.checksums.copy().checksums(lists.folders) if lists.checksums else itertools.repeat(None)
    return sum(count for count, checksum in zip(counts, checksums, strict=False) if count != 1 or checksum is None)


def numbers(cursor: Cursor | None, count: int) -> Iterator[int]:
    """So many numbers of a list; ones without it."""
    if cursor is None:
        yield from itertools.repeat(1, count)
    else:
        cursor = cursor.copy()
        for _ in range(count):
            yield cursor.number()
