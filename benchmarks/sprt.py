"""How often a sequential test finds a side stronger, and after how many games: exactly, for games without draws.

    python benchmarks/sprt.py                          # promotion in the arena
    python benchmarks/sprt.py --elo1 200 --alpha 0.025 # the first attempt at a level of UCT
"""
import argparse
from collections import defaultdict

from mugo.core.sprt import SPRT, expected_score


def error_rates(test: SPRT, rate: float, games: int) -> tuple[float, float, float]:
    """(share of H1, share of H0, mean number of games) of matches of at most so many games; rate: of wins."""
    pair = {0: (1 - rate) ** 2, 2: 2 * rate * (1 - rate), 4: rate ** 2}      # by the index in sprt.PAIR_SCORES
    states, accepted, rejected, mean = {(0, 0, 0, 0, 0): 1.0}, 0.0, 0.0, 0.0
    for played in range(2, games + 1, 2):
        following: dict[tuple[int, ...], float] = defaultdict(float)
        for counts, probability in states.items():
            for index, share in pair.items():
                following[*counts[:index], counts[index] + 1, *counts[index + 1:]] += probability * share
        states = {}
        for counts, probability in following.items():
            ratio = test.log_likelihood_ratio(counts)
            if test.lower < ratio < test.upper and played + 2 <= games:
                states[counts] = probability
                continue
            mean += played * probability
            accepted += probability * (ratio >= test.upper)
            rejected += probability * (ratio <= test.lower)
    return accepted, rejected, mean


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elo0", type=float, default=0)
    parser.add_argument("--elo1", type=float, default=100)
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--games", type=int, default=200, help="at most")
    args = parser.parse_args()
    test = SPRT(args.elo0, args.elo1, args.alpha)
    print("true Elo   H1 accepted   H0 accepted   games")
    for elo in -50, 0, 20, 35, 50, 70, 100, 150, 200, 300:
        accepted, rejected, games = error_rates(test, expected_score(elo), args.games)
        print(f"{elo:8}{accepted:13.1%}{rejected:14.1%}{games:9.0f}")


if __name__ == "__main__":
    main()
