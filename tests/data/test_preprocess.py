"""Archives in, a data set out: what is kept, what is not and why, and what a crash costs."""
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from random_records import random_record, write_games

from mugo.data import dataset, game_hash, preprocess
from mugo.files import BadInput, lock_folder
from mugo.games.coords import symmetries
from mugo.sgf.parser import WHITE_BIT, read_records
from mugo.sgf.writer import format_record


def turned(record, symmetry: int, recolour: bool = False):
    """The same game on a turned board, with colours exchanged if asked."""
    turn = symmetries(record.size)[symmetry]
    moves = turn[record.moves & (WHITE_BIT - 1)] | ((record.moves & WHITE_BIT) ^ (WHITE_BIT if recolour else 0))
    return replace(record, moves=moves.astype(np.int16), first_player=-record.first_player if recolour
                   else record.first_player)


def made_of(tmp_path, records, **options) -> dataset.DataSet:
    folder = tmp_path / "sgf"
    folder.mkdir()
    for i, record in enumerate(records):
        text = record if isinstance(record, str) else format_record(record)
        (folder / f"{i:03d}.sgf").write_text(text, encoding="utf-8")
    return preprocess.preprocess([str(folder)], tmp_path / "set", workers=1, **options)


def test_moves_and_facts_come_back_as_they_were_recorded(tmp_path):
    records = [random_record(seed, plies=40 + seed) for seed in range(5)]
    data = made_of(tmp_path, records)
    assert list(data.used_games["num_moves"]) == [40, 41, 42, 43, 44]
    for row, record in zip(data.used_games.itertuples(), records, strict=True):
        assert data.moves[row.move_start:row.move_start + row.num_moves].tolist() == record.moves.tolist()
        assert (row.winner, row.komi, row.date) == (record.winner, record.komi, record.date)
    assert data.meta["counts"] == {"found": 5, "used": 5, "positions": 210}


def test_every_game_left_out_has_its_reason(tmp_path):
    good = random_record(1)
    illegal = replace(good, moves=np.append(good.moves[:30], good.moves[0]))
    data = made_of(tmp_path, [good, illegal, random_record(2, plies=10), "(;GM[1]SZ[9];B[aa", "no game", good],
                   where="black != 'player 2' or num_moves > 1000")
    by_name = data.games.set_index("file")
    assert by_name["reject_reason"].tolist() == ["", "illegal move", "too few moves", by_name["reject_reason"].iloc[3],
                                                 "not SGF", "duplicate"]
    assert "move 31" in by_name["reject_details"].iloc[1]
    assert "is occupied" in by_name["reject_details"].iloc[1]
    assert by_name["reject_details"].iloc[5] == "the same game as sgf/000.sgf"
    assert (by_name.loc[by_name["reject_reason"] != "", "split"] == "").all()


def test_where_leaves_out_what_it_does_not_pick(tmp_path):
    data = made_of(tmp_path, [random_record(seed) for seed in range(6)], where="black == 'player 1'")
    assert set(data.used_games["black"]) == {"player 1"}
    assert data.games["reject_reason"].value_counts()["not selected by --where"] == 4


def test_a_query_that_is_none_is_said_before_any_work(tmp_path):
    write_games(tmp_path / "sgf", [1])
    with pytest.raises(BadInput, match="--where 'rank > 3'.*columns: file_key, source"):
        preprocess.preprocess([str(tmp_path / "sgf")], tmp_path / "set", where="rank > 3")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize("symmetry", range(8))
@pytest.mark.parametrize("recolour", [False, True])
def test_turned_and_recoloured_copies_are_duplicates(tmp_path, symmetry, recolour):
    game = random_record(3)
    data = made_of(tmp_path, [game, turned(game, symmetry, recolour), random_record(4)])
    assert data.games["reject_reason"].tolist() == ["", "duplicate", ""]


def test_of_a_game_broken_off_and_resumed_the_whole_one_is_kept(tmp_path):
    whole = random_record(5, plies=80)
    broken = turned(replace(whole, moves=whole.moves[:50]), 3)
    data = made_of(tmp_path, [broken, whole, random_record(6, plies=80)])
    assert data.games["reject_reason"].tolist() == ["duplicate", "", ""]
    assert data.games["reject_details"].iloc[0] == "the beginning of sgf/001.sgf"


def test_passes_at_the_end_make_no_other_game(tmp_path):
    game = random_record(5)
    passes = np.array([81, 81 + WHITE_BIT], np.int16)
    data = made_of(tmp_path, [game, replace(game, moves=np.concatenate([game.moves, passes]))])
    assert data.games["reject_reason"].tolist().count("duplicate") == 1


def test_copies_of_a_game_fall_into_the_same_split():
    for seed in range(20):
        game = random_record(seed, plies=70)
        prints = {game_hash.game_hashes(9, game.setup, copy.moves, symmetries(9))
                  for copy in [turned(game, s, r) for s in range(8) for r in (False, True)]}
        assert len(prints) == 1
        short = game_hash.game_hashes(9, game.setup, turned(game, 5).moves[:50], symmetries(9))
        assert short[1] == prints.pop()[1]


def test_splits_have_their_shares():
    openings = np.random.default_rng(0).integers(0, 2**63, 100_000).astype(np.uint64)
    splits = game_hash.assign_splits(openings, 7, validation=0.1, test=0.05)
    assert abs(np.mean(splits == "test") - 0.05) < 0.005
    assert abs(np.mean(splits == "validation") - 0.1) < 0.005
    assert (splits != game_hash.assign_splits(openings, 8, 0.1, 0.05)).any()


def test_a_second_run_adds_nothing_and_more_archives_add_their_games(tmp_path):
    write_games(tmp_path / "a", range(10))
    write_games(tmp_path / "b", range(5, 15))
    first = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1, test=0.3)
    again = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1, test=0.3)
    assert again.games.equals(first.games)
    more = preprocess.preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "set", workers=1, test=0.3)
    assert len(more.used_games) == 15
    assert more.games.iloc[:10].equals(first.games)
    assert more.moves[:len(first.moves)].tolist() == first.moves.tolist()
    both = preprocess.preprocess([str(tmp_path / "a"), str(tmp_path / "b")], tmp_path / "both", workers=1, test=0.3)
    assert both.games.equals(more.games)
    assert both.fingerprint == more.fingerprint != first.fingerprint


def test_other_options_for_a_data_set_that_is_begun_are_refused(tmp_path):
    write_games(tmp_path / "a", range(3))
    preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1)
    with pytest.raises(BadInput, match=r"made with --min-moves 20, not 30"):
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", min_moves=30)


def test_a_folder_that_is_something_else_is_left_alone(tmp_path):
    write_games(tmp_path / "a", range(3))
    with pytest.raises(BadInput, match="exists and is not a data set; choose another name with -o"):
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "a")
    with pytest.raises(BadInput, match=r"meta.json is missing \(make one: mugo preprocess"):
        dataset.load_dataset(tmp_path / "a")


def test_killed_and_run_again_it_ends_with_the_same_data_set(tmp_path, monkeypatch):
    """kill -9 as soon as a part is on the disk; small parts, so that there is more to come."""
    with zipfile.ZipFile(tmp_path / "games.zip", "w") as archive:
        for seed in range(60):
            archive.writestr(f"{seed}.sgf", format_record(random_record(seed, plies=30)))
    program = ("from mugo.data import preprocess; from pathlib import Path; preprocess.PART_GAMES = 4; "
               "preprocess.BATCH_FILES = 4\n"
               "if __name__ == '__main__':\n"
               f"    preprocess.preprocess([{str(tmp_path / 'games.zip')!r}], Path({str(tmp_path / 'set')!r}),"
               " workers=1)")
    (tmp_path / "program.py").write_text(program)
    running = subprocess.Popen([sys.executable, tmp_path / "program.py"], stderr=subprocess.DEVNULL,
                               env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    while not list((tmp_path / "set").glob("unfinished/part-*.parquet")) and running.poll() is None:
        time.sleep(0.001)
    running.send_signal(signal.SIGKILL)
    running.wait()
    resumed = preprocess.preprocess([str(tmp_path / "games.zip")], tmp_path / "set", workers=1)
    unbroken = preprocess.preprocess([str(tmp_path / "games.zip")], tmp_path / "other", workers=1)
    assert resumed.games.equals(unbroken.games)
    assert resumed.moves.tolist() == unbroken.moves.tolist()
    assert not (tmp_path / "set" / "unfinished").exists()


def test_setup_stones_are_kept(tmp_path):
    text = "(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee]" + "".join(
        f";{'BW'[i % 2]}[{chr(97 + i // 2)}{'ai'[i % 2]}]" for i in range(18)) + ")"
    record, = read_records(text.encode())
    data = made_of(tmp_path, [text], min_moves=10)
    row = data.used_games.iloc[0]
    assert data.setup[row["setup_start"]:row["setup_end"]].tolist() == record.setup.tolist() == [20, 60]


def test_two_that_write_to_one_data_set_do_not_meet(tmp_path):
    write_games(tmp_path / "a", range(3))
    with lock_folder(tmp_path / "set"), pytest.raises(BadInput, match="set: another process is writing to it"):
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1)
    preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1)


def test_a_data_set_of_another_format_is_left_as_it_is(tmp_path):
    write_games(tmp_path / "a", range(3))
    write_games(tmp_path / "b", range(3, 6))
    folder = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1).folder
    (folder / "meta.json").write_text((folder / "meta.json").read_text().replace('"format": 2', '"format": 7'))
    before = {name: (folder / name).read_bytes() for name in dataset.FILES}
    with pytest.raises(BadInput, match="is a data set of format 7"):
        preprocess.preprocess([str(tmp_path / "b")], folder, workers=1)
    assert before == {name: (folder / name).read_bytes() for name in dataset.FILES}


def test_options_may_change_until_there_is_a_data_set(tmp_path, monkeypatch):
    write_games(tmp_path / "a", range(3))
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(preprocess, "merge_parts", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1)
    monkeypatch.setattr(preprocess, "read_batch", None)     # nothing is read again
    data = preprocess.preprocess([str(tmp_path / "a")], tmp_path / "set", workers=1, where="num_moves > 1")
    assert len(data.games) == 3 and data.meta["options"]["where"] == "num_moves > 1"
