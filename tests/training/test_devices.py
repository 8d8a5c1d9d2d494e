"""Data parallelism: a run on several devices is the run on one, but for rounding.  The devices are parts of the CPU."""
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from networks import keras, tensors_of

from mugo.cli import main as cli
from mugo.nn.keras import devices

on_jax = pytest.mark.skipif(keras.backend.backend() != "jax", reason="several devices train on JAX")
# JAX must do without TensorFlow.
TRAIN = """
import os, sys
if os.environ["KERAS_BACKEND"] == "jax":
    sys.modules["tensorflow"] = None
from mugo.cli import main as cli
sys.exit(cli.main(sys.argv[1:]))
"""


def on_four_devices(*arguments) -> subprocess.CompletedProcess:
    """Call mugo in a process whose CPU is four devices."""
    return subprocess.run(
        [sys.executable, "-c", TRAIN, *map(str, arguments)], capture_output=True, text=True,
        env={**os.environ, "KERAS_BACKEND": keras.backend.backend(), "TF_CPP_MIN_LOG_LEVEL": "3",
             "XLA_FLAGS": "--xla_force_host_platform_device_count=4"})


@on_jax
@pytest.mark.runs
def test_a_run_on_four_devices_is_the_run_on_one_and_is_resumed_on_two(data, tmp_path):
    """With Muon, batch normalisation, tied weights, and batches of 16: the same metrics at each checkpoint, and the
    same weights at the end.  Without warm-up, whose steps depend on --positions."""
    options = ["--filters", "8", "--layers", "3", "--batch-size", "16", "--checkpoint-positions", "64",
               "--validation-positions", "50", "--precision", "float32", "--decay-start", "1",
               "--learning-rate", "1e-3", "--warmup-steps", "0", "--value-head", "--komi-input",
               "--auxiliary-heads", "--context-filters", "8", "--context-layers", "1"]
    for run, count, positions in ("one", 1, 192), ("four", 4, 64), ("four", 2, 192):
        resume = ["--resume"] if (tmp_path / run).exists() else options
        done = on_four_devices("train", data.folder, "-o", tmp_path / run, "--positions", positions, "--devices", count,
                               *resume)
        assert done.returncode == 0, done.stderr
    logs = [pd.read_csv(tmp_path / run / "log.csv").drop(columns=["seconds", "positions_per_second"])
            for run in ("one", "four")]
    assert logs[0]["step"].tolist() == logs[1]["step"].tolist() == [4, 8, 12]
    for name in logs[0]:
        one_position = 1 / 64 if "top" in name or "accuracy" in name else 0              # two moves may be nearly equal
        assert np.allclose(logs[0][name], logs[1][name], rtol=5e-3, atol=5e-3 + one_position, equal_nan=True), name
    ours, theirs = (tensors_of(tmp_path / run / "checkpoint.safetensors") for run in ("one", "four"))
    assert ours.keys() == theirs.keys()
    for name in ours:
        if not name.startswith("optimizer/") or name.endswith("_average"):
            assert np.allclose(ours[name], theirs[name], rtol=5e-3, atol=2e-3), name


@on_jax
@pytest.mark.slow
def test_a_batch_that_cannot_be_divided_among_all_devices_is_refused_in_one_line(data, tmp_path):
    done = on_four_devices("train", data.folder, "-o", tmp_path / "run", "--batch-size", "18", "--positions", "100")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1] == (
        "mugo train: --batch-size 18: must be a multiple of the number of devices, 4; --devices takes fewer")
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(keras.backend.backend() == "jax", reason="TensorFlow")
def test_several_devices_on_tensorflow_are_refused(data, tmp_path, capsys):
    assert cli.main(["train", str(data.folder), "-o", str(tmp_path / "run"), "--devices", "2"]) == 2
    error = capsys.readouterr().err
    assert "--devices 2: TensorFlow trains on one device; KERAS_BACKEND=jax trains on several" in error
    assert not (tmp_path / "run").exists()


@on_jax
def test_more_devices_than_there_are_are_refused(data, tmp_path, capsys):
    for count, expected in (0, "at least 1"), (99, f"from 1 to {len(devices.list_devices())}"):
        assert cli.main(["train", str(data.folder), "-o", str(tmp_path / "run"), "--devices", str(count)]) == 2
        assert f"--devices {count}: must be {expected}" in capsys.readouterr().err
