"""What of the benchmarks is quick enough for a test."""
import importlib
from pathlib import Path

import pytest

from mugo.data.preprocess import preprocess

ROOT = Path(__file__).parents[1]


def test_the_benchmark_of_planes_takes_games_on_its_own_board(tmp_path, monkeypatch):
    for name, size in (("a", "13:9"), ("b", "19"), ("c", "9")):
        (tmp_path / f"{name}.sgf").write_text(f"(;SZ[{size}];B[cc])")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    [record] = importlib.import_module("planes").records_of([str(tmp_path)])
    assert record.shape == (19, 19)


def test_the_benchmark_of_passing_takes_games_that_were_counted(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    [(score, positions)] = importlib.import_module("passing").finished_games([ROOT / "data" / "gnugo-19x19-000.sgf"])
    assert (score, len(positions)) == (3.5, 231)


@pytest.mark.slow
def test_the_benchmark_of_training_measures_a_preset_on_the_board_of_the_data_set(tmp_path, monkeypatch, capsys):
    pytest.importorskip("keras")
    data = preprocess([str(ROOT / "data" / "gnugo-9x9-000.sgf")], tmp_path / "set", jobs=1, validation=0, test=0)
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    importlib.import_module("training").measure_model(data, "five-64", 2, 0.01)
    assert capsys.readouterr().out.startswith("five-64 ")


@pytest.mark.slow
def test_made_up_games_are_legal_and_differ_but_for_the_copies(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    many_games = importlib.import_module("many_games")
    paths = many_games.make_games(tmp_path / "games", 60, copies=0.3)
    again = many_games.make_games(tmp_path / "again", 60, copies=0.3)
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]
    games = preprocess(list(map(str, paths)), tmp_path / "set", jobs=1).games
    assert len(games) == 60 and set(games["reject_reason"]) == {"", "duplicate"}
    assert 9 <= (games["reject_reason"] == "duplicate").sum() <= 27          # 5 standard errors of 60 x 0.3
    used = games[games["reject_reason"] == ""]
    counted = used["result"].str.contains("[0-9]")
    assert ((used["ownership_start"] >= 0) == counted).all() and 0 < counted.sum() < len(used)
    assert used["handicap"].max() >= 2 and used["black_rank"].notna().all() and used["num_moves"].between(60, 600).all()
