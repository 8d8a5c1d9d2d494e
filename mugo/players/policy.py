"""Players that use a network without search: policy and randompolicy.

In Gomoku `policy` wins at once where it can, and else blocks a move that would win at once, whatever the priors are.
In Go it passes by the rules of passing.candidate_moves.
"""
from collections.abc import Sequence

import numpy as np

from mugo.core.files import BadInput
from mugo.games import gomoku
from mugo.games.coords import move_indices
from mugo.games.position import BasePosition
from mugo.players import passing
from mugo.players.player import FREE, Player, SearchControl, pass_or_raise
from mugo.mcts.root import with_temperature



def sampled_move(position: BasePosition, priors: np.ndarray, points: np.ndarray, temperature: float,
                 rng: np.random.Generator) -> int:
    """One of these points, in proportion to prior^(1 / temperature); at temperature 0 the one with the highest prior.
    priors: float32 (points of the board + 1,)."""
    weights = priors[move_indices(points, position.shape)].astype(np.float64)
    if temperature == 0:
        return int(points[np.argmax(weights)])
    return int(rng.choice(points, p=with_temperature(weights, temperature)))


class PolicyPlayer(Player):
    """Plays the sensible point with the highest prior, or samples one from the priors.

    network: with `evaluate(positions)`, as nn.inference.Network.
    temperature: moves are sampled in proportion to prior^(1 / temperature); 0 plays the best or, in Gomoku, a forced
    one.
    symmetries: test-time augmentation, priors averaged over the 8 symmetries, at eight times the cost.
    """

    def __init__(self, network, *, temperature: float = 0, symmetries: bool = False,
                 seed: int | Sequence[int] | None = None):
        if not 0 <= temperature < np.inf:
            raise BadInput(f"a temperature is 0 or more, not {temperature}")
        self.name = "randompolicy" if temperature else "policy"
        self.network = network
        self.temperature = temperature
        self._symmetries = symmetries
        self._rng = np.random.default_rng(seed)

    def select_move(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False,
                    control: SearchControl = FREE) -> int:
        if self.temperature == 0 and position.game == "gomoku" and not position.is_over:
            forced, _, _ = gomoku.forced_move(position.board[0], False)
            if forced:
                return forced
        priors = self.network.evaluate([position], symmetries=self._symmetries).priors[0]
        cleanup = cleanup or not position.removes_dead_stones
        points = passing.candidate_moves(position, priors, cleanup) if position.may_pass else position.sensible_points()
        if not len(points):
            return pass_or_raise(position)
        return sampled_move(position, priors, points, self.temperature, self._rng)

    def warm_up(self, start: BasePosition) -> None:
        start.sensible_points()
        self.network.evaluate([start])
