"""Work over many items on several processes, in order, with little in flight.

Written against concurrent.futures.Executor, so what runs on this machine's processes runs on any
other executor too.
"""
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def processes(workers: int | None = None) -> Executor:
    """An executor of worker processes, one a core by default; a single worker is a thread of this one.

    Ctrl-C is left to the process that waits for them, and they end when it does, even by kill -9.
    """
    if workers == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn"), _begin_worker)


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_with_parent() -> None:
        wait([parent_process().sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def in_order(executor: Executor, function: Callable[[Item], Result], items: Iterable[Item],
             in_flight: int) -> Iterator[Result]:
    """The results of function(item), in the order of items, at most in_flight of them waiting.

    Unlike Executor.map this reads items only as they are needed, so memory stays flat.
    """
    waiting = deque()
    for item in items:
        waiting.append(executor.submit(function, item))
        if len(waiting) >= in_flight:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
