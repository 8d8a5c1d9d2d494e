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

from mugo.sgf.budget import PIECE, Budget

MAX_CODERS = 32                     # of a block, and inputs of a coder, as in 7-Zip
UNKNOWN_METHOD = ("it is packed by Deflate, ZStandard or another method that this program does not read; repack it "
                  "with LZMA2")
_END, _HEADER, _ARCHIVE, _ADDITIONAL, _MAIN, _FILES, _PACK, _UNPACK, _SUBSTREAMS, _SIZE, _CRC, _FOLDER, _UNPACK_SIZE, \
    _NUM_STREAMS, _EMPTY_STREAM, _EMPTY_FILE, _, _NAMES = range(18)
_ENTRIES = 4096                      # that are read between two looks at the budget's time


class Bits(NamedTuple):
    """A list of `size` bytes in a header, which begins with the highest bit of the first byte."""

    data: bytes | bytearray
    start: int
    size: int

    def bit(self, number: int) -> bool:
        """A bit; false behind the end."""
        return number < 8 * self.size and bool(self.data[self.start + (number >> 3)] & 0x80 >> (number & 7))

    def count(self) -> int:
        """How many bits are set."""
        end = self.start + self.size
        return sum(int.from_bytes(self.data[at:min(at + PIECE, end)], "big").bit_count()
                   for at in range(self.start, end, PIECE))


_NO_BITS = Bits(b"", 0, 0)


class Folder(NamedTuple):
    """How a block is packed.

    coders: (method, properties) of each, from the one that writes the files to the one that reads the archive; none if
        they are no chain.
    outputs: how many sizes it has in the list of unpacked sizes.  main: which of these is the size of the files.
    packed_streams: how many sizes it has in the list of packed sizes.
    """

    coders: list[tuple[bytes, bytes]]
    outputs: int
    main: int
    packed_streams: int


class Cursor:
    """Reads the fields of a header in order, from a place in it, in the time of a budget."""

    def __init__(self, data: bytes | bytearray, budget: Budget, at: int = 0):
        self._data, self._budget, self._at = data, budget, at

    def copy(self) -> "Cursor":
        """Another one at the same place."""
        return Cursor(self._data, self._budget, self._at)

    def each(self, count: int) -> Iterator[int]:
        """The numbers of so many entries.  Raises BudgetSpentError when the time of the budget is spent."""
        for number in range(count):
            if number % _ENTRIES == 0:
                self._budget.spend(0)
            yield number

    def skip(self, count: int) -> None:
        if self._at + count > len(self._data):
            raise ValueError("damaged: its header ends too early")
        self._at += count

    def take(self, count: int) -> bytes:
        self.skip(count)
        return bytes(self._data[self._at - count:self._at])

    def bits(self, size: int) -> Bits:
        """A list of bits in so many bytes."""
        self.skip(size)
        return Bits(self._data, self._at - size, size)

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
        bits = _NO_BITS if are_all else self.bits(-(-count // 8))
        for number in self.each(count):
            yield int.from_bytes(self.take(4), "little") if are_all or bits.bit(number) else None

    def skip_checksums(self, count: int) -> None:
        if not self.byte():
            count = self.bits(-(-count // 8)).count()
        self.skip(4 * count)

    def folder(self) -> Folder:
        """How a block is packed."""
        coders, all_inputs = [], 0
        if not 0 < (count := self.number()) <= MAX_CODERS:
            raise ValueError(UNKNOWN_METHOD)
        for _ in range(count):
            flags = self.byte()
            method = self.take(flags & 15)
            inputs, outputs = (self.number(), self.number()) if flags & 16 else (1, 1)
            if outputs != 1 or not 0 < inputs <= MAX_CODERS:
                raise ValueError(UNKNOWN_METHOD)
            coders.append((method, self.take(self.number()) if flags & 32 else b""))
            all_inputs += inputs
        bonds = dict((self.number(), self.number()) for _ in coders[1:])             # input: output
        if (packed_streams := all_inputs - count + 1) > 1:
            for _ in range(packed_streams):
                self.number()
        order = [output for output in range(count) if output not in bonds.values()][:1]
        if not order:
            raise ValueError(UNKNOWN_METHOD)
        while (output := bonds.pop(order[-1], None)) is not None:
            order.append(output)
        is_chain = packed_streams == 1 and len(order) == count and max(order) < count
        return Folder([coders[number] for number in order] if is_chain else [], count, order[0], packed_streams)


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
    empty_streams: Bits
    empty_files: Bits


_NO_STREAMS = Lists(0, None, 0, None, None, None, None, None, None)


def read_lists(at: Cursor) -> FileLists:
    """The lists of a Header.  Raises ValueError for a damaged one."""
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
                bits[kind] = at.bits(size)
        kind = at.byte()
        if files and names is None:
            raise ValueError("damaged: its header has no names")
    if kind != _END:
        raise ValueError("damaged: its header has fields in another order")
    return FileLists(streams, files, names, bits.get(_EMPTY_STREAM, _NO_BITS), bits.get(_EMPTY_FILE, _NO_BITS))


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
                for _ in at.each(count):
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
    outputs = sum(at.folder().outputs for _ in at.each(folders))
    at.expect(_UNPACK_SIZE)
    found = found._replace(unpacked_sizes=at.copy())
    for _ in at.each(outputs):
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
        for _ in at.each(found.folders):
            count = at.number()
            streams, without_size = streams + count, without_size + bool(count)
        kind = at.byte()
    if kind == _SIZE:
        found = found._replace(sizes=at.copy())
        for _ in at.each(streams - without_size):
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
        for _ in cursor.each(count):
            yield cursor.number()
