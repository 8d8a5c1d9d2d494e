"""Gomoku: wins by fours alone, read to their end.  Compiled.

    . X X X . .        a four leaves one point to win on, and the opponent has to take it: X at either end, O at the
                       other.  So a sequence of fours has one answer each, and can be read far ahead.

Allis, van den Herik and Huntjens 1993 ("Go-Moku and Threat-Space Search"); a VCF, victory by continuous fours.  The
last four leaves two points to win on, or makes a row too many ways.  A four that lets the answer win, or leaves the
opponent another row, is none.
"""
import numpy as np
from numba import njit

from mugo.games.board import EMPTY
from mugo.games.gomoku import any_winning_point, winning_point

MAX_FOURS = 12                           # fours in a row that are read
MAX_TRIES = 20_000                       # stones tried in all: about 2 ms


@njit(cache=True, nogil=True)
def _next_point(b, p):
    """The point on the board after p, by row and column; 0 after the last."""
    p += 1
    if p % b.width == 0:
        p += 1
    return p if p < b.width * (b.rows + 1) else 0


@njit(cache=True, nogil=True)
def win_by_fours(b, c):
    """The first move with which c, to move, wins by fours alone; 0 if none is found.  b is left as it was.

    For positions in which c cannot win at once.  Stops at MAX_FOURS and MAX_TRIES.
    """
    fours = np.zeros(MAX_FOURS, np.int64)                # the stones of c that are on the board, and the answers
    answers = np.zeros(MAX_FOURS, np.int64)
    blocks = np.zeros(MAX_FOURS + 1, np.int64)           # where the opponent would win
    start = b.width + 1
    depth = 0
    blocks[0] = any_winning_point(b, -c)
    p = start
    if blocks[0] and any_winning_point(b, -c, blocks[0]):
        return 0
    for _ in range(MAX_TRIES):
        while p == 0:                                    # no four is left here: take one back
            if depth == 0:
                return 0
            depth -= 1
            b.colour[fours[depth]] = EMPTY
            b.colour[answers[depth]] = EMPTY
            p = _next_point(b, fours[depth])
        tried = p
        p = _next_point(b, p)
        if b.colour[tried] != EMPTY or blocks[depth] not in (0, tried):
            continue
        b.colour[tried] = c
        e = winning_point(b, tried, c)
        is_won = e != 0 and winning_point(b, tried, c, e) != 0
        if is_won or e == 0 or depth + 1 == MAX_FOURS:
            b.colour[tried] = EMPTY
            if is_won:
                break
            continue
        b.colour[e] = -c
        block = winning_point(b, e, -c)
        if block and winning_point(b, e, -c, block):
            b.colour[tried] = EMPTY
            b.colour[e] = EMPTY
            continue
        fours[depth] = tried
        answers[depth] = e
        depth += 1
        blocks[depth] = block
        p = start
    else:
        tried = 0
    for i in range(depth):
        b.colour[fours[i]] = EMPTY
        b.colour[answers[i]] = EMPTY
    return fours[0] if tried and depth else tried
