"""Every command with --scheduler: what it writes is what it writes without, also when workers are killed."""
import csv
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

pytest.importorskip("distributed")
pytest.importorskip("keras")

import cluster_tasks as tasks
import distributed
from fakes import FAKE_ENGINE
from make_archives import zipped
from random_records import write_games

from mugo.cli import main as cli
from mugo.data.dataset import load_dataset
from mugo.games import gomoku
from mugo.nn.network_file import find_network
from mugo.selfplay.replay import ReplayBuffer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address():
    with tasks.local_cluster(2) as local:
        yield local.scheduler_address


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    write_games(folder, range(24), plies=30)
    return folder


class Killer:
    """Kills a worker of the cluster as soon as `is_time` says so; a context manager."""

    def __init__(self, address, is_time):
        self._client, self._is_time, self.killed = distributed.Client(address, set_as_default=False), is_time, None
        self._workers = list(self._client.run(os.getpid).values())
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        deadline = time.monotonic() + 120
        while not self._is_time() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.killed = self._workers[0]
        os.kill(self.killed, signal.SIGKILL)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._thread.join()
        self._client.close()


def mugo(*words, expect=0):
    assert cli.main([str(word) for word in words]) == expect


def contents(folder, pattern="**/*"):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.glob(pattern))
            if path.is_file() and not path.name.startswith(".")}         # that a killed worker had begun


def test_analyze_writes_the_same_files(address, games, tmp_path, capsys):
    options = ["--fast", "--network", "policy-9"]
    mugo("review", games, *options, "-o", tmp_path / "here")
    here = capsys.readouterr().out.replace(str(tmp_path / "here"), "FOLDER")
    with Killer(address, lambda: len(list((tmp_path / "there").glob("*.json"))) >= 3) as killer:
        mugo("review", games, *options, "-o", tmp_path / "there", "--scheduler", address)
    assert killer.killed
    there = capsys.readouterr().out.replace(str(tmp_path / "there"), "FOLDER")
    assert there == here                 # what the killed worker had written is not "reviewed before"
    for suffix in "sgf", "csv", "txt", "json":
        written = contents(tmp_path / "there", f"*.{suffix}")
        assert written == contents(tmp_path / "here", f"*.{suffix}") and len(written) == 24


def test_a_network_by_a_relative_path_is_found_by_workers(address, games, tmp_path, capsys, monkeypatch):
    shutil.copy(find_network("policy-9"), tmp_path / "own.safetensors")
    monkeypatch.chdir(tmp_path)
    game = next(games.glob("*.sgf"))
    mugo("review", game, "--fast", "--network", "own.safetensors", "-o", "out", "--scheduler", address)
    assert "the network own" in capsys.readouterr().out and (tmp_path / "out" / f"{game.stem}.json").exists()


def match_rows(folder):
    with open(folder / "games.csv", encoding="utf-8") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["number"]))
    return [{name: value for name, value in row.items() if "seconds" not in name and name != "date"} for row in rows]


def test_a_match_has_every_game_once(address, tmp_path, capsys):
    words = ["match", f"{FAKE_ENGINE} A1 B1 C1", f"{FAKE_ENGINE} explain=fine errors=1", "--size", 3, "--komi", 0.5,
             "--games", 40]
    mugo(*words, "-o", tmp_path / "here")

    def has_games():
        path = tmp_path / "there" / "games.csv"
        return path.exists() and path.read_text().count("\n") > 5

    with Killer(address, has_games):
        mugo(*words, "-o", tmp_path / "there", "--scheduler", address)
    assert match_rows(tmp_path / "there") == match_rows(tmp_path / "here")
    assert [int(row["number"]) for row in match_rows(tmp_path / "there")] == list(range(40))
    logs = {path.name for path in (tmp_path / "there" / "logs").iterdir()}
    assert len(logs) >= 2                                # the names begin alike; of two workers


def test_a_match_with_a_program_that_does_not_work_ends_at_once(address, capsys):
    mugo("match", f"{FAKE_ENGINE} A1", "no-such-program", "--size", 3, "--scheduler", address, expect=2)
    error = capsys.readouterr().err.splitlines()
    assert error == ["mugo match: no-such-program: cannot be started: No such file or directory"]


def test_a_match_that_sprt_decides_breaks_off_the_games_of_workers(address, tmp_path, capsys):
    mugo("match", f"{FAKE_ENGINE} A1 B1 C1", FAKE_ENGINE, "--size", 3, "--komi", 0.5, "--games", 1000, "--sprt", 0, 400,
         "--scheduler", address, "-o", tmp_path / "m")
    assert 2 <= len(match_rows(tmp_path / "m")) < 300
    mugo("match", f"{FAKE_ENGINE} A1 B1 C1", FAKE_ENGINE, "--size", 3, "--games", 2, "--scheduler", address)


def test_preprocess_makes_the_same_data_set(address, games, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mugo.data.unmerged.BATCH_FILES", 3)
    monkeypatch.setattr("mugo.data.unmerged.PART_GAMES", 4)
    (tmp_path / "a.zip").write_bytes(zipped({f"{path.stem}-z.sgf": path.read_bytes()
                                             for path in games.iterdir()}))
    words = ["preprocess", games, tmp_path / "a.zip", "--min-moves", 5]
    mugo(*words, "-o", tmp_path / "here", "--jobs", 1)
    with Killer(address, lambda: len(list((tmp_path / "there").glob("unfinished/part-*"))) > 2) as killer:
        mugo(*words, "-o", tmp_path / "there", "--scheduler", address)
    assert killer.killed
    here, there = (load_dataset(tmp_path / name) for name in ("here", "there"))
    assert there.fingerprint == here.fingerprint
    pd.testing.assert_frame_equal(there.games, here.games)
    assert contents(tmp_path / "there").keys() == contents(tmp_path / "here").keys()
    mugo(*words, "-o", tmp_path / "there", "--scheduler", address)           # nothing is new
    assert load_dataset(tmp_path / "there").fingerprint == here.fingerprint


def test_evaluate_measures_the_same(address, games, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mugo.training.predictions.TASK_POSITIONS", 128)
    mugo("preprocess", games, "-o", tmp_path / "set", "--jobs", 1, "--min-moves", 5)
    shutil.copy(find_network("policy-9"), tmp_path / "copy.safetensors")
    words = ["evaluate", tmp_path / "copy.safetensors", "policy-9", tmp_path / "set", "--split", "all", "--sample", 600]
    mugo(*words, "-o", tmp_path / "here")
    with Killer(address, lambda: True):
        mugo(*words, "-o", tmp_path / "there", "--scheduler", address)
    here, there = (pd.read_csv(tmp_path / f"{name}.csv").drop(columns="ms") for name in ("here", "there"))
    pd.testing.assert_frame_equal(here, there, rtol=1e-4, atol=1e-6)


def selfplay_words(folder, address):
    return ["selfplay", "gomoku", "--size", 3, "-o", folder, "--simulations", 12, "--games-per-thread", 4,
            "--update-games", 8, "--steps", 2, "--batch-size", 16, "--window", 60, "--arena-every", 1000,
            "--arena-games", 24, "--filters", "4,4", "--value-units", 8, "--threads", 1, "--scheduler", address]


def selfplay_games(folder):
    games = ReplayBuffer(folder, gomoku.GomokuPosition(3, 3), 8)
    return [(game.moves.tobytes(), game.visits.tobytes()) for game in games]


def test_selfplay_goes_on_with_the_same_workers_when_its_command_was_killed(address, tmp_path, capsys):
    words = [*selfplay_words(tmp_path / "run", address), "--games", 40]
    buffer = tmp_path / "run" / "replay" / "000000.npz"
    command = subprocess.Popen([sys.executable, "-m", "mugo", *map(str, words)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while not buffer.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    command.kill()
    assert command.wait() == -signal.SIGKILL
    kept = selfplay_games(tmp_path / "run")
    assert 0 < len(kept) < 40
    mugo(*words, "--resume")
    games = selfplay_games(tmp_path / "run")
    assert len(games) == 40 and games[:len(kept)] == kept


def test_selfplay_has_as_many_games_as_were_asked_for(address, tmp_path, capsys):
    words = selfplay_words(tmp_path / "run", address)
    buffer = tmp_path / "run" / "replay" / "000000.npz"
    with Killer(address, lambda: buffer.exists()):
        mugo(*words, "--games", 24)
    mugo(*words, "--games", 32, "--resume")
    found = selfplay_games(tmp_path / "run")
    assert len(found) == 32 and len(set(found)) > 16
    assert pd.read_csv(tmp_path / "run" / "log.csv")["games"].tolist() == [8, 16, 24, 32]
    assert not (tmp_path / "run" / "newest.safetensors").exists()
