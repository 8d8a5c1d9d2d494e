"""The training loop reads the loss after whole executions of 16 steps, whatever the length of a checkpoint interval."""
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest

loop = pytest.importorskip("mugo.training.loop")
from mugo.nn.architectures import PolicyNetConfig  # noqa: E402   after the check for Keras
from mugo.nn.keras.devices import DataParallel  # noqa: E402
from mugo.nn.network_file import new_metadata  # noqa: E402
from mugo.training.options import TrainingOptions  # noqa: E402


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Train from a step on with a model that does nothing.

    train(step, options) -> (batches, reads, lines, checkpoints), each by its step.
    """
    def train(first, **options):
        batches, reads, lines, checkpoints = [], [], [], []
        metadata = new_metadata(PolicyNetConfig(size=9)) | {
            "options": asdict(TrainingOptions(batch_size=2, **options)), "history": []}

        class Steps:
            def begin(self):
                pass

            def take(self, batch):
                batches.append(batch)

            def means(self):
                reads.append(first + len(batches))
                return {"loss": 1.0, "policy_top1": 0.5, "policy_top5": 0.5}

            store = begin

        class Checkpoints:
            def __init__(self, *_):
                pass

            def begin(self):
                pass

            def write(self, step, means):
                checkpoints.append(step)
                metadata["history"].append({"step": step, "seconds": 1.0, "positions_per_second": 1.0})

        log = SimpleNamespace(begin=lambda step: None, write_steps=lambda step, means: lines.append(step))
        monkeypatch.setattr(loop, "READ_SECONDS", 1e9)
        monkeypatch.setattr(loop, "batch_maker", lambda *_: lambda step: step)
        monkeypatch.setattr(loop, "Checkpoints", Checkpoints)
        monkeypatch.setattr(loop, "MetricsLog", lambda *_: log)
        model = SimpleNamespace(optimizer=SimpleNamespace(iterations=SimpleNamespace(numpy=lambda: np.int64(first))))
        loop.train_steps(Steps(), model, tmp_path, metadata, None, None, (), DataParallel(1))
        return batches, reads, lines, checkpoints
    return train


def test_executions_of_16_steps_and_the_rest(train):
    batches, reads, lines, checkpoints = train(0, positions=2 * 140, checkpoint_positions=2 * 37)
    assert batches == list(range(140)) and lines == [100] and checkpoints == [37, 74, 111, 140]
    assert reads == [16, 32, 37, 53, 69, 74, 90, 100, 111, 127, 140]


def test_a_resumed_run_takes_the_batches_that_follow(train):
    batches, reads, _, checkpoints = train(37, positions=2 * 60, checkpoint_positions=2 * 37)
    assert batches == list(range(37, 60)) and reads == [53, 60] and checkpoints == [60]
