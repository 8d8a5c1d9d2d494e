"""The records of the search tree's arrays: nodes, edges, the tree's settings, simulations under way.  See tree."""
import numpy as np

from mugo.games.board import POINTS

UCB, PUCT, GUMBEL = 0, 1, 2              # selection formulas
MAX_DEPTH = 1024                         # moves from the root to a leaf
NULL_NODE = 0                            # where an edge leads whose node is not in the tree

NODE = np.dtype([
    ("key", np.uint64),                  # position_hash, or path_hash without transpositions
    ("total", np.float64),               # sum of values
    ("visits", np.int32),
    ("first", np.int32),                 # its first edge
    ("count", np.int16),                 # of its edges; 0: not expanded
    ("tried", np.int16),                 # edges visited so far where UCB1 visits each once first
    ("expanding", np.bool_),             # a thread is writing its edges
    ("evaluated", np.bool_),             # by a network when it got no edges: the game is over, or the tree was full
    ("virtual_losses", np.uint16),       # simulations under way
    ("lower", np.int8),                  # bounds of its exact value: solver.LOSS to solver.WIN; proven where both are
    ("upper", np.int8),                  # equal
    ("scored", np.int32),                # leaves at and below it whose score is known; see scores
    ("score_mean", np.float32),          # in points
    ("score_square", np.float32),        # the mean of their squares
    ("value_square", np.float32),        # the mean of the squares of the values whose sum is `total`
    ("raw_value", np.float32),           # of its own evaluation when it was expanded; by the network if `evaluated`
], align=True)

EDGE = np.dtype([
    ("node", np.int32),                  # where it leads; NULL_NODE until it is visited
    ("visits", np.int32),
    ("q", np.float32),
    ("prior", np.float32),
    ("rave_visits", np.float32),         # simulations, and virtual visits of the heuristic prior; see rave
    ("rave_q", np.float32),              # their mean value
    ("virtual_losses", np.uint16),
    ("move", np.int16),
    ("lower", np.int8),                  # bounds of its exact value, for the side that moves
    ("upper", np.int8),
    ("may_repeat", np.bool_),            # superko may forbid it on some path
], align=True)

TREE = np.dtype([
    ("lock", np.int64),                  # of nodes and edges that are added, and of bounds; see tree
    ("simulations_left", np.int64),      # of those that the threads share
    ("n_nodes", np.int64), ("n_edges", np.int64),
    ("depth_sum", np.int64),             # of all simulations
    # What threads write is above, what they only read is below, on other cache lines.
    ("gumbel", np.float32, POINTS),      # GUMBEL: noise of the root's edges, in their order
    ("shared", np.bool_),                # whether several threads use the tree at once
    ("root", np.int64),
    ("formula", np.int64),               # UCB, PUCT or GUMBEL
    ("c", np.float64),                   # exploration constant
    ("fpu", np.float64),                 # first-play urgency, as w or q.  UCB1: inf visits every edge once first.
                                         # PUCT: nan takes the mean value of the node minus the reduction
    ("c_log", np.float64), ("c_base", np.float64),       # PUCT: growth of c with visits; see puct
    ("fpu_reduction", np.float64),       # PUCT: below the root
    ("root_fpu_reduction", np.float64),
    ("c_visit", np.float64), ("c_scale", np.float64),    # GUMBEL: the weight of values; see gumbel
    ("considered", np.int64),            # GUMBEL: moves in the first round at the root
    ("budget", np.int64),                # GUMBEL: simulations in all rounds
    ("expand_after", np.int64),          # visits before a node is expanded
    ("has_priors", np.bool_),            # priors come from a network
    ("max_pass_prior", np.float32),      # of the pass; see expansion
    ("rave", np.bool_),                  # AMAF values are kept
    ("rave_bias", np.float64),
    ("heuristic_priors", np.bool_),      # AMAF values begin with virtual visits
    ("transpositions", np.bool_),        # one node for a position, whatever the path
    ("komi", np.float64),
    ("rollouts", np.int64),              # for each leaf
    ("rollout_kind", np.int64),
    ("mercy", np.int64),                 # lead in stones that ends a rollout
    ("lambda_", np.float64),             # the weight of rollouts in the value of a leaf
], align=True)


# A simulation between `select_batch` and `expand_and_backup`.
LEAF = np.dtype([
    ("length", np.int64),                # edges of its path
    ("node", np.int64),
    ("needs_evaluation", np.bool_),      # by the network, for priors and a value
    ("only", np.int64),                  # the only move that has to be considered (game.forced_move), or 0
    ("known", np.bool_),                 # `value` needs no rollout: it is exact, or that of an edge without a node
    ("value", np.float64),               # for the side to move there
], align=True)
