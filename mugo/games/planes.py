"""The input of networks of Go: the 48 feature planes of AlphaGo 2016, packed in six bytes per point.  Compiled.

Silver et al. 2016, "Mastering the game of Go with deep neural networks and tree search", Extended Data Table 2.  The
side to move is always "mine".  A network keeps a copy of PLANES, and one for other planes is refused.

    board --> bits of each point (WORK.planes) --> symmetry --> packed --> unpack --> planes

    packed       uint8 (points, PACKED)         plane k of point i is bit k % 8 of byte k // 8 at [i]
    planes       uint8 (rows, columns, 48)      the same unpacked, 0 or 1
    symmetry     int64 (points + 1,)            a row of coords.symmetries: where to write each move index
    HISTORY      uint8 (PACKED,)                the bits of the last moves, which a position without history lacks
    history      uint64 (at least b.moves + 1,) hashes of the game so far, at [0] ... [b.moves]

Counts of eight planes are one-hot: the k-th plane (from 1) is set where the count is k, the eighth also where it is
more, none where it is 0.
"""
import itertools
import math
import re
from collections import namedtuple
from typing import NamedTuple

import numpy as np
from numba import typeof, types
from numba.extending import intrinsic

from mugo.core.jit import kernel, subroutine
from mugo.games import ladders
from mugo.games.board import (
    BLACK, EMPTY, POINTS, RECENT, WHITE, clear, head_at, is_legal, is_true_eye, new_boards, next_stone,
    points, set_to_play)
from mugo.games.coords import MAX_MOVES, PASS, WHITE_BIT, BoardSize, shape_of
from mugo.games.history import decode, is_repetition, replay, set_up
from mugo.games.light_board import LIGHT_BOARD


class Plane(NamedTuple):
    """A feature of one or more planes; meaning: the meaning of each plane, or of the count that they encode."""

    name: str
    depth: int
    meaning: str


PLANES = (
    Plane("stone colour",         3, "mine, theirs, empty"),
    Plane("ones",                 1, "constant, so padding shows the edge"),
    Plane("turns since",          8, "the last eight moves, one plane each; a pass lights none"),
    Plane("liberties",            8, "of the chain on the point"),
    Plane("capture size",         8, "opponent stones a legal move here takes"),
    Plane("self-atari size",      8, "own stones in the chain that a legal move here leaves in atari"),
    Plane("liberties after move", 8, "of the chain that a legal move here makes, captures counted"),
    Plane("ladder capture",       1, "a legal move here takes a chain with two liberties in a ladder"),
    Plane("ladder escape",        1, "a legal move here saves an own chain in atari from a ladder"),
    Plane("sensibleness",         1, "legal, and fills no own true eye"),
    Plane("zeros",                1, "constant"),
)
DEPTH = sum(plane.depth for plane in PLANES)     # 48
# The number of the first plane of each feature, as _FIRST.stone_colour.
_FIRST = namedtuple("First", [re.sub(r"\W", "_", plane.name) for plane in PLANES])(
    *itertools.accumulate((plane.depth for plane in PLANES[:-1]), initial=0))
_LEGAL = np.uint64(0xFF << _FIRST.liberties_after_move)  # one of these planes is 1 where a move is legal
PACKED = math.ceil(DEPTH / 8)                    # bytes per point
HISTORY = np.packbits([plane.name == "turns since" for plane in PLANES for _ in range(plane.depth)], bitorder="little")
_WORDS = (POINTS + 63) // 64                     # a set of points is this many uint64


# Working memory for one board.  A record, because numba passes it as one pointer; a tuple of arrays halves the speed.
WORK = np.dtype([
    ("sets", np.uint64, (POINTS, _WORDS)),       # at a head: the liberties of its chain as a set of points
    ("union", np.uint64, _WORDS),                # the liberties of the chain that a move makes
    ("joined", np.int64, 4),                     # heads of the chains that a move joins
    ("captured", np.int64, 4),                   # heads of the chains that it captures
    ("planes", np.uint64, POINTS),               # bit k: plane k is 1 on the point
], align=True)


class Scratch(NamedTuple):
    """Working memory of one thread, for boards of every size."""

    boards: np.ndarray                   # BOARD (1,): the game being replayed
    history: np.ndarray                  # uint64 (MAX_PLIES,): its hashes
    work: np.ndarray                     # WORK (1,)
    line: np.ndarray                     # BOARD (ladders.DEPTH,): ladders.boards
    candidates: np.ndarray               # int16 (DEPTH + 1, MOVES + 2): ladders.moves
    lists: np.ndarray                    # int16 (3, POINTS): of go_priors
    priors: np.ndarray                   # float32 (POINTS, 2): heuristic priors
    light_boards: np.ndarray             # LIGHT_BOARD (1,): the rollout
    first_plays: np.ndarray              # int8 (POINTS,): as in rollouts.roll_out
    amaf: np.ndarray                     # float32 (2, POINTS, 2): as in mcts.selection


MAX_PLIES = MAX_MOVES + 1                # positions of a game


def new_scratch() -> Scratch:
    """Working memory for the kernels; one for each thread."""
    return Scratch(new_boards(1), np.zeros(MAX_PLIES, np.uint64), np.zeros(1, WORK), new_boards(ladders.DEPTH),
                   np.zeros((ladders.DEPTH + 1, ladders.MOVES + 2), np.int16), np.zeros((3, POINTS), np.int16),
                   np.zeros((POINTS, 2), np.float32), np.zeros(1, LIGHT_BOARD), np.zeros(POINTS, np.int8),
                   np.zeros((2, POINTS, 2), np.float32))


SCRATCH_TYPE = typeof(new_scratch())


@intrinsic
def _count_bits(typing_context, x):
    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])
    return types.int64(types.uint64), generate


@subroutine
def _bit(k):
    return np.uint64(1) << np.uint64(k)


@subroutine
def _count_plane(first, count):
    """The bit of a one-hot count of eight planes; count is at least 1."""
    return _bit(first + min(count, 8) - 1)


@subroutine
def _collect_liberties(b, work):
    """Write the liberties of each chain to work.sets[h], h being its head."""
    w = b.width
    for p in points(b):
        if b.colour[p] != EMPTY and b.head[p] == p:
            for word in range(_WORDS):
                work.sets[p, word] = 0
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        for d in (-w, -1, 1, w):
            s = b.colour[p + d]
            if s == BLACK or s == WHITE:
                work.sets[b.head[p + d], p >> 6] |= _bit(p & 63)


@subroutine
def _move_effects(b, work, p, c):
    """The effects of a legal move of c on the empty point p, without playing it.  Returns (stones captured, stones of
    the chain made, its liberties, whether a chain of -c with two liberties is adjacent to p).  One function, without
    adjacent_chains: otherwise planes take 5 % longer."""
    w = b.width
    n_joined = 0
    n_captured = 0
    stones = 1
    captured = 0
    empty = 0
    ladder_target = False
    for d in (-w, -1, 1, w):
        q = p + d
        s = b.colour[q]
        if s == EMPTY:
            empty += 1
        elif s == c:
            h = head_at(b, q)
            new = True
            for k in range(n_joined):
                new &= work.joined[k] != h
            if new:
                work.joined[n_joined] = h
                n_joined += 1
                stones += b.stones[h]
        elif s == -c:
            h = head_at(b, q)
            if b.liberties[h] == 2:
                ladder_target = True
            elif b.liberties[h] == 1:
                new = True
                for k in range(n_captured):
                    new &= work.captured[k] != h
                if new:
                    work.captured[n_captured] = h
                    n_captured += 1
                    captured += b.stones[h]
    if n_joined == 0 and n_captured == 0:
        return captured, stones, empty, ladder_target
    for word in range(_WORDS):
        work.union[word] = 0
    for d in (-w, -1, 1, w):
        q = p + d
        if b.colour[q] == EMPTY:
            work.union[q >> 6] |= _bit(q & 63)
    for k in range(n_joined):
        h = work.joined[k]
        for word in range(_WORDS):
            work.union[word] |= work.sets[h, word]
    for k in range(n_captured):
        h = work.captured[k]
        r = h
        while True:                      # a captured stone next to the chain becomes a liberty of it
            for d in (-w, -1, 1, w):
                q = r + d
                if q == p:
                    work.union[r >> 6] |= _bit(r & 63)
                elif b.colour[q] == c:
                    g = head_at(b, q)
                    for j in range(n_joined):
                        if work.joined[j] == g:
                            work.union[r >> 6] |= _bit(r & 63)
            r = next_stone(b, r)
            if r == h:
                break
    work.union[p >> 6] &= ~_bit(p & 63)
    liberties = 0
    for word in range(_WORDS):
        liberties += _count_bits(work.union[word])
    return captured, stones, liberties, ladder_target


@subroutine
def write_planes(b, history, scratch, symmetry, out):
    """Write the packed planes of board b to out, uint8 (points, PACKED), for the side to move.  One function: with the
    planes of a point, or the packing, in functions of their own it takes twice as long."""
    w = b.width
    c = b.to_play
    work = scratch.work[0]
    _collect_liberties(b, work)
    for row in range(1, b.rows + 1):
        for p in range(row * w + 1, row * w + b.cols + 1):
            s = b.colour[p]
            if s != EMPTY:
                bits = _bit(_FIRST.stone_colour) if s == c else _bit(_FIRST.stone_colour + 1)
                bits |= _count_plane(_FIRST.liberties, np.int64(b.liberties[head_at(b, p)]))
                work.planes[p] = bits | _bit(_FIRST.ones)
                continue
            bits = _bit(_FIRST.ones) | _bit(_FIRST.stone_colour + 2)
            if is_legal(b, p, c):
                captured, stones, liberties, ladder_target = _move_effects(b, work, p, c)
                if not is_true_eye(b, p, c):
                    bits |= _bit(_FIRST.sensibleness)
                if captured:
                    bits |= _count_plane(_FIRST.capture_size, captured)
                if liberties == 1:
                    bits |= _count_plane(_FIRST.self_atari_size, stones)
                bits |= _count_plane(_FIRST.liberties_after_move, liberties)
                if ladder_target and ladders.captures_in_ladder(b, scratch.line, scratch.candidates, p, c):
                    bits |= _bit(_FIRST.ladder_capture)
            work.planes[p] = bits
    _clear_repetitions(b, history, work)
    for k in range(min(RECENT, b.moves)):
        p = np.int64(b.recent[(b.moves - k) & (RECENT - 1)])
        if p != PASS:
            work.planes[p] |= _bit(_FIRST.turns_since + k)
    _write_ladder_escapes(b, work, scratch.line, scratch.candidates)
    i = 0
    for row in range(1, b.rows + 1):
        for p in range(row * w + 1, row * w + b.cols + 1):
            bits = work.planes[p]
            o = symmetry[i]
            for k in range(PACKED):
                out[o, k] = np.uint8(bits & np.uint64(255))
                bits >>= np.uint64(8)
            i += 1


@subroutine
def _clear_repetitions(b, history, work):
    """Clear the planes of the moves that superko forbids.  Apart from the loop over all points, which it would slow."""
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if b.ever_captured[p] and work.planes[p] & _LEGAL and is_repetition(b, history, p, b.to_play):
            work.planes[p] = _bit(_FIRST.ones) | _bit(_FIRST.stone_colour + 2)


@subroutine
def _write_ladder_escapes(b, work, line, candidates):
    """Set the ladder escapes of every chain of the side to move that is in atari."""
    c = b.to_play
    escapes = candidates[ladders.DEPTH]
    for h in points(b):
        if b.colour[h] == c and b.head[h] == h and b.liberties[h] == 1:
            for i in range(ladders.escape_moves(b, h, escapes)):
                p = np.int64(escapes[i])
                if (work.planes[p] & _LEGAL and not work.planes[p] & _bit(_FIRST.ladder_escape)
                        and not ladders.is_taken(b, line, candidates, h, p, c)):
                    work.planes[p] |= _bit(_FIRST.ladder_escape)


@kernel
def write_sample_planes(size, setup, moves, samples, symmetries, scratch, out, targets):
    """Write a batch: packed planes of positions from many games, and the moves to predict.

    Returns the number of samples written: all, or those before the first with an illegal setup stone or move.

    setup, moves: the setup stones and moves of all games, end to end.  samples: int64 (n, 5), one row a position: start
    and end of the game's setup, start of its moves, number of the move to predict (from 0), number of the symmetry.
    symmetries: int64 (8, size² + 1), coords.symmetries(size).  out: uint8 (n, size², PACKED).
    targets: int32 (n,), move indices in the same symmetry.
    """
    b = scratch.boards[0]
    for i in range(len(samples)):
        first = samples[i, 2]
        target = first + samples[i, 3]
        symmetry = symmetries[samples[i, 4]]
        clear(b, size, size)
        stones = samples[i, 1] - samples[i, 0]
        if (set_up(b, setup[samples[i, 0]:samples[i, 1]]) < stones
                or replay(b, scratch.history, moves, first, target) < target):
            return i
        p, c = decode(b, moves[target])
        set_to_play(b, c)
        write_planes(b, scratch.history, scratch, symmetry, out[i])
        targets[i] = symmetry[np.int64(moves[target]) & (WHITE_BIT - 1)]
    return len(samples)


def unpack(packed: np.ndarray, depth: int = DEPTH, shape: tuple[int, int] | None = None) -> np.ndarray:
    """Planes, uint8 (..., rows, columns, depth), of packed ones, uint8 (..., points, bytes).  shape: (rows, columns);
    None: square."""
    rows, cols = shape or (math.isqrt(packed.shape[-2]),) * 2
    planes = np.unpackbits(packed, axis=-1, count=depth, bitorder="little")
    return planes.reshape(*packed.shape[:-2], rows, cols, depth)


def network_input(packed: np.ndarray, size: BoardSize) -> np.ndarray:
    """Packed planes, uint8 (n, points, bytes), as a network takes them: (n, rows, columns, bytes) where the boards are
    not square, so that their shape is known."""
    rows, cols = shape_of(size)
    return packed if rows == cols else packed.reshape(len(packed), rows, cols, -1)


# ---- another input: the component of each point

COLOURS = 7                              # bits of the first byte of a point: planes "mine", "theirs", "empty"


@subroutine
def _root(parent, p):
    """The first point of the component of p.  Shortens the path to it."""
    while parent[p] != p:
        parent[p] = parent[parent[p]]
        p = parent[p]
    return p


@kernel
def _write_components(packed, cols, first):
    for i in range(len(packed)):
        parent = first[i]
        for p in range(len(parent)):
            parent[p] = p
            colour = packed[i, p, 0] & COLOURS
            if p >= cols and packed[i, p - cols, 0] & COLOURS == colour:
                parent[p] = _root(parent, p - cols)
            if p % cols and packed[i, p - 1, 0] & COLOURS == colour:
                left = _root(parent, p - 1)
                above = parent[p]
                parent[max(left, above)] = min(left, above)
                parent[p] = min(left, above)
        for p in range(len(parent)):
            parent[p] = _root(parent, p)


def connected_components(packed: np.ndarray, cols: int) -> np.ndarray:
    """For each point of n boards the index of the first point of its component: int32 (n, points).

        X X . O      0 0 2 3     components are chains and regions of empty points; Graepel et al. 2001, "Learning on
        . X . O      2 0 2 3     graphs in the game of Go", call their graph the common fate graph
        . . . O      2 2 2 3

    packed: uint8 (n, points, bytes), packed planes of Go, in reading order.  cols: the columns of the boards.
    """
    first = np.empty(packed.shape[:2], np.int32)
    _write_components(packed, cols, first)
    return first
