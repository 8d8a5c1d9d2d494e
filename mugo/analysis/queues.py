"""The queue of positions to analyze, and the writer of output lines.

    AnalysisEngine -- put --> [Job Job Job ...] -- take --> worker threads -- put --> [line line ...] --> out

Every method may be called from any thread.  No `put` waits: the thread that reads input must see a `terminate_all`
behind any number of queries, and whether or not the client reads what was sent.
"""
import heapq
import itertools
import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TextIO

from mugo.analysis.request import Query
from mugo.games.go import GoPosition


@dataclass(eq=False)
class Job:
    """A turn of a query.  is_stopped: whether its search is to end."""
    query: Query
    turn: int
    is_stopped: bool = False

    @cached_property
    def position(self) -> GoPosition:
        """The position to analyze; it is made when it is first asked for, so that waiting jobs take no memory."""
        return self.query.position(self.turn)


class JobQueue:
    """Jobs that are waiting, the highest priority first, then the oldest; and jobs that are running."""

    def __init__(self):
        self._waiting: list[tuple[int, int, Job]] = []   # a heap of (-priority, number, job)
        self._running: set[Job] = set()
        self._numbers = itertools.count()
        self._closed = self._discarded = False
        self._changed = threading.Condition()

    def put(self, query: Query) -> None:
        """Add a job for every turn of a query."""
        with self._changed:
            if self._discarded:
                return
            for turn in query.turns:
                heapq.heappush(self._waiting, (-query.priority, next(self._numbers), Job(query, turn)))
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
            for job in filter(is_selected, self._running):
                job.is_stopped = True
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
    """Writes lines to `out` in a thread of its own, in the order of `put`, and flushes each.

    on_error: called with the OSError or ValueError of the line that could not be written; no more are written then.
    """

    def __init__(self, out: TextIO, on_error: Callable[[Exception], object]):
        self._out, self._on_error = out, on_error
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()       # None at the end
        self._dropped = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="output")
        self._thread.start()

    def put(self, line: str) -> None:
        """Write a line."""
        self._lines.put(line)

    def drop(self) -> None:
        """Write no more lines, those that wait included."""
        self._dropped = True

    def close(self) -> None:
        """Wait until all lines are written or dropped."""
        self._lines.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (line := self._lines.get()) is not None and not self._dropped:
            try:
                self._out.write(line)
                self._out.flush()
            except (OSError, ValueError) as error:       # the client has closed its end, or the disk is full
                self._on_error(error)
                return
