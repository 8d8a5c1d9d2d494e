"""Players: position -> move.

    time_control    main time and byo-yomi -> seconds for a move
    passing         when a player that searches passes
    player          random, policy, randompolicy, uct, mcts
    game_options    the first position of a command line's game
    evaluator       position -> the moves worth considering and their win rates

Imports search; networks are opened on demand.
"""
