"""Reading of a small region: can a chain, the target, be captured?  Compiled.

    region --> both colours play in it, or pass --> the attacker captures the target, or fails

A region is a graph of at most NODES nodes: empty points, stones in doubt, and chains of LARGE stones or more, each one
node.  What is around it is alive: stones connected to living stones of their colour cannot be captured.  Sets of nodes
are the bits of an int64.

    the target's capture by stones that are connected to living ones      success
    a large chain is captured                                             success for the side that takes it
    the target is connected to living stones                              failure
    two passes: more points of the target are the attacker's
                than points of its own stones in doubt are lost           success, otherwise failure
    a position is repeated                                                failure

A ko may be retaken only after a pass, as where the Japanese rules of 1989 confirm life and death.  The attacker does
not pass before the target is captured, because the defender would also pass.

The search is by depth-first proof numbers (Nagai 2002, "Df-pn algorithm for searching AND/OR trees and its
applications") with a table of positions; phi is the proof number of the side to move, delta that of its opponent.  It
is a loop over a stack, as in ladders.

    g            REGION, one record
    s, c         STATE, one record: a position in the region, and one after a move
    stones       int64: sets of nodes
    i            int64: a node
"""
from typing import NamedTuple

import numpy as np

from mugo.core.jit import subroutine
from mugo.games.board import POINTS

NODES = 62                               # bits of an int64 but the sign and one that `1 << NODES` may use
LARGE = 7                                # points that make two eyes whatever their shape
DEPTH = 64                               # moves in one line
TABLE = 1 << 15                          # entries of the table of positions
NO_PROOF = 1 << 30                       # a proof number: it cannot be proven

SUCCESS, FAILURE, UNKNOWN = 1, 0, -1

REGION = np.dtype([
    ("near", np.int64, NODES),           # the nodes next to a node
    ("twins", np.int64, NODES),          # the lower nodes on which a move is the same, as outside liberties
    ("all", np.int64),                   # all nodes
    ("large", np.int64),                 # chains whose points make two eyes
    ("target", np.int64),
    ("defender", np.int64), ("attacker", np.int64),              # the stones of each side
    ("defender_lives", np.int64), ("attacker_lives", np.int64),  # nodes next to what of that side is alive outside
    ("defender_waits", np.int64),        # whether the defender only passes
    ("n", np.int64),                     # number of nodes
    ("node", np.int8, POINTS),           # of a point, -1 outside the region
    ("queue", np.int16, POINTS),         # the points of the region, the first `points` of them
    ("points", np.int64), ("empty", np.int64),                  # and how many of them are empty
    ("heads", np.int16, NODES), ("chains", np.int64),            # of the chains in doubt, and their number
], align=True)

STATE = np.dtype([
    ("defender", np.int64), ("attacker", np.int64),
    ("defender_ban", np.int64), ("attacker_ban", np.int64),      # where a side may not retake a ko
    ("attacks", np.int64),               # whether the attacker is to move
    ("passes", np.int64),
    ("hash", np.int64),
    ("phi", np.int64), ("delta", np.int64),
    ("phi_limit", np.int64), ("delta_limit", np.int64),          # on the stack: when to go back
    ("children", np.int64), ("chosen", np.int64),                # on the stack
])

ENTRY = np.dtype([("hash", np.int64), ("phi", np.int64), ("delta", np.int64)])          # of the table


class Reader(NamedTuple):
    """The memory of searches, one after the other."""
    region: np.ndarray                   # REGION (1,)
    stack: np.ndarray                    # STATE (DEPTH,), the line that is read
    children: np.ndarray                 # STATE (DEPTH, NODES + 1), of the positions on the stack
    table: np.ndarray                    # ENTRY (TABLE,)
    counts: np.ndarray                   # int64 (2,): questions asked, and positions looked at


def new_reader() -> Reader:
    """A memory that no search has used."""
    region = np.zeros(1, REGION)
    region["node"] = -1
    return Reader(region, np.zeros(DEPTH, STATE), np.zeros((DEPTH, NODES + 1), STATE),
                  np.zeros(TABLE, ENTRY), np.zeros(2, np.int64))


_DE_BRUIJN = np.int64(0x03F79D71B4CB0A89)
_INDEX = np.zeros(64, np.int64)          # of the only bit of a word, by its product with _DE_BRUIJN
for _i in range(64):
    _INDEX[(0x03F79D71B4CB0A89 << _i >> 58) & 63] = _i


@subroutine
def lowest(stones):
    """The index of the lowest bit."""
    return _INDEX[((stones & -stones) * _DE_BRUIJN >> 58) & 63]


@subroutine
def count(stones):
    """The number of bits."""
    n = 0
    while stones:
        stones &= stones - 1
        n += 1
    return n


@subroutine
def _spread(g, stones, start):
    """(the nodes of `stones` connected to `start`, all nodes next to them)."""
    chain = start
    left = start
    around = np.int64(0)
    while left:
        near = g.near[lowest(left)]
        left &= left - 1
        around |= near
        new = near & stones & ~chain
        chain |= new
        left |= new
    return chain, around


@subroutine
def makes_two_eyes(g, stones):
    """Whether the points of a chain make two eyes for the side that has captured it, though the other plays there
    first: it does if at least two of them divide the others, because one is left."""
    divisions = 0
    left = stones
    while left:
        rest = stones & ~(left & -left)
        left &= left - 1
        divisions += _spread(g, rest, rest & -rest)[0] != rest
    return divisions >= 2


@subroutine
def _has_two_eyes(g, s):
    """Whether the target's chain lives though the defender passes: it alone surrounds two spaces in which every empty
    point is its liberty (Benson 1976, for one chain)."""
    chain, around = _spread(g, s.defender, g.target & -g.target)
    left = around & ~s.defender
    eyes = 0
    while left:
        space, edge = _spread(g, g.all & ~s.defender, left & -left)
        left &= ~space
        if not (space & g.attacker_lives or edge & s.defender & ~chain or space & ~(s.attacker | around)):
            eyes += 1
            if eyes == 2:
                return True
    return False


@subroutine
def _outcome_of_move(g, s, chain, is_safe, captured):
    """SUCCESS, FAILURE or UNKNOWN after a move: s is the position after it, `chain` that of the stone played."""
    if s.attacks:                        # the defender has moved
        if captured & g.large:
            return FAILURE
        if g.target & ~s.defender:
            return UNKNOWN
        return FAILURE if is_safe and chain & g.target or _has_two_eyes(g, s) else UNKNOWN
    if captured & g.large or captured & g.target and g.defender_waits:
        return SUCCESS
    return SUCCESS if is_safe and captured & g.target and g.attacker & ~s.attacker == 0 else UNKNOWN


@subroutine
def _final_outcome(g, s):
    """SUCCESS or FAILURE after two passes."""
    if g.target & ~s.defender == 0:
        return FAILURE
    defended = s.defender
    attacked = s.attacker
    empty = g.all & ~(s.defender | s.attacker)
    while empty:
        space, around = _spread(g, empty, empty & -empty)
        empty &= ~space
        by_defender = around & s.defender or space & g.defender_lives
        by_attacker = around & s.attacker or space & g.attacker_lives
        if by_defender and not by_attacker:
            defended |= space
        elif by_attacker and not by_defender:
            attacked |= space
    return SUCCESS if count(attacked & g.target) > count(defended & g.attacker) else FAILURE


@subroutine
def _set_outcome(g, c, outcome):
    """Set the proof numbers of a position by its outcome, or by the liberties that are left to fill."""
    if outcome == UNKNOWN:
        chain, around = _spread(g, c.defender, g.target & c.defender & -(g.target & c.defender))
        attack = max(1, count(around & ~(c.defender | c.attacker)))
        c.phi = attack if c.attacks else 1
        c.delta = 1 if c.attacks else attack
    elif (outcome == SUCCESS) == (c.attacks == 1):
        c.phi = 0
        c.delta = NO_PROOF
    else:
        c.phi = NO_PROOF
        c.delta = 0


@subroutine
def _play(g, s, i, c):
    """Make c the position after the side to move has played on the empty node i; returns whether it may, and should:
    to fill an own eye is left out."""
    bit = np.int64(1) << i
    if s.attacks:
        own, opponent, ban, own_lives, opponent_lives = (
            s.attacker, s.defender, s.attacker_ban, g.attacker_lives, g.defender_lives)
    else:
        own, opponent, ban, own_lives, opponent_lives = (
            s.defender, s.attacker, s.defender_ban, g.defender_lives, g.attacker_lives)
    near = g.near[i]
    if near and near & ~own == 0 and not bit & (own_lives | opponent_lives) \
            and near & ~_spread(g, own, near & -near)[0] == 0:
        return False
    if g.twins[i] & ~(s.defender | s.attacker):
        return False
    outside = near & ~(s.defender | s.attacker)
    if bit & opponent_lives and not bit & own_lives and not near & opponent and not outside & ~opponent_lives \
            and near & own & ~_spread(g, own, near & own & -(near & own))[0] == 0:
        return False
    own |= bit
    captured = np.int64(0)
    left = near & opponent
    while left:
        chain, around = _spread(g, opponent, left & -left)
        left &= ~chain
        if not chain & opponent_lives and not around & ~(own | opponent):
            captured |= chain
    opponent &= ~captured
    chain, around = _spread(g, own, bit)
    liberties = around & ~(own | opponent)
    is_safe = chain & own_lives != 0
    if not liberties and not is_safe:
        return False
    is_ko = chain == bit and liberties == captured and count(captured) == 1 and not is_safe
    if is_ko and bit & ban:
        return False
    if s.attacks:
        c.attacker = own
        c.defender = opponent
    else:
        c.defender = own
        c.attacker = opponent
    empty = ~(own | opponent)
    c.defender_ban = s.defender_ban & empty
    c.attacker_ban = s.attacker_ban & empty
    if is_ko and s.attacks:
        c.defender_ban |= captured
    elif is_ko:
        c.attacker_ban |= captured
    c.attacks = 1 - s.attacks
    c.passes = 0
    _set_outcome(g, c, _outcome_of_move(g, c, chain, is_safe, captured))
    return True


@subroutine
def _pass(g, s, c):
    """Make c the position after a pass."""
    c.defender = s.defender
    c.attacker = s.attacker
    c.defender_ban = s.defender_ban if s.attacks else 0
    c.attacker_ban = 0 if s.attacks else s.attacker_ban
    c.attacks = 1 - s.attacks
    c.passes = 0 if g.defender_waits else s.passes + 1
    _set_outcome(g, c, _final_outcome(g, c) if c.passes == 2 else UNKNOWN)


@subroutine
def _hash(s, question):
    """The hash of a position, in the question of this number."""
    h = np.int64(0)
    for part in (question, s.defender, s.attacker, s.defender_ban, s.attacker_ban, 4 * s.passes + s.attacks + 8):
        h = (h ^ part) * np.int64(-7046029254386353131)
        h ^= (h >> 29) & 0x7FFFFFFFF
    return h


@subroutine
def _expand(g, s, children, table, question):
    """Write the positions after each move; their number is s.children.  A winning move is the only one then."""
    n = np.int64(0)
    empty = g.all & ~(s.defender | s.attacker)
    if g.defender_waits and not s.attacks:
        empty = np.int64(0)
    may_pass = not s.attacks or g.target & ~s.defender != 0
    while empty or may_pass:
        c = children[n]
        if empty:
            i = lowest(empty)
            empty &= empty - 1
            if not _play(g, s, i, c):
                continue
        else:
            may_pass = False
            _pass(g, s, c)
        c.hash = _hash(c, question)
        n += 1
        if c.delta == 0:
            children[0] = c
            n = np.int64(1)
            break
        entry = table[c.hash & (TABLE - 1)]
        if c.phi and c.delta and entry.hash == c.hash:
            c.phi = entry.phi
            c.delta = entry.delta
    s.children = n


@subroutine
def _choose(s, children):
    """Set the proof numbers of a position from those of its children, and the child to read next; returns (the second
    best proof number of a child, what the other children add to delta).  Where moves can be played in any order, the
    sum of the numbers would count the same positions many times, so delta is the largest and 1 for each other child
    (Ueda et al. 2008, "Weak proof-number search")."""
    best = np.int64(NO_PROOF)
    second = np.int64(NO_PROOF)
    most = np.int64(0)
    others = np.int64(-1)
    s.chosen = 0
    for k in range(s.children):
        delta = children[k].delta
        most = max(most, children[k].phi)
        others += children[k].phi > 0
        if delta < best:
            second = best
            best = delta
            s.chosen = k
        elif delta < second:
            second = delta
    s.phi = best
    s.delta = min(most + max(others, 0), NO_PROOF)
    return second, max(others, 0)


@subroutine
def _is_repeated(stack, d, h):
    """Whether a position with this hash is on the stack, up to d."""
    for k in range(d + 1):
        if stack[k].hash == h:
            return True
    return False


@subroutine
def read(reader, attacks, waits, nodes):
    """SUCCESS or FAILURE of the attacker in reader.region, or UNKNOWN after this number of nodes.

    attacks: whether the attacker moves first.  waits: whether the defender always passes.
    """
    g, stack, table = reader.region[0], reader.stack, reader.table
    reader.counts[0] += 1
    question = reader.counts[0]
    last = reader.counts[1] + nodes
    g.defender_waits = waits
    s = stack[0]
    s.defender = g.defender
    s.attacker = g.attacker
    if _has_two_eyes(g, s):
        return FAILURE
    s.defender_ban = s.attacker_ban = 0
    s.attacks = attacks
    s.passes = 0
    s.hash = _hash(s, question)
    s.phi_limit = s.delta_limit = NO_PROOF
    _expand(g, s, reader.children[0], table, question)
    d = 0
    while True:
        s, children = stack[d], reader.children[d]
        second, others = _choose(s, children)
        if s.phi >= s.phi_limit or s.delta >= s.delta_limit:
            if d == 0:
                return SUCCESS if (s.phi == 0) == (s.attacks == 1) else FAILURE
            entry = table[s.hash & (TABLE - 1)]
            entry.hash = s.hash
            entry.phi = s.phi
            entry.delta = s.delta
            d -= 1
            c = reader.children[d, stack[d].chosen]
            c.phi = entry.phi
            c.delta = entry.delta
            continue
        c = children[s.chosen]
        if _is_repeated(stack, d, c.hash):
            _set_outcome(g, c, FAILURE)
            continue
        reader.counts[1] += 1
        if d + 1 == DEPTH or reader.counts[1] > last:
            return UNKNOWN
        stack[d + 1] = c
        after = stack[d + 1]
        after.phi_limit = s.delta_limit - others
        after.delta_limit = min(s.phi_limit, second + 1)
        _expand(g, after, reader.children[d + 1], table, question)
        d += 1
