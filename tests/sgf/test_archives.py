"""Archives of every format, whole and damaged."""
import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import sys
from pathlib import Path

import pytest
from make_archives import ARCHIVES, GAMES, OTHERS, lay_out, needs_py7zr, read, sevenzipped, tarred, unpacked, zipped

from mugo.core.files import BadInput
from mugo.sgf.archives import UnreadableFile, unpack
from mugo.sgf.parser import MAX_BYTES, read_records
from mugo.sgf.sources import find_sources


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


@needs_py7zr
def test_two_members_of_one_name_in_a_7z_are_both_read():
    import py7zr

    packed = io.BytesIO()
    with py7zr.SevenZipFile(packed, "w") as archive:
        for data in b"(;B[aa])", b"(;B[bb])":
            archive.writestr(data, "game.sgf")
    assert [file.data for file in unpack("games.7z", "", packed)] == [b"(;B[aa])", b"(;B[bb])"]


@needs_py7zr
def test_a_damaged_member_of_a_7z_ends_it():
    import py7zr

    packed = bytearray(sevenzipped(MANY, filters=[{"id": py7zr.FILTER_COPY}]))
    packed[packed.index(MANY["050.sgf"])] ^= 255
    *found, error = unpacked("games.7z", packed)
    assert {file.name: file.data for file in found} == {name: MANY[name] for name in [*MANY][:50]}
    assert error.name == "" and "050.sgf" in error.error


@needs_py7zr
def test_an_encrypted_7z_is_an_error():
    for hidden in False, True:
        assert unpacked("games.7z", sevenzipped(GAMES, password="secret", header_encryption=hidden)) == [
            UnreadableFile("games.7z", "", "it is encrypted with a password")]


def test_a_7z_without_py7zr_names_the_package(tmp_path, monkeypatch):
    (tmp_path / "games.7z").write_bytes(b"7z\xbc\xaf\x27\x1c")
    monkeypatch.setitem(sys.modules, "py7zr", None)
    with pytest.raises(BadInput, match="games.7z: reading .7z needs the package py7zr: pip install 'mugo"):
        find_sources([tmp_path / "games.7z"])


@pytest.mark.parametrize("name", [pytest.param("games.7z", marks=needs_py7zr), "games.zip", "games.tar.gz"])
def test_an_archive_unpacks_to_no_more_than_the_limit(monkeypatch, name):
    """A megabyte of each of two games, of which the second is above it."""
    monkeypatch.setattr("mugo.sgf.archives.LEAST_BYTES", 1_500_000)
    monkeypatch.setattr("mugo.sgf.archives.BYTES_PER_BYTE", 0)
    game = b"(;C[" + b"x" * 1_000_000 + b"])"
    first, error = unpacked(name, ARCHIVES[name]({"1.sgf": game, "2.sgf": game}))
    assert first.data == game
    assert isinstance(error, UnreadableFile) and error.name == ""
    assert re.search("more than 1 MB|limit of 15", error.error)


@pytest.mark.parametrize("name", ["games.zip", "games.sgf"])
def test_a_file_above_the_limit_that_is_no_collection_is_not_unpacked(tmp_path, name):
    large = bytes(MAX_BYTES + 1)
    (tmp_path / name).write_bytes(ARCHIVES[name]({"bomb.sgf": large}) if name in ARCHIVES else large)
    error, = read(tmp_path / name)
    assert isinstance(error, UnreadableFile) and error.error == "larger than 32 MB, and no collection of games"
