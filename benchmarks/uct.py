"""What RAVE and heuristic priors cost `uct`, and the shape of its tree: against plain UCB1, in one run.

    python benchmarks/uct.py
    python benchmarks/uct.py --sizes 19 --simulations 4000 --rounds 10

Every search is of the same position, after ten random sensible moves.  The variants take turns, and their processor
times are compared, so other work on the machine hardly matters.  Visits are those of the three best moves.
"""
import argparse
import time
from dataclasses import replace

import numpy as np

from mugo.games.go import Position
from mugo.players.searcher import UCT
from mugo.search.search import Search

LINE = "{:8} {:24} {:>14} {:>7} {:>7}   {}"
VARIANTS = {
    "UCB1": {"rave": False, "heuristic_priors": False},
    "heuristic priors": {"rave": False},
    "RAVE": {"heuristic_priors": False},
    "RAVE, heuristic priors": {},
}


def some_position(size: int, plies: int = 10) -> Position:
    """A position after random sensible moves."""
    rng, position = np.random.default_rng(1), Position(size)
    for _ in range(plies):
        position = position.play(int(rng.choice(position.sensible_points())))
    return position


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[9, 13, 19])
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    if not all(2 <= size <= 19 for size in args.sizes) or args.rounds < 1 or args.simulations <= 0:
        parser.error("--sizes are 2 to 19, --rounds at least 1, --simulations above 0")
    print(LINE.format("board", "search", "simulations/s", "ratio", "depth", "visits"))
    for size in args.sizes:
        position, seconds, results = some_position(size), dict.fromkeys(VARIANTS, 0.0), {}
        for turn in range(args.rounds + 1):              # the first one compiles
            for name, changes in VARIANTS.items():
                search = Search(replace(UCT, seed=turn, early_stop=False, **changes))
                started = time.process_time()
                results[name] = search.search(position, simulations=args.simulations)
                seconds[name] += time.process_time() - started if turn else 0
        for name, result in results.items():
            print(LINE.format(f"{size}x{size}", name, f"{args.simulations * args.rounds / seconds[name]:,.0f}",
                              f"{seconds['UCB1'] / seconds[name]:.2f}", f"{result.depth:.1f}",
                              ", ".join(str(info.visits) for info in result.moves[:3])), flush=True)


if __name__ == "__main__":
    main()
