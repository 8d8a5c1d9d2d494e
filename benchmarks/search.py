"""Simulations per second of uct and mcts at several batch sizes, and the parts of a simulation's time.

    python benchmarks/search.py                      # both tables, the bundled network
    python benchmarks/search.py --network RUN        # another network than the bundled one
    python benchmarks/search.py --precision float32  # int8.py compares both precisions
    python benchmarks/search.py --seconds 10

The position is the empty board; the search has one thread unless another number is printed.  Rates are in wall-clock
time, because threads are compared: run it on an idle machine.  The parts of a simulation are means over batches of 64;
the planes are timed separately, on positions of that search.
"""
import argparse
import time
from collections.abc import Callable
from dataclasses import replace

from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.nn.bundled import bundled_name
from mugo.nn.inference import PLAY_PRECISIONS, Network
from mugo.players.registry import MCTS, UCT
from mugo.mcts import tree as search_tree
from mugo.mcts.result import SearchResult
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

RATE_LINE = "{:44} {:>10} {:>7}"
PARTS_LINE = "{:28} {:>9} {:>9} {:>9} {:>9}"


def run_search(settings: Settings, size: int, seconds: float, network=None) -> SearchResult:
    """Search the empty board, after a warm-up that compiles."""
    settings = replace(settings, early_stop=False, seed=1)
    Search(settings, network).search(GoPosition(size), simulations=200)
    return Search(settings, network).search(GoPosition(size), seconds=seconds)


def seconds_of_planes(result: SearchResult) -> float:
    """The time to encode a position, averaged over the positions of ten principal variations."""
    positions = []
    for info in result.moves[:10]:
        position = result.position
        for point in info.pv:
            position = position.play(point)
            positions.append(position)
    encode(positions[:1])
    start = time.perf_counter()
    encode(positions * 20)
    return (time.perf_counter() - start) / (20 * len(positions))


def timed(function: Callable, spent: dict[str, float], part: str) -> Callable:
    """A function that adds the seconds of its calls to a part of `spent`."""
    def wrapped(*arguments):
        started = time.perf_counter()
        result = function(*arguments)
        spent[part] += time.perf_counter() - started
        return result

    return wrapped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default=bundled_name(19, for_search=True))
    parser.add_argument("--precision", choices=PLAY_PRECISIONS, default="auto")
    parser.add_argument("--seconds", type=float, default=3)
    args = parser.parse_args()

    def show_rate(name, settings, size, network=None):
        result = run_search(settings, size, args.seconds, network)
        print(RATE_LINE.format(f"{name} {size}x{size}", f"{result.simulations / result.seconds:,.0f}",
                          f"{result.depth:.1f}"), flush=True)

    print(RATE_LINE.format("simulations per second", "", "depth"))
    for size in 9, 19:
        for rollout in "uniform", "mogo":
            for threads in 1, 2:
                show_rate(f"uct {rollout}, {threads} thread{'s' * (threads > 1)}",
                          replace(UCT, rollout=rollout, threads=threads), size)
    networks = {threads: Network(args.network, threads, args.precision) for threads in (1, 2)}
    print(f"network: {networks[1].describe()}")
    size = networks[1].size
    for threads in 1, 2:
        for batch in 1, 4, 8, 16, 64:
            show_rate(f"mcts, {threads} thread{'s' * (threads > 1)}, batch {batch}",
                 replace(MCTS, threads=threads, batch=batch), size, networks[threads])
    if networks[1].has_value:
        show_rate("mcts, value head instead of rollouts", replace(MCTS, rollout="none"), size, networks[1])

    print("\n" + PARTS_LINE.format("microseconds per simulation", "tree", "planes", "network", "rollouts"))
    spent = {"network": 0.0, "rollouts": 0.0}
    networks[1].evaluate_packed = timed(networks[1].evaluate_packed, spent, "network")
    search_tree.evaluate_leaves = timed(search_tree.evaluate_leaves, spent, "rollouts")
    search = Search(replace(MCTS, batch=64, early_stop=False, seed=1), networks[1])
    result = search.search(GoPosition(size), seconds=args.seconds)
    net, rollouts = (1e6 * seconds / result.simulations for seconds in spent.values())
    tree = 1e6 * result.seconds / result.simulations - net - rollouts
    planes = 1e6 * seconds_of_planes(result) * search.growth.positions_evaluated / result.simulations
    columns = [f"{part:.1f}" for part in (tree - planes, planes, net, rollouts)]
    print(PARTS_LINE.format(f"mcts {size}x{size}", *columns))


if __name__ == "__main__":
    main()
