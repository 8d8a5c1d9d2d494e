"""Norms and turns of kernels, multiplications and TFLOP/s, as metrics.jsonl and the progress line have them."""
import json
from types import SimpleNamespace

import numpy as np
import pytest

keras = pytest.importorskip("keras")
from small_runs import OPTIONS, PLAIN, train  # noqa: E402

from mugo.nn.architectures import PRESETS  # noqa: E402
from mugo.nn.graph import cost  # noqa: E402
from mugo.nn.keras.devices import Throughput, throughput  # noqa: E402
from mugo.nn.keras.model import build  # noqa: E402
from mugo.training.kernel_norms import KernelNorms  # noqa: E402


def kernel(*values):
    """A 1x1 convolution of one filter with these weights."""
    array = np.array(values, np.float32).reshape(1, 1, -1, 1)
    return SimpleNamespace(shape=array.shape, numpy=lambda: array, array=array)


def test_a_new_network_has_norms_of_one_and_a_right_angle_is_ninety_degrees():
    keras.utils.set_random_seed(0)
    norms = KernelNorms(build(PRESETS["five-192"].spec())).measure(100)["kernel_norm"]
    assert [norms[f"conv{i}"] for i in range(4)] == pytest.approx([1] * 4, abs=0.02)

    weights = kernel(3, 0)
    layers = [SimpleNamespace(name="a", trainable=True, kernel=weights),
              SimpleNamespace(name="frozen", trainable=False, kernel=kernel(1)),
              SimpleNamespace(name="dense", trainable=True, kernel=SimpleNamespace(shape=(2, 2)))]
    kernels = KernelNorms(SimpleNamespace(layers=layers))
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
    options = train.replace(OPTIONS, positions=1616, checkpoint_positions=1616, keep_checkpoint_every=None)
    train.train(data, tmp_path / "run", PLAIN, options)
    line = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[0])
    assert line["step"] == 100 and set(line["kernel_norm"]) == {"conv0", "conv1", "policy_conv"}
    assert set(line["kernel_turn"]) == set(line["kernel_norm"]) and min(line["kernel_turn"].values()) > 1
    expected = 6 * cost(PLAIN.spec()).multiplications * line["positions_per_second"] / 1e12
    assert line["tflops"] == pytest.approx(expected, rel=1e-4)
    assert "million multiplications per position" in capfd.readouterr().err
