"""The board of rollouts: chains with pseudo-liberties, and a word at each point that knows its neighbours.  Compiled.

A rollout is made from a board.BOARD and ends as stones on it; only legal moves are played, superko aside.  A
pseudo-liberty is a pair of a stone and an empty point next to it, as in libEGO and Pachi, so a move changes those of
the chains next to it by one addition each.  They are counted and summed, as points, in one integer:

    . . . .       liberties of X: 4 pairs, with the points a, b, b, c
    . a b .
    . X O .       4 << 20 | a + b + b + c            stones at a and b, and a chain in atari: 1 << 20 | c
    . c . .

A chain is in atari if the mean of its points is empty and has as many neighbours in the chain as it has pairs.  `near`
of a point has, from the lowest bit:

    8 bits       black neighbours, and those off the board: 4 if they are all black
    8 bits       white neighbours, likewise
    32 bits      from bit 32: empty neighbours, as pseudo-liberties are

Rollouts are the same, move for move, as with true liberties (board), in two thirds of the time where moves are uniform.

    r           LIGHT_BOARD, one record     p, q, e, c, h, g, w, d      as in board
    liberties   int64, as above
    codes       r.codes, or None: numba compiles each apart, and without them `play` is 5 % faster
"""
import numpy as np

from mugo.core.jit import subroutine
from mugo.games.board import BLACK, BORDER, EMPTY, POINTS, RECENT, WHITE

_ONE = 1 << 20                           # the unit of the count of pseudo-liberties; their sum is below 4 * 361 * 420
_BLACK_COUNT, _WHITE_COUNT = 1, 1 << 8   # the units of `near`
_LIBERTIES = 32                          # their shift in `near`

_RECIPROCAL = (0, 65536, 32768, 21846, 16384)            # of 1 to 4, for total / n without a division

LIGHT_BOARD = np.dtype([
    ("random", np.uint64),               # state of the random numbers
    ("rows", np.int64), ("width", np.int64),                # as in board.BOARD
    ("ko", np.int64),                    # the point that may not be retaken; 0: none
    ("last", np.int64),                  # the last move
    ("n_empty", np.int64),
    ("near", np.int64, POINTS),          # the neighbours of a point, see above
    ("liberties", np.int32, POINTS),     # at a head: pseudo-liberties, see above
    ("head", np.int16, POINTS),          # of the chain on a point; 0 where there is no stone
    ("next", np.int16, POINTS),          # the next stone of the chain, in a ring
    ("stones", np.int16, POINTS),        # at a head: number of stones of the chain
    ("empties", np.int16, POINTS),       # the n_empty empty points, in no order
    ("slot", np.int16, POINTS),          # index of an empty point in `empties`
    ("colour", np.int8, POINTS),         # EMPTY, BLACK, WHITE or BORDER
    ("codes", np.int32, POINTS),         # of the eight points around a point, for Black, as in patterns; see play
    ("scratch", np.int64, POINTS),
    ("moves", np.int16, POINTS),         # candidates
    ("padding", np.int8, 24),            # whole cache lines
], align=True)


@subroutine
def _count_neighbours(colour, near, w, n, one):
    """Set the counts and the pseudo-liberties in `near` of the n points from w + 1 on.  one: int64 (POINTS,), scratch,
    gets what a point is to its neighbours.  Here and below slices have no negative index, so that the loops become
    vector instructions: 0.3 µs on 19x19, not 1.7."""
    for p in range(n + 2 * w + 2):
        s = np.int64(colour[p])
        one[p] = ((s ^ (s >> 1)) & 1) * _BLACK_COUNT + ((s >> 1) & 1) * _WHITE_COUNT
        one[p] += ((_ONE + p) << _LIBERTIES) if s == EMPTY else 0
    near = near[w + 1:]
    above, left, right, below = one[1:], one[w:], one[w + 2:], one[2 * w + 1:]
    for i in range(n):
        near[i] = above[i] + left[i] + right[i] + below[i]


@subroutine
def set_codes(r):
    """Set the codes of all points on the board."""
    w = r.width
    n = w * r.rows - 1
    three = r.scratch                    # the codes of three points in a row
    left, here, right = r.colour, r.colour[1:], r.colour[2:]
    for i in range(n + 2 * w):
        three[i] = (left[i] & 3) << 4 | (here[i] & 3) << 2 | (right[i] & 3)
    row, below = three[w:], three[2 * w:]
    codes = r.codes[w + 1:]
    for i in range(n):
        codes[i] = three[i] << 10 | (row[i] & 0x30) << 4 | (row[i] & 3) << 6 | below[i]


@subroutine
def copy_position(b, r):
    """Make r the position of b, a BOARD of Go, with its random numbers; without pattern codes."""
    w = b.width
    n = w * b.rows - 1                   # the points from the first to the last on the board, with the border between
    r.random = b.random
    r.rows = b.rows
    r.width = w
    r.ko = b.ko
    r.last = b.recent[b.moves & (RECENT - 1)]
    r.n_empty = b.n_empty
    r.next = b.next
    r.stones = b.stones
    r.empties = b.empties
    r.slot = b.slot
    r.colour = b.colour
    _count_neighbours(r.colour, r.near, w, n, r.scratch)
    r.liberties[:] = 0
    for p in range(POINTS):
        r.head[p] = b.head[p] * (b.colour[p] & 1)        # 0 but for stones
    for p in range(w + 1, w + 1 + n):
        if r.head[p]:
            r.liberties[r.head[p]] += r.near[p] >> _LIBERTIES


@subroutine
def write_back(r, b):
    """Give b the stones, the empty points, the ko and the random numbers of r.  Its chains and its hash stay behind."""
    b.random = r.random
    b.ko = r.ko
    b.n_empty = r.n_empty
    b.empties = r.empties
    b.colour = r.colour


@subroutine
def pattern_code(r, p, c):
    """The code of the eight points around p for colour c, as patterns.code_around."""
    code = np.int64(r.codes[p])
    return code if c == BLACK else code ^ ((code & 0x5555) << 1)


@subroutine
def _is_surrounded(near, c):
    """Whether a point with this value of `near` has no neighbours but those of c and off the board."""
    return (near & 0xFF) == 4 * _BLACK_COUNT if c == BLACK else (near & 0xFF00) == 4 * _WHITE_COUNT


@subroutine
def owner(r, p):
    """The colour that has all the neighbours of an empty point, or EMPTY."""
    near = r.near[p]
    return np.int64(_is_surrounded(near, BLACK)) - np.int64(_is_surrounded(near, WHITE))


@subroutine
def empty_neighbours(r, p):
    """The number of empty points next to p."""
    return r.near[p] >> (_LIBERTIES + 20)


@subroutine
def is_true_eye(r, p, c):
    """As board.is_true_eye."""
    if not _is_surrounded(r.near[p], c):
        return False
    w = r.width
    theirs = 0
    edge = 0
    for d in (-w - 1, -w + 1, w - 1, w + 1):
        s = r.colour[p + d]
        theirs += s == -c
        edge |= s == BORDER
    return theirs + edge <= 1


@subroutine
def _add_liberty(r, p, n):
    """Add n, 1 or -1, times the point p to the pseudo-liberties of the chains next to it."""
    w = r.width
    for d in (-w, -1, 1, w):
        r.liberties[r.head[p + d]] += n * (_ONE + p)


@subroutine
def is_legal(r, p, c):
    """Whether c, the side to move, may play on the empty point p; superko is not checked."""
    if p == r.ko:
        return False
    if empty_neighbours(r, p):
        return True
    w = r.width
    _add_liberty(r, p, -1)               # without p, a chain in atari has none
    legal = False
    for d in (-w, -1, 1, w):
        s = r.colour[p + d]
        if s != BORDER:
            legal |= (s == c) != (r.liberties[r.head[p + d]] == 0)
    _add_liberty(r, p, 1)
    return legal


@subroutine
def only_liberty(r, h, liberties):
    """The point of these pseudo-liberties of the chain with head h, if they have just one; else 0.  Where `liberties`
    are not those of the board, the point that was taken away from them may be returned by mistake."""
    n = liberties >> 20
    if n > 4:
        return 0
    total = liberties & (_ONE - 1)
    e = (total * _RECIPROCAL[n]) >> 16
    w = r.width
    same = np.int64(r.head[e - w] == h) + np.int64(r.head[e - 1] == h)
    same += np.int64(r.head[e + 1] == h) + np.int64(r.head[e + w] == h)
    return e if (same == n) & (e * n == total) & (r.colour[e] == EMPTY) else 0


@subroutine
def atari_liberty(r, p):
    """The only liberty of the chain on p, 0 if it has two or more."""
    h = np.int64(r.head[p])
    return only_liberty(r, h, np.int64(r.liberties[h]))


@subroutine
def self_atari(r, p, c):
    """A lower bound of the own stones that a move of c on p puts in atari; 0 if it captures or has two liberties."""
    w = r.width
    empty = r.near[p] >> _LIBERTIES
    if empty >= 2 * _ONE:
        return 0
    liberty = np.int64(empty & (_ONE - 1))
    stones = 1
    _add_liberty(r, p, -1)
    for d in (-w, -1, 1, w):
        s = r.colour[p + d]
        if s == c:
            h = np.int64(r.head[p + d])
            stones += r.stones[h]
            liberties = np.int64(r.liberties[h])
            if liberties:
                e = only_liberty(r, h, liberties)
                if e == 0 or e == p or (liberty and e != liberty):
                    stones = 0
                    break
                liberty = e
        elif s == -c and r.liberties[r.head[p + d]] == 0:
            stones = 0
            break
    _add_liberty(r, p, 1)
    return stones


@subroutine
def _change_neighbours(r, p, change, codes, stone):
    """Let the neighbours of p know that a stone is put on it or taken off it.  change: added to `near` of the four
    points next to p.  codes: those of its eight neighbours change too, or None.  stone: its two bits in a code,
    negative where it is taken off."""
    w = r.width
    for d in (-w, -1, 1, w):
        r.near[p + d] += change
    if codes is not None:
        codes[p - w - 1] += stone
        codes[p - w] += stone << 2
        codes[p - w + 1] += stone << 4
        codes[p - 1] += stone << 6
        codes[p + 1] += stone << 8
        codes[p + w - 1] += stone << 10
        codes[p + w] += stone << 12
        codes[p + w + 1] += stone << 14


@subroutine
def _remove_chain(r, h, c, codes):
    """Remove the chain with head h, of colour c; returns the number of its stones."""
    count = _BLACK_COUNT if c == BLACK else _WHITE_COUNT
    p = h
    while True:
        following = np.int64(r.next[p])
        r.colour[p] = EMPTY
        r.head[p] = 0
        r.slot[p] = r.n_empty
        r.empties[r.n_empty] = p
        r.n_empty += 1
        _change_neighbours(r, p, ((_ONE + p) << _LIBERTIES) - count, codes, -(c & 3))
        _add_liberty(r, p, 1)
        p = following
        if p == h:
            break
    return np.int64(r.stones[h])


@subroutine
def _merge_chains(r, h, g):
    """Make the chain with head g part of the chain with head h."""
    r.liberties[h] += r.liberties[g]
    r.stones[h] += r.stones[g]
    p = g
    while True:
        r.head[p] = h
        p = np.int64(r.next[p])
        if p == g:
            break
    r.next[h], r.next[g] = r.next[g], r.next[h]


@subroutine
def play(r, p, c, codes):
    """Play a legal move of c on the point p; returns the number of stones captured.  codes: what is kept up."""
    w = r.width
    near = r.near[p]
    i = r.slot[p]
    r.n_empty -= 1
    last = r.empties[r.n_empty]
    r.empties[i] = last
    r.slot[last] = i
    r.ko = 0
    r.last = p
    r.colour[p] = c
    r.head[p] = p
    r.next[p] = p
    r.stones[p] = 1
    r.liberties[p] = near >> _LIBERTIES
    count = _BLACK_COUNT if c == BLACK else _WHITE_COUNT
    _change_neighbours(r, p, count - ((_ONE + p) << _LIBERTIES), codes, c & 3)
    _add_liberty(r, p, -1)
    captured = 0
    captured_at = 0
    for d in (-w, -1, 1, w):
        s = r.colour[p + d]
        if s == c:
            h = np.int64(r.head[p])
            g = np.int64(r.head[p + d])
            if h != g:
                if r.stones[h] < r.stones[g]:
                    h, g = g, h
                _merge_chains(r, h, g)
        elif s == -c:
            h = np.int64(r.head[p + d])
            if r.liberties[h] == 0:
                captured += _remove_chain(r, h, -c, codes)
                captured_at = p + d
    if captured == 1 and _is_surrounded(near, -c):
        r.ko = captured_at
    return captured
