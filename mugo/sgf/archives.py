"""Unpack archives (.zip, .tar.*, .7z) and compressed files in memory: an open file -> the SGF files in it.

    unpack("kgs.tar.gz", "", file)  ->  SgfFile("kgs.tar.gz", "2003/1.sgf", b"(;GM[1]...")
                                        UnreadableFile("kgs.tar.gz", "2003/2.zip/3.sgf", "Bad CRC-32 ...")

The format is recognized by the first bytes of a file, not by its name.  Archives in archives are unpacked to a
depth of MAX_DEPTH.  One SGF file, or one archive inside an archive, is in memory at a time; nothing is written
to disk.  Sizes that an archive states are not relied on: what is read is counted, and a file has a Budget.
What an SGF file means is not known here.
"""
import bz2
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from mugo.files import BadInput, error_line, is_temporary, open_zip_member, printable
from mugo.sgf.budget import MEMBER_BYTES, Budget, BudgetSpentError, MeteredStream, read_at_most
from mugo.sgf.parser import MAX_BYTES
from mugo.sgf.record_formats import SUFFIXES
from mugo.sgf.sevenzip_header import check_header

SGF_SUFFIXES = (*SUFFIXES, ".sgf", ".mgt", ".sgf.gz", ".sgf.xz", ".sgf.bz2", ".sgf.zst")
ARCHIVE_SUFFIXES = (".zip", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2",
                    ".tar.zst", ".tzst")
MAX_NESTED_BYTES = 256 << 20        # of an archive inside an archive, which is held in memory
MAX_DEPTH = 3                       # of nested archives; some are built to be infinitely deep
MAX_DIRECTORY_BYTES = 64 << 20      # of the directory of a .zip, half a million files: zipfile reads it whole
MAX_HEADER_BYTES = 1 << 20          # of a .tar, before each member: tarfile reads long names and PAX records whole
BATCH_BYTES = 64 << 20              # unpacked at once from a .7z


class SgfFile(NamedTuple):
    """The content of one SGF file."""

    source: str                     # label of its Source
    name: str                       # path within the source, printable
    data: bytes


class UnreadableFile(NamedTuple):
    """A file that could not be read; name '' stands for the rest of the archive."""

    source: str
    name: str
    error: str                      # one line


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
COMPRESSED = ("gz", "xz", "bz2", "zst")
_TAR_NAME = re.compile(r"\.(tar(\.\w+)?|t[gx]z|tbz2?|tzst)$", re.IGNORECASE)


def file_format(head: bytes, name: str) -> str:
    """The format of a file by its first 512 bytes: a value of _MAGIC, "tar", or "" for any other file."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    # The oldest tar archives have no magic bytes, only a name.
    return "tar" if head[257:262] == b"ustar" or _TAR_NAME.search(name) else ""


def require_package(kind: str) -> None:
    """Raise BadInput, which names the package to install, if files of this format need a missing one."""
    if kind == "7z":
        _py7zr()
    elif kind == "zst":
        _zstd()


def _py7zr():
    try:
        import py7zr
    except ImportError:
        raise BadInput("reading .7z needs the package py7zr: pip install 'mugo[7z]'") from None
    return py7zr


def _zstd():
    try:
        from compression import zstd  # in the standard library from Python 3.14 on
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise BadInput("reading .zst needs the package backports.zstd: pip install 'mugo[7z]'") from None
    return zstd


def unpack(label: str, name: str, file: BinaryIO) -> Iterator[SgfFile | UnreadableFile]:
    """The SGF files in an open, seekable file: an archive of any format, or one SGF file.  Never raises.

    label: of the Source.  name: path of the file within the source; '' for the source itself.
    """
    try:
        budget = Budget(file.seek(0, io.SEEK_END))
        for unpacked in _unpack(label, name, file, 0, budget):
            budget.pause()
            yield unpacked
            budget.go_on()
    except BudgetSpentError as error:
        yield UnreadableFile(label, name, str(error))


def _unpack(label: str, name: str, file: BinaryIO, depth: int, budget: Budget) -> Iterator[SgfFile | UnreadableFile]:
    """`unpack` inside `depth` archives.  Raises BudgetSpentError only."""
    prefix = f"{name}/" if name else ""
    try:
        file.seek(0)
        kind = file_format(file.read(512), name or label)
        file.seek(0)
        if kind == "zip":
            yield from _unzip(label, prefix, file, depth, budget)
        elif kind == "7z":
            yield from _un7z(label, prefix, file, depth, budget)
        elif kind == "rar":
            yield UnreadableFile(label, name, "RAR archives cannot be read; repack it as .zip or .7z")
        elif kind == "tar":
            yield from _untar(label, prefix, MeteredStream(file, budget), depth, budget)
        elif kind in COMPRESSED:
            stream = _decompressed(kind, file)
            head = stream.peek(512)
            metered = MeteredStream(stream, budget)
            if file_format(head, name or label) == "tar":
                yield from _untar(label, prefix, metered, depth, budget)
            else:
                yield SgfFile(label, re.sub(r"\.(gz|xz|bz2|zst)$", "", name or label), read_at_most(metered, MAX_BYTES))
        else:
            yield SgfFile(label, name or label, read_at_most(MeteredStream(file, budget), MAX_BYTES))
    except BudgetSpentError:
        raise
    except Exception as error:      # damaged archives make the unpackers raise exceptions of any type
        yield UnreadableFile(label, name, error_line(error))


def _decompressed(kind: str, file: BinaryIO) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    if kind == "gz":
        return gzip.GzipFile(fileobj=file)
    if kind == "zst":
        return _zstd().ZstdFile(file)  # pyright: ignore[reportReturnType]  (has the same methods)
    return lzma.LZMAFile(file) if kind == "xz" else bz2.BZ2File(file)


def _member(label: str, name: str, size: int, open_member: Callable[[], Any], depth: int,
            budget: Budget) -> Iterator[SgfFile | UnreadableFile]:
    """The SGF files that a member of an archive is or contains; nothing for a member of another type.

    size: as the archive states it.  Raises ValueError if the member has more bytes or fewer.
    """
    budget.spend(MEMBER_BYTES)
    archive = name.lower().endswith(ARCHIVE_SUFFIXES)
    if not archive and not is_sgf_name(name):
        return
    limit = MAX_NESTED_BYTES if archive else MAX_BYTES
    if size > limit:
        yield UnreadableFile(label, name, f"larger than {limit >> 20} MB")
        return
    if archive and depth == MAX_DEPTH:
        yield UnreadableFile(label, name, f"nested in more than {MAX_DEPTH} archives")
        return
    data = read_at_most(MeteredStream(open_member(), budget), limit)
    if len(data) != size:
        raise ValueError("damaged or truncated: unexpected end of data")
    if archive or not name.lower().endswith((".sgf", ".mgt")):
        yield from _unpack(label, name, io.BytesIO(data), depth + 1, budget)
    else:
        yield SgfFile(label, name, data)


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


def _untar(label: str, prefix: str, stream: MeteredStream, depth: int,
           budget: Budget) -> Iterator[SgfFile | UnreadableFile]:
    stream.end = MAX_HEADER_BYTES
    # tarfile reads the stream in order, in blocks; `stream.end` bounds what it reads for one header.
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
        while (member := archive.next()) is not None:
            archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]  (the list would grow)
            archive.pax_headers = {}                 # global ones, which would be applied to every member
            budget.spend(MEMBER_BYTES)
            if member.issparse():
                raise ValueError(f"{printable_name(member.name)} is a sparse file, which cannot be read")
            stream.end = None
            if member.isreg():
                yield from _member(label, prefix + printable_name(member.name), member.size,
                                   lambda member=member: archive.extractfile(member), depth, budget)
            stream.end = member.offset_data + member.size + MAX_HEADER_BYTES
    stream.end = None
    while stream.read():                         # up to the end: there the checksum of compressed data is compared
        pass


def _unzip(label: str, prefix: str, file: BinaryIO, depth: int, budget: Budget) -> Iterator[SgfFile | UnreadableFile]:
    if (directory := _zip_directory_bytes(file)) > MAX_DIRECTORY_BYTES:
        raise ValueError(f"its directory has {directory >> 20} MB; the limit is {MAX_DIRECTORY_BYTES >> 20} MB")
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = prefix + _zip_name(member)
            if member.is_dir():
                continue
            try:
                yield from _member(label, name, member.file_size,
                                   lambda member=member: open_zip_member(archive, member), depth, budget)
            except BudgetSpentError:
                raise
            except Exception as error:          # damaged or encrypted; other members may be readable
                yield UnreadableFile(label, name, error_line(error))


def _zip_directory_bytes(file: BinaryIO) -> int:
    """The size of a zip's central directory, the largest that any of its end records states; APPNOTE.TXT 4.3.14-16."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(size - (1 << 17), 0))         # the end records, 98 bytes, and a comment of up to 65,535
    tail = file.read()
    stated = [0]
    for signature, start, end in (b"PK\5\6", 12, 16), (b"PK\6\6", 40, 48):        # the second is ZIP64's
        stated += [int.from_bytes(tail[match.start() + start:match.start() + end], "little")
                   for match in re.finditer(re.escape(signature), tail)]
    return max(min(n, size) for n in stated if n != 0xFFFFFFFF)


def _zip_name(member: zipfile.ZipInfo) -> str:
    if member.flag_bits & 0x800:                # flag: the name is UTF-8
        return printable_name(member.filename)
    try:
        return printable_name(member.filename.encode("cp437").decode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:                  # from the extra field for Unicode names
        return printable_name(member.filename)


def _un7z(label: str, prefix: str, file: BinaryIO, depth: int, budget: Budget) -> Iterator[SgfFile | UnreadableFile]:
    """py7zr unpacks either one member or all of them at once; batches of BATCH_BYTES bound the memory."""
    py7zr: Any = _py7zr()
    check_header(file)
    file.seek(0)
    with py7zr.SevenZipFile(file) as archive:
        batches: list[list[str]] = []
        sizes: dict[str, Any] = {}
        batch_bytes = BATCH_BYTES
        for member in archive.list():
            is_archive = member.filename.lower().endswith(ARCHIVE_SUFFIXES)
            if member.is_directory or not is_archive and not is_sgf_name(member.filename):
                budget.spend(member.uncompressed)        # unpacked nevertheless, if a game follows it in its block
                continue
            limit = MAX_NESTED_BYTES if is_archive else MAX_BYTES
            if member.uncompressed > limit:
                budget.spend(member.uncompressed)
                name = prefix + printable_name(member.filename)
                yield UnreadableFile(label, name, f"larger than {limit >> 20} MB")
                continue
            if batch_bytes + member.uncompressed > BATCH_BYTES:
                batches.append([])
                batch_bytes = 0
            batches[-1].append(member.filename)
            sizes[member.filename] = member.uncompressed
            batch_bytes += member.uncompressed
        for batch in batches:
            archive.reset()
            unpacked = py7zr.io.BytesIOFactory(MAX_NESTED_BYTES)
            damage = None
            try:
                archive.extract(targets=batch, factory=unpacked)
            except py7zr.exceptions.PasswordRequired:
                raise ValueError("it is encrypted with a password") from None
            except Exception as error:          # the members before the damaged one are complete
                damage = error
                if unpacked.products:
                    unpacked.products.popitem()
            budget.spend(0)
            for name in list(unpacked.products):
                product = unpacked.products.pop(name)
                yield from _member(label, prefix + printable_name(name), sizes[name],
                                   lambda product=product: product, depth, budget)
            if damage:
                raise damage
