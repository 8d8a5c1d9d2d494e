"""Archives made to use up memory or time: a line, and nothing more.  Every one is small; what it claims is not."""
import gzip
import io
import struct
import tarfile
import time
import tracemalloc
import zipfile
import zlib

import pytest
from make_archives import (
    GAMES,
    empty_files_header,
    needs_py7zr,
    read,
    sevenzip_number,
    sevenzip_of,
    sevenzipped,
    tarred,
    unpacked,
    with_packed_header,
    zipped,
)

from mugo.sgf import archives, budget
from mugo.sgf.archives import SgfFile, UnreadableFile

MB = 1 << 20


@pytest.fixture
def peak_mb():
    """A function: the peak of memory since the test began, in MB."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1] / MB
    tracemalloc.stop()


def header(kind: bytes, size: int, name: str = "././@LongLink") -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    return member.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE,
                                  tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE])
def test_a_tar_header_as_large_as_the_file_is_not_read(tmp_path, peak_mb, kind):
    games = tarred(GAMES).rstrip(b"\0")
    games += bytes(-len(games) % 512)
    packed = gzip.compress(games + header(kind, 64 * MB) + bytes(64 * MB), 1)
    path = tmp_path / "games.tar.gz"
    path.write_bytes(packed)
    tracemalloc.reset_peak()
    found = read(path)
    assert {file.name: file.data for file in found[:-1]} == GAMES
    assert found[-1] == UnreadableFile("games.tar.gz", "", found[-1].error)
    assert "header is larger" in found[-1].error
    assert peak_mb() < 8


def test_names_as_long_as_programs_write_them_are_read(tmp_path):
    name = "/".join(["folder" * 30] * 20) + "/game.sgf"
    for mode in tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=mode) as archive:
            for number in range(3):
                member = tarfile.TarInfo(f"{number}{name}")
                member.size = 700
                archive.addfile(member, io.BytesIO(b"(;)".ljust(700)))
        (tmp_path / "games.tar").write_bytes(packed.getvalue())
        assert [file.name for file in read(tmp_path / "games.tar")] == [f"{number}{name}" for number in range(3)]


def test_members_larger_than_a_header_may_be_do_not_stop_a_tar():
    files = {"a.txt": bytes(3 * MB), "b.sgf": b"(;)".ljust(3 * MB), "c.bin": bytes(5 * MB), "d.sgf": b"(;)"}
    assert [file.name for file in unpacked("games.tar.gz", tarred(files, "w:gz"))] == ["b.sgf", "d.sgf"]


def test_a_sparse_file_in_a_tar_is_an_error():
    member = bytearray(header(tarfile.GNUTYPE_SPARSE, 0, "a.sgf"))
    member[148:156] = b" " * 8
    member[148:156] = b"%06o\0 " % sum(member)
    assert ["sparse" in file.error for file in unpacked("games.tar", bytes(member) + bytes(1024))] == [True]


def understated(size: int, stated: int) -> bytes:
    """A zip whose only member unpacks to `size` bytes where its headers say `stated`."""
    data = bytes(size)
    packed = bytearray(zipped({"bomb.sgf": data}))
    real = struct.pack("<I", size)
    while (at := packed.find(real)) >= 0:
        packed[at:at + 4] = struct.pack("<I", stated)
    crc = struct.pack("<I", zlib.crc32(data))
    while (at := packed.find(crc)) >= 0:
        packed[at:at + 4] = struct.pack("<I", zlib.crc32(data[:stated]))
    return bytes(packed)


def test_a_zip_that_understates_a_size_is_read_no_further_than_stated(tmp_path, peak_mb):
    packed = understated(64 * MB, 1000)
    tracemalloc.reset_peak()
    (tmp_path / "games.zip").write_bytes(packed)
    assert [len(getattr(file, "data", b"")) for file in read(tmp_path / "games.zip")] in ([1000], [0])
    assert peak_mb() < 8


def test_a_zip_whose_directory_is_larger_than_the_file_is_an_error(tmp_path):
    packed = zipped(GAMES)
    for at in -10, -6:                                               # the bytes of the directory; where it begins
        changed = bytearray(packed)
        changed[len(packed) + at:len(packed) + at + 4] = struct.pack("<I", len(packed) * 2)
        (tmp_path / "games.zip").write_bytes(changed)
        assert [file.error for file in read(tmp_path / "games.zip")] == ["damaged or truncated: its directory"]


def overlapping(member: bytes, name: str, n: int) -> bytes:
    """A zip whose directory names one deflated member n times."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, member)
        archive.filelist *= n
    return packed.getvalue()


def test_a_nested_zip_stops_at_the_budget_of_its_file(monkeypatch):
    monkeypatch.setattr(budget, "LEAST_BYTES", 20 * MB)
    inner = overlapping(bytes(MB), "a.sgf", 100)
    for _ in range(2):
        inner = overlapping(inner, "in.zip", 100)                    # 10**12 bytes of "SGF"
    limit, size = 20 * MB + 100 * len(inner), 0
    for file in unpacked("games.zip", inner):
        if isinstance(file, SgfFile):
            size += len(file.data)
    assert isinstance(file, UnreadableFile)
    if "Overlapped entries" not in file.error:           # which the zipfile of newer Pythons refuses itself
        assert "it unpacks to more than" in file.error and file.name == ""
    assert size <= limit


def test_members_of_no_size_spend_the_budget_too(monkeypatch):
    monkeypatch.setattr(budget, "LEAST_BYTES", 1 << 16)
    monkeypatch.setattr(budget, "BYTES_PER_BYTE", 0)
    *games, error = unpacked("games.zip", zipped({f"{number}.sgf": b"" for number in range(1000)}))
    assert len(games) == (1 << 16) // budget.MEMBER_BYTES
    assert "unpacks to more" in error.error


@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: tarred(files, "w:gz"),
                                  lambda files: sevenzip_of(b"\1\0")], ids=["zip", "tar", "tar.gz", "header of a 7z"])
def test_reading_stops_when_its_time_is_spent(monkeypatch, pack):
    monkeypatch.setattr(budget, "LEAST_SECONDS", -1.0)
    error, = unpacked("games", pack(GAMES))
    assert "takes more than" in error.error


@needs_py7zr
def test_an_archive_of_more_than_32_mb_in_a_7z_is_read(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("padding.txt", bytes(33 * MB))
        archive.writestr("game.sgf", b"(;B[aa])")
    (tmp_path / "games.7z").write_bytes(sevenzipped({"large.zip": inner.getvalue()}))
    assert [(file.name, file.data) for file in read(tmp_path / "games.7z")] == [("large.zip/game.sgf", b"(;B[aa])")]


@pytest.mark.parametrize("pack", [sevenzip_of, with_packed_header])
def test_a_7z_that_counts_8_million_files_takes_no_memory_for_them(tmp_path, peak_mb, monkeypatch, pack):
    monkeypatch.setattr(budget, "LEAST_BYTES", MB)
    monkeypatch.setattr(budget, "BYTES_PER_BYTE", 1)
    packed = pack(empty_files_header(8_000_000, bytes(16_000_000)))
    (tmp_path / "games.7z").write_bytes(packed)
    tracemalloc.reset_peak()
    error, = read(tmp_path / "games.7z")
    assert ("its header has 17 MB; the limit for a file of this size is 16 MB" if len(packed) < MB else
            "it unpacks to more than 18 MB") in error.error
    assert peak_mb() < 64


def test_games_that_a_small_7z_names_spend_its_budget(monkeypatch):
    monkeypatch.setattr(budget, "LEAST_BYTES", MB)
    count = 20_000
    packed = with_packed_header(empty_files_header(count, "a.sgf\0".encode("utf-16-le") * count))
    *games, error = unpacked("games.7z", packed)
    assert len(games) == (MB + budget.BYTES_PER_BYTE * len(packed) - 12 * count - 2 * count // 8 - 47
                          ) // budget.MEMBER_BYTES
    assert "unpacks to more" in error.error


def test_a_7z_whose_header_is_large_for_its_size_is_refused(tmp_path, peak_mb):
    (tmp_path / "large.7z").write_bytes(with_packed_header(b"\1" + bytes(33 * MB)))
    (tmp_path / "understated.7z").write_bytes(with_packed_header(b"\1" + bytes(33 * MB), 100))
    tracemalloc.reset_peak()
    assert "its header has 33 MB; the limit for a file of this size is 16 MB" in read(tmp_path / "large.7z")[0].error
    assert all(isinstance(file, UnreadableFile) for file in read(tmp_path / "understated.7z"))
    (tmp_path / "longer.7z").write_bytes((tmp_path / "large.7z").read_bytes() + bytes(MB))
    assert "its header has 33 MB; the limit for a file of this size is 18 MB" in read(tmp_path / "longer.7z")[0].error
    assert peak_mb() < 8


def test_the_lists_of_bits_of_a_7z_header_are_not_copied(tmp_path, peak_mb):
    bits, name = bytes(24 * MB), b"\0" + "a.sgf\0".encode("utf-16-le")
    header = b"\1\5\0" + b"".join(kind + sevenzip_number(len(data)) + data for kind, data in (
        (b"\x0e", bits), (b"\x0f", bits), (b"\x11", name))) + b"\0\0"
    (tmp_path / "games.7z").write_bytes(sevenzip_of(header))
    del header
    tracemalloc.reset_peak()
    assert read(tmp_path / "games.7z") == [] and peak_mb() < 24 + 48 + 12


def test_the_folders_of_a_7z_spend_its_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "LEAST_BYTES", MB)
    monkeypatch.setattr(budget, "BYTES_PER_BYTE", 0)
    for count, spent in (4000, False), (5000, True):
        names = b"\0" + b"a\0\0\0" * count
        fields = b"\x0e" + sevenzip_number(1000) + b"\xff" * 1000 + b"\x11" + sevenzip_number(len(names)) + names
        (tmp_path / "games.7z").write_bytes(sevenzip_of(b"\1\5" + sevenzip_number(count) + fields + b"\0\0"))
        assert ["unpacks to more" in file.error for file in read(tmp_path / "games.7z")] == [True] * spent


NAME = b"\x11\x0d\0" + "a.sgf\0".encode("utf-16-le")
TWO_STREAMS = b"\4\6\0\1\x09\x10\0\7\x0b\1\0\1\1\0\x0c\x10\0\x08\x0d\2\x09\x08\0\0"


@pytest.mark.parametrize("packed, error", [
    (with_packed_header(b"\1", 0), "damaged: its packed header is empty"),
    (sevenzip_of(b"\1" + TWO_STREAMS + b"\5\1" + NAME + b"\0\0", b"(;B[aa])" * 2),
     "damaged: its header names fewer files than it has"),
    (sevenzip_of(b"\1" + TWO_STREAMS + b"\0", b"(;B[aa])" * 2), "damaged: its header names fewer files than it has"),
    (sevenzip_of(b"\1" + TWO_STREAMS + b"\5\2\0\0", b"(;B[aa])" * 2), "damaged: its header has no names"),
    (sevenzip_of(b"\1\6\0"), "damaged: its header has fields in another order"),
], ids=["packed header of no size", "fewer files", "no files", "no names", "unknown field"])
def test_a_7z_whose_header_is_incomplete_is_an_error(packed, error):
    assert unpacked("games.7z", packed)[-1] == UnreadableFile("games.7z", "", error)


def test_a_7z_whose_block_has_many_coders_is_refused(tmp_path, peak_mb):
    header = b"\1\4\6" + sevenzip_number(0) + b"\0\0" + b"\7\x0b\1\0" + sevenzip_number(4 * MB) + bytes(4 * MB)
    (tmp_path / "games.7z").write_bytes(sevenzip_of(header))
    tracemalloc.reset_peak()
    error, = read(tmp_path / "games.7z")
    assert "repack it with LZMA2" in error.error and peak_mb() < 16


def test_the_games_of_a_small_compressed_collection_spend_the_budget(tmp_path, monkeypatch, peak_mb):
    monkeypatch.setattr(archives, "MAX_BYTES", MB)
    monkeypatch.setattr(archives, "UNCOUNTED_BYTES", MB // 8)
    (tmp_path / "games.sgfs.gz").write_bytes(gzip.compress(b"(;GM[1]SZ[9];B[aa])\n" * MB))
    tracemalloc.reset_peak()
    *parts, error = read(tmp_path / "games.sgfs.gz")
    assert "unpacks to more" in error.error and len(parts) < 20
    assert sum(len(part.data) for part in parts) < 10 * MB and peak_mb() < 24


@needs_py7zr
@pytest.mark.parametrize("filters", [["COPY"], ["LZMA"], ["LZMA2"], ["BZIP2"], ["PPMD"], ["X86", "LZMA2"],
                                     ["DELTA", "LZMA"], ["ARM", "LZMA2"]], ids="+".join)
def test_7z_archives_that_are_packed_in_pieces_are_read(tmp_path, filters):
    import py7zr

    chain = [{"id": getattr(py7zr, f"FILTER_{name}")} | ({"order": 6, "mem": 24} if name == "PPMD" else {})
             for name in filters]
    path = tmp_path / "games.7z"
    with py7zr.SevenZipFile(path, "w", filters=chain) as archive:
        archive.set_encoded_header_mode(filters != ["COPY"])
        for name, data in {**GAMES, "empty.sgf": b""}.items():
            archive.writestr(data, name)
    with py7zr.SevenZipFile(path, "a", filters=chain) as archive:        # a second block
        archive.writestr(b"(;B[dd])", "four.sgf")
    found = {file.name: file.data for file in read(path)}
    assert found == {**GAMES, "empty.sgf": b"", "four.sgf": b"(;B[dd])"}


@needs_py7zr
def test_an_encrypted_7z_is_an_error(tmp_path):
    import py7zr

    for hidden in False, True:
        with py7zr.SevenZipFile(tmp_path / "games.7z", "w", password="secret", header_encryption=hidden) as archive:
            archive.writestr(b"(;B[aa])", "game.sgf")
        assert [file.error for file in read(tmp_path / "games.7z")] == ["it is encrypted with a password"]


@needs_py7zr
def test_what_lies_before_a_game_in_a_7z_spends_the_budget(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "LEAST_BYTES", 1 << 16)
    monkeypatch.setattr(budget, "BYTES_PER_BYTE", 0)
    (tmp_path / "games.7z").write_bytes(sevenzipped({"a.txt": bytes(1 << 17), "game.sgf": b"(;B[aa])"}))
    assert ["unpacks to more" in file.error for file in read(tmp_path / "games.7z")] == [True]


@needs_py7zr
def test_a_7z_whose_header_is_damaged_anywhere_is_an_error_or_read(tmp_path):
    packed = sevenzipped(GAMES)
    header = struct.unpack("<QQ", packed[12:28])
    for at in range(32 + header[0], 32 + sum(header)):
        for bit in 1, 16, 128:
            changed = bytearray(packed)
            changed[at] ^= bit
            changed[28:32] = struct.pack("<I", zlib.crc32(changed[32 + header[0]:]))
            changed[8:12] = struct.pack("<I", zlib.crc32(changed[12:32]))
            (tmp_path / "games.7z").write_bytes(changed)
            assert all(isinstance(file, UnreadableFile) or GAMES.get(file.name) == file.data
                       for file in read(tmp_path / "games.7z"))


def test_a_tar_whose_header_states_a_huge_size_ends_at_once(tmp_path):
    games = tarred(GAMES).rstrip(b"\0")
    games += bytes(-len(games) % 512)
    (tmp_path / "games.tar").write_bytes(games + header(tarfile.REGTYPE, 1 << 60, "big.bin") + bytes(3000))
    started = time.process_time()
    found = read(tmp_path / "games.tar")
    assert {file.name: file.data for file in found[:-1]} == GAMES
    assert "damaged or truncated" in found[-1].error
    assert time.process_time() - started < 5


def test_global_headers_of_a_tar_are_not_applied_to_every_member(tmp_path):
    packed = io.BytesIO()
    names = {f"MUGO.{number}": "x" for number in range(2000)}
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT, pax_headers=names) as archive:
        for number in range(1000):
            archive.addfile(tarfile.TarInfo(f"{number}.sgf"))
    (tmp_path / "games.tar").write_bytes(packed.getvalue())
    started = time.process_time()
    assert len(read(tmp_path / "games.tar")) == 1000
    assert time.process_time() - started < 1                        # 2 million headers: 3 s


def test_time_counts_where_nothing_is_read_and_not_while_a_game_is_used(monkeypatch):
    clock = iter(range(0, 1000, 50)).__next__
    monkeypatch.setattr(budget.time, "perf_counter", clock)         # 50 s between two looks
    limit = budget.Budget(0)                                        # 0 s
    limit.spend(1)                                                  # 50 s
    limit.pause()                                                   # 100 s
    limit.go_on()                                                   # the 50 s before it do not count
    with pytest.raises(budget.BudgetSpentError, match="more than 120 seconds"):
        limit.spend(1)
