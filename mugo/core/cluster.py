"""Tasks on the workers of a Dask cluster:  --scheduler tcp://10.0.0.1:8786

A task whose worker is lost is run again on another one, as often as the scheduler's `allowed-failures` says.  So a task
may run twice, even at the same time, and must then write the same files.  Its result reaches the caller once.
Whoever can connect to the scheduler can run code on all of its machines (docs/howto/cluster.md).
"""
import contextlib
import logging
import platform
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any

import numpy as np
from distributed import Client, get_worker
from distributed.scheduler import KilledWorker

from mugo.core.version import VERSION
from mugo.core.files import BadInput, error_line

CONNECT_SECONDS = 10                     # for the scheduler to answer
WAIT_SECONDS = 60                        # for the first worker to join
CAPACITY_SECONDS = 2                     # for which a count of the workers holds
CLOSE_SECONDS = 5
CONTINUES = "the same command continues where it stopped (selfplay with --resume)"


def versions() -> str:
    """The versions that the command and its workers must share; Python's last number may differ."""
    python = ".".join(platform.python_version_tuple()[:2])
    return f"mugo {VERSION}, python {python}, numpy {np.__version__}"


def run_task(command: str, function: Callable, args: tuple) -> Any:
    """Run a task in a worker.  command: the `versions` of the command.  Raises BadInput that names the worker."""
    worker = get_worker()
    if (own := versions()) != command:
        raise BadInput(f"worker {worker.address} has {own}, and the command {command}: install the same versions")
    if (threads := worker.state.nthreads) != 1:
        raise BadInput(f"worker {worker.address} runs {threads} tasks in one process, expected 1: start it with "
                       "--nthreads 1 (and --nworkers for more processes)")
    try:
        return function(*args)
    except OSError as error:
        path = f"{error.filename}: " if error.filename else ""
        hint = ": all workers must see it under the same path" if isinstance(error, FileNotFoundError) else ""
        raise BadInput(f"worker {worker.address}: {path}{error_line(error)}{hint}") from None


class ClusterExecutor:
    """A parallel.LocalExecutor on the workers of a cluster."""

    def __init__(self, client: Client):
        self._client: Any = client
        self._pool: Any = client.get_executor(pure=False)
        self._counted_at = self._workers = 0.0

    @property
    def capacity(self) -> int:
        """How many tasks run at once: the workers that have joined, at least 1."""
        now = time.monotonic()
        if now - self._counted_at > CAPACITY_SECONDS and self._client.status == "running":
            self._counted_at, self._workers = now, len(self._client.nthreads())
        return max(int(self._workers), 1)

    def submit(self, fn: Callable, /, *args: Any) -> Future:
        """Have a worker call fn(*args).  Messages and the dashboard name a task after its first argument."""
        name = " ".join(str(getattr(args[0], "name", args[0])).split())[:100]
        return self._pool.submit(run_task, versions(), fn, args, key=f"{name}-{uuid.uuid4().hex}")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As in concurrent.futures.  A task that has begun runs to its end; only its result is dropped."""
        self._pool.shutdown(wait and not cancel_futures)


@contextlib.contextmanager
def open_cluster(address: str) -> Iterator[ClusterExecutor]:
    """The executor of the cluster with this scheduler.  Raises BadInput if no scheduler answers or it goes, if no
    worker joins in WAIT_SECONDS, and for a task whose workers were all lost."""
    for name in "distributed", "distributed.client":     # what the user must know is in our messages
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="mugo")
    except Exception as error:                           # there are many kinds for a wrong address
        raise BadInput(f"--scheduler {address}: no Dask scheduler answers there, expected an address such as "
                       f"tcp://10.0.0.1:8786 ({error_line(error)})") from None
    try:
        client.wait_for_workers(1, timeout=WAIT_SECONDS)
        yield ClusterExecutor(client)
    except TimeoutError:
        raise BadInput(f"--scheduler {address}: no worker has joined it in {WAIT_SECONDS} seconds; start one with: "
                       f"dask worker {address} --nthreads 1") from None
    except KilledWorker as error:
        raise BadInput(f"{str(error.task).rpartition('-')[0]}: {error.allowed_failures + 1} workers were lost while "
                       f"they worked on it, perhaps for want of memory; {CONTINUES}") from None
    except CancelledError:
        raise BadInput(f"--scheduler {address}: the scheduler has gone; {CONTINUES}") from None
    finally:
        logging.disable(logging.CRITICAL)                # tornado's complaints about connections that end now
        with contextlib.suppress(Exception):             # it has gone already
            client.close(timeout=CLOSE_SECONDS)
        logging.disable(logging.NOTSET)
