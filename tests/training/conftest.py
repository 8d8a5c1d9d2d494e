"""The data set and the finished run of small_runs, for all tests of training; no test changes them."""
import pytest
from networks import keras
from random_records import finished_record, write_games
from small_runs import CONFIG, OPTIONS, train

from mugo.data import preprocess
from mugo.sgf.writer import format_record


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_games(folder / "sgf", range(20), plies=40)
    for seed in range(8):                # that ended by a count
        (folder / "sgf" / f"counted-{seed}.sgf").write_text(format_record(finished_record(seed)), encoding="utf-8")
    return preprocess.preprocess([str(folder / "sgf")], folder / "set", jobs=1, validation=0.2, test=0.2)


@pytest.fixture(scope="session")
def unbroken(data, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "unbroken"
    train.train(data, run, CONFIG, OPTIONS)
    return run


@pytest.fixture
def eagerly(monkeypatch):
    """New runs of TensorFlow train step by step, which takes less time for a few steps than tracing a graph."""
    compile_model = train.compile_model

    def compile_eagerly(model, *arguments):
        compile_model(model, *arguments)
        model.run_eagerly = keras.backend.backend() == "tensorflow"

    monkeypatch.setattr(train, "compile_model", compile_eagerly)
