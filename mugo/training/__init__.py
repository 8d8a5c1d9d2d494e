"""Supervised learning: data set -> network, and how well the network predicts.

    options        the options of a training run
    loader         its positions and targets, and batches prefetched by threads
    kernel_norms   norms of kernels, and how far training turns them
    checkpoints    validation, checkpoints, learning curve; a run whose loss becomes infinite or NaN
    step_log       a line of JSON for every hundred steps
    provenance     what a network was trained on; whether other games are unseen by it
    steps          a training step, compiled by TensorFlow or JAX
    loop           batch, step, log, checkpoint
    train          the training run
    command        its command line                                  `mugo train`
    analysis_program    a program that speaks KataGo's analysis protocol
    label          what it, or a network, says of a data set         `mugo label`
    predictions    a network's predictions for positions of games, scored; their calibration
    evaluate       network + data set -> accuracy tables             `mugo evaluate`
    quantize       an int8 graph for a trained network               `mugo quantize`
    convert        a network as a file of ONNX or Keras              `mugo convert`

Imports data, nn and plots; quantize imports players, for games that a network plays.  Must not import search.
"""
