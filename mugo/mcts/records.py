"""The records of the search tree's arrays: nodes, edges, the tree with its parameters, simulations under way.

Which threads may write a field, and how, stands with it.  What the arrays mean: tree.
"""
from typing import Any

import numpy as np
from mugo.games.board import POINTS
from numba import from_dtype

MAX_DEPTH = 1024                         # moves from the root to a leaf
NULL_NODE = 0                            # where an edge leads whose node is not in the tree

NODE = np.dtype([
    ("key", np.uint64),                  # game.position_hash; constant
    # Added atomically.
    ("total", np.float64),               # sum of values
    ("visits", np.int32),
    ("first", np.int32),                 # its first edge: written under the lock, published by `count`
    ("count", np.int16),                 # of its edges; 0: not expanded.  Written last, after a release fence
    ("moves", np.int16),                 # of its side to move; more than `count` where edges are lazy (expansion)
    ("listed", np.int16),                # those of its list of moves and priors
    ("list", np.int32),                  # where the list begins in the array of the edges
    ("tried", np.int16),                 # edges visited so far where UCB1 visits each once first; added atomically
    ("expanding", np.bool_),             # a thread is writing its edges
    ("evaluated", np.bool_),             # by a network when it got no edges: the game is over, or the tree was full
    ("virtual_losses", np.uint16),       # simulations under way; added atomically
    # Written under the lock.
    ("lower", np.int8),                  # bounds of its exact value: solver.LOSS to solver.WIN; proven where both are
    ("upper", np.int8),                  # equal
    # Refreshed without a lock, each a mean that may miss what another thread adds at that moment.
    ("scored", np.int32),                # leaves at and below it whose score is known; see tree
    ("score_mean", np.float32),          # in points
    ("score_square", np.float32),        # the mean of their squares
    ("score_utility", np.float32),       # the mean part of their values that is for the score
    ("value_square", np.float32),        # the mean of the squares of the values whose sum is `total`
    ("raw_value", np.float32),           # by the network, of the node itself
], align=True)

_EDGE = np.dtype([
    ("node", np.int32),                  # where it leads; NULL_NODE until it is visited.  Written under the lock
    ("visits", np.int32),                # added atomically
    ("q", np.float32),                   # refreshed without a lock, as rave_visits and rave_q are
    ("prior", np.float32),
    ("rave_visits", np.float32),         # simulations, and virtual visits of the heuristic prior; see selection
    ("rave_q", np.float32),              # their mean value
    ("virtual_losses", np.uint16),       # added atomically
    ("move", np.int16),                  # constant, as `may_repeat` is, and outside the root `prior`
    ("lower", np.int8),                  # bounds of its exact value, for the side that moves; under the lock
    ("upper", np.int8),
    ("may_repeat", np.bool_),            # it may repeat a position on some path: superko forbids it there
    ("allowed", np.bool_),               # whether it may be selected: at the root some are not, elsewhere all are
], align=True)

# The place of an edge can hold a part of a list of moves and priors instead: see expansion.
LISTED_IN_EDGE = 5
_FIELDS: Any = {**(_EDGE.fields or {}), "listed_priors": ((np.float32, LISTED_IN_EDGE), 0),
                "listed_moves": ((np.int16, LISTED_IN_EDGE), 4 * LISTED_IN_EDGE)}
EDGE = np.dtype(_FIELDS, align=True)

# The options of a search as the kernels read them: constant during a search.  Names are the same as in
# settings.Settings.
PARAMS = np.dtype([
    # Addresses of compiled functions of the game and the formula, 0 where the search does not call one.
    ("select_child", np.int64),          # see selection
    ("write_edges", np.int64), ("expand", np.int64),     # see expansion
    ("play", np.int64), ("forced_move", np.int64), ("roll_out", np.int64),       # see game.SIGNATURES
    ("write_heuristic_priors", np.int64), ("write_planes", np.int64),
    ("c", np.float64),
    ("fpu", np.float64),                 # UCB1: inf visits every edge once first.  PUCT: nan takes the mean value of
                                         # the node minus the reduction
    ("cpuct_exploration_log", np.float64), ("cpuct_exploration_base", np.float64),
    ("fpu_reduction_max", np.float64), ("root_fpu_reduction_max", np.float64),
    ("expand_after", np.int64),
    ("has_priors", np.bool_),            # priors come from a network
    ("lazy_edges", np.bool_),            # see expansion; with PUCT only
    ("max_pass_prior", np.float32),
    ("unsettled_prior", np.float32),
    ("is_unsettled", np.int8, POINTS),   # 1: its move shares unsettled_prior.  None before a game is nearly over
    ("rave", np.bool_),
    ("rave_bias", np.float64),
    ("heuristic_priors", np.bool_),
    ("rollouts", np.int64),
    ("rollout_kind", np.int64),          # rollouts.UNIFORM or MOGO
    ("lambda_", np.float64),             # the weight of rollouts in the value of a leaf
    ("komi", np.float64),                # of the root's game (position.white_points)
    ("simple_ko", np.bool_),             # of the root's game: a repetition is legal, and no result
    ("mercy", np.int64),                 # lead in stones that ends a rollout
    ("avoids", np.bool_),                # whether avoid_until has any; of Go
    ("avoid_until", np.int32, 2 * POINTS),               # AvoidedMoves.until
], align=True)

TREE = np.dtype([
    # The lock, what is added atomically or under the lock, and what is only read are on cache lines of their own.
    ("lock", np.int64),                  # of nodes and edges that are added, and of bounds; see tree
    ("padding", np.int64, 7),
    ("simulations_left", np.int64),      # of those that the threads share
    ("n_nodes", np.int64), ("n_edges", np.int64),
    ("depth_sum", np.int64),             # of all simulations
    ("more_padding", np.int64, 4),
    # Constant during a search.
    ("root", np.int64),                  # its node
    ("shared", np.bool_),                # whether several threads use the tree at once
    ("is_restricted", np.bool_),         # whether moves were asked for at the root:
    ("asked", np.int8, POINTS),          # 1: these get edges there, also what expansion leaves out elsewhere
    ("params", PARAMS),
], align=True)


TREE_TYPE, NODE_TYPE, EDGE_TYPE = from_dtype(TREE), from_dtype(NODE), from_dtype(EDGE)
BLANK_NODE = np.zeros(1, NODE)           # a node that was never visited: nothing is known of its value
BLANK_NODE["lower"], BLANK_NODE["upper"] = -1, 1

# A simulation between `select_batch` and `expand_and_backup`.
LEAF = np.dtype([
    ("length", np.int64),                # edges of its path
    ("node", np.int64),
    ("needs_evaluation", np.bool_),      # by the network, for priors and a value
    ("only", np.int64),                  # the only move that has to be considered (forced_move), or 0
    ("known", np.bool_),                 # whether `value` is known at selection: exact, or that of an edge without node
    ("has_network", np.bool_),           # whether it has a value by the network:
    ("network", np.float64),             # v + f u
    ("rollout", np.float64),             # z, the mean outcome of its rollouts
    ("value", np.float64),               # of the simulation.  All are for the side to move there
], align=True)
