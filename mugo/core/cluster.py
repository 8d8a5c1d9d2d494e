"""Tasks on the workers of a Dask cluster:  --scheduler tcp://10.0.0.1:8786

    DaskExecutor.submit --> scheduler --> workers: run_task, one task at a time in each --> results, once each

A task whose worker is lost is run again on another one, as often as the scheduler's `allowed-failures` says.  So a task
may run twice, even at the same time, and must then write the same files.  Its result reaches the caller once.

Dask sends functions and arguments as pickles: whoever can connect to the scheduler can run code on all of its
machines (docs/howto/cluster.md).  Nothing of that is written to a file.

The package distributed is optional: `parallel` imports this module only for --scheduler.
"""
import logging
import os
import platform
import secrets
import time
import uuid
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, get_worker
from distributed.scheduler import KilledWorker

from mugo import __version__
from mugo.core.files import BadInput, check_writable, error_line

CONNECT_SECONDS = 10                     # for the scheduler to answer
WAIT_SECONDS = 60                        # for the first worker to join
CAPACITY_SECONDS = 2                     # for which a count of the workers holds
CLOSE_SECONDS = 5
MAX_NAME = 100                           # letters of a task's name in a message
CONTINUES = "the same command continues where it stopped (selfplay with --resume)"


class BrokenOff(Exception):
    """The task was ended on purpose, by `broadcast`."""


def versions() -> dict[str, str]:
    """What must be the same on both sides of a pickle, of this process; Python's last number may differ."""
    return {"mugo": __version__, "python": _minor(platform.python_version()), "numpy": np.__version__}


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def difference(own: dict[str, str], other: dict[str, str]) -> str:
    """What differs, for a message: 'numpy 2.3.1, and the command 2.2.0'; empty if nothing does."""
    return "; ".join(f"{name} {other[name]}, and the command {mine}" for name, mine in own.items()
                     if other[name] != mine)


def run_task(client: dict[str, str], function: Callable, args: tuple) -> Any:
    """Run a task in a worker.  An error of the worker's machine names the worker."""
    if different := difference(client, versions()):
        raise BadInput(f"worker {get_worker().address} has {different}")
    try:
        return function(*args)
    except KeyboardInterrupt:                            # would end the worker
        raise BrokenOff from None
    except OSError as error:
        path = f"{error.filename}: " if error.filename else ""
        raise BadInput(f"worker {get_worker().address}: {path}{error_line(error)}") from None


def task_name(args: tuple) -> str:
    """What messages call a task: the `name` of its first argument, or its text."""
    return " ".join(str(getattr(args[0], "name", args[0]) if args else "").split())[:MAX_NAME]


class DaskExecutor:
    """A parallel.TaskExecutor on the workers of a Dask cluster, by Client.get_executor().

    Raises BadInput if no scheduler answers at the address, if no worker joins in WAIT_SECONDS, and for a worker with
    other versions of MuGo, Python or NumPy, or with more than one thread.
    """

    def __init__(self, address: str):
        self._address = address
        for name in "distributed", "distributed.client":                 # what the user must know is in our messages
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="mugo")
        except Exception as error:                       # of an address that is none, there are many kinds
            raise BadInput(f"--scheduler {address}: no Dask scheduler answers there, expected an address such as "
                           f"tcp://10.0.0.1:8786 ({error_line(error)})") from None
        self._executor = self._client.get_executor(pure=False)
        self._futures: weakref.WeakSet[Future] = weakref.WeakSet()
        self._counted_at = self._workers = 0.0
        try:
            self._wait_for_worker()
            self._check_workers()
        except BaseException:
            self._close_client()
            raise

    def _wait_for_worker(self) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not self._client.nthreads():
            if time.monotonic() > deadline:
                raise BadInput(f"--scheduler {self._address}: no worker has joined it in {WAIT_SECONDS} seconds; start "
                               f"one with: dask worker {self._address} --nthreads 1")
            time.sleep(0.2)

    def _check_workers(self) -> None:
        for worker, threads in self._client.nthreads().items():
            if threads != 1:
                raise BadInput(f"worker {worker} runs {threads} tasks in one process, expected 1: start it with "
                               "--nthreads 1 (and --nworkers for more processes)")
        found = self._client.get_versions(packages=["mugo", "numpy"])
        sides = {f"the scheduler {self._address}": found["scheduler"],
                 **{f"worker {address}": side for address, side in found["workers"].items()}}
        for name, side in sides.items():
            theirs = {package: version or "none" for package, version in side["packages"].items()}
            theirs["python"] = _minor(theirs["python"])
            if different := difference(versions(), theirs):
                raise BadInput(f"{name} has {different}")

    @property
    def capacity(self) -> int:
        """How many tasks run at once: the workers that have joined, at least 1."""
        now = time.monotonic()
        if now - self._counted_at > CAPACITY_SECONDS and self._client.status == "running":
            self._counted_at, self._workers = now, len(self._client.nthreads())
        return max(int(self._workers), 1)

    def submit(self, fn: Callable, /, *args: Any) -> Future:
        """Have a worker call fn(*args); as in concurrent.futures."""
        future = self._executor.submit(run_task, versions(), fn, args, key=f"{task_name(args)}-{uuid.uuid4().hex}")
        self._futures.add(future)
        return future

    def explain(self, error: BaseException) -> BaseException:
        """The BadInput for an error that means a lost worker or scheduler; other errors themselves."""
        if isinstance(error, KilledWorker):
            name = str(error.task).rpartition("-")[0]
            return BadInput(f"{name}: {error.allowed_failures + 1} workers were lost while they worked on it, perhaps "
                            f"for want of memory; {CONTINUES}")
        return self._gone() if isinstance(error, CancelledError) else error

    def _gone(self) -> BadInput:
        return BadInput(f"--scheduler {self._address}: the scheduler has gone; {CONTINUES}")

    def broadcast(self, function: Callable, *args: Any) -> dict[str, Any]:
        """Call a function in every worker at once, without waiting for its current task; returns the result by worker.

        Workers that are lost meanwhile are left out.  Raises what the function raises; BadInput if the scheduler has
        gone, and OSError if it goes meanwhile.
        """
        if self._client.status != "running":             # or it would try to connect for a while
            raise self._gone()
        results = self._client.run(function, *args, on_error="return")
        for result in results.values():
            if isinstance(result, Exception) and not isinstance(result, OSError):
                raise result
        return {worker: result for worker, result in results.items() if not isinstance(result, OSError)}

    def check_paths(self, read: Iterable[Path] = (), write: Path | None = None) -> None:
        """Raise BadInput, which names the worker and the path, unless every worker sees these files and folders.

        read: files must have the size that they have here.  write: a folder that exists; a file that is made here
        must be seen by the workers, and they must be able to make one.
        """
        sizes = {os.path.abspath(path): _size(path) for path in read}
        token, marker = secrets.token_hex(8), None
        if write is not None:
            marker = Path(os.path.abspath(write)) / f".workers-{token}"
            marker.write_text(token)
        try:
            for worker, problem in sorted(self.broadcast(path_problem, sizes, marker, token).items()):
                if problem:
                    raise BadInput(f"worker {worker} {problem}: all workers must see it under the same path")
        finally:
            if marker:
                marker.unlink(missing_ok=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As in concurrent.futures.  A task that has begun runs to its end; only its result is dropped."""
        if cancel_futures or not wait:
            for future in [*self._futures]:
                future.cancel()
        if self._client.status == "running":
            self._executor.shutdown()
        self._close_client()

    def _close_client(self) -> None:
        logging.disable(logging.CRITICAL)                # tornado's complaints about connections that end now
        try:
            self._client.close(timeout=CLOSE_SECONDS)
        except Exception:                                # it has gone already
            pass
        finally:
            logging.disable(logging.NOTSET)


def path_problem(sizes: dict[str, int], marker: Path | None, token: str) -> str:
    """What a worker says of paths; empty if it sees them.  sizes: bytes of files, -1 for folders."""
    path = ""
    try:
        for path, size in sizes.items():
            if (found := _size(path)) != size:
                return f"sees another {path} ({'a folder' if found < 0 else f'{found:,} bytes'})"
        if marker is None:
            return ""
        path = str(marker.parent)
        if marker.read_text() != token:
            return f"sees another folder {path}"
    except OSError as error:
        return f"does not see {path} ({error_line(error)})"
    try:
        check_writable(marker.parent)
    except OSError as error:
        return f"cannot write to {path} ({error_line(error)})"
    return ""


def _size(path: str | Path) -> int:
    return -1 if os.path.isdir(path) else os.path.getsize(path)
