"""The members of a .zip, some at a time, so that memory does not grow with their number.

    directory of 10,000,000 members  ->  ZipFile of the first 256 kB of it  ->  ZipFile of the next  ->  ...

zipfile makes an object for each member of a directory before it opens the first one: 10 GB for so many.  So it is given
the archive with a part of its directory, as often as there are parts.
"""
import io
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, BinaryIO

DIRECTORY_PIECE = 1 << 18           # bytes; a member's entry has 46 and at most 3 * 65,535
_END, _END_64, _LOCATOR_64, _ENTRY = b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\1\2"


def read_members(file: BinaryIO) -> Iterator[tuple[zipfile.ZipFile, zipfile.ZipInfo]]:
    """The members of an open .zip in the order of its directory, each with an archive to open it from.

    Raises ValueError, one line, or what zipfile raises, for a damaged directory.
    """
    at, end, prefix = _directory(file)
    while at < end:
        file.seek(at)
        piece = file.read(min(DIRECTORY_PIECE, end - at))
        size, count = _whole_entries(piece)
        if not count:
            raise ValueError("damaged or truncated: its directory")
        with zipfile.ZipFile(_Window(file, at, piece[:size] + _end_records(count, size, at - prefix))) as archive:
            for member in archive.infolist():
                yield archive, member
        at += size


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    """A member, opened, of which no more is unpacked than is read.

    Raises what ZipFile.open raises, and ValueError if it is compressed by bzip2, LZMA or Zstandard: of these zipfile
    unpacks a whole block for any read, and a block of 4 kB can hold gigabytes.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"compressed by method {member.compress_type}, expected 8, deflate, or 0, stored")
    return archive.open(member)


def _directory(file: BinaryIO) -> tuple[int, int, int]:
    """(start, end, bytes before the archive itself) of the directory of a .zip; APPNOTE.TXT 4.3.14-16."""
    file_size = file.seek(0, io.SEEK_END)
    tail_start = file.seek(max(file_size - (1 << 17), 0))        # the end records, 98 bytes, and a comment of 65,535
    tail = file.read()
    at = tail.rfind(_END, 0, len(tail) - 18)
    if at < 0:
        raise ValueError("damaged or truncated: its directory is missing")
    size, offset = struct.unpack_from("<II", tail, at + 12)
    if at >= 76 and tail.startswith(_LOCATOR_64, at - 20) and tail.startswith(_END_64, at - 76):
        at -= 76
        size, offset = struct.unpack_from("<QQ", tail, at + 40)
    end = tail_start + at
    if size + offset > end:
        raise ValueError("damaged or truncated: its directory")
    return end - size, end, end - size - offset


def _whole_entries(piece: bytes) -> tuple[int, int]:
    """(bytes, number) of the entries that are whole."""
    size = count = 0
    while size + 46 <= len(piece) and piece.startswith(_ENTRY, size):
        following = size + 46 + sum(struct.unpack_from("<HHH", piece, size + 28))
        if following > len(piece):
            break
        size, count = following, count + 1
    return size, count


def _end_records(count: int, size: int, offset: int) -> bytes:
    """What follows a directory of `size` bytes that begins at an offset; with ZIP64's records, for any offset."""
    return (struct.pack("<4sQHHIIQQQQ", _END_64, 44, 45, 45, 0, 0, count, count, size, offset)
            + struct.pack("<4sIQI", _LOCATOR_64, 0, offset + size, 1)
            + struct.pack("<4sHHHHIIH", _END, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


class _Window(io.RawIOBase):
    """A file up to `end`, and other bytes behind it."""

    def __init__(self, file: BinaryIO, end: int, tail: bytes):
        super().__init__()
        self._file, self._end, self._tail, self._at = file, end, tail, 0

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._at = offset + (0, self._at, self._end + len(self._tail))[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        size = self._end + len(self._tail) - self._at if size < 0 else size
        data = b""
        if self._at < self._end:
            self._file.seek(self._at)
            data = self._file.read(min(size, self._end - self._at))
        if self._at + len(data) >= self._end:
            start = self._at + len(data) - self._end
            data += self._tail[start:start + size - len(data)]
        self._at += len(data)
        return data
