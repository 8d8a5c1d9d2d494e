"""Heuristic priors of Gomoku: which moves a search should try first, as virtual visits and wins.  Compiled.

Every move begins as an even game, EVEN visits and half as many wins.  The threats that a stone on the point makes, and
those that it takes from the opponent, add won visits; names as in Allis, van den Herik and Huntjens 1993 ("Go-Moku and
Threat-Space Search").  A window is k points in a row; it counts for a colour while the other has no stone in it.

                     a stone there leaves             visits
    five             no empty point in a window       FIVE
    open four        one, in two windows or more      OPEN_FOUR
    four             one, in one window               FOUR
    open three       two, in two windows or more      OPEN_THREE
    three            two, in one window               THREE
    two              three, in two windows or more    TWO

The threats of the four directions add up, so a double threat is worth more than each.  The opponent's count DEFENCE
times as much as one's own.  Points further than NEAR from every stone lose FAR_AWAY visits, unless the board is empty.

    priors       float32 (POINTS, 2)     visits and wins by point
"""
import numpy as np

from mugo.core.jit import subroutine
from mugo.games.board import BORDER, has_stone_near

EVEN = 10.0
FIVE, OPEN_FOUR, FOUR, OPEN_THREE, THREE, TWO = 400.0, 200.0, 20.0, 30.0, 5.0, 5.0
DEFENCE = 0.7
FAR_AWAY = 20.0
NEAR = 2                                 # points in each direction, diagonals included


@subroutine
def threat_value(b, p, d, c):
    """The won visits of a stone of c on the empty point p, by the windows of direction d that it is in."""
    k = b.k
    lo = 0                               # the points on each side of p without a stone of -c or the border, up to k - 1
    while lo < k - 1 and b.colour[p - (lo + 1) * d] != -c and b.colour[p - (lo + 1) * d] != BORDER:
        lo += 1
    hi = 0
    while hi < k - 1 and b.colour[p + (hi + 1) * d] != -c and b.colour[p + (hi + 1) * d] != BORDER:
        hi += 1
    if lo + hi + 1 < k:
        return 0.0
    stones = 1                           # in the window that begins at p + start * d
    for i in range(-lo, -lo + k):
        stones += b.colour[p + i * d] == c
    most = stones
    windows = 1
    for start in range(-lo + 1, hi - k + 2):
        stones += b.colour[p + (start + k - 1) * d] == c
        stones -= b.colour[p + (start - 1) * d] == c
        if stones > most:
            most = stones
            windows = 1
        elif stones == most:
            windows += 1
    left = k - most
    if left == 0:
        return FIVE
    if left == 1:
        return OPEN_FOUR if windows > 1 else FOUR
    if left == 2:
        return OPEN_THREE if windows > 1 else THREE
    return TWO if left == 3 and windows > 1 else 0.0


@subroutine
def write_priors(b, scratch, priors):
    """Write the virtual visits and wins of every empty point for the side to move.  scratch: of Go."""
    w = b.width
    c = b.to_play
    is_empty = b.n_empty == b.rows * b.cols
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        visits = EVEN
        wins = EVEN / 2
        if has_stone_near(b, p, NEAR, True):
            for d in (1, w - 1, w, w + 1):
                value = threat_value(b, p, d, c) + DEFENCE * threat_value(b, p, d, -c)
                visits += value
                wins += value
        elif not is_empty:
            visits += FAR_AWAY
        priors[p, 0] = np.float32(visits)
        priors[p, 1] = np.float32(wins)
