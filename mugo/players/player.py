"""The Player protocol, and the players without a search: random, policy and randompolicy.

A sensible point is legal, superko included, and fills no own true eye; in Gomoku every empty point is sensible.
In Gomoku `policy` wins at once where it can, and else blocks a move that would win at once, whatever the priors are.
In Go it passes by the rules of passing.candidate_moves.
"""
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from mugo.core.files import BadInput
from mugo.games import gomoku
from mugo.games.coords import PASS, move_indices
from mugo.games.position import BasePosition
from mugo.mcts.result import SearchResult
from mugo.mcts.root import AvoidedMoves, with_temperature
from mugo.mcts.search import Search
from mugo.players import passing

RESIGN = -1               # what `select_move` returns to resign
PROGRESS_INTERVAL = 0.2   # seconds between two reports of progress


@dataclass(frozen=True)
class SearchControl:
    """How a search is stopped, followed and restricted, as in Search.search; players without a search ignore it.

    avoided: with moves to avoid a player does not resign, and passes only where no other move is left.
    """
    should_stop: Callable[[], bool] = lambda: False
    on_progress: Callable[[SearchResult], None] | None = None
    progress_interval: float = PROGRESS_INTERVAL
    avoided: AvoidedMoves = field(default_factory=AvoidedMoves)


FREE = SearchControl()


class Player(Protocol):
    """The interface of a player.  network: what evaluates positions for it (nn.inference.Network), None without one.
    search: its tree search, None where it does not search.  search_result: its last move's."""
    name: str
    network: Any = None

    @property
    def search(self) -> Search | None:
        return None

    @property
    def search_result(self) -> SearchResult | None:
        return None

    def select_move(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False,
                    control: SearchControl = FREE) -> int:
        """A point for the side to move, RESIGN, or in Go PASS.

        seconds: that it may take, by the clock; None: by the player's own options.
        cleanup: capture every dead stone before passing, as always by rules that take none off the board.
        Raises BadInput for a board that its network does not play, and a game of Gomoku that is over.
        """
        ...

    def explain(self) -> str:
        """One line about the last move; '' if there is none."""
        return ""

    def warm_up(self, start: BasePosition) -> None:
        """Load what the first `select_move` from this start needs, compiled code above all.  Raises BadInput likewise.

        Only between games: a searcher's tree is lost.
        """


def pass_or_raise(position: BasePosition) -> int:
    """The move where no point is sensible: PASS.  Raises BadInput where the game has no pass."""
    position.check_has_moves()
    return PASS


class RandomPlayer(Player):
    """Plays a sensible point, uniformly; passes when none is left."""
    name = "random"

    def __init__(self, seed: int | None = None):
        self._rng = np.random.default_rng(seed)

    def select_move(self, position: BasePosition, *, seconds: float | None = None, cleanup: bool = False,
                    control: SearchControl = FREE) -> int:
        points = position.sensible_points()
        return int(self._rng.choice(points)) if len(points) else pass_or_raise(position)

    def warm_up(self, start: BasePosition) -> None:
        start.sensible_points()


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
