"""A person in the terminal against any player.

    input       what a person typed
    session     the board between a player and a person
    play        the command                                           `mugo play`
"""
