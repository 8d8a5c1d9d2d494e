"""The data set and the finished run of small_runs, for all tests of training; no test changes them."""
import shutil
from pathlib import Path

import pytest
from made_once import made_once
from networks import keras
from random_records import finished_record, write_games
from small_runs import CONFIG, OPTIONS, train

from mugo.data import preprocess
from mugo.data.dataset import load_dataset
from mugo.sgf.convert import format_record


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    def make(folder: Path) -> None:
        write_games(folder / "sgf", range(20), plies=40)
        for seed in range(8):            # that ended by a count
            (folder / "sgf" / f"counted-{seed}.sgf").write_text(format_record(finished_record(seed)), encoding="utf-8")
        preprocess.preprocess([str(folder / "sgf")], folder / "set", jobs=1, validation=0.2, test=0.2)

    return load_dataset(made_once(tmp_path_factory, "small-data", make) / "set")


@pytest.fixture(scope="session")
def unbroken(data, tmp_path_factory):
    runs = made_once(tmp_path_factory, "small-runs",
                     lambda folder: train.train(data, folder / "unbroken", CONFIG, OPTIONS))
    return Path(shutil.copytree(runs / "unbroken", tmp_path_factory.mktemp("runs") / "unbroken"))


@pytest.fixture
def eagerly(monkeypatch):
    """New runs of TensorFlow train step by step, which takes less time for a few steps than tracing a graph."""
    compile_model = train.compile_model

    def compile_eagerly(model, *arguments):
        compile_model(model, *arguments)
        model.run_eagerly = keras.backend.backend() == "tensorflow"

    monkeypatch.setattr(train, "compile_model", compile_eagerly)
