"""A merge that is killed at any write leaves the data set in one of its two states; a reader never sees a mixture."""
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from damaged_data import copy_of
from random_records import finished_record, write_games

from mugo.data import dataset, merge, meta
from mugo.data.dataset import DataSet
from mugo.data.preprocess import preprocess
from mugo.files import BadInput
from mugo.sgf.writer import format_record


class Killed(BaseException):
    pass


def killed_at(k: int, monkeypatch, paths: list[str], folder: Path) -> bool:
    """Preprocess; raise Killed at the k-th call of os.fsync, os.replace and shutil.rmtree together, from 0.

    Returns whether there were that many.
    """
    calls = 0

    def counted(original):
        def call(*args, **options):
            nonlocal calls
            calls += 1
            if calls > k:                # nor does anything afterwards happen
                raise Killed
            return original(*args, **options)
        return call

    with monkeypatch.context() as patch:
        for module, name in ((os, "fsync"), (os, "replace"), (shutil, "rmtree")):
            patch.setattr(module, name, counted(getattr(module, name)))
        try:
            preprocess(paths, folder, workers=1)
        except Killed:
            return True
    return False


def are_equal(one: DataSet, other: DataSet) -> bool:
    return (one.games.equals(other.games) and one.fingerprint == other.fingerprint
            and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("moves", "setup", "owners"))
            and all(one.meta[name] == other.meta[name] for name in ("options", "sources", "counts")))


@pytest.fixture
def archives(tmp_path):
    """Two folders of games; the second has copies of games of the first, and longer games.  One game of the first and
    two of the second ended by count."""
    write_games(tmp_path / "a", range(4), plies=40)
    write_games(tmp_path / "b", range(2, 6), plies=50)
    for folder, seed in (("a", 10), ("b", 10), ("b", 11), ("b", 12)):
        text = format_record(finished_record(seed))
        (tmp_path / folder / f"finished-{seed}.sgf").write_text(text, encoding="utf-8")
    return [str(tmp_path / "a")], [str(tmp_path / "a"), str(tmp_path / "b")]


def test_a_merge_killed_at_any_write_leaves_one_of_the_two_states(archives, tmp_path, monkeypatch):
    first, both = archives
    before = preprocess(first, tmp_path / "set", workers=1)
    after = preprocess(both, copy_of(tmp_path / "set", tmp_path / "after"), workers=1)
    assert not are_equal(before, after) and len(after.used_games) == 9 and len(after.moves) > 6 * 40
    assert (after.games["owners_start"] == -1).sum() == len(after.games) - 3
    assert len(before.owners) == 11 and len(after.owners) == 3 * 11
    states, k = [], 0
    while True:
        folder = copy_of(tmp_path / "set", tmp_path / f"killed-{k}")
        if not killed_at(k, monkeypatch, both, folder):
            break
        left = dataset.load_dataset(folder)
        states.append([are_equal(left, state) for state in (before, after)])
        assert are_equal(preprocess(both, folder, workers=1), after)
        for name in meta.FILES[1:]:                      # dead moves at the end are cut off
            assert (folder / name).read_bytes() == (tmp_path / "after" / name).read_bytes()
        assert sorted(path.name for path in folder.iterdir()) == sorted(meta.FILES)
        k += 1
    assert k > 12 and all(sum(state) == 1 for state in states)
    assert [state[1] for state in states] == sorted(state[1] for state in states)        # once new, always new
    assert states[0][0] and states[-1][1]


def test_a_first_merge_killed_at_any_write_leaves_a_data_set_or_none(archives, tmp_path, monkeypatch):
    whole, k, seen = preprocess(archives[0], tmp_path / "whole", workers=1), 0, set()
    while killed_at(k, monkeypatch, archives[0], tmp_path / f"set-{k}"):
        folder = tmp_path / f"set-{k}"
        try:
            assert are_equal(dataset.load_dataset(folder), whole)
            seen.add("new")
        except BadInput as error:
            assert "is not a data set: " in str(error) and " is missing (make one: mugo preprocess" in str(error)
            seen.add("none")
        options = {} if (folder / "games.parquet").exists() else {"seed": 5}     # those of no data set may change
        again = preprocess(archives[0], folder, workers=1, **options)
        assert again.games["game_hash"].equals(whole.games["game_hash"])
        k += 1
    assert k > 12 and seen == {"new", "none"}


@pytest.mark.parametrize("name", ["moves", "owners"])
def test_what_a_killed_merge_left_behind_the_arrays_is_not_read(name, archives, tmp_path, monkeypatch):
    first, both = archives
    before = preprocess(first, tmp_path / "set", workers=1)
    monkeypatch.setattr(merge, "write_table", lambda table: exec("raise Killed", {"Killed": Killed}))
    with pytest.raises(Killed):
        preprocess(both, tmp_path / "set", workers=1)
    path, length = tmp_path / "set" / f"{name}.npy", len(getattr(before, name))
    content = bytearray(path.read_bytes())
    assert len(content) > 128 + 2 * length
    for at in range(128 + 2 * length, len(content)):          # a flip there changes nothing
        content[at] ^= 0xff
    path.write_bytes(content)
    assert are_equal(dataset.load_dataset(tmp_path / "set"), before)


def test_a_data_set_that_is_merged_while_it_is_opened_is_read_in_one_state(archives, tmp_path, monkeypatch):
    first, both = archives
    preprocess(first, tmp_path / "set", workers=1)
    read, was_merged = meta.read_regular_file, False

    def read_then_merge(path, limit):
        nonlocal was_merged
        content = read(path, limit)
        if not was_merged:               # after meta.json of the old state has been read
            was_merged = True
            preprocess(both, tmp_path / "set", workers=1)
        return content

    monkeypatch.setattr(meta, "read_regular_file", read_then_merge)
    assert len(dataset.load_dataset(tmp_path / "set").used_games) == 9 and was_merged


def test_a_data_set_without_its_games_is_not_begun_anew(archives, tmp_path):
    preprocess(archives[0], tmp_path / "set", workers=1)
    (tmp_path / "set" / "games.parquet").unlink()
    with pytest.raises(BadInput, match=r"set/games.parquet is missing; make the data set again"):
        preprocess(archives[0], tmp_path / "set", workers=1)
    assert (tmp_path / "set" / "moves.npy").exists()
