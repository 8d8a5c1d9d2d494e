"""`mugo label`: what a teacher says of positions, from a network and from programs that answer badly in many ways."""
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("keras")
from mugo.cli.main import main  # noqa: E402
from mugo.data.dataset import load_dataset  # noqa: E402
from mugo.data.teacher_labels import (  # noqa: E402
    HEADER_BYTES, find_positions, has_ownership, label_type, open_labels, taught_positions)
from mugo.games.coords import symmetries  # noqa: E402
from mugo.nn.inference import Network  # noqa: E402
from mugo.training import label as label_module  # noqa: E402

FAKE = shlex.join([sys.executable, "-S", str(Path(__file__).parents[1] / "fake_analysis.py")])
POSITIONS = 90


@pytest.fixture
def folder(data, tmp_path):
    """A data set of its own, for each test labels it."""
    return Path(shutil.copytree(data.folder, tmp_path / "set"))


def label(folder, *words, positions=POSITIONS, engine=FAKE) -> int:
    return main(["label", str(folder), "-o", "fake", "--positions", str(positions), "--engine", engine, *words])


def answered(folder, count=POSITIONS, refused=0) -> np.ndarray:
    """The labels of fake_analysis.py, each of which is right, and of another position."""
    labels, points = open_labels(folder / "teachers" / "fake.labels"), 81
    records, positions = labels.records, load_dataset(folder).positions(None, where="split != 'test'")
    assert len(records) == count
    indices = find_positions(records, positions)
    assert (indices >= 0).all() and len(set(indices)) == count
    assert np.isnan(records["win_rate"]).sum() == refused
    good = records[~np.isnan(records["win_rate"])]
    n = good["moves_played"].astype(int)
    np.testing.assert_allclose(good["win_rate"], n / 1000, rtol=1e-6)
    np.testing.assert_allclose(good["lead"], n / 10, rtol=1e-6)
    assert (good["stdev"] == 9.5).all()
    assert (good["moves"][:, :2] == np.stack([n % points, np.full(len(n), points)], 1)).all()
    assert (good["moves"][:, 2:] == -1).all() and (good["probabilities"][:, :3] == [0.75, 0.25, 0]).all()
    if has_ownership(records):
        assert (good["ownership"] == 127 * np.eye(points, dtype=np.int8)[n % points]).all()
    return records


def test_positions_are_a_sample_of_training_and_validation_games_with_their_own_komi_or_another(folder, capsys):
    assert label(folder) == 0
    assert "fake.labels: 90 positions" in capsys.readouterr().out
    records = answered(folder)
    data = load_dataset(folder)
    games = {split: set(data.selection(split).column("content_hash").tolist()) for split in ("train", "validation")}
    counts = [sum(key in games[split] for key in records["content_hash"].tolist()) for split in games]
    assert sum(counts) == POSITIONS and min(counts) > 0                  # and none of a test game
    own = dict(zip(data.selection().column("content_hash").tolist(),
                   data.selection().column("white_points").tolist(), strict=True))
    differences = np.array([record["komi"] - own[int(record["content_hash"])] for record in records])
    assert 0.3 < (differences == 0).mean() < 0.7 and (2 * records["komi"] % 1 == 0).all()
    header = open_labels(folder / "teachers" / "fake.labels").header
    assert header["teacher"] == {"version": "1.0-fake", "models": ["fake-b1c1"]}


@pytest.mark.parametrize("fault, said", [
    ("crash", "ended with status 1: out of memory"), ("close", "closed its output"), ("garbage", "'cuda error'"),
    ("list", "'[]', which is no JSON object"), ("bytes", "no JSON object"), ("empty", "no JSON object"),
    ("endless", "a line of more than"), ("stranger", "answered 'stranger', which nobody asked"),
    ("twice", "which nobody asked"), ("error", "out of GPU memory"), ("no-root", "without rootInfo"),
    ("high-rate", "a winrate of '1.5'"), ("nan-rate", "no JSON object"), ("text-rate", "a winrate of '0.5'"),
    ("no-lead", "a scoreLead of 'null'"), ("far-lead", "a scoreLead of '1e+30'"),
    ("short-policy", "gave no policy of 82 numbers"), ("null-policy", "gave no policy of 82 numbers"),
    ("loud-policy", "a policy whose sum is 82, not 1"), ("no-ownership", "gave no ownership of 81 numbers"),
    ("wild-ownership", "gave numbers outside -1 to 1 as ownership")])
def test_a_program_that_fails_is_named_and_started_again_and_nothing_is_lost(folder, tmp_path, capsys, fault, said):
    engine = f"{FAKE} fault={fault} after=20 once={tmp_path / 'once'}"
    assert label(folder, "--ownership", engine=engine) == 0
    error = capsys.readouterr().err
    assert said in error and error.count("; starting it again") == 1
    assert answered(folder).dtype == label_type(9, True)


@pytest.mark.parametrize("fault", ["warn", "during-search"])
def test_warnings_and_reports_during_the_search_are_no_answers(folder, capsys, fault):
    assert label(folder, engine=f"{FAKE} fault={fault} after=20") == 0
    assert "starting" not in capsys.readouterr().err
    answered(folder)


def test_a_program_that_is_silent_is_started_again(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(label_module, "ANSWER_SECONDS", 2)
    assert label(folder, "--jobs", "2", engine=f"{FAKE} fault=hang after=20 once={tmp_path / 'once'}") == 0
    assert "gave no answer in 2 seconds; starting it again" in capsys.readouterr().err
    answered(folder)


@pytest.mark.parametrize("fault, said", [("refuse", "'illegal move'"), ("game-over", "no results: the game is over")])
def test_positions_that_a_program_refuses_have_no_answer(folder, capsys, fault, said):
    move, count = asked_after_moves(folder, lambda counts: counts.max())
    assert label(folder, engine=f"{FAKE} fault={fault} moves={move}") == 0
    assert f"{count} of which were refused now, for example {said}" in capsys.readouterr().out
    answered(folder, refused=count)


def test_a_position_at_which_a_program_always_crashes_is_left_out(folder, capsys):
    move, count = asked_after_moves(folder, lambda counts: 1)
    assert label(folder, engine=f"{FAKE} fault=crash moves={move}") == 0
    assert "1 of which were refused now, for example ended with status 1: out of memory" in capsys.readouterr().out
    answered(folder, refused=count)


def asked_after_moves(folder, choose) -> tuple[int, int]:
    """A number of moves before positions that are labelled, and of how many: the number that is chosen of them all."""
    assert label(folder) == 0
    moves, counts = np.unique(answered(folder)["moves_played"], return_counts=True)
    (folder / "teachers" / "fake.labels").unlink()
    i = np.flatnonzero(counts == choose(counts))[0]
    return int(moves[i]), int(counts[i])


@pytest.mark.parametrize("engine, said", [
    ("/no/such/katago analysis", "/no/such/katago: cannot be started: No such file or directory"),
    ("", "give one teacher: --network NETWORK or --engine COMMAND"), ("  ", "--engine is empty"),
    ("'", "is no command line"),
    (f"{FAKE} fault=crash-at-start", "ended with status 1: no model file"),
    (f"{FAKE} fault=no-version", "did not answer query_version"),
    (f"{FAKE} fault=crash", "out of memory; it failed 5 times in a row; --resume continues"),
    (f"{FAKE} fault=refuse", "answers no position: 'illegal move'")])
def test_a_program_that_never_answers_is_an_error(folder, capsys, engine, said):
    assert label(folder, engine=engine) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_labels_of_a_network_are_its_outputs_at_the_komi_of_the_label(folder, unbroken):
    path = str(unbroken / "network.safetensors")
    assert main(["label", str(folder), "-o", "own", "--positions", "40", "--network", path, "--ownership"]) == 0
    records = open_labels(folder / "teachers" / "own.labels").records
    positions = load_dataset(folder).positions(None, where="split != 'test'")
    batch = positions.batch(find_positions(records, positions))
    output = Network(path).evaluate_packed(batch.packed, batch.global_features(-batch.colours * records["komi"]))
    assert output.values is not None and output.ownership is not None
    np.testing.assert_allclose(records["win_rate"], (1 + output.values) / 2, atol=1e-4)
    np.testing.assert_allclose(records["lead"], output.score_mean, atol=1e-2)
    np.testing.assert_allclose(records["ownership"] / 127, output.ownership, atol=0.01)
    best = np.sort(output.priors, 1)[:, :-17:-1]
    np.testing.assert_allclose(records["probabilities"], best, atol=1e-3)


def test_labels_turn_with_their_position(folder):
    assert label(folder, "--ownership") == 0
    labels = open_labels(folder / "teachers" / "fake.labels")
    taught = taught_positions(load_dataset(folder).positions("train"), [labels])
    numbers = np.arange(8)
    [straight], [turned] = taught.batch(numbers).teachers, taught.batch(numbers, np.arange(8)).teachers
    n = straight["moves_played"].astype(int) % 81
    expected = symmetries(9)[np.arange(8), n]
    assert (straight["moves"][:, 0] == n).all() and (turned["moves"][:, 0] == expected).all()
    assert (turned["moves"][:, 1] == 81).all() and (turned["moves"][:, 2] == -1).all()
    assert (turned["ownership"].argmax(1) == expected).all()
    assert (taught.batch(numbers).targets == load_dataset(folder).positions("train").batch(
        taught.taught.indices[:8]).targets).all()


def test_resume_continues_and_does_not_ask_again(folder, capsys):
    assert label(folder, positions=30) == 0
    path = folder / "teachers" / "fake.labels"
    first = path.read_bytes()
    assert label(folder) == 2
    assert "--resume continues it" in capsys.readouterr().err
    path.write_bytes(first[:-20])        # a record that is half written
    assert label(folder, "--resume") == 0
    answered(folder)
    assert path.read_bytes()[:len(first) - 94] == first[:-94]
    assert label(folder, "--resume", "--ownership") == 2
    assert "was made with ownership false, not true" in capsys.readouterr().err
    assert main(["label", str(folder), "-o", "fake", "--network", "policy-9", "--resume"]) == 2
    assert 'was made with teacher {"version": "1.0-fake"' in capsys.readouterr().err


def test_the_last_positions_of_each_game(folder):
    positions = load_dataset(folder).positions(None, where="split != 'test'")
    games = len(positions.first_index) - 1
    assert label(folder, "--last", "2", positions=10 ** 6) == 0
    index = find_positions(answered(folder, 2 * games), positions)
    assert sorted(index.tolist()) == sorted(end - k for end in positions.first_index[1:].tolist() for k in (1, 2))
    assert label(folder, "--resume", positions=2 * games + 5) == 0
    answered(folder, 2 * games + 5)


def test_a_damaged_record_is_found(folder, capsys):
    assert label(folder) == 0
    path = folder / "teachers" / "fake.labels"
    content = bytearray(path.read_bytes())
    content[HEADER_BYTES + 94 * 3 + 40] ^= 1
    path.write_bytes(content)
    assert label(folder, "--resume") == 2
    assert "the checksum of record 3 is wrong" in capsys.readouterr().err
    path.write_bytes(b"nonsense" * 600)
    assert label(folder, "--resume") == 2
    assert "is no file of labels" in capsys.readouterr().err


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_labels_outlive_a_kill(folder, kill):
    command = [sys.executable, "-m", "mugo", "label", str(folder), "-o", "fake",
               "--engine", f"{FAKE} fault=hang after=40"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        path, deadline = folder / "teachers" / "fake.labels", time.monotonic() + 120
        while not path.exists() or path.stat().st_size < HEADER_BYTES + 94 * 40:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(kill)
        assert process.wait() in (-signal.SIGKILL, 130)
        with contextlib.suppress(ProcessLookupError):    # else the engine hangs for ever
            os.killpg(process.pid, signal.SIGKILL)
    answered(folder, 40)
    assert label(folder, "--resume") == 0
    answered(folder)
