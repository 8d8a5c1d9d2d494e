"""Which backend there is, and in which precision it trains, on machines that are not here."""
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

backend = pytest.importorskip("mugo.nn.keras.backend")

# What the backends say of an A100, an H100, an RTX 2080, a V100, a GPU of AMD.
GPUS = {"a100": "8.0", "h100": "9.0", "blackwell": "10.0", "rtx-2080": "7.5", "v100": "7.0", "amd": "gfx90a"}


def of_tensorflow(names) -> SimpleNamespace:
    """A TensorFlow with these GPUs; it gives NVIDIA's capability as a tuple of numbers, and none of others."""
    details = {name: {"device_name": name} | ({"compute_capability": tuple(map(int, GPUS[name].split(".")))}
                                              if name != "amd" else {}) for name in names}
    return SimpleNamespace(config=SimpleNamespace(
        list_physical_devices=lambda kind: list(names), experimental=SimpleNamespace(
            get_device_details=lambda device: details[device])))


def of_jax(names) -> SimpleNamespace:
    """A JAX with these devices; it gives a text."""
    devices = [SimpleNamespace(platform="tpu") if name == "tpu" else
               SimpleNamespace(platform="gpu", compute_capability=GPUS[name]) for name in names]
    return SimpleNamespace(devices=lambda: devices, default_backend=lambda: devices[0].platform)


@pytest.mark.parametrize("names, precision", [
    (["a100"], "mixed_bfloat16"), (["h100", "a100"], "mixed_bfloat16"), (["blackwell"], "mixed_bfloat16"),
    (["rtx-2080"], "float32"), (["v100"], "float32"), (["a100", "v100"], "float32"), (["amd"], "float32"),
    (["tpu"], "mixed_bfloat16")])
@pytest.mark.parametrize("name", backend.BACKENDS)
def test_gpus_without_instructions_for_bfloat16_train_in_float32(monkeypatch, name, names, precision):
    if name == "tensorflow" and "tpu" in names:
        return
    monkeypatch.setattr(backend, "tensorflow", of_tensorflow(names) if name == "tensorflow" else None)
    monkeypatch.setitem(sys.modules, "jax", of_jax(names))
    monkeypatch.setattr(backend, "has_gpu", lambda: True)
    assert backend.resolve_precision("auto") == precision
    assert backend.resolve_precision("mixed_bfloat16") == "mixed_bfloat16"


def test_jax_on_a_cpu_trains_in_float32(monkeypatch):
    monkeypatch.setattr(backend, "tensorflow", None)
    monkeypatch.setattr(backend, "has_gpu", lambda: False)
    assert backend.resolve_precision("auto") == "float32"


@pytest.mark.parametrize("installed, expected", [
    (["tensorflow", "jax"], "tensorflow"), (["tensorflow"], "tensorflow"), (["jax"], "jax"), ([], "tensorflow")])
def test_the_backend_is_the_one_that_is_installed(installed, expected):
    program = ("import importlib.util, os, sys\n"
               f"importlib.util.find_spec = lambda name, *_: name in {installed!r} or None\n"
               "sys.modules['keras'] = None\n"
               "try:\n    import mugo.nn.keras.backend\nexcept ImportError:\n    print(os.environ['KERAS_BACKEND'])")
    environment = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=environment | {"PYTHONPATH": str(Path(__file__).parents[3])})
    assert done.stdout == f"{expected}\n", done.stderr
