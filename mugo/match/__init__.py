"""Matches between players and GTP programs.

    gtp_client      any program that speaks GTP, driven over its pipes
    openings        how the games of a match begin
    referee         one game: rules, clock, faults
    ratings         Elo and rating tables
    tournament      the match                                         `mugo match`
"""
