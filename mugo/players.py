"""Players: an object with a name that chooses a point in a position.

    random         any sensible point, all equally likely
    policy         the sensible point that a network likes best
    randompolicy   a sensible point drawn from a network's priors

A sensible point is legal, superko included, and fills no own true eye.  Nobody here searches and
nobody resigns.  `worth_playing` decides when a policy passes.  Which stones are dead when a game is
over is asked of rollouts (`without_dead`), for the players here and for GTP's scores.
"""
from pathlib import Path
from typing import Protocol

import numpy as np

from mugo.coords import PASS, move_index
from mugo.ending import worth_playing
from mugo.files import BadInput
from mugo.go import Position

NAMES = ("random", "policy", "randompolicy")
TEMPERATURE = 0.5         # squares the priors: a hundred moves of 0.1 % no longer add up to one of 10 %


class Player(Protocol):
    """What gtp.py, and everything else that plays, asks of a player."""
    name: str
    size: int | None      # the only board size it plays; None: all of them

    def choose(self, position: Position) -> int:
        """A point for the side to move, or PASS.  Raises BadInput for a board it does not play."""

    def warm_up(self) -> None:
        """Load what the first `choose` needs, compiled code above all; changes nothing else."""


def make_player(name: str, *, network=None, seed: int | None = None,
                temperature: float = TEMPERATURE) -> Player:
    """The player of this name.

    network: what network.Network opens (None: the bundled one), or an open one.
    seed: the same seed plays the same moves.  temperature: of `randompolicy` only.
    Raises BadInput for an unknown name, a temperature below 0 or a network that cannot be opened.
    """
    if name not in NAMES:
        raise BadInput(f"{name!r} is no player ({', '.join(NAMES)})")
    if name == "random":
        return RandomPlayer(seed)
    if network is None or isinstance(network, str | Path):
        from mugo.network import BUNDLED, Network      # here, so that `random` starts without it
        network = Network(network or BUNDLED)
    return PolicyPlayer(network, temperature=temperature if name == "randompolicy" else 0, seed=seed)


class RandomPlayer:
    """Plays any sensible point, all equally likely; passes when none is left."""
    name = "random"
    size = None

    def __init__(self, seed: int | None = None):
        self._rng = np.random.default_rng(seed)

    def choose(self, position: Position) -> int:
        points = position.sensible_points()
        return int(self._rng.choice(points)) if len(points) else PASS

    def warm_up(self) -> None:
        Position(9).sensible_points()


class PolicyPlayer:
    """Plays the point that a network likes best, or draws one from its priors.

    network: anything with `name`, `size` and `evaluate(positions)`, as network.Network has them.
    temperature: 0 takes the best point; 1 draws by the priors as they are; between, the better
    points more often than that.
    """

    def __init__(self, network, *, temperature: float = 0, seed: int | None = None):
        if not 0 <= temperature < np.inf:
            raise BadInput(f"a temperature is 0 or more, not {temperature}")
        self.name = "randompolicy" if temperature else "policy"
        self.size = network.size
        self._network = network
        self._temperature = temperature
        self._rng = np.random.default_rng(seed)

    def choose(self, position: Position) -> int:
        if position.size != self.size:
            raise BadInput(f"the network {self._network.name} plays {self.size}x{self.size}; "
                           f"this board is {position.size}x{position.size}")
        priors = self._network.evaluate([position])[0][0]
        points = worth_playing(position, priors)
        if not len(points):
            return PASS
        weights = priors[[move_index(int(point), self.size) for point in points]].astype(np.float64)
        if self._temperature == 0:
            return int(points[np.argmax(weights)])
        # In logarithms, so that a low temperature does not underflow to all zeros.
        logs = np.log(np.maximum(weights, 1e-30)) / self._temperature
        weights = np.exp(logs - logs.max())
        return int(self._rng.choice(points, p=weights / weights.sum()))

    def warm_up(self) -> None:
        position = Position(self.size)
        position.sensible_points()
        self._network.evaluate([position])
