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
from mugo.data.game_hash import shuffled_positions
from mugo.core.files import BadInput, lock_folder
from mugo.games import planes


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return small_data(tmp_path_factory)


def export(data, folder, **options) -> int:
    return module.export(data, folder, ExportOptions(**options))


def sample_data(tmp_path):
    """The sample games, which all ended by count, and have ownership and scores."""
    return preprocess([str(Path(__file__).parents[2] / "data" / "gnugo-9x9.zip")], tmp_path / "set", jobs=1)


@pytest.mark.parametrize("options", [
    {}, {"packed": True}, {"shuffle": True}, {"sample": 100}, {"sample": 100, "shuffle": True, "seed": 1},
    {"sample": 10**9}], ids=str)
def test_the_arrays_are_those_of_a_batch(tmp_path, options):
    """Of positions in order, or in that of the shuffled stream; a sample is the beginning of that."""
    data = sample_data(tmp_path)
    positions = data.positions("train")
    n = min(len(positions), options.get("sample", len(positions)))
    drawn, _ = shuffled_positions(0, n, len(positions), options.get("seed", 0))
    indices = drawn if options.get("shuffle") else np.sort(drawn)
    batch = positions.batch(indices)
    assert export(data, tmp_path / "out", **options) == len(indices) and batch.ownership.any()
    expected = [batch.packed if options.get("packed") else planes.unpack(batch.packed), *batch[1:-2]]
    described = json.loads((tmp_path / "out" / "export.json").read_text())["arrays"]
    names = ["planes.npy", "moves.npy", *(f"{name}.npy" for name in batch._fields[2:-2])]          # not people, teacher
    assert names == list(described)
    for name, array in zip(names, expected, strict=True):
        np.testing.assert_array_equal(np.load(tmp_path / "out" / name), array)


@pytest.mark.parametrize("size", [9, 5])
def test_the_positions_are_of_the_board_size_that_is_asked_for(data, tmp_path, size):
    export(data, tmp_path / "out", split="all", size=size)
    assert len(np.load(tmp_path / "out" / "moves.npy")) == sum(len(game.moves) for game in games() if game.size == size)
    assert np.load(tmp_path / "out" / "planes.npy", mmap_mode="r").shape[1:] == (size, size, 48)


def test_export_json_describes_the_arrays(data, tmp_path):
    export(data, tmp_path / "out", split="validation", where="komi == 6.5 or komi != 6.5", packed=True)
    description = json.loads((tmp_path / "out" / "export.json").read_text())
    for name, array_description in description["arrays"].items():
        array = np.load(tmp_path / "out" / name, mmap_mode="r")
        assert [array.dtype.name, list(array.shape)] == [array_description["dtype"], array_description["shape"]]
    assert description["data_set"]["fingerprint"] == data.fingerprint
    assert sum(plane["depth"] for plane in description["planes"]) == 48
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
    with pytest.raises(type(failure)):
        export(data, tmp_path / "out", split="test")
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
                 "--sample", "2e1", "--packed", "--shuffle", "--seed", "3"]
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
