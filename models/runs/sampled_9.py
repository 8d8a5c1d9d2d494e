"""Games on 9x9 that policy-9 plays against itself, for a teacher to judge:    python models/runs/sampled_9.py FOLDER

Moves are drawn from its policy at temperatures of 0.7 to 1.3.  Three of five games begin with moves that it likes
little, and three of four have some later, so that a value learns what a mistake costs.  Half of the games have a komi
other than 7.5.  6,000 games take seven minutes on two cores of an AMD Zen 4.
"""
import argparse
from pathlib import Path

import numpy as np

import mugo

KOMIS = 0.5, 3.5, 5.5, 6.5, 9.5, 12.5, 20.5, 30.5, -9.5, -20.5
AT_ONCE = 64
MAX_MOVES = 110


class SampledGame:
    """A game that is being played, and how its moves are drawn."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.position = mugo.Position(9, komi=7.5 if rng.random() < 0.5 else float(rng.choice(KOMIS)))
        self.temperature = rng.choice([0.7, 1, 1, 1.3])
        self.share_of_weak_moves = rng.choice([0, 0.02, 0.05, 0.15])
        self.opening_moves = rng.choice([0, 0, 2, 4, 6])

    def play(self, policy: mugo.Policy) -> None:
        """Draw a move."""
        moves, probabilities = list(policy), np.fromiter(policy.values(), float)
        played = len(self.position.moves)
        is_weak = played < self.opening_moves or self.rng.random() < self.share_of_weak_moves
        power = self.rng.choice([0.3, 0.01]) if is_weak else 1 / self.temperature
        weights = np.maximum(probabilities, 1e-9) ** power
        if is_weak and played < 50 and len(moves) > 1:
            weights[[move == "pass" for move in moves]] = 0
        self.position = self.position.play(str(self.rng.choice(moves, p=weights / weights.sum())))

    @property
    def is_over(self) -> bool:
        """Whether both players have passed, or the game is too long."""
        return self.position.is_over or len(self.position.moves) >= MAX_MOVES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    network = mugo.load_network("policy-9")
    games, finished = [SampledGame(rng) for _ in range(AT_ONCE)], 0
    while finished < args.games:
        for game, policy in zip(games, network.policy([each.position for each in games]), strict=True):
            game.play(policy)
        for number, game in enumerate(games):
            if game.is_over:
                (args.folder / f"{finished:05}.sgf").write_text(mugo.Game(game.position).to_sgf())
                finished, games[number] = finished + 1, SampledGame(rng)


if __name__ == "__main__":
    main()
