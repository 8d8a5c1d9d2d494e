"""Finding the SGF files and archives below paths."""
import os
import sys

import pytest
from make_archives import GAMES, OTHERS, lay_out, read, tarred, zipped

from mugo.core.files import BadInput
from mugo.sgf.archives import UnreadableFile
from mugo.sgf.sources import find_sources, read_files


def test_the_sources_of_a_folder_are_its_archives_and_its_loose_files(tmp_path):
    lay_out(tmp_path, GAMES | OTHERS | {"deep/kgs.zip": zipped(GAMES), "fox.tar.gz": tarred(GAMES, "w:gz")})
    assert [(source.label, source.files is None) for source in find_sources([tmp_path])] == [
        ("fox.tar.gz", True), ("kgs.zip", True), (tmp_path.name, False)]
    loose = find_sources([tmp_path])[-1]
    assert loose.files == ("one.sgf", "three.mgt", os.path.join("deep", "er", "two.SGF"))
    assert loose.checksum() == "" and loose.size == sum(map(len, GAMES.values()))
    assert len(read(tmp_path)) == 9


def test_files_and_folders_in_any_mixture_are_each_read_once(tmp_path):
    folder = lay_out(tmp_path / "a", {"1.sgf": b"1", "x.zip": zipped(GAMES)})
    lay_out(tmp_path / "b", {"2.txt": b"(;B[bb])", "3": b"(;B[cc])", "x.zip": zipped({"1.sgf": b"other"})})
    others = [tmp_path / "b" / name for name in ("x.zip", "2.txt", "3")]
    paths = [folder, *others, folder / "x.zip", folder]
    found = find_sources(paths)
    assert [(source.label, source.files) for source in found] == [
        ("x.zip", None), ("a", ("1.sgf",)), ("x.zip", None), ("b", ("2.txt", "3"))]
    assert found[0].checksum() != found[2].checksum()
    assert len(read(*paths)) == 3 + 1 + 1 + 2


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that nobody can read")
def test_an_archive_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    lay_out(tmp_path, {"b.zip": zipped(GAMES)})
    (tmp_path / "a.zip").symlink_to("/proc/self/mem")
    assert [len(source.checksum()) for source in find_sources([tmp_path])] == [0, 64]
    bad, *games = read(tmp_path)
    assert bad == UnreadableFile("a.zip", "", "Invalid argument") and len(games) == 3


def test_a_missing_path_and_an_empty_folder_are_errors(tmp_path):
    with pytest.raises(BadInput, match="nowhere.zip: no such file or folder"):
        find_sources([tmp_path / "nowhere.zip"])
    with pytest.raises(BadInput, match="no SGF file and no archive in this folder"):
        find_sources([tmp_path])


def test_a_missing_package_is_reported_before_anything_is_read(tmp_path, monkeypatch):
    for module in ("compression", "backports", "backports.zstd"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / "games.archive").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(600))
    with pytest.raises(BadInput, match=r"games.archive: .*zstd: pip install 'mugo-go\[7z\]'"):
        find_sources([tmp_path / "games.archive"])


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "loose"])
def test_the_bytes_read_grow_to_the_size_of_the_source(tmp_path, name):
    games = {f"{i}.sgf": b"(;B[aa]C[%s])" % os.urandom(20_000).hex().encode() for i in range(20)}
    content = {"x.zip": {name: zipped(games)}, "x.tar": {name: tarred(games)}, "loose": games,
               "x.tar.gz": {name: tarred(games, "w:gz")}}[name]
    source, = find_sources([lay_out(tmp_path, content)])
    sizes: list[int] = []
    assert len(list(read_files(source, sizes.append))) == len(sizes) == 20
    assert sizes == sorted(sizes) and sizes[-1] > 0.9 * source.size >= 0.9 * sizes[-1]
    assert 0.4 < sizes[9] / source.size < 0.8
