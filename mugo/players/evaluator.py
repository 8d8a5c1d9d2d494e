"""What a player thinks of a position: the moves worth considering, their win rates and principal variations.

    SearchEvaluator     uct or mcts: win rates by a search
    NetworkEvaluator    a network alone: its moves with the highest priors, and its value after each
    evaluator_for       the one that fits a player

`play` gives hints with these, and `review` reviews games.  What a network says of moves, scores and ownership, for
them and for the protocols, is here too.
"""
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.players.player import Player
from mugo.players.searcher import PROGRESS_INTERVAL, UCT
from mugo.search.result import MoveInfo, SearchResult
from mugo.search.search import Search

TOP_MOVES = 12            # moves of a network whose values are computed


@dataclass(frozen=True)
class Evaluation:
    """An evaluated position.

    moves: the best first; those a search has visited, or the TOP_MOVES of a network.
    win_rate: of the side to move, from 0 to 1; None where a network has no value head.
    ownership, score_lead: as in SearchResult.
    """
    moves: tuple[MoveInfo, ...]
    win_rate: float | None
    ownership: np.ndarray | None = None
    score_lead: float | None = None


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
                 on_progress: Callable[[SearchResult], None] | None = None, may_pass: bool = True,
                 reused_visits: int = 0) -> Evaluation:
        """Evaluate a position.  reused_visits: in the reused tree; they count as simulations."""
        simulations = None if self.simulations is None else max(1, self.simulations - reused_visits)
        result = self.search.search(position, simulations=simulations, seconds=self.seconds, may_pass=may_pass,
                                    should_stop=should_stop, on_progress=on_progress,
                                    progress_interval=PROGRESS_INTERVAL)
        visited = tuple(info for info in result.moves if info.visits) or result.moves[:1]
        return Evaluation(visited, result.win_rate, result.ownership, result.score_lead)


class NetworkEvaluator:
    """Evaluates by a network alone.  tta: test-time augmentation over the 8 symmetries."""

    def __init__(self, network, tta: bool = True):
        self.network = network
        self.tta = tta

    def evaluate(self, position: BasePosition, *, should_stop: Callable[[], bool] = lambda: False,
                 on_progress: Callable[[SearchResult], None] | None = None) -> Evaluation:
        if position.is_over and not position.may_pass:
            raise BadInput("the game is over: there is no move to evaluate")
        output = self.network.evaluate([position], tta=self.tta)
        best = moves_by_prior(position, output.priors[0], sensible_moves(position))[:TOP_MOVES]
        if output.values is None:
            moves, win_rate = tuple(MoveInfo(point, prior, 0, math.nan, (point,)) for point, prior in best), None
        else:
            moves = tuple(infos_by_network(self.network, position, best, visits=0, tta=self.tta))
            win_rate = float(1 + output.values[0]) / 2
        return Evaluation(moves, win_rate, output.board_ownership(0, position), output.score(0)[0])


def legal_moves(position: BasePosition) -> list[int]:
    """The points the side to move may play on, in the order of move indices, and PASS where the game has a pass."""
    return position.legal_points().tolist() + [PASS] * position.may_pass


def sensible_moves(position: BasePosition) -> list[int]:
    """The legal moves that fill no own true eye, PASS included."""
    return position.sensible_points().tolist() + [PASS] * position.may_pass


def moves_by_prior(position: BasePosition, priors: np.ndarray, points: Sequence[int] | None = None
                   ) -> list[tuple[int, float]]:
    """(point, prior) of moves, the highest prior first.

    priors: (points + 1,), a network's output for the position.
    points: the moves (PASS for a pass); None for all legal ones.
    """
    points = legal_moves(position) if points is None else points
    pairs = [(point, float(priors[move_index(point, position.shape)])) for point in points]
    return sorted(pairs, key=lambda pair: -pair[1])


def infos_by_network(network, position: BasePosition, moves: Sequence[tuple[int, float]], *, visits: int,
                     tta: bool = False) -> list[MoveInfo]:
    """What a network with a value head says of (point, prior) pairs: win rate and score of the position after each.

    visits: that they get.  A game of Gomoku that is over is scored by its rules: the network was never trained on one.
    """
    if not moves:
        return []
    after = [position.play(point) for point, _ in moves]
    output = network.evaluate(after, tta=tta)
    infos = []
    for k, ((point, prior), other) in enumerate(zip(moves, after, strict=True)):
        is_won_or_drawn = other.is_over and not other.may_pass
        value = -(other.score() * other.to_play if is_won_or_drawn else float(output.values[k]))
        lead, stdev = output.score(k)
        infos.append(MoveInfo(point, prior, visits, (1 + value) / 2, (point,), None,
                              None if lead is None else -lead, stdev))
    return infos


def score_estimate(result: SearchResult, ownership: np.ndarray | None = None) -> tuple[float, float] | None:
    """(lead of the side to move, standard deviation) of the score in points, komi included.

    By the network where it has scores, else from the ownership of rollouts; None without either.
    ownership: None: that of the result.
    """
    if result.score_lead is not None and result.score_stdev is not None:
        return result.score_lead, result.score_stdev
    ownership = result.ownership if ownership is None else ownership
    if ownership is None:
        return None
    lead = (float(ownership.sum()) - result.position.area_komi) * result.position.to_play
    return lead, scoring.score_stdev(ownership)


def network_ownership(network, position: BasePosition) -> np.ndarray | None:
    """The ownership of a position by a network, as of scoring.ownership; None if it has none, and without a network."""
    if network is None or not network.has_ownership:
        return None
    return network.evaluate([position], tta=True).board_ownership(0, position)


def ownership_by(network, position: BasePosition) -> np.ndarray:
    """The ownership of a position, as of scoring.ownership: the mean of a network's and of rollouts' if the network has
    it, else (None too) rollouts' alone.

    The mean has a lower squared error than either: rollouts are better at the end of a game, networks before.
    """
    by_rollouts = scoring.ownership(position)
    by_network = network_ownership(network, position)
    return by_rollouts if by_network is None else (by_network + by_rollouts) / 2


def ownership_after(network, position: BasePosition, variations: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """float32 (rows, columns), 1 Black, -1 White: the ownership after each variation, by a network that has it, else by
    rollouts.

    network: or None.  A variation ends before its first illegal move: with transpositions, one may repeat a position.
    """
    after = [scoring.position_after(position, points) for points in variations]
    output = network.evaluate(after) if after and network is not None and network.has_ownership else None
    if output is None or output.ownership is None:
        return [scoring.ownership(other, scoring.MOVE_ROLLOUTS) for other in after]
    return [output.board_ownership(k, other) for k, other in enumerate(after)]


def evaluator_for(player: Player, simulations: int | None = None, seconds: float | None = None) -> Evaluator:
    """The evaluator that uses a player's search or network; for a player without either, uct's search.

    simulations, seconds: for a position, of a search.
    """
    if player.search is not None:
        return SearchEvaluator(player.search, simulations, seconds)
    if player.network is not None:
        return NetworkEvaluator(player.network)
    return SearchEvaluator(Search(UCT), simulations, seconds)
