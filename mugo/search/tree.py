"""The search tree: choosing a branch, growing, updating, keeping what the next move needs.  Compiled.

    nodes    positions; two orders of moves that lead to one position lead to one node
    edges    moves; those of one node stand side by side, the pass, if the game has one, last of all
    table    position -> node, open addressing

               edges first ... first + count - 1
    node  ==>  [move prior visits q | move prior visits q | ...]  --node-->  node  ==>  ...

A simulation goes down from the root (`descend`), its leaf is judged, and `back_up` tells every node and
edge on its way.  A value is +1 for a win, -1 for a loss, of the side to move at the node; an edge's q is
its node's mean, seen from the side that made the move.  What is chosen at a node is

    UCB1   w + c sqrt(ln N / n)              w = (1 + q) / 2      Auer et al. 2002, Kocsis and Szepesvari 2006
    PUCT   q + c prior sqrt(N) / (1 + n)                          Silver et al. 2016

with n the visits of an edge, N those of its node.  Simulations under way count as lost for whoever
moved (virtual loss), so that a batch of them spreads out.

Nothing here knows a network, a clock or a thread, nor which game it is: what it needs of one it asks rules.py.
Whether a move would repeat a position depends on the way there, so that is asked on the way down.
"""
import numpy as np
from numba import njit

from mugo.games import game
from mugo.games.board import index_of
from mugo.games.coords import PASS
from mugo.games.rng import random_below

UCB, PUCT = 0, 1
LONGEST = 1024                           # moves from the root to a leaf, at most
SINK = 0                                 # the node that stands for all that there is no room for

NODE = np.dtype([
    ("key", np.uint64),                  # of the position (`key_of`)
    ("total", np.float64),               # sum of the values of its simulations
    ("visits", np.int32),
    ("pending", np.int32),               # simulations under way
    ("first", np.int32),                 # its first edge
    ("count", np.int16),                 # its edges; 0: not grown
    ("tried", np.int16),                 # UCB1 tries its edges in their order before it compares them
], align=True)

EDGE = np.dtype([
    ("node", np.int32),                  # where it leads; SINK until it has been visited
    ("visits", np.int32),
    ("pending", np.int32),
    ("q", np.float32),
    ("prior", np.float32),
    ("move", np.int16),
], align=True)

TREE = np.dtype([
    ("root", np.int64),
    ("n_nodes", np.int64), ("n_edges", np.int64),
    ("formula", np.int64),               # UCB or PUCT
    ("c", np.float64),                   # its constant
    ("urgency", np.float64),             # what an edge without visits is worth, as w or q.  UCB1: inf tries every
                                         # edge first.  PUCT: nan takes the mean of the node
    ("grow_at", np.int64),               # visits after which a node gets its edges
    ("by_network", np.bool_),            # the edges come with priors, from outside
    ("share", np.bool_),                 # one node for all ways to a position
    ("komi", np.float64),
    ("rollouts", np.int64),              # for each leaf
    ("kind", np.int64),                  # of rollout
    ("mercy", np.int64),
    ("trust", np.float64),               # lambda: the share of rollouts in a leaf's value, against the network's
    ("depth_sum", np.int64),             # of all simulations, for statistics
], align=True)

# What a batch of simulations leaves between `gather` and `absorb`, one of these each.
LEAF = np.dtype([
    ("length", np.int64),                # edges on its way
    ("node", np.int64),
    ("asks", np.bool_),                  # whether a network has to judge it and give it edges
    ("ended", np.bool_),                 # the game is over: `value` is exact
    ("value", np.float64),               # for the side to move there
], align=True)

@njit(cache=True, nogil=True)
def key_after(tree, key, b, move):
    """The key of b, reached by a move from the position with `key`: its own, or its way's."""
    return game.key_of(b) if tree.share else game.key_by_way(key, move)


@njit(cache=True, nogil=True)
def _slot(nodes, table, key):
    """Where in the table a key is, or would be."""
    mask = np.uint64(len(table) - 1)
    at = key & mask
    while table[at] != SINK and nodes[table[at]].key != key:
        at = (at + np.uint64(1)) & mask
    return at


@njit(cache=True, nogil=True)
def find(nodes, table, key):
    """The node of a key, or SINK."""
    return np.int64(table[_slot(nodes, table, key)])


@njit(cache=True, nogil=True)
def find_or_add(tree, nodes, table, key):
    """The node of a key, a new one if there is none; SINK if there is no room."""
    at = _slot(nodes, table, key)
    if table[at] != SINK:
        return np.int64(table[at])
    if tree.n_nodes >= len(nodes):
        return SINK
    v = tree.n_nodes
    tree.n_nodes += 1
    table[at] = v
    node = nodes[v]
    node.key = key
    node.total = 0.0
    node.visits = 0
    node.pending = 0
    node.first = 0
    node.count = 0
    node.tried = 0
    return v


@njit(cache=True, nogil=True)
def reset(tree, nodes, table, key):
    """An empty tree with a root of this key."""
    tree.n_nodes = 1
    tree.n_edges = 0
    tree.depth_sum = 0
    table[:] = SINK
    tree.root = find_or_add(tree, nodes, table, key)


@njit(cache=True, nogil=True)
def grow(tree, nodes, edges, v, b):
    """Give node v its edges, the moves of the side to move in b, in random order; False if there is no room."""
    if v == SINK or tree.n_edges + b.n_empty + 1 > len(edges):
        return False
    first = tree.n_edges
    n = 0
    only = game.only_move(b, tree.kind)
    for i in range(b.n_empty):
        p = np.int64(b.empties[i])
        if game.is_candidate(b, p) and only in (0, p):
            j = first + random_below(b, n + 1)           # shuffled as they come (Durstenfeld, inside out)
            edges[first + n].move = edges[j].move
            edges[j].move = p
            n += 1
    if game.may_pass(b):
        edges[first + n].move = PASS
        n += 1
    for i in range(first, first + n):
        edge = edges[i]
        edge.node = SINK
        edge.visits = 0
        edge.pending = 0
        edge.q = np.float32(0)
        edge.prior = np.float32(1) / np.float32(n)
    tree.n_edges += n
    nodes[v].first = first
    nodes[v].count = n
    return True


@njit(cache=True, nogil=True)
def _give_priors(nodes, edges, v, b, priors):
    """Priors (size² + 1,) by move index to the edges of v; those that are no edges' are shared out."""
    first = nodes[v].first
    end = first + nodes[v].count
    total = np.float32(0)
    for i in range(first, end):
        edges[i].prior = priors[index_of(b, np.int64(edges[i].move))]
        total += edges[i].prior
    for i in range(first, end):
        if total > 0:
            edges[i].prior /= total
        else:
            edges[i].prior = np.float32(1) / np.float32(end - first)


@njit(cache=True, nogil=True)
def choose(tree, nodes, edges, v, b, history, careful):
    """The edge that the formula likes best at v.  careful: among those that repeat no position."""
    node = nodes[v]
    first = np.int64(node.first)
    end = first + np.int64(node.count)
    best = np.float32(-np.inf)
    chosen = end - 1
    c = np.float32(tree.c)
    if tree.formula == UCB:
        if tree.urgency == np.inf:
            while node.tried < node.count:
                i = first + np.int64(node.tried)
                node.tried += 1
                if game.is_allowed(b, history, np.int64(edges[i].move)):
                    return i
        log = np.log(np.float32(max(node.visits + node.pending, 1)))
        unvisited = np.float32(tree.urgency)
        for i in range(first, end):
            edge = edges[i]
            n = np.float32(edge.visits + edge.pending)
            if n > 0:
                q = (edge.q * np.float32(edge.visits) - np.float32(edge.pending)) / n
                u = np.float32(0.5) + np.float32(0.5) * q + c * np.sqrt(log / n)
            else:
                u = unvisited
            if u > best and (not careful or game.is_allowed(b, history, np.int64(edge.move))):
                best = u
                chosen = i
    else:
        scale = c * np.sqrt(np.float32(max(node.visits + node.pending, 1)))
        unvisited = np.float32(tree.urgency)
        if np.isnan(unvisited):
            unvisited = np.float32(node.total / max(node.visits, 1))
        for i in range(first, end):
            edge = edges[i]
            n = np.float32(edge.visits + edge.pending)
            q = (edge.q * np.float32(edge.visits) - np.float32(edge.pending)) / n if n > 0 else unvisited
            u = q + scale * edge.prior / (np.float32(1) + n)
            if u > best and (not careful or game.is_allowed(b, history, np.int64(edge.move))):
                best = u
                chosen = i
    return chosen


@njit(cache=True, nogil=True)
def descend(tree, nodes, edges, table, b, history, path):
    """Play b, the root's board, down to a leaf; returns (leaf, number of edges on the way).

    path: int32 (LONGEST, 2), gets the (node, edge) of each step.  Everything on it is now pending.
    A leaf is a node without edges: a new one, the end of a game, or one that there is no room for.
    """
    v = tree.root
    depth = 0
    while True:
        nodes[v].pending += 1
        if game.is_over(b) or depth == LONGEST:
            break
        if nodes[v].count == 0 and (tree.by_network or nodes[v].visits < tree.grow_at
                                    or not grow(tree, nodes, edges, v, b)):
            break
        i = choose(tree, nodes, edges, v, b, history, False)
        if not game.is_allowed(b, history, np.int64(edges[i].move)):
            i = choose(tree, nodes, edges, v, b, history, True)
        edge = edges[i]
        move = np.int64(edge.move)
        game.play(b, move)
        history[b.moves] = b.hash
        edge.pending += 1
        path[depth, 0] = v
        path[depth, 1] = i
        depth += 1
        if edge.node == SINK:
            edge.node = find_or_add(tree, nodes, table, key_after(tree, nodes[v].key, b, move))
        v = np.int64(edge.node)
    return v, depth


@njit(cache=True, nogil=True)
def _lift(nodes, edges, leaf, depth, path):
    """Nothing on a path is pending any more."""
    nodes[leaf].pending -= 1
    for k in range(depth):
        nodes[path[k, 0]].pending -= 1
        edges[path[k, 1]].pending -= 1


@njit(cache=True, nogil=True)
def back_up(tree, nodes, edges, leaf, depth, path, value):
    """Tell everything on a path the value of its leaf, for the side to move there."""
    _lift(nodes, edges, leaf, depth, path)
    tree.depth_sum += depth
    nodes[leaf].visits += 1
    nodes[leaf].total += value
    for k in range(depth - 1, -1, -1):
        edge = edges[path[k, 1]]
        edge.visits += 1
        if edge.node == SINK:
            edge.q += np.float32(-value - edge.q) / np.float32(edge.visits)
        else:
            below = nodes[edge.node]
            edge.q = np.float32(-below.total / below.visits)
        value = -value
        v = path[k, 0]
        nodes[v].visits += 1
        nodes[v].total += value


@njit(cache=True, nogil=True)
def judge(tree, boards, start, work, owners):
    """The mean outcome of rollouts from boards[start], for its side to move; plays them in boards[work].

    boards[work].random is the state of the random numbers, not 0.  owners: int32 (POINTS,), gets who
    owned each point when each rollout ended; point 0, which is no point, counts the rollouts.
    """
    total = 0.0
    for _ in range(tree.rollouts):
        random = boards[work].random
        boards[work] = boards[start]
        boards[work].random = random
        total += game.roll_out(boards[work], tree.kind, tree.mercy, tree.komi)
        game.add_owners(boards[work], owners)
    return total / tree.rollouts * boards[start].to_play


@njit(cache=True, nogil=True)
def simulate(trees, nodes, edges, table, boards, history, path, owners, n):
    """n simulations, one after the other, judged by rollouts alone.  (trees: one record of TREE.)

    boards: (3,), the root's position first; boards[1].random is the state of the random numbers.
    """
    tree = trees[0]
    for _ in range(n):
        random = boards[1].random
        boards[1] = boards[0]
        boards[1].random = random
        leaf, depth = descend(tree, nodes, edges, table, boards[1], history, path)
        c = boards[1].to_play
        if game.is_over(boards[1]):
            value = game.outcome(boards[1], tree.komi) * c
        elif tree.rollouts == 1:
            value = game.roll_out(boards[1], tree.kind, tree.mercy, tree.komi) * c
            game.add_owners(boards[1], owners)
        else:
            boards[2].random = boards[1].random
            value = judge(tree, boards, 1, 2, owners)
            boards[1].random = boards[2].random
        back_up(tree, nodes, edges, leaf, depth, path, value)


@njit(cache=True, nogil=True)
def gather(trees, nodes, edges, table, boards, history, paths, leaves, scratch, turn, packed):
    """Up to len(leaves) simulations as far as their leaves, all pending; returns how many.

    boards: (1 + 2 n,), the root's position first, then the n leaves (then n to roll out in).
    scratch: planes.Scratch.  packed: uint8 (n, size², bytes), gets the planes of leaf k where
    leaves[k].asks, in the symmetry turn[k]: int64 (n, size²).  It is fewer than n when the way leads
    to a leaf that a network is about to judge.
    """
    tree = trees[0]
    for k in range(len(leaves)):
        random = boards[1 + k].random
        boards[1 + k] = boards[0]
        boards[1 + k].random = random
        leaf, depth = descend(tree, nodes, edges, table, boards[1 + k], history, paths[k])
        record = leaves[k]
        record.node = leaf
        record.length = depth
        record.value = 0.0
        record.ended = game.is_over(boards[1 + k])
        record.asks = (tree.by_network and not record.ended and depth < LONGEST
                       and (leaf == SINK or leaf == tree.root or nodes[leaf].visits >= tree.grow_at))
        if record.ended:
            record.value = game.outcome(boards[1 + k], tree.komi) * boards[1 + k].to_play
        if record.asks:
            if leaf != SINK and nodes[leaf].pending > 1:
                _lift(nodes, edges, leaf, depth, paths[k])
                return k
            game.fill(boards[1 + k], history, scratch, turn[k], packed[k])
    return len(leaves)


@njit(cache=True, nogil=True)
def judge_some(trees, boards, leaves, start, end, n, owners):
    """Roll out leaves [start, end) of the n that were gathered; adds the outcome to their values."""
    tree = trees[0]
    for k in range(start, end):
        if not leaves[k].ended:
            leaves[k].value += tree.trust * judge(tree, boards, 1 + k, 1 + n + k, owners)


@njit(cache=True, nogil=True)
def absorb(trees, nodes, edges, boards, paths, leaves, n, priors, values):
    """The end of the n simulations that were gathered: leaves grow, values go up.

    priors: float32 (asking, size² + 1), values: float32 (asking,), one row for each leaf that asks, in
    order.  Where rollouts have a share, leaves[k].value holds it already.
    """
    tree = trees[0]
    row = 0
    for k in range(n):
        leaf = np.int64(leaves[k].node)
        value = leaves[k].value
        if leaves[k].asks:
            value += (1 - tree.trust) * values[row]
            if nodes[leaf].count == 0 and grow(tree, nodes, edges, leaf, boards[1 + k]):
                _give_priors(nodes, edges, leaf, boards[1 + k], priors[row])
            row += 1
        elif tree.trust > 0 and not leaves[k].ended:
            value /= tree.trust                  # nobody but the rollouts has judged it
        back_up(tree, nodes, edges, leaf, leaves[k].length, paths[k], value)


@njit(cache=True, nogil=True)
def keep(trees, nodes, edges, table, root):
    """Make a node the root, and drop all that cannot be reached from it; what stays moves together.

    Returns how many nodes stayed.  Nothing may be pending.
    """
    tree = trees[0]
    place = np.zeros(tree.n_nodes, np.int32)         # old node -> new, then 0 for those dropped
    stack = np.empty(tree.n_nodes, np.int32)
    stack[0] = root
    place[root] = 1
    depth = 1
    grown = 0
    while depth:
        depth -= 1
        node = nodes[stack[depth]]
        grown += node.count > 0
        for i in range(node.first, node.first + node.count):
            below = edges[i].node
            if below != SINK and not place[below]:
                place[below] = 1
                stack[depth] = below
                depth += 1
    # Edges lie in the order in which nodes grew, which is not the order of the nodes.
    firsts = np.empty(grown, np.int64)
    owner = np.empty(grown, np.int64)
    g = 0
    n_nodes = 1
    for v in range(1, tree.n_nodes):
        if place[v]:
            place[v] = n_nodes
            n_nodes += 1
            if nodes[v].count > 0:
                firsts[g] = nodes[v].first
                owner[g] = v
                g += 1
    n_edges = 0
    for i in np.argsort(firsts):
        node = nodes[owner[i]]
        for j in range(node.count):
            edges[n_edges + j] = edges[node.first + j]
            edges[n_edges + j].node = place[edges[n_edges + j].node]
        node.first = n_edges
        n_edges += node.count
    for v in range(1, tree.n_nodes):
        if place[v]:
            nodes[place[v]] = nodes[v]
    tree.root = place[root]
    tree.n_nodes = n_nodes
    tree.n_edges = n_edges
    tree.depth_sum = 0
    table[:] = SINK
    for v in range(1, n_nodes):
        table[_slot(nodes, table, nodes[v].key)] = v
    return n_nodes - 1


def principal_variation(nodes, edges, node: int, longest: int) -> list[int]:
    """The moves most visited from a node on."""
    moves = []
    while len(moves) < longest and nodes[node]["count"]:
        first = nodes[node]["first"]
        block = edges[first:first + nodes[node]["count"]]
        best = block[np.argmax(block["visits"])]
        if best["visits"] == 0:
            break
        moves.append(int(best["move"]))
        node = int(best["node"])
    return moves
