"""Players: position -> move.  In reading order:

    move_losses     what a move that loses so much is called: an inaccuracy, a mistake, a blunder
    time_control    main time and byo-yomi -> seconds for a move
    player          the Player protocol; random
    policy          policy, randompolicy: the network without search
    passing         when players pass, and when a game is over
    searcher        uct, mcts; resigning
    options         the options of a command line -> a player
    game_options    the options of a command line -> the first position
    katago_parameters   KataGo's names of parameters -> options
    estimates       what a network, or rollouts, say of moves, scores and ownership
    evaluator       position -> the moves worth considering and their win rates

Imports search; networks are opened on demand.  Does not know protocols or matches.
"""
