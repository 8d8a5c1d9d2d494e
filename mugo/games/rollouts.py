"""Rollouts: random games to the end, with uniform moves or with MoGo's.  Compiled.

A rollout fills no own true eyes, so it nearly always ends with two passes; then every stone left is alive and the area
score is the result.  A move is drawn from the first of these sets that is not empty:

    UNIFORM   MOGO
               *     answers to an atari of the last move: extension, capture next to the chain, capture of the stone
               *     around the last move: patterns (patterns)
               *     around the last move: captures
               *     moves that put no two own stones in atari
       *       *     legal moves that fill no own true eye

The order follows Gelly, Wang, Munos, Teytaud 2006, "Modification of UCT with Patterns in Monte-Carlo Go", INRIA
RR-6062; MoGo captures anywhere, here around the last move, which won 56 % against not capturing, and MoGo's way 43 %.

    b          BOARD, one record    the position, then the end of the rollout
    r          LIGHT_BOARD          the rollout
    boards     BOARD (2,)           boards[0] the position, boards[1] the rollout
    moves      int16 (POINTS,)      scratch: candidates, the first n of them
    n          int64: begun as np.int64(0), as numba compiles a function once more for a literal 0
    first_plays  int8 (POINTS,)     the colour of the first stone played on each point, 0 none; see roll_out
    ownership  int32 (POINTS,)      sums over rollouts: 1 Black, -1 White
"""
import functools
import math

import numpy as np
from numba import from_dtype, types

from mugo.core.jit import address_of, caller, kernel, subroutine
from mugo.games.area import area_score, stone_difference
from mugo.games.board import BLACK, BOARD_TYPE, BORDER, EMPTY, POINTS, RECENT, WHITE, new_boards, points
from mugo.games.coords import PASS, BoardSize, shape_of
from mugo.games.history import board_with
from mugo.games.light_board import (
    LIGHT_BOARD, atari_liberty, copy_position, empty_neighbours, is_legal, is_true_eye, owner,
    pattern_code, play, self_atari, set_codes, write_back)
from mugo.games.patterns import MATCHES

UNIFORM, MOGO = 0, 1                     # kinds of rollouts
MOVES_PER_POINT, EXTRA_MOVES = 3, 100    # see max_moves


@subroutine
def random_below(b, n):
    """A random int64 in [0, n), by xorshift64* (Vigna 2016); b.random is the state and must not be 0."""
    x = b.random
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    b.random = x
    high = (x * np.uint64(2685821657736338717)) >> np.uint64(32)
    return np.int64((high * np.uint64(n)) >> np.uint64(32))


@subroutine
def _exclude(r, i, left):
    """Swap r.empties[i] with r.empties[left - 1], so that a draw from the first left - 1 leaves it out."""
    p = r.empties[i]
    last = r.empties[left - 1]
    r.empties[left - 1] = p
    r.slot[p] = left - 1
    r.empties[i] = last
    r.slot[last] = i


@subroutine
def random_move(r, c):
    """A legal move of c that fills no true eye of c, all equally likely; PASS if there is none.  Draws without
    replacement by shuffling the tail of r.empties."""
    left = r.n_empty
    while left > 0:
        i = random_below(r, left)
        p = np.int64(r.empties[i])
        if empty_neighbours(r, p) or (not is_true_eye(r, p, c) and is_legal(r, p, c)):
            return p
        _exclude(r, i, left)
        left -= 1
    return PASS


@subroutine
def _atari_liberty_of(r, p, c):
    """The only liberty of the chain on p if it is in atari and of colour c; else 0."""
    return atari_liberty(r, p) if r.colour[p] == c else 0


@subroutine
def _add_move(r, e, c, moves, n):
    """Append the point e to the n moves, if c may play there and it is new; returns n."""
    for i in range(n):
        if moves[i] == e:
            return n
    if not is_legal(r, e, c):
        return n
    moves[n] = e
    return n + 1


@subroutine
def atari_answers(r, last, c, moves):
    """Write c's answers to ataris of the last move, on the point `last`: their number. The capture of its chain,
    if that is in atari itself; for each chain of c that it put in atari, the extension, if that leaves two liberties,
    and captures next to the chain."""
    w = r.width
    n = np.int64(0)
    e = _atari_liberty_of(r, last, -c)
    if e:
        n = _add_move(r, e, c, moves, n)
    for d in (-w, -1, 1, w):
        liberty = _atari_liberty_of(r, last + d, c)
        if not liberty:
            continue
        h = np.int64(r.head[last + d])
        q = h
        while True:
            for t in (-w, -1, 1, w):
                e = _atari_liberty_of(r, q + t, -c)
                if e:
                    n = _add_move(r, e, c, moves, n)
            q = np.int64(r.next[q])
            if q == h:
                break
        if self_atari(r, liberty, c) == 0 and not is_true_eye(r, liberty, c):
            n = _add_move(r, liberty, c, moves, n)
    return n


@subroutine
def _draw_move(r, moves, n):
    """One of the n moves at random; it is swapped with moves[n - 1]."""
    i = random_below(r, n)
    p = moves[i]
    moves[i] = moves[n - 1]
    moves[n - 1] = p
    return np.int64(p)


@subroutine
def pattern_move(r, last, c, moves):
    """A move of c on one of the eight points around `last` that matches a pattern; 0 if there is none.  All such moves
    are equally likely, without illegal ones and self-ataris."""
    w = r.width
    n = np.int64(0)
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        if r.colour[last + d] == EMPTY and MATCHES[pattern_code(r, last + d, c)]:
            moves[n] = last + d
            n += 1
    while n:
        p = _draw_move(r, moves, n)
        if is_legal(r, p, c) and self_atari(r, p, c) == 0:
            return p
        n -= 1
    return 0


@subroutine
def nearby_captures(r, last, c, moves):
    """Write c's captures of chains in atari on the eight points around `last`; returns their number."""
    w = r.width
    n = np.int64(0)
    for d in (-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1):
        e = _atari_liberty_of(r, last + d, -c)
        if e:
            n = _add_move(r, e, c, moves, n)
    return n


@subroutine
def safe_random_move(r, c):
    """As random_move, but a move that puts two or more stones of c in atari only where there is no other."""
    left = r.n_empty
    self_atari_move = PASS
    while left > 0:
        i = random_below(r, left)
        p = np.int64(r.empties[i])
        if empty_neighbours(r, p) >= 2:
            return p
        if not is_true_eye(r, p, c) and is_legal(r, p, c):
            if self_atari(r, p, c) < 2:
                return p
            self_atari_move = p
        _exclude(r, i, left)
        left -= 1
    return self_atari_move


@subroutine
def mogo_move(r, c, moves):
    """A move of c in a MoGo-style rollout, by the table above; PASS if there is none."""
    if r.last != PASS:
        n = atari_answers(r, r.last, c, moves)
        if n:
            return _draw_move(r, moves, n)
        p = pattern_move(r, r.last, c, moves)
        if p:
            return p
        n = nearby_captures(r, r.last, c, moves)
        if n:
            return _draw_move(r, moves, n)
    return safe_random_move(r, c)


@subroutine
def max_moves(area):
    """The moves after which a rollout on a board of this many points is stopped, as it may be in a cycle (triple ko);
    from 5x5 on, fewer than one in 1,000 is that long."""
    return MOVES_PER_POINT * area + EXTRA_MOVES


@kernel
def roll_out(b, kind, mercy, first_plays):
    """Play b to its end; returns the area score, Black minus White, without komi.

    b is left with the stones, the empty points, the last moves and the passes of the end; its chains and its hash are
    not kept up.  first_plays: gets the colour that plays first on each point where it was 0.  kind: UNIFORM or
    MOGO.  mercy: stop when one colour has that many stones more on the board, and return the difference
    in stones; 0 never stops.
    """
    light_boards = np.empty(1, LIGHT_BOARD)
    if kind == MOGO:
        return roll_out_mogo(b, light_boards, mercy, first_plays)
    return roll_out_uniform(b, light_boards, mercy, first_plays)


@subroutine
def roll_out_mogo(b, light_boards, mercy, first_plays):
    """roll_out with MoGo's moves.  light_boards: LIGHT_BOARD (1,), scratch."""
    r = light_boards[0]
    copy_position(b, r)
    set_codes(r)
    return _play_to_end(r, b, mercy, first_plays, r.codes)


@subroutine
def roll_out_uniform(b, light_boards, mercy, first_plays):
    """roll_out with uniform moves.  light_boards: LIGHT_BOARD (1,), scratch."""
    r = light_boards[0]
    copy_position(b, r)
    return _play_to_end(r, b, mercy, first_plays, None)


@subroutine
def _play_to_end(r, b, mercy, first_plays, codes):
    """roll_out on r, a copy of b: UNIFORM where codes is None, MOGO where it is r.codes."""
    left = max_moves(b.rows * b.cols)
    difference = stone_difference(b)
    c = b.to_play
    passes = b.passes
    is_decided = False
    while passes < 2 and left > 0 and not is_decided:
        p = random_move(r, c) if codes is None else mogo_move(r, c, r.moves)
        left -= 1
        b.moves += 1
        b.recent[b.moves & (RECENT - 1)] = p
        if p == PASS:
            r.ko = 0
            r.last = PASS
            passes += 1
        else:
            passes = 0
            if first_plays[p] == 0:
                first_plays[p] = c
            difference += c * (1 + play(r, p, c, codes))
            is_decided = mercy and abs(difference) >= mercy
        c = -c
    b.passes = passes
    b.to_play = c
    write_back(r, b)
    return difference if is_decided else _final_score(r, b, difference)


@subroutine
def _final_score(r, b, difference):
    """The area score of an ended rollout: the difference in stones, and the empty points, which are mostly eyes."""
    for i in range(r.n_empty):
        p = np.int64(r.empties[i])
        if empty_neighbours(r, p):
            return area_score(b)
        difference += owner(r, p)
    return difference


def mercy_threshold(size: BoardSize, komi: float) -> int:
    """The difference in stones at which `roll_out` may stop (the mercy rule): komi, plus a margin by which the rest of
    the game changes the difference in less than one of 1,000 rollouts (benchmarks/rollouts.py)."""
    return math.ceil(abs(komi)) + 5 * sum(shape_of(size)) // 4


@subroutine
def add_ownership(b, ownership):
    """Add the owner of every point of an ended rollout, 1 Black, -1 White, to ownership.  An empty point is its
    neighbours', if they are of one colour; else, as in a rollout stopped by the mercy rule, neutral."""
    w = b.width
    for p in points(b):
        if b.colour[p] != BORDER:
            ownership[p] += b.colour[p]
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        black = 0
        white = 0
        for d in (-w, -1, 1, w):
            black |= b.colour[p + d] == BLACK
            white |= b.colour[p + d] == WHITE
        ownership[p] += black - white


# Of roll_out_mogo and roll_out_uniform.
ROLL_OUT = types.int64(BOARD_TYPE, types.Array(from_dtype(LIGHT_BOARD), 1, "C"), types.int64, types.int8[::1])
call_roll_out = caller(ROLL_OUT)


SEED = np.uint64(20160920)               # of rollout_ownership: the same stones always have the same ownership


@functools.lru_cache(maxsize=64)         # a player asks about the same stones several times for one move
def rollout_ownership(stones: bytes, shape: tuple[int, int], kind: int, n: int) -> np.ndarray:
    """int32 (POINTS,), read-only: sums of the final ownership over n rollouts of a kind from these stones, int8 (rows,
    columns) as bytes.  Black begins half of them and White half."""
    boards, total = new_boards(2), np.zeros(POINTS, np.int32)
    boards[0] = board_with(np.frombuffer(stones, np.int8).reshape(shape))[0]
    boards[0]["random"] = SEED
    roll_outs_ownership(boards, address_of(roll_out_mogo if kind == MOGO else roll_out_uniform, ROLL_OUT), n, total,
                        np.empty(1, LIGHT_BOARD), np.zeros(POINTS, np.int8))
    total.setflags(write=False)
    return total


@kernel
def roll_outs_ownership(boards, roll_out_address, n, ownership, light_boards, first_plays):
    """Roll out boards[0] n times, each in boards[1], and add the final ownership to `ownership`.  Black begins every
    other rollout and White the rest, whoever is to play; a ko and passes before do not count.  The random numbers of a
    rollout follow those of the previous one, from boards[0].random.  roll_out_address: the address of a kind of
    rollouts.
    light_boards: LIGHT_BOARD (1,), scratch."""
    random = boards[0].random
    for i in range(n):
        boards[1] = boards[0]
        b = boards[1]
        b.random = random
        b.to_play = BLACK if i % 2 == 0 else WHITE
        b.ko = 0
        b.passes = 0
        call_roll_out(roll_out_address, b, light_boards, 0, first_plays)
        add_ownership(b, ownership)
        random = b.random
