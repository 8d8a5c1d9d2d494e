"""What `mugo train` says about the devices that it trains on."""
import pytest

devices = pytest.importorskip("mugo.nn.keras.devices")
from mugo.nn.keras.backend import keras  # noqa: E402   after the check for Keras


@pytest.mark.parametrize("names, count, text", [
    ([], None, "the CPU (8 cores)"),
    (["NVIDIA A100"], None, "1 GPU (NVIDIA A100)"),
    (["NVIDIA A100"] * 4, 2, "2 GPUs (NVIDIA A100)"),
    (["NVIDIA T4", "NVIDIA A100"], None, "2 GPUs (NVIDIA A100, NVIDIA T4)"),
    (["TPU v4"] * 8, None, "8 TPUs (TPU v4)"),
])
def test_devices_are_named(monkeypatch, names, count, text):
    monkeypatch.setattr(devices, "accelerator_names", lambda: names)
    monkeypatch.setattr(devices, "available_cores", lambda: 8)
    assert devices.describe_devices(count) == text


def test_a_gpu_that_the_backend_does_not_see_is_told(monkeypatch):
    monkeypatch.setattr(devices, "accelerator_names", lambda: [])
    monkeypatch.setattr(devices, "nvidia_gpus", lambda: ["NVIDIA T4 / 550.1 / 15360 MiB"])
    line, = devices.device_warnings(1)
    extra = {"tensorflow": "cuda", "jax": "jax-cuda"}[keras.backend.backend()]
    assert "NVIDIA T4" in line and f"pip install 'mugo-go[{extra}]'" in line
    monkeypatch.setattr(devices, "accelerator_names", lambda: ["NVIDIA T4"])
    assert devices.device_warnings(1) == []
