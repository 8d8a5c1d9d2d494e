"""Players: position -> move.  In reading order:

    player (random), policy, searcher (uct, mcts), passing, time_control
    options, game_options, katago_parameters         command lines -> players and first positions
    estimates, evaluator, move_losses                what a player thinks of a position
    rank_estimate                                    the rank of a person who played some games

Imports search; networks are opened on demand.  Does not know protocols or matches.
"""
