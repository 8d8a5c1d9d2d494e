"""Tasks that read archives by themselves: the same rows in the same order as preprocess, whatever runs twice."""
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from make_archives import tarred, zipped
from random_records import random_record, write_games

from mugo.data import cluster_read, new_files, parts, preprocess
from mugo.data.cluster_read import read_on_cluster, read_tasks, run_task
from mugo.data.dataset import DataSet
from mugo.data.new_files import ReadReport
from mugo.data.new_games import NewGames
from mugo.data.parts import part_paths, read_part, write_part
from mugo.core.parallel import open_executor
from mugo.sgf.sources import Source, find_sources
from mugo.sgf.writer import format_record

UNKNOWN = np.empty(0, np.uint64)


@pytest.fixture
def archives(tmp_path):
    """A folder of loose files, a .zip and a .tar, one file of which is in it twice and one of which is damaged."""
    games = {f"g{i:02d}.sgf": format_record(random_record(i, plies=12 + i)).encode() for i in range(40)}
    write_games(tmp_path / "in" / "loose", range(100, 109), plies=10)
    (tmp_path / "in" / "a.zip").write_bytes(zipped(games))
    more = {f"old/{name}": data for name, data in list(games.items())[:7]} | {"old/bad.sgf": b"(;GM[1]SZ[9];B[zz"}
    (tmp_path / "in" / "b.tar").write_bytes(tarred(more))
    return tmp_path / "in"


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    monkeypatch.setattr(cluster_read, "TASK_BYTES", 700)
    monkeypatch.setattr(cluster_read, "TASK_FILES", 4)
    monkeypatch.setattr(new_files, "BATCH_FILES", 3)
    monkeypatch.setattr(parts, "PART_GAMES", 5)


def rows_of(folder):
    return pd.concat([read_part(path) for path in part_paths(folder)], ignore_index=True)


def read(sources, folder, known=UNKNOWN):
    """(games, bytes) of each task."""
    return read_with_report(sources, folder, known)[0]


def read_with_report(sources, folder, known=UNKNOWN):
    folder.mkdir(exist_ok=True)
    report = ReadReport()
    with open_executor(1) as executor:
        counts = read_on_cluster(executor, sources, [source.checksum() for source in sources], folder,
                                 np.sort(known), report)
        return list(counts), report


@pytest.mark.slow
def test_tasks_read_every_file_once_and_in_the_order_of_preprocess(archives, tmp_path, monkeypatch):
    sources = find_sources([archives])
    counts = read(sources, tmp_path / "set")
    assert len(counts) > 8 and sum(games for games, _ in counts) == len(rows_of(tmp_path / "set")) == 40 + 8 + 9
    assert sum(size for _, size in counts) <= sum(source.size for source in sources)
    monkeypatch.setattr(preprocess, "merge_parts", lambda *_: None)          # leave the parts
    preprocess.preprocess([str(archives)], tmp_path / "here", jobs=1)
    pd.testing.assert_frame_equal(rows_of(tmp_path / "set"), rows_of(tmp_path / "here"))


def test_a_task_that_runs_twice_writes_the_same_files(archives, tmp_path):
    sources = find_sources([archives])
    read(sources, tmp_path / "set")
    before = {path.name: path.read_bytes() for path in part_paths(tmp_path / "set")}
    np.save(tmp_path / "set" / "unfinished" / "known.npy", UNKNOWN)
    for task in list(read_tasks(sources, [source.checksum() for source in sources], tmp_path / "set", 0))[3:6]:
        assert run_task(task).games
    assert {path.name: path.read_bytes() for path in part_paths(tmp_path / "set")} == before


def test_known_files_are_not_read_again(archives, tmp_path):
    sources = find_sources([archives])
    read(sources, tmp_path / "set")
    before, rows = part_paths(tmp_path / "set"), rows_of(tmp_path / "set")
    read(sources, tmp_path / "set", rows["file_key"].to_numpy())
    assert part_paths(tmp_path / "set") == before
    read(sources, tmp_path / "set", rows["file_key"].to_numpy()[:-5])
    assert sorted(rows_of(tmp_path / "set")["file_key"][len(rows):]) == sorted(rows["file_key"][-5:])


def test_second_copies_of_files_are_not_merged(archives, tmp_path):
    """In other parts, as of an archive that has a file twice, or that is read twice; and in the same part."""
    sources = find_sources([archives])
    read(sources, tmp_path / "set")
    rows = rows_of(tmp_path / "set")
    read([*sources, *sources], tmp_path / "twice")
    write_part(tmp_path / "once", pd.concat([rows, rows[20:]]))
    for folder in tmp_path / "twice", tmp_path / "once":
        assert len(rows_of(folder)) > len(rows)
        new = NewGames(folder, DataSet(folder, {}, (), {}), {"min_moves": 0, "where": ""})
        pd.testing.assert_frame_equal(pd.concat(new.tables()), rows)


def test_what_is_left_out_is_counted_once(archives, tmp_path):
    members = {f"g{i}.{'sgf' if i % 3 else 'txt'}": os.urandom(99) for i in range(60)}
    whole = tarred(members | {"in.zip": b"PK\3\4"}, "w:gz")
    (archives / "c.tar.gz").write_bytes(whole[:-8] + bytes(8))      # a wrong checksum
    report = read_with_report(find_sources([archives]), tmp_path / "set")[1]
    assert (report.others, report.example) == (20, "c.tar.gz/g0.txt")
    assert [line.partition(": ")[0] for line in report.refused] == ["c.tar.gz/in.zip", "c.tar.gz"]


def test_a_large_archive_is_unpacked_at_most_nine_times(monkeypatch):
    source = Source("x.tar.gz", "x.tar.gz", 1 << 30, None)
    ranges = [task.range for task in read_tasks([source], [""], Path("set"), 0)]
    assert sum(min(each.end, source.size) for each in ranges) < 9 * source.size
