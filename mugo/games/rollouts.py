"""Playing a board to its end, at random: uniformly, or with MoGo's moves.  Compiled.

Nothing here is searched or learnt, and superko is not asked.  A rollout fills no own true eyes, so
it ends by itself with two passes, nearly always; then every stone left is alive and the area score
is the result.  A move is drawn from the first of these that there are:

    UNIFORM   MOGO
               *     to an atari of the last move: extend, capture beside the chain, or take the stone
               *     around the last move: shapes of patterns.py
               *     around the last move: captures
               *     all that put no two stones in atari
       *       *     all that are legal and fill no own true eye

The order is that of Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT with Patterns in
Monte-Carlo Go", RR-6062, with two differences.  MoGo captures anywhere on the board before it plays
at random; on 9x9, 200 rollouts a move, that won 43 % of the games against not doing so, and capturing
around the last move 56 %.  And self-ataris of two stones come last of all.
"""
import math

import numpy as np
from numba import njit

from mugo.games.board import (
    BLACK,
    BORDER,
    EMPTY,
    LEGAL,
    POINTS,
    RECENT,
    WHITE,
    area_score,
    head_at,
    is_true_eye,
    legality,
    next_stone,
    play,
)
from mugo.games.coords import PASS
from mugo.games.patterns import matches_pattern
from mugo.games.rng import random_below

UNIFORM, MOGO = 0, 1                     # kinds of rollouts
MOVES_PER_POINT, MOVES_MORE = 3, 100     # see longest


@njit(cache=True, nogil=True)
def _exclude(b, i, left):
    """Swap b.empties[i] behind the first `left` - 1 of b.empties, so that it is not drawn again."""
    p = b.empties[i]
    last = b.empties[left - 1]
    b.empties[left - 1] = p
    b.slot[p] = left - 1
    b.empties[i] = last
    b.slot[last] = i


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
        _exclude(b, i, left)
        left -= 1
    return PASS


@njit(cache=True, nogil=True)
def other_liberty(b, h, p):
    """A liberty of the chain with head h that is not the point p; 0 if it has no other."""
    w = b.width
    q = h
    while True:
        for d in (-w, -1, 1, w):
            e = q + d
            if b.colour[e] == EMPTY and e != p:
                return e
        q = next_stone(b, q)
        if q == h:
            return 0


@njit(cache=True, nogil=True)
def self_atari(b, p, c):
    """How many stones a move of c on p puts in atari, at least; 0 if it captures or leaves two liberties."""
    w = b.width
    liberty = 0
    stones = 1
    for d in (-w, -1, 1, w):
        q = p + d
        s = b.colour[q]
        e = 0
        if s == EMPTY:
            e = q
        elif s == c:
            h = head_at(b, q)
            if b.liberties[h] > 2:
                return 0
            if b.liberties[h] == 2:
                e = other_liberty(b, h, p)
            stones += b.stones[h]
        elif s == -c and b.liberties[b.head[q]] == 1:
            return 0
        if e and liberty and e != liberty:
            return 0
        if e:
            liberty = e
    return stones


@njit(cache=True, nogil=True)
def _is_in_atari(b, p, c):
    """Whether a chain of colour c stands on p and has one liberty."""
    return b.colour[p] == c and b.liberties[b.head[p]] == 1


@njit(cache=True, nogil=True)
def _add_last_liberty(b, p, c, moves, n):
    """Write the liberty of the chain in atari on p to moves[n], if c may play there and it is new; returns how many.

    moves: int16 (POINTS,), with room for every empty point.
    """
    e = other_liberty(b, head_at(b, p), 0)
    for i in range(n):
        if moves[i] == e:
            return n
    if legality(b, e, c) != LEGAL:
        return n
    moves[n] = e
    return n + 1


@njit(cache=True, nogil=True)
def atari_answers(b, last, c, moves):
    """Write c's answers to ataris of the last move, on the point `last`; returns how many.

    Taking the chain of the last move, if it is in atari itself; and for each chain of c's that it
    put in atari, the extension, if that leaves two liberties, and captures beside the chain.
    """
    w = b.width
    n = 0
    if _is_in_atari(b, last, -c):
        n = _add_last_liberty(b, last, c, moves, n)
    for d in (-w, -1, 1, w):
        if not _is_in_atari(b, last + d, c):
            continue
        h = head_at(b, last + d)
        q = h
        while True:
            for t in (-w, -1, 1, w):
                if _is_in_atari(b, q + t, -c):
                    n = _add_last_liberty(b, q + t, c, moves, n)
            q = next_stone(b, q)
            if q == h:
                break
        e = other_liberty(b, h, 0)
        if self_atari(b, e, c) == 0 and not is_true_eye(b, e, c):
            n = _add_last_liberty(b, h, c, moves, n)
    return n


@njit(cache=True, nogil=True)
def _draw_move(b, moves, n):
    """One of the n moves at random; it goes to moves[n - 1]."""
    i = random_below(b, n)
    p = moves[i]
    moves[i] = moves[n - 1]
    moves[n - 1] = p
    return np.int64(p)


@njit(cache=True, nogil=True)
def pattern_move(b, last, c, moves):
    """A move of c at one of the eight points around `last` that makes a shape of patterns.py; 0 if there is none.

    All such moves are equally likely, but for illegal ones and self-ataris.  moves is scratch.
    """
    w = b.width
    n = 0
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        if b.colour[last + d] == EMPTY and matches_pattern(b, last + d, c):
            moves[n] = last + d
            n += 1
    while n:
        p = _draw_move(b, moves, n)
        if legality(b, p, c) == LEGAL and self_atari(b, p, c) == 0:
            return p
        n -= 1
    return 0


@njit(cache=True, nogil=True)
def nearby_captures(b, last, c, moves):
    """Write c's captures of chains in atari that stand on the eight points around `last`; returns how many."""
    w = b.width
    n = 0
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        if _is_in_atari(b, last + d, -c):
            n = _add_last_liberty(b, last + d, c, moves, n)
    return n


@njit(cache=True, nogil=True)
def safe_random_move(b, c):
    """As random_move, but one that puts two stones of c's or more in atari only where there is no other."""
    left = b.n_empty
    spare = PASS
    while left > 0:
        i = random_below(b, left)
        p = np.int64(b.empties[i])
        if not is_true_eye(b, p, c) and legality(b, p, c) == LEGAL:
            if self_atari(b, p, c) < 2:
                return p
            spare = p
        _exclude(b, i, left)
        left -= 1
    return spare


@njit(cache=True, nogil=True)
def mogo_move(b, c, moves):
    """c's move in a MoGo-style rollout, in the order of the table above; PASS if there is none.

    moves: int16 (POINTS,), scratch.
    """
    last = np.int64(b.recent[b.moves & (RECENT - 1)])
    if last != PASS:
        n = atari_answers(b, last, c, moves)
        if n:
            return _draw_move(b, moves, n)
        p = pattern_move(b, last, c, moves)
        if p:
            return p
        n = nearby_captures(b, last, c, moves)
        if n:
            return _draw_move(b, moves, n)
    return safe_random_move(b, c)


@njit(cache=True, nogil=True)
def stone_difference(b):
    """Black stones minus white ones on the board."""
    lead = 0
    for p in range(POINTS):
        lead += b.colour[p]
    return lead - BORDER * (POINTS - b.size * b.size)


@njit(cache=True, nogil=True)
def max_moves(size):
    """After how many moves a rollout is cut: it loops then (triple ko).

    From 5x5 on not one in 1,000 comes so far.  2x2 takes its time: half the rollouts last longer
    than 12 moves, and Black wins them all.
    """
    return MOVES_PER_POINT * size * size + MOVES_MORE


@njit(cache=True, nogil=True)
def roll_out(b, kind, mercy):
    """Play b to its end; returns the area score, Black minus White, without komi.

    mercy: where one colour has that many stones more on the board, stop there and return the
    difference in stones; 0 never stops.
    """
    moves = np.empty(POINTS, np.int16)
    left = max_moves(b.size)
    lead = stone_difference(b)
    c = b.to_play
    while b.passes < 2 and left > 0:
        p = mogo_move(b, c, moves) if kind == MOGO else random_move(b, c)
        captured = play(b, p, c)
        if p != PASS:
            lead += c * (1 + captured)
            if mercy and abs(lead) >= mercy:
                return lead
        c = -c
        left -= 1
    return area_score(b)


@njit(cache=True, nogil=True)
def mercy_threshold(size, komi):
    """The lead in stones at which a rollout may stop, for `roll_out`: it hides no other winner.

    Komi has to be made up for, and what is left to play swings by so many stones in less than one
    of 1,000 rollouts (benchmarks/rollouts.py).  From the empty board that saves 7 % of the moves on
    9x9 and 4 % on 19x19, later in a game less.
    """
    return np.int64(math.ceil(abs(komi))) + 5 * size // 2


@njit(cache=True, nogil=True)
def add_ownership(b, ownership):
    """Add the owner of every point of an ended rollout, 1 Black, -1 White, to int32 (POINTS,) owners.

    An empty point is its neighbours', if they are of one colour; else, as in a rollout that mercy
    stopped, nobody's.
    """
    w = b.width
    for row in range(1, b.size + 1):
        for p in range(row * w + 1, row * w + b.size + 1):
            ownership[p] += b.colour[p]
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        black = 0
        white = 0
        for d in (-w, -1, 1, w):
            black |= b.colour[p + d] == BLACK
            white |= b.colour[p + d] == WHITE
        ownership[p] += black - white


@njit(cache=True, nogil=True)
def roll_out_from(boards, scores, seed, kind, mercy):
    """Roll boards[0] out once for each of scores, int16 (n,), each in boards[1]; returns the moves played.

    Rollout i is the same whatever kind the others are: its random numbers are of seed + i alone.
    seed: any integer from 1.
    """
    moves = 0
    for i in range(len(scores)):
        boards[1] = boards[0]
        boards[1].random = np.uint64(seed + i) * np.uint64(0x9E3779B97F4A7C15)
        scores[i] = roll_out(boards[1], kind, mercy)
        moves += boards[1].moves - boards[0].moves
    return moves
