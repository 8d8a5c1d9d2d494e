"""Nakade: eye spaces of three to six points, and the point that decides whether they make two eyes.  Compiled.

    three         T four    bulky five    cross five    rabbity six      a move on V kills, or makes two eyes

    . V .  . V    . V .     . .             .             . .
             .      .       . V .         . V .         . V .
                                            .             .

V is beside every other point but at most one, the corner of a square with V, which is beside two of those.  Such are
the eye spaces that the opponent leaves when he captures as many stones; two stones, and a square of four, leave one
without two eyes whoever moves.  So filling an eye space but for one point is no mistake if the stones have such a
shape: nakade (Gelly et al. 2006; Chaslot et al. 2009, "Adding Expert Knowledge and Exploration in Monte-Carlo Tree
Search").  A bent four in the corner, which is a ko, is not among them.

    r     LIGHT_BOARD, one record; r.scratch is used
"""
import numpy as np
from numba import njit

from mugo.games.board import EMPTY
from mugo.games.light_board import empty_neighbours, is_enclosed, sum_of_empty_neighbours

MOST_STONES = 6                          # of a killing shape


@njit(cache=True, nogil=True)
def _is_vital(r, v, c):
    """Whether v is the vital point of a region of empty points that only c encloses."""
    n = empty_neighbours(r, v)
    if n < 2 or not is_enclosed(r, v, c):
        return False
    corner = 0
    sides = 0                            # neighbours of v that are beside another point, the corner
    for d in (-r.width, -1, 1, r.width):
        p = v + d
        if r.colour[p] != EMPTY:
            continue
        m = empty_neighbours(r, p)
        if m > 2 or not is_enclosed(r, p, c):
            return False
        if m == 2:
            other = sum_of_empty_neighbours(r, p) - v
            if sides and other != corner:
                return False
            corner = other
            sides += 1
    return sides == 0 or (n > 2 and sides == 2 and empty_neighbours(r, corner) == 2 and is_enclosed(r, corner, c))


@njit(cache=True, nogil=True)
def vital_point(r, p, c):
    """The vital point of the region of empty points that p is in; 0 if it has none, or if not c alone encloses it."""
    n = empty_neighbours(r, p)
    if n == 0 or not is_enclosed(r, p, c):
        return 0
    v = p
    if n == 1:
        v = sum_of_empty_neighbours(r, p)
    elif n == 2:
        across = 0
        for d in (-r.width, -1, 1, r.width):
            q = p + d
            if r.colour[q] != EMPTY:
                continue
            m = empty_neighbours(r, q)
            if m > 2:
                v = q
                break
            if m == 2:                   # p may be the corner of a square with v
                other = sum_of_empty_neighbours(r, q) - p
                if other == across:
                    v = other
                across = other
    return v if _is_vital(r, v, c) else 0


@njit(cache=True, nogil=True)
def _contains(points, n, p):
    """Whether p is one of the first n points."""
    for i in range(n):
        if points[i] == p:
            return True
    return False


@njit(cache=True, nogil=True)
def is_killing_shape(n, degrees, most):
    """Whether an eye space of n connected points makes no two eyes if the opponent moves first.

    degrees: the sum over its points of their neighbours in it; most: the most neighbours of a point.
    """
    if n <= 3:
        return True
    if n == 4:
        return most == 3 or degrees == 8
    if n == 5:
        return most == 4 or degrees == 10
    return n == 6 and most == 4 and degrees == 12


@njit(cache=True, nogil=True)
def makes_killing_shape(r, p, c):
    """Whether a move of c on p, after which its chain has one liberty, fills an eye space but for that liberty with
    stones of a killing shape."""
    shape = r.scratch
    w = r.width
    shape[0] = p
    n = 1
    for d in (-w, -1, 1, w):
        q = p + d
        if r.colour[q] != c or _contains(shape, n, q):
            continue
        while True:
            if n == MOST_STONES:
                return False
            shape[n] = q
            n += 1
            q = np.int64(r.next[q])
            if q == p + d:
                break
    degrees = 0
    most = 0
    liberty = 0
    for i in range(n):
        degree = 0
        for d in (-w, -1, 1, w):
            q = shape[i] + d
            if r.colour[q] == c or q == p:
                degree += 1
            elif r.colour[q] == EMPTY:
                liberty = q
        degrees += degree
        most = max(most, degree)
    return is_killing_shape(n, degrees, most) and _closes(r, liberty, p, c, shape, n)


@njit(cache=True, nogil=True)
def _closes(r, liberty, p, c, shape, n):
    """Whether all neighbours of a liberty of the n points of a shape are of the shape, p included, of the other colour
    or off the board."""
    for d in (-r.width, -1, 1, r.width):
        q = liberty + d
        if q != p and (r.colour[q] == EMPTY or (r.colour[q] == c and not _contains(shape, n, q))):
            return False
    return True
