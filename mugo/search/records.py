"""The records of the search tree's arrays: nodes, edges, the tree's settings, simulations under way.  See tree."""
import numpy as np

UCB, PUCT = 0, 1
MAX_DEPTH = 1024                         # moves from the root to a leaf
NULL_NODE = 0                            # where an edge leads whose node is not in the tree

NODE = np.dtype([
    ("key", np.uint64),                  # position_hash, or path_hash without transpositions
    ("total", np.float64),               # sum of values
    ("visits", np.int32),
    ("first", np.int32),                 # its first edge
    ("count", np.int16),                 # of its edges; 0: not expanded
    ("tried", np.int16),                 # edges visited so far where UCB1 visits each once first
    ("virtual_losses", np.uint16),       # simulations under way
    ("lower", np.int8),                  # bounds of its exact value: solver.LOSS to solver.WIN; proven where both are
    ("upper", np.int8),                  # equal
    ("scored", np.int32),                # leaves at and below it whose score is known; see scores
    ("score_mean", np.float32),          # in points
    ("score_square", np.float32),        # the mean of their squares
], align=True)

EDGE = np.dtype([
    ("node", np.int32),                  # where it leads; NULL_NODE until it is visited
    ("visits", np.int32),
    ("q", np.float32),
    ("prior", np.float32),
    ("virtual_losses", np.uint16),
    ("move", np.int16),
    ("lower", np.int8),                  # bounds of its exact value, for the side that moves
    ("upper", np.int8),
    ("may_repeat", np.bool_),            # superko may forbid it on some path
], align=True)

TREE = np.dtype([
    ("root", np.int64),
    ("n_nodes", np.int64), ("n_edges", np.int64),
    ("formula", np.int64),               # UCB or PUCT
    ("c", np.float64),                   # exploration constant
    ("fpu", np.float64),                 # first-play urgency, as w or q.  UCB1: inf visits every edge once first.
                                         # PUCT: nan takes the mean value of the node
    ("expand_after", np.int64),          # visits before a node is expanded
    ("has_priors", np.bool_),            # priors come from a network
    ("transpositions", np.bool_),        # one node for a position, whatever the path
    ("komi", np.float64),
    ("rollouts", np.int64),              # for each leaf
    ("rollout_kind", np.int64),
    ("mercy", np.int64),                 # lead in stones that ends a rollout
    ("lambda_", np.float64),             # the weight of rollouts in the value of a leaf
    ("depth_sum", np.int64),             # of all simulations
], align=True)


# A simulation between `select_batch` and `expand_and_backup`.
LEAF = np.dtype([
    ("length", np.int64),                # edges of its path
    ("node", np.int64),
    ("needs_evaluation", np.bool_),      # by the network, for priors and a value
    ("exact", np.bool_),                 # `value` is exact: the game is over, or the node is proven
    ("value", np.float64),               # for the side to move there
], align=True)
