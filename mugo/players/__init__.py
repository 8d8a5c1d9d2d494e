"""Players: position -> move.  In reading order:

    player (random, policy), searcher (uct, mcts), passing, time_control
    registry                  the table of players, and what each one needs
    play_options              how a searcher plays
    options                   command lines -> players and first positions
    evaluation                what a player thinks of a position: the search of a position, hints, estimates

Imports mcts; networks are opened on demand.  Does not know protocols or matches.
"""
