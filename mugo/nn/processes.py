"""Several processes that train one model on JAX, on one machine or several: who is who, and what they agree on.

    process 0    its address is the coordinator's; it alone writes files
    process 1    reads the same checkpoint, takes its part of every batch, takes the same steps
    ...

They agree on numbers and on the moment to stop through JAX.  A run of one process agrees with itself at once.

Not here: how arrays are divided among devices (devices), which positions a process reads (training/fit).
"""
import atexit
import contextlib
import hashlib
import inspect
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from mugo.core.files import BadInput, error_line
from mugo.nn.backend import keras
from mugo.nn.interrupts import InterruptCallback

MAX_PROCESSES = 10_000
START_SECONDS = 300                      # until all processes have come
HEARTBEAT_SECONDS = 60                   # without a sign of life, after which JAX ends the others
COORDINATOR_WAITS = 3.0                  # seconds; at its end the others, which end too, would lose it
# What XLA says of a collective operation that failed: the code of its status, or the library.
_OF_OTHERS = re.compile(r"\b(UNKNOWN|INTERNAL|UNAVAILABLE|ABORTED|CANCELLED|DEADLINE_EXCEEDED): |[Gg]loo |NCCL")
_VARIABLES = {"coordinator_address": "JAX_COORDINATOR_ADDRESS", "num_processes": "JAX_NUM_PROCESSES",
              "process_id": "JAX_PROCESS_ID"}


def join(coordinator_address: str | None = None, num_processes: int | None = None, process_id: int | None = None
         ) -> None:
    """Join the other processes; before this process uses a device.  Nothing happens if there is no address.

    What is None is taken from JAX's environment variables.  coordinator_address: HOST:PORT, where process 0 runs.
    Raises BadInput if the numbers do not fit, on TensorFlow, and if the others do not come.
    """
    given = {"coordinator_address": coordinator_address, "num_processes": num_processes, "process_id": process_id}
    values = {name: os.environ.get(variable) if given[name] is None else given[name]
              for name, variable in _VARIABLES.items()}
    if all(value in (None, "") for value in values.values()):
        return
    address, count, index = _checked(values)
    if keras.backend.backend() != "jax":
        raise BadInput("--coordinator-address: several processes train on JAX: set KERAS_BACKEND=jax")
    if count == 1:
        return
    import jax

    if getattr(jax.config, "jax_cpu_collectives_implementation", None) in (None, "none"):    # the default before 0.6
        with contextlib.suppress(AttributeError):
            jax.config.update("jax_cpu_collectives_implementation", "gloo")
    _reach(address, count, index)
    heartbeat: dict[str, Any] = {"heartbeat_timeout_seconds": HEARTBEAT_SECONDS}
    if not heartbeat.keys() <= inspect.signature(jax.distributed.initialize).parameters.keys():
        heartbeat = {}                   # JAX before 0.7
    try:
        jax.distributed.initialize(address, count, index, initialization_timeout=START_SECONDS, **heartbeat)
    except RuntimeError as error:
        raise BadInput(f"process {index} of {count} cannot join at {address}: {error_line(error)}") from None


def _reach(address: str, count: int, index: int) -> None:
    """Wait until process 0 listens, or, in process 0, see that it can: JAX aborts the process where it fails later.

    Raises BadInput after START_SECONDS.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            if index == 0:
                socket.create_server(("", int(port))).close()        # as JAX, on all of its addresses
            else:
                socket.create_connection((host, int(port)), timeout=10).close()
            return
        except (OSError, OverflowError) as error:
            if index == 0 or time.monotonic() > end:
                what = "listen" if index == 0 else "reach process 0"
                raise BadInput(f"process {index} of {count} cannot {what} at {address}: {error_line(error)}") from None
        time.sleep(0.2)


def _checked(values: Mapping[str, Any]) -> tuple[str, int, int]:
    for name, value in values.items():
        if value in (None, ""):
            option = f"--{name.replace('_', '-')}"
            raise BadInput(f"{option}: missing: several processes take --coordinator-address, --num-processes and "
                           "--process-id, or the environment's " + ", ".join(_VARIABLES.values()))
    address, count, index = (str(value) for value in values.values())
    if not re.fullmatch(r"(\[[0-9A-Fa-f:.%\w]+\]|[^\s:/]+):[0-9]{1,5}", address):
        raise BadInput(f"--coordinator-address {address}: must be HOST:PORT, where process 0 runs")
    if not (re.fullmatch("[0-9]{1,5}", count) and 1 <= int(count) <= MAX_PROCESSES):
        raise BadInput(f"--num-processes {count}: must be from 1 to {MAX_PROCESSES:,}")
    if not (re.fullmatch("[0-9]{1,5}", index) and int(index) < int(count)):
        raise BadInput(f"--process-id {index}: must be from 0 to {int(count) - 1}, another one for each process")
    return address, int(count), int(index)


def place() -> tuple[int, int]:
    """(the number of this process, how many there are)."""
    if keras.backend.backend() != "jax":
        return 0, 1
    import jax

    return jax.process_index(), jax.process_count()


def is_first() -> bool:
    """Whether this is the process that writes files and lines."""
    return place()[0] == 0


def broadcast(number: int) -> int:
    """The number that process 0 has; below 2^31."""
    if place()[1] == 1:
        return number
    from jax.experimental import multihost_utils

    return int(multihost_utils.broadcast_one_to_all(np.int32(number)))


def check_equal(make: Callable[[], Mapping[str, bytes]] = dict, error: BaseException | None = None) -> None:
    """Wait for all processes, and raise BadInput in each of them unless these values are the same in all.

    make: returns the values by their names in errors; it is not called where there is one process.
    error: what went wrong in this process before: it is raised here, once the others know.
    """
    index, count = place()
    if count > 1:
        from jax.experimental import multihost_utils

        values = make()
        digests = [hashlib.blake2b(values.get(name, b""), digest_size=8).digest() for name in sorted(values)]
        row = np.frombuffer(bytes([error is not None]) + b"".join(digests), np.uint8)
        # Those that failed have no values: their rows are as long as those of a process with as many.
        length = int(np.max(multihost_utils.process_allgather(np.int32(len(row)))))
        rows = np.asarray(multihost_utils.process_allgather(np.pad(row, (0, length - len(row))))).reshape(count, length)
        if error is None:
            if failed := [str(other) for other in range(count) if rows[other, 0]]:
                raise BadInput(f"process {index} of {count} ends, because process {', '.join(failed)} could not begin")
            for i, name in enumerate(sorted(values)):
                column = rows[:, 1 + 8 * i:9 + 8 * i]
                if differing := [str(other) for other in range(count) if (column[other] != column[0]).any()]:
                    raise BadInput(f"process {', '.join(differing)} differs from process 0 in {name}: all must read "
                                   "the same files, with the same options and versions")
    if error is not None:
        raise error


@contextlib.contextmanager
def together() -> Iterator[None]:
    """A context at the end of which all processes wait for each other; an error in one of them is one in all."""
    try:
        yield
    except Exception as error:
        check_equal(error=error)
        raise
    check_equal()


class StopTogetherCallback(InterruptCallback):
    """Ctrl-C, or SIGTERM, of one process stops all after the same step, with a checkpoint; then KeyboardInterrupt.

    JAX's preemption service takes SIGTERM as the notice, and names a step that none of them has reached
    (jax.experimental.multihost_utils.reached_preemption_sync_point).
    """

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.agreed = False

    def on_train_batch_end(self, batch, logs=None):
        from jax.experimental import multihost_utils

        self.calls += 1                  # with several steps in each execution, these are counted
        if multihost_utils.reached_preemption_sync_point(self.calls):
            self.agreed = True
            assert self.model is not None
            self.model.stop_training = True      # ends the epoch, with a checkpoint

    def on_epoch_end(self, epoch, logs=None):
        if self.agreed:
            import jax

            jax.distributed.shutdown()   # waits for the others' end of the epoch
            raise KeyboardInterrupt

    def raise_if_requested(self) -> None:
        """The run has ended before the others knew."""

    def _request(self, *_: object) -> None:
        super()._request()
        os.kill(os.getpid(), signal.SIGTERM)


def interrupt_callback() -> InterruptCallback:
    return StopTogetherCallback() if place()[1] > 1 else InterruptCallback()


@contextlib.contextmanager
def ending_together() -> Iterator[None]:
    """A context for all work of a process: an error in it ends the process at once.

    Python's end would wait for the other processes, which wait for this one.  A step that fails because another
    process is gone is BadInput.
    """
    try:
        try:
            yield
        except (RuntimeError, ValueError) as error:      # JAX raises either, where it waits for a result
            index, count = place()
            if count == 1 or not _OF_OTHERS.search(str(error)):
                raise
            raise BadInput(f"process {index} of {count}: a step failed, because another process has ended or cannot be "
                           f"reached: --resume in all processes continues ({error_line(error)})") from None
    except BaseException as error:
        if place()[1] > 1:
            atexit.register(_end, 130 if isinstance(error, KeyboardInterrupt) else 2)   # before JAX's
        raise


def _end(status: int) -> None:
    for stream in sys.stdout, sys.stderr:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if is_first():
        time.sleep(COORDINATOR_WAITS)
    os._exit(status)
