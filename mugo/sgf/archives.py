"""Unpack archives (.zip, .tar.*, .7z) and compressed files in memory: an open file -> the SGF files in it.

    unpack("kgs.tar.gz", "", file)  ->  SgfFile("kgs.tar.gz", "2003/1.sgf", b"(;GM[1]...")
                                        UnreadableFile("kgs.tar.gz", "2003/2.zip/3.sgf", "Bad CRC-32 ...")

The format is recognized by the first bytes of a file, not by its name.  Archives in archives are unpacked to a
depth of MAX_DEPTH.  One SGF file, or one archive inside an archive, is in memory at a time, of a large collection a
part; nothing is written to disk.  Sizes that an archive states are not relied on: what is read is counted, and a file
has a Budget.
What an SGF file means is not known here.
"""
import bz2
import functools
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from mugo.core.files import BadInput, error_line, is_temporary, printable
from mugo.sgf import sevenzip, zip_members
from mugo.sgf.budget import (
    GAME_COST,
    MEMBER_BYTES,
    UNCOUNTED_BYTES,
    Budget,
    BudgetSpentError,
    MeteredStream,
    read_up_to,
)
from mugo.sgf.collection import last_game_start
from mugo.sgf.parser import MAX_BYTES, count_games
from mugo.sgf.record_formats import SUFFIXES

_COMPRESSED_SUFFIXES = (".gz", ".xz", ".bz2", ".zst")
# .sgfs: KataGo's collections, a game in each line.
SGF_SUFFIXES = tuple(suffix + packed for suffix in (".sgf", ".sgfs", ".mgt", *SUFFIXES)
                     for packed in ("", *_COMPRESSED_SUFFIXES))
ARCHIVE_SUFFIXES = (".zip", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2",
                    ".tar.zst", ".tzst")
MAX_NESTED_BYTES = 256 << 20        # of an archive or a compressed file inside an archive, which is held in memory
MAX_DEPTH = 3                       # of nested archives; some are built to be infinitely deep
MAX_HEADER_BYTES = 1 << 20          # of a .tar, before each member: tarfile reads long names and PAX records whole


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


class _Unpacking(NamedTuple):
    """What all functions below need of the file that `unpack` was called with."""

    label: str                      # of its Source
    budget: Budget
    on_other: Callable[[str], None]


def is_sgf_name(name: str) -> bool:
    """Whether a file name ends like SGF or a format that is read as SGF (record_formats.py); false for macOS's "._"
    companion files and for unfinished files."""
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


def zstd_module(place: str = "") -> Any:
    """What unpacks Zstandard.  Raises BadInput, which begins with a place and names the package, if it is missing."""
    try:
        from compression import zstd  # in the standard library from Python 3.14 on
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise BadInput(f"{place}reading .zst needs the package backports.zstd: pip install 'mugo[7z]'") from None
    return zstd


def unpack(label: str, name: str, file: BinaryIO, on_other: Callable[[str], None] = lambda name: None
           ) -> Iterator[SgfFile | UnreadableFile]:
    """The SGF files in an open, seekable file: an archive of any format, or one SGF file.  Never raises.

    label: of the Source.  name: path of the file within the source; '' for the source itself.
    on_other: called with the name of each member of an archive that is left out: neither SGF nor an archive.
    """
    try:
        unpacking = _Unpacking(label, Budget(file.seek(0, io.SEEK_END)), on_other)
        for unpacked in _unpack(unpacking, name, file, 0):
            unpacking.budget.pause()
            yield unpacked
            unpacking.budget.go_on()
    except BudgetSpentError as error:
        yield UnreadableFile(label, name, str(error))


def _unpack(of: _Unpacking, name: str, file: BinaryIO, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    """`unpack` inside `depth` archives.  Raises BudgetSpentError only."""
    prefix, own_name = f"{name}/" if name else "", name or of.label
    try:
        file.seek(0)
        kind = file_format(file.read(512), own_name)
        file.seek(0)
        if kind == "zip":
            yield from _unzip(of, prefix, file, depth)
        elif kind == "7z":
            for member in sevenzip.read_members(file, of.budget):
                yield from _member_or_error(of, prefix + printable_name(member.name), member.size, member.open, depth)
        elif kind == "rar":
            yield UnreadableFile(of.label, name, "RAR archives cannot be read; repack it as .zip or .7z")
        elif kind == "tar":
            yield from _untar(of, prefix, MeteredStream(file, of.budget), depth)
        elif kind in COMPRESSED:
            stream = COMPRESSED[kind](file)
            head = stream.peek(512)
            metered = MeteredStream(stream, of.budget)
            if file_format(head, own_name) == "tar":
                yield from _untar(of, prefix, metered, depth)
            else:
                yield from _read_sgf(of, re.sub(r"\.(gz|xz|bz2|zst)$", "", own_name), metered)
        else:
            yield from _read_sgf(of, own_name, MeteredStream(file, of.budget))
    except BudgetSpentError:
        raise
    except Exception as error:      # damaged archives make the unpackers raise exceptions of any type
        yield UnreadableFile(of.label, name, error_line(error))


def _read_sgf(of: _Unpacking, name: str, stream: MeteredStream, size: int | None = None) -> Iterator[SgfFile]:
    """An SGF file; one of more than MAX_BYTES in parts, each of at most so many bytes.

    size: that it must have.  Raises ValueError if it has another one, or games of more than MAX_BYTES.
    """
    rest, games = b"", 0
    while True:
        data = rest + read_up_to(stream, MAX_BYTES + 1 - len(rest))
        end = len(data) if len(data) <= MAX_BYTES else last_game_start(data)
        if not end and data:
            raise ValueError(f"larger than {MAX_BYTES >> 20} MB, and no collection of games")
        if end == len(data) and size not in (None, stream.position):
            raise ValueError("damaged or truncated: unexpected end of data")
        new = count_games(data[:end]) if games or len(data) > UNCOUNTED_BYTES else 0
        of.budget.spend(GAME_COST * new)
        yield SgfFile(of.label, name, data[:end], games)
        if end == len(data):
            return
        games, rest = games + new, data[end:]


def _member(of: _Unpacking, name: str, size: int, open_member: Callable[[], Any], depth: int
            ) -> Iterator[SgfFile | UnreadableFile]:
    """The SGF files that a member of an archive is or contains; nothing for a member of another type.

    size: as the archive states it.  Raises ValueError if the member has more bytes or fewer.
    """
    of.budget.spend(MEMBER_BYTES)
    archive = name.lower().endswith(ARCHIVE_SUFFIXES)
    if not archive and not is_sgf_name(name):
        of.on_other(name)
        return
    if not archive and not name.lower().endswith(_COMPRESSED_SUFFIXES):
        yield from _read_sgf(of, name, MeteredStream(open_member(), of.budget), size)
    elif size > MAX_NESTED_BYTES:
        yield UnreadableFile(of.label, name, f"larger than {MAX_NESTED_BYTES >> 20} MB")
    elif archive and depth == MAX_DEPTH:
        yield UnreadableFile(of.label, name, f"nested in more than {MAX_DEPTH} archives")
    else:
        data = read_up_to(MeteredStream(open_member(), of.budget), size + 1)
        if len(data) != size:
            raise ValueError("damaged or truncated: unexpected end of data")
        yield from _unpack(of, name, io.BytesIO(data), depth + 1)


def _member_or_error(of: _Unpacking, name: str, size: int, open_member: Callable[[], Any], depth: int
                     ) -> Iterator[SgfFile | UnreadableFile]:
    """As `_member`; an error in the place of one that cannot be read.  Raises BudgetSpentError only."""
    try:
        yield from _member(of, name, size, open_member, depth)
    except BudgetSpentError:
        raise
    except Exception as error:                  # damaged or encrypted; other members may be readable
        yield UnreadableFile(of.label, name, error_line(error))


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


def _untar(of: _Unpacking, prefix: str, stream: MeteredStream, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    stream.end = MAX_HEADER_BYTES
    # tarfile reads the stream in order, in blocks; `stream.end` bounds what it reads for one header.
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
        while (member := archive.next()) is not None:
            archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]  (the list would grow)
            archive.pax_headers = {}                 # global ones, which would be applied to every member
            if member.issparse():
                raise ValueError(f"{printable_name(member.name)} is a sparse file, which cannot be read")
            stream.end = None
            if member.isreg():
                yield from _member(of, prefix + printable_name(member.name), member.size,
                                   lambda member=member: archive.extractfile(member), depth)
            stream.end = member.offset_data + member.size + MAX_HEADER_BYTES
    stream.end = None
    while stream.read():                         # up to the end: there the checksum of compressed data is compared
        pass


def _unzip(of: _Unpacking, prefix: str, file: BinaryIO, depth: int) -> Iterator[SgfFile | UnreadableFile]:
    for archive, member in zip_members.read_members(file):
        name = prefix + _zip_name(member)
        if member.is_dir():
            of.budget.spend(MEMBER_BYTES)
            continue
        open_member = functools.partial(zip_members.open_member, archive, member)
        yield from _member_or_error(of, name, member.file_size, open_member, depth)


def _zip_name(member: zipfile.ZipInfo) -> str:
    if member.flag_bits & 0x800:                # flag: the name is UTF-8
        return printable_name(member.filename)
    try:
        return printable_name(member.filename.encode("cp437").decode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:                  # from the extra field for Unicode names
        return printable_name(member.filename)
