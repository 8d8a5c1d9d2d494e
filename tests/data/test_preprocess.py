"""Archives in, a data set out: what is stored, adding to it, interruptions."""
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from damaged_data import copy_of
from make_archives import OTHERS, tarred, zipped
from random_records import dataset_of, finished_record, random_record, transformed, write_games
from sgf_games import encoded

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.data import dataset, preprocess as preprocess_module, unmerged
from mugo.data.dataset import DataSet
from mugo.data.game_hash import assign_splits, DEFAULT_FRACTION, fractions_with_games
from mugo.data.preprocess import preprocess
from mugo.games import planes
from mugo.games.coords import WHITE_BIT
from mugo.games.planes import MAX_PLIES
from mugo.sgf.convert import format_record


def test_moves_and_game_info_are_stored_as_recorded(tmp_path):
    records = [random_record(seed, plies=40 + seed) for seed in range(5)]
    data = dataset_of(tmp_path, records)
    assert list(data.used_games["num_moves"]) == [40, 41, 42, 43, 44]
    moves = data.selection().arrays().moves
    assert moves.tolist() == np.concatenate([record.moves for record in records]).tolist()
    for row, record in zip(data.used_games.itertuples(), records, strict=True):
        assert (row.winner, row.komi, row.date) == (record.winner, record.komi, record.date)
    assert data.meta["counts"] == {"found": 5, "used": 5, "positions": 210}


def test_an_invalid_query_is_reported_before_anything_is_read(tmp_path):
    write_games(tmp_path / "sgf", [1])
    with pytest.raises(BadInput, match="--where \"rank > 3\".*columns: file_key, source"):
        preprocess([str(tmp_path / "sgf")], tmp_path / "set", where="rank > 3")
    for column in "setup", "moves":                      # of the tables of new games only
        with pytest.raises(BadInput, match=f"name '{column}' is not defined"):
            preprocess([str(tmp_path / "sgf")], tmp_path / "set", where=f"{column} > 'x'")
    assert not (tmp_path / "set").exists()


def test_a_second_run_adds_nothing_and_more_archives_add_their_games(tmp_path):
    write_games(tmp_path / "a", range(10))
    write_games(tmp_path / "b", range(5, 15))
    first = preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1, test=0.3)
    again = preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1, test=0.3)
    assert again.games.equals(first.games)
    more = preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", jobs=1, test=0.3)
    assert len(more.used_games) == 15
    assert more.games.iloc[:10].equals(first.games)
    assert [len(data.shards) for data in (first, again, more)] == [1, 1, 2]
    both = preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "both", jobs=1, test=0.3)
    assert both.games.equals(more.games)
    assert both.fingerprint == more.fingerprint != first.fingerprint


def test_a_small_data_set_has_a_game_in_each_split_and_keeps_its_fractions(tmp_path, capsys):
    """By the defaults of the command 2 % of 20 games would be none."""
    write_games(tmp_path / "a", range(20))
    write_games(tmp_path / "b", range(20, 60))
    words = ["preprocess", "-o", str(tmp_path / "set"), "--jobs", "1", str(tmp_path / "a")]
    assert cli.main(words) == 0
    printed = capsys.readouterr().out
    data = dataset.load_dataset(tmp_path / "set")
    counts = data.used_games["split"].value_counts()
    assert counts["validation"] >= 1 and counts["test"] >= 1 and counts["train"] >= 14
    shares = data.meta["options"]["validation"], data.meta["options"]["test"]
    assert f"The data set has --validation {shares[0]:g} and --test {shares[1]:g}, and keeps them" in printed
    assert len(data.positions("validation")) and len(data.positions("test"))
    assert cli.main([*words, str(tmp_path / "b")]) == 0          # without naming its fractions again
    grown = dataset.load_dataset(tmp_path / "set")
    assert grown.used_games["split"].iloc[:20].equals(data.used_games["split"])
    assert (grown.meta["options"]["validation"], grown.meta["options"]["test"]) == shares
    assert cli.main([*words, "--validation", "0.5"]) == 2
    assert "was made with --validation" in capsys.readouterr().err


def test_a_split_without_games_names_the_option(tmp_path, capsys):
    write_games(tmp_path / "a", range(20))
    words = ["preprocess", str(tmp_path / "a"), "-o", str(tmp_path / "set"), "--jobs", "1"]
    assert cli.main([*words, "--validation", "0", "--test", "0.3"]) == 0
    assert "No game is in validation with --validation 0 and --test 0.3" in capsys.readouterr().out
    with pytest.raises(BadInput, match="no validation games on 9x9; mugo preprocess --validation chooses their share"):
        dataset.load_dataset(tmp_path / "set").positions("validation")


@pytest.mark.parametrize("number", [3, 5, 20, 39, 100])
def test_the_fractions_of_a_small_data_set_put_a_game_in_each_split(number):
    for seed in range(40):
        hashes = np.random.default_rng(seed).integers(0, 1 << 63, number).astype(np.uint64)
        validation, test = fractions_with_games(hashes, seed, None, None)
        splits = assign_splits(hashes, seed, validation, test).tolist()
        assert set(splits) == {"train", "validation", "test"}
        assert splits.count("test") == 1 or test == DEFAULT_FRACTION
        assert splits.count("validation") == 1 or validation == DEFAULT_FRACTION
    assert fractions_with_games(hashes, 0, 0.0, 0.3) == (0.0, 0.3)
    for few in range(3):
        assert fractions_with_games(hashes[:few], 0, None, None) == (DEFAULT_FRACTION, DEFAULT_FRACTION)


def test_a_folder_that_is_not_a_data_set_is_not_touched(tmp_path):
    write_games(tmp_path / "a", range(3))
    with pytest.raises(BadInput, match="exists and is not a data set; choose another name with -o"):
        preprocess([str(tmp_path / "a")], tmp_path / "a")
    with pytest.raises(BadInput, match=r"meta.json is missing \(make one: mugo preprocess"):
        dataset.load_dataset(tmp_path / "a")


def test_a_killed_run_is_resumed_with_the_same_result(tmp_path, monkeypatch):
    """kill -9 as soon as a part is on the disk; small unmerged, so that there is more to come."""
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
        for seed in range(60):
            archive.writestr(f"{seed}.sgf", format_record(random_record(seed, plies=30)))
    program = ("from mugo.data import preprocess, unmerged; from pathlib import Path; unmerged.PART_GAMES = 4; "
               "unmerged.BATCH_FILES = 4\n"
               "if __name__ == '__main__':\n"
               f"    preprocess.preprocess([{str(tmp_path / 'games.zip')!r}], Path({str(tmp_path / 'set')!r}),"
               " jobs=1)")
    (tmp_path / "program.py").write_text(program)
    running = subprocess.Popen([sys.executable, tmp_path / "program.py"], stderr=subprocess.DEVNULL,
                               env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    while not list((tmp_path / "set").glob("unfinished/part-*.parquet")) and running.poll() is None:
        time.sleep(0.001)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    resumed = preprocess([str(tmp_path / "games.zip")], tmp_path / "set", jobs=1)
    unbroken = preprocess([str(tmp_path / "games.zip")], tmp_path / "other", jobs=1)
    assert resumed.games.equals(unbroken.games)
    assert resumed.fingerprint == unbroken.fingerprint
    assert not (tmp_path / "set" / "unfinished").exists()


def test_without_any_usable_game_the_reasons_are_on_stderr_and_the_status_is_2(tmp_path, capsys):
    write_games(tmp_path / "a", range(3), plies=10)
    (tmp_path / "a" / "text.sgf").write_text("no SGF")
    command = ["preprocess", "-o", str(tmp_path / "set"), "--jobs", "1", str(tmp_path / "a")]
    assert cli.main(command) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    *table, error = printed.err.splitlines()
    assert error.startswith("mugo preprocess: no game can be used, for example a/game-000.sgf: 10 moves; at least 20")
    assert error.endswith(f"; {tmp_path}/set/shard-*/games.parquet has the reason of each")
    assert [line.split() for line in table[7:10]] == [["games", "not", "used,", "by", "reason:"],
                                                     ["3", "too", "few", "moves"], ["1", "not", "SGF"]]
    write_games(tmp_path / "b", range(3, 6), plies=30)           # games that can be used are added as to any data set
    assert cli.main([*command, str(tmp_path / "b")]) == 0
    printed = capsys.readouterr()
    assert printed.err == "" and "3  games used" in printed.out


def test_an_archive_that_cannot_be_read_is_named_and_the_games_of_the_others_are_kept(tmp_path, capsys):
    write_games(tmp_path / "in", range(3))
    whole = tarred({f"{seed}.sgf": format_record(random_record(seed)).encode() for seed in range(3, 9)})
    for name, content in (("a.7z", b"7z\xbc\xaf\x27\x1c" + bytes(99)), ("b.tar", whole[:len(whole) // 2]),
                          ("c.zip", zipped({"in.tar.gz": b"\x1f\x8bxx", "9.sgf": b"no game"}))):
        (tmp_path / "in" / name).write_bytes(content)
    command = ["preprocess", "-o", str(tmp_path / "set"), "--jobs", "1", str(tmp_path / "in")]
    for _ in range(2):                                               # what was refused once is refused again
        assert cli.main(command) == 2
        printed = capsys.readouterr()
        error, = printed.err.splitlines()
        assert error.startswith("mugo preprocess: not read, or not to the end: a.7z: invalid header data; "
                                "b.tar: ") and "; c.zip/in.tar.gz: " in error
        assert error.endswith(f"; all other games are in {tmp_path / 'set'}")
        data = dataset.load_dataset(tmp_path / "set")
        assert data.meta["counts"]["used"] > 3 and f"{data.meta['counts']['used']}  games used" in printed.out
    command[2:] = [str(tmp_path / "loose"), "--jobs", "1", str(tmp_path / "in" / "game-000.sgf")]
    assert cli.main(command) == 0


def test_files_that_are_no_game_records_are_counted(tmp_path, capsys):
    games = {f"{seed}.sgf": format_record(random_record(seed)).encode() for seed in range(3)}
    (tmp_path / "x.zip").write_bytes(zipped(games | OTHERS | {"in.tar": tarred(OTHERS)}))
    assert cli.main(["preprocess", "-o", str(tmp_path / "set"), "--jobs", "1", str(tmp_path / "x.zip")]) == 0
    assert ("           8  files in archives left out, as they are not game records, for example x.zip/read me.txt"
            in capsys.readouterr().out.splitlines())


def test_games_of_a_large_collection_keep_their_numbers(tmp_path, monkeypatch):
    records = [random_record(seed, plies=20 + seed) for seed in range(12)]
    (tmp_path / "x.sgfs").write_text("\n".join(format_record(record).replace("\n", " ") for record in records))
    whole = preprocess([str(tmp_path / "x.sgfs")], tmp_path / "whole", jobs=1)
    monkeypatch.setattr("mugo.sgf.archives.MAX_BYTES", 1000)
    pieces = preprocess([str(tmp_path / "x.sgfs")], tmp_path / "pieces", jobs=1)
    assert whole.games["file_key"].nunique() == 1 < pieces.games["file_key"].nunique()
    assert pieces.games.drop(columns="file_key").equals(whole.games.drop(columns="file_key"))
    assert pieces.games["game_number"].tolist() == list(range(1, 13))


def test_a_file_of_the_same_name_and_content_in_another_archive_has_a_row_of_its_own(tmp_path):
    texts = [format_record(random_record(seed)) for seed in range(2)]
    for name, count in (("a", 1), ("b", 2)):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for number, text in enumerate(texts[:count]):
                archive.writestr(f"{number}.sgf", text)
    data = preprocess([str(tmp_path / f"{name}.zip") for name in "ab"], tmp_path / "set", jobs=1)
    assert data.games["source"].tolist() == ["a.zip", "b.zip", "b.zip"]
    assert data.games["reject_reason"].tolist() == ["", "duplicate", ""]


def test_parts_that_were_merged_but_not_deleted_are_not_merged_again(tmp_path, monkeypatch):
    """As after kill -9 between the two."""
    write_games(tmp_path / "a", range(4))
    with monkeypatch.context() as patched:
        patched.setattr(preprocess_module.shutil, "rmtree", lambda *_, **__: None)
        first = preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    assert list((tmp_path / "set" / "unfinished").glob("part-*.parquet"))
    again = preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    assert again.games.equals(first.games) and len(again.games) == 4
    assert again.fingerprint == first.fingerprint and len(again.shards) == 1


def test_the_moves_of_an_opening_are_setup_stones_and_no_positions(tmp_path):
    """Random moves are not to be learned.  White's stone in the corner is captured before the opening ends."""
    opening, rest = "Bba Waa Bab Wee Bii", " ".join(f"{'WB'[i % 2]}{chr(97 + i // 2)}{'cg'[i % 2]}" for i in range(18))
    moves = "".join(f";{move[0]}[{move[1:]}]" for move in f"{opening} {rest}".split())
    data = dataset_of(tmp_path, [f"(;GM[1]SZ[9]C[startTurnIdx=5]{moves})"], min_moves=18)
    assert data.used_games["num_moves"].item() == data.meta["counts"]["positions"] == 18
    assert data.selection().arrays().setup.tolist() == encoded("Bba Bab Wee Bii", 9)
    assert data.selection().arrays().moves.tolist() == encoded(rest, 9)
    mine, theirs = planes.unpack(data.positions().batch(np.arange(18)).packed[0])[..., :2].reshape(-1, 2).T
    assert (np.flatnonzero(mine).tolist(), np.flatnonzero(theirs).tolist()) == ([40], [1, 9, 80])    # White is to play


def test_options_may_change_until_the_first_merge(tmp_path, monkeypatch):
    write_games(tmp_path / "a", range(3))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(preprocess_module, "merge_parts", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    monkeypatch.setattr(unmerged, "read_batch", None)     # nothing is read again
    data = preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1, where="num_moves > 1")
    assert len(data.games) == 3 and data.meta["options"]["where"] == "num_moves > 1"


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
    opened.table()


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
    for one, other in zip(whole.positions(None).batch(numbers)[:-1], parts.positions(None).batch(numbers)[:-1],
                          strict=True):
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


def test_every_rejected_game_has_a_reason(tmp_path):
    good = random_record(1)
    illegal = replace(good, moves=np.append(good.moves[:30], good.moves[0]))
    data = dataset_of(tmp_path, [good, illegal, random_record(2, plies=10), "(;GM[1]SZ[9];B[aa", "no game", good],
                   where="black != 'player 2' or num_moves > 1000")
    by_name = data.games.set_index("file")
    assert by_name["reject_reason"].tolist() == ["", "illegal move", "too few moves", by_name["reject_reason"].iloc[3],
                                                 "not SGF", "duplicate"]
    assert "move 31" in by_name["reject_details"].iloc[1]
    assert "is occupied" in by_name["reject_details"].iloc[1]
    assert by_name["reject_details"].iloc[5] == "the same game as sgf/000.sgf"
    assert (by_name.loc[by_name["reject_reason"] != "", "split"] == "").all()


def test_setup_stones_without_a_liberty_are_illegal(tmp_path):
    good = random_record(1)
    corner = replace(good, setup=np.array([0 + WHITE_BIT, 1, 9], np.int16))
    data = dataset_of(tmp_path, [corner, good])
    assert data.games["reject_reason"].tolist() == ["illegal setup", ""]
    assert "A9" in data.games["reject_details"].iloc[0]


def test_a_game_has_fewer_moves_than_the_history_of_a_board(tmp_path):
    """A board's history holds MAX_PLIES positions."""
    passes = np.where(np.arange(MAX_PLIES) % 2, 81 + WHITE_BIT, 81).astype(np.int16)
    passes[0] = 40                       # a game of passes only has the hash of any other
    games = [replace(random_record(1), moves=passes[:-1]), replace(random_record(1), moves=passes)]
    data = dataset_of(tmp_path, games)
    assert data.games["reject_reason"].tolist() == ["", "too many moves"]
    assert data.games["reject_details"].iloc[1] == f"{MAX_PLIES} moves; at most {MAX_PLIES - 1}"


def test_games_that_where_does_not_select_are_rejected(tmp_path):
    data = dataset_of(tmp_path, [random_record(seed) for seed in range(6)], where="black == 'player 1'")
    assert set(data.used_games["black"]) == {"player 1"}
    assert data.games["reject_reason"].value_counts()["not selected by --where"] == 4


@pytest.mark.parametrize("symmetry", range(8))
@pytest.mark.parametrize("exchange_colours", [False, True])
def test_copies_under_symmetries_and_exchanged_colours_are_duplicates(tmp_path, symmetry, exchange_colours):
    game = random_record(3)
    data = dataset_of(tmp_path, [game, transformed(game, symmetry, exchange_colours), random_record(4)])
    assert data.games["reject_reason"].tolist() == ["", "duplicate", ""]


def test_duplicates_are_those_of_comparing_each_game_with_each_other(tmp_path):
    """Games that share 45 moves, cut anywhere after that, under symmetries: also beginnings of beginnings."""
    rng, trunk = np.random.default_rng(0), random_record(0, plies=45)
    lines = []
    for seed in range(4):
        played = random_record(seed, plies=75, after=trunk).moves
        lines += [played[:length].tolist() for length in (75, *rng.integers(45, 76, 6))]
    lines = [lines[i] for i in rng.permutation(len(lines))]
    data = dataset_of(tmp_path, [transformed(replace(trunk, moves=np.array(line, np.int16)), int(rng.integers(8)))
                                 for line in lines])
    expected = []
    for i, line in enumerate(lines):
        same = min(j for j, other in enumerate(lines) if other == line)
        longer = [(-len(other), j) for j, other in enumerate(lines)
                  if len(other) > len(line) and other[:len(line)] == line]
        expected.append(f"the same game as sgf/{same:03d}.sgf" if same < i else
                        f"the beginning of sgf/{min(longer)[1]:03d}.sgf" if longer else "")
    assert data.games["reject_details"].tolist() == expected
    assert len({text[:10] for text in expected}) == 3 and expected.count("") == 4


@pytest.mark.parametrize("first", [50, 80])
def test_a_truncated_copy_is_found_among_games_that_are_added_later(tmp_path, first):
    """The longer game is used, wherever it is stored; others stay as they are."""
    whole, other = random_record(5, plies=80), random_record(6, plies=70)
    for name, length in (("a", first), ("b", 130 - first)):
        (tmp_path / name).mkdir()
        record = replace(whole, moves=transformed(whole, 3).moves[:length])
        (tmp_path / name / "game.sgf").write_text(format_record(record), encoding="utf-8")
    (tmp_path / "a" / "other.sgf").write_text(format_record(other), encoding="utf-8")
    preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    data = preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", jobs=1)
    used, games = data.used_games.set_index("num_moves"), data.selection()
    assert sorted(used.index) == sorted(games.column("num_moves").tolist()) == [70, 80]
    assert used.at[80, "source"] == ("b" if first == 50 else "a")
    for length, moves in ((70, other.moves), (80, transformed(whole, 3).moves)):
        assert games.arrays(games.column("num_moves") == length).moves.tolist() == moves.tolist()


def test_passes_at_the_end_do_not_make_another_game(tmp_path):
    game = random_record(5)
    passes = np.array([81, 81 + WHITE_BIT], np.int16)
    data = dataset_of(tmp_path, [game, replace(game, moves=np.concatenate([game.moves, passes]))])
    assert data.games["reject_reason"].tolist().count("duplicate") == 1
