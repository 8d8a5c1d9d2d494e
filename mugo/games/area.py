"""The owner of each point, and the area score (Tromp-Taylor).  Compiled.

    . X . O .      Black: 6 stones, 4 empty points that reach only Black      10
    . X . O .      White: 8 stones, 5 empty points                            13
    . X O O .      neutral: the 2 empty points that reach both
    . X O . .
    X X O O O      score 10 - 13 = -3

Every stone on the board counts as alive; which stones are dead is decided in scoring.  https://tromp.github.io/go.html
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import BLACK, BORDER, EMPTY, POINTS, WHITE, points

_UNSEEN = BORDER                         # an empty point whose region has not been looked at


@subroutine
def stone_difference(b):
    """Black stones minus white ones on the board."""
    total = 0
    for p in range(POINTS):
        total += b.colour[p]
    return total - BORDER * (POINTS - b.rows * b.cols)


@subroutine
def area_score(b):
    """Points of Black minus points of White: stones, and empty regions that touch one colour.  Without komi."""
    return area_ownership(b, np.empty(POINTS, np.int8))


@kernel
def area_ownership(b, owners):
    """Write the owner of every point to owners, int8 (POINTS,): BLACK, WHITE or EMPTY; returns the area score.

    A stone's point is its colour's.  An empty region is that of the one colour that touches it, and nobody's if both
    colours or none do.  The border between the rows becomes EMPTY, points beyond stay as they were.
    """
    w = b.width
    region = np.empty(POINTS, np.int16)
    score = stone_difference(b)
    for p in points(b):
        s = b.colour[p]
        owners[p] = s if s == BLACK or s == WHITE else BORDER - s        # EMPTY becomes _UNSEEN, the border EMPTY
    for i in range(b.n_empty):
        start = np.int64(b.empties[i])
        if owners[start] != _UNSEEN:
            continue
        owners[start] = EMPTY
        region[0] = start
        n = 1
        done = 0
        black = white = False
        while done < n:
            p = np.int64(region[done])
            done += 1
            for d in (-w, -1, 1, w):
                s = b.colour[p + d]
                if s == BLACK:
                    black = True
                elif s == WHITE:
                    white = True
                elif s == EMPTY and owners[p + d] == _UNSEEN:
                    owners[p + d] = EMPTY
                    region[n] = p + d
                    n += 1
        if black != white:
            owner = BLACK if black else WHITE
            score += owner * n
            for k in range(n):
                owners[region[k]] = owner
    return score
