"""The header of a .7z: its size, what it counts and how members are packed, checked before py7zr reads it.

Members are not unpacked here.

    signature header   32 bytes: where the header is, and its size
    header             counts, sizes and names; or, packed, where that is and how it is unpacked

py7zr makes an object for each file that a header counts, whatever its names take: 8 million files in an archive of 2 kB
took 4 GB and two minutes.  7zFormat.txt, of the LZMA SDK (https://www.7-zip.org/sdk.html), names the fields.
"""
import lzma
from typing import BinaryIO

MAX_7Z_HEADER_BYTES = 32 << 20      # unpacked; one of 400,000 files
MAX_7Z_COUNT = 1_000_000            # files, their streams, and blocks, in all; py7zr takes up to 1 kB for each
_END, _HEADER, _ARCHIVE, _ADDITIONAL, _MAIN, _FILES, _PACK, _UNPACK, _SUBSTREAMS, _SIZE, _CRC, _FOLDER, _UNPACK_SIZE, \
    _NUM_STREAMS = range(14)
_PACKED_HEADER = 0x17
_COPY, _LZMA, _LZMA2, _AES = b"\0", b"\3\1\1", b"\x21", b"\x06\xf1\x07\x01"
# Methods that py7zr unpacks in pieces: those above, PPMd, BZip2, Delta and BCJ filters.  A block of another method, as
# Deflate, ZStandard and Brotli, is unpacked at once: 1 GB of zeros in 33 kB took 3 GB.
_BOUNDED_METHODS = {_COPY, _LZMA, _LZMA2, b"\3\4\1", b"\4\2\2", b"\3", *(bytes([n]) for n in range(4, 11)),
                    *(b"\3\3" + kind for kind in (b"\1\3", b"\2\5", b"\4\1", b"\5\1", b"\7\1", b"\x08\5"))}


def check_header(file: BinaryIO) -> None:
    """Raise ValueError, one line, unless py7zr can read an open .7z in bounded memory.

    The header is of a sensible size, and so are its counts; members are packed by methods that are unpacked in pieces,
    without a password.
    """
    header = _read(file, *_place(file))
    if header[:1] == bytes([_PACKED_HEADER]):
        header = _unpacked(file, _Fields(header))
    if header:                                           # an empty archive has none
        _Fields(header).check_counts()


def _place(file: BinaryIO) -> tuple[int, int]:
    """(offset, size) of the header, by the signature header."""
    file.seek(0)
    start = file.read(32)
    return 32 + int.from_bytes(start[12:20], "little"), int.from_bytes(start[20:28], "little")


def _read(file: BinaryIO, offset: int, size: int) -> bytes:
    if size > MAX_7Z_HEADER_BYTES:
        raise ValueError(f"its header has {size >> 20} MB; the limit is {MAX_7Z_HEADER_BYTES >> 20} MB")
    file.seek(min(offset, 1 << 62))
    data = file.read(size)
    if len(data) != size:
        raise ValueError("damaged or truncated: its header is missing")
    return data


def _unpacked(file: BinaryIO, fields: "_Fields") -> bytes:
    """The header that a packed header describes."""
    fields.byte()
    streams = fields.streams()
    if len(streams.coders) != 1 or not streams.packed_sizes:
        raise ValueError("its header is packed in a way that this program does not read; repack it")
    (method, properties), size = streams.coders[0], streams.unpacked_sizes[0]
    if size > MAX_7Z_HEADER_BYTES:
        raise ValueError(f"its header has {size >> 20} MB; the limit is {MAX_7Z_HEADER_BYTES >> 20} MB")
    data = _read(file, 32 + streams.offset, streams.packed_sizes[0])
    if method == _COPY:
        return data[:size]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_filter(method, properties)]).decompress(data, size)


def _filter(method: bytes, properties: bytes) -> dict:
    """The LZMA filter of a coder; the dictionary needs no more than the header has."""
    if method == _LZMA and len(properties) == 5 and properties[0] < 225:
        rest, lc = divmod(properties[0], 9)
        pb, lp = divmod(rest, 5)
        size = int.from_bytes(properties[1:], "little")
        return {"id": lzma.FILTER_LZMA1, "lc": lc, "lp": lp, "pb": pb,
                "dict_size": min(max(size, 4096), MAX_7Z_HEADER_BYTES)}
    if method == _LZMA2 and len(properties) == 1:
        return {"id": lzma.FILTER_LZMA2, "dict_size": MAX_7Z_HEADER_BYTES}
    raise ValueError("its header is packed in a way that this program does not read; repack it")


class _Streams:
    """What a StreamsInfo says of packed streams, and of folders: (method, properties) of each coder, sizes."""

    def __init__(self) -> None:
        self.offset = 0
        self.packed_sizes: list[int] = []
        self.coders: list[tuple[bytes, bytes]] = []
        self.unpacked_sizes: list[int] = []
        self.folders = 0
        self.has_checksums = False                       # of the folders


class _Fields:
    """The fields of a header, read in order."""

    def __init__(self, data: bytes):
        self._data, self._at, self._counted = data, 0, 0

    def bytes(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise ValueError("damaged: its header ends too early")
        self._at += count
        return self._data[self._at - count:self._at]

    def byte(self) -> int:
        return self.bytes(1)[0]

    def number(self) -> int:
        """NUMBER: the first byte has a 1 for each byte that follows, then the highest bits."""
        first, mask, value = self.byte(), 0x80, 0
        for place in range(8):
            if not first & mask:
                return value | (first & (mask - 1)) << 8 * place
            value |= self.byte() << 8 * place
            mask >>= 1
        return value

    def count(self) -> int:
        """A NUMBER of things that py7zr makes objects for."""
        count = self.number()
        self._counted += count
        if self._counted > MAX_7Z_COUNT:
            raise ValueError(f"its header counts {self._counted:,} files and streams; the limit is {MAX_7Z_COUNT:,}")
        return count

    def expect(self, kind: int) -> None:
        if self.byte() != kind:
            raise ValueError("damaged: its header has fields in another order")

    def check_counts(self) -> None:
        """Raise ValueError if a Header counts more than it has bytes for."""
        self.expect(_HEADER)
        kind = self.byte()
        if kind == _ARCHIVE:
            while self.byte() != _END:
                self.bytes(self.number())
            kind = self.byte()
        for streams in _ADDITIONAL, _MAIN:
            if kind == streams:
                self.streams()
                kind = self.byte()
        if kind == _FILES:
            self.count()

    def streams(self) -> _Streams:
        """A StreamsInfo."""
        streams = _Streams()
        kind = self.byte()
        if kind == _PACK:
            self._read_pack(streams)
            kind = self.byte()
        if kind == _UNPACK:
            self._read_unpack(streams)
            kind = self.byte()
        if kind == _SUBSTREAMS:
            self._read_substreams(streams)
            kind = self.byte()
        if kind != _END:
            raise ValueError("damaged: its header has fields in another order")
        return streams

    def _read_pack(self, streams: _Streams) -> None:
        streams.offset = self.number()
        count = self.count()
        while (kind := self.byte()) != _END:
            if kind == _SIZE:
                streams.packed_sizes = [self.number() for _ in range(count)]
            else:
                self._read_checksums(kind, count)

    def _read_unpack(self, streams: _Streams) -> None:
        self.expect(_FOLDER)
        streams.folders = self.count()
        self.expect(0)                                   # not in another stream
        outputs = sum(self._read_folder(streams) for _ in range(streams.folders))
        self.expect(_UNPACK_SIZE)
        streams.unpacked_sizes = [self.number() for _ in range(outputs)]
        while (kind := self.byte()) != _END:
            self._read_checksums(kind, streams.folders)
            streams.has_checksums = True

    def _read_folder(self, streams: _Streams) -> int:
        """A Folder; returns the number of its output streams."""
        inputs = outputs = 0
        for _ in range(self.count()):
            flags = self.byte()
            method = self.bytes(flags & 15)
            more = (self.count(), self.count()) if flags & 16 else (1, 1)
            inputs, outputs = inputs + more[0], outputs + more[1]
            streams.coders.append((method, self.bytes(self.number()) if flags & 32 else b""))
            if method == _AES:
                raise ValueError("it is encrypted with a password")
            if method not in _BOUNDED_METHODS:
                raise ValueError("it is packed by Deflate, ZStandard or another method that cannot be unpacked in "
                                 "pieces; repack it with LZMA2")
        bonds = max(outputs - 1, 0)
        packed = inputs - bonds
        for _ in range(2 * bonds + (packed if packed > 1 else 0)):
            self.number()
        return outputs

    def _read_substreams(self, streams: _Streams) -> None:
        """A SubStreamsInfo."""
        counts = [1] * streams.folders
        kind = self.byte()
        if kind == _NUM_STREAMS:
            counts = [self.count() for _ in range(streams.folders)]
            kind = self.byte()
        if kind == _SIZE:
            for _ in range(sum(count - 1 for count in counts if count)):
                self.number()
            kind = self.byte()
        if kind == _CRC:
            self._read_checksums(kind, sum(count for count in counts if count != 1 or not streams.has_checksums))
            kind = self.byte()
        if kind != _END:
            raise ValueError("damaged: its header has fields in another order")

    def _read_checksums(self, kind: int, count: int) -> None:
        """The checksums of so many streams: all of them, as 7-Zip writes them."""
        if kind != _CRC or not self.byte():
            raise ValueError("damaged: its header has fields in another order")
        self.bytes(4 * count)
