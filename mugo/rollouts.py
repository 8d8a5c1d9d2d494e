"""Playing a board to its end with uniformly random moves.  Compiled.

A rollout fills no own true eyes, so it ends by itself with two passes, nearly always; then every
stone left is alive and the area score is the result.
"""
import numpy as np
from numba import njit

from mugo.board import EMPTY, LEGAL, POINTS, area_score, is_true_eye, legality, play
from mugo.coords import PASS

UNIFORM, MOGO = 0, 1                     # kinds of rollouts

MOVES_PER_POINT = 3                      # a rollout that loops (triple ko) is cut here


@njit(cache=True, nogil=True)
def random_below(b, n):
    """A random int64 in [0, n), from b.random (xorshift64*: Vigna 2016); b.random must not be 0."""
    x = b.random
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    b.random = x
    high = (x * np.uint64(2685821657736338717)) >> np.uint64(32)
    return np.int64((high * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def random_move(b, c):
    """A legal move of c, all equally likely, that fills no true eye of c's; PASS if there is none.

    Draws without replacement by shuffling the tail of b.empties.
    """
    left = b.n_empty
    while left > 0:
        i = random_below(b, left)
        p = np.int64(b.empties[i])
        if not is_true_eye(b, p, c) and legality(b, p, c) == LEGAL:
            return p
        left -= 1
        last = b.empties[left]
        b.empties[left] = p
        b.slot[p] = left
        b.empties[i] = last
        b.slot[last] = i
    return 0


@njit(cache=True, nogil=True)
def lead_in_stones(b):
    """Black stones minus white ones on the board."""
    lead = 0
    for p in range(POINTS):
        lead += b.colour[p]
    return lead - 2 * (POINTS - b.size * b.size)       # what is no point of the board holds BORDER, 2


@njit(cache=True, nogil=True)
def roll_out(b, kind, mercy):
    """Play b to its end; returns the area score, Black minus White, without komi.

    mercy: stop when one colour has that many stones more, and return the difference; 0: never.
    """
    left = MOVES_PER_POINT * b.size * b.size
    lead = lead_in_stones(b)
    c = b.to_play
    while b.passes < 2 and left > 0:
        p = random_move(b, c)
        captured = play(b, p, c)
        if p != PASS:
            lead += c * (1 + captured)
            if mercy and abs(lead) >= mercy:
                return lead
        c = -c
        left -= 1
    return area_score(b)


@njit(cache=True, nogil=True)
def mercy_of(size, komi):
    """The stones by which one colour must lead so that the other does not win any more."""
    return size * size


@njit(cache=True, nogil=True)
def add_owners(b, owners):
    """Add the owner of every point of an ended rollout, 1 Black, -1 White, to int32 (POINTS,) owners."""
    w = b.width
    for row in range(1, b.size + 1):
        for p in range(row * w + 1, row * w + b.size + 1):
            s = b.colour[p]
            if s == EMPTY:
                for d in (-w, -1, 1, w):
                    t = b.colour[p + d]
                    if t == 1 or t == -1:
                        s = t
            owners[p] += s


@njit(cache=True, nogil=True)
def roll_out_from(boards, n, seed):
    """Roll boards[0] out n times, each in boards[1]; returns (sum of scores, moves played).

    seed: any integer but 0.
    """
    boards[1].random = np.uint64(seed)
    total = 0
    moves = 0
    for _ in range(n):
        random = boards[1].random
        boards[1] = boards[0]
        boards[1].random = random
        total += roll_out(boards[1], UNIFORM, 0)
        moves += boards[1].moves - boards[0].moves
    return total, moves
