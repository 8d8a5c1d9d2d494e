"""Gomoku: seconds of 15,000 simulations of UCT, and how fast self-play goes.

    python benchmarks/gomoku.py                         # both
    python benchmarks/gomoku.py --network RUN           # self-play of this network alone
    python benchmarks/gomoku.py --seconds 300 --threads 2

UCT searches from the empty board on one core, compiled and warm; the median of nine.  Self-play is that of
`mugo selfplay` with 400 simulations a move, by the clock, learning not counted: run it on an idle machine.
"""
import argparse
import os
import statistics
import threading
import time

from mugo.games.gomoku import Position
from mugo.nn.inference import Network
from mugo.search.search import Search
from mugo.search.settings import Settings
from mugo.selfplay.parallel import Manner, Simul

SIMULATIONS = 15_000
LINE = "{:34} {:>10} {:>14}"


def seconds_of_uct(size: int, rollout: str) -> list[float]:
    """Of nine searches from the empty board."""
    seconds = []
    for seed in range(10):
        search = Search(Settings(rollout=rollout, early_stop=False, seed=seed))
        begun = time.perf_counter()
        search.search(Position(size), simulations=SIMULATIONS)
        seconds.append(time.perf_counter() - begun)
    return seconds[1:]                                   # the first may have compiled


def selfplay(network: Network, seconds: float, threads: int, games: int) -> tuple[float, float]:
    """(simulations a second, games an hour) after a warm-up, so that games are in all their stages."""
    start = Position(network.size, network.k, network.exactly)
    simuls = [Simul(start, Network(network.path, threads=1), Manner(), games=games, seed=i)
              for i in range(threads)]
    ended: list[float] = []

    def play(simul: Simul, until: float) -> None:
        simul.play(lambda game: ended.append(time.perf_counter()), lambda: time.perf_counter() >= until)

    for duration in seconds / 2, seconds:
        ended.clear()
        before = sum(simul.simulations for simul in simuls)
        begun = time.perf_counter()
        playing = [threading.Thread(target=play, args=(simul, begun + duration)) for simul in simuls]
        for one in playing:
            one.start()
        for one in playing:
            one.join()
        took = time.perf_counter() - begun
    return (sum(simul.simulations for simul in simuls) - before) / took, 3600 * len(ended) / took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", nargs="+", default=["gomoku-6-4", "gomoku-8-5"])
    parser.add_argument("--seconds", type=float, default=120, help="after half as long to warm up")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--games", type=int, default=32, help="side by side, for each thread")
    args = parser.parse_args()
    print(LINE.format(f"{SIMULATIONS:,} simulations of UCT", "seconds", "simulations/s"))
    for size in 6, 8, 15:
        for rollout in "uniform", "threats":
            seconds = statistics.median(seconds_of_uct(size, rollout))
            print(LINE.format(f"{size}x{size}, {rollout}", f"{seconds:.3f}", f"{SIMULATIONS / seconds:,.0f}"),
                  flush=True)
    print("\n" + LINE.format(f"self-play, {args.threads} threads", "games/hour", "simulations/s"))
    for name in args.network:
        network = Network(name, threads=1)
        rate, games = selfplay(network, args.seconds, args.threads, args.games)
        print(LINE.format(f"{name}, {network.size}x{network.size}x{network.k}", f"{games:,.0f}", f"{rate:,.0f}"),
              flush=True)


if __name__ == "__main__":
    main()
