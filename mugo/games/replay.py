"""Encoded moves on a board: decoding, setup stones, replaying a game.  Compiled.

An encoded move (coords) is an int16: the move index, plus WHITE_BIT if White's.  Records and data sets hold games so.

    setup    int16 (stones,)             handicap and other setup stones
    moves    int16 (moves,)              may hold many games, end to end
    history  uint64 (at least b.moves + 1 + moves to play,)
"""
import numpy as np

from mugo.core.jit import kernel
from mugo.games.board import (
    BLACK, EMPTY, LEGAL, POINTS, SUICIDE, WHITE, clear, legality, new_boards, play, put_stone)
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
