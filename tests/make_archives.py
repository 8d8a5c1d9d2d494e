"""Archives of every format, made of the same three games, for the tests of sgf/archives and sgf/sources."""
import importlib.util
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from mugo.sgf.archives import SgfFile, UnreadableFile, unpack
from mugo.sgf.sources import find_sources, read_files

GAMES = {"one.sgf": b"(;B[aa])", "deep/er/two.SGF": b"(;B[bb])", "three.mgt": b"(;B[cc])"}
OTHERS = {"read me.txt": b"no game", "deep/picture.png": b"\x89PNG", "._one.sgf": b"macOS",
          "four.sgf.bak": b"x"}
needs_py7zr = pytest.mark.skipif(not importlib.util.find_spec("py7zr"), reason="py7zr is not installed")


def tarred(files: dict[str, bytes], mode: str = "w") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def sevenzipped(files: dict[str, bytes], **options) -> bytes:
    py7zr = pytest.importorskip("py7zr")
    packed = io.BytesIO()
    with py7zr.SevenZipFile(packed, "w", **options) as archive:
        for name, data in files.items():
            archive.writestr(data, name)
    return packed.getvalue()


def lay_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def read(*paths) -> list[SgfFile | UnreadableFile]:
    """All files of all sources below some paths."""
    return [file for source in find_sources(paths) for file in read_files(source)]


def unpacked(name: str, archive: bytes) -> list[SgfFile | UnreadableFile]:
    """The files of an archive."""
    return list(unpack(name, "", io.BytesIO(archive)))


ARCHIVES = {
    "games.zip": zipped, "games.tar": tarred, "games.tar.gz": lambda files: tarred(files, "w:gz"),
    "games.tgz": lambda files: tarred(files, "w:gz"), "games.tar.xz": lambda files: tarred(files, "w:xz"),
    "games.tar.bz2": lambda files: tarred(files, "w:bz2"), "games.7z": sevenzipped,
}
