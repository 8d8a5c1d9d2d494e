"""What a Dask cluster costs and gains:  python benchmarks/cluster.py ARCHIVE ... [--workers 1 2 4] [--rounds 2]

The same work in one run, in turns: the archives are read as `mugo preprocess` does (data/cluster_read.py), in this
process, in worker processes, and by clusters of so many workers on this machine.  Each has read once before.  And empty
units, which cost what the scheduler costs.
"""
import argparse
import contextlib
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from mugo.data import cluster_read
from mugo.parallel import UnitExecutor, completed, open_executor
from mugo.sgf.sources import Source, find_sources

EMPTY_UNITS = 1000


def read_seconds(executor: UnitExecutor, sources: list[Source]) -> tuple[float, int, int]:
    """Seconds that the executor takes to read the sources; its units and the games."""
    counts: list[int] = []
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        cluster_read.read_on_cluster(executor, sources, [source.checksum() for source in sources], Path(name),
                                     np.empty(0, np.uint64), lambda games, size: counts.append(games))
        return time.perf_counter() - start, len(counts), sum(counts)


def unit_milliseconds(executor: UnitExecutor) -> float:
    """Milliseconds that an empty unit takes."""
    start = time.perf_counter()
    for _ in completed(executor, abs, range(EMPTY_UNITS)):
        pass
    return 1000 * (time.perf_counter() - start) / EMPTY_UNITS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--unit-bytes", type=int, default=cluster_read.UNIT_BYTES, help="of an archive in a unit")
    args = parser.parse_args()
    from distributed import LocalCluster

    cluster_read.UNIT_BYTES = args.unit_bytes
    sources = find_sources(args.archives)
    with contextlib.ExitStack() as stack:
        executors = {"this process": stack.enter_context(open_executor(1))}
        for count in args.workers:
            executors[f"{count} worker processes"] = stack.enter_context(open_executor(count))
        for count in args.workers:
            local = stack.enter_context(LocalCluster(count, threads_per_worker=1, dashboard_address=":0",
                                                     silence_logs=50))
            executors[f"cluster of {count}"] = stack.enter_context(open_executor(scheduler=local.scheduler_address))
        if 1 in args.workers:
            del executors["1 worker processes"]          # a thread, as "this process" is
        for executor in executors.values():              # compiled code is loaded
            read_seconds(executor, sources)
        seconds: dict[str, list[float]] = {name: [] for name in executors}
        units = games = 0
        for _ in range(args.rounds):
            for name, executor in executors.items():
                taken, units, games = read_seconds(executor, sources)
                seconds[name].append(taken)
        first = statistics.median(seconds["this process"])
        print(f"{games:,} games in {units} units, {args.rounds} rounds\n")
        print(f"{'':20} {'seconds':>8} {'speed-up':>9} {'ms an empty unit':>17}")
        for name, executor in executors.items():
            taken = statistics.median(seconds[name])
            print(f"{name:20} {taken:8.2f} {first / taken:9.2f} {unit_milliseconds(executor):17.2f}")


if __name__ == "__main__":
    main()
