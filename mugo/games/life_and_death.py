"""Which chains in doubt live, by reading: their regions, and what is asked about them.  Compiled.

    survival, ownership --> the chains in doubt around a chain --> its region --> reading --> a verdict for its chain

Rollouts are blind to seki, and to captured stones that leave one eye.  So two questions are read for a chain in doubt:

    the opponent moves first     its own side moves first
    it is not captured           -                          SAFE; SEKI if an opponent's chain in the region is as well,
                                                            and each would be captured if its side never moved
    it is captured               it is captured             DEAD
    it is captured               it is not                  UNSETTLED

The region of a chain has its liberties, the chains in doubt next to them, and their liberties.  A region that is too
large, or a question that takes too long, is UNREAD: the rollouts answer.

    survival     float64 (POINTS,), at heads: mean ownership of the chain's points over rollouts, 1 its own colour
    ownership    float64 (POINTS,): mean over rollouts, 1 Black, -1 White
    verdicts     int8 (POINTS,), at heads
    reader, g    as in reading
"""
import numpy as np

from mugo.core.jit import kernel, subroutine
from mugo.games.board import BORDER, EMPTY, POINTS, head_at, is_stone, next_stone, points
from mugo.games.reading import FAILURE, LARGE, NODES, SUCCESS, makes_two_eyes, read

UNREAD, SAFE, DEAD, UNSETTLED, SEKI = 0, 1, 2, 3, 4

CLEAR_SURVIVAL = 0.6      # of a chain that is alive, or dead, in 80 % of the rollouts
SURE = 0.9                # of a chain, or ownership of a point, that is hardly ever in doubt
MAX_EMPTY = 14            # empty points of a region
MAX_EMPTY_SURE = 7        # and of that of a chain that lives by the rollouts, which is read because they may be wrong
QUICK, DEEP = 4000, 100_000               # positions for a question, 1 and 30 ms
NODES_IN_ALL = 5          # times as many for all of a board


@subroutine
def _add_chain(b, h, g):
    """Add a chain to the region; returns whether there is room."""
    needed = 1 if b.stones[h] >= LARGE else np.int64(b.stones[h])
    if g.n + needed > NODES:
        return False
    g.heads[g.chains] = h
    g.chains += 1
    p = h
    while True:
        g.node[p] = g.n
        if needed > 1:
            g.n += 1
        g.queue[g.points] = p
        g.points += 1
        p = next_stone(b, p)
        if p == h:
            break
    if needed == 1:
        g.n += 1
    return True


@subroutine
def _has_liberty_elsewhere(b, h, g):
    """Whether a chain has a liberty outside the region."""
    w = b.width
    p = h
    while True:
        for d in (-w, -1, 1, w):
            if b.colour[p + d] == EMPTY and g.node[p + d] < 0:
                return True
        p = next_stone(b, p)
        if p == h:
            return False


@subroutine
def _grow_region(b, survival, ownership, g, start, doubt, max_empty):
    """Add to the region what is in doubt next to its points from queue[start] on; returns whether there is room."""
    w = b.width
    k = start
    while k < g.points:
        p = np.int64(g.queue[k])
        k += 1
        for d in (-w, -1, 1, w):
            q = p + d
            s = b.colour[q]
            if s == BORDER or g.node[q] >= 0:
                continue
            if s == EMPTY:
                if b.colour[p] != EMPTY or abs(ownership[q]) < doubt:
                    g.empty += 1
                    if g.n == NODES or g.empty > max_empty:
                        return False
                    g.node[q] = g.n
                    g.n += 1
                    g.queue[g.points] = q
                    g.points += 1
            elif survival[head_at(b, q)] < doubt and not _add_chain(b, head_at(b, q), g):
                return False
    return True


@subroutine
def _find_points(b, survival, ownership, h, g, max_empty):
    """Find the points of the region of a chain; returns whether there is room."""
    w = b.width
    for k in range(g.points):
        g.node[g.queue[k]] = -1
    g.points = g.n = g.chains = g.empty = 0
    doubt = min((1 + abs(survival[h])) / 2, SURE)
    if not _add_chain(b, h, g):
        return False
    start = 0
    while True:
        if not _grow_region(b, survival, ownership, g, start, doubt, max_empty):
            return False
        # A chain without liberties elsewhere is not known to live without those of the region.
        start = g.points
        for k in range(g.points):
            p = np.int64(g.queue[k])
            if b.colour[p] != EMPTY:
                continue
            for d in (-w, -1, 1, w):
                q = p + d
                if is_stone(b.colour[q]) and g.node[q] < 0 and not _has_liberty_elsewhere(b, head_at(b, q), g) \
                        and not _add_chain(b, head_at(b, q), g):
                    return False
        if start == g.points:
            return True


@subroutine
def _make_region(b, ownership, h, g):
    """Make the graph of the points that were found, with the chain as its target."""
    w = b.width
    colour = b.colour[h]
    for i in range(g.n):
        g.near[i] = 0
    g.all = (np.int64(1) << g.n) - 1
    g.large = g.target = g.defender = g.attacker = g.defender_lives = g.attacker_lives = 0
    for k in range(g.points):
        p = np.int64(g.queue[k])
        i = np.int64(g.node[p])
        bit = np.int64(1) << i
        if is_stone(b.colour[p]):
            if b.colour[p] == colour:
                g.defender |= bit
            else:
                g.attacker |= bit
            if b.stones[b.head[p]] >= LARGE:
                g.large |= bit
            if b.head[p] == h:
                g.target |= bit
        for d in (-w, -1, 1, w):
            q = p + d
            s = b.colour[q]
            if s == BORDER:
                continue
            if g.node[q] >= 0:
                if g.node[q] != i:
                    g.near[i] |= np.int64(1) << np.int64(g.node[q])
            elif (s if s != EMPTY else ownership[q]) * colour > 0:
                g.defender_lives |= bit
            else:
                g.attacker_lives |= bit


@subroutine
def _mark_large(b, g):
    """Add the smaller chains whose points make two eyes to the large ones.  In the corner they may make a ko."""
    corner = np.int64(0)
    for k in range(g.points):
        p = np.int64(g.queue[k])
        row, col = p // b.width, p % b.width
        if (row == 1 or row == b.rows) and (col == 1 or col == b.cols):
            corner |= np.int64(1) << np.int64(g.node[p])
    for k in range(g.chains):
        stones = np.int64(0)
        p = h = np.int64(g.heads[k])
        while True:
            stones |= np.int64(1) << np.int64(g.node[p])
            p = next_stone(b, p)
            if p == h:
                break
        if not stones & (g.large | corner) and makes_two_eyes(g, stones):
            g.large |= stones


@subroutine
def _chains_near(b, p, g):
    """The nodes of the heads of the chains in doubt next to a point, and of the empty points next to it."""
    w = b.width
    heads = np.int64(0)
    empty = np.int64(0)
    for d in (-w, -1, 1, w):
        q = p + d
        if is_stone(b.colour[q]) and g.node[q] >= 0:
            heads |= np.int64(1) << np.int64(g.node[head_at(b, q)])
        elif b.colour[q] == EMPTY and g.node[q] >= 0:
            empty |= np.int64(1) << np.int64(g.node[q])
    return heads, empty


@subroutine
def _find_twins(b, g):
    """Find the outside liberties of the same chains."""
    for k in range(g.points):
        p = np.int64(g.queue[k])
        if is_stone(b.colour[p]):
            g.twins[g.node[p]] = 0
            continue
        i = np.int64(g.node[p])
        bit = np.int64(1) << i
        twins = np.int64(0)
        if (bit & g.attacker_lives != 0) != (bit & g.defender_lives != 0):
            heads, empty = _chains_near(b, p, g)
            for m in range(g.points):
                q = np.int64(g.queue[m])
                if b.colour[q] == EMPTY:
                    j = np.int64(1) << np.int64(g.node[q])
                    if (j & g.attacker_lives != 0) == (bit & g.attacker_lives != 0) \
                            and (j & g.defender_lives != 0) == (bit & g.defender_lives != 0) \
                            and _chains_near(b, q, g)[0] == heads:
                        twins |= j
            # Those next to other points of the region are more than outside liberties.
            is_outside = True
            for m in range(g.points):
                q = np.int64(g.queue[m])
                if b.colour[q] == EMPTY and twins >> np.int64(g.node[q]) & 1 \
                        and _chains_near(b, q, g)[1] & ~twins:
                    is_outside = False
            twins = twins & (bit - 1) if is_outside else np.int64(0)
        g.twins[i] = twins


@subroutine
def _find_region(b, survival, ownership, h, reader, max_empty):
    """Make reader.region that of a chain; returns whether there is room."""
    g = reader.region[0]
    if not _find_points(b, survival, ownership, h, g, max_empty):
        return False
    _make_region(b, ownership, h, g)
    _mark_large(b, g)
    _find_twins(b, g)
    return True


@subroutine
def _read_chain(b, survival, ownership, h, reader, max_empty, nodes):
    """The verdict for a chain: SAFE, DEAD, UNSETTLED, or UNREAD."""
    if reader.counts[1] > NODES_IN_ALL * nodes or not _find_region(b, survival, ownership, h, reader, max_empty):
        return UNREAD
    g = reader.region[0]
    if survival[h] < 0 and not g.attacker or max_empty == MAX_EMPTY_SURE and g.defender_lives:
        return UNREAD                    # rollouts know whether a chain makes two eyes, or is connected
    first = read(reader, 1, 0, nodes)
    if first == FAILURE:
        return SAFE
    if first != SUCCESS or survival[h] < -CLEAR_SURVIVAL:
        return UNREAD
    second = read(reader, 0, 0, nodes)
    if second == SUCCESS:
        return DEAD
    return UNSETTLED if second == FAILURE else UNREAD


@subroutine
def _max_empty(b, survival, h):
    """The empty points that the region of a chain may have; 0: it is not asked about."""
    if survival[h] <= CLEAR_SURVIVAL:
        return MAX_EMPTY
    return MAX_EMPTY_SURE if b.liberties[h] <= MAX_EMPTY_SURE else 0


@subroutine
def _find_sekis(b, survival, ownership, reader, verdicts):
    """Change the verdict SAFE to SEKI where it is one."""
    g = reader.region[0]
    waits = np.zeros(POINTS, np.int8)    # at heads: 1 if the chain is captured where it does not move, -1 if not
    for h in points(b):
        if not is_stone(b.colour[h]) or b.head[h] != h or verdicts[h] != SAFE \
                or not _find_region(b, survival, ownership, h, reader, MAX_EMPTY) or not g.attacker:
            continue
        waits[h] = 1 if read(reader, 1, 1, QUICK) != FAILURE else -1
    for h in points(b):
        if waits[h] != 1 or not _find_region(b, survival, ownership, h, reader, MAX_EMPTY):
            continue
        for k in range(g.chains):
            other = np.int64(g.heads[k])
            if b.colour[other] == -b.colour[h] and waits[other] == 1:
                verdicts[h] = SEKI


@kernel
def read_chains(b, survival, ownership, reader, nodes, verdicts):
    """Write the verdicts for all chains.  nodes: QUICK, or DEEP for the verdicts up to the first chain that is DEAD."""
    verdicts[:] = UNREAD
    g = reader.region[0]
    reader.counts[1] = 0
    others = np.empty(NODES, np.int64)
    is_any = False
    for h in points(b):
        if not is_stone(b.colour[h]) or b.head[h] != h or verdicts[h] != UNREAD:
            continue
        max_empty = _max_empty(b, survival, h)
        if not max_empty:
            continue
        verdicts[h] = _read_chain(b, survival, ownership, h, reader, max_empty, nodes)
        if verdicts[h] == DEAD and nodes == DEEP:
            break
        if verdicts[h] != SAFE or survival[h] > CLEAR_SURVIVAL:
            continue
        n = g.chains
        for k in range(n):
            others[k] = g.heads[k]
        for k in range(n):
            if verdicts[others[k]] == UNREAD:
                verdicts[others[k]] = _read_chain(b, survival, ownership, others[k], reader, MAX_EMPTY, nodes)
        is_any = True
    if is_any:
        _find_sekis(b, survival, ownership, reader, verdicts)
