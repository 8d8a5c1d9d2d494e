"""Matches between players and GTP programs.  In reading order:

    gtp_client      a program that speaks GTP, driven over its pipes
    time_systems    --time, and the GTP commands that announce it
    openings        the positions that the games of a match start from
    referee         one game: moves checked by the rules, clocks, faults
    pairings        the games of a round robin or a gauntlet
    game_runner     the running programs of one game at a time, and its score
    match_folder    the folder of a match: games.csv, SGF files, logs
    ratings         win rate <-> Elo; Bradley-Terry ratings
    summary         games -> the summary of a match, as JSON or text
    tournament      the match                                         `mugo match`

Imports players, sgf, games and below; must not import gtp, web, tui, review, analysis, training or selfplay.
"""
