"""When a player of Go that searches passes.

It passes

- when no sensible point is left,
- when the opponent has passed and the game is won by count, dead stones removed, none of them unclear,
- when nothing is left to play for: the owner of every playable point is settled, and a search of the position
  after the pass finds no loss,
- when the search prefers the pass, unless the count says that this ends a lost game and another move is hardly worse.

Before the game is nearly over only the first holds: the tree counts by Tromp and Taylor's rule, under which two early
passes may win, and people would not agree.  With `cleanup` the count is of the board as it stands, and dead stones of
the opponent are captured first.  Counting and dead stones: games.scoring.
"""
import time
from collections.abc import Callable

import numpy as np

from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.position import BasePosition
from mugo.search.result import MoveInfo, SearchResult
from mugo.search.search import Search

MARGIN = 0.05             # differences of win rates below this are noise
MIN_VISITS = 100          # simulations after which ownership and win rates are relied on


def wins_by_pass(position: BasePosition, cleanup: bool) -> bool:
    """Whether the opponent has passed and a pass now wins, in a game that is nearly over and whose dead stones are
    clear."""
    return position.last == PASS and _is_won(position, cleanup) and (cleanup or scoring.is_dead_stone_clear(position))


def moves_before_pass(position: BasePosition, cleanup: bool) -> list[int]:
    """Points to play before a pass: with `cleanup` the liberties of dead chains."""
    return scoring.liberties_of_the_dead(position).tolist() if cleanup else []


def move_or_pass(search: Search, result: SearchResult, best: MoveInfo, *, cleanup: bool, deadline: float | None,
                 should_stop: Callable[[], bool]) -> int:
    """The point to play after a search that prefers `best`, or PASS.

    deadline: of the search after a pass, by time.perf_counter; None without one.  should_stop: as in Search.search.
    """
    position = result.position
    if _is_settled(result) and _pass_loses_nothing(search, result, best, deadline, should_stop):
        return _pass_unless_cleanup(result, cleanup)
    if best.point == PASS:
        others = [info for info in result.moves if info.point != PASS and info.visits]
        if _is_won(position, cleanup) or not others or others[0].win_rate < best.win_rate - MARGIN:
            return _pass_unless_cleanup(result, cleanup)
        return others[0].point
    return best.point


def _pass_unless_cleanup(result: SearchResult, cleanup: bool) -> int:
    """PASS, or the best of the moves before it."""
    wanted = moves_before_pass(result.position, cleanup)
    return next((info.point for info in result.moves if info.point in wanted), PASS)


def _is_won(position: BasePosition, cleanup: bool) -> bool:
    """Whether the game is won if it ends here."""
    counted = position if cleanup else scoring.without_dead(position)
    return counted.score() * position.to_play > 0


def _is_settled(result: SearchResult) -> bool:
    """Whether the owner of every playable point is settled."""
    if result.visits < MIN_VISITS:
        return False
    position = result.position
    ownership = result.ownership
    if ownership is None or result.rollouts < MIN_VISITS:
        ownership = scoring.ownership(position)
    points = [move_index(info.point, position.size) for info in result.moves if info.point != PASS]
    return bool((np.abs(ownership.ravel()[points]) > scoring.SETTLED).all())


def _pass_loses_nothing(search: Search, result: SearchResult, best: MoveInfo, deadline: float | None,
                        should_stop: Callable[[], bool]) -> bool:
    """Whether the opponent's best answer to a pass leaves the win rate as it is."""
    left = None if deadline is None else deadline - time.perf_counter()
    if left is not None and left <= 0:
        return False
    after = search.search(result.position.play(PASS), simulations=result.visits // 4, seconds=left,
                          should_stop=should_stop)
    return after.visits >= MIN_VISITS // 4 and 1 - after.win_rate >= best.win_rate - MARGIN
