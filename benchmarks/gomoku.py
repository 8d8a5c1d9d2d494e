"""Gomoku: seconds for 15,000 simulations of UCT, and the speed of self-play.

    python benchmarks/gomoku.py                         # both
    python benchmarks/gomoku.py --network RUN           # self-play with this network
    python benchmarks/gomoku.py --seconds 300 --threads 2
    python benchmarks/gomoku.py --only-selfplay --precision float32 int8        # each network in both
    python benchmarks/gomoku.py --only-selfplay --provider cuda --threads 16 --games 256        # on a GPU
    python benchmarks/gomoku.py --only-selfplay --provider cuda --stand-in      # what reaches a GPU, without one

UCT searches from the empty board on one core, compiled and warm; the median of nine.  Self-play is that of
`mugo selfplay` with 400 simulations per move (--simulations), without training; a batch is the mean of those that
reach ONNX Runtime, with padding.  Run it on an idle machine.
"""
import argparse
import statistics
import threading
import time

import numpy as np

from mugo.core.machine import available_cores
from mugo.games.gomoku import GomokuPosition
from mugo.nn.inference import PLAY_PRECISIONS, PROVIDERS, Network
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.selfplay.actors import network_class, new_workers
from mugo.selfplay.options import SelfPlayOptions
from mugo.selfplay.parallel import ParallelSelfPlay

SIMULATIONS = 15_000
STAND_IN = 1e-3, 2e-6
LINE = "{:34} {:>10} {:>14} {:>8}"


class CountingSession:
    """A session of ONNX Runtime that counts its calls and their positions.  session: None for a stand-in, which takes
    STAND_IN seconds for a call and for a position, and says something random."""

    def __init__(self, session):
        self._session, self.calls, self.positions, self._rng = session, 0, 0, np.random.default_rng(1)
        self._lock = threading.Lock()                    # a device runs one call at a time

    def run(self, names, inputs):
        n, rows, cols, _ = inputs["planes"].shape
        with self._lock:
            self.calls += 1
            self.positions += n
            if self._session is None:
                time.sleep(STAND_IN[0] + n * STAND_IN[1])
                outputs = {"policy": self._rng.dirichlet(np.ones(rows * cols + 1), n),
                           "value": self._rng.uniform(-0.3, 0.3, n)}
                return [outputs[name].astype(np.float32) for name in names]
        return self._session.run(names, inputs)


def uct_seconds(size: int, rollout: str) -> list[float]:
    """Seconds of nine searches from the empty board."""
    seconds = []
    for seed in range(10):
        search = Search(Settings(rollout=rollout, early_stop=False, seed=seed))
        start_time = time.perf_counter()
        search.search(GomokuPosition(size), simulations=SIMULATIONS)
        seconds.append(time.perf_counter() - start_time)
    return seconds[1:]                                   # the first may have compiled


def selfplay_speed(network: Network, workers: list[ParallelSelfPlay], seconds: float, is_stand_in: bool
                   ) -> tuple[float, float, float]:
    """(simulations per second, games per hour, positions of a batch), after a warm-up in which the games come to
    different stages."""
    for worker in workers:
        worker.network = network
    finished = []

    def play(worker: ParallelSelfPlay, until: float) -> None:
        worker.play(finished.append, lambda: time.perf_counter() >= until)

    session = None if is_stand_in else network._session
    for duration in seconds / 2, seconds:
        finished.clear()
        network._session = counting = CountingSession(session)
        before = sum(worker.simulations for worker in workers)
        start_time = time.perf_counter()
        playing = [threading.Thread(target=play, args=(worker, start_time + duration)) for worker in workers]
        for thread in playing:
            thread.start()
        for thread in playing:
            thread.join()
        elapsed = time.perf_counter() - start_time
    return ((sum(worker.simulations for worker in workers) - before) / elapsed, 3600 * len(finished) / elapsed,
            counting.positions / max(counting.calls, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", nargs="+", default=["gomoku-6-4", "gomoku-8-5"])
    parser.add_argument("--seconds", type=float, default=120, help="of self-play, after a warm-up of half as long")
    parser.add_argument("--threads", type=int, default=available_cores())
    parser.add_argument("--games", type=int, default=32, help="at once, for each thread")
    parser.add_argument("--precision", nargs="+", choices=PLAY_PRECISIONS, default=["auto"])
    parser.add_argument("--provider", choices=PROVIDERS, default="cpu", help="of ONNX Runtime")
    parser.add_argument("--stand-in", action="store_true", help="a GPU is played by a pause and random numbers")
    parser.add_argument("--simulations", type=int, default=400, help="of self-play, for a move")
    parser.add_argument("--only-selfplay", action="store_true", help="leave the searches of UCT out")
    args = parser.parse_args()
    if not args.only_selfplay:
        print_uct_speed()
    options = SelfPlayOptions(simulations=args.simulations)
    print("\n" + LINE.format(f"self-play, {args.threads} threads", "games/hour", "simulations/s", "batch"))
    for name in args.network:
        for precision in args.precision:
            network = network_class(args.provider)(name, 1, precision, "cpu" if args.stand_in else args.provider)
            start = GomokuPosition(network.size, network.k, network.exactly)
            workers = new_workers(start, options, args.threads, args.games, args.provider, [0])
            rate, games, batch = selfplay_speed(network, workers, args.seconds, args.stand_in)
            print(LINE.format(network.describe(), f"{games:,.0f}", f"{rate:,.0f}", f"{batch:,.1f}"), flush=True)


def print_uct_speed() -> None:
    print(LINE.format(f"{SIMULATIONS:,} simulations of UCT", "seconds", "simulations/s", ""))
    for size in 6, 8, 15:
        for rollout in "uniform", "mogo":
            seconds = statistics.median(uct_seconds(size, rollout))
            print(LINE.format(f"{size}x{size}, {rollout}", f"{seconds:.3f}", f"{SIMULATIONS / seconds:,.0f}", ""),
                  flush=True)


if __name__ == "__main__":
    main()
