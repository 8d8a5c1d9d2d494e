"""benchmarks/spsa.py: it finds the optimum of a made-up game, and goes on after kill -9 as if nothing had been."""
import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mugo.core.sprt import expected_score

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
C, LAMBDA = "c,4,0.5,5,0.4,0.02", "lambda,0.1,0,1,0.1,0.02"


@pytest.fixture
def spsa(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("spsa")


def made_up_play(pairs, best=(1.5, 0.6), widths=(0.4, 0.1), elo=12):
    """Games whose result is chance: a side loses `elo` points for every squared width that a value is off its best."""
    def play(played, plus, minus):
        off = [float((((side - best) / widths) ** 2).sum()) for side in (plus, minus)]
        won = np.random.default_rng([5, played]).binomial(2 * pairs, expected_score(elo * (off[1] - off[0])))
        return int(2 * won - 2 * pairs)
    return play


def tuned(spsa, folder, parameters=(C, LAMBDA), pairs=4000, seed=1, play=None):
    tuning = spsa.Tuning([spsa.parameter_of(text) for text in parameters], pairs, 10, seed)
    folder.mkdir(exist_ok=True)
    spsa.continue_tuning(tuning, folder, play or made_up_play(10))
    return tuning


@pytest.mark.parametrize("seed", range(2))
def test_it_comes_to_the_optimum_of_games_that_are_chance(spsa, tmp_path, seed):
    tuning = tuned(spsa, tmp_path, seed=seed)
    assert tuning.played == 4000
    assert abs(tuning.theta - [1.5, 0.6]) == pytest.approx([0, 0], abs=0.3), tuning.theta
    assert abs(tuning.theta[1] - 0.6) < 0.1


def test_values_stay_in_their_range_and_a_whole_number_is_played_as_one(spsa, tmp_path):
    tuning = tuned(spsa, tmp_path, ["c,1,0.9,1.1,0.1,5"], pairs=100)
    assert 0.9 <= tuning.theta[0] <= 1.1
    batch = spsa.parameter_of("batch,4,1,16,2,0.01")
    assert batch.text(4.6) == "--batch 5"


def test_a_killed_tuning_goes_on_as_if_it_had_not_been(spsa, tmp_path):
    whole = tuned(spsa, tmp_path / "whole", pairs=200)
    script = f"""
import os, signal, sys
from pathlib import Path
sys.path[:0] = {[str(BENCHMARKS), str(Path(__file__).parent)]!r}
import spsa, test_spsa
def play(played, *sides):
    if played == 70:
        os.kill(os.getpid(), signal.SIGKILL)
    return test_spsa.made_up_play(10)(played, *sides)
test_spsa.tuned(spsa, Path({str(tmp_path / "killed")!r}), pairs=200, play=play)
"""
    if sys.platform != "win32":
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        ended = subprocess.run([sys.executable, "-c", script], env=environment)
        assert ended.returncode == -signal.SIGKILL
        path = tmp_path / "killed" / "path.csv"
        assert path.read_text().count("\n") == 7
        path.write_text(path.read_text() + "80,4,1.2")               # a row that the crash cut off
    assert (tuned(spsa, tmp_path / "killed", pairs=200).theta == whole.theta).all()
    assert (tmp_path / "killed" / "path.csv").read_bytes() == (tmp_path / "whole" / "path.csv").read_bytes()
