"""The edges of a node as MoveInfos: win rates, bounds, scores and principal variations."""
import numpy as np

from mugo.search import ranking, scores, solver
from mugo.search.lcb import LCB_STDEVS, lower_confidence_bounds
from mugo.search.records import NULL_NODE
from mugo.search.result import MoveInfo
from mugo.search.stopping import root_moves

PV_LENGTH = 8                            # moves of a principal variation
PV_MOVES = 20                            # moves that get one


def move_infos(nodes: np.ndarray, edges: np.ndarray, block: np.ndarray, order: np.ndarray,
               lcb_stdevs: float = LCB_STDEVS, priors: np.ndarray | None = None) -> tuple[MoveInfo, ...]:
    """A MoveInfo for each edge of a node.

    nodes, edges: of the tree.  block: the edges of the node.  order: their indices in the order of the result.
    priors: of the edges; None as they stand.
    """
    priors = block["prior"] if priors is None else priors
    lcbs = (1 + lower_confidence_bounds(*root_moves(nodes, block), lcb_stdevs)) / 2
    lengths = (PV_LENGTH if rank < PV_MOVES else 1 for rank in range(len(order)))
    return tuple(_move_info(nodes, edges, block[i], float(priors[i]), float(lcbs[i]), length)
                 for i, length in zip(order.tolist(), lengths, strict=True))


def _move_info(nodes: np.ndarray, edges: np.ndarray, edge: np.ndarray, prior: float, lcb: float, moves: int
               ) -> MoveInfo:
    """An edge as a MoveInfo; moves: the length of its principal variation."""
    pv = [int(edge["move"])]
    if edge["visits"] and edge["node"] != NULL_NODE and moves > 1:
        pv += ranking.principal_variation(nodes, edges, int(edge["node"]), moves - 1)
    proven = int(edge["lower"]) if solver.is_proven(edge) else None
    value = float(edge["q"]) if proven is None else proven
    mean, stdev = (None, None) if edge["node"] == NULL_NODE else scores.score_of(nodes[edge["node"]])
    return MoveInfo(pv[0], prior, int(edge["visits"]), (1 + value) / 2, tuple(pv), proven,
                    None if mean is None else -mean, stdev, lcb)
