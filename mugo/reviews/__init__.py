"""Reviews of recorded games, move by move: `mugo review`.

    move_review      MoveReview, Review: rank, win rate, loss, verdict and best move of every move
    review           Reviewer, which makes a Review of a record
    report           tables, comments, CSV and the win-rate graph
    annotated_sgf    the game's SGF with comments and variations
    rank_estimate    the rank of a player, by a network, from several games
    tasks            the games to review in files, folders and archives; earlier reviews
    options          the command line, and what of it a review depends on
    outputs          options -> Reviewer; one game: its review and its files
    command          the command: many games, several at once
"""
