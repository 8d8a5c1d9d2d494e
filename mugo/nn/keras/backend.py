"""Keras, imported without TensorFlow's messages.  The only module that imports Keras.

Its backend is the one that the environment variable KERAS_BACKEND names, TensorFlow or JAX; by default the first of
them that is installed.  Raises BadInput if it names another.
"""
import contextlib
import functools
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput

BACKENDS = ("tensorflow", "jax")
BFLOAT16_CAPABILITY = (8, 0)             # compute capability from which NVIDIA's GPUs multiply bfloat16: Ampere, 2020

os.environ.setdefault("KERAS_BACKEND", next(filter(importlib.util.find_spec, BACKENDS), BACKENDS[0]))
if os.environ["KERAS_BACKEND"] not in BACKENDS:
    raise BadInput(f"KERAS_BACKEND is {' or '.join(BACKENDS)}, not {os.environ['KERAS_BACKEND']!r}")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Discard what TensorFlow writes to file descriptor 2 while it starts."""
    sys.stderr.flush()
    stderr, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(null)


tensorflow: Any = None                   # where it is the backend
with quiet():
    import keras

    if keras.backend.backend() == "tensorflow":
        import tensorflow

ops: Any = keras.ops                     # its functions take tensors of either backend


@functools.cache
def has_gpu() -> bool:
    """Whether there is a GPU, or on JAX a TPU.  JAX starts its devices here, so a process joins others before."""
    if tensorflow:
        with quiet():                    # where CUDA is installed and there is no GPU it writes an error
            return bool(tensorflow.config.list_physical_devices("GPU"))
    import jax

    return jax.default_backend() != "cpu"


def backend_name() -> str:
    """The backend and its version: 'JAX 0.11.2'."""
    if tensorflow:
        return f"TensorFlow {tensorflow.__version__}"
    import jax

    return f"JAX {jax.__version__}"


def accelerator_names() -> list[str]:
    """The name of each GPU, or on JAX of each TPU: ['NVIDIA H100 80GB HBM3']; [] where there is only the CPU."""
    if tensorflow:
        with quiet():
            return [tensorflow.config.experimental.get_device_details(gpu).get("device_name", "GPU")
                    for gpu in tensorflow.config.list_physical_devices("GPU")]
    import jax

    return [device.device_kind for device in jax.devices() if device.platform != "cpu"]


# How models are compiled: on the CPU, XLA made TensorFlow a third slower; JAX always compiles.
JIT: Any = "auto" if keras.backend.backend() == "jax" or has_gpu() else False


def gpus_multiply_bfloat16() -> bool:
    """Whether all GPUs have instructions for bfloat16, or on JAX are TPUs, which do; False for other makers' GPUs."""
    if tensorflow:
        details = map(tensorflow.config.experimental.get_device_details, tensorflow.config.list_physical_devices("GPU"))
        return all(gpu.get("compute_capability", (0, 0)) >= BFLOAT16_CAPABILITY for gpu in details)
    import jax

    return all(device.platform == "tpu" or compute_capability(device) >= BFLOAT16_CAPABILITY
               for device in jax.devices())


def compute_capability(device: Any) -> tuple[int, ...]:
    """The compute capability of a device of JAX: (7, 5) for an NVIDIA GPU of 7.5; (0,) for those of other makers."""
    found = re.fullmatch(r"(\d+)\.(\d+)", str(getattr(device, "compute_capability", "")), re.ASCII)
    return tuple(map(int, found.groups())) if found else (0,)


def resolve_precision(precision: str) -> str:
    """The Keras dtype policy for --precision.  'auto' is mixed_bfloat16 on GPUs, and for TensorFlow on a CPU, that
    have instructions for it; else float32."""
    if precision != "auto":
        return precision
    is_faster = has_gpu() and gpus_multiply_bfloat16()
    if tensorflow and not has_gpu():
        with contextlib.suppress(OSError):
            is_faster = "avx512_bf16" in Path("/proc/cpuinfo").read_text()
    return "mixed_bfloat16" if is_faster else "float32"
