"""Playing in the terminal against any player (`mugo play`).  In reading order:

    options         the command line
    signals         Ctrl-C, which stops a search, and the signals after which a game is still saved
    session         the game between a person and a player
    commands        the commands that a person can type, and what each does
    repl            the loop that reads lines and runs commands
    play            the command

Imports no other user interface (web, gtp, analysis).
"""
