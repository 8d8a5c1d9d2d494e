"""Data parallelism: a model on several devices, each of which gets an equal slice of every batch.  On JAX they may
belong to several processes (processes.py), each of which gives its slice.

    JAX           keras.distribution.DataParallel: the compiler divides one program among the devices
    TensorFlow    tf.distribute.MirroredStrategy: each device runs the program as a replica.  Replicas exchange
                  gradients, batch-norm statistics and new values of variables, by functions of this module

Either way a step is that of the whole batch on one device, but for rounding: gradients are summed, and batch
normalisation uses the statistics of the whole batch.
"""
import contextlib
from collections.abc import Iterator
from typing import Any

from mugo.core.files import BadInput
from mugo.core.machine import CUDA_EXTRAS, available_cores, nvidia_gpus
from mugo.core.version import pip_install
from mugo.nn.backend import accelerator_names, backend_name, keras, ops, tensorflow
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
    """Why training on so many devices is slower than this machine could be, a sentence each."""
    warnings = []
    if not accelerator_names() and (gpus := nvidia_gpus()):
        warnings.append(f"this machine has a GPU ({gpus[0]}), which {backend_name()} does not see, so the CPU trains; "
                        f"{pip_install(CUDA_EXTRAS[keras.backend.backend()])}, and see what `mugo doctor` says")
    if tensorflow and count > 1:
        warnings.append(f"TensorFlow returns to Python after each step of {count} devices; KERAS_BACKEND=jax does not")
    return warnings


class DataParallel:
    """The first `count` devices.  Raises BadInput if there are not so many."""

    def __init__(self, count: int | None = None):
        """count: None takes all devices.  Those of other processes are needed too: then a number is refused."""
        devices = list_devices()
        processes = process_count()
        if processes > 1 and count is not None:
            raise BadInput(f"--devices {count}: several processes train on all of their devices; "
                           "CUDA_VISIBLE_DEVICES takes fewer")
        if count is not None and not 1 <= count <= len(devices):
            raise BadInput(f"--devices {count}: must be from 1 to {len(devices)}, the devices of this machine")
        self.count = count or len(devices)
        self._distribution: Any = None
        if self.count > 1:
            # auto_shard_dataset: every process has its slice of each batch already.
            self._distribution = tensorflow.distribute.MirroredStrategy(devices[:self.count]) if tensorflow else \
                keras.distribution.DataParallel(devices=devices[:self.count], auto_shard_dataset=processes == 1)
            if processes > 1 and not hasattr(self._distribution, "auto_shard_dataset"):
                raise BadInput(f"Keras {keras.__version__} trains in several processes on data of TensorFlow only: "
                               "install a newer one")

    def check_batch_size(self, size: int) -> None:
        """Raise BadInput unless batches of this size can be divided equally."""
        if size % self.count:
            raise BadInput(f"--batch-size {size}: must be a multiple of the number of devices, {self.count}; --devices "
                           "takes fewer")

    def scope(self) -> contextlib.AbstractContextManager:
        """In which models are made, and their optimizers built."""
        return self._distribution.scope() if self.count > 1 else contextlib.nullcontext()

    def training(self, model: keras.Model) -> contextlib.AbstractContextManager:
        """In which a model that was made in `scope` is trained."""
        if self.count == 1:
            return contextlib.nullcontext()
        if tensorflow:                   # a model trains where it was made; XLA does not compile what replicas exchange
            model.jit_compile = False
            return contextlib.nullcontext()
        return self._distribution.scope()


@contextlib.contextmanager
def one_device() -> Iterator[None]:
    """Inside DataParallel.training: models that are made and run in this context are on one device."""
    distribution = None if tensorflow else keras.distribution.distribution()
    if distribution is None:
        yield
        return
    keras.distribution.set_distribution(None)
    try:
        yield
    finally:
        keras.distribution.set_distribution(distribution)


def replicas() -> int:
    """How many replicas run the code that calls this; 1 but for TensorFlow on several devices."""
    return tensorflow.distribute.get_strategy().num_replicas_in_sync if tensorflow else 1


def sum_over_replicas(tensors: list) -> list:
    """The sum of each tensor over all replicas."""
    if replicas() == 1:
        return tensors
    return tensorflow.distribute.get_replica_context().all_reduce(
        tensorflow.distribute.ReduceOp.SUM, [ops.convert_to_tensor(tensor) for tensor in tensors])


def assign(pairs: list[tuple[Any, Any]]) -> None:
    """Assign to each of these (variable, value) its value, which is the same on all replicas."""
    if replicas() == 1:
        for variable, value in pairs:
            variable.assign(value)
        return

    def update(strategy, values):
        for (variable, _), value in zip(pairs, values, strict=True):
            strategy.extended.update(variable.value, lambda local, new: local.assign(new), args=(value,), group=False)

    values = [ops.cast(value, variable.dtype) for variable, value in pairs]
    with tensorflow.control_dependencies(values):        # all or none: where the data end, a step begins without any
        values = [tensorflow.identity(value) for value in values]
    tensorflow.distribute.get_replica_context().merge_call(update, args=(values,))
