"""Archives of every format, made of the same three games, for the tests of sgf/archives and sgf/sources."""
import importlib.util
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
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


def sevenzip_number(value: int) -> bytes:
    """NUMBER of 7zFormat.txt, in its longest form."""
    return b"\xff" + struct.pack("<Q", value)


def sevenzip_of(header: bytes, before: bytes = b"") -> bytes:
    """A .7z with this header, behind other bytes."""
    start = struct.pack("<QQI", len(before), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + before + header


def with_packed_header(header: bytes, stated: int | None = None) -> bytes:
    """A .7z whose header is packed by LZMA, with the unpacked size that it shall state."""
    packed = lzma.compress(header, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 20,
                                                              "preset": 0}])
    coder = b"\x01\x23\3\1\1\5\x5d" + struct.pack("<I", 1 << 20)
    streams = b"\6" + sevenzip_number(0) + b"\1\x09" + sevenzip_number(len(packed)) + b"\0"
    blocks = b"\7\x0b\1\0" + coder + b"\x0c" + sevenzip_number(len(header) if stated is None else stated) + b"\0"
    return sevenzip_of(b"\x17" + streams + blocks + b"\0", packed)


def empty_files_header(count: int, names: bytes) -> bytes:
    """The header of a .7z of empty files.  names: of all, in UTF-16, each with a zero."""
    bits = b"\xff" * -(-count // 8)
    fields = (b"\x0e", bits), (b"\x0f", bits), (b"\x11", b"\0" + names)
    return (b"\1\5" + sevenzip_number(count)
            + b"".join(kind + sevenzip_number(len(data)) + data for kind, data in fields) + b"\0\0")
