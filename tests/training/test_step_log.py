"""RUN/metrics.jsonl: means of the steps between two lines, between two checkpoints; what a resumed run keeps of it."""
import json
from types import SimpleNamespace

import numpy as np
import pytest

step_log = pytest.importorskip("mugo.training.step_log")
from mugo.nn.keras.devices import Throughput  # noqa: E402   after the check for Keras
from mugo.plots.tensorboard_log import TensorBoardLog  # noqa: E402
from mugo.training.options import TrainingOptions  # noqa: E402

OPTIONS = TrainingOptions(positions=16 * 1000, batch_size=16, learning_rate=0.02, warmup_steps=100, decay_start=1.0)
LOSSES = np.random.default_rng(0).random((500, 2))       # of each step: all, and the value head's


def run_steps(run, first, intervals):
    """The loop's calls for intervals of these numbers of steps."""
    model = SimpleNamespace(layers=[], optimizer=SimpleNamespace(gradient_norm=np.float32(0.5)))
    log = step_log.StepLog(model, run, OPTIONS, first, TensorBoardLog(run / "tensorboard"), SimpleNamespace(waited=0.0),
                           Throughput(443_000_000, 0))
    step = first
    for count in intervals:
        start = step
        log.begin(start)
        while step < start + count:
            step += 1
            if step % step_log.LOG_STEPS == 0:
                loss, value = LOSSES[start:step].mean(0)
                log.write(step, {"loss": loss, "value_loss": value, "policy_top1": 0.5})
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_a_line_has_the_means_since_the_line_before_and_since_the_checkpoint(tmp_path):
    lines = run_steps(tmp_path, 0, [160, 240])
    assert [line["step"] for line in lines] == [100, 200, 300, 400]
    assert [line["positions"] for line in lines] == [1600, 3200, 4800, 6400]
    # 160 is a checkpoint, where the means begin again.
    for line, (start, end) in zip(lines, [(0, 100), (160, 200), (200, 300), (300, 400)], strict=True):
        assert [line["loss"], line["value_loss"]] == pytest.approx(LOSSES[start:end].mean(0), rel=1e-5)
        assert line["gradient_norm"] == 0.5 and "policy_top1" not in line
        assert line["learning_rate"] == pytest.approx(0.02)
        assert line["positions_per_second"] > 0 and line["input_wait"] == 0


def test_a_resumed_run_replaces_the_lines_of_steps_that_were_lost(tmp_path):
    run_steps(tmp_path, 0, [320])
    with open(tmp_path / "metrics.jsonl", "a") as file:
        file.write('{"step": 400, "posi')                # killed
    lines = run_steps(tmp_path, 160, [240])
    assert [line["step"] for line in lines] == [100, 200, 300, 400]
    assert lines[1]["loss"] == pytest.approx(LOSSES[160:200, 0].mean(), rel=1e-5)


def test_what_is_no_line_of_this_log_is_removed(tmp_path):
    (tmp_path / "metrics.jsonl").write_bytes(
        b'{"step": 1}\n[3]\n\xff{"step": 2}\n{"step": "3"}\n{"step": 4}\n{"step": 5')
    step_log._remove_after(tmp_path / "metrics.jsonl", 5)
    assert (tmp_path / "metrics.jsonl").read_text() == '{"step": 1}\n{"step": 4}\n'


def test_the_loss_of_a_run_that_diverges_is_null(tmp_path, monkeypatch):
    """JSON has no NaN: jq and browsers reject a line with one."""
    monkeypatch.setitem(globals(), "LOSSES", np.full((500, 2), np.nan))
    lines = run_steps(tmp_path, 0, [100])
    assert "NaN" not in (tmp_path / "metrics.jsonl").read_text() and lines[0]["loss"] is None
