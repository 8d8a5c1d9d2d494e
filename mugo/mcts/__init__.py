"""Monte Carlo tree search: UCT with RAVE, and PUCT, on one compiled tree.

Read in this order; each module opens with what it is:

    what a person asks for and gets    settings, root, result
    one search                         search, growth
    the tree                           records, tree, selection, expansion, solver, tree_arrays, atomics

Imports games, and what a network's output is.  A network is any object that evaluates packed planes; players, clocks
and protocols are unknown here.
"""
