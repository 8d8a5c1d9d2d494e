"""Data sets: games stored as moves, two bytes each, and shuffled batches of their positions.  In reading order:

    game_hash         hashes that ignore rotation, reflection and colour: duplicates, the split
    shuffle           a permutation of all positions without memory
    final_ownership   who owns each point at the end of a game that was counted
    labels            the moves after a position, the outcome, komi and the final owners, for its side to move
    positions         batches of planes and labels
    query             what --where understands
    meta              meta.json: checksums of the files; the states of a data set
    array_files       moves.npy, setup.npy, owners.npy
    parquet_layout    what a Parquet file takes in memory
    table_file        games.parquet
    games_table       the columns of games.parquet; SGF files -> rows
    range_checks      every number that is an index
    dataset           the files of a data set; DataSet
    copies            copies of training games that the split cannot keep out
    parts             games that were read, before they are merged
    rejection         short, unselected and duplicate games
    merge             new games -> the data set's files
    preprocess        archives -> data set                                  `mugo preprocess`
    summary_tables    counts of games by source, rank, year, result, ...
    summary           these tables as text and charts                       `mugo show`
    export            planes and labels as .npy files                       `mugo export`

Imports sgf, plots, games and below.  Does not know networks, training or players.
"""
