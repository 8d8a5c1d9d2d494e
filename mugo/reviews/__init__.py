"""Reviews of recorded games, move by move: `mugo review`.

    move_review      MoveReview, Review: rank, win rate, loss and best move of every move
    end_of_game      the end of a game by its final score
    review           Reviewer, which makes a Review of a record
    report           tables, comments and CSV
    graph            the win-rate graph
    annotated_sgf    the game's SGF with comments and variations
    earlier          earlier reviews in the output folder
    tasks            the games to review in files, folders and archives
    player_rank      the rank of a player, estimated from all of its games
    options          what of the command line a review depends on
    outputs          one game: its review and its files
    command          the command: many games, several at once

Imports players, search, nn, sgf, plots and games.
"""
