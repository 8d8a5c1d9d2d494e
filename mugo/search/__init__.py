"""Monte Carlo tree search: UCT and PUCT on one compiled tree.

    tree        select, expand, back up, advance the root; compiled
    search      position -> visits, win rates, principal variations, ownership

Knows no clock and no protocol; a network is any object that evaluates packed planes.
"""
