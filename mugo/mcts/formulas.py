"""The selection formulas of the tree: which edge of a node a simulation follows.  Compiled.

    UCB1     w + c sqrt(ln N / n)              w = (1 + q) / 2    Auer et al. 2002, Kocsis and Szepesvari 2006
    RAVE     w + c sqrt(ln N / (n + 1))        w of q and rave_q: rave     Gelly and Silver 2007
    PUCT     q + c prior sqrt(N) / (1 + n)     and more: puct     Silver et al. 2016
    GUMBEL   see gumbel                                           Danihelka et al. 2022

with n the visits of an edge, N those of its node, q the mean value of the edge from -1 to 1.  A simulation under way
counts as a loss for the side that moved (virtual loss), in q and in rave_q, so that the simulations of a batch spread
out.  Edges that are proven to lose are not selected while there are others.  The tree calls the formula of a search by
its address, so that only this one is compiled.

Arrays as in tree.
"""
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import Signature

from mugo.core.jit import subroutine
from mugo.games.addresses import BOARD_TYPE, address_of, caller
from mugo.games.game import SIGNATURES, function_of
from mugo.mcts.atomics import fetch_add
from mugo.mcts.expansion import EXPAND, WRITE_EDGES, expand_by_rollouts, write_edges
from mugo.mcts.gumbel import gumbel_child, gumbel_root_child
from mugo.mcts.puct import puct_child
from mugo.mcts.rave import rave_child
from mugo.mcts.records import EDGE_TYPE, GUMBEL, NODE_TYPE, PUCT, TREE_TYPE
from mugo.mcts.solver import LOSS, is_proven, may_select, q_under_loss


@subroutine
def _untried_edge(tree, node, edges, losing, b, history):
    """The next edge of a node that visits each of them once first; -1 when all are tried."""
    while node.tried < node.count:
        tried = np.int64(fetch_add(node, "tried", 1, tree.shared))
        if tried >= node.count:                          # another thread has had the last one
            break
        i = np.int64(node.first) + tried
        if may_select(edges[i], losing, b, history, True):
            return i
    return -1


@subroutine
def _ucb_child(tree, node, edges, losing, b, history, check_superko):
    """The edge of a node that maximises UCB1."""
    first = np.int64(node.first)
    end = first + np.int64(node.count)
    best = np.float32(-np.inf)
    chosen = end - 1
    c = np.float32(tree.params.c)
    log = np.log(np.float32(max(node.visits + node.virtual_losses, 1)))
    unvisited = np.float32(tree.params.fpu)
    for i in range(first, end):
        edge = edges[i]
        n = np.float32(edge.visits + edge.virtual_losses)
        if n > 0:
            q = q_under_loss(edge, np.float32(edge.virtual_losses), n)
            u = np.float32(0.5) + np.float32(0.5) * q + c * np.sqrt(log / n)
        else:
            u = unvisited
        if u > best and may_select(edge, losing, b, history, check_superko):
            best = u
            chosen = i
    return chosen


@subroutine
def _losing(node):
    """The upper bound up to which the edges of a node are left out: all are looked at in a proven root that is searched
    on."""
    return LOSS - 1 if is_proven(node) else LOSS


@subroutine
def _select_by_puct(tree, nodes, edges, v, b, history, check_superko):
    return puct_child(tree, nodes, edges, v, _losing(nodes[v]), b, history, check_superko)


@subroutine
def _select_by_gumbel(tree, nodes, edges, v, b, history, check_superko):
    if v == tree.root:
        return gumbel_root_child(tree, nodes[v], edges, _losing(nodes[v]), b, history, check_superko)
    return gumbel_child(tree, nodes[v], edges, _losing(nodes[v]), b, history, check_superko)


@subroutine
def _select_by_rave(tree, nodes, edges, v, b, history, check_superko):
    return rave_child(tree, nodes[v], edges, _losing(nodes[v]), b, history, check_superko)


@subroutine
def _select_by_ucb(tree, nodes, edges, v, b, history, check_superko):
    if tree.params.fpu == np.inf:
        i = _untried_edge(tree, nodes[v], edges, _losing(nodes[v]), b, history)
        if i >= 0:
            return i
    return _ucb_child(tree, nodes[v], edges, _losing(nodes[v]), b, history, check_superko)


SELECT_CHILD = types.int64(TREE_TYPE, types.Array(NODE_TYPE, 1, "C"), types.Array(EDGE_TYPE, 1, "C"), types.int64,
                           BOARD_TYPE, types.uint64[::1], types.boolean)
_call_select_child = caller(SELECT_CHILD)


@subroutine
def select_child(tree, nodes, edges, v, b, history, check_superko):
    """The edge of v that maximises the formula.  check_superko: among those that repeat no position."""
    return _call_select_child(tree.params.select_child, tree, nodes, edges, v, b, history, check_superko)


def called_by_address(params: np.void, game: str) -> dict[str, tuple[Any, Signature]]:
    """The functions that a search with these records.PARAMS calls of its formula and of its game, "go" or "gomoku",
    with their signatures, by the names of the fields that get their addresses."""
    select = (_select_by_puct if params["formula"] == PUCT else _select_by_gumbel if params["formula"] == GUMBEL else
              _select_by_rave if params["rave"] or params["heuristic_priors"] else _select_by_ucb)
    called = {"select_child": (select, SELECT_CHILD), "write_edges": (write_edges, WRITE_EDGES)}
    if not params["has_priors"]:
        called["expand"] = expand_by_rollouts, EXPAND
    is_used = {"roll_out": params["lambda_"] > 0 or not params["has_priors"],
               "write_heuristic_priors": params["heuristic_priors"],
               "write_planes": params["has_priors"]}
    return called | {name: function_of(game, name, int(params["rollout_kind"]))
                     for name in SIGNATURES if is_used.get(name, True)}


def set_addresses(params: np.void, game: str) -> None:
    """Compile what `called_by_address` names, or load it from numba's cache, and set the addresses in params."""
    called = called_by_address(params, game)
    for name in "select_child", "write_edges", "expand", *SIGNATURES:
        params[name] = address_of(*called[name]) if name in called else 0
