"""What is computed at once, and for how long: a preemptive scheduler of searches and all other requests that compute.

    Job -- Scheduler.run --> a thread, which waits --> runs --> Job.preemption_point --> ... --> the answer
                                               ^                          |
                                               +-- time slice over, and other jobs wait

The next job is the one that has waited the longest, searches after all others.  A job that reaches no preemption point
in time runs on, but no longer counts as running, and the next one starts.
"""
import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

TIME_SLICE = 0.1                         # seconds of a job while others wait
MAX_WAIT = 0.25                          # seconds after which a job without a preemption point counts as overrunning
WAITING_AFTER = 0.3                      # seconds of waiting after which a search reports that it waits
STOPPED = {"done": True, "stopped": True}


class Job:
    """A request, from its arrival to its last answer.  Its function runs in a thread and calls the methods.
    is_search: whether it may take long and has preemption points."""

    def __init__(self, request_id: Any, scheduler: "Scheduler", is_search: bool = True):
        self.request_id = request_id
        self.is_search = is_search
        self.task: asyncio.Task | None = None
        self.slice_start = 0.0                                   # time.perf_counter of its time slice
        self.progress: dict = {}                                 # the latest; a slow connection misses earlier ones
        self.has_progress = asyncio.Event()
        self.may_run = threading.Event()                         # it is scheduled, or cancelled
        self._cancelled = False
        self._scheduler = scheduler
        self._loop = asyncio.get_running_loop()
        self.done: asyncio.Future = self._loop.create_future()

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._cancelled or self._scheduler.is_closing

    def cancel(self) -> None:
        self._cancelled = True
        self.may_run.set()

    def preemption_point(self) -> bool:
        """Let waiting jobs run if the time slice is over; returns, when scheduled again, whether it is cancelled."""
        self._scheduler.preempt(self)
        return self.is_cancelled()

    def report(self, progress: dict) -> None:
        self.progress = progress
        self._call_in_loop(self.has_progress.set)

    def finish(self, answer: Any, error: BaseException | None) -> None:
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


JobFunction = Callable[[Job], Any]       # what a job computes: its answer, a dict or text


class Scheduler:
    """Runs jobs in threads, a limited number at once."""

    def __init__(self, capacity: int):
        self.is_closing = False
        self._capacity = capacity
        self._lock = threading.Lock()
        self._waiting: list[Job] = []                            # in order of arrival
        self._running: list[Job] = []
        self._jobs: set[Job] = set()                             # of the event loop: until their answer

    @property
    def is_idle(self) -> bool:
        """Whether no thread computes."""
        return not self._running and not self._waiting

    # -- in the event loop

    async def run(self, job: Job, function: JobFunction) -> Any:
        """The answer of a job; STOPPED if it is cancelled.  Raises what the function raises.  If the task is cancelled,
        so is the job, and its thread is awaited."""
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
        """Wait until the job is scheduled, or cancelled."""
        started, has_reported = time.perf_counter(), not job.is_search
        with self._lock:
            job.may_run.clear()
            self._waiting.append(job)
            self._dispatch()
        while not job.is_cancelled() and not job.may_run.wait(TIME_SLICE / 2):
            if not has_reported and time.perf_counter() - started > WAITING_AFTER:
                job.report({"waiting": True})
                has_reported = True
            with self._lock:                                     # a running job may overrun by now
                self._dispatch()
        with self._lock:
            if job in self._waiting:                             # cancelled
                self._waiting.remove(job)

    def _release(self, job: Job) -> None:
        with self._lock:
            if job in self._running:
                self._running.remove(job)
            self._dispatch()

    def preempt(self, job: Job) -> None:
        with self._lock:
            now = time.perf_counter()
            if not self._waiting:
                job.slice_start = now                            # nobody waits: it may go on, and does not overrun
            is_over = now - job.slice_start > TIME_SLICE
        if is_over and not job.is_cancelled():
            self._release(job)
            self._acquire(job)

    # -- with the lock

    def _dispatch(self) -> None:
        """Start waiting jobs while there is capacity: overrunning jobs do not count as running."""
        now = time.perf_counter()
        running = sum(now - job.slice_start <= MAX_WAIT for job in self._running)
        for job in sorted(self._waiting, key=lambda job: job.is_search)[:max(self._capacity - running, 0)]:
            job.slice_start = now
            self._waiting.remove(job)
            self._running.append(job)
            job.may_run.set()
