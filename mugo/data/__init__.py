"""Data sets: games stored as moves, two bytes each, and shuffled batches of their positions.  In reading order:

    options           the command lines
    download          archives behind a page of links                       `mugo download`
    game_hash         hashes that ignore rotation, reflection and colour: duplicates, the split; the shuffled order
    labels            the moves after a position, the outcome, komi and the final ownership, for its side to move
    games_table       the columns of games.parquet, and the file; SGF files -> rows; queries of --where
    shards            a shard: the files of some games; meta.json: options, sources, shards, checksums
    selection         games of a data set, read from the mapped files
    positions         batches of planes and labels
    teacher_labels    a teacher's policy, win rate and ownership of positions: NAME.labels
    dataset           DataSet: the shards of a folder
    unmerged          the files of archives that a data set does not have yet; their games, before they are merged
    duplicates        which games are duplicates, among new and old ones, and copies in another split
    preprocess        archives -> games -> new shards                       `mugo preprocess`
    summary           counts of games, as text and charts                   `mugo show`
    export            planes and labels as .npy files                       `mugo export`

Imports sgf, plots, games and below.  Does not know networks, training or players.
"""
