"""Where tasks run: worker processes or threads of this machine, or the workers of a Dask cluster.

    open_executor(jobs=4)                              4 worker processes
    open_executor(jobs=4, threads=True)                4 threads, for tasks that wait for other programs
    open_executor(scheduler="tcp://10.0.0.1:8786")     all workers of a cluster (cluster.py)

A task is a call of a function that a module defines, with arguments that can be pickled and are small: names of files
rather than their contents.
"""
import argparse
import concurrent.futures
import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from mugo.core.files import BadInput
from mugo.core.machine import available_cores

if TYPE_CHECKING:
    from mugo.core.cluster import ClusterExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")
IN_FLIGHT = 4                            # tasks for each that runs: no worker waits for its next one


class LocalExecutor:
    """A concurrent.futures.Executor on processes or threads of this machine.  capacity: how many tasks run at once."""

    def __init__(self, workers: int, threads: bool):
        self.capacity = workers
        self._pool: Executor = (ThreadPoolExecutor(workers) if threads or workers == 1 else
                                ProcessPoolExecutor(workers, get_context("spawn"), _initialize_worker))
        self.submit, self.shutdown = self._pool.submit, self._pool.shutdown


TaskExecutor: TypeAlias = "LocalExecutor | ClusterExecutor"


@contextlib.contextmanager
def open_executor(jobs: int | None = None, *, threads: bool = False, scheduler: str | None = None
                  ) -> Iterator[TaskExecutor]:
    """An executor of `jobs` processes (default: one per core); for 1, a thread of this process.

    threads: threads instead.  scheduler: the address of a Dask scheduler; then `jobs` must be None.
    When the block ends, all tasks are done; when it raises, those that have not begun are cancelled.
    Worker processes ignore Ctrl-C (the parent handles it) and end when the parent ends, even by SIGKILL.
    Raises BadInput as cluster.open_cluster does.
    """
    with contextlib.ExitStack() as stack:
        if scheduler is None:
            executor: TaskExecutor = LocalExecutor(jobs or available_cores(), threads)
        else:
            from mugo.core.cluster import open_cluster           # distributed is optional

            executor = stack.enter_context(open_cluster(scheduler))
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            executor.shutdown()


def _initialize_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def exit_with_parent() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()


def ordered_map(executor: "Executor | TaskExecutor", function: Callable[[Item], Result], items: Iterable[Item],
                max_in_flight: int | None = None) -> Iterator[Result]:
    """Yield function(item) for every item, in order, with at most `max_in_flight` futures at a time; items are read
    only as there is room for them.  max_in_flight: None is IN_FLIGHT times the capacity of a TaskExecutor."""
    futures: deque[Future[Result]] = deque()
    for item in items:
        futures.append(executor.submit(function, item))
        if len(futures) >= (max_in_flight or IN_FLIGHT * executor.capacity):      # type: ignore[union-attr]
            yield futures.popleft().result()
    while futures:
        yield futures.popleft().result()


def completed(executor: TaskExecutor, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield function(item) for every item as each is done, with at most IN_FLIGHT futures for each that runs."""
    futures: set[Future[Result]] = set()
    for item in items:
        futures.add(executor.submit(function, item))
        if len(futures) >= IN_FLIGHT * executor.capacity:
            done, futures = concurrent.futures.wait(futures, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    yield from (future.result() for future in as_completed(futures))


def add_scheduler_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option --scheduler of a command."""
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="run on the workers of the Dask cluster with this scheduler, say tcp://10.0.0.1:8786, "
                        "which see the same files under the same paths")


def check_scheduler(args: argparse.Namespace, option: str) -> None:
    """Raise BadInput if --scheduler is given with this option, a number of local workers that is None by default."""
    if args.scheduler is not None and getattr(args, option) is not None:
        raise BadInput(f"--{option} is for this machine; with --scheduler every worker of the cluster takes part")
