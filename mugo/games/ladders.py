"""Reading ladders: is a chain captured by a sequence of ataris?  Compiled.

The search reads one question on (board, prey).  The hunter gives atari on a chain with two liberties; the prey extends
on its last liberty or captures a chain of the hunter's that is in atari next to it; and so on.

    prey reaches three liberties, or the hunter has no legal atari       it escapes
    the line returns to an earlier position of it                        it escapes: no end is forced
    prey is still in atari after its move                                it is captured

Simple ko is observed; ko threats, superko, seki and nets are not considered.  The search is a loop over a stack: a
self-recursive function that numba loads from its cache can crash.

    boards       BOARD (DEPTH,)                  the line that is read; boards[0] is the position of the question
    moves        int16 (DEPTH + 1, MOVES + 2)    [d]: candidate moves of boards[d], at MOVES their number, at MOVES + 1
                                                 the index of the next to try; the last row is free
    prey         int64                           a point of the chain that may be captured
"""
import numpy as np

from mugo.core.jit import subroutine
from mugo.games.board import EMPTY, LEGAL, adjacent_chains, head_at, legality, next_stone, play

DEPTH = 400                              # moves in one line; without captures 361 points bound it
MOVES = 182                              # candidates in one position: see escape_moves
NODES = 10_000                           # moves tried for one question; then the prey counts as escaped


@subroutine
def first_liberties(b, h, out):
    """Write the first two liberties of the chain with head h to out; returns their number, 0 to 2."""
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
        p = next_stone(b, p)
        if p == h:
            return found


@subroutine
def _append_liberty(b, h, out, found):
    """Write the liberty of the chain with head h, in atari, to out[found], if it is new; returns the number now."""
    first_liberties(b, h, out[found:])
    for i in range(found):
        if out[i] == out[found]:
            return found
    return found + 1


@subroutine
def escape_moves(b, h, out):
    """Write the moves that may save the chain with head h, in atari, each once; returns their number: the captures of
    chains in atari next to it, then the extension.  At most 181: a capture needs an empty point and a stone."""
    w = b.width
    opponent = -b.colour[h]
    found = np.int64(0)                  # of a literal 0 numba would compile _append_liberty once more
    p = h
    while True:
        for d in (-w, -1, 1, w):
            q = p + d
            if b.colour[q] == opponent:
                g = head_at(b, q)
                if b.liberties[g] == 1:
                    found = _append_liberty(b, g, out, found)
        p = next_stone(b, p)
        if p == h:
            break
    return _append_liberty(b, h, out, found)


@subroutine
def _is_cycle(boards, d, p):
    """Whether boards[d], after a move on p, repeats an earlier position of the line: stones, side to move and ko."""
    if boards[d].ever_captured[p]:               # else no stone on p was ever captured, and the position is new
        for k in range(d & 1, d, 2):
            if boards[k].hash == boards[d].hash and boards[k].ko == boards[d].ko:
                return True
    return False


@subroutine
def is_captured(boards, moves, prey, hunters_turn):
    """Whether the chain on the point prey of boards[0] is captured by a sequence of ataris.  hunters_turn: the prey has
    two liberties and the hunter is to move; otherwise it is in atari and to move.  boards[1:] and moves are scratch.
    One function: split, together with a kernel of planes, it cost planes with ladders 3 % more than those without."""
    colour = np.int64(boards[0].colour[prey])
    hunting = hunters_turn
    nodes = 0
    d = 0
    is_new = True
    while True:
        b = boards[d]
        if is_new:
            h = head_at(b, prey)
            moves[d, MOVES] = first_liberties(b, h, moves[d]) if hunting else escape_moves(b, h, moves[d])
            moves[d, MOVES + 1] = 0
            is_new = False
        # The hunter needs one move that captures; the prey needs one that escapes.
        captured = not hunting
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
            if hunting:
                if _is_cycle(boards, d + 1, p):
                    continue
            else:
                liberties = after.liberties[head_at(after, prey)]
                if liberties >= 3 or liberties == 2 and _is_cycle(boards, d + 1, p):
                    captured = False
                    break
                if liberties < 2:
                    continue
            descend = True
            break
        if descend:
            moves[d, MOVES + 1] = i
            d += 1
            hunting = not hunting
            is_new = True
            continue
        # boards[d] is decided: go back to the last position that this does not decide.
        while True:
            if d == 0:
                return captured
            d -= 1
            hunting = not hunting
            if captured != hunting:
                break


@subroutine
def is_taken(b, boards, moves, h, p, c):
    """Whether, after a legal move of c on p, the chain of b with head h, of either colour, is captured by a ladder."""
    boards[0] = b
    after = boards[0]
    play(after, p, c)
    if after.colour[h] != b.colour[h]:
        return True
    liberties = after.liberties[head_at(after, h)]
    is_own = b.colour[h] == c
    if is_own and liberties == 1:
        return True
    return liberties == (2 if is_own else 1) and is_captured(boards, moves, h, is_own)


@subroutine
def captures_in_ladder(b, boards, moves, p, c):
    """Whether a legal move of c on p starts a ladder that captures a chain with two liberties."""
    for g in adjacent_chains(b, p):
        if g and b.colour[g] == -c and b.liberties[g] == 2 and is_taken(b, boards, moves, g, p, c):
            return True
    return False
