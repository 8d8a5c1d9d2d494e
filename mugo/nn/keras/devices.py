"""Several devices and several processes that train one model, on JAX; and Ctrl-C between two training steps.

Each device gets an equal slice of every batch, and the compiler divides one program among them
(keras.distribution.DataParallel): gradients are summed, and batch normalisation uses the statistics of the whole batch,
so a step equals a step on one device up to rounding.  Process 0 has the coordinator's address, and alone writes files;
the others read the same checkpoint and take the same steps.  TensorFlow trains on one device, in one process.
"""
import atexit
import contextlib
import hashlib
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from mugo.core.files import BadInput, error_line
from mugo.core.machine import CUDA_EXTRAS, available_cores, nvidia_gpus
from mugo.core.version import pip_install
from mugo.nn.graph import NetworkSpec, cost
from mugo.nn.keras.backend import accelerator_names, backend_name, keras, tensorflow

# What JAX's errors say where a process that is waited for has ended.
_OF_ANOTHER_PROCESS = re.compile("Gloo|NCCL|UNAVAILABLE|DEADLINE_EXCEEDED|Connection (closed|reset)|coordination")


def list_devices() -> list[str]:
    """The names of the devices to train on: the GPUs (on JAX also TPUs) if there are any, else the CPU, which may be
    divided into several logical ones."""
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
        """count: None takes all devices, on TensorFlow one; refused where there are several processes."""
        if tensorflow and count is not None and count > 1:
            raise BadInput(f"--devices {count}: TensorFlow trains on one device; KERAS_BACKEND=jax trains on several")
        devices = list_devices()[:1] if tensorflow else list_devices()
        if process_count() > 1 and count is not None:
            raise BadInput(f"--devices {count}: several processes train on all of their devices; "
                           "CUDA_VISIBLE_DEVICES takes fewer")
        if count is not None and not 1 <= count <= len(devices):
            raise BadInput(f"--devices {count}: must be from 1 to {len(devices)}, the devices of this machine")
        self.count = count or len(devices)
        self.everywhere: Any = None      # the jax.sharding of the state of a training step; None: on one device
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
        """A context to make models in, build their optimizers, and train."""
        return self._distribution.scope() if self.count > 1 else contextlib.nullcontext()

    def divided(self, batch: Any) -> Any:
        """A batch of this process, as arrays that are divided among the devices."""
        if self.count == 1:
            return batch
        from jax import make_array_from_process_local_data

        return keras.tree.map_structure(lambda array: make_array_from_process_local_data(self._divided, array), batch)


@contextlib.contextmanager
def one_device() -> Iterator[None]:
    """A context inside DataParallel.scope, in which models that are made and run are on one device."""
    distribution = None if tensorflow else keras.distribution.distribution()
    if distribution is None:
        yield
        return
    keras.distribution.set_distribution(None)
    try:
        yield
    finally:
        keras.distribution.set_distribution(distribution)


FLOP_OF_TRAINING = 6                     # for a multiplication: it and an addition, forward, and twice so backward
# TFLOP/s of multiplications in bfloat16, dense, by data sheets.
PEAK_TFLOPS = {"H200": 989, "H100": 989, "A100": 312, "L40S": 362, "L4": 121, "RTX 4090": 165, "RTX 3090": 71}


class Throughput(NamedTuple):
    """What training makes of its devices."""

    multiplications: int                 # for a position; 0 if a part of the network is frozen
    peak: float                          # TFLOP/s of all devices in bfloat16; 0 where it is not known

    def tflops(self, positions_per_second: float) -> float:
        """TFLOP/s of a run at this speed."""
        return FLOP_OF_TRAINING * self.multiplications * positions_per_second / 1e12

    def describe(self, positions_per_second: float) -> str:
        """'3.1 TFLOP/s (31 % of the peak)'; '' if a part is frozen."""
        if not self.multiplications:
            return ""
        tflops = self.tflops(positions_per_second)
        share = f" ({tflops / self.peak:.0%} of the peak)" if self.peak else ""
        return f"{tflops:.3g} TFLOP/s{share}"


def throughput(spec: NetworkSpec, frozen: bool, devices: list[str]) -> Throughput:
    """The throughput of a network on accelerators with these names; none: the CPU, whose peak is not known."""
    peaks = [next((peak for name, peak in PEAK_TFLOPS.items() if name in device), 0) for device in devices]
    return Throughput(0 if frozen else cost(spec).multiplications, sum(peaks) if all(peaks) else 0)


COORDINATOR_WAITS = 3.0                  # seconds until it ends, so that the others can still tell their errors


@contextlib.contextmanager
def distributed(wanted: bool = False, coordinator_address: str | None = None, num_processes: int | None = None,
                process_id: int | None = None) -> Iterator[None]:
    """A context for all work of a process that trains with others; it joins them before it uses a device.

    The arguments go to jax.distributed.initialize, which finds what is None under Slurm, Open MPI, Kubernetes
    and on TPUs; wanted: even if all are.  Where nothing is given, there is one process, and this does nothing.
    An error in the context ends the process at once, because the other processes wait for it.  Raises BadInput on
    TensorFlow, if JAX does not join the processes, and where another process has ended.
    """
    if wanted or (coordinator_address, num_processes, process_id) != (None, None, None) \
            or "JAX_COORDINATOR_ADDRESS" in os.environ:
        _join(coordinator_address, num_processes, process_id)
    try:
        yield
    except BaseException as error:
        if process_count() > 1:
            atexit.register(_end, 130 if isinstance(error, KeyboardInterrupt) else 2)   # before JAX's
            if isinstance(error, RuntimeError | ValueError) and _OF_ANOTHER_PROCESS.search(str(error)):
                raise BadInput(f"process {process_index()} of {process_count()}: a step failed, because another "
                               f"process has ended: {error_line(error)}; --resume continues") from None
        raise


def _join(address: str | None, count: int | None, index: int | None) -> None:
    if keras.backend.backend() != "jax":
        raise BadInput("--distributed: several processes train on JAX: set KERAS_BACKEND=jax")
    import jax

    if getattr(jax.config, "jax_cpu_collectives_implementation", None) in (None, "none"):    # the default before 0.6
        with contextlib.suppress(AttributeError):
            jax.config.update("jax_cpu_collectives_implementation", "gloo")
    try:
        jax.distributed.initialize(address, count, index)
    except (RuntimeError, ValueError) as error:
        raise BadInput("--distributed: this process cannot join the others by --coordinator-address, --num-processes "
                       f"and --process-id, or what the environment says: {error_line(error)}") from None


def process_index() -> int:
    """The number of this process, from 0."""
    return _of_jax("process_index", 0)


def process_count() -> int:
    """How many processes train together."""
    return _of_jax("process_count", 1)


def _of_jax(function: str, alone: int) -> int:
    """What a function of jax returns; `alone` on TensorFlow."""
    if keras.backend.backend() != "jax":
        return alone
    import jax

    return getattr(jax, function)()


def is_first() -> bool:
    """Whether this is the process that writes files and lines."""
    return process_index() == 0


def broadcast(number: int) -> int:
    """The number that process 0 has; below 2^31."""
    if process_count() == 1:
        return number
    from jax.experimental import multihost_utils

    return int(multihost_utils.broadcast_one_to_all(np.int32(number)))


@contextlib.contextmanager
def synchronized(values: Callable[[], Mapping[str, bytes]] = dict) -> Iterator[None]:
    """A context that all processes end together: an error in one of them is one in all.  values: returns, at the end,
    what must be the same in all processes, by its names in errors."""
    try:
        yield
    except Exception as error:
        _exchange({}, error)
        raise
    if process_count() > 1:
        _exchange(values(), None)


def _exchange(values: Mapping[str, bytes], error: Exception | None) -> None:
    """Wait for all processes, and raise BadInput in each of them unless these values are the same in all, and none has
    an error."""
    if process_count() == 1:
        return
    from jax.experimental import multihost_utils

    failed = np.flatnonzero(multihost_utils.process_allgather(np.int32(error is not None)))
    if error is not None:
        return
    if len(failed):
        raise BadInput(f"process {process_index()} of {process_count()} ends, because process "
                       f"{', '.join(map(str, failed))} could not begin")
    for name in sorted(values):
        digest = np.frombuffer(hashlib.blake2b(values[name], digest_size=8).digest(), np.uint8)
        digests = np.asarray(multihost_utils.process_allgather(digest)).reshape(-1, 8)
        if len(differing := np.flatnonzero((digests != digests[0]).any(1))):
            raise BadInput(f"process {', '.join(map(str, differing))} differs from process 0 in {name}: all must read "
                           "the same files, with the same options and versions")


class Interrupt:
    """A context in which Ctrl-C takes effect between two training steps, as KeyboardInterrupt; a second Ctrl-C at once.

    Anywhere else it can be lost in a destructor, or abort the process under C++ code of the backend.
    """
    stops = False                        # whether to stop after this step, with a checkpoint

    def __init__(self):
        self.requested = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():        # only there may signal handlers be set
            self._before = signal.getsignal(signal.SIGINT)
            if self._before == signal.default_int_handler:               # not where it is ignored
                signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._before)
        if error is None:
            self.check()

    def check(self) -> None:
        """Between two steps; raises KeyboardInterrupt."""
        if self.requested:
            raise KeyboardInterrupt

    def _request(self, *_: object) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


class InterruptTogether(Interrupt):
    """Ctrl-C, or SIGTERM, of one process stops all after the same step, with a checkpoint; then KeyboardInterrupt
    (jax.experimental.multihost_utils.reached_preemption_sync_point)."""

    def __init__(self):
        super().__init__()
        self._calls = 0

    def check(self) -> None:
        from jax.experimental import multihost_utils

        if self.stops:
            import jax

            jax.distributed.shutdown()   # waits for the others' checkpoint
            raise KeyboardInterrupt
        self._calls += 1
        self.stops = multihost_utils.reached_preemption_sync_point(self._calls)

    def __exit__(self, *_: object) -> None:              # the run may have ended before the others knew
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._before)

    def _request(self, *_: object) -> None:
        super()._request()
        os.kill(os.getpid(), signal.SIGTERM)


def interrupt_between_steps() -> Interrupt:
    return InterruptTogether() if process_count() > 1 else Interrupt()


def _end(status: int) -> None:
    for stream in sys.stdout, sys.stderr:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if is_first():
        time.sleep(COORDINATOR_WAITS)
    os._exit(status)
