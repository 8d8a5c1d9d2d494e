"""Exact values in the search tree: MCTS-Solver with the three outcomes of a game.  Compiled.

    lower <= exact value of a node, for its side to move <= upper        LOSS -1, DRAW 0, WIN 1

    an ended game            lower = upper = its outcome
    an edge                  lower = -upper of the node it leads to, upper = -lower
    a node                   lower = the best lower of its edges, upper = the best upper

A node is proven where both bounds are equal: Winands, Bjornsson and Saito 2008 ("Monte-Carlo Tree Search Solver"), with
draws as in Cazenave and Saffidine 2010 ("Score Bounded Monte-Carlo Tree Search").

In Go, superko makes legal moves depend on the path, and a node is shared by paths.  Its bounds hold for all of them: an
upper bound counts all edges, a lower bound only those that superko forbids on no path: passes, and moves on points
where no stone was ever captured.  At the root, whose path is the game itself, every legal move counts.  By simple ko,
other moves may end the game with no result on some path, so they have no bounds at all (tree.backup).  Proofs are about
the moves that the search considers, which fill no own true eyes.
"""
import numpy as np
from mugo.core.jit import kernel, subroutine
from mugo.games import game
from mugo.mcts.records import NULL_NODE

LOSS, DRAW, WIN = -1, 0, 1
_FAR = np.int32(1 << 30)                 # the length of a proof that is not known yet


@kernel
def is_proven(record):
    """Whether the exact value of a node or an edge is known."""
    return record.lower == record.upper


@subroutine
def q_under_loss(edge, losses, n):
    """The mean value of an edge with n visits, of which this many are under way and count as lost.  float32; n > 0."""
    return (edge.q * np.float32(edge.visits) - losses) / n


@subroutine
def may_select(edge, losing, b, history, check_superko):
    """Whether an edge is worth a simulation: allowed at the root, not proven to lose and, with check_superko, no
    repetition.

    losing: the upper bound up to which an edge is left out."""
    return edge.allowed and edge.upper > losing and (
        not check_superko or game.is_allowed(b, history, np.int64(edge.move)))


@subroutine
def last_allowed(edges, first, end):
    """The last of the edges from `first` to `end` that may be selected."""
    i = end - 1
    while i > first and not edges[i].allowed:
        i -= 1
    return i


@subroutine
def edge_at(nodes, path, k):
    """The edge of step k of a path.  Its offset from the node's first edge is unchanged."""
    return np.int64(nodes[path[k, 0]].first) + np.int64(path[k, 1])


@subroutine
def bound_node(nodes, edges, v):
    """Set the bounds of an expanded node by those of its edges, at the root those that are allowed.  Nothing is known
    of a move without an edge."""
    node = nodes[v]
    lower = LOSS
    upper = LOSS if node.count == node.moves else WIN
    for i in range(node.first, node.first + node.count):
        if edges[i].allowed:
            lower = max(lower, edges[i].lower)
            upper = max(upper, edges[i].upper)
    node.lower = lower
    node.upper = upper


@subroutine
def bound_edge(nodes, edges, i, counts_lower):
    """Set the bounds of an edge by those of the node it leads to; returns whether they have changed."""
    edge = edges[i]
    below = nodes[edge.node]
    lower = edge.lower
    upper = edge.upper
    edge.upper = min(upper, -below.lower)
    if counts_lower:
        edge.lower = max(lower, -below.upper)
    return edge.lower != lower or edge.upper != upper


@kernel
def bound_root(nodes, edges, root):
    """Set the bounds of the root and of its edges: each of them is a legal move, whatever superko forbids elsewhere."""
    for i in range(nodes[root].first, nodes[root].first + nodes[root].count):
        if edges[i].node != NULL_NODE:
            bound_edge(nodes, edges, i, True)
    if nodes[root].count:
        bound_node(nodes, edges, root)


@subroutine
def _proof(nodes, edges, n_nodes, root):
    """int32 (n,): the nodes that prove a won or lost root, itself first; of the winning side, its winning moves."""
    proof = np.empty(n_nodes, np.int32)
    found = np.zeros(n_nodes, np.bool_)
    proof[0] = root
    found[root] = True
    n = 1
    done = 0
    while done < n:
        node = nodes[proof[done]]
        done += 1
        for i in range(node.first, node.first + node.count):
            below = edges[i].node
            if (below != NULL_NODE and not found[below] and is_proven(nodes[below]) and nodes[below].lower != DRAW
                    and (node.lower == LOSS or edges[i].lower == WIN)):
                found[below] = True
                proof[n] = below
                n += 1
    return proof[:n]


@kernel
def proof_lengths(nodes, edges, n_nodes, root):
    """int32 (n_nodes,): the moves to the end of the game from each node of a root's proof of a win or loss, else _FAR.

    The winning side takes the shortest of its proven wins, the other side its longest resistance.  A move that was
    never visited counts as the last.
    """
    lengths = np.full(n_nodes, _FAR, np.int32)
    proof = _proof(nodes, edges, n_nodes, root)
    changed = True
    while changed:
        changed = False
        for k in range(len(proof) - 1, -1, -1):          # most nodes come after their parents
            v = proof[k]
            node = nodes[v]
            wins = node.lower == WIN
            length = _FAR if wins and node.count else np.int32(-1)
            for i in range(node.first, node.first + node.count):
                below = lengths[edges[i].node] if edges[i].node != NULL_NODE else np.int32(not wins)
                if not wins:
                    length = max(length, below)
                elif edges[i].lower == WIN:
                    length = min(length, below)
            length = min(length + 1, _FAR)
            if length < lengths[v]:
                lengths[v] = length
                changed = True
    return lengths
