"""A pool of worker processes, and an ordered map with bounded memory.

    items -> executor.submit -> at most `max_in_flight` futures -> results in the order of the items

Written against concurrent.futures.Executor, so that any executor can replace the process pool.
"""
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def process_pool(workers: int | None = None) -> Executor:
    """An executor of `workers` processes (default: one per core); for 1 worker, a thread of this process.

    Workers ignore Ctrl-C (the parent handles it) and end when the parent ends, even by SIGKILL.
    """
    if workers == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn"), _initialize_worker)


def _initialize_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None

    def exit_with_parent() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=exit_with_parent, daemon=True).start()


def ordered_map(executor: Executor, function: Callable[[Item], Result], items: Iterable[Item],
                max_in_flight: int) -> Iterator[Result]:
    """Yield function(item) for every item, in order, with at most `max_in_flight` futures at a time.

    Unlike Executor.map it reads the next item only when there is room for it, so memory is bounded.
    """
    futures: deque[Future[Result]] = deque()
    for item in items:
        futures.append(executor.submit(function, item))
        if len(futures) >= max_in_flight:
            yield futures.popleft().result()
    while futures:
        yield futures.popleft().result()
