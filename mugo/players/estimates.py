"""What a network, or rollouts where there is none, say of moves, scores and ownership: for evaluators and protocols."""
from collections.abc import Sequence

import numpy as np

from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.mcts.result import MoveInfo, SearchResult


def legal_moves(position: BasePosition) -> list[int]:
    """The points the side to move may play on, in the order of move indices, and PASS where the game has a pass."""
    return position.legal_points().tolist() + [PASS] * position.may_pass


def sensible_moves(position: BasePosition) -> list[int]:
    """The legal moves that fill no own true eye, PASS included."""
    return position.sensible_points().tolist() + [PASS] * position.may_pass


def moves_by_prior(position: BasePosition, priors: np.ndarray, points: Sequence[int] | None = None
                   ) -> list[tuple[int, float]]:
    """(point, prior) of moves, the highest prior first.  priors: (points + 1,), a network's.  points: the moves; None:
    all legal ones."""
    points = legal_moves(position) if points is None else points
    pairs = [(point, float(priors[move_index(point, position.shape)])) for point in points]
    return sorted(pairs, key=lambda pair: -pair[1])


def infos_by_network(network, position: BasePosition, moves: Sequence[tuple[int, float]], *, visits: int,
                     symmetries: bool = False) -> list[MoveInfo]:
    """What a network with a value head says of (point, prior) pairs: win rate and score of the position after each.  A
    game of Gomoku that is over is scored by its rules: the network was never trained on one.  visits: that they get."""
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
    """(lead of the side to move, standard deviation) of the score in points, komi included: by the network where it has
    scores, else from the ownership of rollouts (None: that of the result); None without either."""
    if result.score_lead is not None and result.score_stdev is not None:
        return result.score_lead, result.score_stdev
    ownership = result.ownership if ownership is None else ownership
    if ownership is None:
        return None
    lead = (float(ownership.sum()) - result.position.area_komi) * result.position.to_play
    return lead, scoring.score_stdev(ownership)


def network_lead(network, position: BasePosition) -> float | None:
    """Black's lead in points, komi included, that a network expects at the end of the game; None without scores, and
    without a network.  It counts points that are not decided yet, which the sum of an ownership does not."""
    lead = None if network is None else network.evaluate([position], symmetries=True).score(0)[0]
    return None if lead is None else lead * position.to_play


def network_ownership(network, position: BasePosition) -> np.ndarray | None:
    """The ownership of a position by a network, like scoring.ownership; None if it has none, and without a network."""
    if network is None or not network.has_ownership:
        return None
    return network.evaluate([position], symmetries=True).board_ownership(0, position)


def ownership_by(network, position: BasePosition) -> np.ndarray:
    """The ownership of a position, like scoring.ownership: the mean of a network's and of rollouts', which has a lower
    squared error than either; rollouts' alone without a network that has it."""
    by_rollouts = scoring.ownership(position)
    by_network = network_ownership(network, position)
    return by_rollouts if by_network is None else (by_network + by_rollouts) / 2


def ownership_after(network, position: BasePosition, variations: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """The ownership after each variation, like scoring.ownership, by a network that has it, else by rollouts.  A
    variation ends before its first illegal move: with transpositions, one may repeat a position."""
    after = [scoring.position_after(position, points) for points in variations]
    output = network.evaluate(after) if after and network is not None and network.has_ownership else None
    if output is None or output.ownership is None:
        return [scoring.ownership(other, scoring.MOVE_ROLLOUTS) for other in after]
    return [output.board_ownership(k, other) for k, other in enumerate(after)]
