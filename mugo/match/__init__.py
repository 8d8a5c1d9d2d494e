"""Matches between players and GTP programs.  In reading order:

    options         the command line, and what the games of a match depend on
    gtp_client      a program that speaks GTP, driven over its pipes
    referee         one game: moves checked by the rules, clocks, faults
    openings        the games of a round robin or a gauntlet, and the positions that they start from
    game_runner     the running programs of one game at a time, and its score
    match_folder    the folder of a match: games.csv, SGF files, logs
    summary         games -> win rates, Elo, times and faults, as JSON or text
    tournament      the match                                         `mugo match`
"""
