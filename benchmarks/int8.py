"""The cost of a position and of a simulation of mcts in float32 and in int8, on one core.

    taskset -c 0 python benchmarks/int8.py                   # all bundled networks
    taskset -c 0 python benchmarks/int8.py RUN policy-19     # these

Processor time, and both precisions in turn, so that other work on the machine takes from both alike.  Accuracies are
`mugo evaluate NETWORK DATASET --precision float32,int8`, which compares them at the same positions.
"""
import argparse
import time
from dataclasses import replace

import numpy as np

from mugo.games import game
from mugo.games.game import new_game
from mugo.games.position import BasePosition, global_features
from mugo.nn.architectures import config_of
from mugo.nn.inference import Network, has_exact_int8, has_fast_int8
from mugo.nn.network_file import find_network, ranges_of, read_network
from mugo.nn.onnx_graph import OnnxGraph
from mugo.players.registry import default_settings
from mugo.mcts.search import Search

BATCHES = 1, 8, 32
COMPARED_PRECISIONS = "float32", "int8"
BUNDLED = "policy-19", "policy-19-small", "policy-9", "gomoku-6-4", "gomoku-8-5", "gomoku-15-5"


def milliseconds(networks: list[Network], batch: int, seconds: float) -> list[float]:
    """The median processor time of a position of each network, in batches of this size, measured in turn."""
    first = networks[0]
    rng = np.random.default_rng(0)
    shape = batch, first.size ** 2, game.packed_bytes(first.game)
    packed = rng.integers(0, 256, shape, np.uint8) & rng.integers(0, 256, shape, np.uint8)
    features = global_features(np.zeros(batch), np.ones(batch))
    times: list[list[float]] = [[] for _ in networks]
    end = time.process_time() + seconds
    while time.process_time() < end or len(times[0]) < 5:
        for network, own in zip(networks, times, strict=True):
            start = time.process_time()
            network.evaluate_packed(packed, features)
            own.append(time.process_time() - start)
    return [1000 * float(np.median(own)) / batch for own in times]


def simulations_per_second(networks: list[Network], position: BasePosition, seconds: float) -> list[float]:
    """Simulations of mcts by its defaults in a second of processor time with each network, from this position."""
    settings = replace(default_settings("mcts", networks[0].game), early_stop=False, reuse_tree=False, seed=1)
    searches = [Search(settings, network) for network in networks]
    for search in searches:
        search.search(position, simulations=100)         # compiles
    spent, end = [0.0] * len(searches), time.process_time() + seconds
    rounds = 0
    while time.process_time() < end or not rounds:
        rounds += 1
        for i, search in enumerate(searches):
            start = time.process_time()
            search.search(position, simulations=200)
            spent[i] += time.process_time() - start
    return [200 * rounds / own for own in spent]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=BUNDLED)
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement")
    args = parser.parse_args()
    if not has_exact_int8():
        parser.error("this processor has no VNNI instructions, and would compute int8 wrong")
    print(f"this processor multiplies int8 fast: {'yes' if has_fast_int8() else 'no'}\n")
    print("| network | graph, float32 / int8 | " + " | ".join(f"ms, batch {batch}" for batch in BATCHES)
          + " | `mcts` simulations/s | |\n|---|---|" + "---|" * (len(BATCHES) + 2))
    for name in args.networks:
        path = find_network(name)
        weights, metadata = read_network(path)
        sizes = [len(OnnxGraph(config_of(metadata).spec(), weights, ranges).serialize()) / 2 ** 20
                 for ranges in (None, ranges_of(metadata))]
        networks = [Network(path, 1, precision) for precision in COMPARED_PRECISIONS]
        cells = [f"`{path.stem}`", "{:.2f} / {:.2f} MB".format(*sizes)]
        for batch in BATCHES:
            float32, int8 = milliseconds(networks, batch, args.seconds)
            cells.append(f"{float32:.3f} / {int8:.3f}")
        first = networks[0]
        start = new_game(first.game, first.size, k=first.k, exactly=first.exactly)
        float32, int8 = simulations_per_second(networks, start, args.seconds)
        cells += [f"{float32:,.0f} / {int8:,.0f}", f"{int8 / float32:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
