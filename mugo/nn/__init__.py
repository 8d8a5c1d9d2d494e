"""Networks: their architectures, files, losses and optimizers, and inference with ONNX Runtime.

    inference       a trained network, opened with ONNX Runtime; no Keras
    onnx_export     networks as ONNX graphs
    backend         Keras; the only module that imports it
    equivariance    group convolutions by tied weights
    losses          losses, learning-rate schedules, optimizers
    alphazero_net   the policy-value network of self-play
    policy_net      the policy network

Imports games; knows nothing of data sets, search or players.
"""
