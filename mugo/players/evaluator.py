"""What can be said of a position: the moves worth playing, what each of them wins, and what then happens.

    SearchJudge     uct or mcts: win rates by searching
    NetworkJudge    a network alone: its favourites, and its value after each of them
    judge_of        the one that fits a player

Who plays is players.py's; `play` gives hints with these, and `analyze` reviews games.
"""
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mugo.files import BadInput
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.players.player import WATCH
from mugo.search.search import Branch, Search, Settings, Thought

FAVOURITES = 12           # moves of a network whose values are asked for
HINT = Settings(rollout="mogo")


@dataclass(frozen=True)
class Judgement:
    """choices: the best first, all that a search has looked at, or a network's favourites.
    win_rate: of the side to move, from 0 to 1; None where a network does not judge positions.
    owners: as search.Thought has them.
    """
    choices: tuple[Branch, ...]
    win_rate: float | None
    owners: np.ndarray | None = None


class Judge(Protocol):
    """What hints and reviews ask."""

    def judge(self, position: BasePosition, *, is_over: Callable[[], bool] = lambda: False,
              watch: Callable[[Thought], None] | None = None) -> Judgement:
        """Raises BadInput for a board that the network does not play, and for a game of Gomoku that is over."""


class SearchJudge:
    """Judges by searching; the win rate is the mean of all simulations.  simulations, seconds: for each position."""

    def __init__(self, search: Search, simulations: int | None = None, seconds: float | None = None):
        self.search = search
        self.simulations = simulations
        self.seconds = seconds

    def judge(self, position: BasePosition, *, is_over: Callable[[], bool] = lambda: False,
              watch: Callable[[Thought], None] | None = None, may_pass: bool = True, kept: int = 0) -> Judgement:
        """kept: simulations that the tree has of this position already; they count."""
        simulations = None if self.simulations is None else max(1, self.simulations - kept)
        thought = self.search.think(position, simulations=simulations, seconds=self.seconds, may_pass=may_pass,
                                    is_over=is_over, watch=watch, every=WATCH)
        looked_at = tuple(branch for branch in thought.branches if branch.visits) or thought.branches[:1]
        return Judgement(looked_at, thought.win_rate, thought.owners)


class NetworkJudge:
    """Judges by a network alone.  tta: test-time augmentation over the eight symmetries."""

    def __init__(self, network, tta: bool = True):
        self.network = network
        self.tta = tta

    def judge(self, position: BasePosition, *, is_over: Callable[[], bool] = lambda: False,
              watch: Callable[[Thought], None] | None = None) -> Judgement:
        if position.is_over and not position.may_pass:
            raise BadInput("the game is over: there is no move to look for")
        priors, values = self.network.evaluate([position], tta=self.tta)
        points = np.append(position.sensible_points(), [PASS] * position.may_pass).astype(np.int64)
        liked = priors[0][[move_index(int(point), position.size) for point in points]]
        best = np.argsort(-liked, kind="stable")[:FAVOURITES]
        rates = [np.nan] * len(best)
        if values is not None:
            after = [position.play(int(point)) for point in points[best]]
            rates = win_rates_after(self.network, after, self.tta)
        choices = tuple(Branch(int(points[i]), float(liked[i]), 0, float(rate), (int(points[i]),))
                        for i, rate in zip(best, rates, strict=True))
        return Judgement(choices, None if values is None else float(1 + values[0]) / 2)


def win_rates_after(network, after: Sequence[BasePosition], tta: bool = False) -> list[float]:
    """What a network's value head says of positions, for the side that has moved there, from 0 to 1.

    Who has won a game of Gomoku the rules know; the network has never seen one that is over.
    """
    values = network.evaluate(after, tta=tta)[1].tolist()
    return [(1 - (position.score() * position.to_play if position.is_over and not position.may_pass else value)) / 2
            for position, value in zip(after, values, strict=True)]


def judge_of(player, simulations: int | None = None, seconds: float | None = None) -> Judge:
    """The judge that sees what a player sees; where it sees nothing, a search with rollouts.

    player: one of players.py's.  simulations, seconds: for each position, of a search.
    """
    if hasattr(player, "search"):
        return SearchJudge(player.search, simulations, seconds)
    if hasattr(player, "network"):
        return NetworkJudge(player.network)
    return SearchJudge(Search(HINT), simulations, seconds)
