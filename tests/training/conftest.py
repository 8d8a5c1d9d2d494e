"""The data set and the finished run of small_runs, for all tests of training; no test changes them.

One of the processes of pytest-xdist makes them for all: a run takes a processor many seconds.
"""
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from networks import keras
from random_records import finished_record, write_games
from small_runs import CONFIG, OPTIONS, train

from mugo.data import preprocess
from mugo.data.dataset import load_dataset
from mugo.sgf.convert import format_record


def made_once(tmp_path_factory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process makes for which it is not there, and the others wait for."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    new, begun = folder.with_suffix(".new"), folder.with_suffix(".begun")
    while not folder.exists():
        try:
            begun.mkdir()
        except FileExistsError:
            time.sleep(0.1)
            continue
        try:
            if not folder.exists():
                make(new)
                new.rename(folder)
        finally:
            begun.rmdir()
    return folder


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
