"""Every SGF in whatever the user has: folders, archives, archives in folders, single files.

What a text means is not asked here (records.py reads it), and nothing is unpacked to disk.

    command line      sources                         texts
    games/            games/old/1.sgf, 2.sgf          Text("games", "old/1.sgf", b"(;GM[1]...")
                      games/kgs.tar.gz                Text("kgs.tar.gz", "2003/1.sgf", ...)
    fox.zip           fox.zip                         Unreadable("fox.zip", "7p/3.sgf", "Bad CRC-32 ...")

One text, or one archive inside an archive, is in memory at a time.  The same folders give the same
sources and texts in the same order, so a run that was broken off can be taken up again.
"""
import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import BinaryIO, NamedTuple

from mugo.files import BadInput, error_line
from mugo.sgf.parser import MAX_BYTES

SGF_SUFFIXES = (".sgf", ".mgt", ".sgf.gz", ".sgf.xz", ".sgf.bz2", ".sgf.zst")
ARCHIVE_SUFFIXES = (".zip", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz", ".tbz2",
                    ".tar.zst", ".tzst")
MAX_NESTED = 256 << 20              # bytes of an archive inside an archive, which must fit into memory
MAX_DEPTH = 3                       # archives in archives: some are made to have no bottom
BATCH = 64 << 20                    # bytes unpacked at once from a .7z, whose files come many at a time


class Text(NamedTuple):
    """What one SGF file holds."""

    source: str                     # label of its source
    name: str                       # path within the source, printable
    data: bytes


class Unreadable(NamedTuple):
    """A file that could not be read, or (name '') an archive from some place on."""

    source: str
    name: str
    why: str                        # one line


@dataclass(frozen=True)
class Source:
    """An archive, or the loose SGF files of a folder."""

    label: str                      # the last part of its path, printable
    path: str                       # of the archive, or of the folder
    size: int                       # bytes, as it lies on the disk
    files: tuple[str, ...] | None   # paths of the loose files within the folder; None for an archive

    def checksum(self) -> str:
        """The SHA-256 of an archive in hexadecimal; '' for loose files.  Raises OSError."""
        if self.files is not None:
            return ""
        with open(self.path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def sources(paths: Iterable[str | os.PathLike]) -> list[Source]:
    """What there is to read in these files and folders, each only once, in a fixed order.

    A folder is searched to the bottom for files that are named like SGF or like an archive; a file
    that is given by itself is always tried.  Raises BadInput if a path does not exist, holds
    nothing, or takes a package that is not installed.
    """
    found: list[Source] = []
    single: dict[str, list[str]] = {}           # files given by themselves, by the folder they lie in
    for path in map(os.fspath, paths):
        if os.path.isdir(path):
            in_folder = _search(path)
            if not in_folder:
                raise BadInput(f"{_printable(path)}: no SGF file and no archive in this folder")
            found += in_folder
        elif not os.path.isfile(path):
            raise BadInput(f"{_printable(path)}: no such file or folder")
        elif _is_archive(path):
            found.append(_source(path))
        else:
            folder, name = os.path.split(path)
            single.setdefault(folder or os.curdir, []).append(name)
    found += [_source(folder, dict.fromkeys(names)) for folder, names in single.items()]
    for source in found:
        _need_packages(source)
    return list({(os.path.realpath(source.path), source.files): source for source in found}.values())


def texts(source: Source) -> Iterator[Text | Unreadable]:
    """All SGF texts of a source; whatever cannot be read is an Unreadable in its place."""
    for name in [""] if source.files is None else source.files:
        try:
            with open(os.path.join(source.path, name) if name else source.path, "rb") as file:
                yield from _unpack(source.label, _printable(name), file)
        except OSError as error:
            yield Unreadable(source.label, _printable(name), error_line(error))


# ---- files and folders -------------------------------------------------------------------------

def _search(folder: str) -> list[Source]:
    """The archives below a folder, then its loose files as one source."""
    archives, loose = [], []

    def closed_folder(error: OSError) -> None:
        loose.append(os.path.relpath(error.filename, folder))       # reading it will say why

    for parent, folders, names in os.walk(folder, onerror=closed_folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name.lower().endswith(ARCHIVE_SUFFIXES) and os.path.isfile(path):
                archives.append(_source(path))
            elif _is_sgf(name) and os.path.isfile(path):
                loose.append(os.path.relpath(path, folder))
    return archives + ([_source(folder, loose)] if loose else [])


def _source(path: str, files: Iterable[str] | None = None) -> Source:
    label = _printable(os.path.basename(os.path.abspath(path)))
    if files is None:
        return Source(label, path, os.path.getsize(path), None)
    files = tuple(files)
    size = sum(os.path.getsize(whole) for name in files
               if os.path.isfile(whole := os.path.join(path, name)))
    return Source(label, path, size, files)


def _is_sgf(name: str) -> bool:
    base = os.path.basename(name)
    return base.lower().endswith(SGF_SUFFIXES) and not base.startswith("._")     # macOS's notes on a file


def _is_archive(path: str) -> bool:
    """Whether a file is one by its first bytes, for names may lie; a compressed game is none."""
    try:
        with open(path, "rb") as file:
            kind = _kind(file.read(512), path)
    except OSError:
        return False
    return kind != "" and not (kind in _COMPRESSED and _is_sgf(path))


def _printable(name: str) -> str:
    """A file name as text: its bytes as UTF-8, or else as GBK, or else with escapes."""
    if not name.isprintable():
        try:
            raw = name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:              # half a character, as a name in UTF-16 may hold
            raw = name.encode("utf-8", "backslashreplace")
        for encoding, errors in (("utf-8", "strict"), ("gb18030", "strict"), ("utf-8", "backslashreplace")):
            try:
                name = raw.decode(encoding, errors)
                break
            except UnicodeDecodeError:
                pass
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in name)


# ---- archives ----------------------------------------------------------------------------------

_MAGIC = {
    b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar",
    b"\x1f\x8b": "gz", b"\xfd7zXZ\0": "xz", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zst",
}
_COMPRESSED = ("gz", "xz", "bz2", "zst")
_TAR_NAME = re.compile(r"\.(tar(\.\w+)?|t[gx]z|tbz2?|tzst)$", re.IGNORECASE)


def _kind(head: bytes, name: str) -> str:
    """What the first 512 bytes of a file say that it is; '' for a text."""
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    # (The oldest tar archives have no mark, only a name.)
    return "tar" if head[257:262] == b"ustar" or _TAR_NAME.search(name) else ""


def _py7zr():
    try:
        import py7zr
    except ImportError:
        raise BadInput("reading .7z takes one more package: pip install py7zr") from None
    return py7zr


def _zstd():
    try:
        from compression import zstd  # in the standard library from Python 3.14 on
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise BadInput("reading .zst takes one more package: pip install backports.zstd") from None
    return zstd


def _need_packages(source: Source) -> None:
    """Say what is missing now rather than after an hour."""
    if source.files is not None:
        return
    try:
        with open(source.path, "rb") as file:
            kind = _kind(file.read(512), source.path)
        if kind == "7z":
            _py7zr()
        elif kind == "zst":
            _zstd()
    except OSError:
        pass                        # texts() says it of this source, and the others can be read
    except BadInput as missing:
        raise BadInput(f"{_printable(source.path)}: {missing}") from None


def _unpack(label: str, name: str, file: BinaryIO, depth: int = 0) -> Iterator[Text | Unreadable]:
    """The texts in an open file that can seek: an archive of any kind, or one text."""
    inside = f"{name}/" if name else ""
    try:
        kind = _kind(file.read(512), name or label)
        file.seek(0)
        if kind == "zip":
            yield from _unzip(label, inside, file, depth)
        elif kind == "7z":
            yield from _un7z(label, inside, file, depth)
        elif kind == "rar":
            yield Unreadable(label, name, "RAR archives cannot be read; repack it as .zip or .7z")
        elif kind == "tar":
            yield from _untar(label, inside, file, depth)
        elif kind in _COMPRESSED:
            stream = _decompressed(kind, file)
            if _kind(stream.peek(512), name or label) == "tar":
                # read1 hands out what there is; read would lose the last bytes before a damage.
                yield from _untar(label, inside, SimpleNamespace(read=stream.read1), depth)
            else:
                yield from _one_text(label, re.sub(r"\.(gz|xz|bz2|zst)$", "", name or label), stream)
        else:
            yield from _one_text(label, name or label, file)
    except Exception as error:      # a damaged archive may make the unpackers raise anything at all
        yield Unreadable(label, name, error_line(error))


def _decompressed(kind: str, file: BinaryIO) -> BinaryIO:
    if kind == "gz":
        return gzip.GzipFile(fileobj=file)
    if kind == "zst":
        return _zstd().ZstdFile(file)
    return lzma.LZMAFile(file) if kind == "xz" else bz2.BZ2File(file)


def _one_text(label: str, name: str, stream: BinaryIO) -> Iterator[Text | Unreadable]:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        yield Unreadable(label, name, f"larger than {MAX_BYTES >> 20} MB")
    else:
        yield Text(label, name, data)


def _member(label: str, name: str, size: int, read: Callable[[], bytes],
            depth: int) -> Iterator[Text | Unreadable]:
    """What a file inside an archive gives: a text, those of an archive, or nothing."""
    archive = name.lower().endswith(ARCHIVE_SUFFIXES)
    if not archive and not _is_sgf(name):
        return
    limit = MAX_NESTED if archive else MAX_BYTES
    if size > limit:
        yield Unreadable(label, name, f"larger than {limit >> 20} MB")
    elif archive and depth == MAX_DEPTH:
        yield Unreadable(label, name, f"lies in {MAX_DEPTH + 1} archives; {MAX_DEPTH} are unpacked")
    elif archive or not name.lower().endswith((".sgf", ".mgt")):
        yield from _unpack(label, name, io.BytesIO(read()), depth + 1)
    else:
        yield Text(label, name, read())


class _Member(tarfile.TarInfo):
    """tarfile takes a damaged header, but the first, for the end of the archive; this does not."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:
            raise                               # the true end
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"damaged or cut off: {error}") from None


def _untar(label: str, inside: str, stream: BinaryIO, depth: int) -> Iterator[Text | Unreadable]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
        while (member := archive.next()) is not None:
            archive.members.clear()             # or it would remember them all
            if member.isreg():
                yield from _member(label, inside + _printable(member.name), member.size,
                                   lambda member=member: _tar_member(archive, member), depth)


def _tar_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    data = archive.extractfile(member).read()
    if len(data) < member.size:
        raise tarfile.ReadError("damaged or cut off: unexpected end of data")
    return data


def _unzip(label: str, inside: str, file: BinaryIO, depth: int) -> Iterator[Text | Unreadable]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = inside + _zip_name(member)
            if member.is_dir():
                continue
            try:
                yield from _member(label, name, member.file_size,
                                   lambda member=member: archive.read(member), depth)
            except Exception as error:          # damaged, or with a password; the others may be whole
                yield Unreadable(label, name, error_line(error))


def _zip_name(member: zipfile.ZipInfo) -> str:
    if member.flag_bits & 0x800:                # marked as UTF-8
        return _printable(member.filename)
    try:
        return _printable(member.filename.encode("cp437").decode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:                  # it came from a field that says UTF-8
        return _printable(member.filename)


def _un7z(label: str, inside: str, file: BinaryIO, depth: int) -> Iterator[Text | Unreadable]:
    """py7zr unpacks into memory only file by file or all at once, so this goes batch by batch."""
    py7zr = _py7zr()
    with py7zr.SevenZipFile(file) as archive:
        batches: list[list[str]] = []
        filled = BATCH
        for member in archive.list():
            wanted = member.filename.lower().endswith(ARCHIVE_SUFFIXES) or _is_sgf(member.filename)
            if member.is_directory or not wanted:
                continue
            if member.uncompressed > MAX_BYTES:
                name = inside + _printable(member.filename)
                yield Unreadable(label, name, f"larger than {MAX_BYTES >> 20} MB")
                continue
            if filled + member.uncompressed > BATCH:
                batches.append([])
                filled = 0
            batches[-1].append(member.filename)
            filled += member.uncompressed
        for batch in batches:
            archive.reset()
            unpacked = py7zr.io.BytesIOFactory(MAX_BYTES)
            damage = None
            try:
                archive.extract(targets=batch, factory=unpacked)
            except py7zr.exceptions.PasswordRequired:
                raise ValueError("it has a password") from None
            except Exception as error:          # what came before the damage is whole
                damage = error
                if unpacked.products:
                    unpacked.products.popitem()
            for name in list(unpacked.products):
                product = unpacked.products.pop(name)
                yield from _member(label, inside + _printable(name), product.size(), product.read, depth)
            if damage:
                raise damage
