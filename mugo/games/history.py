"""The moves that led to a board: replaying a game, superko, and no result by simple ko.  Compiled.

    rule of the board (b.ko_rule)    a move that repeats a position    a position for the third time since the last pass
    SIMPLE_KO                        is legal                          ends the game with no result
    SITUATIONAL_SUPERKO              is illegal with the same side to move
    POSITIONAL_SUPERKO               is illegal

An encoded move (coords) is an int16: the move index, plus WHITE_BIT if White's.  Records and data sets hold games so.

    setup    int16 (stones,)                 handicap and other setup stones
    moves    int16 (moves,)                  may hold many games, end to end
    history  uint64 (at least b.moves + 1,)  the hashes of all positions so far.  The caller keeps it, with room for the
                                             moves to play.  It does not say who was to move: the sides alternate
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import (
    BLACK, EMPTY, LEGAL, POINTS, RECENT, SIMPLE_KO, SITUATIONAL_SUPERKO, SUICIDE, WHITE, clear, hash_after, is_legal,
    is_true_eye, legality, new_boards, play, points, put_stone)
from mugo.games.coords import PASS, WHITE_BIT


@kernel
def decode(b, encoded):
    """(point, colour) of an encoded move on a board of b's shape."""
    i = np.int64(encoded) & (WHITE_BIT - 1)
    c = WHITE if encoded & WHITE_BIT else BLACK
    if i == b.rows * b.cols:
        return PASS, c
    return (i // b.cols + 1) * b.width + i % b.cols + 1, c


@kernel
def set_up(b, setup):
    """Place setup stones on an empty board; returns the number placed before the first that is impossible.  A stone is
    impossible on another one, off the board, without a liberty, and where it would capture."""
    for i in range(len(setup)):
        p, c = decode(b, setup[i])
        if p == PASS or p >= POINTS or b.colour[p] != EMPTY or legality(b, p, c) == SUICIDE:
            return i
        if put_stone(b, p, c) > 0:
            return i
    b.ko = 0
    b.black_captures = 0
    b.white_captures = 0
    return len(setup)


def encode_stones(stones: np.ndarray) -> np.ndarray:
    """int16 (n,): the stones of an int8 (rows, columns) board, encoded as in games.coords."""
    indices = np.flatnonzero(stones)
    return (indices + WHITE_BIT * (stones.ravel()[indices] == WHITE)).astype(np.int16)


def board_with(stones: np.ndarray) -> np.ndarray:
    """BOARD (1,) with these stones, int8 (rows, columns), that could stand on a board, without history."""
    boards = new_boards(1)
    clear(boards[0], *stones.shape)
    set_up(boards[0], encode_stones(stones))
    return boards


@kernel
def replay(b, history, moves, start, end):
    """Play moves[start:end] on b; returns the index of the first that is illegal or off the board, or end.  Superko is
    not checked: records of games by Japanese rules do repeat positions.  history gets the hash of each position."""
    history[b.moves] = b.hash
    for i in range(start, end):
        p, c = decode(b, moves[i])
        if p != PASS and (p >= POINTS or legality(b, p, c) != LEGAL):
            return i
        play(b, p, c)
        history[b.moves] = b.hash
    return end


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
