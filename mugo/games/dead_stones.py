"""Dead stones of a finished position, from the ownership of its points.  Compiled.

    position --> ownership --> dead chains --> position without them, and again until no chain is dead

remove_dead_chains does that by rollouts alone, blind to seki, with as few of them as the caller likes: for game
records, whose result checks the count.  scoring.without_dead knows seki.
"""
import numpy as np

from mugo.core.jit import kernel
from mugo.games.addresses import address_of
from mugo.games.board import BLACK, BORDER, POINTS, WHITE, clear, is_stone, points, put_stone
from mugo.games.light_board import LIGHT_BOARD
from mugo.games.rollouts import ROLL_OUT, roll_out_mogo, roll_outs_ownership

SEED = np.uint64(20160920)               # of the rollouts: the same position always gives the same result
CLEARLY_DEAD = -0.2                      # mean ownership, for its colour, of a chain that is removed before others


@kernel
def mark_dead_chains(b, ownership, n, is_safe, dead):
    """Write to dead, bool (POINTS,), which points hold stones to remove; returns whether any do.

    A chain is dead if the opponent owns its points by the mean.  If some chains are clearly dead, only they are
    removed: the ownership of the others has to be computed again without them.
    ownership: (POINTS,), sums over n rollouts, or means and 1.  is_safe: bool (POINTS,), points of chains that live.
    """
    survival = np.zeros(POINTS, np.float64)      # of the chain with this head: the mean for its own colour
    for p in points(b):
        if is_stone(b.colour[p]) and not is_safe[p]:
            survival[b.head[p]] += ownership[p] * b.colour[p] / b.stones[b.head[p]]
    lowest = 0.0
    for p in points(b):
        lowest = min(lowest, survival[p])
    limit = CLEARLY_DEAD * n if lowest < CLEARLY_DEAD * n else 0.0
    for p in points(b):
        dead[p] = is_stone(b.colour[p]) and survival[b.head[p]] < limit
    return lowest < 0


def remove_dead_chains(boards: np.ndarray, n: int, max_unsettled: float) -> bool:
    """Remove the dead chains of boards[0], by n MoGo rollouts; it then has no history.

    A position with more than max_unsettled points that neither colour owns after three quarters of the rollouts is not
    finished, and stays as it is.  Returns whether the position is finished.  boards: BOARD (2,); boards[1] is scratch.
    """
    return _remove_dead_chains(boards, address_of(roll_out_mogo, ROLL_OUT), n, max_unsettled,
                               np.empty(1, LIGHT_BOARD), np.zeros(POINTS, np.int8))


@kernel
def _remove_dead_chains(boards, roll_out_address, n, max_unsettled, light_boards, first_plays):
    """As remove_dead_chains.  light_boards, first_plays: as in rollouts.roll_outs_ownership."""
    ownership = np.empty(POINTS, np.int32)
    is_safe = np.zeros(POINTS, np.bool_)
    dead = np.zeros(POINTS, np.bool_)
    is_first = True
    while True:
        boards[0].random = SEED
        ownership[:] = 0
        roll_outs_ownership(boards, roll_out_address, n, ownership, light_boards, first_plays)
        b = boards[0]
        unsettled = 0
        for p in points(b):
            unsettled += b.colour[p] != BORDER and 2 * abs(ownership[p]) < n
        if is_first and unsettled > max_unsettled:
            return False
        if not mark_dead_chains(b, ownership, n, is_safe, dead):
            return True
        is_first = False
        old = boards[1]
        boards[1] = boards[0]
        clear(b, old.rows, old.cols)
        for c in (BLACK, WHITE):         # in the order of Position.with_stones, so that the rollouts are the same
            for p in points(old):
                if old.colour[p] == c and not dead[p]:
                    put_stone(b, p, c)
