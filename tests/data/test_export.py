"""`mugo export` against replaying every game move by move."""
import errno
import json
import os
import shutil
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from small_games import games, small_data

from mugo.cli import main as cli
from mugo.data import export as module
from mugo.data.export import ExportOptions
from mugo.data.preprocess import preprocess
from mugo.data.shuffle import shuffled_positions
from mugo.core.files import BadInput, lock_folder
from mugo.games import planes
from mugo.games.coords import move_index, symmetries
from mugo.games.game import encode


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small_data(tmp_path_factory)


def export(data, folder, **options) -> int:
    return module.export(data, folder, ExportOptions(**options))


def read(folder):
    return [np.load(folder / f"{name}.npy") for name in ("planes", "moves", "outcomes")]


def test_the_other_arrays_are_those_of_a_batch(tmp_path):
    """Of the sample games, which all ended by count."""
    data = preprocess([str(Path(__file__).parents[2] / "data" / "gnugo-9x9.zip")], tmp_path / "set", jobs=1)
    export(data, tmp_path / "out", split="all", symmetries="random", seed=4)
    positions = data.positions(None)
    batch = positions.batch(np.arange(len(positions)), shuffled_positions(0, len(positions), len(positions), 4)[1])
    description = json.loads((tmp_path / "out" / "export.json").read_text())
    assert batch.ownership.any(axis=1).all()
    assert [f"{name}.npy" for name in batch._fields[3:]] == list(description["arrays"])[3:]
    for name, expected in zip(batch._fields[3:], batch[3:], strict=True):
        np.testing.assert_array_equal(np.load(tmp_path / "out" / f"{name}.npy"), expected)


def replayed(size):
    """(planes, moves, outcomes) of all games of a size, one position at a time."""
    encoded, moves, outcomes = [], [], []
    for game in games():
        if game.size == size:
            winner = {"B+": 1, "W+": -1}.get(game.result[:2], 0)
            for position, point in zip(game.positions, game.moves, strict=True):
                encoded.append(planes.unpack(encode([position]))[0])
                moves.append(move_index(point, size))
                outcomes.append(winner * position.to_play)
    return np.array(encoded), np.array(moves), np.array(outcomes)


@pytest.mark.parametrize("size", [9, 5])
def test_rows_are_the_positions_of_the_games_in_order(data, tmp_path, size):
    rows = export(data, tmp_path / "out", split="all", size=size)
    arrays = read(tmp_path / "out")
    for found, expected in zip(arrays, replayed(size), strict=True):
        assert len(found) == rows
        np.testing.assert_array_equal(found, expected)
    assert [array.dtype.name for array in arrays] == ["uint8", "int32", "int8"]
    assert arrays[0].shape[1:] == (size, size, planes.DEPTH)


def test_packed_planes_unpack_to_the_same(data, tmp_path):
    export(data, tmp_path / "plain", split="test")
    export(data, tmp_path / "packed", split="test", packed=True)
    plain, packed = read(tmp_path / "plain"), read(tmp_path / "packed")
    assert packed[0].shape[1:] == (81, 6)
    unpacked = np.unpackbits(packed[0], axis=-1, bitorder="little").reshape(-1, 9, 9, planes.DEPTH)
    np.testing.assert_array_equal(unpacked, plain[0])
    np.testing.assert_array_equal(packed[1], plain[1])


def test_the_eight_symmetries_of_a_position_are_consecutive_rows(data, tmp_path):
    export(data, tmp_path / "one", split="test", sample=50)
    export(data, tmp_path / "eight", split="test", sample=50, symmetries="all")
    one, eight = read(tmp_path / "one"), read(tmp_path / "eight")
    assert len(eight[0]) == 400
    for s, turn in enumerate(symmetries(9)):
        transformed = eight[0][s::8].reshape(50, 81, planes.DEPTH)
        np.testing.assert_array_equal(transformed[:, turn[:-1]], one[0].reshape(50, 81, planes.DEPTH))
        np.testing.assert_array_equal(eight[1][s::8], turn[one[1]])
        np.testing.assert_array_equal(eight[2][s::8], one[2])


def test_random_symmetries_keep_the_positions(data, tmp_path):
    export(data, tmp_path / "all", split="test", sample=50, symmetries="all")
    export(data, tmp_path / "random", split="test", sample=50, symmetries="random")
    every, transformed = read(tmp_path / "all"), read(tmp_path / "random")
    chosen = set()
    for i in range(50):
        same = [s for s in range(8) if np.array_equal(every[0][8 * i + s], transformed[0][i])
                and every[1][8 * i + s] == transformed[1][i]]
        assert same
        chosen.update(same)
    assert len(chosen) > 4


def sorted_rows(arrays):
    rows = [row.tobytes() for row in arrays[0]]
    return sorted(zip(rows, arrays[1].tolist(), arrays[2].tolist(), strict=True))


def test_shuffled_rows_are_the_same_rows(data, tmp_path):
    for name, options in {"plain": {}, "a": {"shuffle": True}, "b": {"shuffle": True},
                          "c": {"shuffle": True, "seed": 1}}.items():
        export(data, tmp_path / name, split="train", packed=True, **options)
    plain, a, b, c = (read(tmp_path / name) for name in ("plain", "a", "b", "c"))
    assert sorted_rows(plain) == sorted_rows(a) == sorted_rows(c)
    np.testing.assert_array_equal(a[0], b[0])
    assert not np.array_equal(a[1], plain[1])
    assert not np.array_equal(a[1], c[1])


def test_a_random_part_depends_on_the_seed_and_keeps_the_order(data, tmp_path):
    for name, options in {"whole": {}, "part": {"sample": 100}, "shuffled": {"sample": 100, "shuffle": True},
                          "other": {"sample": 100, "seed": 1}, "too many": {"sample": 10**9}}.items():
        export(data, tmp_path / name, split="train", packed=True, **options)
    whole, part, shuffled, other, too_many = (
        read(tmp_path / name) for name in ("whole", "part", "shuffled", "other", "too many"))
    rows = iter(whole[0])
    assert all(any(np.array_equal(row, wanted) for row in rows) for wanted in part[0])
    assert sorted_rows(part) == sorted_rows(shuffled)
    assert sorted_rows(part) != sorted_rows(other)
    np.testing.assert_array_equal(too_many[0], whole[0])


def test_export_json_describes_the_arrays(data, tmp_path):
    export(data, tmp_path / "out", split="validation", where="komi == 6.5 or komi != 6.5", packed=True)
    description = json.loads((tmp_path / "out" / "export.json").read_text())
    for name, array_description in description["arrays"].items():
        array = np.load(tmp_path / "out" / name, mmap_mode="r")
        assert [array.dtype.name, list(array.shape)] == [array_description["dtype"], array_description["shape"]]
    assert description["data_set"]["fingerprint"] == data.fingerprint
    assert sum(plane["depth"] for plane in description["planes"]) == planes.DEPTH
    assert description["planes"][-2]["first"] == 46
    assert description["split"] == "validation"


def test_an_existing_folder_is_not_overwritten(data, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("all of it")
    with pytest.raises(BadInput, match="out exists: delete it"):
        export(data, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_export_leaves_nothing(data, tmp_path, monkeypatch, failure):
    def fails(descriptor):
        raise failure
    monkeypatch.setattr(os, "fsync", fails)
    expected = BadInput if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        export(data, tmp_path / "out", split="test")
    assert expected is KeyboardInterrupt or "the disk is full after" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_files_of_a_killed_export_are_deleted(data, tmp_path):
    (tmp_path / ".out.unfinished").mkdir()
    (tmp_path / ".out.unfinished" / "planes.npy").write_bytes(b"half")
    export(data, tmp_path / "out", split="validation")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_disk_that_is_too_small_is_an_error_before_anything_is_written(data, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("Usage", "free")(10_000))
    with pytest.raises(BadInput, match=r"takes 0\.0 GB, and 0\.0 GB are free.*--packed takes an eighth"):
        export(data, tmp_path / "deep" / "out")
    assert not list(tmp_path.iterdir())


def test_the_command_exports(data, tmp_path, capsys):
    arguments = ["export", str(data.folder), "-o", str(tmp_path / "out"), "--split", "all",
                 "--sample", "2e1", "--packed", "--symmetries", "random", "--shuffle", "--seed", "3"]
    assert cli.main(arguments) == 0
    assert "20 positions" in capsys.readouterr().out
    assert cli.main(arguments) == 2
    assert cli.main(["export", str(data.folder), "-o", str(tmp_path / "none"), "--size", "13"]) == 2
    assert cli.main(["export", str(data.folder), "-o", str(tmp_path / "none"), "--sample", "-1"]) == 2
    error = capsys.readouterr().err
    assert "no training games on 13x13" in error
    assert "--sample -1: must be at least 0" in error


def test_a_folder_has_one_export_at_a_time(data, tmp_path):
    with lock_folder(tmp_path / ".out.unfinished"), pytest.raises(BadInput, match="another process is writing to it"):
        export(data, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    export(data, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
