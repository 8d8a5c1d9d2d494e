"""Players: position -> move.  In reading order:

    player (random), policy, searcher (uct, mcts), passing, time_control
    options, game_options, katago_parameters         command lines -> players and first positions
    analyze                                          a search of a position, for every program that asks for one
    estimates, evaluator, move_losses                what a player thinks of a position
    rank_estimate                                    the rank of a person who played some games

Imports search; networks are opened on demand.  Does not know protocols or matches.
"""
