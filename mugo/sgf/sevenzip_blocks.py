"""The blocks of a .7z, unpacked in order and in pieces: LZMA, LZMA2, BZip2, PPMd or nothing, with filters."""
import bz2
import lzma
import zlib
from typing import Any, BinaryIO

from mugo.sgf.budget import PIECE, Budget
from mugo.sgf.sevenzip_header import UNKNOWN_METHOD

_COPY, _LZMA, _LZMA2, _DELTA, _BZIP2, _PPMD = b"\0", b"\3\1\1", b"\x21", b"\3", b"\4\2\2", b"\3\4\1"
_AES = b"\6\xf1\7\1"
_BRANCH_FILTERS = {b"\4": lzma.FILTER_X86, b"\5": lzma.FILTER_POWERPC, b"\6": lzma.FILTER_IA64, b"\7": lzma.FILTER_ARM,
                   b"\x08": lzma.FILTER_ARMTHUMB, b"\x09": lzma.FILTER_SPARC, b"\3\3\1\3": lzma.FILTER_X86,
                   b"\3\3\2\5": lzma.FILTER_POWERPC, b"\3\3\4\1": lzma.FILTER_IA64, b"\3\3\5\1": lzma.FILTER_ARM,
                   b"\3\3\7\1": lzma.FILTER_ARMTHUMB, b"\3\3\x08\5": lzma.FILTER_SPARC}


class Block:
    """The unpacked bytes of a folder, read in order.

    size: of them.  packed_size: from `at` in the archive.  coders: as in Folder.  After an error there are no more
    bytes: the same error is raised again.
    """

    def __init__(self, file: BinaryIO, at: int, packed_size: int, coders: list[tuple[bytes, bytes]], size: int,
                 budget: Budget):
        self.end = at + packed_size
        self.position = 0
        self._file, self._at, self._coders, self._size, self._budget = file, at, coders, size, budget
        self._decoder: Any = None
        self._error = ""
        self._unpacked, self._used, self._returned = b"", 0, 0           # returned: bytes, by the decoder

    def read(self, size: int) -> bytes:
        """At most so many bytes, and at least one.  Raises ValueError at the end, or where they cannot be unpacked."""
        if self._used == len(self._unpacked):
            if self._error:
                raise ValueError(self._error)
            try:
                self._unpacked, self._used = self._decode(), 0
            except ValueError as error:
                self._error = str(error)
                raise
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
            if needs_input := self._decoder.needs_input:
                self._file.seek(min(self._at, 1 << 62))
                packed = self._file.read(min(PIECE, self.end - self._at))
                self._at += len(packed)
            try:
                data = self._decoder.decompress(packed, min(PIECE, self._size - self._returned))
            except Exception:                            # of each library its own, as "Corrupt input data"
                raise ValueError("damaged: a block of it cannot be unpacked") from None
            self._returned += len(data)
            if data:
                return data
            # A decoder that has used up its input as its output was full asks for more only when it is called again.
            if not packed and (needs_input or not self._decoder.needs_input):
                raise ValueError("damaged or truncated: unexpected end of data")


class StreamReader:
    """The bytes of a block from `start` on."""

    def __init__(self, block: Block, start: int, size: int, checksum: int | None):
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
    if any(method == _AES for method, _ in coders):
        raise ValueError("it is encrypted with a password")
    if not coders:
        raise ValueError(UNKNOWN_METHOD)
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
        raise ValueError(UNKNOWN_METHOD)
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)
    except lzma.LZMAError:                               # properties that no encoder writes
        raise ValueError(UNKNOWN_METHOD) from None


def _filter(method: bytes, properties: bytes) -> dict[str, int]:
    """liblzma's filter for a coder that keeps the size."""
    if method == _DELTA and len(properties) == 1:
        return {"id": lzma.FILTER_DELTA, "dist": properties[0] + 1}
    if method not in _BRANCH_FILTERS or properties:
        raise ValueError(UNKNOWN_METHOD)
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
            raise ValueError(UNKNOWN_METHOD)
        self._decoder = pyppmd.Ppmd7Decoder(properties[0], int.from_bytes(properties[1:5], "little"))
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if not data and self.needs_input:
            data = b"\0"                                 # which the encoder leaves out at the end
        unpacked = self._decoder.decode(data, max_length)
        # pyppmd takes some places inside the data for their end.  Without input it has then nothing more.
        self.needs_input = self._decoder.needs_input or len(unpacked) < max_length
        return unpacked
