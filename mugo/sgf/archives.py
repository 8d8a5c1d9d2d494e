"""Unpack archives (.zip, .tar.*, .7z) and compressed files: an open file -> the SGF files in it.

    unpack("kgs.tar.gz", "", file)  ->  SgfFile("kgs.tar.gz", "2003/1.sgf", b"(;GM[1]...")
                                        UnreadableFile("kgs.tar.gz", "2003/2.zip/3.sgf", "Bad CRC-32 ...")

The format is recognized by the first bytes of a file, not by its name.  Archives in archives are unpacked to a depth
of MAX_DEPTH.  One SGF file, or one archive inside an archive, is in memory at a time, of a large collection a part, and
1 kB for each member of a .zip or .7z.  The bytes that a file unpacks to are counted and limited.
"""
import bz2
import gzip
import io
import lzma
import os
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, BinaryIO, NamedTuple

from mugo.core.files import BadInput, error_line, is_temporary, printable
from mugo.core.version import pip_install
from mugo.sgf.collection import last_game_start
from mugo.sgf.parser import MAX_BYTES, SUFFIXES, count_games

_COMPRESSED_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
# .sgfs: KataGo's collections, a game in each line.
SGF_SUFFIXES = tuple(suffix + packed for suffix in (".sgf", ".sgfs", ".mgt", *SUFFIXES)
                     for packed in ("", *_COMPRESSED_SUFFIXES))
ARCHIVE_SUFFIXES = (".zip", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2",
                    ".tar.zst", ".tzst")
MAX_NESTED_BYTES = 256 << 20        # of an archive or a compressed file inside an archive, which is held in memory
MAX_DEPTH = 3                       # of nested archives; some are built to be infinitely deep
LEAST_BYTES, BYTES_PER_BYTE = 256 << 20, 100     # what a file may unpack to: the sum of LEAST and its size times this
PIECE = 1 << 18                     # bytes read at once


class SgfFile(NamedTuple):
    """The content of one SGF file, or a part of a large collection, between two of its games."""

    source: str                     # label of its Source
    name: str                       # path within the source, printable
    data: bytes
    games_before: int = 0           # in the parts of the collection before this one


class UnreadableFile(NamedTuple):
    """A file that could not be read; name '' stands for the rest of the archive."""

    source: str
    name: str
    error: str                      # one line


class _TooLargeError(Exception):
    """A file unpacks to too much."""


@dataclass
class _Unpacking:
    """The file that `unpack` was called with, and what was unpacked of it."""

    label: str                      # of its Source
    on_other: Callable[[str], None]
    size: int
    unpacked: int = 0               # bytes, until now

    @property
    def limit(self) -> int:
        return LEAST_BYTES + BYTES_PER_BYTE * self.size

    def count(self, n_bytes: int) -> None:
        """Raises _TooLargeError above the limit."""
        self.unpacked += n_bytes
        if self.unpacked > self.limit:
            raise _TooLargeError(f"it unpacks to more than {self.limit >> 20} MB, the limit for a file of this size; "
                                 "what follows was not read")


class _CountedStream(io.RawIOBase):
    """A stream whose bytes are counted.  A read may return fewer than asked for."""

    def __init__(self, stream: Any, of: _Unpacking):
        super().__init__()
        self._stream, self._of = stream, of

    def read(self, size: int = -1, /) -> bytes:
        data = getattr(self._stream, "read1", self._stream.read)(PIECE if size < 0 else min(size, PIECE))
        self._of.count(len(data))
        return data


def _read_up_to(stream: Any, limit: int) -> bytes:
    """All that is left of a stream, or the next `limit` bytes."""
    pieces, left = [], limit
    while left > 0 and (data := stream.read(min(left, PIECE))):
        pieces.append(data)
        left -= len(data)
    return b"".join(pieces)


def is_sgf_name(name: str) -> bool:
    """Whether a file name ends like SGF or parser.SUFFIXES; false for macOS's "._" companion files and for unfinished
    files."""
    base = os.path.basename(name)
    return base.lower().endswith(SGF_SUFFIXES) and not base.startswith("._") and not is_temporary(base)


def printable_name(name: str) -> str:
    """A file name that can be printed: its bytes decoded as UTF-8, else as GB18030, else with backslash escapes."""
    if not name.isprintable():
        try:
            raw = name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:              # a lone surrogate, from a name in UTF-16
            raw = name.encode("utf-8", "backslashreplace")
        for encoding, errors in (("utf-8", "strict"), ("gb18030", "strict"), ("utf-8", "backslashreplace")):
            try:
                name = raw.decode(encoding, errors)
                break
            except UnicodeDecodeError:
                pass
    return printable(name)


_MAGIC = {
    b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar",
    b"\x1f\x8b": "gz", b"\xfd7zXZ\0": "xz", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zst",
}
COMPRESSED: dict[str, Callable[[BinaryIO], Any]] = {
    "gz": lambda file: gzip.GzipFile(fileobj=file), "xz": lzma.LZMAFile, "bz2": bz2.BZ2File,
    "zst": lambda file: zstd_module().ZstdFile(file)}
_TAR_NAME = re.compile(r"\.(tar(\.\w+)?|t[gx]z|tbz2?|tzst)$", re.IGNORECASE)


def file_format(head: bytes, name: str) -> str:
    """The format of a file by its first 512 bytes: a value of _MAGIC, "tar", or "" for any other file."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    # The oldest tar archives have no magic bytes, only a name.
    return "tar" if head[257:262] == b"ustar" or _TAR_NAME.search(name) else ""


def zstd_module() -> Any:
    """What unpacks Zstandard.  Raises ImportError."""
    try:
        from compression import zstd  # in the standard library from Python 3.14 on
    except ImportError:
        from backports import zstd
    return zstd


def check_package(kind: str, place: str = "") -> None:
    """Raise BadInput, which begins with a place, if the package that reads a format of archives is not installed."""
    try:
        if kind == "zst":
            zstd_module()
        elif kind == "7z":
            import py7zr  # noqa: F401  (whether it is there)
    except ImportError:
        package = "backports.zstd" if kind == "zst" else "py7zr"
        raise BadInput(f"{place}reading .{kind} needs the package {package}: {pip_install('7z')}") from None


def unpack(label: str, name: str, file: BinaryIO, on_other: Callable[[str], None] = lambda name: None
           ) -> Iterator[SgfFile | UnreadableFile]:
    """The SGF files in an open, seekable file: an archive of any format, or one SGF file.  Never raises.

    label: the Source's.  name: path of the file within the source; '' for the source itself.
    on_other: called with the name of each member of an archive that is left out: neither SGF nor an archive.
    """
    try:
        yield from _unpack(_Unpacking(label, on_other, file.seek(0, io.SEEK_END)), name, file, 0)
    except _TooLargeError as error:
        yield UnreadableFile(label, name, str(error))


def _unpack(of: _Unpacking, name: str, file: BinaryIO, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    """`unpack` inside `depth` archives.  Raises _TooLargeError only."""
    prefix, own_name = f"{name}/" if name else "", name or of.label
    try:
        file.seek(0)
        kind = file_format(file.read(512), own_name)
        file.seek(0)
        check_package(kind)
        if kind == "zip":
            yield from _unzip(of, prefix, file, depth)
        elif kind == "7z":
            yield from _un7z(of, prefix, file, depth)
        elif kind == "rar":
            yield UnreadableFile(of.label, name, "RAR archives cannot be read; repack it as .zip or .7z")
        elif kind == "tar":
            yield from _untar(of, prefix, _CountedStream(file, of), depth)
        elif kind in COMPRESSED:
            stream = COMPRESSED[kind](file)
            head = stream.peek(512)
            counted = _CountedStream(stream, of)
            if file_format(head, own_name) == "tar":
                yield from _untar(of, prefix, counted, depth)
            else:
                yield from _read_sgf(of, re.sub(r"\.(gz|xz|bz2|zst)$", "", own_name), counted)
        else:
            yield from _read_sgf(of, own_name, _CountedStream(file, of))
    except _TooLargeError:
        raise
    except Exception as error:      # damaged archives make the unpackers raise exceptions of any type
        yield UnreadableFile(of.label, name, error_line(error))


def _read_sgf(of: _Unpacking, name: str, stream: Any) -> Iterator[SgfFile]:
    """An SGF file; one of more than MAX_BYTES in parts, each of at most MAX_BYTES.

    Raises ValueError if it has games of more than MAX_BYTES.
    """
    rest, games = b"", 0
    while True:
        data = rest + _read_up_to(stream, MAX_BYTES + 1 - len(rest))
        end = len(data) if len(data) <= MAX_BYTES else last_game_start(data)
        if not end and data:
            raise ValueError(f"larger than {MAX_BYTES >> 20} MB, and no collection of games")
        yield SgfFile(of.label, name, data[:end], games)
        if end == len(data):
            return
        games, rest = games + count_games(data[:end]), data[end:]


def _member(of: _Unpacking, name: str, size: int, open_member: Callable[[], Any], depth: int
            ) -> Iterator[SgfFile | UnreadableFile]:
    """The SGF files that a member of an archive is or contains; nothing for a member of another type.

    size: bytes, as the archive says.  open_member: a stream.
    """
    archive = name.lower().endswith(ARCHIVE_SUFFIXES)
    if not _is_read(name):
        of.on_other(name)
    elif not archive and not name.lower().endswith(_COMPRESSED_SUFFIXES):
        yield from _read_sgf(of, name, open_member())
    elif size > MAX_NESTED_BYTES:
        yield UnreadableFile(of.label, name, f"larger than {MAX_NESTED_BYTES >> 20} MB")
    elif archive and depth == MAX_DEPTH:
        yield UnreadableFile(of.label, name, f"nested in more than {MAX_DEPTH} archives")
    else:
        yield from _unpack(of, name, io.BytesIO(_read_up_to(open_member(), MAX_NESTED_BYTES)), depth + 1)


def _member_or_error(of: _Unpacking, name: str, size: int, open_member: Callable[[], Any], depth: int
                     ) -> Iterator[SgfFile | UnreadableFile]:
    """As `_member`, counted; an error in the place of one that cannot be read.  Raises _TooLargeError only."""
    try:
        yield from _member(of, name, size, lambda: _CountedStream(open_member(), of), depth)
    except _TooLargeError:
        raise
    except Exception as error:                  # damaged or encrypted; other members may be readable
        yield UnreadableFile(of.label, name, error_line(error))


def _is_read(name: str) -> bool:
    return name.lower().endswith(ARCHIVE_SUFFIXES) or is_sgf_name(name)


class _Member(tarfile.TarInfo):
    """A header that raises ReadError if it is damaged; tarfile itself takes it for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile):  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # pyright: ignore[reportAttributeAccessIssue]  (undocumented)
            raise                               # the real end of the archive
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"damaged or truncated: {error}") from None


def _untar(of: _Unpacking, prefix: str, stream: _CountedStream, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
        for member in archive:
            archive.members.clear()              # pyright: ignore[reportAttributeAccessIssue]  (tarfile keeps every header)
            if member.isreg():
                yield from _member(of, prefix + printable_name(member.name), member.size,
                                   lambda member=member: archive.extractfile(member), depth)
    while stream.read():                         # up to the end: there the checksum of compressed data is compared
        pass


def _unzip(of: _Unpacking, prefix: str, file: BinaryIO, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                yield from _member_or_error(of, prefix + _zip_name(member), member.file_size,
                                            lambda member=member: archive.open(member), depth)


def _zip_name(member: zipfile.ZipInfo) -> str:
    if member.flag_bits & 0x800:                # flag: the name is UTF-8
        return printable_name(member.filename)
    try:
        return printable_name(member.filename.encode("cp437").decode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:                  # from the extra field for Unicode names
        return printable_name(member.filename)


class _Members:
    """A py7zr.WriterFactory: unpacks the members of a .7z to a file, one behind the other."""

    def __init__(self, file: IO[bytes]):
        self.file = file
        self.made: list[tuple[str, _Writer]] = []        # the second member of a name is NAME_0 here

    def create(self, filename: str) -> "_Writer":
        self.made.append((filename, _Writer(self.file)))
        return self.made[-1][1]


class _Writer:
    """A py7zr.Py7zIO.  end: where the member ends in the file, once it is whole."""

    def __init__(self, file: IO[bytes]):
        self.file, self.start, self.end = file, file.tell(), -1
        self.write, self.flush = file.write, file.flush

    def size(self) -> int:
        return self.file.tell() - self.start

    def seek(self, offset: int, whence: int = 0) -> int:
        return 0

    def close(self) -> None:
        self.end = self.file.tell()


def _un7z(of: _Unpacking, prefix: str, file: BinaryIO, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    """py7zr unpacks an archive in one go, so its members go to a temporary file first.  A damaged member ends it."""
    import py7zr                                # optional

    try:
        with (tempfile.TemporaryFile() as unpacked,
              py7zr.SevenZipFile(file, max_extract_size=of.limit - of.unpacked) as archive):
            sizes = {member.filename: member.uncompressed for member in archive.list() if not member.is_directory}
            for name in sizes:
                if not _is_read(name):
                    of.on_other(prefix + printable_name(name))
            members: Any = _Members(unpacked)
            error = None
            try:
                archive.extract(targets=[name for name in sizes if _is_read(name)], factory=members)
            except Exception as raised:
                error = raised
            for name, member in members.made:
                if member.end >= 0:
                    unpacked.seek(member.start)
                    data = unpacked.read(member.end - member.start)
                    name = name if name in sizes else name.rpartition("_")[0]
                    yield from _member_or_error(of, prefix + printable_name(name), len(data),
                                                lambda data=data: io.BytesIO(data), depth)
            if error is not None:
                raise error
    except py7zr.PasswordRequired:
        raise ValueError("it is encrypted with a password") from None
