"""What a player thinks of a position: the moves worth considering, their win rates and principal variations.

    SearchEvaluator     uct or mcts: win rates by a search
    NetworkEvaluator    a network alone: its moves with the highest priors, and its value after each
    evaluator_for       the one that fits a player

`play` gives hints with these, and `review` reviews games.
"""
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mugo.games.position import BasePosition
from mugo.players.analyze import analyze
from mugo.players.estimates import infos_by_network, moves_by_prior, sensible_moves
from mugo.players.player import Player, SearchControl
from mugo.players.searcher import UCT
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.search import Search

TOP_MOVES = 12            # moves of a network whose values are computed


@dataclass(frozen=True)
class Evaluation:
    """An evaluated position.

    moves: the best first; those a search has visited, or the TOP_MOVES of a network.
    win_rate: of the side to move, from 0 to 1; None where a network has no value head.
    ownership, score_lead: as in SearchResult.  visits: of the root of a search; 1 of a network alone.
    """
    moves: tuple[MoveInfo, ...]
    win_rate: float | None
    ownership: np.ndarray | None = None
    score_lead: float | None = None
    visits: int = 1


class Evaluator(Protocol):
    """What hints and reviews use."""

    def evaluate(self, position: BasePosition, *, should_stop: Callable[[], bool] = lambda: False,
                 on_progress: Callable[[SearchResult], None] | None = None) -> Evaluation:
        """Evaluate a position.  Raises BadInput for a board that the network does not play, and for a game of Gomoku
        that is over."""
        ...


class SearchEvaluator:
    """Evaluates by a search; the win rate is the mean of all simulations.  simulations, seconds: for a position."""

    def __init__(self, search: Search, simulations: int | None = None, seconds: float | None = None):
        self.search = search
        self.simulations = simulations
        self.seconds = seconds

    def evaluate(self, position: BasePosition, *, should_stop: Callable[[], bool] = lambda: False,
                 on_progress: Callable[[SearchResult], None] | None = None, reused_visits: int = 0) -> Evaluation:
        """Evaluate a position.  reused_visits: in the reused tree; they count as simulations."""
        simulations = None if self.simulations is None else max(1, self.simulations - reused_visits)
        result = analyze(self.search, position, simulations=simulations, seconds=self.seconds, may_end_game=False,
                         control=SearchControl(should_stop, on_progress))
        visited = tuple(info for info in result.moves if info.visits) or result.moves[:1]
        return Evaluation(visited, result.win_rate, result.ownership, result.score_lead, result.visits)


class NetworkEvaluator:
    """Evaluates by a network alone, with test-time augmentation over the 8 symmetries."""

    def __init__(self, network):
        self.network = network

    def evaluate(self, position: BasePosition, *, should_stop: Callable[[], bool] = lambda: False,
                 on_progress: Callable[[SearchResult], None] | None = None) -> Evaluation:
        position.check_has_moves()
        output = self.network.evaluate([position], symmetries=True)
        best = moves_by_prior(position, output.priors[0], sensible_moves(position))[:TOP_MOVES]
        win_rate = output.win_rate()
        if win_rate is None:
            moves = tuple(MoveInfo(point, prior, 0, math.nan, (point,)) for point, prior in best)
        else:
            moves = tuple(infos_by_network(self.network, position, best, visits=0, symmetries=True))
        return Evaluation(moves, win_rate, output.board_ownership(0, position), output.score(0)[0])


def evaluator_for(player: Player, simulations: int | None = None, seconds: float | None = None) -> Evaluator:
    """The evaluator that uses a player's search or network; for a player without either, uct's search.  simulations,
    seconds: for a position, of a search."""
    if player.search is not None:
        return SearchEvaluator(player.search, simulations, seconds)
    if player.network is not None:
        return NetworkEvaluator(player.network)
    return SearchEvaluator(Search(UCT), simulations, seconds)
