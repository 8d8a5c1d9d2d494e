"""The rules of Go on a flat, bordered board: stones, chains, liberties, captures, simple ko.  Compiled.

A point is an index (superko is in history, komi and results in go):

    # # # # #      point = (row + 1) * (columns + 1) + col + 1
    # . . . .      neighbours: point - 1, + 1, - (columns + 1), + (columns + 1)
    # . . . .      point 0 is border, so it stands for a pass
    # . . . .

A board is one record of the dtype BOARD (8 KB).  `boards[d] = boards[s]` copies it in 0.2 µs, so moves are never
undone.  A chain is a ring of stones through `next`, identified by its head; `stones` and `liberties` are kept at the
head and count true liberties, each once.

Arguments of the kernels, the same in every module here:

    b, boards[i]    BOARD, one record                    board, changed only by functions whose name is a verb
    p, q, r, e      int64                                points on the board; bounds are not checked
    c               int64                                colour, BLACK (1) or WHITE (-1)
    h, g            int64                                heads of chains
    w, d            int64                                b.width; step to a neighbour: -w, -1, 1, w
    history         uint64 (at least b.moves + 1,)       Zobrist hashes of the stones (1970) of all positions so far
    ZOBRIST         uint64 (2 * POINTS,)                 at [2 * point + (1 if Black else 0)]
"""
import numpy as np
from numba import from_dtype

from mugo.core.jit import kernel, subroutine
from mugo.games.coords import BLACK, EMPTY, PASS, WHITE

BORDER = 2                               # a colour, as EMPTY, BLACK and WHITE
POINTS = 424                             # (MAX_SIZE + 1) * (MAX_SIZE + 2) + 1 = 421, rounded up
RECENT = 8                               # number of last moves that a board keeps

# Values of `ko_rule`: which repetitions are illegal, on top of retaking a ko at once.
SIMPLE_KO, SITUATIONAL_SUPERKO, POSITIONAL_SUPERKO = 0, 1, 2       # none; with the same side to move; all

# Values of `legality`.
LEGAL, OCCUPIED, KO, SUICIDE = 0, 1, 2, 3

BOARD = np.dtype([
    ("hash", np.uint64),                 # Zobrist hash of the stones
    ("random", np.uint64),               # state of this board's random numbers (rollouts)
    ("rows", np.int64), ("cols", np.int64),
    ("width", np.int64),                 # cols + 1: a step to the next row
    ("ko", np.int64),                    # the point that may not be retaken; 0: none
    ("to_play", np.int64),
    ("moves", np.int64),                 # moves played, with passes, without setup stones
    ("passes", np.int64),                # consecutive passes up to now
    ("black_captures", np.int64), ("white_captures", np.int64),     # stones that each colour has captured
    ("n_empty", np.int64),
    ("mark", np.int64),                  # the newest value in `marks`
    ("recent", np.int16, RECENT),        # move number m was at recent[m % 8]; passes are 0
    ("colour", np.int8, POINTS),         # EMPTY, BLACK, WHITE or BORDER
    ("head", np.int16, POINTS),          # of the chain on a point; undefined where there is no stone
    ("next", np.int16, POINTS),          # the next stone of the chain, in a ring
    ("stones", np.int16, POINTS),        # at a head: number of stones of the chain
    ("liberties", np.int16, POINTS),     # at a head: number of liberties of the chain
    ("empties", np.int16, POINTS),       # the n_empty empty points, in no order
    ("slot", np.int16, POINTS),          # index of an empty point in `empties`
    ("ever_captured", np.uint8, POINTS), # 1 where a stone has been captured
    ("marks", np.int32, POINTS),         # of _merge_chains: a point is marked where this equals `mark`
    ("k", np.int64),                     # Gomoku: how many in a row win; 0: Go
    ("exactly", np.int64),               # Gomoku: whether more than k in a row do not win
    ("winner", np.int64),                # Gomoku: the colour with k in a row, or EMPTY
    ("territory", np.int64),             # Go: 1 where the game is scored by territory and prisoners, 0 by area
    ("seki_tax", np.int64),              # Go: 1 where eyes of chains in seki are no points
    ("ko_rule", np.int64),               # Go: SIMPLE_KO, SITUATIONAL_SUPERKO or POSITIONAL_SUPERKO
    ("last_pass", np.int64),             # the number of the last move that was a pass, 0 without one
    # 7,808 bytes: whole cache lines.
], align=True)
BOARD_TYPE = from_dtype(BOARD)

_random = np.random.default_rng(20160920)
ZOBRIST = _random.integers(1, 2**63 - 1, size=2 * POINTS, dtype=np.int64).astype(np.uint64)


def new_boards(n: int) -> np.ndarray:
    """(n,) records of BOARD, all zero: `clear` each before use."""
    return np.zeros(n, BOARD)


def copy_boards(boards: np.ndarray) -> np.ndarray:
    """A copy of boards, BOARD (n,), in a quarter of the time of boards.copy(), which goes field by field."""
    return boards.view(np.uint8).copy().view(BOARD)


@kernel
def clear(b, rows, cols):
    """Make b an empty board of this shape, Black to play.  b.random stays as it is."""
    width = cols + 1
    b.hash = np.uint64(0)
    b.rows = rows
    b.cols = cols
    b.width = width
    b.ko = 0
    b.to_play = BLACK
    b.moves = 0
    b.passes = 0
    b.black_captures = 0
    b.white_captures = 0
    b.n_empty = 0
    b.mark = 0
    b.k = 0
    b.exactly = 0
    b.winner = EMPTY
    b.territory = 0
    b.seki_tax = 0
    b.ko_rule = POSITIONAL_SUPERKO
    b.last_pass = 0
    for i in range(RECENT):
        b.recent[i] = PASS
    for p in range(POINTS):
        b.colour[p] = BORDER
        b.head[p] = 0
        b.next[p] = 0
        b.stones[p] = 0
        b.liberties[p] = 0
        b.slot[p] = 0
        b.ever_captured[p] = 0
        b.marks[p] = 0
    for row in range(rows):
        for col in range(cols):
            p = (row + 1) * width + col + 1
            b.colour[p] = EMPTY
            b.slot[p] = b.n_empty
            b.empties[b.n_empty] = p
            b.n_empty += 1


@subroutine
def points(b):
    """The range from the first point on the board to the last; between its rows are points of the border."""
    return range(b.width + 1, b.width * (b.rows + 1))


@subroutine
def zobrist(p, c):
    """The hash of one stone of colour c on p."""
    return ZOBRIST[2 * p + (c > 0)]


@subroutine
def head_at(b, p):
    """The head of the chain on p, as int64: the fields are int16, and arithmetic of int16 can overflow."""
    return np.int64(b.head[p])


@subroutine
def next_stone(b, p):
    """The stone after p in the ring of its chain, as int64."""
    return np.int64(b.next[p])


@subroutine
def adjacent_chains(b, p):
    """Four int64: the heads of the chains of both colours next to p, each once; 0 for the rest."""
    w = b.width
    h0 = head_at(b, p - w) if is_stone(b.colour[p - w]) else 0
    h1 = head_at(b, p - 1) if is_stone(b.colour[p - 1]) else 0
    h2 = head_at(b, p + 1) if is_stone(b.colour[p + 1]) else 0
    h3 = head_at(b, p + w) if is_stone(b.colour[p + w]) else 0
    if h1 == h0:
        h1 = 0
    if h2 == h0 or h2 == h1:
        h2 = 0
    if h3 == h0 or h3 == h1 or h3 == h2:
        h3 = 0
    return h0, h1, h2, h3


@subroutine
def is_stone(s):
    """Whether a value of `colour` is BLACK or WHITE."""
    return s == BLACK or s == WHITE


@kernel
def legality(b, p, c):
    """Whether c may play on p: LEGAL, OCCUPIED, KO (simple ko) or SUICIDE.  Superko is not checked."""
    if b.colour[p] != EMPTY:
        return OCCUPIED
    if p == b.ko and c == b.to_play:
        return KO
    w = b.width
    for d in (-w, -1, 1, w):
        if b.colour[p + d] == EMPTY:
            return LEGAL
    # Every neighbour is a stone or border, so p is a liberty of each chain next to it.
    for d in (-w, -1, 1, w):
        q = p + d
        s = b.colour[q]
        if s == BORDER:
            continue
        in_atari = b.liberties[b.head[q]] == 1
        if (s == c) != in_atari:         # an own chain with another liberty, or a capture
            return LEGAL
    return SUICIDE


@subroutine
def is_legal(b, p, c):
    """Whether c may play on p; superko is not checked."""
    return legality(b, p, c) == LEGAL


@kernel
def hash_after(b, p, c):
    """The hash that b would have after a legal move of c on p, captures included."""
    h = b.hash ^ zobrist(p, c)
    for g in adjacent_chains(b, p):
        if g and b.colour[g] == -c and b.liberties[g] == 1:
            r = g
            while True:
                h ^= zobrist(r, -c)
                r = next_stone(b, r)
                if r == g:
                    break
    return h


@subroutine
def is_true_eye(b, p, c):
    """Whether the empty point p is a true eye of c, which c should not fill.  All neighbours are c's or border, and at
    most one diagonal point is the opponent's (none at the edge), as in MuGo (2016) and most programs with rollouts."""
    w = b.width
    for d in (-w, -1, 1, w):
        s = b.colour[p + d]
        if s != c and s != BORDER:
            return False
    theirs = 0
    edge = 0
    for d in (-w - 1, -w + 1, w - 1, w + 1):
        s = b.colour[p + d]
        if s == -c:
            theirs += 1
        elif s == BORDER:
            edge = 1
    return theirs + edge <= 1


@subroutine
def has_stone_near(b, p, steps, diagonals):
    """Whether a stone is within this many steps of the empty point p, along the lines, or also with diagonal steps."""
    w = b.width
    row = p // w
    col = p % w
    for r in range(max(row - steps, 1), min(row + steps, b.rows) + 1):
        reach = steps if diagonals else steps - abs(r - row)
        for q in range(r * w + max(col - reach, 1), r * w + min(col + reach, b.cols) + 1):
            if b.colour[q] != EMPTY:
                return True
    return False


@subroutine
def _add_liberty(b, p, c):
    """Count the point p, now empty, as a liberty of each chain of colour c next to it."""
    w = b.width
    g0 = g1 = g2 = 0                     # each chain once, as in put_stone: adjacent_chains costs 2 % of the rollouts
    for d in (-w, -1, 1, w):
        if b.colour[p + d] == c:
            g = head_at(b, p + d)
            if g != g0 and g != g1 and g != g2:
                b.liberties[g] += 1
                g2, g1, g0 = g1, g0, g


@subroutine
def _is_adjacent(b, p, h):
    """Whether the chain with head h has a stone next to the point p."""
    w = b.width
    for d in (-w, -1, 1, w):
        if b.head[p + d] == h and b.colour[p + d] != EMPTY:
            return True
    return False


@subroutine
def _merge_chains(b, h, g):
    """Make the chain with head g part of the (larger) chain with head h."""
    w = b.width
    b.mark += 1
    m = b.mark
    new = 0
    p = g
    while True:
        for d in (-w, -1, 1, w):
            e = p + d
            if b.colour[e] == EMPTY and b.marks[e] != m:
                b.marks[e] = m
                if not _is_adjacent(b, e, h):
                    new += 1
        p = next_stone(b, p)
        if p == g:
            break
    b.liberties[h] += new
    b.stones[h] += b.stones[g]
    while True:
        b.head[p] = h
        p = next_stone(b, p)
        if p == g:
            break
    b.next[h], b.next[g] = b.next[g], b.next[h]


@subroutine
def _remove_chain(b, h, c):
    """Remove the chain with head h, of colour c; returns the number of its stones."""
    p = h
    while True:
        following = next_stone(b, p)
        b.colour[p] = EMPTY
        b.hash ^= zobrist(p, c)
        b.ever_captured[p] = 1
        b.slot[p] = b.n_empty
        b.empties[b.n_empty] = p
        b.n_empty += 1
        _add_liberty(b, p, -c)
        p = following
        if p == h:
            break
    return np.int64(b.stones[h])


@subroutine
def occupy(b, p, c):
    """Place a stone of c on the empty point p, without chains or captures."""
    b.colour[p] = c
    b.hash ^= zobrist(p, c)
    i = b.slot[p]
    b.n_empty -= 1
    last = b.empties[b.n_empty]
    b.empties[i] = last
    b.slot[last] = i


@subroutine
def put_stone(b, p, c):
    """Put a stone of c on the empty point p and remove chains without liberties; b.to_play stays.  A chain of c that is
    left without liberties (suicide) is removed too.  Sets the simple ko.  Returns the number of stones of -c captured.
    One function: split in two it makes rollouts 5 % slower."""
    w = b.width
    b.ko = 0
    occupy(b, p, c)
    b.head[p] = p
    b.next[p] = p
    b.stones[p] = 1
    own_stones = 0
    liberties = 0
    # Each chain once, as adjacent_chains finds them; in this loop that makes rollouts 8 % faster.
    g0 = g1 = g2 = 0
    for d in (-w, -1, 1, w):
        q = p + d
        s = b.colour[q]
        if s == EMPTY:
            liberties += 1
        elif s != BORDER:
            g = head_at(b, q)
            if g != g0 and g != g1 and g != g2:
                b.liberties[g] -= 1
                g2, g1, g0 = g1, g0, g
            if s == c:
                own_stones += 1
    b.liberties[p] = liberties
    if own_stones:
        for d in (-w, -1, 1, w):
            q = p + d
            if b.colour[q] == c:
                h = head_at(b, p)
                g = head_at(b, q)
                if h != g:
                    if b.stones[h] < b.stones[g]:
                        h, g = g, h
                    _merge_chains(b, h, g)
    captured = 0
    captured_at = 0
    for d in (-w, -1, 1, w):
        q = p + d
        if b.colour[q] == -c:
            h = head_at(b, q)
            if b.liberties[h] == 0:
                captured += _remove_chain(b, h, -c)
                captured_at = q
    if captured:
        if c == BLACK:
            b.black_captures += captured
        else:
            b.white_captures += captured
        if captured == 1 and own_stones == 0 and liberties == 0:
            b.ko = captured_at
    else:
        h = head_at(b, p)
        if b.liberties[h] == 0:
            suicides = _remove_chain(b, h, c)
            if c == BLACK:
                b.white_captures += suicides
            else:
                b.black_captures += suicides
    return captured


@kernel
def play(b, p, c):
    """Play a legal move of c, a point or PASS; -c is next to play.  Returns the number of stones captured."""
    b.moves += 1
    b.recent[b.moves & (RECENT - 1)] = p
    b.to_play = -c
    if p == PASS:
        b.ko = 0
        b.passes += 1
        b.last_pass = b.moves
        return 0
    b.passes = 0
    return put_stone(b, p, c)


@kernel
def set_to_play(b, c):
    """Make c the colour to play.  A ko forbids its point only to the colour whose stone was captured."""
    if b.to_play != c:
        b.to_play = c
        b.ko = 0


@subroutine
def index_of(b, p):
    """The move index (coords) of a point, or of PASS, on a board of b's shape."""
    if p == PASS:
        return b.rows * b.cols
    return (p // b.width - 1) * b.cols + p % b.width - 1
