"""Archives in, a data set out: what is stored, adding to it, interruptions."""
import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
from damaged_data import sign
from make_archives import OTHERS, tarred, zipped
from random_records import dataset_of, random_record, write_games
from sgf_games import encoded

from mugo.cli import main as cli
from mugo.core import progress
from mugo.data import dataset, preprocess, unmerged
from mugo.data.game_hash import DEFAULT_FRACTION, assign_splits, fractions_with_games
from mugo.data.games_table import make_table
from mugo.data.unmerged import is_known
from mugo.core.files import BadInput, lock_folder
from mugo.games import planes
from mugo.sgf.sources import read_files
from mugo.sgf.writer import format_record


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
        preprocess.preprocess([str(tmp_path / "sgf")], tmp_path / "set", where="rank > 3")
    for column in "setup", "moves":                      # of the tables of new games only
        with pytest.raises(BadInput, match=f"name '{column}' is not defined"):
            preprocess.preprocess([str(tmp_path / "sgf")], tmp_path / "set", where=f"{column} > 'x'")
    assert not (tmp_path / "set").exists()


def test_a_second_run_adds_nothing_and_more_archives_add_their_games(tmp_path):
    write_games(tmp_path / "a", range(10))
    write_games(tmp_path / "b", range(5, 15))
    first = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1, test=0.3)
    again = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1, test=0.3)
    assert again.games.equals(first.games)
    more = preprocess.preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", jobs=1, test=0.3)
    assert len(more.used_games) == 15
    assert more.games.iloc[:10].equals(first.games)
    assert [len(data.shards) for data in (first, again, more)] == [1, 1, 2]
    both = preprocess.preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "both", jobs=1, test=0.3)
    assert both.games.equals(more.games)
    assert both.fingerprint == more.fingerprint != first.fingerprint


def test_an_archive_is_not_opened_again_once_its_games_are_in_the_data_set(tmp_path, monkeypatch):
    for name, seeds in (("a", range(3)), ("b", range(3, 5))):
        (tmp_path / f"{name}.tar").write_bytes(tarred(
            {f"{seed}.sgf": format_record(random_record(seed)).encode() for seed in seeds}))
    preprocess.preprocess([str(tmp_path / "a.tar")], tmp_path / "set", jobs=1)
    opened = []
    monkeypatch.setattr(unmerged, "read_files", lambda source, *rest: opened.append(source.label) or iter(()))
    again = preprocess.preprocess([str(tmp_path / "a.tar")], tmp_path / "set", jobs=1)
    assert len(again.games) == 3 and opened == []
    monkeypatch.setattr(unmerged, "read_files", lambda source, *rest: opened.append(source.label)
                        or read_files(source, *rest))
    more = preprocess.preprocess([str(tmp_path / name) for name in ("a.tar", "b.tar")], tmp_path / "set", jobs=1)
    assert len(more.games) == 5 and opened == ["b.tar"]


def test_an_existing_data_set_keeps_its_options(tmp_path):
    write_games(tmp_path / "a", range(3))
    preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    with pytest.raises(BadInput, match=r"made with --min-moves 20, not 30"):
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", min_moves=30)


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
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "a")
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
    resumed = preprocess.preprocess([str(tmp_path / "games.zip")], tmp_path / "set", jobs=1)
    unbroken = preprocess.preprocess([str(tmp_path / "games.zip")], tmp_path / "other", jobs=1)
    assert resumed.games.equals(unbroken.games)
    assert resumed.fingerprint == unbroken.fingerprint
    assert not (tmp_path / "set" / "unfinished").exists()


def test_progress_advances_to_a_total_that_does_not_change(tmp_path, monkeypatch):
    for name in ("a", "b"):
        write_games(tmp_path / name, range(8) if name == "a" else range(8, 40), plies=30)
    bars: list[progress.ProgressLog] = []
    seen: list[tuple[float, float]] = []
    monkeypatch.setattr(unmerged, "BATCH_FILES", 4)
    monkeypatch.setattr(preprocess, "progress_bar",
                        lambda unit, total, **_: bars.append(progress.ProgressLog(unit, total)) or bars[0])
    monkeypatch.setattr(progress.ProgressLog, "set_postfix_str",
                        lambda self, text, refresh: seen.append((self.n, self.total)))
    preprocess.preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", jobs=1)
    size = sum(path.stat().st_size for path in tmp_path.glob("[ab]/*.sgf"))
    assert {total for _, total in seen} == {size} == {bars[0].n}
    done = [n for n, _ in seen]
    assert len(done) == 10 and done == sorted(set(done))
    assert done[5] == pytest.approx(size / 2, rel=0.1)           # before the sixth batch of ten


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


def test_many_archives_that_cannot_be_read_are_one_line(tmp_path, capsys):
    write_games(tmp_path / "in", range(3))
    (tmp_path / "in" / "x.zip").write_bytes(zipped({f"{number:02}.zip": b"PK\3\4" for number in range(30)}))
    assert cli.main(["preprocess", "-o", str(tmp_path / "set"), "--jobs", "1", str(tmp_path / "in")]) == 2
    error, = capsys.readouterr().err.splitlines()
    assert "; x.zip/09.zip: " in error and "10.zip" not in error and "; and 20 more; all other games" in error


def test_files_that_are_no_game_records_are_counted(tmp_path, capsys):
    games = {f"{seed}.sgf": format_record(random_record(seed)).encode() for seed in range(3)}
    (tmp_path / "x.zip").write_bytes(zipped(games | OTHERS | {"in.tar": tarred(OTHERS)}))
    assert cli.main(["preprocess", "-o", str(tmp_path / "set"), "--jobs", "1", str(tmp_path / "x.zip")]) == 0
    assert ("           8  files in archives left out, as they are not game records, for example x.zip/read me.txt"
            in capsys.readouterr().out.splitlines())


def test_games_of_a_large_collection_keep_their_numbers(tmp_path, monkeypatch):
    records = [random_record(seed, plies=20 + seed) for seed in range(12)]
    (tmp_path / "x.sgfs").write_text("\n".join(format_record(record).replace("\n", " ") for record in records))
    whole = preprocess.preprocess([str(tmp_path / "x.sgfs")], tmp_path / "whole", jobs=1)
    monkeypatch.setattr("mugo.sgf.archives.MAX_BYTES", 1000)
    pieces = preprocess.preprocess([str(tmp_path / "x.sgfs")], tmp_path / "pieces", jobs=1)
    assert whole.games["file_key"].nunique() == 1 < pieces.games["file_key"].nunique()
    assert pieces.games.drop(columns="file_key").equals(whole.games.drop(columns="file_key"))
    assert pieces.games["game_number"].tolist() == list(range(1, 13))


def test_a_file_of_the_same_name_and_content_in_another_archive_has_a_row_of_its_own(tmp_path):
    texts = [format_record(random_record(seed)) for seed in range(2)]
    for name, count in (("a", 1), ("b", 2)):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for number, text in enumerate(texts[:count]):
                archive.writestr(f"{number}.sgf", text)
    data = preprocess.preprocess([str(tmp_path / f"{name}.zip") for name in "ab"], tmp_path / "set", jobs=1)
    assert data.games["source"].tolist() == ["a.zip", "b.zip", "b.zip"]
    assert data.games["reject_reason"].tolist() == ["", "duplicate", ""]


def test_files_are_known_by_their_keys_in_a_data_set_or_a_part(tmp_path):
    write_games(tmp_path / "a", range(5))
    preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    stored = dataset.load_dataset(tmp_path / "set").games["file_key"].tolist()
    unmerged.write_part(tmp_path / "set", make_table([{"file_key": key} for key in (7, 2**64 - 1)]))
    known = unmerged.known_files(tmp_path / "set")
    assert known.tolist() == sorted([7, 2**64 - 1, *stored]) and is_known(known, known).all()
    assert not any(is_known(np.uint64(key), known) for key in (1, 2**64 - 2, 2**63, 8)) and is_known(known[3], known)
    assert not is_known(np.uint64(1), known[:0])


def test_parts_of_a_stopped_run_are_kept_by_the_next_one(tmp_path, monkeypatch):
    for name, seeds in (("a", range(3)), ("b", range(3, 8))):
        write_games(tmp_path / name, seeds)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(preprocess, "merge_parts", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    data = preprocess.preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", jobs=1)
    assert data.games["source"].tolist() == ["a"] * 3 + ["b"] * 5


def test_parts_that_were_merged_but_not_deleted_are_not_merged_again(tmp_path, monkeypatch):
    """As after kill -9 between the two."""
    write_games(tmp_path / "a", range(4))
    with monkeypatch.context() as patched:
        patched.setattr(preprocess.shutil, "rmtree", lambda *_, **__: None)
        first = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    assert list((tmp_path / "set" / "unfinished").glob("part-*.parquet"))
    again = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
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


def test_a_data_set_has_one_writer_at_a_time(tmp_path):
    write_games(tmp_path / "a", range(3))
    with lock_folder(tmp_path / "set"), pytest.raises(BadInput, match="set: another process is writing to it"):
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)


def test_a_data_set_of_another_format_is_an_error_and_not_touched(tmp_path):
    write_games(tmp_path / "a", range(3))
    write_games(tmp_path / "b", range(3, 6))
    folder = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1).folder
    sign(folder, format=8)
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    with pytest.raises(BadInput, match="is a data set of format 8"):
        preprocess.preprocess([str(tmp_path / "b")], folder, jobs=1)
    assert before == {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}


def test_options_may_change_until_the_first_merge(tmp_path, monkeypatch):
    write_games(tmp_path / "a", range(3))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(preprocess, "merge_parts", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1)
    monkeypatch.setattr(unmerged, "read_batch", None)     # nothing is read again
    data = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", jobs=1, where="num_moves > 1")
    assert len(data.games) == 3 and data.meta["options"]["where"] == "num_moves > 1"
