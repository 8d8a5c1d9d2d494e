"""AlphaZero-style self-play (Silver et al. 2017, 2018): a network learns a game from nothing.  In reading order:

    options     the command line; options of the games and of the whole run
    parallel    many games at once, one network call for all of them; compiled
    actors      who plays the games: threads, or the workers of a cluster; a warm start by UCT
    replay      the games on disk, and the window of positions to train on
    arena       matches of a network against another one, and against plain UCT
    run         the loop: self-play, training, arena                         `mugo selfplay`

Imports players, mcts, nn, plots and games; must not import training, data or any program that plays.
"""
