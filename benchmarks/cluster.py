"""What a Dask cluster costs and gains:  python benchmarks/cluster.py ARCHIVE ... [--workers 1 2 4] [--rounds 2]

The same work in one run, in turns: the archives are read as `mugo preprocess` does (data/cluster_read.py), in this
process, in worker processes, and by clusters of so many workers on this machine.  Each has read once before.  And empty
tasks, which cost what the scheduler costs.

"copies at once" are processes that know nothing of each other, each of which reads everything: no division of the work
can gain more than they do on the cores of this machine.
"""
import argparse
import contextlib
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from mugo.data import cluster_read
from mugo.data.new_files import ReadReport
from mugo.core.parallel import TaskExecutor, completed, open_executor
from mugo.sgf.sources import Source, find_sources

EMPTY_TASKS = 1000


def read_seconds(executor: TaskExecutor, sources: list[Source]) -> tuple[float, int, int]:
    """Seconds that the executor takes to read the sources; its tasks and the games."""
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        counts = [games for games, _ in cluster_read.read_on_cluster(
            executor, sources, [source.checksum() for source in sources], Path(name),
            np.empty(0, np.uint64), ReadReport())]
        return time.perf_counter() - start, len(counts), sum(counts)


def task_milliseconds(executor: TaskExecutor) -> float:
    """Milliseconds that an empty task takes."""
    start = time.perf_counter()
    for _ in completed(executor, abs, range(EMPTY_TASKS)):
        pass
    return 1000 * (time.perf_counter() - start) / EMPTY_TASKS


def read_alone(paths: list[str]) -> None:
    """Read everything in this process."""
    with open_executor(1) as executor:
        read_seconds(executor, find_sources(paths))


def copies_seconds(pool: ProcessPoolExecutor, copies: int, paths: list[str]) -> float:
    """Seconds that so many processes take when each reads everything, divided by their number."""
    start = time.perf_counter()
    for done in [pool.submit(read_alone, paths) for _ in range(copies)]:
        done.result()
    return (time.perf_counter() - start) / copies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--task-bytes", type=int, default=cluster_read.TASK_BYTES, help="of an archive in a task")
    args = parser.parse_args()
    from distributed import LocalCluster

    cluster_read.TASK_BYTES = args.task_bytes
    sources = find_sources(args.archives)
    with contextlib.ExitStack() as stack:
        executors = {"this process": stack.enter_context(open_executor(1))}
        for count in args.workers:
            executors[f"{count} worker processes"] = stack.enter_context(open_executor(count))
        for count in args.workers:
            local = stack.enter_context(LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0",
                                                     silence_logs=50))
            executors[f"cluster of {count}"] = stack.enter_context(open_executor(scheduler=local.scheduler_address))
        if 1 in args.workers:
            del executors["1 worker processes"]          # a thread, as "this process" is
        spawn = get_context("spawn")
        pools = {f"{count} copies at once": (stack.enter_context(ProcessPoolExecutor(count, spawn)), count)
                 for count in args.workers if count > 1}
        for executor in executors.values():              # compiled code is loaded
            read_seconds(executor, sources)
        for pool, count in pools.values():
            copies_seconds(pool, count, args.archives)
        seconds: dict[str, list[float]] = {name: [] for name in (*executors, *pools)}
        tasks = games = 0
        for _ in range(args.rounds):
            for name, executor in executors.items():
                taken, tasks, games = read_seconds(executor, sources)
                seconds[name].append(taken)
            for name, (pool, count) in pools.items():
                seconds[name].append(copies_seconds(pool, count, args.archives))
        first = statistics.median(seconds["this process"])
        print(f"{games:,} games in {tasks} tasks, {args.rounds} rounds\n")
        print(f"{'':20} {'seconds':>8} {'speed-up':>9} {'ms an empty task':>17}")
        for name, values in seconds.items():
            taken = statistics.median(values)
            empty = f"{task_milliseconds(executors[name]):17.2f}" if name in executors else ""
            print(f"{name:20} {taken:8.2f} {first / taken:9.2f} {empty}".rstrip())


if __name__ == "__main__":
    main()
