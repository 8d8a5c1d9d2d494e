"""The area score of a board (Tromp-Taylor).  Compiled.

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
    b.mark += 1
    w = b.width
    stack = np.empty(POINTS, np.int16)
    score = 0
    for row in range(1, b.size + 1):
        for p in range(row * w + 1, row * w + b.size + 1):
            s = b.colour[p]
            if s != EMPTY:
                score += s
            elif b.marks[p] != b.mark:
                score += _region_score(b, p, stack)
    return score


@njit(cache=True, nogil=True)
def _region_score(b, start, stack):
    """Mark the empty region around a point; returns its area, negative for White's, 0 for a neutral one.

    stack: int16 (POINTS,), scratch.
    """
    m = b.mark
    w = b.width
    b.marks[start] = m
    stack[0] = start
    depth = 1
    area = 0
    black = False
    white = False
    while depth:
        depth -= 1
        p = np.int64(stack[depth])
        area += 1
        for d in (-w, -1, 1, w):
            q = p + d
            s = b.colour[q]
            if s == EMPTY:
                if b.marks[q] != m:
                    b.marks[q] = m
                    stack[depth] = q
                    depth += 1
            elif s == BLACK:
                black = True
            elif s == WHITE:
                white = True
    return area * (np.int64(black) - np.int64(white))
