"""Dead stones of a finished position by rollouts alone.  Compiled.

    position --> rollouts --> dead chains --> position without them, and again until no chain is dead

Blind to seki, and with as few rollouts as the caller likes: for game records, whose result checks the count.
scoring.without_dead knows seki.
"""
import numpy as np
from numba import njit

from mugo.games.board import BLACK, EMPTY, POINTS, WHITE, clear, put_stone
from mugo.games.rollouts import MOGO, roll_out_ownership

SEED = np.uint64(20160920)               # of the rollouts: the same position always gives the same result
CLEARLY_DEAD = -0.2                      # mean ownership, for its colour, of a chain that is removed before others


@njit(cache=True, nogil=True)
def chain_survival(b, ownership, survival):
    """Write to survival, float64 (POINTS,), at the head of each chain the mean ownership of its points for its own
    colour: positive for a chain that stays.  Returns the lowest one, at most 1.

    ownership: int32 (POINTS,), sums over rollouts; survival is in the same unit.
    """
    w = b.width
    survival[:] = 0
    for row in range(1, b.rows + 1):
        for p in range(row * w + 1, row * w + b.cols + 1):
            if b.colour[p] != EMPTY:
                survival[b.head[p]] += ownership[p] * b.colour[p] / b.stones[b.head[p]]
    return survival.min()


@njit(cache=True, nogil=True)
def unsettled_points(b, ownership, n):
    """The number of points that neither colour owns after three quarters of n rollouts; ownership: their sums."""
    unsettled = 0
    for row in range(1, b.rows + 1):
        for p in range(row * b.width + 1, row * b.width + b.cols + 1):
            unsettled += 2 * abs(ownership[p]) < n
    return unsettled


@njit(cache=True, nogil=True)
def remove_dead_chains(boards, n, max_unsettled):
    """Remove the dead chains of boards[0], which then has no history: those whose points the opponent owns at the ends
    of n MoGo rollouts, by the mean.

    Clearly dead chains are removed first, and the ownership of the others is computed again without them.  A
    position of which more than max_unsettled points are unsettled is not finished, and stays as it is.  Returns whether
    the position is finished.  boards: BOARD (2,); boards[1] is scratch.
    """
    ownership = np.empty(POINTS, np.int32)
    survival = np.empty(POINTS, np.float64)
    is_first = True
    while True:
        boards[0].random = SEED
        ownership[:] = 0
        roll_out_ownership(boards, MOGO, n, ownership)
        b = boards[0]
        lowest = chain_survival(b, ownership, survival)
        if is_first and unsettled_points(b, ownership, n) > max_unsettled:
            return False
        if lowest >= 0:
            return True
        is_first = False
        limit = CLEARLY_DEAD * n if lowest < CLEARLY_DEAD * n else 0.0
        old = boards[1]
        boards[1] = boards[0]
        clear(b, old.rows, old.cols)
        for c in (BLACK, WHITE):         # in the order of Position.with_stones, so that the rollouts are the same
            for row in range(1, old.rows + 1):
                for p in range(row * old.width + 1, row * old.width + old.cols + 1):
                    if old.colour[p] == c and survival[old.head[p]] >= limit:
                        put_stone(b, p, c)
