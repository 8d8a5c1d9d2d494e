"""Monte Carlo tree search: UCT and PUCT on one compiled tree.  In reading order:

    settings            the options of a search
    result              what a search returns: SearchResult, MoveInfo
    tree                select, expand, back up, advance the root; compiled
    network_rollouts    rollouts in which the network plays both sides
    search              position -> visits, win rates, principal variations, ownership

Imports games.  Does not know players, clocks or protocols; a network is any object that evaluates packed planes.
"""
