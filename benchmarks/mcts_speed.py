"""The processor time of a simulation of mcts with each bundled network, with default options and one thread.

    python benchmarks/mcts_speed.py                          # all bundled networks
    python benchmarks/mcts_speed.py policy-19 --seconds 20   # one of them

User time of the process, not wall-clock time, so other work on the machine hardly changes it.  A search makes 400
simulations from an empty board of the network's size, in a new tree; the median of the searches is printed.  The
precision is the one that `--precision auto` chooses on this processor.
"""
import argparse
import resource
import statistics
from dataclasses import replace

from mugo.core.version import bundled_networks
from mugo.games.game import new_game
from mugo.nn.inference import Network
from mugo.nn.network_file import find_network
from mugo.players.registry import default_settings
from mugo.mcts.search import Search

SIMULATIONS = 400


def user_seconds() -> float:
    """Processor time that this process has spent in its own code, in all threads."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*", default=sorted({path.stem for path in bundled_networks().values()}))
    parser.add_argument("--seconds", type=float, default=20, help="processor time to spend on each network")
    args = parser.parse_args()
    print("| network | precision | ms per simulation | simulations/s | searches |\n|---|---|---|---|---|")
    for name in args.networks:
        network = Network(find_network(name), 1)
        settings = replace(default_settings("mcts", network.game), early_stop=False, reuse_tree=False, seed=1)
        position = new_game(network.game, network.size, k=network.k, exactly=network.exactly)
        search = Search(settings, network)
        search.search(position, simulations=100)                         # compiles
        spent: list[float] = []
        while len(spent) < 3 or sum(spent) < args.seconds:
            start = user_seconds()
            search.search(position, simulations=SIMULATIONS)
            spent.append(user_seconds() - start)
        each = statistics.median(spent) / SIMULATIONS
        print(f"| `{name}` | {network.precision} | {1000 * each:.3f} | {1 / each:,.0f} | {len(spent)} |", flush=True)


if __name__ == "__main__":
    main()
