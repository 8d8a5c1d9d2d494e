"""AlphaZero-style self-play: a game -> a network, from nothing.

    parallel        many games at once, one network call for all of them; compiled
    replay_buffer   the games on disk, and the window that is trained on
    arena           a network against another one, and against plain UCT
    selfplay        the loop: play, train, evaluate                   `mugo selfplay`
"""
