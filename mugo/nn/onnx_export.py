"""Networks as ONNX graphs, from plain weights.  No Keras here.

    planes      uint8 (n, rows, columns, depth)                 policy  float32 (n, moves), probabilities
    point_bias  float32 (points,), of a policy network only     value   float32 (n,) in [-1, 1], of a value head

A policy network's graph takes boards of every size, for which its bias of each point is an input; a policy-value
network's takes one size.  Batch normalisation is folded into the convolutions.
"""
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mugo.games import game
from mugo.nn.blocks import NetworkSpec
from mugo.nn.inference import Network
from mugo.nn.onnx_graph import OnnxGraph


def to_onnx(weights: dict[str, list[np.ndarray]], spec: NetworkSpec) -> bytes:
    """The graph as an ONNX file's bytes.  weights: for each layer, by its name, as of OnnxGraph."""
    graph = OnnxGraph(weights)
    spec.onnx(graph)
    return graph.serialize()


def onnx_difference(model: Callable[[np.ndarray], dict], path: Path) -> float:
    """The largest difference of any output between ONNX Runtime and a model, on random planes: the first have a half of
    their bits set, the next a quarter and so on, so that outputs are not all saturated, and the last none.

    model: packed planes to logits under "policy" and a score (n, 1) under "value", as keras_model.build has them.
    path: a network's file, which holds the graph.
    """
    network = Network(path, threads=1)
    rng, shape = np.random.default_rng(0), (network.size ** 2, game.packed_bytes(network.game))
    packed = np.bitwise_and.accumulate(rng.integers(0, 256, (6, *shape), np.uint8))
    packed[-1] = 0
    outputs = {name: np.asarray(output) for name, output in model(packed).items()}
    found = network.evaluate_packed(packed)
    exp = np.exp(outputs["policy"] - outputs["policy"].max(1, keepdims=True))
    difference = float(np.abs(found.priors - exp / exp.sum(1, keepdims=True)).max())
    if found.values is not None:
        difference = max(difference, float(np.abs(found.values - np.tanh(outputs["value"][:, 0])).max()))
    return difference
