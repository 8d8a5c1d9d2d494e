"""Playing a board to its end with uniformly random moves.  Compiled.

A rollout fills no own true eyes, so it ends by itself with two passes, nearly always; then every
stone left is alive and the area score is the result.
"""
import numpy as np
from numba import njit

from mugo.board import LEGAL, area_score, is_true_eye, legality, play

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
def roll_out(b):
    """Play b to its end; returns the area score, Black minus White, without komi."""
    left = MOVES_PER_POINT * b.size * b.size
    c = b.to_play
    while b.passes < 2 and left > 0:
        play(b, random_move(b, c), c)
        c = -c
        left -= 1
    return area_score(b)


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
        total += roll_out(boards[1])
        moves += boards[1].moves - boards[0].moves
    return total, moves
