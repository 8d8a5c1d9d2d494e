"""The data set: games on disk at two bytes a move, positions drawn from it at random.

    dataset     the format, the split, shuffled batches of positions
    preprocess  archives -> data set                                  `mugo preprocess`
    summary     what is in a data set                                 `mugo show`
    export      planes and moves as .npy, for training elsewhere      `mugo export`

Imports sgf, plots and games; knows nothing of networks.
"""
