"""AlphaZero-style self-play (Silver et al. 2017, 2018): a network learns a game from nothing.  In reading order:

    options         options of the games and of the whole run
    gumbel          Gumbel AlphaZero's choice of moves; compiled
    parallel        many games at once, one network call for all of them; compiled
    warm_start      games of UCT, to begin with
    replay_buffer   the games on disk
    replay_window   the positions to train on
    actors          who plays the games: threads, or the workers of a cluster
    arena           matches of a network against another one, and against plain UCT
    run_log         the tables, the learning curve and the TensorBoard log of a run
    run             the loop: self-play, training, arena
    selfplay        the command                                         `mugo selfplay`

Imports players, search, nn, plots and games; must not import training, data or any program that plays.
"""
