"""Archives of every format, whole and damaged."""
import bz2
import contextlib
import gzip
import io
import lzma
import os
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from make_archives import (
    ARCHIVES,
    GAMES,
    OTHERS,
    empty_files_header,
    lay_out,
    needs_py7zr,
    read,
    sevenzip_of,
    sevenzipped,
    tarred,
    unpacked,
    with_packed_header,
    zipped,
)

from mugo.sgf import sevenzip, sevenzip_blocks, sevenzip_header, zip_members
from mugo.sgf.archives import SgfFile, UnreadableFile, unpack
from mugo.sgf.parser import MAX_BYTES, read_records
from mugo.sgf.sources import find_sources, read_files


@pytest.mark.parametrize("name", ARCHIVES)
def test_every_archive_format_gives_the_same_games(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name](GAMES | OTHERS))
    assert {file.name: file.data for file in read(path)} == GAMES
    source, = find_sources([path])
    assert (source.label, source.size, len(source.checksum())) == (name, path.stat().st_size, 64)
    assert all(file.source == name for file in read(path))
    (tmp_path / "download").write_bytes(path.read_bytes())           # the first bytes count, not the name
    assert {file.data for file in read(tmp_path / "download")} == set(GAMES.values())


@pytest.mark.parametrize("suffix, module", [(".gz", gzip), (".xz", lzma), (".bz2", bz2)])
def test_a_compressed_sgf_file(tmp_path, suffix, module):
    path = lay_out(tmp_path, {f"game.sgf{suffix}": module.compress(b"(;B[aa])")}) / f"game.sgf{suffix}"
    assert [(file.name, file.data) for file in read(path)] == [("game.sgf", b"(;B[aa])")]
    assert [(file.name, file.data) for file in read(tmp_path)] == [("game.sgf", b"(;B[aa])")]


def test_zstandard():
    try:
        from compression import zstd
    except ImportError:
        zstd = pytest.importorskip("backports.zstd")
    assert {file.name: file.data for file in unpacked("games.tar.zst", zstd.compress(tarred(GAMES)))} == GAMES


def test_archives_in_archives_are_unpacked_to_a_depth(tmp_path):
    inner = zipped({"g.sgf": b"(;B[aa])"})
    path = tmp_path / "outer.tar.gz"
    members = {"mid.zip": zipped({"inner.zip": inner}), "game.sgf.gz": gzip.compress(b"(;)")}
    path.write_bytes(tarred(members, "w:gz"))
    assert [(file.name, file.data) for file in read(path)] == [
        ("mid.zip/inner.zip/g.sgf", b"(;B[aa])"), ("game.sgf", b"(;)")]
    for _ in range(9):
        inner = zipped({"deeper.zip": inner})
    path.write_bytes(inner)
    deep, = read(path)
    assert isinstance(deep, UnreadableFile) and "archives" in deep.error


@pytest.mark.parametrize("raw, printed", [
    ("古力.sgf".encode(), "古力.sgf"), ("古力.sgf".encode("gb18030"), "古力.sgf"),
    (b"\xff\x80.sgf", r"\xff\x80.sgf"), (b"a\nb\x1b[2J.sgf", r"a\nb\x1b[2J.sgf"), ("é.sgf".encode(), "é.sgf"),
])
def test_file_names_with_any_bytes_become_printable(tmp_path, raw, printed):
    folder = tmp_path / "folder"
    folder.mkdir()
    with contextlib.suppress(OSError):          # some file systems refuse some names
        Path(os.fsdecode(bytes(folder) + b"/" + raw)).write_bytes(b"(;)")
        assert [file.name for file in read(folder)] == [printed]
    (tmp_path / "x.tar").write_bytes(tarred({os.fsdecode(raw): b"(;)"}))
    assert [file.name for file in read(tmp_path / "x.tar")] == [printed]
    archive = zipped({"PLACEHOLDER"[:len(raw)].ljust(len(raw), "_"): b"(;)"})
    (tmp_path / "x.zip").write_bytes(archive.replace(b"PLACEHOLDER"[:len(raw)].ljust(len(raw), b"_"), raw))
    assert [file.name for file in read(tmp_path / "x.zip")] == [printed]


# ---- large archives and collections ------------------------------------------------------------


@pytest.mark.parametrize("count", [20_000, pytest.param(600_000, marks=pytest.mark.slow)])
def test_a_7z_of_many_members_is_read_in_the_memory_of_its_header(tmp_path, count):
    header = empty_files_header(count, "".join(f"{number}.sgf\0" for number in range(count)).encode("utf-16-le"))
    (tmp_path / "games.7z").write_bytes(with_packed_header(header))
    source, = find_sources([tmp_path / "games.7z"])
    if count <= 20_000:                                              # tracing is slow
        tracemalloc.start()
    try:
        assert all(file.name == f"{number}.sgf" for number, file in enumerate(read_files(source)))
        assert tracemalloc.get_traced_memory()[1] < 2 * len(header) + 1_000_000
    finally:
        tracemalloc.stop()
    assert count <= 20_000 or file_count(source) == count


def file_count(source) -> int:
    return sum(isinstance(file, SgfFile) for file in read_files(source))


@pytest.mark.slow
def test_a_zip_of_70_000_members_is_read_without_its_whole_directory(tmp_path):
    """More than 65,535 need ZIP64.  zipfile takes 1 kB for each."""
    for count in 30_000, 70_000:
        with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
            for number in range(count):
                archive.writestr(f"{number}.sgf", b"(;)")
        source, = find_sources([tmp_path / "games.zip"])
        if count == 30_000:                                          # tracing is slow
            tracemalloc.start()
        try:
            assert file_count(source) == count
            assert tracemalloc.get_traced_memory()[1] < 8_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("before, after", [(b"", b""), (b"#!/bin/sh", b""), (b"", b"comment"), (b"\0" * 99, b"PK\5\6")])
def test_the_parts_of_a_directory_have_all_members(monkeypatch, before, after):
    """Also behind a program that unpacks itself, and before a comment."""
    packed = bytearray(zipped(MANY))
    packed[-2:] = len(after).to_bytes(2, "little")
    for size in 53, 54, 1000, 1 << 18:                               # an entry has 46 + 7 bytes
        monkeypatch.setattr(zip_members, "DIRECTORY_PIECE", size)
        found = zip_members.read_members(io.BytesIO(before + packed + after))
        assert {member.filename: archive.read(member) for archive, member in found} == MANY


def test_katagos_collections_are_read(tmp_path):
    """A game in each line."""
    games = b"(;FF[4]GM[1]SZ[9];B[aa])\n(;FF[4]GM[1]SZ[9];B[bb])\n"
    lay_out(tmp_path, {"x.zip": zipped({"sgfs/0BE1.sgfs": games, "sgfs/0BE2.sgfs.gz": gzip.compress(games)}),
                       "1.SGFS": games, "2.sgfs.bz2": bz2.compress(games), "3.gib.xz": lzma.compress(games)})
    assert [file.name for file in read(tmp_path)] == ["sgfs/0BE1.sgfs", "sgfs/0BE2.sgfs", "1.SGFS", "2.sgfs", "3.gib"]
    assert all(file.data == games for file in read(tmp_path))


@pytest.mark.parametrize("root, between", [(b"GM[1]SZ[9]", b"\n"), (b"SZ[9]GM[1]", b""), (b"PB[x]SZ[9]", b"\n"),
                                           (b"PB[x]SZ[9]", b"")])
@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_a_large_collection_is_read_in_parts_between_its_games(monkeypatch, pack, root, between):
    monkeypatch.setattr("mugo.sgf.archives.MAX_BYTES", 1000)
    monkeypatch.setattr("mugo.sgf.archives.UNCOUNTED_BYTES", 500)
    games = [b"(;%sC[%s];B[%c%c])" % (root, b"x" * (i * 37 % 300), 97 + i % 9, 97 + i // 9) for i in range(81)]
    whole = between.join(games)
    parts = unpacked("games.sgfs", pack(whole))
    assert len(parts) > 10 and all(len(part.data) <= 1000 for part in parts)
    assert b"".join(part.data for part in parts) == whole
    numbers = [number for part in parts for number, _ in enumerate(read_records(part.data), part.games_before)]
    assert numbers == list(range(81))


def test_members_that_are_no_game_records_are_named(tmp_path):
    packed = zipped(OTHERS | GAMES | {"more.tar": tarred(OTHERS)})
    others: list[str] = []
    list(unpack("games.zip", "", io.BytesIO(packed), others.append))
    assert others == [*OTHERS, *(f"more.tar/{name}" for name in OTHERS)]


# ---- damage ------------------------------------------------------------------------------------

MANY = {f"{number:03}.sgf": os.urandom(900) for number in range(200)}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_a_truncated_tar_gives_its_readable_members(mode):
    whole = tarred(MANY, mode)
    *good, last = unpacked("cut.tar", whole[:len(whole) * 3 // 4])
    assert {file.name: file.data for file in good}.items() <= MANY.items()
    assert len(good) > {"w": 149, "w:gz": 140, "w:xz": 100, "w:bz2": -1}[mode]      # bz2 packs 900 kB at once
    assert isinstance(last, UnreadableFile) and last.name == "" and last.error and "\n" not in last.error


def test_a_tar_with_a_damaged_header_gives_what_comes_before():
    packed = bytearray(tarred(MANY))
    packed[packed.index(b"050.sgf")] ^= 255
    *good, last = unpacked("games.tar", packed)
    assert [file.name for file in good] == list(MANY)[:50]
    assert isinstance(last, UnreadableFile) and last.error == "damaged or truncated: bad checksum"


def test_a_damaged_member_of_a_zip_does_not_affect_the_others():
    packed = bytearray(zipped(MANY))
    packed[packed.index(b"050.sgf") + 300] ^= 255
    found = unpacked("games.zip", packed)
    assert len(found) == 200
    assert [file.name for file in found if isinstance(file, UnreadableFile)] == ["050.sgf"]


def test_an_encrypted_member_does_not_affect_the_others():
    packed = bytearray(zipped(MANY))
    for at in packed.index(b"050.sgf") - 24, packed.rindex(b"050.sgf") - 38:       # the flags, before each of its names
        packed[at] |= 1
    found = unpacked("games.zip", packed)
    assert len(found) == 200
    [locked] = [file for file in found if isinstance(file, UnreadableFile)]
    assert locked.name == "050.sgf" and "password" in locked.error


class CountingFile(io.BytesIO):
    """Counts the bytes that are read."""
    count = 0

    def read(self, size=-1):
        data = super().read(size)
        self.count += len(data)
        return data


@needs_py7zr
@pytest.mark.parametrize("filters", [None, [{"id": 0x21, "preset": 0}]], ids=["LZMA2", "LZMA2, preset 0"])
def test_a_solid_7z_is_read_once(filters):
    packed = sevenzipped(MANY, filters=filters)
    file = CountingFile(packed)
    assert {file.name: file.data for file in unpack("games.7z", "", file)} == MANY
    assert len(packed) <= file.count < 1.1 * len(packed)


@needs_py7zr
def test_a_7z_packed_by_ppmd_names_the_package_that_reads_it(monkeypatch):
    import py7zr

    packed = sevenzipped(GAMES, filters=[{"id": py7zr.FILTER_PPMD, "order": 6, "mem": 24}])
    monkeypatch.setitem(sys.modules, "pyppmd", None)
    found = unpacked("games.7z", packed)
    assert [file.name for file in found] == list(GAMES)
    assert {file.error for file in found} == {
        "it is packed by PPMd, which needs the package pyppmd: pip install 'mugo[7z]'"}


@needs_py7zr
def test_two_members_of_one_name_in_a_7z_are_both_read():
    import py7zr

    packed = io.BytesIO()
    with py7zr.SevenZipFile(packed, "w") as archive:
        for data in b"(;B[aa])", b"(;B[bb])":
            archive.writestr(data, "game.sgf")
    assert [file.data for file in unpack("games.7z", "", packed)] == [b"(;B[aa])", b"(;B[bb])"]


@needs_py7zr
def test_a_damaged_member_of_a_7z_does_not_affect_the_others():
    import py7zr

    packed = bytearray(sevenzipped(MANY, filters=[{"id": py7zr.FILTER_COPY}]))
    packed[packed.index(MANY["050.sgf"])] ^= 255
    found = unpacked("games.7z", packed)
    assert [file.name for file in found] == list(MANY)
    assert [file for file in found if isinstance(file, UnreadableFile)] == [
        UnreadableFile("games.7z", "050.sgf", "damaged: the checksum of a file in it is wrong")]


@needs_py7zr
@pytest.mark.parametrize("method", ["LZMA2", "LZMA", "BZIP2", "PPMD", "ZSTD"])
def test_a_block_of_a_7z_that_cannot_be_unpacked_does_not_affect_the_others(tmp_path, method):
    import py7zr

    path = tmp_path / "games.7z"
    method_filter = {"id": getattr(py7zr, f"FILTER_{method}")} | (
        {"order": 6, "mem": 24} if method == "PPMD" else {"level": 1} if method == "ZSTD" else {})
    with py7zr.SevenZipFile(path, "w", filters=[method_filter]) as archive:
        for name, data in MANY.items():
            archive.writestr(data, name)
    size = path.stat().st_size
    with py7zr.SevenZipFile(path, "a", filters=[{"id": py7zr.FILTER_LZMA2, "preset": 1}]) as archive:
        archive.writestr(b"(;B[aa])", "whole.sgf")
    packed = bytearray(path.read_bytes())
    if method != "ZSTD":
        packed[size // 2:size // 2 + 99] = bytes(99)
    path.write_bytes(packed)
    *found, last = read(path)
    assert [file.name for file in found] == list(MANY) and last == SgfFile("games.7z", "whole.sgf", b"(;B[aa])")
    errors = {file.error for file in found if isinstance(file, UnreadableFile)}
    assert errors and all(error.startswith(("damaged", "it is packed by")) for error in errors)
    assert all(file.data == MANY[file.name] for file in found if isinstance(file, SgfFile))


def test_a_block_of_a_7z_whose_coders_are_no_chain_does_not_affect_the_others(tmp_path):
    """BCJ2, which 7-Zip uses for programs, has four inputs."""
    game = b"(;B[aa])"
    bcj2 = b"\4\x14\3\3\1\x1b\4\1" + b"\1\0" * 3 + b"\0\1\1\2\2\3" + b"\3\4\5\6"
    streams = (b"\6\0\5\x09\1\1\1\1" + bytes([len(game)]) + b"\0" + b"\7\x0b\2\0" + bcj2 + b"\1\1\0"
               + b"\x0c\4\1\1\1" + bytes([len(game)]) + b"\0\0")
    names = b"\0" + "a.sgf\0b.sgf\0".encode("utf-16-le")
    header = b"\1\4" + streams + b"\5\2\x11" + bytes([len(names)]) + names + b"\0\0"
    (tmp_path / "games.7z").write_bytes(sevenzip_of(header, b"1234" + game))
    assert read(tmp_path / "games.7z") == [UnreadableFile("games.7z", "a.sgf", sevenzip_header.UNKNOWN_METHOD),
                                           SgfFile("games.7z", "b.sgf", game)]


@needs_py7zr
@pytest.mark.parametrize("method", ["COPY", "LZMA", "LZMA2", "BZIP2", "PPMD"])
def test_pieces_of_any_size_make_the_same_files(monkeypatch, method):
    """Input may be used up exactly where a piece of output is full."""
    import py7zr

    files = {"text.sgf": b"(;B[aa];W[bb])" * 60, "random.sgf": os.urandom(300)}
    packed = sevenzipped(files, filters=[{"id": getattr(py7zr, f"FILTER_{method}")} | (
        {"order": 6, "mem": 24} if method == "PPMD" else {})])
    for size in range(5 if method == "PPMD" else 1, 80):            # PPMd's decoder begins with 5 bytes
        monkeypatch.setattr(sevenzip_blocks, "PIECE", size)
        monkeypatch.setattr(sevenzip, "PIECE", size)
        assert {file.name: getattr(file, "data", file) for file in unpack("x.7z", "", io.BytesIO(packed))} == files


def test_a_damaged_archive_does_not_affect_other_archives(tmp_path):
    lay_out(tmp_path, {"a.zip": b"PK\x03\x04 but no more", "b.tar.gz": b"", "c.7z": b"7z",
                       "d.tgz": b"\x1f\x8bxx", "e.zip": zipped(GAMES), "f.tar": b"text"})
    found = read(tmp_path)
    assert sum(isinstance(file, SgfFile) and file.source == "e.zip" for file in found) == 3
    errors = {file.source: file.error for file in found if isinstance(file, UnreadableFile)}
    assert {"a.zip", "b.tar.gz", "d.tgz", "f.tar"} <= errors.keys() and all(errors.values())


@pytest.mark.parametrize("name", ["bomb.zip", "bomb.tar.gz", "bomb.sgf.gz", "bomb.7z", "bomb.sgf"])
def test_a_decompression_bomb_is_not_unpacked(tmp_path, name):
    large = bytes(MAX_BYTES + 1)
    pack = ARCHIVES.get(name.replace("bomb", "games"))
    data = pack({"bomb.sgf": large}) if pack else gzip.compress(large) if name.endswith("gz") else large
    (tmp_path / name).write_bytes(data)
    error, = read(tmp_path / name)
    assert isinstance(error, UnreadableFile) and error.error == "larger than 32 MB, and no collection of games"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_of_a_zip_that_would_be_unpacked_whole_is_not(tmp_path, method):
    """The archive understates its size; the other members are read."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bomb.sgf", bytes(50 << 20), method)
        archive.writestr("game.sgf", b"(;B[aa])", zipfile.ZIP_DEFLATED)
    stated, less = (size.to_bytes(4, "little") for size in (50 << 20, 9))
    (tmp_path / "x.zip").write_bytes(packed.getvalue().replace(stated, less))
    tracemalloc.start()
    try:
        error, game = read(tmp_path / "x.zip")
        assert tracemalloc.get_traced_memory()[1] < 5 << 20
    finally:
        tracemalloc.stop()
    assert isinstance(error, UnreadableFile) and error.error.startswith(f"compressed by method {method}, expected 8")
    assert isinstance(game, SgfFile) and game.data == b"(;B[aa])"


def test_memory_is_bounded(tmp_path):
    path = tmp_path / "games.tar.gz"
    path.write_bytes(tarred({f"{number}.sgf": bytes(10_000) for number in range(3000)}, "w:gz"))
    source, = find_sources([path])
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_files(source)) == 3000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
