"""What a player thinks of a position: the search of a position, and estimates without a search.

    analyze             a search with limits and moves to avoid -> SearchResult, for every front end
    SearchEvaluator ... position -> Evaluation: moves worth considering, win rate, lead; for hints and reviews
    moves_by_prior ...  what a network, or rollouts where there is none, say of moves, scores and ownership
"""
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.search import Search
from mugo.players.passing import may_search_pass
from mugo.players.play_options import SECONDS
from mugo.players.player import FREE, Player, SearchControl
from mugo.players.registry import UCT


def analyze(search: Search, position: BasePosition, *, simulations: int | None = None, seconds: float | None = None,
            control: SearchControl = FREE, select_by: str = "visits", is_choice: bool = False,
            may_end_game: bool = True) -> SearchResult:
    """Search a position; the first of the result's moves is the one to play.

    simulations, seconds: limits; without either, SECONDS.  select_by: how that move is chosen, as in SearchResult.best.
    is_choice: whether only the choice matters, so that the search ends once it is made.
    may_end_game: whether a pass that ends the game is looked at, by which dead stones count as alive.
    Raises BadInput as Search.check, and where no legal move is allowed.
    """
    if control.avoided.allowed_at(position) == []:
        raise BadInput("no legal move is allowed")
    if simulations is None and seconds is None:
        seconds = SECONDS
    report = control.on_progress
    result = search.search(
        position, simulations=simulations, seconds=seconds, avoided=control.avoided,
        may_pass=may_search_pass(position, control.avoided, may_end_game), should_stop=control.should_stop,
        on_progress=None if report is None else lambda result: report(result.ordered(select_by)),
        progress_interval=control.progress_interval, select_by=select_by if is_choice else None)
    return result.ordered(select_by)


def legal_moves(position: BasePosition) -> list[int]:
    """The points the side to move may play on, in the order of move indices, and PASS where the game has a pass."""
    return position.legal_points().tolist() + [PASS] * position.may_pass


def sensible_moves(position: BasePosition) -> list[int]:
    """The legal moves that fill no own true eye, PASS included."""
    return position.sensible_points().tolist() + [PASS] * position.may_pass


def moves_by_prior(position: BasePosition, priors: np.ndarray, points: Sequence[int] | None = None
                   ) -> list[tuple[int, float]]:
    """(point, prior) of moves, the highest prior first.  priors: (points + 1,).  points: the moves; None: all legal
    ones.
    """
    points = legal_moves(position) if points is None else points
    pairs = [(point, float(priors[move_index(point, position.shape)])) for point in points]
    return sorted(pairs, key=lambda pair: -pair[1])


def infos_by_network(network, position: BasePosition, moves: Sequence[tuple[int, float]], *, visits: int,
                     symmetries: bool = False) -> list[MoveInfo]:
    """What a network with a value head says of (point, prior) pairs: win rate and score of the position after each.

    visits: that they get.  A finished game of Gomoku is scored by its rules: the network was never trained on one.
    """
    if not moves:
        return []
    after = [position.play(point) for point, _ in moves]
    output = network.evaluate(after, symmetries=symmetries)
    infos = []
    for k, ((point, prior), other) in enumerate(zip(moves, after, strict=True)):
        is_won_or_drawn = other.is_over and not other.may_pass
        value = -(other.score() * other.to_play if is_won_or_drawn else float(output.values[k]))
        lead, stdev = output.score(k)
        infos.append(MoveInfo(point, prior, visits, (1 + value) / 2, (point,), None,
                              None if lead is None else -lead, stdev))
    return infos


def score_estimate(result: SearchResult, ownership: np.ndarray | None = None) -> tuple[float, float] | None:
    """(lead of the side to move, standard deviation) of the score in points, komi included; None where nothing says it.

    By the network where it has scores, else from the ownership of rollouts (None: that of the result).
    """
    if result.score_lead is not None and result.score_stdev is not None:
        return result.score_lead, result.score_stdev
    ownership = result.ownership if ownership is None else ownership
    if ownership is None:
        return None
    lead = (float(ownership.sum()) - result.position.area_komi) * result.position.to_play
    return lead, scoring.score_stdev(ownership)


def network_lead(network, position: BasePosition) -> float | None:
    """Black's lead in points at the end of the game that a network expects; None without a network with scores."""
    lead = None if network is None else network.evaluate([position], symmetries=True).score(0)[0]
    return None if lead is None else lead * position.to_play


def network_ownership(network, position: BasePosition) -> np.ndarray | None:
    """The ownership of a position by a network, like scoring.ownership; None if it has none, and without a network."""
    if network is None or not network.has_ownership:
        return None
    return network.evaluate([position], symmetries=True).board_ownership(0, position)


def ownership_by(network, position: BasePosition) -> np.ndarray:
    """The ownership of a position, like scoring.ownership, by rollouts and a network.

    Their mean has a lower squared error than either; rollouts' alone without a network that has it.
    """
    by_rollouts = scoring.ownership(position)
    by_network = network_ownership(network, position)
    return by_rollouts if by_network is None else (by_network + by_rollouts) / 2


def ownership_after(network, position: BasePosition, variations: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """The ownership after each variation, like scoring.ownership, by a network that has it, else by rollouts.

    A variation ends before its first illegal move: with transpositions, one may repeat a position.
    """
    after = [scoring.position_after(position, points) for points in variations]
    output = network.evaluate(after) if after and network is not None and network.has_ownership else None
    if output is None or output.ownership is None:
        return [scoring.ownership(other, scoring.MOVE_ROLLOUTS) for other in after]
    return [output.board_ownership(k, other) for k, other in enumerate(after)]


TOP_MOVES = 12            # moves of a network whose values are computed


@dataclass(frozen=True)
class Evaluation:
    """An evaluated position.

    moves: the best first; those a search has visited, or the TOP_MOVES of a network.
    win_rate: the side to move's, from 0 to 1; None where a network has no value head.
    ownership, score_lead: as in SearchResult.  visits: the root's; 1 for a network alone.
    """
    moves: tuple[MoveInfo, ...]
    win_rate: float | None
    ownership: np.ndarray | None = None
    score_lead: float | None = None
    visits: int = 1


class SearchEvaluator:
    """Evaluates by a search; the win rate is the mean of all simulations.  simulations, seconds: for a position."""

    def __init__(self, search: Search, simulations: int | None = None, seconds: float | None = None):
        self.search = search
        self.simulations = simulations
        self.seconds = seconds

    def evaluate(self, position: BasePosition, *, should_stop: Callable[[], bool] = lambda: False,
                 on_progress: Callable[[SearchResult], None] | None = None, reused_visits: int = 0,
                 times: int = 1) -> Evaluation:
        """Evaluate a position.  reused_visits: in the reused tree; they count as simulations.  times: multiplies the
        simulations, or the seconds."""
        simulations = None if self.simulations is None else max(1, times * self.simulations - reused_visits)
        seconds = None if self.seconds is None else times * self.seconds
        result = analyze(self.search, position, simulations=simulations, seconds=seconds, may_end_game=False,
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


def evaluator_for(player: Player, simulations: int | None = None, seconds: float | None = None
                  ) -> SearchEvaluator | NetworkEvaluator:
    """What uses a player's search or network, or else uct's search.  simulations, seconds: for a position."""
    if player.search is not None:
        return SearchEvaluator(player.search, simulations, seconds)
    if player.network is not None:
        return NetworkEvaluator(player.network)
    return SearchEvaluator(Search(UCT), simulations, seconds)
