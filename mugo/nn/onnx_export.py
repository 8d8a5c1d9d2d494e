"""Networks as ONNX graphs, from plain weights.  No Keras here.

    inputs                                                      outputs
    planes      uint8 (n, rows, columns, depth)                 policy       float32 (n, moves), probabilities
    point_bias  float32 (points,), of a policy network only     value        float32 (n,) in [-1, 1], of a value head
    global_features   float32 (n, 2), of such a value head      ownership    float32 (n, points) in [-1, 1]
                (value_head.py), as the three outputs beside    score_mean   float32 (n,), points
                it; see games.position.global_features          score_stdev  float32 (n,), points

A policy network's graph takes boards of every size, for which its bias of each point is an input; a policy-value
network's takes one size.  Batch normalisation is folded into the convolutions.
"""
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mugo.games import game
from mugo.nn.blocks import NetworkSpec, model_inputs
from mugo.nn.inference import Network
from mugo.nn.onnx_graph import OnnxGraph
from mugo.nn.quantization import Ranges
from mugo.nn.value_head import STDEV_OF_SCALE


def to_onnx(weights: dict[str, list[np.ndarray]], spec: NetworkSpec, ranges: Ranges | None = None,
            corrections: Mapping[str, np.ndarray] = MappingProxyType({}), extra_outputs: Iterable[str] = (),
            extra_vectors: Iterable[str] = ()) -> bytes:
    """The graph as an ONNX file's bytes.  weights (for each layer, by its name), ranges, corrections: as of OnnxGraph.

    extra_outputs: tensors (n, filters, rows, columns) that are outputs too; extra_vectors: the same, (n, units).
    """
    graph = OnnxGraph(weights, ranges, corrections)
    spec.onnx(graph)
    for tensor in extra_outputs:
        graph.output(tensor, ["n", f"{tensor}_filters", "rows_out", "columns_out"])
    for tensor in extra_vectors:
        graph.output(tensor, ["n", f"{tensor}_units"])
    return graph.serialize()


def onnx_difference(model: Callable[[Any], dict], path: Path) -> float:
    """The largest difference of any output between ONNX Runtime and a model, on random planes: the first have a half of
    their bits set, the next a quarter and so on, so that outputs are not all saturated, and the last none.  Of scores,
    which are in points, a hundredth of the difference.

    model: what keras_model.build returns.  path: a network's file, which holds the graph.
    """
    network = Network(path, threads=1, precision="float32")
    rng, shape = np.random.default_rng(0), (network.size ** 2, game.packed_bytes(network.game))
    packed = np.bitwise_and.accumulate(rng.integers(0, 256, (6, *shape), np.uint8))
    packed[-1] = 0
    features = np.linspace([-8, -1], [8, 1], len(packed), dtype=np.float32) if network.needs_global_features else None
    inputs = model_inputs(packed, features, network.needs_components)
    outputs = {name: np.asarray(output, np.float64) for name, output in model(inputs).items()}
    exp = np.exp(outputs["policy"] - outputs["policy"].max(1, keepdims=True))
    expected = [exp / exp.sum(1, keepdims=True)]
    if "value" in outputs:
        expected.append(np.tanh(outputs["value"][:, 0]))
    if "score" in outputs:
        mean, scale = outputs["score"].T
        expected += [np.tanh(outputs["ownership"]), mean / 100, scale * STDEV_OF_SCALE / 100]
    found = [output / 100 if name.startswith("score") else output
             for name, output in network.evaluate_packed(packed, features)._asdict().items() if output is not None]
    return max(float(np.abs(a - b).max()) for a, b in zip(found, expected, strict=True))
