"""What a network says of positions, and how it is turned back and averaged over symmetries.
"""
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from mugo.games.position import BasePosition


class NetworkOutput(NamedTuple):
    """What a network says of n positions of one shape, as the side to move sees it; None for an output that it does
    not have.  Scores are in points, komi included."""

    priors: np.ndarray                           # float32 (n, points + 1), a probability for every move index
    values: np.ndarray | None = None             # float32 (n,) in [-1, 1], 2 P(the side to move wins) - 1
    ownership: np.ndarray | None = None          # float32 (n, points) in [-1, 1], 1: the side to move owns the point
    score_mean: np.ndarray | None = None         # float32 (n,), the expected lead of the side to move
    score_stdev: np.ndarray | None = None        # float32 (n,), the standard deviation of the score

    def board_ownership(self, k: int, position: BasePosition) -> np.ndarray | None:
        """float32 (rows, columns): the ownership of position k, which is given; 1 Black, -1 White."""
        if self.ownership is None:
            return None
        return (self.ownership[k] * position.to_play).astype(np.float32).reshape(position.shape)

    def win_rate(self, k: int = 0) -> float | None:
        """That of position k, from 0 to 1."""
        return None if self.values is None else (1 + float(self.values[k])) / 2

    def score(self, k: int) -> tuple[float, float] | tuple[None, None]:
        """(mean, standard deviation) of the score of position k."""
        if self.score_mean is None or self.score_stdev is None:
            return None, None
        return float(self.score_mean[k]), float(self.score_stdev[k])


class NetworkProtocol(Protocol):
    """What searches, players and front ends use of a network: inference.Network, BundledNetworks, or a stand-in."""
    name: str
    has_value: bool
    has_ownership: bool = False
    takes_people: bool = False

    def evaluate(self, positions: list[Any], symmetries: bool = False) -> NetworkOutput:
        """As inference.Network.evaluate."""
        ...

    def evaluate_packed(self, packed: np.ndarray, features: np.ndarray | None = None) -> NetworkOutput:
        """As inference.Network.evaluate_packed."""
        ...

    def for_position(self, position: BasePosition) -> "NetworkProtocol":
        """The network for a position's game and board.  Raises BadInput if there is none."""
        return self

    def for_search(self) -> "NetworkProtocol":
        """What a search evaluates by, where this network plays without one."""
        return self

    def describe(self) -> str:
        """What evaluates positions, for people."""
        return self.name

    def forget(self) -> None:
        """Forget the evaluations that are remembered."""


def turned_back(output: NetworkOutput, symmetry: np.ndarray) -> NetworkOutput:
    """The output for boards that were turned, as that for the boards as they are.

    symmetry: int64 (n, points + 1), the row of coords.symmetries for each board; or (points + 1,), for all of them.
    """
    turn, ownership = np.broadcast_to(symmetry, output.priors.shape), output.ownership
    return output._replace(
        priors=np.take_along_axis(output.priors, turn, 1),
        ownership=None if ownership is None else np.take_along_axis(ownership, turn[:, :-1], 1))


def concatenated_outputs(outputs: Sequence[NetworkOutput]) -> NetworkOutput:
    """The outputs of one network for several batches of positions as one."""
    return _combined(outputs, np.concatenate)


def mean_output(outputs: Sequence[NetworkOutput]) -> NetworkOutput:
    """The mean of several outputs of one network for the same positions."""
    return _combined(outputs, functools.partial(np.mean, axis=0))


def _combined(outputs: Sequence[NetworkOutput], combine: Callable[[Any], Any]) -> NetworkOutput:
    combined: Any = (None if column[0] is None else combine(column) for column in zip(*outputs, strict=True))
    return NetworkOutput(*combined)
