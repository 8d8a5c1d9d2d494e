"""Heuristic priors of Go: which moves a search should try first, as virtual visits and wins.  Compiled.

Every candidate begins as an even game, EVEN visits and half as many wins; each rule that holds of it adds visits, and
wins or none, as in michi (Baudis 2015, https://github.com/pasky/michi), whose weights these are.

    captures, saving stones in atari     of one stone CAPTURE_ONE, of more CAPTURE_MANY; read by ladders
    self-atari                           SELF_ATARI lost visits
    3x3 patterns (patterns)              PATTERN
    distance to the last move            DISTANCE, in the common fate graph: the stones of a chain are one point
    no stone near                        EMPTY_AREA: lost on the first two lines, won on the third
    a pass                               PASSING lost visits

    priors                               float32 (POINTS, 2): visits and wins by point, PASS at 0
    line, candidates, lists              scratch: planes.Scratch
"""
import numpy as np

from mugo.core.jit import subroutine
from mugo.games import ladders
from mugo.games.board import (
    BORDER, EMPTY, LEGAL, RECENT, has_stone_near, head_at, legality, next_stone, points, set_to_play)
from mugo.games.coords import PASS
from mugo.games.patterns import matches_pattern

EVEN = 10.0
CAPTURE_ONE, CAPTURE_MANY = 15.0, 30.0
SELF_ATARI = 10.0
PATTERN = 10.0
DISTANCE = (24.0, 22.0, 8.0)             # at the common fate graph distances 1, 2, 3
EMPTY_AREA = 10.0
PASSING = 30.0                           # chosen here: with fewer, quiet positions are passed in too often
EMPTY_RADIUS = 3                         # steps along the lines in which an empty area has no stone
FAR = 100


@subroutine
def _win(priors, p, visits):
    """Add won visits."""
    priors[p, 0] += np.float32(visits)
    priors[p, 1] += np.float32(visits)


@subroutine
def _visit(b, p, d, distance, queue, n):
    """Give a point, and the whole chain on it, distance d, and append them to the n points of the queue; returns n."""
    if b.colour[p] == EMPTY:
        distance[p] = d
        queue[n] = p
        return n + 1
    h = p
    while True:
        distance[p] = d
        queue[n] = p
        n += 1
        p = next_stone(b, p)
        if p == h:
            return n


@subroutine
def write_distances(b, start, distance, queue):
    """Write the common fate graph distance of each point from `start`, up to len(DISTANCE); FAR beyond.  distance:
    int16 (POINTS,).  queue: the same, scratch.  Two neighbours are one step apart, stones of one chain none (Graepel et
    al. 2001)."""
    distance[:] = FAR
    n = _visit(b, start, np.int64(0), distance, queue, np.int64(0))     # no literals, which are types of their own
    i = 0
    while i < n:
        p = np.int64(queue[i])
        i += 1
        d = np.int64(distance[p]) + 1
        if d > len(DISTANCE):
            return
        for step in (-b.width, -1, 1, b.width):
            q = p + step
            if b.colour[q] != BORDER and distance[q] == FAR:
                n = _visit(b, q, d, distance, queue, n)


@subroutine
def is_self_atari(b, p, c, liberties):
    """Whether a move of c on p captures nothing and makes a chain with one liberty.  liberties: int16 (2,), scratch."""
    w = b.width
    liberty = 0
    for d in (-w, -1, 1, w):
        q = p + d
        s = b.colour[q]
        n = 0
        if s == EMPTY:
            liberties[0] = q
            n = 1
        elif s == c:
            n = ladders.first_liberties(b, head_at(b, q), liberties)
            if b.liberties[head_at(b, q)] > 2:
                return False
        elif s == -c and b.liberties[head_at(b, q)] == 1:
            return False
        for i in range(n):
            e = np.int64(liberties[i])
            if e != p and liberty and e != liberty:
                return False
            if e != p:
                liberty = e
    return True


@subroutine
def _add_captures(b, h, c, line, candidates, moves, priors):
    """Reward the moves that capture or save the chain with head h, which has one or two liberties."""
    visits = CAPTURE_ONE if b.stones[h] == 1 else CAPTURE_MANY
    mine = b.colour[h] == c
    if b.liberties[h] == 1:
        if not mine:
            ladders.first_liberties(b, h, moves)
            _win(priors, np.int64(moves[0]), visits)
            return
        n = ladders.escape_moves(b, h, moves)
    else:
        if mine:                         # nothing to save unless the opponent's atari would capture it
            line[0] = b
            set_to_play(line[0], -c)
            if not ladders.is_captured(line, candidates, h, mine):
                return
        n = ladders.first_liberties(b, h, moves)
    for i in range(n):
        p = np.int64(moves[i])
        if legality(b, p, c) == LEGAL and ladders.is_taken(b, line, candidates, h, p, c) != mine:
            _win(priors, p, visits)


@subroutine
def write_priors(b, scratch, priors):
    """Write the virtual visits and wins of every empty point, and of a pass, for the side to move."""
    c = b.to_play
    distance, queue, moves = scratch.lists[0], scratch.lists[1], scratch.lists[2]
    last = np.int64(b.recent[b.moves & (RECENT - 1)]) if b.moves else PASS
    if last == PASS:
        distance[:] = FAR
    else:
        write_distances(b, last, distance, queue)
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        priors[p, 0] = np.float32(EVEN)
        priors[p, 1] = np.float32(EVEN / 2)
        if distance[p] <= len(DISTANCE):
            _win(priors, p, DISTANCE[distance[p] - 1])
        if matches_pattern(b, p, c):
            _win(priors, p, PATTERN)
        if is_self_atari(b, p, c, moves):
            priors[p, 0] += np.float32(SELF_ATARI)
        row = p // b.width
        col = p % b.width
        height = min(row, b.rows + 1 - row, col, b.cols + 1 - col)       # the line that p is on, 1 at the edge
        if height <= 3 and not has_stone_near(b, p, EMPTY_RADIUS, False):
            if height == 3:
                _win(priors, p, EMPTY_AREA)
            else:
                priors[p, 0] += np.float32(EMPTY_AREA)
    for h in points(b):
        if b.colour[h] != EMPTY and b.head[h] == h and b.liberties[h] <= 2:
            _add_captures(b, h, c, scratch.line, scratch.candidates, moves, priors)
    priors[PASS, 0] = np.float32(EVEN + PASSING)
    priors[PASS, 1] = np.float32(EVEN / 2)
