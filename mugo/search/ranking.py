"""The order of a node's moves: the best first, proven mistakes last; principal variations."""
import numpy as np

from mugo.search.records import NULL_NODE
from mugo.search.solver import LOSS, WIN


def principal_variation(nodes, edges, node: int, longest: int) -> list[int]:
    """The best moves by `ranking` from a node on, at most `longest`, as points."""
    moves = []
    while len(moves) < longest and nodes[node]["count"]:
        first = nodes[node]["first"]
        block = edges[first:first + nodes[node]["count"]]
        best = block[ranking(block)[0]]
        if best["visits"] == 0 and best["lower"] < WIN:
            break
        moves.append(int(best["move"]))
        node = int(best["node"])
    return moves


def ranking(block: np.ndarray, lengths: np.ndarray | None = None) -> np.ndarray:
    """The indices of a node's edges, the best first: those without a proven mistake by visits, proven losses last.

    lengths: of the proofs of a won node, by node; the shortest win comes first.
    """
    keys = [-block["prior"], -block["visits"].astype(np.int64), block["upper"] == LOSS, is_proven_mistake(block)]
    if lengths is not None:
        keys.insert(-2, np.where((block["lower"] == WIN) & (block["node"] != NULL_NODE), lengths[block["node"]], 0))
    return np.lexsort(keys)


def is_proven_mistake(block: np.ndarray) -> np.ndarray:
    """bool (n,): which edges of a node must not be played: proven losses where another move is not, and where the value
    of the node is proven, those that may be worse."""
    lower, upper = block["lower"].max(initial=LOSS), block["upper"].max(initial=LOSS)
    return block["lower"] < lower if lower == upper else block["upper"] == LOSS
