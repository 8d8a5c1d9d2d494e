"""The scheduler of `mugo web`: sessions take turns, time slices, overrunning jobs, the end."""
import asyncio
import threading
import time

from mugo.web import scheduler as module
from mugo.web.scheduler import STOPPED, Job, Scheduler


def search_for(seconds, order=None, name=None):
    """A search of some computing time: it has a preemption point every 5 ms."""
    def search(job):
        computed = 0.0
        while computed < seconds:
            if job.preemption_point():
                return None
            if order is not None and (not order or order[-1] != name):
                order.append(name)
            started = time.perf_counter()
            time.sleep(0.005)
            computed += time.perf_counter() - started
        return "found"
    return search


def run(capacity, *coroutines):
    """Run functions of (scheduler, now), now being the seconds since the start; returns their results."""
    async def all_of_them():
        scheduler = Scheduler(capacity)
        started = time.perf_counter()
        return await asyncio.gather(*(each(scheduler, lambda: time.perf_counter() - started) for each in coroutines))

    return asyncio.run(all_of_them())


def test_39_searches_do_not_keep_a_request_from_running():
    async def crowd(scheduler, now):
        jobs = [Job(None, scheduler) for _ in range(39)]
        running = [asyncio.create_task(scheduler.run(job, search_for(60))) for job in jobs]
        await asyncio.sleep(0.2)
        started = now()
        position = Job(None, scheduler, is_search=False)
        answer = await scheduler.run(position, lambda job: "answer")
        waited = now() - started
        for job in jobs:
            job.cancel()
        assert await asyncio.gather(*running) == [STOPPED] * 39
        return answer, waited

    (answer, waited), = run(1, crowd)
    assert answer == "answer" and waited < module.TIME_SLICE + 0.5


def test_searches_take_turns(monkeypatch):
    monkeypatch.setattr(module, "TIME_SLICE", 0.05)
    order = []

    def session(name):
        async def one(scheduler, now):
            return await scheduler.run(Job(None, scheduler), search_for(0.2, order, name))
        return one

    assert run(1, session("a"), session("b"), session("c")) == ["found"] * 3
    assert order[:6] == ["a", "b", "c"] * 2


def test_a_request_that_reaches_no_preemption_point_counts_as_running_no_more():
    async def slow(scheduler, now):
        await scheduler.run(Job(None, scheduler, is_search=False), lambda job: time.sleep(0.7))
        return now()

    async def other(scheduler, now):
        await asyncio.sleep(0.05)
        await scheduler.run(Job(None, scheduler, is_search=False), lambda job: None)
        return now()

    ends = run(1, slow, other)
    assert ends[1] < module.MAX_WAIT + 0.2 < 0.7 < ends[0]


def test_a_search_that_waits_says_so():
    async def busy(scheduler, now):
        await scheduler.run(Job(None, scheduler), lambda job: time.sleep(0.6))

    async def waits(scheduler, now, seconds):
        job = Job(None, scheduler)
        task = asyncio.create_task(scheduler.run(job, lambda job: "found"))
        await asyncio.sleep(seconds)
        progress = job.progress
        return progress, await task

    # a job overruns after MAX_WAIT, before WAITING_AFTER, so it has to be longer here
    original, module.MAX_WAIT = module.MAX_WAIT, 10
    try:
        _, (progress, answer) = run(1, busy, lambda scheduler, now: waits(scheduler, now, 0.45))
    finally:
        module.MAX_WAIT = original
    assert (progress, answer) == ({"waiting": True}, "found")


def test_closing_answers_every_job_at_once_though_their_threads_compute():
    ends = threading.Event()

    async def jobs(scheduler, now):
        waiting = [Job(None, scheduler) for _ in range(3)]
        running = [asyncio.create_task(scheduler.run(job, lambda job: ends.wait(20))) for job in waiting]
        await asyncio.sleep(0.1)
        scheduler.close()
        assert await asyncio.gather(*running) == [STOPPED] * 3
        assert await scheduler.run(Job(None, scheduler), lambda job: "computed") == STOPPED
        return now(), scheduler.is_idle

    try:
        (seconds, is_idle), = run(1, jobs)
    finally:
        ends.set()
    assert seconds < 1 and not is_idle
