"""When a player of Go that searches passes.  Not who is ahead, nor what is dead: ending.py knows.

It passes

- when no sensible point is left,
- when the opponent has passed and the game is won by count, dead stones taken off, none of them in doubt,
- when nothing is left to play for: every point it could play on is settled, and a look at the position
  after the pass finds nothing lost by it,
- when the search prefers the pass, unless the count says that this ends a lost game, and there are moves
  hardly worse.

Before the game is nearly over it does none of this: the tree counts by Tromp and Taylor's rule, by which two
early passes may win; people would disagree.
With `cleanup` the count is of the board as it stands, and it takes the opponent's dead stones off first.
"""
import time
from collections.abc import Callable

import numpy as np

from mugo.games import scoring
from mugo.games.coords import PASS, move_index
from mugo.games.go import Position
from mugo.search.search import Branch, Search, Thought

WORSE = 0.05              # a win rate lower by this is lower
ENOUGH = 100              # simulations that show who owns what


def wins(position: Position, cleanup: bool) -> bool:
    """Whether the opponent has passed and a pass now wins, beyond doubt, where the game is nearly over."""
    return position.last == PASS and _is_won(position, cleanup) and (cleanup or scoring.is_clear(position))


def before_a_pass(position: Position, cleanup: bool) -> list[int]:
    """What is still to be done: with `cleanup` the points that take a liberty from a dead chain."""
    return scoring.beside_the_dead(position).tolist() if cleanup else []


def choose(search: Search, thought: Thought, best: Branch, *, cleanup: bool, deadline: float | None,
           is_over: Callable[[], bool]) -> int:
    """The point to play after a search that prefers `best`, or PASS.

    deadline: of time.perf_counter, for a second look; None has all the time.  is_over: as Search.think has it.
    """
    position = thought.position
    if _nothing_left(thought) and _loses_nothing(search, thought, best, deadline, is_over):
        return _passed(thought, cleanup)
    if best.point == PASS:
        others = [branch for branch in thought.branches if branch.point != PASS and branch.visits]
        if _is_won(position, cleanup) or not others or others[0].win_rate < best.win_rate - WORSE:
            return _passed(thought, cleanup)
        return others[0].point
    return best.point


def _passed(thought: Thought, cleanup: bool) -> int:
    """PASS, or the best of what is still to be done."""
    wanted = before_a_pass(thought.position, cleanup)
    return next((branch.point for branch in thought.branches if branch.point in wanted), PASS)


def _is_won(position: Position, cleanup: bool) -> bool:
    """Whether the game is won if it ends here."""
    counted = position if cleanup else scoring.without_dead(position)
    return counted.score() * position.to_play > 0


def _nothing_left(thought: Thought) -> bool:
    """Whether every point that could be played on is settled: who owns it does not change any more."""
    if thought.visits < ENOUGH:
        return False
    position = thought.position
    owners = thought.owners if thought.rollouts >= ENOUGH else scoring.owners(position)
    points = [move_index(branch.point, position.size) for branch in thought.branches if branch.point != PASS]
    return bool((np.abs(owners.ravel()[points]) > scoring.SETTLED).all())


def _loses_nothing(search: Search, thought: Thought, best: Branch, deadline: float | None,
                   is_over: Callable[[], bool]) -> bool:
    """Whether the opponent, moving next after a pass, finds nothing that this side would have prevented."""
    left = None if deadline is None else deadline - time.perf_counter()
    if left is not None and left <= 0:
        return False
    after = search.think(thought.position.play(PASS), simulations=thought.visits // 4, seconds=left, is_over=is_over)
    return after.visits >= ENOUGH // 4 and 1 - after.win_rate >= best.win_rate - WORSE
