"""What `mugo train` says about its devices; Ctrl-C takes effect between two steps, and is never lost."""
import contextlib
import signal

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


@contextlib.contextmanager
def handler_of_ctrl_c(handler):
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Destroyed:
    """Ctrl-C comes while one is destroyed, where Python loses an exception."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_takes_effect_at_the_end_of_the_step():
    done = []
    with handler_of_ctrl_c(signal.default_int_handler):
        with pytest.raises(KeyboardInterrupt), devices.Interrupt() as interrupt:
            for step in range(3):
                if step == 1:
                    Destroyed()
                done.append(step)
                interrupt.check()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert done == [0, 1]


def test_ctrl_c_after_the_last_step_is_not_lost():
    with handler_of_ctrl_c(signal.default_int_handler), pytest.raises(KeyboardInterrupt), devices.Interrupt():
        Destroyed()


def test_a_second_ctrl_c_takes_effect_at_once():
    done = []
    with handler_of_ctrl_c(signal.default_int_handler), pytest.raises(KeyboardInterrupt), devices.Interrupt():
        signal.raise_signal(signal.SIGINT)
        done.append(1)
        signal.raise_signal(signal.SIGINT)
        done.append(2)
    assert done == [1]


def test_an_ignored_ctrl_c_stays_ignored():
    """As a shell starts what runs in its background."""
    with handler_of_ctrl_c(signal.SIG_IGN):
        with devices.Interrupt() as interrupt:
            signal.raise_signal(signal.SIGINT)
            interrupt.check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
