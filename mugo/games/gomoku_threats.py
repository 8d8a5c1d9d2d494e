"""Threats of Gomoku: heuristic priors, and wins by fours alone, read to their end.  Compiled.

Names as in Allis, van den Herik and Huntjens 1993 ("Go-Moku and Threat-Space Search").  A window is k points in a row;
it counts for a colour while the other has no stone in it.  Priors are virtual visits and wins: every move begins with
EVEN visits and half as many wins, and the threats that it makes or takes from the opponent add won visits.

                     a stone there leaves             visits
    five             no empty point in a window       FIVE
    open four        one, in two windows or more      OPEN_FOUR
    four             one, in one window               FOUR
    open three       two, in two windows or more      OPEN_THREE
    three            two, in one window               THREE
    two              three, in two windows or more    TWO

The threats of the four directions add up; the opponent's count DEFENCE times as much.  Points further than NEAR from
every stone lose FAR_AWAY visits, unless the board is empty.

A win by fours (VCF, victory by continuous fours): each four leaves one point to win on, so the opponent has one answer
to each, until one leaves two.
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import BORDER, EMPTY, has_stone_near
from mugo.games.gomoku import NO_POINT, any_winning_point, winning_point

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
