"""Gomoku: wins by fours alone, read to their end.  Compiled.

    . X X X . .        a four leaves one point to win on, and the opponent has to take it: X at either end, O at the
                       other.  So a sequence of fours has one answer each, and can be read far ahead.

Allis, van den Herik and Huntjens 1993 ("Go-Moku and Threat-Space Search"); a VCF, victory by continuous fours.  The
last four leaves two points to win on, or makes a row too many ways.  A four that lets the answer win, or leaves the
opponent another row, is none.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import BORDER, EMPTY
from mugo.games.gomoku import NO_POINT, any_winning_point, winning_point

MAX_FOURS = 12                           # fours in a row that are read
MAX_TRIES = 20_000                       # stones tried in all: about 2 ms


@kernel
def win_by_fours(b, c):
    """The first move with which c, to move, wins by fours alone, by as few as possible; 0 if none is found.  b is left
    as it was.  For positions in which c cannot win at once.  Iterative deepening, so that a short win is not missed
    among the many long sequences that do not win.  Stops at MAX_FOURS and MAX_TRIES."""
    block = any_winning_point(b, -c, NO_POINT)           # where the opponent would win
    if block and any_winning_point(b, -c, block):
        return 0
    tries = np.int64(MAX_TRIES)
    for length in range(1, MAX_FOURS + 1):
        move, tries, are_longer = _win_in(b, c, block, length, tries)
        if move or not are_longer or not tries:
            return move
    return 0


@subroutine
def _win_in(b, c, block, length, tries):
    """(the first move of a win by this many fours at most, 0 if there is none; the tries that are left; whether there
    are longer sequences of fours)."""
    fours = np.zeros(length, np.int64)                   # the stones of c that are on the board, and the answers
    answers = np.zeros(length, np.int64)
    blocks = np.zeros(length + 1, np.int64)              # where the opponent would win
    start = b.width + 1
    end = b.width * (b.rows + 1)
    depth, found, are_longer = 0, 0, False
    blocks[0] = block
    p = start
    while tries and not found:
        while p == end and depth:                        # no four is left here: take one back
            depth -= 1
            b.colour[fours[depth]] = EMPTY
            b.colour[answers[depth]] = EMPTY
            p = fours[depth] + 1
        if p == end:
            break
        tried = p
        p += 1
        tries -= b.colour[tried] != BORDER
        if b.colour[tried] != EMPTY or blocks[depth] not in (0, tried):
            continue
        b.colour[tried] = c
        e = winning_point(b, tried, c, NO_POINT)
        if e and winning_point(b, tried, c, e):
            found = tried
        elif e and depth + 1 == length:
            are_longer = True
        elif e:
            b.colour[e] = -c
            block = winning_point(b, e, -c, NO_POINT)
            if not (block and winning_point(b, e, -c, block)):
                fours[depth] = tried
                answers[depth] = e
                depth += 1
                blocks[depth] = block
                p = start
                continue
            b.colour[e] = EMPTY
        b.colour[tried] = EMPTY
    for i in range(depth):
        b.colour[fours[i]] = EMPTY
        b.colour[answers[i]] = EMPTY
    return (fours[0] if found and depth else found), tries, are_longer
