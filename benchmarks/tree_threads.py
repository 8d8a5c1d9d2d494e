"""Simulations a second of `uct` by number of threads, on one tree.

    python benchmarks/tree_threads.py
    python benchmarks/tree_threads.py --threads 1 2 4 8 16 --sizes 9 19 --seconds 5

The numbers of threads take turns, in one process.  Simulations a second are in wall-clock time, so they need an idle
machine.  Those of a second of processor time tell on any machine what threads cost each other: waiting for the lock,
cache lines that move between cores.  Their product with the number of cores is the most that can be reached.
"""
import argparse
import time
from dataclasses import replace

import numpy as np

from mugo.games.go import GoPosition
from mugo.players.registry import UCT
from mugo.mcts.search import Search

LINE = "{:8} {:>7} {:>14} {:>7} {:>18} {:>7} {:>7}"


def some_position(size: int, plies: int = 10) -> GoPosition:
    """A position after random sensible moves."""
    rng, position = np.random.default_rng(1), GoPosition(size)
    for _ in range(plies):
        position = position.play(int(rng.choice(position.sensible_points())))
    return position


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[9, 19])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=1, help="of each search")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if not all(2 <= size <= 19 for size in args.sizes) or args.rounds < 1 or args.seconds <= 0:
        parser.error("--sizes are 2 to 19, --rounds at least 1, --seconds above 0")
    print(LINE.format("board", "threads", "simulations/s", "ratio", "of processor time", "ratio", "depth"))
    for size in args.sizes:
        position = some_position(size)
        simulations, wall, processor, depths = ({threads: 0.0 for threads in args.threads} for _ in range(4))
        for turn in range(args.rounds):
            for threads in args.threads:
                search = Search(replace(UCT, threads=threads, seed=turn, early_stop=False))
                search.search(position, simulations=100)             # compiles, and touches the arrays
                before = time.perf_counter(), time.process_time()
                result = search.search(position, seconds=args.seconds)
                wall[threads] += time.perf_counter() - before[0]
                processor[threads] += time.process_time() - before[1]
                simulations[threads] += result.simulations
                depths[threads] = result.depth
        rates, costs = ({threads: simulations[threads] / spent[threads] for threads in args.threads}
                        for spent in (wall, processor))
        first = args.threads[0]
        for threads in args.threads:
            print(LINE.format(f"{size}x{size}", threads, f"{rates[threads]:,.0f}",
                              f"{rates[threads] / rates[first]:.2f}", f"{costs[threads]:,.0f}",
                              f"{costs[threads] / costs[first]:.2f}", f"{depths[threads]:.1f}"), flush=True)


if __name__ == "__main__":
    main()
