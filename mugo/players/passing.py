"""When a player passes in Go, and whether a game is over: all of it is decided here.

    is_finished       nothing is left to play for
    is_nearly_over    hardly a playable point is left that is not settled
    candidate_moves   policy and randompolicy: the points to choose from, none for a pass
    plan_move         uct and mcts, before the search: whether a pass is considered, or ends a won game
    move_or_pass      uct and mcts, after the search

docs/explanation/scoring-and-passing.md has the rules and their reasons.
"""
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mugo.games import scoring
from mugo.games.board import BLACK, EMPTY, WHITE
from mugo.games.coords import PASS, move_indices
from mugo.games.life_and_death import CLEAR_SURVIVAL
from mugo.games.position import BasePosition
from mugo.games.scoring import MOVE_ROLLOUTS, SETTLED, chains, judge, neighbours
from mugo.mcts.result import MoveInfo, SearchResult
from mugo.mcts.root import AvoidedMoves

MARGIN = 0.05             # differences of win rates below this are noise
FINISHED_MARGIN = 0.1     # the same after the end of a game
ROLLOUT_MARGIN = 0.2      # and of values by rollouts alone, where those of the side that has lost hope for mistakes
MAX_UNCLEAR = 8           # chains that neither colour owns for sure by a few rollouts: those of two sekis, or a fight
MIN_VISITS = 100          # simulations after which ownership and win rates are relied on


def is_nearly_over(position: BasePosition) -> bool:
    """Whether at most a tenth of the points are playable and not settled (scoring.unsettled_points)."""
    return scoring.unsettled_points(position) is not None


def is_finished(position: BasePosition) -> bool:
    """Whether nothing is left to play for by territory, and by area neutral points at most.

    Every chain is clearly alive, dead or in seki, and every empty point without an owner is between stones of both
    colours.
    """
    # A few rollouts first, with room for their deviation: in the middle game they suffice, and a policy alone is fast.
    if 3 * np.count_nonzero(position.stones) < position.area:
        return False
    owners = scoring.ownership_at_end(position, MOVE_ROLLOUTS).ravel()
    if len(_unclear_chains(position, owners, CLEAR_SURVIVAL - 0.3)) > MAX_UNCLEAR \
            or not judge(position.stones, deep=False).is_clear:
        return False
    cleared = scoring.without_dead(position)
    colour = cleared.board[0]["colour"]
    return all({BLACK, WHITE} <= {int(colour[each]) for each in neighbours(point, cleared)}
               for point in scoring.neutral_points(cleared))


def _unclear_chains(position: BasePosition, owners: np.ndarray, limit: float) -> list[list[int]]:
    """The chains whose points neither colour owns beyond the limit, by the mean."""
    return [chain for chain in chains(position) if abs(owners[move_indices(chain, position.shape)].mean()) <= limit]


def dame(position: BasePosition) -> list[int]:
    """The neutral points of a finished position that are worth a move by area: those that are no liberty of a seki."""
    cleared, in_seki = scoring.without_dead(position), set(scoring.stones_in_seki(position))
    return [point for point in scoring.neutral_points(cleared) if in_seki.isdisjoint(neighbours(point, cleared))]


def dead_liberties(position: BasePosition) -> np.ndarray:
    """int64 (n,): the sensible points that are liberties of dead chains of the opponent."""
    colour_left = scoring.without_dead(position).board[0]["colour"]
    board = position.board[0]
    sensible = position.sensible_points()
    liberties = {each for chain in chains(position) for point in chain for each in neighbours(point, position)
                 if colour_left[chain[0]] == EMPTY and board["colour"][chain[0]] == -position.to_play}
    return sensible[np.isin(sensible, list(liberties))]


def may_search_pass(position: BasePosition, avoided: AvoidedMoves | None = None, may_end_game: bool = True) -> bool:
    """Whether an analysis looks at a pass: where it is named, and in Go near the end, as people would.

    may_end_game: also after a pass, where a second one counts dead stones as alive.
    """
    if avoided is not None and (position.to_play, PASS) in avoided.named:
        return True
    return position.may_pass and (may_end_game or position.last != PASS) and is_nearly_over(position)


def candidate_moves(position: BasePosition, priors: np.ndarray, cleanup: bool = False) -> np.ndarray:
    """int64 (n,): the sensible points that a policy player chooses from; none where it should pass.

    priors: float32 (points + 1,).  Many records end without passes, so the prior of a pass is not enough.
    cleanup: capture the opponent's dead stones before passing.
    """
    if cleanup:
        points = candidate_moves(position, priors)
        return points if len(points) or position.plies >= 2 * position.area else dead_liberties(position)
    points = position.sensible_points()
    none = points[:0]
    area = position.area
    if position.plies >= 2 * area or not len(points):
        return none
    if np.count_nonzero(position.stones) < area / 4:
        return points
    point_priors = priors[move_indices(points, position.shape)]
    prefers_pass = priors[-1] > point_priors.max()
    if is_finished(position):
        return none if position.counts_territory else points[np.isin(points, dame(position))]
    if position.counts_territory:
        if position.last == PASS and scoring.final_score(position) * position.to_play > 0:
            return none
        if not prefers_pass and not is_nearly_over(position):
            return points
    elif position.last == PASS:
        if position.score() * position.to_play > 0:
            return none
        if scoring.without_dead(position).score() * position.to_play > 0:
            return points
    elif not prefers_pass:
        return points
    unsettled = np.abs(scoring.ownership(position).ravel()[move_indices(points, position.shape)]) < SETTLED
    return points[unsettled & (point_priors > priors[-1] / 10)] if prefers_pass else points[unsettled]


class Plan(NamedTuple):
    """What a searcher's move may be, known before the search.

    may_pass: whether a pass is considered; if not, the others do not matter.
    is_finished: whether nothing is left to play for.
    may_end_game: whether a pass ends the game by area; the search leaves it out, and it is compared afterwards.
    wins_by_pass: whether it is time to pass, after one of moves_first if there are any.
    """
    may_pass: bool
    is_finished: bool = False
    may_end_game: bool = False
    wins_by_pass: bool = False
    moves_first: Sequence[int] = ()


def plan_move(position: BasePosition, cleanup: bool) -> Plan:
    """What the move in a position may be."""
    finished = position.may_pass and is_finished(position)
    if not position.may_pass or not (cleanup and position.last == PASS or finished or is_nearly_over(position)):
        return Plan(False)
    wins = position.last == PASS and _is_won(position, cleanup) and (
        cleanup or finished or judge(position.stones, deep=False).is_clear)
    return Plan(True, finished, position.last == PASS and not position.counts_territory, wins,
                dead_liberties(position).tolist() if wins and cleanup else ())


def value_of_last_pass(position: BasePosition) -> float:
    """The win rate, 0, 1/2 or 1, of the side to move if it ends the game by a pass."""
    score = scoring.final_score(position) if position.counts_territory else position.score()
    return (1 + float(np.sign(score)) * position.to_play) / 2


def move_or_pass(search_briefly: Callable[..., SearchResult | None], result: SearchResult, best: MoveInfo, *,
                 cleanup: bool, plan: Plan, rollout_weight: float) -> int:
    """The point to play after a search whose best move is `best`, or PASS.

    search_briefly: a search with less effort, and options as in Search.search; None if it cannot be relied on.
    rollout_weight: of rollouts in the values of the search, lambda.
    """
    position = result.position
    least = best.win_rate - (max(FINISHED_MARGIN, ROLLOUT_MARGIN * rollout_weight) if plan.is_finished else MARGIN)
    if plan.is_finished and not position.counts_territory:
        neutral = np.intersect1d(dame(position), position.sensible_points()).tolist()
        filled = search_briefly(position, allowed_moves=neutral) if neutral else None
        if filled and filled.best().win_rate >= least:
            return filled.best().point
    if plan.is_finished or _is_settled(result):
        # By area the opponent's pass, after which dead stones count as alive, is left out, unless the server counts so.
        after = search_briefly(position.play(PASS), may_pass=cleanup or position.counts_territory)
        if after and 1 - after.win_rate >= least:
            return _pass_unless_cleanup(result, cleanup)
    if plan.may_end_game:
        value = value_of_last_pass(position)
        if value >= max(best.win_rate, 0.5) and (_is_won(position, cleanup) or best.win_rate < value - MARGIN):
            return _pass_unless_cleanup(result, cleanup)
    if best.point == PASS:
        others = [info for info in result.moves if info.point != PASS and info.visits]
        if _is_won(position, cleanup) or not others or others[0].win_rate < best.win_rate - MARGIN:
            return _pass_unless_cleanup(result, cleanup)
        return others[0].point
    return best.point


def _pass_unless_cleanup(result: SearchResult, cleanup: bool) -> int:
    """PASS, or with `cleanup` the best of the liberties of dead chains, which are played before it."""
    before_pass = dead_liberties(result.position) if cleanup else ()
    return next((info.point for info in result.moves if info.point in before_pass), PASS)


def _is_won(position: BasePosition, cleanup: bool) -> bool:
    """Whether the side to move wins if the game ends here."""
    score = position.score() if cleanup else scoring.final_score(position)
    return score * position.to_play > 0


def _is_settled(result: SearchResult) -> bool:
    """Whether the owner of every playable point is settled."""
    if result.visits < MIN_VISITS and result.proven is None:
        return False
    position = result.position
    ownership = result.ownership
    # With a score the ownership is a network's too, and SETTLED is for rollouts.
    if ownership is None or result.score_lead is not None or result.rollouts < MIN_VISITS:
        ownership = scoring.ownership(position)
    points = move_indices((info.point for info in result.moves if info.point != PASS), position.shape)
    return bool((np.abs(ownership.ravel()[points]) > SETTLED).all())
