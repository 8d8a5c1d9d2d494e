"""Data parallelism on JAX: a model on several devices, each of which gets an equal slice of every batch.  They may
belong to several processes (processes.py), each of which gives its slice.  TensorFlow trains on one device.

A step is that of the whole batch on one device, but for rounding: the compiler divides one program among the devices
(keras.distribution.DataParallel), so gradients are summed, and batch normalisation uses the statistics of the whole
batch.
"""
import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.core.machine import CUDA_EXTRAS, available_cores, nvidia_gpus
from mugo.core.version import pip_install
from mugo.nn.backend import accelerator_names, backend_name, keras, tensorflow
from mugo.nn.processes import process_count


def list_devices() -> list[str]:
    """The names of the devices to train on: the GPUs (on JAX also TPUs) if there are any, else the CPU.

    The CPU is one device, unless the environment or the program has divided it into several logical ones.
    """
    if tensorflow:
        found = tensorflow.config.list_logical_devices("GPU") or tensorflow.config.list_logical_devices("CPU")
        return [device.name for device in found]
    return keras.distribution.list_devices()


def describe_devices(count: int | None = None) -> str:
    """The first `count` devices to train on (None: all), in words: '2 GPUs (NVIDIA A100)', 'the CPU (8 cores)'."""
    names, cores = accelerator_names()[:count], available_cores()
    if not names:
        return f"the CPU ({cores} core{'s' * (cores > 1)})"
    kind = "TPU" if names[0].startswith("TPU") else "GPU"
    return f"{len(names)} {kind}{'s' * (len(names) > 1)} ({', '.join(sorted(set(names)))})"


def device_warnings(count: int) -> list[str]:
    """Why training on n devices is slower than this machine could be, a sentence each."""
    warnings = []
    if not accelerator_names() and (gpus := nvidia_gpus()):
        warnings.append(f"this machine has a GPU ({gpus[0]}), which {backend_name()} does not see, so the CPU trains; "
                        f"{pip_install(CUDA_EXTRAS[keras.backend.backend()])}, and see what `mugo doctor` says")
    if tensorflow and len(accelerator_names()) > count:
        warnings.append(f"TensorFlow trains on one of {len(accelerator_names())} GPUs; KERAS_BACKEND=jax on all")
    return warnings


class DataParallel:
    """The first `count` devices.  Raises BadInput if there are fewer, and for several on TensorFlow."""

    def __init__(self, count: int | None = None):
        """count: None takes all devices, on TensorFlow one.  Those of other processes are needed too: then a number is
        refused."""
        if tensorflow and count is not None and count > 1:
            raise BadInput(f"--devices {count}: TensorFlow trains on one device; KERAS_BACKEND=jax trains on several")
        devices = list_devices()[:1] if tensorflow else list_devices()
        if process_count() > 1 and count is not None:
            raise BadInput(f"--devices {count}: several processes train on all of their devices; "
                           "CUDA_VISIBLE_DEVICES takes fewer")
        if count is not None and not 1 <= count <= len(devices):
            raise BadInput(f"--devices {count}: must be from 1 to {len(devices)}, the devices of this machine")
        self.count = count or len(devices)
        self.everywhere: Any = None      # where the state of a training step is: a jax.sharding; None: on one device
        if self.count > 1:
            from jax import devices as jax_devices
            from jax.sharding import Mesh, NamedSharding, PartitionSpec

            self._distribution = keras.distribution.DataParallel(devices=devices[:self.count])
            mesh = Mesh(np.array(jax_devices()[:self.count]), ("batch",))
            self.everywhere, self._divided = NamedSharding(mesh, PartitionSpec()), NamedSharding(
                mesh, PartitionSpec("batch"))

    def check_batch_size(self, size: int) -> None:
        """Raise BadInput unless batches of this size can be divided equally."""
        if size % self.count:
            raise BadInput(f"--batch-size {size}: must be a multiple of the number of devices, {self.count}; --devices "
                           "takes fewer")

    def scope(self) -> contextlib.AbstractContextManager:
        """In which models are made, their optimizers built, and they are trained."""
        return self._distribution.scope() if self.count > 1 else contextlib.nullcontext()

    def divided(self, batch: Any) -> Any:
        """A batch of this process, as arrays that are divided among the devices."""
        if self.count == 1:
            return batch
        from jax import make_array_from_process_local_data

        return keras.tree.map_structure(lambda array: make_array_from_process_local_data(self._divided, array), batch)


@contextlib.contextmanager
def one_device() -> Iterator[None]:
    """Inside DataParallel.scope: models that are made and run in this context are on one device."""
    distribution = None if tensorflow else keras.distribution.distribution()
    if distribution is None:
        yield
        return
    keras.distribution.set_distribution(None)
    try:
        yield
    finally:
        keras.distribution.set_distribution(distribution)
