"""Monte Carlo tree search: UCT with RAVE, and PUCT, on one compiled tree.

    settings          the options of a search
    result            what a search returns: visits, win rates, principal variations, ownership
    records           the records of the tree's arrays
    solver            exact values: bounds of nodes and edges, proofs; compiled
    puct              PUCT with the terms of KataGo and Leela Zero; compiled
    gumbel            Gumbel AlphaZero: sequential halving, the improved policy; compiled
    rave              RAVE: AMAF values, their schedule; compiled
    atomics           atomic operations and locks; compiled
    formulas          which edge a simulation follows: UCB1, RAVE, PUCT, Gumbel; compiled
    expansion         nodes get their edges and priors; compiled
    tree              select, evaluate, back up; compiled
    compact           the next position as the root; compiled
    tree_arrays       the arrays of a tree, how they grow, and its root
    scores            the scores of a network in the tree; compiled
    lcb               lower confidence bounds of values
    stopping          the limits of a search, and choices that are decided before them
    root_priors       policy temperature and Dirichlet noise
    move_infos        the order of moves; edges -> MoveInfos, with principal variations
    threaded_growth   growth without a network, by threads on one tree
    batched_growth    growth with a network, by batches of leaves
    search            the loop: position -> result

Imports games, and what a network's output is.  A network is any object that evaluates packed planes; players, clocks
and protocols are unknown here.
"""
