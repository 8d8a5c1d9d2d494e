"""RUN/metrics.jsonl: means of the steps between two lines, between two checkpoints; what a resumed run keeps of it."""
import json
from types import SimpleNamespace

import numpy as np
import pytest

metrics = pytest.importorskip("mugo.training.metrics")
from networks import keras  # noqa: E402   after the check for Keras
from small_runs import OPTIONS as SMALL, PLAIN, train  # noqa: E402

from mugo.nn.architectures import PRESETS  # noqa: E402
from mugo.nn.graph import cost  # noqa: E402
from mugo.nn.keras.devices import Throughput, throughput  # noqa: E402
from mugo.nn.keras.model import build  # noqa: E402
from mugo.training.options import TrainingOptions  # noqa: E402

OPTIONS = TrainingOptions(positions=16 * 1000, batch_size=16, learning_rate=0.02, warmup_steps=100, decay_start=1.0)
LOSSES = np.random.default_rng(0).random((500, 2))       # of each step: all, and the value head's


def run_steps(run, first, intervals, checkpoints=()):
    """The loop's calls for intervals of these numbers of steps."""
    model = SimpleNamespace(layers=[], optimizer=SimpleNamespace(gradient_norm=np.float32(0.5)))
    history = [{"step": step, "validation_loss": 1.0} for step in checkpoints]
    log = metrics.MetricsLog(model, run, OPTIONS, first, history, SimpleNamespace(waited=0.0),
                             Throughput(443_000_000, 0))
    step = first
    for count in intervals:
        start = step
        log.begin(start)
        while step < start + count:
            step += 1
            if step % metrics.LOG_STEPS == 0:
                loss, value = LOSSES[start:step].mean(0)
                log.write_steps(step, {"loss": loss, "value_loss": value, "policy_top1": 0.5})
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


def test_a_resumed_run_replaces_the_lines_of_steps_that_were_lost_and_has_all_checkpoints(tmp_path):
    run_steps(tmp_path, 0, [320])
    with open(tmp_path / "metrics.jsonl", "ab") as file:
        file.write(b'[3]\n{"step": "3"}\n\xff{"step": 2}\n{"step": 310, "validation_loss": 2}\n')
        file.write(b'{"step": 400, "posi')               # killed
    lines = run_steps(tmp_path, 160, [240], [150, 160])
    assert [line["step"] for line in lines] == [100, 150, 160, 200, 300, 400]
    assert lines[3]["loss"] == pytest.approx(LOSSES[160:200, 0].mean(), rel=1e-5)


def test_the_loss_of_a_run_that_diverges_is_null(tmp_path, monkeypatch):
    """JSON has no NaN: jq and browsers reject a line with one."""
    monkeypatch.setitem(globals(), "LOSSES", np.full((500, 2), np.nan))
    lines = run_steps(tmp_path, 0, [100])
    assert "NaN" not in (tmp_path / "metrics.jsonl").read_text() and lines[0]["loss"] is None


# ---- norms of kernels, TFLOP/s

def kernel(*values):
    """A 1x1 convolution of one filter with these weights."""
    array = np.array(values, np.float32).reshape(1, 1, -1, 1)
    return SimpleNamespace(shape=array.shape, numpy=lambda: array, array=array)


def test_a_new_network_has_norms_of_one_and_a_right_angle_is_ninety_degrees():
    keras.utils.set_random_seed(0)
    norms = metrics.KernelNorms(build(PRESETS["five-192"].spec())).measure(100)["kernel_norm"]
    assert [norms[f"conv{i}"] for i in range(4)] == pytest.approx([1] * 4, abs=0.02)

    weights = kernel(3, 0)
    layers = [SimpleNamespace(name="a", trainable=True, kernel=weights),
              SimpleNamespace(name="frozen", trainable=False, kernel=kernel(1)),
              SimpleNamespace(name="dense", trainable=True, kernel=SimpleNamespace(shape=(2, 2)))]
    kernels = metrics.KernelNorms(SimpleNamespace(layers=layers))
    weights.array[0, 0, :, 0] = 0, 5
    assert kernels.measure(100) == {"kernel_norm": {"a": pytest.approx(5 / 2 ** 0.5)},
                                    "kernel_turn": {"a": pytest.approx(90)}}
    assert kernels.measure(200)["kernel_turn"]["a"] == pytest.approx(45)       # per hundred steps
    kernels.begin()
    weights.array[0, 0, :, 0] = 0, 50
    assert kernels.measure(100)["kernel_turn"]["a"] == pytest.approx(0, abs=1e-5)


def test_teraflops_are_six_for_a_multiplication_and_a_share_of_the_peak_where_it_is_known():
    spec = PRESETS["five-192"].spec()
    speed = throughput(spec, False, ["NVIDIA H200", "NVIDIA H200"])
    assert speed == Throughput(cost(spec).multiplications, 2 * 989)
    assert cost(spec).multiplications == pytest.approx(443e6, rel=0.01)
    assert speed.tflops(96_500) == pytest.approx(256.6, rel=0.01)
    assert speed.describe(96_500) == "256 TFLOP/s (13% of the peak)"
    assert throughput(spec, False, []).describe(100) == "0.266 TFLOP/s"
    assert throughput(spec, False, ["NVIDIA H200", "unheard of"]).peak == 0
    assert throughput(spec, True, []).describe(100) == ""


def test_the_log_of_a_run_has_norms_turns_and_teraflops(data, tmp_path, capfd, eagerly):
    options = train.replace(SMALL, positions=1616, checkpoint_positions=1616, keep_checkpoint_every=None)
    train.train(data, tmp_path / "run", PLAIN, options)
    line = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[0])
    assert line["step"] == 100 and set(line["kernel_norm"]) == {"conv0", "conv1", "policy_conv"}
    assert set(line["kernel_turn"]) == set(line["kernel_norm"]) and min(line["kernel_turn"].values()) > 1
    expected = 6 * cost(PLAIN.spec()).multiplications * line["positions_per_second"] / 1e12
    assert line["tflops"] == pytest.approx(expected, rel=1e-4)
    assert "million multiplications per position" in capfd.readouterr().err
