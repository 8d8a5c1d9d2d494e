"""Repetitions in the history of a board: superko, and no result by simple ko.  Compiled.

    rule of the board (b.ko_rule)    a move that repeats a position    a position for the third time since the last pass
    SIMPLE_KO                        is legal                          ends the game with no result
    SITUATIONAL_SUPERKO              is illegal with the same side to move
    POSITIONAL_SUPERKO               is illegal

Arguments are those of board; history: uint64 (at least b.moves + 1,), the hashes of all positions so far, which the
caller keeps.  They do not say who was to move: the sides alternate.
"""
from mugo.core.jit import kernel, subroutine
from mugo.games.board import RECENT, SIMPLE_KO, SITUATIONAL_SUPERKO, hash_after, is_legal, is_true_eye, points


@kernel
def repeats(b, history, p, c, ko_rule):
    """Whether a legal move of c on p would repeat a position in a way that this rule (of `ko_rule`) forbids.  A
    repetition needs a stone on p to have been captured since, so other points need no look at the history."""
    if ko_rule == SIMPLE_KO or not b.ever_captured[p]:
        return False
    h = hash_after(b, p, c)
    for i in range(b.moves - 1, -1, -2 if ko_rule == SITUATIONAL_SUPERKO else -1):
        if history[i] == h:
            return True
    return False


@subroutine
def is_repetition(b, history, p, c):
    """Whether the superko rule of the game forbids a legal move of c on p."""
    return repeats(b, history, p, c, b.ko_rule)


@kernel
def last_occurrence(b, history, end):
    """The last of the positions history[:end] that was this one, with the same side to move; -1 if there is none, and
    after a pass."""
    if b.ever_captured[b.recent[b.moves & (RECENT - 1)]]:        # a stone stood there before; a pass is 0
        for i in range(end - 2, -1, -2):
            if history[i] == history[b.moves]:
                return i
    return -1


@kernel
def is_no_result(b, history):
    """Whether the game has ended with no result: by simple ko, the position stands on the board for the third time,
    with the same side to move, since the last pass.  https://lightvector.github.io/KataGo/rules.html (Main Phase)"""
    if b.ko_rule != SIMPLE_KO:
        return False
    before = last_occurrence(b, history, b.moves)
    return last_occurrence(b, history, before) >= b.last_pass


@kernel
def legal_points(b, history, sensible, ko_rule, found):
    """Write the points on which the side to move may play, by row and column, to found, int64 (POINTS,); returns their
    number.  sensible: without those that fill an own true eye.  ko_rule: see `repeats`."""
    n = 0
    c = b.to_play
    for p in points(b):
        if is_legal(b, p, c) and not repeats(b, history, p, c, ko_rule) and not (sensible and is_true_eye(b, p, c)):
            found[n] = p
            n += 1
    return n
