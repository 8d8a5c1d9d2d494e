"""Monte Carlo tree search: UCT with RAVE, and PUCT, on one compiled tree.

Read in this order; each module opens with what it is:

    in and out   settings, avoided, result
    the tree     records, lazy_edges, tree, expansion, solver, compact, tree_arrays, atomics
    selection    formulas, puct, rave, gumbel, root_priors, root_symmetry
    the loop     search, threaded_growth, batched_growth, stopping, compile_ahead
    results      scores, lcb, move_infos

Imports games, and what a network's output is.  A network is any object that evaluates packed planes; players, clocks
and protocols are unknown here.
"""
