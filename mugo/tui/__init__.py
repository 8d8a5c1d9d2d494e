"""Playing in the terminal against any player (`mugo play`).  In reading order:

    options         the command line
    signals         Ctrl-C, which stops a search, and the signals after which a game is still saved
    session         the game between a person and a player
    commands        the commands that a person can type, and what each does
    play            the command, and the loop that reads lines

Imports no other user interface (web, gtp, analysis).
"""
