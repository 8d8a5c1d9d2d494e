"""The wall clock jumps by a day forwards and backwards while the program runs: what is measured, waited for or decided
is on clocks that do not jump (time.monotonic, time.perf_counter)."""
import random
import time

import pytest
from fault_cases import Match, make_inputs

from mugo.cli import main as cli
from mugo.games.go import GoPosition
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

DAY = 86_400


@pytest.fixture
def jumping(monkeypatch):
    """time.time and what is derived from it jump at every call; the calls are counted."""
    real, rng, calls = time.time, random.Random(1), []

    def jump() -> float:
        calls.append(1)
        return real() + rng.choice((-DAY, 0, DAY))

    monkeypatch.setattr(time, "time", jump)
    return calls


def test_a_search_of_half_a_second_takes_half_a_second(jumping):
    search = Search(Settings(seed=1))
    search.search(GoPosition(5), simulations=50)           # compiled code
    started = time.perf_counter()
    result = search.search(GoPosition(9), seconds=0.5)
    assert 0.3 < time.perf_counter() - started < 20 and result.simulations > 50
    assert time.time() and jumping                       # it does jump


def test_a_match_with_clocks_is_that_without_jumps(jumping, tmp_path):
    inputs = make_inputs(tmp_path / "inputs")
    case = Match(inputs)
    case.games = 4
    contents = []
    for name in "one", "two":
        words = [str(word) for word in case.words(tmp_path / name)] + ["--time", "60/5/1"]
        assert cli.main(words) == 0
        contents.append(case.contents(tmp_path / name))
    assert contents[0] == contents[1]
    assert {row["end"] for row in contents[0]["rows"].values()} == {"two passes"}


@pytest.mark.faults
def test_training_is_that_without_jumps(jumping, tmp_path):
    pytest.importorskip("keras")
    from fault_cases import Train
    case = Train(make_inputs(tmp_path / "inputs"))
    for name in "one", "two":
        assert cli.main([str(word) for word in case.words(tmp_path / name)]) == 0
    assert case.contents(tmp_path / "one") == case.contents(tmp_path / "two")
    with open(tmp_path / "one" / "log.csv", encoding="utf-8") as file:
        rows = [line.split(",") for line in file]
    assert all(0 <= float(row[rows[0].index("seconds")]) < 3600 for row in rows[1:])
