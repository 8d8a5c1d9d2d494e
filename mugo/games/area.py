"""The area score of a board, and the owner of each point (Tromp-Taylor).  Compiled.

    . X . O .      Black: 6 stones, 4 empty points that reach only Black      10
    . X . O .      White: 8 stones, 5 empty points                            13
    . X O O .      neutral: the 2 empty points that reach both
    . X O . .
    X X O O O      score 10 - 13 = -3

Every stone on the board counts as alive; which stones are dead is decided in scoring.  https://tromp.github.io/go.html
"""
import numpy as np
from numba import njit

from mugo.games.board import BLACK, EMPTY, POINTS, WHITE


@njit(cache=True, nogil=True)
def area_score(b):
    """Points of Black minus points of White: stones, and empty regions that touch one colour.  Without komi."""
    w = b.width
    region = np.empty(POINTS, np.int16)
    seen = np.zeros(POINTS, np.bool_)
    score = 0
    for row in range(1, b.rows + 1):
        for p in range(row * w + 1, row * w + b.cols + 1):
            s = b.colour[p]
            if s != EMPTY:
                score += s
            elif not seen[p]:
                owner, points = _region(b, p, region, seen)
                score += owner * points
    return score


@njit(cache=True, nogil=True)
def area_ownership(b, owners):
    """Write the owner of every point to owners, int8 (POINTS,): BLACK, WHITE or EMPTY.  Its border stays as it was.

    A stone's point is its colour's.  An empty region is that of the one colour that touches it, and nobody's if both
    colours or none do.
    """
    w = b.width
    region = np.empty(POINTS, np.int16)
    seen = np.zeros(POINTS, np.bool_)
    for row in range(1, b.rows + 1):
        for p in range(row * w + 1, row * w + b.cols + 1):
            if b.colour[p] != EMPTY:
                owners[p] = b.colour[p]
            elif not seen[p]:
                owner, points = _region(b, p, region, seen)
                for i in range(points):
                    owners[region[i]] = owner


@njit(cache=True, nogil=True)
def _region(b, start, region, seen):
    """Find the empty region around a point; returns (BLACK, WHITE or EMPTY, its owner; the number of its points).

    region: int16 (POINTS,), gets the points.  seen: bool (POINTS,), set at each of them.
    """
    w = b.width
    seen[start] = True
    region[0] = start
    points = 1
    done = 0
    black = False
    white = False
    while done < points:
        p = np.int64(region[done])
        done += 1
        for d in (-w, -1, 1, w):
            q = p + d
            s = b.colour[q]
            if s == EMPTY:
                if not seen[q]:
                    seen[q] = True
                    region[points] = q
                    points += 1
            elif s == BLACK:
                black = True
            elif s == WHITE:
                white = True
    return np.int64(black) - np.int64(white), points
