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
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, get_worker
from distributed.client import Future as DaskFuture
from distributed.scheduler import KilledWorker

from mugo.core.version import VERSION
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
    return {"mugo": VERSION, "python": _minor(platform.python_version()), "numpy": np.__version__}


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


class DaskExecutor(Executor):
    """A concurrent.futures.Executor on the workers of a Dask cluster; see parallel.LocalExecutor for its methods.

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
        self._lock = threading.Lock()
        self._names: dict[Future, tuple[DaskFuture, str]] = {}           # of the tasks that are not done
        self._is_closed = False
        self._counted_at = self._workers = 0.0
        try:
            self._client.wait_for_workers(1, timeout=WAIT_SECONDS)
            self._check_workers()
        except TimeoutError:
            self._close_client()
            raise BadInput(f"--scheduler {address}: no worker has joined it in {WAIT_SECONDS} seconds; start one with: "
                           f"dask worker {address} --nthreads 1") from None
        except BaseException:
            self._close_client()
            raise

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

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Have a worker call fn(*args); as in concurrent.futures, but for keywords: there are none."""
        if kwargs:
            raise TypeError("a task has no keyword arguments")
        if self._is_closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        function = getattr(fn, "func", fn)               # of a functools.partial
        name = function.__name__
        dask_future = self._client.submit(run_task, versions(), fn, args, key=f"{name}-{uuid.uuid4().hex}", pure=False)
        future: Future = Future()
        with self._lock:
            self._names[future] = dask_future, task_name(args) or name
        future.add_done_callback(self._forget)
        dask_future.add_done_callback(lambda done: self._finish(future, done))
        return future

    def _forget(self, future: Future) -> None:
        with self._lock:
            dask_future, _ = self._names.pop(future, (None, ""))
        if future.cancelled() and dask_future is not None and not self._is_closed:       # else `shutdown` does
            dask_future.cancel(force=True)

    def _finish(self, future: Future, done: DaskFuture) -> None:
        """Hand a task's result, or its exception, to its future; in a thread of the client's."""
        with self._lock:
            _, name = self._names.get(future, (None, ""))
        if not future.set_running_or_notify_cancel():
            return
        error: BaseException
        try:
            future.set_result(done.result())             # waits if the worker that had the result was lost since
            return
        except BaseException as raised:
            error = raised
        if isinstance(error, KilledWorker):
            error = BadInput(f"{name}: {error.allowed_failures + 1} workers were lost while they worked on it, perhaps "
                             f"for want of memory; {CONTINUES}")
        elif done.status == "cancelled" or self._client.status != "running":
            error = self._gone()
        future.set_exception(error)

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
        if self._is_closed:
            return
        self._is_closed = True
        with self._lock:
            waiting = list(self._names.items())
        if cancel_futures or not wait:
            for future, _ in waiting:
                future.cancel()
            if self._client.status == "running":
                self._client.cancel([dask_future for _, (dask_future, _) in waiting], force=True)
        else:
            for future, _ in waiting:
                future.exception()
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
