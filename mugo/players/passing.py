"""When uct and mcts pass in Go.

They pass

- when no sensible point is left,
- when the opponent has passed, the score without dead stones is a win, and every chain is clearly alive or dead,
- when the owner of every playable point is settled, or nothing is left to play for, and a search of the position after
  the pass finds no loss,
- when the search prefers the pass, unless the pass ends a lost game and another move is hardly worse.

By area a pass that ends the game has an exact value, the score with every stone alive, which is not how people count.
So the other moves are searched without it, and compared with it here; and neutral points are filled first, each worth a
point.  By territory the search evaluates such a pass as any other move, and a move in settled territory costs a point:
the second and third rules keep it from being played.

Before the game is nearly over only the first rule applies, and the third in a game that is searched with its own komi:
the tree scores by area with every stone alive, so two early passes may win a game that people would play on.  With
`cleanup` the score includes dead stones, and those of the opponent are captured first.  Scores and dead stones:
games.scoring.
"""
from collections.abc import Callable

import numpy as np

from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.search.result import MoveInfo, SearchResult

MARGIN = 0.05             # differences of win rates below this are noise
# After the end of a game: rollouts of the side that has lost hope for mistakes.
FINISHED_MARGIN = 0.2
MIN_VISITS = 100          # simulations after which ownership and win rates are relied on


def wins_by_pass(position: BasePosition, cleanup: bool, is_finished: bool) -> bool:
    """Whether the opponent has passed, a pass now wins, and no chain is unclear.  For games that are nearly over."""
    return position.last == PASS and _is_won(position, cleanup) and (
        cleanup or is_finished or scoring.all_chains_settled(position))


def value_of_last_pass(position: BasePosition) -> float:
    """The win rate, 0, 1/2 or 1, of the side to move if it ends the game by a pass."""
    score = scoring.final_score(position) if position.counts_territory else position.score()
    return (1 + float(np.sign(score)) * position.to_play) / 2


def moves_before_pass(position: BasePosition, cleanup: bool) -> list[int]:
    """The points to play before a pass: with `cleanup` the liberties of dead chains, else none."""
    return scoring.dead_liberties(position).tolist() if cleanup else []


def move_or_pass(search_briefly: Callable[..., SearchResult | None], result: SearchResult, best: MoveInfo, *,
                 cleanup: bool, may_end_game: bool, is_finished: bool = False) -> int:
    """The point to play after a search whose best move is `best`, or PASS.

    search_briefly: a search of a position with less effort, and options as of Search.search; None if its result cannot
    be relied on.
    may_end_game: whether a pass that ends the game is allowed, which `result` then does not contain.
    is_finished: whether nothing is left to play for (scoring.is_finished).
    """
    position = result.position
    least = best.win_rate - (FINISHED_MARGIN if is_finished else MARGIN)
    if is_finished and not position.counts_territory:
        dame = np.intersect1d(scoring.dame(position), position.sensible_points()).tolist()
        filled = search_briefly(position, allowed_moves=dame) if dame else None
        if filled and filled.best().win_rate >= least:
            return filled.best().point
    if is_finished or _is_settled(result):
        # By area the opponent's pass, after which dead stones count as alive, is left out, unless the server counts so.
        after = search_briefly(position.play(PASS), may_pass=cleanup or position.counts_territory)
        if after and 1 - after.win_rate >= least:
            return _pass_unless_cleanup(result, cleanup)
    if may_end_game:
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
    """PASS, or the best of the moves to play before it."""
    before_pass = moves_before_pass(result.position, cleanup)
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
    points = [move_index(info.point, position.shape) for info in result.moves if info.point != PASS]
    return bool((np.abs(ownership.ravel()[points]) > scoring.SETTLED).all())
