"""Games of people that go on otherwise, for a teacher to judge:  python models/runs/side_positions.py FOLDER GAMES ...

Two positions are drawn from each game on 19x19, and in each two moves of search-19's policy, at a temperature of 2, 4
or 100.  A record has the game up to the position, one of the moves, an answer, and the other move.  So its last three
positions are the one before the moves, the one after a move, and the one after the answer, from which a value learns
what a mistake costs.  Two cores of an AMD Zen 4 write 100 records per second.
"""
import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import mugo

FROM_EACH = 2                            # positions of a game
BEFORE_END, LAST = 5, 240                # the moves from which on none is taken
AT_ONCE = 128
POWERS, SHARES = (0.5, 0.25, 0.01), (0.6, 0.3, 0.1)      # of probabilities, and how often


def draw(policy: mugo.Policy, power: float, count: int, rng: np.random.Generator) -> list[str]:
    """Different moves, no pass; none if there are too few."""
    moves = [move for move in policy if move != "pass"]
    if len(moves) < 4:
        return []
    weights = np.maximum([policy[move] for move in moves], 1e-9) ** power
    return rng.choice(moves, count, replace=False, p=weights / weights.sum()).tolist()


def positions(paths: list[Path], rng: np.random.Generator) -> Iterator[mugo.Position]:
    """Random positions of games on 19x19."""
    for game in mugo.read_archive(paths, replay=False):
        if game.info["size"] == "19x19" and len(game.moves) >= 30:
            for _ in range(FROM_EACH):
                try:
                    yield game[int(rng.integers(2, min(len(game.moves) - BEFORE_END, LAST)))]
                except ValueError:       # an illegal move
                    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    network, written = mugo.load_network("search-19"), itertools.count()
    drawn = positions(args.games, rng)
    while before := list(itertools.islice(drawn, AT_ONCE)):
        pairs = [(position, draw(policy, rng.choice(POWERS, p=SHARES), 2, rng))
                 for position, policy in zip(before, network.policy(before), strict=True)]
        after = [(position.play(move), other) for position, pair in pairs if pair
                 for move, other in (pair, pair[::-1])]
        policies = network.policy([position for position, _ in after])
        for (position, other), policy in zip(after, policies, strict=True):
            for answer in draw(policy, 1 if rng.random() < 0.8 else 0.4, 1, rng):
                answered = position.play(answer)
                if answered.why_illegal(other) is None:
                    path = args.folder / f"{next(written):06}.sgf"
                    path.write_text(mugo.Game(answered.play(other)).to_sgf())


if __name__ == "__main__":
    main()
