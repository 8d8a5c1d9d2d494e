"""Which searches run at once, and for how long.

    SearchJob -- SearchScheduler.run --> a slot --> a thread --> TIME_SLICE over and others wait? --> a slot again
                                                        |
                                                        +--> the last answer

A scheduler has as many slots as searches may run at once; jobs wait for a slot in order of arrival.
"""
import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

TIME_SLICE = 1.0                         # seconds that a search keeps its slot while others wait


class SearchJob:
    """One search, from its request to its last answer.  Its search function runs in a thread and calls the methods."""

    def __init__(self, request_id: int | str | None, scheduler: "SearchScheduler"):
        self.request_id = request_id
        self.cancelled = threading.Event()
        self.task: asyncio.Task | None = None
        self.slice_start = 0.0                                   # time.perf_counter when it got its slot
        self.progress: dict = {}                                 # the latest; a slow connection misses earlier ones
        self.has_progress = asyncio.Event()
        self._scheduler = scheduler
        self._loop = asyncio.get_running_loop()

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self.cancelled.is_set() or self._scheduler.is_closing

    def should_yield(self) -> bool:
        """Whether the search has to return, because it is cancelled or others wait for its slot."""
        return self.is_cancelled() or (self._scheduler.waiting > 0
                                       and time.perf_counter() - self.slice_start > TIME_SLICE)

    def report(self, progress: dict) -> None:
        """Send an intermediate answer."""
        self.progress = progress
        self._loop.call_soon_threadsafe(self.has_progress.set)


# A search, or a slice of it: returns its last answer, or None to continue in another slot.
SearchFunction = Callable[[SearchJob], dict | None]


class SearchScheduler:
    """Runs search jobs in threads, a limited number at once.

    waiting: how many jobs wait for a slot.
    """

    def __init__(self, slots: int):
        self.waiting = 0
        self.is_closing = False
        self._slots = asyncio.Semaphore(slots)                   # first come, first served
        self._executor = ThreadPoolExecutor(slots, thread_name_prefix="search")

    @property
    def is_full(self) -> bool:
        """Whether a new job has to wait."""
        return self._slots.locked()

    @contextlib.asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it."""
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._slots.release()

    async def run(self, job: SearchJob, search: SearchFunction, on_wait: Callable[[], Awaitable[None]]) -> dict:
        """Run a search to its last answer.  on_wait: called each time the job has to wait for a slot.

        If the task is cancelled, the thread is awaited before its slot is released.
        """
        answer = None
        while answer is None:
            if self.is_full:
                await on_wait()
            async with self._slot():
                job.slice_start = time.perf_counter()
                future = asyncio.get_running_loop().run_in_executor(self._executor, search, job)
                try:
                    answer = await asyncio.shield(future)
                except asyncio.CancelledError:
                    await asyncio.wait([future])
                    raise
            if job.is_cancelled():
                answer = {"done": True, "stopped": True}
        return answer

    def close(self) -> None:
        """Cancel all jobs."""
        self.is_closing = True

    def shutdown(self) -> None:
        """Wait for the threads to end."""
        self._executor.shutdown()
