"""Networks: their architectures, files, losses and optimizers, and inference with ONNX Runtime.

Without Keras, in reading order:

    graph              the operations that networks are made of
    people             who plays: ranks, source and year as inputs
    blocks             the blocks of networks
    heads              the heads: policy, and AlphaZero's value
    context_module     dilated convolutions after the trunk, for the value head and the policy
    value_head         who wins, by how many points, and who owns each point
    policy_net         the policy network: its hyperparameters, and its blocks
    alphazero_net      the policy-value network of self-play, likewise
    weights            names, shapes and group action of a network's weights
    quantization       static quantisation to int8: scales of tensors and weights
    tensor_file        tensors and metadata as one safetensors file
    metadata           a network's game, board, input planes, architecture and training
    network_file       a network's weights and metadata, read from its file
    bundled            the networks that come with MuGo
    presets            architectures by name
    cost               multiplications of a network, and the peak of devices
    onnx_file          the format of ONNX files
    onnx_graph         a network as an ONNX graph
    runtime            execution providers and precisions of ONNX Runtime
    output             what a network says of positions; turned back and averaged over symmetries
    inference          a trained network on ONNX Runtime: positions in, priors and values out
    batching           the positions of several threads in one batch
    caching            evaluations that are remembered
    range_calibration  the quantised graph: ranges of tensors, measured on positions, and what it loses

With Keras:

    backend            imports Keras; the only module that does
    devices            data parallelism on several devices
    components         chains and regions of empty points, from packed planes; compiled
    layers             MuGo's own layers
    equivariance       group convolutions by tied weights
    keras_model        a network as a Keras model
    losses             losses and metrics
    optimizers         Muon and Adam, with weight averaging; the learning-rate schedule
    processes          Ctrl-C between two training steps; several processes that train one model
    compile            losses, metrics and optimizer of a model; self-play's training step
    tensorboard_log    a log of training and of self-play for TensorBoard
    weight_averaging   the averaged model, with batch-norm statistics recalibrated
    checkpoint         networks and training runs as files
    transfer           initialising a network from another; Net2Net widening

Imports games and sgf; must not import data sets, search or players.
"""
