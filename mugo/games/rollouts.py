"""Rollouts: random games to the end, with uniform moves or with MoGo's.  Compiled.

No search, no network, no superko.  A rollout fills no own true eyes, so it nearly always ends with two passes; then
every stone left is alive and the area score is the result.  A move is drawn from the first of these sets that is not
empty:

    UNIFORM   MOGO
               *     answers to an atari of the last move: extension, capture beside the chain, capture of the stone
               *     around the last move: patterns (patterns)
               *     around the last move: captures
               *     moves that put no two own stones in atari
       *       *     legal moves that fill no own true eye

The order is that of Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT with Patterns in Monte-Carlo Go", INRIA
RR-6062, with two differences.  MoGo captures anywhere on the board before it plays at random; on 9x9, 200 rollouts a
move, that won 43 % of the games against not doing so, and capturing around the last move 56 %.  Self-ataris of two
stones come last of all.

    boards     BOARD (2,)           boards[0] the position, boards[1] the rollout
    moves      int16 (POINTS,)      scratch: candidates, the first n of them
    scores     int16 (n,)           area scores, Black minus White, without komi
    first_plays  int8 (POINTS,)     the colour of the first stone played on each point, 0 none; see roll_out
    ownership  int32 (POINTS,)      sums over rollouts: 1 Black, -1 White
"""
import math

import numpy as np
from numba import njit

from mugo.games.area import area_score
from mugo.games.board import (
    BLACK,
    BORDER,
    EMPTY,
    LEGAL,
    POINTS,
    RECENT,
    WHITE,
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
MOVES_PER_POINT, EXTRA_MOVES = 3, 100    # see max_moves


@njit(cache=True, nogil=True)
def _exclude(b, i, left):
    """Swap b.empties[i] with b.empties[left - 1], so that a draw from the first left - 1 leaves it out."""
    p = b.empties[i]
    last = b.empties[left - 1]
    b.empties[left - 1] = p
    b.slot[p] = left - 1
    b.empties[i] = last
    b.slot[last] = i


@njit(cache=True, nogil=True)
def random_move(b, c):
    """A legal move of c that fills no true eye of c, all equally likely; PASS if there is none.

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
    """A lower bound of the own stones that a move of c on p puts in atari; 0 if it captures or has two liberties."""
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
    """Whether p has a stone of c in a chain with one liberty."""
    return b.colour[p] == c and b.liberties[b.head[p]] == 1


@njit(cache=True, nogil=True)
def _add_last_liberty(b, p, c, moves, n):
    """Append the liberty of the chain in atari on p to the n moves, if c may play there and it is new; returns n."""
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
    """Write c's answers to ataris of the last move, on the point `last`; returns their number.

    The capture of the chain of the last move, if it is in atari itself; for each chain of c that it put in atari, the
    extension, if that leaves two liberties, and captures beside the chain.
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
    """One of the n moves at random; it is swapped with moves[n - 1]."""
    i = random_below(b, n)
    p = moves[i]
    moves[i] = moves[n - 1]
    moves[n - 1] = p
    return np.int64(p)


@njit(cache=True, nogil=True)
def pattern_move(b, last, c, moves):
    """A move of c on one of the eight points around `last` that matches a pattern; 0 if there is none.

    All such moves are equally likely, without illegal ones and self-ataris.
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
    """Write c's captures of chains in atari on the eight points around `last`; returns their number."""
    w = b.width
    n = 0
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        if _is_in_atari(b, last + d, -c):
            n = _add_last_liberty(b, last + d, c, moves, n)
    return n


@njit(cache=True, nogil=True)
def safe_random_move(b, c):
    """As random_move, but a move that puts two or more stones of c in atari only where there is no other."""
    left = b.n_empty
    self_atari_move = PASS
    while left > 0:
        i = random_below(b, left)
        p = np.int64(b.empties[i])
        if not is_true_eye(b, p, c) and legality(b, p, c) == LEGAL:
            if self_atari(b, p, c) < 2:
                return p
            self_atari_move = p
        _exclude(b, i, left)
        left -= 1
    return self_atari_move


@njit(cache=True, nogil=True)
def mogo_move(b, c, moves):
    """A move of c in a MoGo-style rollout, by the table above; PASS if there is none."""
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
    total = 0
    for p in range(POINTS):
        total += b.colour[p]
    return total - BORDER * (POINTS - b.size * b.size)


@njit(cache=True, nogil=True)
def max_moves(size):
    """The moves after which a rollout is stopped, as it may be in a cycle (triple ko).

    From 5x5 on, fewer than one rollout in 1,000 is that long.  On 2x2 half of them have more than 12 moves, and Black
    wins all of those.
    """
    return MOVES_PER_POINT * size * size + EXTRA_MOVES


@njit(cache=True, nogil=True)
def roll_out(b, kind, mercy, first_plays):
    """Play b to its end; returns the area score, Black minus White, without komi.

    first_plays: gets the colour that plays first on each point where it was 0.
    kind: UNIFORM or MOGO.  mercy: stop when one colour has that many stones more on the board, and return the
    difference in stones; 0 never stops.
    """
    moves = np.empty(POINTS, np.int16)
    left = max_moves(b.size)
    difference = stone_difference(b)
    c = b.to_play
    while b.passes < 2 and left > 0:
        p = mogo_move(b, c, moves) if kind == MOGO else random_move(b, c)
        captured = play(b, p, c)
        if p != PASS:
            if first_plays[p] == 0:
                first_plays[p] = c
            difference += c * (1 + captured)
            if mercy and abs(difference) >= mercy:
                return difference
        c = -c
        left -= 1
    return area_score(b)


@njit(cache=True, nogil=True)
def mercy_threshold(size, komi):
    """The difference in stones at which `roll_out` may stop: the mercy rule.

    Komi, plus a margin by which the rest of the game changes the difference in less than one of 1,000 rollouts
    (benchmarks/rollouts.py).  From the empty board this saves 7 % of the moves on 9x9 and 4 % on 19x19, later in a
    game less.
    """
    return np.int64(math.ceil(abs(komi))) + 5 * size // 2


@njit(cache=True, nogil=True)
def add_ownership(b, ownership):
    """Add the owner of every point of an ended rollout, 1 Black, -1 White, to ownership.

    An empty point is its neighbours', if they are of one colour; else, as in a rollout stopped by the mercy rule,
    neutral.
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
    """Roll out boards[0] len(scores) times, each in boards[1]; returns the number of moves played.

    The random numbers of rollout i depend on seed + i alone.  seed: any integer from 1.
    """
    moves = 0
    first_plays = np.zeros(POINTS, np.int8)
    for i in range(len(scores)):
        boards[1] = boards[0]
        boards[1].random = np.uint64(seed + i) * np.uint64(0x9E3779B97F4A7C15)
        scores[i] = roll_out(boards[1], kind, mercy, first_plays)
        moves += boards[1].moves - boards[0].moves
    return moves


@njit(cache=True, nogil=True)
def roll_out_ownership(boards, kind, n, ownership):
    """Roll out boards[0] n times, each in boards[1], and add the owners of the points at their ends to ownership.

    Black begins every other rollout and White the rest, whoever is to play; a ko and passes before do not count.
    The random numbers of a rollout follow those of the one before, from boards[0].random.
    """
    random = boards[0].random
    first_plays = np.zeros(POINTS, np.int8)
    for i in range(n):
        boards[1] = boards[0]
        b = boards[1]
        b.random = random
        b.to_play = BLACK if i % 2 == 0 else WHITE
        b.ko = 0
        b.passes = 0
        roll_out(b, kind, 0, first_plays)
        add_ownership(b, ownership)
        random = b.random
