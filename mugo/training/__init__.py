"""Supervised learning: data set -> network, and how well the network predicts.

    options        the command lines, and the options of a training run
    loader         its positions and targets, and batches prefetched by threads
    provenance     what a network was trained on; whether other games are unseen by it
    loop           batch, step (compiled by TensorFlow or JAX), log; checkpoint, with validation and learning curve; a
                   run whose loss becomes infinite or NaN
    metrics        the log: a line of JSON for every hundred steps and every checkpoint
    train          the training run                                  `mugo train`
    label          what a teacher says of a data set                `mugo label`
    predictions    a network's predictions for positions of games, scored; their calibration
    evaluate       network + data set -> accuracy tables             `mugo evaluate`
    convert        a network as a file of ONNX                       `mugo convert`
    quantize       an int8 graph for a trained network               `mugo quantize`

Imports data, nn and plots; quantize imports players, for games that a network plays.  Must not import mcts.
"""
