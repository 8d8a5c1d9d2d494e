"""The header of a .7z: its lists, each an iterator that makes an entry when its turn comes.

    blocks      packed size, coders, unpacked size, checksum, number of files in it
    streams     the content of a file: size, checksum
    files       name, whether it has a stream, whether it is a folder

7zFormat.txt, of the LZMA SDK (https://www.7-zip.org/sdk.html), names the fields.  Reading takes a time that is linear
in the length of the header.
"""
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

T = TypeVar("T")
MAX_CODERS = 32                     # of a block, and inputs of a coder, as in 7-Zip
UNKNOWN_METHOD = ("it is packed by Deflate, ZStandard or another method that this program does not read; repack it "
                  "with LZMA2")
_END, _HEADER, _ARCHIVE, _ADDITIONAL, _MAIN, _FILES, _PACK, _UNPACK, _SUBSTREAMS, _SIZE, _CRC, _FOLDER, _UNPACK_SIZE, \
    _NUM_STREAMS, _EMPTY_STREAM, _EMPTY_FILE, _, _NAMES = range(18)


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
    """Reads the fields of a header in order, from a place in it.  Raises ValueError at its end."""

    def __init__(self, data: bytes | bytearray, at: int = 0):
        self._data, self._at = data, at

    def copy(self) -> "Cursor":
        """Another one at the same place."""
        return Cursor(self._data, self._at)

    def take(self, count: int) -> memoryview:
        """The next bytes, not copied."""
        start, self._at = self._at, self._at + count
        if self._at > len(self._data):
            raise ValueError("damaged: its header ends too early")
        return memoryview(self._data)[start:self._at]

    def byte(self) -> int:
        return self.take(1)[0]

    def expect(self, *kinds: int) -> int:
        """The next byte, which must be one of these."""
        if (kind := self.byte()) not in kinds:
            raise ValueError("damaged: its header has fields in another order")
        return kind

    def number(self) -> int:
        """NUMBER: the first byte has a 1 for each byte that follows, then the highest bits."""
        first, mask, value = self.byte(), 0x80, 0
        for place in range(8):
            if not first & mask:
                return value | (first & (mask - 1)) << 8 * place
            value |= self.byte() << 8 * place
            mask >>= 1
        return value

    def entries(self, read: Callable[["Cursor"], T], count: int) -> Iterator[T]:
        """Pass a list of so many entries.  The iterator reads them again, and what follows them."""
        again = self.copy()
        for _ in range(count):
            read(self)
        return (read(again) for _ in itertools.repeat(None))

    def name(self) -> str:
        """A file name: UTF-16, up to a zero."""
        end = self._at
        while (end := self._data.find(b"\0\0", end)) >= 0 and (end - self._at) % 2:
            end += 1
        if end < 0:
            raise ValueError("damaged: its header ends too early")
        name = bytes(self.take(end - self._at)).decode("utf-16-le", "surrogatepass")
        self.take(2)
        return name

    def checksums(self, count: int) -> Iterator[int | None]:
        """The checksums of so many streams; None for one without."""
        are_all = self.byte()
        bits = self.take(0 if are_all else -(-count // 8))
        for number in range(count):
            yield int.from_bytes(self.take(4), "little") if are_all or has_bit(bits, number) else None

    def skip_checksums(self, count: int) -> None:
        if not self.byte():
            count = int.from_bytes(self.take(-(-count // 8)), "big").bit_count()
        self.take(4 * count)

    def folder(self) -> Folder:
        """How a block is packed."""
        coders, all_inputs = [], 0
        if not 0 < (count := self.number()) <= MAX_CODERS:
            raise ValueError(UNKNOWN_METHOD)
        for _ in range(count):
            flags = self.byte()
            method = bytes(self.take(flags & 15))
            inputs, outputs = (self.number(), self.number()) if flags & 16 else (1, 1)
            if outputs != 1 or not 0 < inputs <= MAX_CODERS:
                raise ValueError(UNKNOWN_METHOD)
            coders.append((method, bytes(self.take(self.number())) if flags & 32 else b""))
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


def has_bit(bits: memoryview, number: int) -> bool:
    """A bit of a list, from the highest one of its first byte; false behind its end."""
    return number < 8 * len(bits) and bool(bits[number >> 3] & 0x80 >> (number & 7))


@dataclass
class Streams:
    """The lists of a StreamsInfo; of a list that is missing its default."""

    offset: int = 0                      # of the first packed stream, behind the signature header
    packed_sizes: Iterator[int] = itertools.repeat(1)
    folders: Iterator[Folder] = iter(())
    unpacked_sizes: Iterator[int] = itertools.repeat(1)             # of each coder
    checksums: Iterator[int | None] = itertools.repeat(None)        # of the folders
    num_streams: Iterator[int] = itertools.repeat(1)                # of each folder
    sizes: Iterator[int] = itertools.repeat(1)                      # of each stream of a folder but the last
    stream_checksums: Iterator[int | None] = itertools.repeat(None)         # but of folders of one stream with one


class Files(NamedTuple):
    """The lists of a Header.  Bits say which files have no stream (empty_streams); which of these are no folders."""

    streams: Streams
    count: int
    names: Cursor
    empty_streams: memoryview
    empty_files: memoryview


def read_files(at: Cursor) -> Files:
    """The lists of a Header.  Raises ValueError for a damaged one."""
    at.expect(_HEADER)
    streams, count, names, bits = Streams(), 0, None, {}
    kind = at.byte()
    if kind == _ARCHIVE:
        while at.byte() != _END:
            at.take(at.number())
        kind = at.byte()
    for expected in _ADDITIONAL, _MAIN:
        if kind == expected:
            streams = read_streams(at)
            kind = at.expect(_MAIN, _FILES, _END)
    if kind == _FILES:
        count = at.number()
        while (kind := at.byte()) != _END:
            size = at.number()
            if kind == _NAMES:
                names = at.copy()
                names.expect(0)                          # not in another stream
            bits[kind] = at.take(size)
        kind = at.byte()
        if count and names is None:
            raise ValueError("damaged: its header has no names")
    if kind != _END:
        raise ValueError("damaged: its header has fields in another order")
    none = memoryview(b"")
    return Files(streams, count, names or at, bits.get(_EMPTY_STREAM, none), bits.get(_EMPTY_FILE, none))


def read_streams(at: Cursor) -> Streams:
    """The lists of a StreamsInfo."""
    found, folders, checksums = Streams(), 0, itertools.repeat(None)
    kind = at.expect(_PACK, _UNPACK, _SUBSTREAMS, _END)
    if kind == _PACK:
        found.offset, count = at.number(), at.number()
        while (kind := at.expect(_SIZE, _CRC, _END)) != _END:
            if kind == _SIZE:
                found.packed_sizes = at.entries(Cursor.number, count)
            else:
                at.skip_checksums(count)
        kind = at.expect(_UNPACK, _SUBSTREAMS, _END)
    if kind == _UNPACK:
        at.expect(_FOLDER)
        folders = at.number()
        at.expect(0)                                     # not in another stream
        first = at.copy()
        outputs = sum(at.folder().outputs for _ in range(folders))
        found.folders = (first.folder() for _ in range(folders))
        at.expect(_UNPACK_SIZE)
        found.unpacked_sizes = at.entries(Cursor.number, outputs)
        while at.expect(_CRC, _END) == _CRC:
            found.checksums, checksums = (at.copy().checksums(folders) for _ in range(2))
            at.skip_checksums(folders)
        kind = at.expect(_SUBSTREAMS, _END)
    if kind == _SUBSTREAMS:
        _read_substreams(at, found, folders, checksums)
        at.expect(_END)
    return found


def _read_substreams(at: Cursor, found: Streams, folders: int, checksums: Iterator[int | None]) -> None:
    """The lists of a SubStreamsInfo.  checksums: of the folders."""
    kind = at.expect(_NUM_STREAMS, _SIZE, _CRC, _END)
    counts = itertools.repeat(1)
    if kind == _NUM_STREAMS:
        counts = at.copy().entries(Cursor.number, 0)
        found.num_streams = at.entries(Cursor.number, folders)
        kind = at.expect(_SIZE, _CRC, _END)
    num_sizes = num_checksums = 0
    for count, checksum in zip(itertools.islice(counts, folders), checksums, strict=False):
        num_sizes += max(count - 1, 0)
        num_checksums += count if count != 1 or checksum is None else 0
    if kind == _SIZE:
        found.sizes = at.entries(Cursor.number, num_sizes)
        kind = at.expect(_CRC, _END)
    if kind == _CRC:
        found.stream_checksums = at.copy().checksums(num_checksums)
        at.skip_checksums(num_checksums)
        kind = at.expect(_END)
