"""What is computed at once, and for how long: searches and every other request that computes.

    Job -- Scheduler.run --> a thread --> its turn? --> a slot --> Job.checkpoint: slice over and others wait? --+
                                ^                          |                                                     |
                                +--------------------------|-----------------------------------------------------+
                                                           +--> the answer

A slot goes to the address with the fewest running jobs; among these to the one that had its turn the longest ago
(round robin), and within an address to the job that has waited the longest: a session has one search and one other
request at the most, so its sessions take turns.  A job that reaches no checkpoint in time keeps running, but its slot
goes to the next one: so no request makes the others wait for more than about MAX_WAIT.
"""
import asyncio
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from mugo.web.addresses import Address

TIME_SLICE = 1.0                         # seconds that a search keeps its slot while searches of its address wait
SHORT_SLICE = 0.1                        # the same while a short request waits, or another address
MAX_WAIT = 0.25                          # seconds after which a job that has not reached a checkpoint loses its slot
MAX_OVERDUE = 2                          # jobs of one address that run without a slot; then its others wait
WAITING_AFTER = 0.3                      # seconds without a slot after which a search reports that it waits
STOPPED = {"done": True, "stopped": True}


class Job:
    """A request, from its arrival to its last answer.  Its function runs in a thread and calls the methods.

    is_search: whether it may take long and reaches checkpoints.
    """

    def __init__(self, request_id: int | str | None, scheduler: "Scheduler", address: Address, is_search: bool = True):
        self.request_id = request_id
        self.address = address
        self.is_search = is_search
        self.task: asyncio.Task | None = None
        self.slice_start = 0.0                                   # time.perf_counter when it got its slot
        self.progress: dict = {}                                 # the latest; a slow connection misses earlier ones
        self.has_progress = asyncio.Event()
        self.granted = threading.Event()                         # it has a slot, or is cancelled
        self._cancelled = False
        self._scheduler = scheduler
        self._loop = asyncio.get_running_loop()
        self.done: asyncio.Future = self._loop.create_future()

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._cancelled or self._scheduler.is_closing

    def cancel(self) -> None:
        """Make the next checkpoint say so."""
        self._cancelled = True
        self.granted.set()

    def checkpoint(self) -> bool:
        """Let others have the slot if the slice is over, and return when it is this job's turn again.

        Returns whether the job is cancelled.
        """
        self._scheduler.take_turns(self)
        return self.is_cancelled()

    def report(self, progress: dict) -> None:
        """Send an intermediate answer."""
        self.progress = progress
        self._call_in_loop(self.has_progress.set)

    def finish(self, answer: Any, error: BaseException | None) -> None:
        """Called at the end, in the job's thread."""
        def set_result() -> None:
            if self.done.done():                                 # the server is closing
                return
            if error is None:
                self.done.set_result(answer)
            else:
                self.done.set_exception(error)

        self._call_in_loop(set_result)

    def _call_in_loop(self, function: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:                                     # the loop is closed: the server has ended
            pass


# What a job computes: its answer, a dict or text.
JobFunction = Callable[[Job], Any]


class Scheduler:
    """Runs jobs in threads, a limited number at once."""

    def __init__(self, slots: int):
        self.is_closing = False
        self._slots = slots
        self._lock = threading.Lock()
        self._turns = itertools.count(1)
        self._waiting: list[Job] = []                            # in order of arrival
        self._running: list[Job] = []
        self._jobs: set[Job] = set()                             # of the event loop: until their answer

    @property
    def is_idle(self) -> bool:
        """Whether no thread computes."""
        return not self._running and not self._waiting

    # -- in the event loop

    async def run(self, job: Job, function: JobFunction) -> Any:
        """The answer of a job; STOPPED if it is cancelled.  Raises what the function raises.

        If the task is cancelled, so is the job, and its thread is awaited.
        """
        if self.is_closing:
            return STOPPED
        self._jobs.add(job)
        job.done.add_done_callback(asyncio.Future.exception)     # retrieved, though the task may be cancelled
        threading.Thread(target=self._run_in_thread, args=(job, function), name="mugo-job", daemon=True).start()
        try:
            return await asyncio.shield(job.done)
        except asyncio.CancelledError:
            job.cancel()
            await asyncio.wait([job.done])
            raise
        finally:
            self._jobs.discard(job)

    def close(self) -> None:
        """Cancel all jobs, and answer for those whose threads are busy with something else, compiling for instance."""
        self.is_closing = True
        for job in list(self._jobs):
            job.cancel()
            if not job.done.done():
                job.done.set_result(STOPPED)

    # -- in the job's thread

    def _run_in_thread(self, job: Job, function: JobFunction) -> None:
        answer, error = None, None
        try:
            self._acquire(job)
            answer = STOPPED if job.is_cancelled() else function(job)
            if job.is_cancelled():
                answer = STOPPED
        except BaseException as raised:
            error = raised
        finally:
            self._release(job)
            job.finish(answer, error)

    def _acquire(self, job: Job) -> None:
        """Wait for a slot; returns too when the job is cancelled."""
        started, has_reported = time.perf_counter(), not job.is_search
        with self._lock:
            job.granted.clear()
            self._waiting.append(job)
            self._dispatch()
        while not job.is_cancelled() and not job.granted.wait(SHORT_SLICE / 2):
            if not has_reported and time.perf_counter() - started > WAITING_AFTER:
                job.report({"waiting": True})
                has_reported = True
            with self._lock:                                     # a running job may be overdue
                self._dispatch()
        with self._lock:
            if job in self._waiting:                             # cancelled
                self._waiting.remove(job)

    def _release(self, job: Job) -> None:
        with self._lock:
            if job in self._running:
                self._running.remove(job)
            self._dispatch()

    def take_turns(self, job: Job) -> None:
        """Job.checkpoint, without its result."""
        with self._lock:
            is_over = time.perf_counter() - job.slice_start > self._slice(job)
        if is_over and not job.is_cancelled():
            self._release(job)
            self._acquire(job)

    # -- with the lock

    def _slice(self, job: Job) -> float:
        """The seconds that a job may keep its slot for now."""
        if not self._waiting:
            return float("inf")
        is_short = any(each.address is not job.address or not each.is_search for each in self._waiting)
        return SHORT_SLICE if is_short or not job.is_search else TIME_SLICE

    def _is_overdue(self, job: Job, now: float) -> bool:
        """Whether a job should have reached a checkpoint, or its end, long ago."""
        return now - job.slice_start > self._slice(job) + MAX_WAIT - SHORT_SLICE

    def _occupied(self, now: float) -> int:
        return sum(not self._is_overdue(job, now) for job in self._running)

    def _dispatch(self) -> None:
        """Give free slots to waiting jobs."""
        now = time.perf_counter()
        while self._waiting and self._occupied(now) < self._slots:
            running = Counter(id(each.address) for each in self._running)
            overdue = Counter(id(each.address) for each in self._running if self._is_overdue(each, now))
            ready = [each for each in self._waiting if overdue[id(each.address)] < MAX_OVERDUE]
            if not ready:
                return
            job = min(ready, key=lambda each: (running[id(each.address)], each.address.last_turn))
            job.address.last_turn = next(self._turns)
            job.slice_start = now
            self._waiting.remove(job)
            self._running.append(job)
            job.granted.set()
