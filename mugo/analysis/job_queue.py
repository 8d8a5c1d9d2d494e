"""The queue of positions to analyze: the highest priority first, then the oldest.

    AnalysisEngine -- put --> [Job Job Job ...] -- take --> worker threads

Every method may be called from any thread.
"""
import heapq
import itertools
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mugo.analysis.request import Query
from mugo.games.go import Position


@dataclass(eq=False)
class Job:
    """A turn of a query.  stop: set when its search is to end."""
    query: Query
    turn: int
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def position(self) -> Position:
        return self.query.positions[self.turn]


class JobQueue:
    """Jobs that are waiting, and jobs that are running."""

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
            for turn, priority in zip(query.turns, query.priorities, strict=True):
                heapq.heappush(self._waiting, (-priority, next(self._numbers), Job(query, turn)))
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
            for job in self._running:
                if is_selected(job):
                    job.stop.set()
        return [job for _, _, job in removed]

    def discard(self) -> None:
        """Drop all jobs, running ones included, and those to come."""
        with self._changed:
            self._discarded = True
            self._waiting.clear()
            for job in self._running:
                job.stop.set()

    def close(self) -> None:
        """Note that no more jobs will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
