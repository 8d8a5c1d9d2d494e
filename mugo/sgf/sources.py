"""Find the SGF files and archives below the paths of a command line, and read them.

    paths             find_sources                       read_files
    games/            games/old/1.sgf, games/2.sgf       SgfFile("games", "old/1.sgf", b"(;GM[1]...")
                      games/kgs.tar.gz                   SgfFile("kgs.tar.gz", "2003/1.sgf", ...)
    fox.zip           fox.zip                            UnreadableFile("fox.zip", "7p/3.sgf", "Bad CRC-32 ...")

The same paths give the same sources and files in the same order, so an interrupted run can be resumed.
"""
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mugo.core.files import BadInput, error_line, file_sha256
from mugo.sgf.archives import (
    ARCHIVE_SUFFIXES,
    COMPRESSED,
    SgfFile,
    UnreadableFile,
    check_package,
    file_format,
    is_sgf_name,
    printable_name,
    unpack,
)


@dataclass(frozen=True)
class Source:
    """An archive, or the loose SGF files of a folder."""

    label: str                      # the last part of its path, printable
    path: str                       # of the archive, or of the folder
    size: int                       # bytes on disk
    files: tuple[str, ...] | None   # paths of the loose files within the folder; None for an archive

    def checksum(self) -> str:
        """The SHA-256 of an archive, in hexadecimal; '' for loose files, and for an archive that cannot be read."""
        with contextlib.suppress(OSError):
            return file_sha256(self.path) if self.files is None else ""
        return ""


def find_sources(paths: Iterable[str | os.PathLike]) -> list[Source]:
    """The sources below files and folders, without repetition, in a fixed order.

    In folders, files are chosen by their suffix, recursively; a file that is named itself is always included.  Raises
    BadInput if a path does not exist, a folder has no SGF file and no archive, or a package for an archive is missing.
    """
    found: list[Source] = []
    single: dict[str, list[str]] = {}           # {folder: names} of files that are named themselves
    for path in [os.fspath(path) for path in paths]:
        if os.path.isdir(path):
            in_folder = _search_folder(path)
            if not in_folder:
                raise BadInput(f"{printable_name(path)}: no SGF file and no archive in this folder")
            found += in_folder
        elif not os.path.isfile(path):
            raise BadInput(f"{printable_name(path)}: no such file or folder")
        elif (kind := _format(path)) and not (kind in COMPRESSED and is_sgf_name(path)):
            found.append(_make_source(path))
        else:
            folder, name = os.path.split(path)
            single.setdefault(folder or os.curdir, []).append(name)
    found += [_make_source(folder, dict.fromkeys(names)) for folder, names in single.items()]
    for source in found:
        if source.files is None:         # before the work begins
            check_package(_format(source.path), f"{printable_name(source.path)}: ")
    return list({(os.path.realpath(source.path), source.files): source for source in found}.values())


def read_files(source: Source, on_read: Callable[[int], None] = lambda size: None,
               on_other: Callable[[str], None] = lambda name: None) -> Iterator[SgfFile | UnreadableFile]:
    """All SGF files of a source; an UnreadableFile in the place of one that cannot be read.

    on_read: called before each of them with the bytes of the source read so far, at most source.size.
    on_other: called with the name of each member of an archive that is not a game record.
    """
    done = 0
    for name in [""] if source.files is None else source.files:
        try:
            with open(os.path.join(source.path, name) if name else source.path, "rb") as file:
                for unpacked in unpack(source.label, printable_name(name), file, on_other):
                    on_read(min(done + file.tell(), source.size))
                    yield unpacked
                done += os.fstat(file.fileno()).st_size
        except OSError as error:
            yield UnreadableFile(source.label, printable_name(name), error_line(error))


def _search_folder(folder: str) -> list[Source]:
    """The archives below a folder, then its loose files as one source."""
    archives, loose = [], []

    def unreadable_folder(error: OSError) -> None:
        relative = os.path.relpath(error.filename, folder)
        loose.append("" if relative == os.curdir else relative)      # read_files reports it

    for parent, folders, names in os.walk(folder, onerror=unreadable_folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name.lower().endswith(ARCHIVE_SUFFIXES) and os.path.isfile(path):
                archives.append(_make_source(path))
            elif is_sgf_name(name) and os.path.isfile(path):
                loose.append(os.path.relpath(path, folder))
    return archives + ([_make_source(folder, loose)] if loose else [])


def _make_source(path: str, files: Iterable[str] | None = None) -> Source:
    label = printable_name(os.path.basename(os.path.abspath(path)))
    if files is None:
        return Source(label, path, os.path.getsize(path), None)
    files = tuple(files)
    paths = (os.path.join(path, name) for name in files)
    return Source(label, path, sum(os.path.getsize(file) for file in paths if os.path.isfile(file)), files)


def _format(path: str) -> str:
    """The format of a file by its first bytes; '' for one that cannot be read, which read_files reports."""
    try:
        with open(path, "rb") as file:
            return file_format(file.read(512), path)
    except OSError:
        return ""
