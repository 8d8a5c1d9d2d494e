"""Reviews of recorded games, move by move.

    review      what was expected, what was better, what each move cost
    report      tables, CSV, commented SGF, win-rate graph
    command     games reviewed, several at once                       `mugo analyze`
"""
