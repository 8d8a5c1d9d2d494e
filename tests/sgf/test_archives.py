"""Every kind of archive, made here from the same three games, gives the same three texts."""
import bz2
import contextlib
import gzip
import importlib.util
import io
import itertools
import lzma
import os
import sys
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from mugo.files import BadInput
from mugo.sgf.archives import Text, Unreadable, sources, texts
from mugo.sgf.parser import MAX_BYTES

GAMES = {"one.sgf": b"(;B[aa])", "deep/er/two.SGF": b"(;B[bb])", "three.mgt": b"(;B[cc])"}
OTHERS = {"read me.txt": b"no game", "deep/picture.png": b"\x89PNG", "._one.sgf": b"macOS",
          "four.sgf.bak": b"x"}
has_py7zr = pytest.mark.skipif(not importlib.util.find_spec("py7zr"), reason="py7zr is not installed")


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


def sevenzipped(files: dict[str, bytes]) -> bytes:
    py7zr = pytest.importorskip("py7zr")
    packed = io.BytesIO()
    with py7zr.SevenZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(data, name)
    return packed.getvalue()


def lay_out(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def read(*paths) -> list[Text | Unreadable]:
    return [text for source in sources(paths) for text in texts(source)]


KINDS = {
    "games.zip": zipped, "games.tar": tarred, "games.tar.gz": lambda files: tarred(files, "w:gz"),
    "games.tgz": lambda files: tarred(files, "w:gz"), "games.tar.xz": lambda files: tarred(files, "w:xz"),
    "games.tar.bz2": lambda files: tarred(files, "w:bz2"), "games.7z": sevenzipped,
}


@pytest.mark.parametrize("name", KINDS)
def test_the_same_games_in_every_kind_of_archive(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(KINDS[name](GAMES | OTHERS))
    assert {text.name: text.data for text in read(path)} == GAMES
    source, = sources([path])
    assert (source.label, source.size, len(source.checksum())) == (name, path.stat().st_size, 64)
    assert all(text.source == name for text in read(path))


@pytest.mark.parametrize("name", KINDS)
def test_the_first_bytes_tell_the_kind_not_the_name(tmp_path, name):
    path = tmp_path / "download"
    path.write_bytes(KINDS[name](GAMES))
    assert {text.data for text in read(path)} == set(GAMES.values())


@pytest.mark.parametrize("suffix, module", [(".gz", gzip), (".xz", lzma), (".bz2", bz2)])
def test_a_single_game_compressed(tmp_path, suffix, module):
    path = lay_out(tmp_path, {f"game.sgf{suffix}": module.compress(b"(;B[aa])")}) / f"game.sgf{suffix}"
    assert [(text.name, text.data) for text in read(path)] == [("game.sgf", b"(;B[aa])")]
    assert [(text.name, text.data) for text in read(tmp_path)] == [("game.sgf", b"(;B[aa])")]


def test_zstandard(tmp_path):
    try:
        from compression import zstd
    except ImportError:
        zstd = pytest.importorskip("backports.zstd")
    path = tmp_path / "games.tar.zst"
    path.write_bytes(zstd.compress(tarred(GAMES)))
    assert {text.name: text.data for text in read(path)} == GAMES


def test_a_folder_is_its_loose_games_and_every_archive_in_it(tmp_path):
    lay_out(tmp_path, GAMES | OTHERS | {"deep/kgs.zip": zipped(GAMES), "fox.tar.gz": tarred(GAMES, "w:gz")})
    assert [(source.label, source.files is None) for source in sources([tmp_path])] == [
        ("fox.tar.gz", True), ("kgs.zip", True), (tmp_path.name, False)]
    loose = sources([tmp_path])[-1]
    assert loose.files == ("one.sgf", "three.mgt", os.path.join("deep", "er", "two.SGF"))
    assert loose.checksum() == "" and loose.size == sum(map(len, GAMES.values()))
    assert len(read(tmp_path)) == 9


def test_any_mixture_and_nothing_twice(tmp_path):
    folder = lay_out(tmp_path / "a", {"1.sgf": b"1", "x.zip": zipped(GAMES)})
    lay_out(tmp_path / "b", {"2.txt": b"(;B[bb])", "3": b"(;B[cc])", "x.zip": zipped({"1.sgf": b"other"})})
    others = [tmp_path / "b" / name for name in ("x.zip", "2.txt", "3")]
    paths = [folder, *others, folder / "x.zip", folder]
    found = sources(paths)
    assert [(source.label, source.files) for source in found] == [
        ("x.zip", None), ("a", ("1.sgf",)), ("x.zip", None), ("b", ("2.txt", "3"))]
    assert found[0].checksum() != found[2].checksum()
    assert len(read(*paths)) == 3 + 1 + 1 + 2


def test_archives_in_archives_down_to_a_depth(tmp_path):
    inner = zipped({"g.sgf": b"(;B[aa])"})
    path = tmp_path / "outer.tar.gz"
    members = {"mid.zip": zipped({"inner.zip": inner}), "game.sgf.gz": gzip.compress(b"(;)")}
    path.write_bytes(tarred(members, "w:gz"))
    assert [(text.name, text.data) for text in read(path)] == [
        ("mid.zip/inner.zip/g.sgf", b"(;B[aa])"), ("game.sgf", b"(;)")]
    for _ in range(9):
        inner = zipped({"deeper.zip": inner})
    path.write_bytes(inner)
    deep, = read(path)
    assert isinstance(deep, Unreadable) and "archives" in deep.why


def test_a_path_that_is_not_there_is_one_clear_line(tmp_path):
    with pytest.raises(BadInput, match="nowhere.zip: no such file or folder"):
        sources([tmp_path / "nowhere.zip"])
    with pytest.raises(BadInput, match="no SGF file and no archive in this folder"):
        sources([tmp_path])


@pytest.mark.parametrize("package, data", [("py7zr", b"7z\xbc\xaf\x27\x1c"), ("zstd", b"\x28\xb5\x2f\xfd")])
def test_a_missing_package_is_named_before_the_work_begins(tmp_path, monkeypatch, package, data):
    for module in ("py7zr", "compression", "backports", "backports.zstd"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "games.archive").write_bytes(data + bytes(600))
    with pytest.raises(BadInput, match=f"games.archive: .*pip install .*{package}"):
        sources([tmp_path / "games.archive"])


@pytest.mark.parametrize("raw, printed", [
    ("古力.sgf".encode(), "古力.sgf"), ("古力.sgf".encode("gb18030"), "古力.sgf"),
    (b"\xff\x80.sgf", r"\xff\x80.sgf"), (b"a\nb\x1b[2J.sgf", r"a\nb\x1b[2J.sgf"), ("é.sgf".encode(), "é.sgf"),
])
def test_names_with_any_bytes_are_printable(tmp_path, raw, printed):
    folder = tmp_path / "folder"
    folder.mkdir()
    with contextlib.suppress(OSError):          # some file systems refuse some names
        Path(os.fsdecode(bytes(folder) + b"/" + raw)).write_bytes(b"(;)")
        assert [text.name for text in read(folder)] == [printed]
    (tmp_path / "x.tar").write_bytes(tarred({os.fsdecode(raw): b"(;)"}))
    assert [text.name for text in read(tmp_path / "x.tar")] == [printed]
    archive = zipped({"PLACEHOLDER"[:len(raw)].ljust(len(raw), "_"): b"(;)"})
    (tmp_path / "x.zip").write_bytes(archive.replace(b"PLACEHOLDER"[:len(raw)].ljust(len(raw), b"_"), raw))
    assert [text.name for text in read(tmp_path / "x.zip")] == [printed]


# ---- damage ------------------------------------------------------------------------------------

MANY = {f"{number:03}.sgf": os.urandom(900) for number in range(200)}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz", "w:bz2"])
def test_a_truncated_tar_gives_its_readable_members(tmp_path, mode):
    whole = tarred(MANY, mode)
    path = tmp_path / "cut.tar"
    path.write_bytes(whole[:len(whole) * 3 // 4])
    *good, last = read(path)
    assert {text.name: text.data for text in good}.items() <= MANY.items()
    assert len(good) > {"w": 149, "w:gz": 140, "w:xz": 100, "w:bz2": -1}[mode]      # bz2 packs 900 kB at once
    assert isinstance(last, Unreadable) and last.name == "" and last.why and "\n" not in last.why


def test_a_tar_with_a_damaged_header_gives_what_comes_before(tmp_path):
    packed = bytearray(tarred(MANY))
    packed[packed.index(b"050.sgf")] ^= 255
    path = tmp_path / "games.tar"
    path.write_bytes(packed)
    *good, last = read(path)
    assert [text.name for text in good] == list(MANY)[:50]
    assert isinstance(last, Unreadable) and last.why == "damaged or cut off: bad checksum"


def test_a_damaged_member_of_a_zip_costs_only_itself(tmp_path):
    packed = bytearray(zipped(MANY))
    packed[packed.index(b"050.sgf") + 300] ^= 255
    path = tmp_path / "games.zip"
    path.write_bytes(packed)
    found = read(path)
    assert len(found) == 200
    assert [text.name for text in found if isinstance(text, Unreadable)] == ["050.sgf"]


def test_a_member_with_a_password_costs_only_itself(tmp_path):
    packed = bytearray(zipped(MANY))
    for at in packed.index(b"050.sgf") - 24, packed.rindex(b"050.sgf") - 38:       # the flags, before each of its names
        packed[at] |= 1
    path = tmp_path / "games.zip"
    path.write_bytes(packed)
    found = read(path)
    assert len(found) == 200
    [locked] = [text for text in found if isinstance(text, Unreadable)]
    assert locked.name == "050.sgf" and "password" in locked.why


@has_py7zr
def test_a_7z_with_a_password_says_so(tmp_path):
    import py7zr

    with py7zr.SevenZipFile(tmp_path / "games.7z", "w", password="secret") as archive:
        archive.writestr(next(iter(MANY.values())), "a.sgf")
    assert [text.why for text in read(tmp_path / "games.7z")] == ["it has a password"]


@has_py7zr
def test_a_truncated_7z_is_one_problem(tmp_path):
    packed = sevenzipped(MANY)
    path = tmp_path / "games.7z"
    path.write_bytes(packed[:len(packed) // 2])
    assert [type(text) for text in read(path)] == [Unreadable]


@has_py7zr
def test_a_large_7z_is_unpacked_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("mugo.sgf.archives.BATCH", 5000)
    path = tmp_path / "games.7z"
    path.write_bytes(sevenzipped(MANY))
    assert {text.name: text.data for text in read(path)} == MANY


def test_after_a_damaged_archive_the_run_goes_on(tmp_path):
    lay_out(tmp_path, {"a.zip": b"PK\x03\x04 but no more", "b.tar.gz": b"", "c.7z": b"7z",
                       "d.tgz": b"\x1f\x8bxx", "e.zip": zipped(GAMES), "f.tar": b"text"})
    found = read(tmp_path)
    assert sum(isinstance(text, Text) and text.source == "e.zip" for text in found) == 3
    problems = {text.source: text.why for text in found if isinstance(text, Unreadable)}
    assert {"a.zip", "b.tar.gz", "d.tgz", "f.tar"} <= problems.keys() and all(problems.values())


def test_no_damage_raises(tmp_path):
    packed = [KINDS[name](GAMES) for name in KINDS if name != "games.7z" or importlib.util.find_spec("py7zr")]
    path = tmp_path / "games"
    for archive, place in itertools.product(packed, range(0, 4000, 61)):
        damaged = bytearray(archive)
        damaged[place % len(damaged)] ^= 0x55
        path.write_bytes(damaged)
        assert all(isinstance(text, (Text, Unreadable)) for text in read(path))


@pytest.mark.parametrize("name", ["bomb.zip", "bomb.tar.gz", "bomb.sgf.gz", "bomb.7z", "bomb.sgf"])
def test_a_bomb_is_not_unpacked(tmp_path, name):
    large = bytes(MAX_BYTES + 1)
    pack = KINDS.get(name.replace("bomb", "games"))
    data = pack({"bomb.sgf": large}) if pack else gzip.compress(large) if name.endswith("gz") else large
    (tmp_path / name).write_bytes(data)
    problem, = read(tmp_path / name)
    assert isinstance(problem, Unreadable) and problem.why == "larger than 32 MB"


def test_memory_stays_flat(tmp_path):
    path = tmp_path / "games.tar.gz"
    path.write_bytes(tarred({f"{number}.sgf": bytes(10_000) for number in range(3000)}, "w:gz"))
    source, = sources([path])
    tracemalloc.start()
    try:
        assert sum(1 for _ in texts(source)) == 3000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
