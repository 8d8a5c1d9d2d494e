"""Several processes of one run, on JAX and this machine: they see the batches of one process, and end as it does."""
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from networks import keras, tensors_of
import small_runs
from small_runs import CONFIG

from mugo.cli import main as cli
from mugo.core.files import BadInput
from mugo.nn.keras import devices
from mugo.training.loader import TrainingStream, examples

on_jax = pytest.mark.skipif(keras.backend.backend() != "jax", reason="could not import 'jax' as Keras's backend")
SECONDS = 900                            # for a run on a machine that does other work
OPTIONS = ["--filters", "8", "--layers", "3", "--batch-size", "16", "--checkpoint-positions", "128",
           "--positions", "640", "--validation-positions", "50", "--precision", "float32", "--decay-start", "1",
           "--learning-rate", "1e-4", "--value-head", "--komi-input", "--chain-pooling", "--endgame-fraction", "0.25",
           "--context-filters", "8", "--context-layers", "1"]


# ---- parts of batches

@pytest.mark.parametrize("endgame_fraction", [0.0, 0.1, 0.25, 0.6, 1.0])
@pytest.mark.parametrize("parts", [2, 4])
def test_parts_of_a_batch_are_the_batch_with_the_same_symmetries_and_komi(data, parts, endgame_fraction):
    stream = TrainingStream(data.positions("train", 9), replace(small_runs.OPTIONS, endgame_fraction=endgame_fraction))
    whole = examples(stream.batch(5, 16, 3), CONFIG, np.random.default_rng((3, 5)))
    single = [examples(stream.batch(5, 16, 3, i, parts), CONFIG, np.random.default_rng((3, 5)), i, parts)
              for i in range(parts)]
    assert len(single[0][1]["policy"]) == 16 // parts
    joined = keras.tree.map_structure(lambda *arrays: np.concatenate(arrays), *single)
    keras.tree.map_structure(np.testing.assert_array_equal, whole, joined)


# ---- who joins

def join(**options) -> None:
    with devices.distributed(**options):
        pass


@pytest.mark.parametrize("given, expected", [
    ({"coordinator_address": "127.0.0.1:1234"}, "--num-processes"), ({"wanted": True}, "--distributed"),
    ({"num_processes": 2, "process_id": 0}, "--coordinator-address"),
    ({"coordinator_address": "127.0.0.1:1", "num_processes": 2, "process_id": -2}, "--process-id")])
def test_numbers_that_do_not_fit_are_refused(monkeypatch, given, expected):
    with pytest.raises(BadInput, match=expected if keras.backend.backend() == "jax" else "KERAS_BACKEND=jax"):
        join(**given)


def test_the_environment_may_name_the_coordinator(monkeypatch):
    monkeypatch.setenv("JAX_COORDINATOR_ADDRESS", "10.0.0.1")
    with pytest.raises(BadInput, match="HOST:PORT" if keras.backend.backend() == "jax" else "KERAS_BACKEND=jax"):
        join()


def test_several_processes_on_tensorflow_are_refused(data, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(keras.backend, "backend", lambda: "tensorflow")
    assert cli.main(["train", str(data.folder), "-o", str(tmp_path / "run"), "--coordinator-address", "localhost:1",
                     "--num-processes", "2", "--process-id", "0"]) == 2
    assert "KERAS_BACKEND=jax" in capsys.readouterr().err


def test_one_process_agrees_with_itself():
    assert (devices.process_index(), devices.process_count(), devices.broadcast(5)) == (0, 1, 5)
    with devices.synchronized(lambda: {"weights": 1 // 0}):    # which are not even made: they are all the weights
        pass
    with pytest.raises(BadInput, match="this"):
        with devices.synchronized():
            raise BadInput("this")


def test_ctrl_c_is_a_notice_to_all_and_a_second_one_ends_this_process(monkeypatch):
    signals = []
    monkeypatch.setattr(os, "kill", lambda process, number: signals.append((process == os.getpid(), number)))
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)      # where it is ignored too
    with devices.InterruptTogether() as interrupt:
        signal.raise_signal(signal.SIGINT)
        assert signals == [(True, signal.SIGTERM)] and interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


# ---- two processes

class Two:
    """Two processes of `mugo train`, which train one network; with their output."""

    def __init__(self, arguments: list, differing: list[list] | None = None):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        environment = os.environ | {
            "KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
        joining = ["--coordinator-address", f"127.0.0.1:{port}", "--num-processes", "2", "--process-id"]
        self.outputs: list[str] = ["", ""]
        self.processes = [subprocess.Popen(
            [sys.executable, "-m", "mugo", "train", *map(str, arguments), *joining, str(index),
             *map(str, (differing or [[], []])[index])],
            env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for index in range(2)]
        self.threads = [threading.Thread(target=self.read, args=(index,)) for index in range(2)]
        for thread in self.threads:
            thread.start()

    def read(self, index: int) -> None:
        for line in self.processes[index].stdout:
            self.outputs[index] += line

    def statuses(self) -> list[int]:
        """Wait for both; those that do not end are killed, with status -9."""
        end = time.monotonic() + SECONDS
        for process in self.processes:
            try:
                process.wait(max(1.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
        for thread in self.threads:
            thread.join()
        return [process.wait() for process in self.processes]

    def wait_for(self, path: Path) -> None:
        end = time.monotonic() + SECONDS
        while not path.exists() and all(process.poll() is None for process in self.processes):
            if time.monotonic() > end:
                for process in self.processes:
                    process.kill()
            time.sleep(0.05)
        assert path.exists(), self.outputs


@on_jax
@pytest.mark.runs
def test_two_processes_killed_interrupted_and_resumed_end_as_one_process(data, tmp_path):
    """A process is killed, the run resumed, a process gets SIGTERM, and the run is resumed again."""
    one = subprocess.run([sys.executable, "-m", "mugo", "train", data.folder, "-o", tmp_path / "one", *OPTIONS],
                        capture_output=True, text=True, env=os.environ | {"KERAS_BACKEND": "jax"})
    assert one.returncode == 0, one.stderr
    run = tmp_path / "two"
    killed = Two([data.folder, "-o", run, *OPTIONS])
    killed.wait_for(run / "checkpoint.safetensors")
    killed.processes[1].kill()
    statuses = killed.statuses()
    assert statuses[1] == -signal.SIGKILL and statuses[0] not in (0, -signal.SIGKILL), killed.outputs
    assert "mugo train: process 0 of 2: a step failed, because another process has ended" in killed.outputs[0] \
        or "JAX distributed service" in killed.outputs[0]        # which ends it if it notices first
    assert "Traceback" not in killed.outputs[0]

    (run / "log.csv").unlink(missing_ok=True)
    interrupted = Two([data.folder, "-o", run, "--resume"])
    interrupted.wait_for(run / "log.csv")               # written before the first step
    interrupted.processes[1].send_signal(signal.SIGTERM)         # as Ctrl-C: see the test above
    assert interrupted.statuses() == [130, 130], interrupted.outputs
    step = int(tensors_of(run / "checkpoint.safetensors")["optimizer/iteration"])
    assert 8 < step < 40

    resumed = Two([data.folder, "-o", run, "--resume"])
    assert resumed.statuses() == [0, 0], resumed.outputs         # they compare their weights at the end
    assert "mugo: " not in resumed.outputs[1] and "validation" not in resumed.outputs[1]
    logs = [pd.read_csv(tmp_path / name / "log.csv") for name in ("one", "two")]
    for column, row in ("loss", 0), ("validation_ce", -1):       # of other batches they would differ by 0.05
        assert np.isclose(logs[0][column].iloc[row], logs[1][column].iloc[row], atol=1e-2), (column, logs)
    ours, theirs = (tensors_of(tmp_path / name / "checkpoint.safetensors") for name in ("one", "two"))
    for name in (name for name in ours if not name.startswith("optimizer/")):
        assert np.allclose(ours[name], theirs[name], atol=2e-3), name


@on_jax
@pytest.mark.slow
def test_processes_that_read_other_options_end_with_a_line_each(data, tmp_path):
    two = Two([data.folder, "-o", tmp_path / "run", *OPTIONS], [[], ["--seed", "1"]])
    assert two.statuses() == [2, 2], two.outputs
    assert all("process 1 differs from process 0 in the options" in output for output in two.outputs), two.outputs
    two = Two([data.folder, "-o", tmp_path / "run", *OPTIONS], [[], ["--batch-size", "15"]])
    assert two.statuses() == [2, 2], two.outputs
    assert "process 0 of 2 ends, because process 1 could not begin" in two.outputs[0]
    assert "--batch-size 15: must be a multiple of the number of devices, 2" in two.outputs[1]
