"""Reading ladders: is a chain taken by ataris all the way?  Compiled.

One question is answered by a search over (board, prey): the hunter gives atari on a chain with two
liberties, the prey extends on its last one or captures a chain of the hunter's that is in atari
beside it, and so on.

    prey reaches three liberties, or the hunter has no legal atari       it escapes
    prey is still in atari after its move                                it is taken

Simple ko holds; ko threats, superko, seki and nets are not seen.  The search is a loop over a stack
of boards, not a recursion: a self-recursive function that numba loads from its cache can crash.
"""
from typing import NamedTuple

import numpy as np
from numba import njit

from mugo.board import EMPTY, LEGAL, legality, new_boards, play

DEPTH = 400                              # moves in one line; 361 points bound it but for captures
MOVES = 62                               # answers looked at in one position
NODES = 10_000                           # moves tried for one question; then the prey escapes


class Scratch(NamedTuple):
    """Working memory of one thread."""

    boards: np.ndarray                   # (DEPTH,) of BOARD: the line being read
    moves: np.ndarray                    # int16 (DEPTH + 1, MOVES + 2): at [d], candidates of boards[d],
                                         # then how many, and the next to try; the last row is free


def new_scratch() -> Scratch:
    return Scratch(new_boards(DEPTH), np.zeros((DEPTH + 1, MOVES + 2), np.int16))


@njit(cache=True, nogil=True)
def liberties_of(b, h, out):
    """Write the first two liberties of the chain with head h to out; returns how many, 0 to 2."""
    w = b.width
    found = 0
    p = h
    while True:
        for d in (-w, -1, 1, w):
            e = p + d
            if b.colour[e] == EMPTY:
                if found == 0:
                    out[0] = e
                    found = 1
                elif e != out[0]:
                    out[1] = e
                    return 2
        p = np.int64(b.next[p])
        if p == h:
            return found


@njit(cache=True, nogil=True)
def ways_out(b, h, out):
    """Write the moves that may save the chain with head h, in atari; returns how many.

    First each capture of an opponent chain in atari beside it, then the extension.
    """
    w = b.width
    opponent = -b.colour[h]
    b.mark += 1
    m = b.mark
    found = 0
    p = h
    while True:
        for d in (-w, -1, 1, w):
            q = p + d
            if b.colour[q] == opponent:
                g = np.int64(b.head[q])
                if b.liberties[g] == 1 and b.marks[g] != m:
                    b.marks[g] = m
                    if found < MOVES - 2:
                        found += liberties_of(b, g, out[found:])
        p = np.int64(b.next[p])
        if p == h:
            break
    return found + liberties_of(b, h, out[found:])


@njit(cache=True, nogil=True)
def is_taken(boards, moves, prey, hunters_turn):
    """Whether the chain on the point prey of boards[0] falls to ataris all the way.

    hunters_turn: the prey has two liberties and the hunter moves; otherwise it is in atari and
    moves itself.  boards[1:] and moves are scratch.
    """
    colour = np.int64(boards[0].colour[prey])
    hunting = hunters_turn
    nodes = 0
    d = 0
    arriving = True
    while True:
        b = boards[d]
        if arriving:
            h = np.int64(b.head[prey])
            moves[d, MOVES] = liberties_of(b, h, moves[d]) if hunting else ways_out(b, h, moves[d])
            moves[d, MOVES + 1] = 0
            arriving = False
        # The hunter needs one move that takes; the prey needs one that does not let it be taken.
        taken = not hunting
        descend = False
        i = np.int64(moves[d, MOVES + 1])
        while i < moves[d, MOVES]:
            p = np.int64(moves[d, i])
            i += 1
            c = -colour if hunting else colour
            if legality(b, p, c) != LEGAL:
                continue
            nodes += 1
            if nodes > NODES or d + 1 >= DEPTH:
                return False
            boards[d + 1] = b
            after = boards[d + 1]
            play(after, p, c)
            if not hunting:
                liberties = after.liberties[np.int64(after.head[prey])]
                if liberties >= 3:
                    taken = False
                    break
                if liberties < 2:
                    continue
            descend = True
            break
        if descend:
            moves[d, MOVES + 1] = i
            d += 1
            hunting = not hunting
            arriving = True
            continue
        # Position d is decided; go back up to the first that is not decided by it.
        while True:
            if d == 0:
                return taken
            d -= 1
            hunting = not hunting
            if taken != hunting:
                break


@njit(cache=True, nogil=True)
def captures_in_ladder(b, boards, moves, p, c):
    """Whether a legal move of c on p starts a ladder that takes a chain with two liberties."""
    w = b.width
    g0 = 0
    g1 = 0
    g2 = 0
    for d in (-w, -1, 1, w):
        q = p + d
        if b.colour[q] == -c:
            g = np.int64(b.head[q])
            if b.liberties[g] == 2 and g != g0 and g != g1 and g != g2:
                g2 = g1
                g1 = g0
                g0 = g
                boards[0] = b
                play(boards[0], p, c)
                if is_taken(boards, moves, q, False):
                    return True
    return False


@njit(cache=True, nogil=True)
def escapes_ladder(b, boards, moves, h, p, c):
    """Whether a legal move of c on p saves c's chain with head h, now in atari."""
    boards[0] = b
    play(boards[0], p, c)
    liberties = boards[0].liberties[np.int64(boards[0].head[h])]
    if liberties == 2:
        return not is_taken(boards, moves, h, True)
    return liberties > 2
