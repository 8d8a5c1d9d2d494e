"""The moves of a node, the best first, proven mistakes last, as MoveInfos: win rates, bounds, scores, variations."""
import numpy as np

from mugo.mcts import scores
from mugo.mcts.lcb import LCB_STDEVS, lower_confidence_bounds
from mugo.mcts.records import NULL_NODE
from mugo.mcts.result import MoveInfo
from mugo.mcts.solver import LOSS, WIN
from mugo.mcts.stopping import root_moves

PV_LENGTH = 8                            # moves of a principal variation
PV_MOVES = 20                            # moves that get one


def move_infos(nodes: np.ndarray, edges: np.ndarray, block: np.ndarray, lengths: np.ndarray | None = None,
               lcb_stdevs: float = LCB_STDEVS, priors: np.ndarray | None = None) -> tuple[MoveInfo, ...]:
    """A MoveInfo for each edge of a node, by `ranking`.  nodes, edges: of the tree.  block: the edges of the node.
    lengths: as in ranking.  priors: of the edges; None as they stand."""
    order = ranking(block, lengths)
    priors = block["prior"] if priors is None else priors
    lcbs = (1 + lower_confidence_bounds(*root_moves(nodes, block), lcb_stdevs)) / 2
    pv_lengths = (PV_LENGTH if rank < PV_MOVES else 1 for rank in range(len(order)))
    return tuple(_move_info(nodes, edges, block[i], float(priors[i]), float(lcbs[i]), length)
                 for i, length in zip(order.tolist(), pv_lengths, strict=True))


def _move_info(nodes: np.ndarray, edges: np.ndarray, edge: np.ndarray, prior: float, lcb: float, moves: int
               ) -> MoveInfo:
    """An edge as a MoveInfo; moves: the length of its principal variation."""
    pv = [int(edge["move"])]
    if edge["visits"] and edge["node"] != NULL_NODE and moves > 1:
        pv += principal_variation(nodes, edges, int(edge["node"]), moves - 1)
    proven = int(edge["lower"]) if edge["lower"] == edge["upper"] else None
    mean, stdev = (None, None) if edge["node"] == NULL_NODE else scores.score_of(nodes[edge["node"]])
    of_score = 0.0 if mean is None or proven is not None else -scores.utility_of_score(nodes[edge["node"]])
    win_rate = (1 + float(edge["q"]) - of_score) / 2 if proven is None else (1 + proven) / 2
    return MoveInfo(pv[0], prior, int(edge["visits"]), min(max(win_rate, 0.0), 1.0), tuple(pv), proven,
                    None if mean is None else -mean, stdev, lcb, of_score)


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
    lengths: of the proofs of a won node, by node; the shortest win comes first."""
    keys = [-block["prior"], -block["visits"].astype(np.int64), block["upper"] == LOSS, is_proven_mistake(block)]
    if lengths is not None:
        keys.insert(-2, np.where((block["lower"] == WIN) & (block["node"] != NULL_NODE), lengths[block["node"]], 0))
    return np.lexsort(keys)


def is_proven_mistake(block: np.ndarray) -> np.ndarray:
    """bool (n,): which edges of a node must not be played: proven losses where another move is not, and where the value
    of the node is proven, those that may be worse."""
    lower, upper = block["lower"].max(initial=LOSS), block["upper"].max(initial=LOSS)
    return block["lower"] < lower if lower == upper else block["upper"] == LOSS
