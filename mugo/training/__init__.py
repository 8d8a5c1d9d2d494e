"""Supervised learning: data set -> network, and how well the network predicts.

    train           the training run                                  `mugo train`
    predictions     what a network predicts for positions of games
    calibration     whether its probabilities come true
    evaluate        network + data set -> accuracy tables             `mugo evaluate`

Imports data, nn and plots; knows nothing of search or players.
"""
