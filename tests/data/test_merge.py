"""A merge that is killed at any write leaves the data set in one of its two states; a reader never sees a mixture."""
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from damaged_data import copy_of
from random_records import dataset_of, finished_record, random_record, write_games

from mugo.data import dataset, unmerged
from mugo.data import preprocess as preprocess_module
from mugo.data.dataset import DataSet
from mugo.data.preprocess import preprocess
from mugo.core.files import BadInput
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
            preprocess(paths, folder, jobs=1)
        except Killed:
            return True
    return False


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def are_equal(one: DataSet, other: DataSet) -> bool:
    arrays = [data.selection().arrays() for data in (one, other)]
    return (one.games.equals(other.games) and one.fingerprint == other.fingerprint
            and all(first.tobytes() == second.tobytes() for first, second in zip(*arrays, strict=True))
            and all(one.meta[name] == other.meta[name] for name in ("options", "sources", "counts", "shards")))


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


@pytest.mark.faults
def test_a_merge_killed_at_any_write_leaves_one_of_the_two_states(archives, tmp_path, monkeypatch):
    first, both = archives
    before = preprocess(first, tmp_path / "set", jobs=1)
    after = preprocess(both, copy_of(tmp_path / "set", tmp_path / "after"), jobs=1)
    assert not are_equal(before, after) and len(after.used_games) == 9
    assert (after.games["ownership_start"] == -1).sum() == len(after.games) - 3
    assert len(before.selection().arrays().ownership) == 11 and len(after.selection().arrays().ownership) == 3 * 11
    assert [len(data.shards) for data in (before, after)] == [1, 2] and 0 in after.rejected
    states, k, had_parts = [], 0, False
    while True:
        folder = copy_of(tmp_path / "set", tmp_path / f"killed-{k}")
        if not killed_at(k, monkeypatch, both, folder):
            break
        left = dataset.load_dataset(folder)
        has_parts = any((folder / "unfinished").glob("part-*"))
        had_parts = had_parts or has_parts
        assert has_parts == had_parts or are_equal(left, after)      # nothing has to be read twice
        states.append([are_equal(left, state) for state in (before, after)])
        assert are_equal(preprocess(both, folder, jobs=1), after)
        assert contents_of(folder) == contents_of(tmp_path / "after")    # nothing of the killed merge is left
        k += 1
    assert k > 12 and all(sum(state) == 1 for state in states)
    assert [state[1] for state in states] == sorted(state[1] for state in states)        # once new, always new
    assert states[0][0] and states[-1][1]
    for path in (tmp_path / "set" / "shard-000000").iterdir():           # the old shard is as it was
        assert path.read_bytes() == (tmp_path / "after" / "shard-000000" / path.name).read_bytes()


@pytest.mark.faults
def test_a_first_merge_killed_at_any_write_leaves_a_data_set_or_none(archives, tmp_path, monkeypatch):
    whole, k, seen = preprocess(archives[0], tmp_path / "whole", jobs=1), 0, set()
    while killed_at(k, monkeypatch, archives[0], tmp_path / f"set-{k}"):
        folder = tmp_path / f"set-{k}"
        try:
            assert are_equal(dataset.load_dataset(folder), whole)
            seen.add("new")
        except BadInput as error:
            assert "is not a data set: " in str(error) and " is missing (make one: mugo preprocess" in str(error)
            seen.add("none")
        options = {} if "new" in seen else {"seed": 5}   # those of no data set may change
        again = preprocess(archives[0], folder, jobs=1, **options)
        assert again.games["game_hash"].equals(whole.games["game_hash"])
        k += 1
    assert k > 12 and seen == {"new", "none"}


def test_a_data_set_that_grows_while_it_is_open_stays_as_it_was(archives, tmp_path):
    first, both = archives
    data = preprocess(first, tmp_path / "set", jobs=1)
    opened = dataset.load_dataset(tmp_path / "set")
    grown = preprocess(both, tmp_path / "set", jobs=1)
    assert are_equal(opened, data) and not are_equal(opened, grown)
    opened.verify()


def test_a_data_set_that_grows_while_it_is_opened_is_read_in_one_state(archives, tmp_path, monkeypatch):
    first, both = archives
    before = preprocess(first, tmp_path / "set", jobs=1)
    read, was_merged = dataset.read_meta, False

    def read_then_merge(folder):
        nonlocal was_merged
        values = read(folder)
        if not was_merged:               # after meta.json of the old state has been read
            was_merged = True
            preprocess(both, tmp_path / "set", jobs=1)
        return values

    monkeypatch.setattr(dataset, "read_meta", read_then_merge)
    assert are_equal(dataset.load_dataset(tmp_path / "set"), before) and was_merged


def test_a_data_set_without_a_shard_is_not_begun_anew(archives, tmp_path):
    preprocess(archives[0], tmp_path / "set", jobs=1)
    (tmp_path / "set" / "shard-000000" / "index.npy").unlink()
    with pytest.raises(BadInput, match=r"set is not a data set: shard-000000/index.npy is missing"):
        preprocess(archives[0], tmp_path / "set", jobs=1)
    assert (tmp_path / "set" / "shard-000000" / "moves.npy").exists()


def test_many_shards_are_the_same_data_set_as_one(archives, tmp_path, monkeypatch):
    """Each archive added alone, or a shard for each part: the games used, their order and labels."""
    whole = preprocess(archives[1], tmp_path / "whole", jobs=1)
    monkeypatch.setattr(unmerged, "PART_GAMES", 2)
    monkeypatch.setattr(unmerged, "BATCH_FILES", 1)
    monkeypatch.setattr(preprocess_module, "SHARD_GAMES", 2)
    parts = preprocess(archives[1], tmp_path / "parts", jobs=1)
    assert len(parts.shards) >= 5 and len(whole.shards) == 1
    columns = [name for name in whole.games if name != "ownership_start"]
    assert parts.games[columns].equals(whole.games[columns]) and parts.fingerprint == whole.fingerprint
    assert (parts.games["ownership_start"] >= 0).equals(whole.games["ownership_start"] >= 0)
    numbers = np.arange(len(whole.positions(None)))
    for one, other in zip(whole.positions(None).batch(numbers), parts.positions(None).batch(numbers), strict=True):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    grown = preprocess(archives[0], tmp_path / "grown", jobs=1)
    grown = preprocess(archives[1], tmp_path / "grown", jobs=1)
    assert grown.games[columns].equals(whole.games[columns]) and grown.fingerprint == whole.fingerprint
    assert sum(len(shard.rejected()) for shard in grown.shards) == 2     # said once
    rows = np.array([8, 0, 4, 8, 3])
    for one, other in ((whole, parts), (whole, grown)):
        games, same = one.selection().take(rows), other.selection().take(rows)
        assert games.table(["file", "black_rank"]).equals(same.table(["file", "black_rank"]))
        assert games.column("game_hash").tolist() == same.column("game_hash").tolist()
        assert games.arrays().moves.tolist() == same.arrays().moves.tolist()
    chosen = grown.positions(None, where="reject_reason == '' and black_rank > 2")
    assert chosen.fingerprint == whole.positions(None, where="black_rank > 2").fingerprint
    assert chosen.games.table().equals(grown.used_games[grown.used_games["black_rank"] > 2].reset_index(drop=True))


def test_the_ids_of_all_duplicates_are_not_searched_again_for_each_part(tmp_path, monkeypatch):
    """Which would be quadratic: they are sorted."""
    monkeypatch.setattr(pd.Index, "isin", lambda *_, **__: pytest.fail("a search among all ids"))
    monkeypatch.setattr(unmerged, "PART_GAMES", 2)
    monkeypatch.setattr(unmerged, "BATCH_FILES", 2)
    records = [random_record(seed, plies=60) for seed in range(6)]
    cut = [replace(record, moves=record.moves[:55]) for record in records]
    data = dataset_of(tmp_path, [*records, *cut, *records])
    assert data.games["reject_reason"].tolist() == [""] * 6 + ["duplicate"] * 12
