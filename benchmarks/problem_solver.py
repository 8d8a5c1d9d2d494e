"""Exact values of small Go positions: every state that can be reached in a region, and who wins there.  Compiled.

    # # # # # #       region    the points that can change: here three, one of them with a loose white stone
    # X X X . #       target    chains that are not to be captured: the game is over when one is (here Black's)
    # X O . . #       the rest  stones that are safe: they have liberties elsewhere, whatever happens here
    # X X X X #

Every sequence of moves inside the region is looked at: passes, captures, recaptures, the ban of simple ko.  The states
make a graph with cycles (a ko, sent two returned one), so values are the fixed points of minimax: from below a game
without end is lost for Black, from above it is won.  Where both are equal, cycles do not matter and the value is exact.
There are no ko threats elsewhere; a move elsewhere is a pass.

Two passes end the game.  A value is then the area score of the region (Black minus White), or, where there is a target,
0 because it was not captured; capturing White's target is 1 for Black, capturing Black's is -1.

The rules are written here once more, so that problems do not rest on mugo's.  Arrays:

    colour   int8 (n,)       a bordered board as in mugo.games.board: 0, 1 Black, -1 White, 2 border
    region   int64 (k,)      points, k at most MAX_REGION
    fixed    int8 (n,)       at a stone outside the region: SAFE or TARGET
"""
import numpy as np
from numba import njit

MAX_REGION = 15                          # two bits each in the key of a state
SAFE, TARGET = 1, 2
PASS = -1
_KO, _TURN, _PASSED = 32, 36, 37         # shifts in a key: the ko (4 bits), White to move, the last move was a pass
_FAR = 100                               # more than any value


@njit(cache=True, nogil=True)
def _unpack(key, colour, region):
    """Put the stones of a state on the board."""
    for i in range(len(region)):
        s = (key >> (2 * i)) & 3
        colour[region[i]] = -1 if s == 2 else s


@njit(cache=True, nogil=True)
def _pack(colour, region):
    key = np.int64(0)
    for i in range(len(region)):
        s = np.int64(colour[region[i]])
        key |= (s & 3 if s >= 0 else 2) << (2 * i)
    return key


@njit(cache=True, nogil=True)
def _chain(colour, fixed, w, p, seen, mark, stack):
    """(stones in `stack`, has a liberty, contains a target) of the chain on p."""
    c = colour[p]
    seen[p] = mark
    stack[0] = p
    n = 1
    done = 0
    free = False
    target = False
    while done < n:
        q = stack[done]
        done += 1
        if fixed[q] == SAFE:
            free = True
        elif fixed[q] == TARGET:
            target = True
        for d in (-w, -1, 1, w):
            s = colour[q + d]
            if s == 0:
                free = True
            elif s == c and seen[q + d] != mark:
                seen[q + d] = mark
                stack[n] = q + d
                n += 1
    return n, free, target


@njit(cache=True, nogil=True)
def _play(key, i, colour, fixed, region, w, seen, stack, ko_master):
    """The state after a move at region[i], or a pass, i = PASS; (key, end, legal).

    end: 1, -1 for a captured target of White, Black; 0.  ko_master: the colour that may retake a ko at once, or 0.
    seen[0] is the newest mark.
    """
    c = -1 if (key >> _TURN) & 1 else 1
    turn = np.int64(c > 0) << _TURN                      # White is next if Black moves
    stones = key & ((np.int64(1) << _KO) - 1)
    if i == PASS:
        return stones | turn | np.int64(1) << _PASSED, 0, True
    if ((key >> _KO) & 15) == i + 1 and c != ko_master:
        return key, 0, False
    _unpack(key, colour, region)
    p = region[i]
    if colour[p] != 0:
        return key, 0, False
    alone = True
    for d in (-w, -1, 1, w):
        if colour[p + d] == 0 or colour[p + d] == c:
            alone = False
    colour[p] = c
    captured = 0
    at = 0
    for d in (-w, -1, 1, w):
        if colour[p + d] == -c:
            seen[0] += 1
            n, free, target = _chain(colour, fixed, w, p + d, seen, seen[0], stack)
            if not free:
                if target:
                    return key, c, True
                captured += n
                at = p + d
                for j in range(n):
                    colour[stack[j]] = 0
    seen[0] += 1
    n, free, target = _chain(colour, fixed, w, p, seen, seen[0], stack)
    if not free:
        return key, 0, False
    ko = np.int64(0)
    if captured == 1 and alone:
        for j in range(len(region)):
            if region[j] == at:
                ko = j + 1
    return _pack(colour, region) | ko << _KO | turn, 0, True


@njit(cache=True, nogil=True)
def _area(key, colour, fixed, region, w, seen, stack):
    """Black's area in the region minus White's."""
    _unpack(key, colour, region)
    score = 0
    seen[0] += 1
    mark = seen[0]
    for i in range(len(region)):
        p = region[i]
        if colour[p] != 0:
            score += colour[p]
        elif seen[p] != mark:
            seen[p] = mark
            stack[0] = p
            n = 1
            done = 0
            black = False
            white = False
            while done < n:
                q = stack[done]
                done += 1
                for d in (-w, -1, 1, w):
                    s = colour[q + d]
                    if s == 1:
                        black = True
                    elif s == -1:
                        white = True
                    elif s == 0 and seen[q + d] != mark:
                        seen[q + d] = mark
                        stack[n] = q + d
                        n += 1
            score += n * (np.int64(black) - np.int64(white))
    return score


@njit(cache=True, nogil=True)
def _slot(table, keys, key):
    mask = len(table) - 1
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    at = np.int64(x >> np.uint64(20)) & mask
    while table[at] >= 0 and keys[table[at]] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _explore(root, colour, fixed, region, w, has_target, ko_master, limit):
    """(n, keys, first, children, ends): the states that can be reached from `root`, n = -1 if they are more than limit.

    children[first[v]:first[v + 1]]: the states after the moves of state v, or -1 - j where the game ends with ends[j].
    The first len(region) children of the root are those of the moves at region[i], -_FAR where illegal; the last is the
    pass.
    """
    k = len(region)
    size = 1
    while size < 2 * limit:
        size *= 2
    table = np.full(size, -1, np.int64)
    keys = np.empty(limit, np.int64)
    first = np.zeros(limit + 1, np.int64)
    children = np.empty(limit * (k + 1), np.int64)
    seen = np.zeros(len(colour), np.int64)
    stack = np.empty(len(colour), np.int64)
    keys[0] = root
    table[_slot(table, keys, root)] = 0
    n = 1
    v = 0
    edges = 0
    while v < n:
        key = keys[v]
        first[v] = edges
        for i in range(k + 1):
            move = i if i < k else PASS
            after, end, legal = _play(key, move, colour, fixed, region, w, seen, stack, ko_master)
            if not legal:
                if v == 0:
                    children[edges] = -_FAR * _FAR
                    edges += 1
                continue
            child = np.int64(0)
            if end:
                child = -_FAR - end
            elif move == PASS and (key >> _PASSED) & 1:
                child = -_FAR - (0 if has_target else _area(key, colour, fixed, region, w, seen, stack))
            else:
                at = _slot(table, keys, after)
                if table[at] < 0:
                    if n == limit:
                        return -1, keys, first, children
                    table[at] = n
                    keys[n] = after
                    n += 1
                child = table[at]
            children[edges] = child
            edges += 1
        v += 1
    first[n] = edges
    return n, keys, first, children


@njit(cache=True, nogil=True)
def _fixed_point(n, keys, first, children, start):
    """int16 (n,): minimax values, iterated from `start` everywhere."""
    value = np.full(n, start, np.int16)
    changed = True
    while changed:
        changed = False
        for v in range(n - 1, -1, -1):
            black = not (keys[v] >> _TURN) & 1
            best = -_FAR if black else _FAR
            for j in range(first[v], first[v + 1]):
                child = children[j]
                if child == -_FAR * _FAR:
                    continue
                x = np.int64(value[child]) if child >= 0 else -_FAR - child
                best = max(best, x) if black else min(best, x)
            if best != value[v]:
                value[v] = best
                changed = True
    return value


@njit(cache=True, nogil=True)
def solve(colour, fixed, region, w, to_play, has_target, ko_master, limit):
    """(states, low, high): values of the moves of to_play at region[i], and last of a pass, for Black.

    low, high: int16 (k + 1,), games without end lost or won for Black; _FAR where the move is illegal.  states: how
    many there are, -1 if more than limit.  colour is changed inside the region, and restored.
    """
    root = _pack(colour, region) | np.int64(to_play < 0) << _TURN
    k = len(region)
    low = np.full(k + 1, _FAR, np.int16)
    high = np.full(k + 1, _FAR, np.int16)
    n, keys, first, children = _explore(root, colour, fixed, region, w, has_target, ko_master, limit)
    if n > 0:
        below = _fixed_point(n, keys, first, children, -_FAR + 1)
        above = _fixed_point(n, keys, first, children, _FAR - 1)
        for i in range(k + 1):
            child = children[i]
            if child == -_FAR * _FAR:
                continue
            low[i] = below[child] if child >= 0 else -_FAR - child
            high[i] = above[child] if child >= 0 else -_FAR - child
    _unpack(root, colour, region)
    return n, low, high
