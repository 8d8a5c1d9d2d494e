"""Playing in the terminal against any player (`mugo play`).  In reading order:

    input           text -> point, or a suggestion for a typing error
    progress        stops a search at Ctrl-C and shows its progress
    score_dialog    agreement on the dead stones of a finished game
    session         the game between a person and a player
    commands        the commands that a person can type, and what each does
    signals         the signals after which a game is still saved
    repl            the loop that reads lines and runs commands
    play            the command line

Imports no other user interface (web, gtp, analysis).
"""
