"""A run begun on one backend of Keras goes on on the other."""
import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from networks import keras
from random_records import write_games

from mugo.data import preprocess
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.inference import Network
from mugo.nn.keras.backend import BACKENDS
from mugo.training.loop import Checkpoints
from mugo.training.options import TrainingOptions
from mugo.training.train import train

CONFIG = PolicyNetConfig(size=9, filters=8, layers=3, equivariant=True, value_head=True)
OPTIONS = TrainingOptions(positions=384, batch_size=16, checkpoint_positions=128, validation_positions=64,
                          precision="float32")


@pytest.mark.runs
def test_a_run_goes_on_on_the_other_backend_with_the_same_metrics(tmp_path, monkeypatch):
    """Stopped after a third and resumed on both, with Muon: the same batches, and the same metrics but for rounding."""
    for backend in BACKENDS:
        pytest.importorskip(backend)
    write_games(tmp_path / "sgf", range(20), plies=40)
    data = preprocess.preprocess([str(tmp_path / "sgf")], tmp_path / "set", jobs=1, validation=0.2, test=0.2)
    saved = Checkpoints.save

    def interrupted(self):
        saved(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(data, tmp_path / keras.backend.backend(), CONFIG, OPTIONS)
    logs, outputs = [], []
    packed = np.random.default_rng(0).integers(0, 256, (4, 81, 6), np.uint8)
    for backend in sorted(BACKENDS, key=lambda name: name == keras.backend.backend()):       # the other one first
        run = tmp_path / backend
        if not run.exists():
            shutil.copytree(tmp_path / keras.backend.backend(), run)
        subprocess.run([sys.executable, "-m", "mugo", "train", tmp_path / "set", "-o", run, "--resume"], check=True,
                       capture_output=True, env={**os.environ, "KERAS_BACKEND": backend})
        logs.append(pd.read_csv(run / "log.csv").drop(columns=["seconds", "positions_per_second"]))
        outputs.append(Network(run, threads=1).evaluate_packed(packed))
    assert logs[0]["step"].tolist() == logs[1]["step"].tolist() == [8, 16, 24]
    for name in logs[0]:
        assert np.allclose(logs[0][name], logs[1][name], rtol=1e-3, atol=1e-3, equal_nan=True), name
    assert all(np.allclose(a, b, atol=5e-3) for a, b in zip(*outputs, strict=True) if a is not None)
