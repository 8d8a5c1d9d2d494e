"""The queue of positions to analyze, and the writer of output lines.

    AnalysisEngine -- put --> [Job Job Job ...] -- take --> worker threads -- put --> [line line ...] --> out

Every method may be called from any thread.  JobQueue.put never waits: the thread that reads input must see a
`terminate_all` behind any number of queries.
"""
import heapq
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TextIO

from mugo.analysis.request import Query
from mugo.core.files import BadInput
from mugo.games.go import GoPosition

JOB_BYTES = 500                          # of a job without its query
MAX_WAITING_BYTES = 1 << 30              # 200,000 queries of one position with 300 moves each


@dataclass(eq=False)
class Job:
    """A turn of a query.  bytes: that it counts for in the queue.  is_stopped: whether its search is to end."""
    query: Query
    turn: int
    bytes: int = 0
    is_stopped: bool = False

    @cached_property
    def position(self) -> GoPosition:
        """The position to analyze; it is made when it is first asked for, so that waiting jobs take no memory."""
        return self.query.position(self.turn)


class JobQueue:
    """Jobs that are waiting, and jobs that are running.

    max_bytes: of the waiting jobs; a job has JOB_BYTES and its part of the text of its query.
    """

    def __init__(self, max_bytes: int = MAX_WAITING_BYTES):
        self._max_bytes, self._bytes = max_bytes, 0      # limit, and bytes of the waiting jobs
        self._waiting: list[tuple[int, int, Job]] = []   # a heap of (-priority, number, job)
        self._running: set[Job] = set()
        self._numbers = itertools.count()
        self._closed = self._discarded = False
        self._changed = threading.Condition()

    def check_room(self) -> None:
        """Raise BadInput if max_bytes of jobs are waiting."""
        with self._changed:
            if self._bytes >= self._max_bytes:
                raise BadInput(f"{len(self._waiting):,} positions are waiting, {self._max_bytes >> 20} MiB of queries: "
                               "send this one again when some have been analyzed")

    def put(self, query: Query, length: int = 0) -> None:
        """Add a job for every turn of a query.  length: of its text."""
        job_bytes = JOB_BYTES + length // len(query.turns)
        with self._changed:
            if self._discarded:
                return
            for turn, priority in zip(query.turns, query.priorities, strict=True):
                heapq.heappush(self._waiting, (-priority, next(self._numbers), Job(query, turn, job_bytes)))
            self._bytes += job_bytes * len(query.turns)
            self._changed.notify_all()

    def take(self, limit: int, is_batchable: Callable[[Job, Job], bool]) -> list[Job]:
        """Wait for a job; returns it, with up to limit - 1 next ones that is_batchable(first, other) accepts.

        [] once the queue is closed and empty.  The jobs are running until they are given to `finish`.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            jobs: list[Job] = []
            while self._waiting and len(jobs) < limit and (not jobs or is_batchable(jobs[0], self._waiting[0][2])):
                jobs.append(heapq.heappop(self._waiting)[2])
            self._running.update(jobs)
            self._bytes -= sum(job.bytes for job in jobs)
            return jobs

    def finish(self, jobs: Iterable[Job]) -> None:
        """Note that jobs are done."""
        with self._changed:
            self._running.difference_update(jobs)

    def terminate(self, is_selected: Callable[[Job], bool]) -> list[Job]:
        """Stop the selected jobs that are running, and remove those that are waiting; returns the removed ones."""
        with self._changed:
            removed = sorted(item for item in self._waiting if is_selected(item[2]))
            self._waiting = [item for item in self._waiting if not is_selected(item[2])]
            heapq.heapify(self._waiting)
            for job in self._running:
                if is_selected(job):
                    job.is_stopped = True
            self._bytes -= sum(job.bytes for _, _, job in removed)
        return [job for _, _, job in removed]

    def discard(self) -> None:
        """Drop all jobs, running ones included, and those to come."""
        with self._changed:
            self._discarded = True
            self._waiting.clear()
            for job in self._running:
                job.is_stopped = True
            self._changed.notify_all()

    def close(self) -> None:
        """Note that no more jobs will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class LineWriter:
    """Writes lines to `out`, in the order of `put`, and flushes each.

    on_error: called with the OSError or ValueError of the line that could not be written; no more are written then.
    """

    def __init__(self, out: TextIO, on_error: Callable[[Exception], object]):
        self._out, self._on_error = out, on_error
        self._lines: deque[str] = deque()
        self._length = 0                                 # characters of the lines that are not written yet
        self._closed = self._dropped = self._is_stalled = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True, name="output")
        self._thread.start()

    def put(self, line: str, most: int) -> None:
        """Write a line, once fewer than `most` characters wait to be written."""
        with self._changed:
            self._changed.wait_for(lambda: self._length < most or self._dropped)
            if not self._dropped:
                self._lines.append(line)
                self._length += len(line)
                self._changed.notify_all()

    def flush(self, seconds: float) -> None:
        """Wait until all lines are written or dropped, at most so long; not at all while the client reads nothing."""
        with self._changed:
            if not self._is_stalled:
                self._is_stalled = not self._changed.wait_for(lambda: not self._length or self._dropped, seconds)

    def drop(self) -> None:
        """Write no more lines, those that wait included."""
        with self._changed:
            self._dropped = True
            self._lines.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """Wait until all lines are written or dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._closed or self._dropped)
                if not self._lines:
                    return
                line = self._lines.popleft()
            try:
                self._out.write(line)
                self._out.flush()
            except (OSError, ValueError) as error:       # the client has closed its end, or the disk is full
                self._on_error(error)
                self.drop()
            with self._changed:
                self._length -= len(line)
                self._is_stalled = False
                self._changed.notify_all()
