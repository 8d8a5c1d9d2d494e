"""Networks: their architectures, files, and inference with ONNX Runtime; and with Keras (mugo.nn.keras) their training.

Without Keras, in reading order:

    inputs         inputs of networks besides the planes: who plays, a bias for each point
    int8_kernels   layers on one core, as a browser's tab computes them; compiled
    graph          the operations that networks are made of, and the weights that follow from them
    blocks         the blocks of networks
    heads          the heads: policy, and value with score and ownership
    architectures  hyperparameters -> blocks: policy networks, policy-value networks, presets
    onnx_graph     a network as an ONNX graph, in float32 or int8
    steps          a network as steps of these layers
    network_file   a network's weights and metadata, and its file
    output         what a network says of positions; turned back and averaged over symmetries
    inference      a network on ONNX Runtime: positions in, priors and values out
    bundled        the networks that come with MuGo
    caching        networks that remember evaluations, and that batch those of several threads
    quantization   int8: ranges of tensors, measured on positions, and what is lost

Imports games and sgf; must not import data sets, search or players.
"""
