"""Quantises a trained network: measures ranges of its tensors for the int8 graph (onnx_graph.py), and what it loses.

    positions -- the first CALIBRATED --> float32 graph --> ranges, corrections of layers --> int8 graph
         '------ the next COMPARED -----> both graphs ---> metrics

The metrics, as `metadata["quantization"]["metrics"]` has them; * where the targets are known, of both graphs:

    top1_agreement      how often the first moves of both are the same
    kl                  Kullback-Leibler divergence of int8's priors from float32's, in nats
    value_difference, ownership_difference, score_difference     root mean square, the score's in points
    top1, ce, value_mse *                                        of float32; of int8: top1_int8, ce_int8, value_mse_int8

Ranges are the least and the greatest values.
"""
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mugo.core.files import BadInput
from mugo.nn.architectures import config_of
from mugo.nn.graph import (
    INT8_BIAS,
    INT8_KERNEL,
    ORIENTATIONS,
    REGULAR,
    TWO_REGULAR,
    UNTIED,
    Weights,
    is_of_int8,
    weight_axes,
)
from mugo.nn.heads import POINTS_UNIT
from mugo.nn.inference import Network
from mugo.nn.network_file import read_network, write_tensors
from mugo.nn.onnx_graph import MAX_RANGE, MIN_RANGE, OnnxGraph, Ranges
from mugo.nn.output import NetworkOutput, concatenated_outputs

CALIBRATED, COMPARED = 512, 1024         # positions
CORRECTED = 64                           # positions of those calibrated, that biases are corrected on
RIDGE = 0.1                              # of fit_hidden, times the mean variance of a feature
BATCH = 64
MAX_KL, MAX_VALUE_DIFFERENCE = 0.05, 0.15                # a quantised graph that loses more is not for play
OWNERSHIP, LEAD, HIDDEN = "ownership_conv", "lead", "value_hidden"               # of heads.py
# Layers of the value head that are corrected: each with the tensor that becomes float32's; and for the last ones, how
# much that tensor changes by a bias of 1.
HEAD = {OWNERSHIP: LEAD, HIDDEN: "value_hidden_gemm", "score_correction": "mean_without_komi",
        "value_correction": "value_score", "value": "value_gemm"}
LAST = {"score_correction": POINTS_UNIT, "value_correction": 1, "value": 1}


class CalibrationPositions(NamedTuple):
    """Positions, the first of which are for calibration."""

    packed: np.ndarray                           # uint8 (n, size², bytes)
    features: np.ndarray | None = None           # float32 (n, 2), games.position.global_features
    policy: np.ndarray | None = None             # int (n,) move indices, or float (n, size² + 1) probabilities
    outcomes: np.ndarray | None = None           # float (n,): 1 the side to move has won, -1 it has lost, 0 unknown
    people: np.ndarray | None = None             # float32 (n, inputs.INPUTS)

    def slice(self, start: int, end: int) -> "CalibrationPositions":
        """Positions start to end - 1, or to the last."""
        columns: Any = (None if array is None else array[start:end] for array in self)
        return CalibrationPositions(*columns)

    def batches(self) -> Iterator["CalibrationPositions"]:
        """All of them, BATCH at a time."""
        return (self.slice(start, start + BATCH) for start in range(0, len(self.packed), BATCH))


class Playable(NamedTuple):
    """What a network is played with: Network.from_weights(weights, metadata)."""

    weights: dict[str, np.ndarray]
    metadata: dict[str, Any]
    loss: str = ""                       # why it is not quantised though positions were given


def quantize(weights: Weights, metadata: dict[str, Any], positions: CalibrationPositions) -> Playable:
    """A network with what its int8 graph takes: corrections among the weights, and metadata["quantization"]: ranges,
    positions, compared_on, metrics.  Without both, and with a loss, if its metrics are above the limits.

    positions: half of them at most are for calibration.  Raises BadInput if there are not two."""
    if len(positions.packed) < 2:
        raise BadInput("int8 takes at least two positions to calibrate on")
    weights = {name: array for name, array in weights.items() if not is_of_int8(name)}
    calibrated = min(CALIBRATED, len(positions.packed) // 2)
    compared = positions.slice(calibrated, calibrated + COMPARED)
    description: dict[str, Any] = {"positions": calibrated, "compared_on": len(compared.packed),
                                   "ranges": measure_ranges(weights, metadata, positions.slice(0, calibrated))}
    quantized = metadata | {"quantization": description}
    corrected = weights | measure_corrections(weights, quantized, positions.slice(0, calibrated))
    metrics = compare(Network.from_weights(weights, metadata, precision="float32"),
                      Network.from_weights(corrected, quantized, precision="int8"), compared)
    for name, most in (("kl", MAX_KL), ("value_difference", MAX_VALUE_DIFFERENCE)):
        if not metrics.get(name, 0) <= most:
            return Playable(weights, metadata,
                            f"{name.replace('_', ' ')} {metrics[name]:.3f}, where {most} is the limit")
    description["metrics"] = metrics
    return Playable(corrected, quantized)


def quantize_file(path: Path, output: Path, positions: CalibrationPositions) -> dict[str, Any]:
    """Write a network's file, atomically, with what its int8 graph takes; returns metadata["quantization"].  Raises
    BadInput as read_network and `quantize` do, and if int8 would lose too much."""
    weights, metadata = read_network(path)
    try:
        quantized = quantize(weights, metadata, positions)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    if quantized.loss:
        raise BadInput(f"{path}: int8 loses too much: {quantized.loss}")
    write_tensors(output, quantized.weights, quantized.metadata)
    return quantized.metadata["quantization"]


def measure_ranges(weights: Weights, metadata: dict[str, Any], positions: CalibrationPositions) -> Ranges:
    """The least and greatest values of the tensors that quantised convolutions take and give, 0 included."""
    tensors = OnnxGraph(config_of(metadata).exported().spec(), weights).quantizable
    network = Network.from_weights(weights, metadata, precision="float32", extra_outputs=dict.fromkeys(tensors, 4))
    ranges = {tensor: (0.0, MIN_RANGE) for tensor in tensors}
    for batch in positions.batches():
        outputs = network.run(batch.packed, batch.features, batch.people)
        ranges = {tensor: (min(low, float(outputs[tensor].min())), max(high, float(outputs[tensor].max())))
                  for tensor, (low, high) in ranges.items()}
    return {tensor: (max(low, -MAX_RANGE), min(high, MAX_RANGE)) for tensor, (low, high) in ranges.items()}


def measure_corrections(weights: Weights, metadata: dict[str, Any], positions: CalibrationPositions
                        ) -> dict[str, np.ndarray]:
    """The weights that the int8 graph has in the place of float32's, by their names (graph.is_of_int8).

    The bias of each quantised convolution, so that the mean of each filter over all points and the first positions is
    float32's (Nagel et al. 2019, arXiv:1906.04721, section 4.2).  Then the layers of the value head that take
    quantised features: the ownership layer's bias, for the mean lead, and the hidden layer, by `fit_hidden`.  Last the
    biases for the mean score and the mean value before tanh.  Each layer is corrected after all earlier ones.  Tied
    filters of an equivariant network get the mean over the orientations.
    """
    spec = config_of(metadata).exported().spec()
    graph, axes = OnnxGraph(spec, weights), weight_axes(spec)
    convs, first = graph.quantized_convs, positions.slice(0, CORRECTED)
    corrections: dict[str, np.ndarray] = {}

    def expected(tensors: Mapping[str, int], of: CalibrationPositions) -> dict[str, np.ndarray]:
        return _tensors(Network.from_weights(weights, metadata, None, "float32", tensors), tensors, of)

    def found(tensor: str, axes: int, of: CalibrationPositions) -> np.ndarray:
        network = Network.from_weights({**weights, **corrections}, metadata, None, "int8", {tensor: axes})
        return _tensors(network, [tensor], of)[tensor]

    def correct(layer: str, missing: np.ndarray) -> None:
        corrections[f"{layer}/{INT8_BIAS}"] = (graph.folded[layer] + missing).astype(np.float32)

    of_convs = expected(dict.fromkeys(convs.values(), 4), first)
    of_head = expected({tensor: 2 for layer, tensor in HEAD.items() if f"{layer}/kernel" in weights}, positions)
    for conv, tensor in convs.items():
        missing = (of_convs[tensor] - found(f"{tensor}_dq", 4, first)).mean((0, 2, 3))
        if spec.equivariant and axes[f"{conv}/kernel"][-1] == REGULAR:
            missing = np.tile(missing.reshape(ORIENTATIONS, -1).mean(0), ORIENTATIONS)
        correct(conv, missing)
    if LEAD in of_head:
        missing = (of_head[LEAD][:CORRECTED] - found(LEAD, 2, first)).mean(0)
        slope = (1 - found("ownership", 2, first) ** 2).sum(1).mean()          # the lead's, by the bias: it is tanh
        correct(OWNERSHIP, missing / max(slope, 1))
    if (outputs := HEAD[HIDDEN]) in of_head:
        kind, missing = axes[f"{HIDDEN}/kernel"][0], of_head[outputs] - found(outputs, 2, positions)
        if kind == UNTIED:                               # of every point of the board: too many to fit
            correct(HIDDEN, missing.mean(0))
        else:
            change, bias = fit_hidden(found(graph.dense_inputs[HIDDEN], 2, positions), missing, kind)
            corrections[f"{HIDDEN}/{INT8_KERNEL}"] = (weights[f"{HIDDEN}/kernel"] + change).astype(np.float32)
            correct(HIDDEN, bias)
    for layer, unit in LAST.items():
        if (output := HEAD[layer]) in of_head:
            correct(layer, (of_head[output] - found(output, 2, positions)).mean(0) / unit)
    return corrections


def fit_hidden(features: np.ndarray, missing: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """What to add to the kernel (features, units) and to the bias (units,) of a dense layer, so that its outputs for
    these features grow by what is missing: ridge regression.

    features: float (n, features), quantised.  missing: float (n, units).  kind: the kind of the features (graph.py);
    rows of the kernel that are tied get the same.
    """
    tied = np.arange(features.shape[1])
    if kind == TWO_REGULAR:
        half = len(tied) // 2
        tied = tied % (half // ORIENTATIONS) + (tied >= half) * (half // ORIENTATIONS)
    elif kind == REGULAR:
        tied %= len(tied) // ORIENTATIONS
    sums = np.zeros((len(features), tied.max() + 1))
    np.add.at(sums.T, tied, features.T)
    inputs, outputs = sums - sums.mean(0), missing - missing.mean(0)
    covariance = inputs.T @ inputs
    covariance += np.eye(len(covariance)) * max(RIDGE * np.trace(covariance) / len(covariance), MIN_RANGE)
    change = np.linalg.solve(covariance, inputs.T @ outputs)
    return change[tied], missing.mean(0) - sums.mean(0) @ change


def _tensors(network: Network, tensors: Collection[str], positions: CalibrationPositions) -> dict[str, np.ndarray]:
    """These tensors for all of the positions, in batches."""
    batches = [network.run(batch.packed, batch.features, batch.people) for batch in positions.batches()] \
        if tensors else []
    return {tensor: np.concatenate([batch[tensor] for batch in batches]) for tensor in tensors}


def compare(float32: Network, int8: Network, positions: CalibrationPositions) -> dict[str, float]:
    """The metrics of a quantised network on these positions, by name."""
    base, other = (evaluate(network, positions) for network in (float32, int8))
    metrics = {"top1_agreement": np.mean(base.priors.argmax(1) == other.priors.argmax(1)),
               "kl": cross_entropy(other.priors, base.priors) - cross_entropy(base.priors, base.priors)}
    for name, ours, theirs in (("value", base.values, other.values), ("ownership", base.ownership, other.ownership),
                               ("score", base.score_mean, other.score_mean)):
        if ours is not None and theirs is not None:
            metrics[f"{name}_difference"] = np.sqrt(np.mean((ours.astype(np.float64) - theirs) ** 2))
    for output, ending in ((base, ""), (other, "_int8")):
        if (targets := positions.policy) is not None:
            targets = np.eye(output.priors.shape[1])[targets] if targets.ndim == 1 else targets
            metrics[f"top1{ending}"] = np.mean(output.priors.argmax(1) == targets.argmax(1))
            metrics[f"ce{ending}"] = cross_entropy(output.priors, targets)
        if positions.outcomes is not None and output.values is not None and positions.outcomes.any():
            known = positions.outcomes != 0
            metrics[f"value_mse{ending}"] = np.mean((positions.outcomes - output.values)[known] ** 2)
    return {name: round(float(value), 6) for name, value in metrics.items()}


def evaluate(network: Network, positions: CalibrationPositions) -> NetworkOutput:
    """The output for all of the positions, in batches."""
    return concatenated_outputs([network.evaluate_packed(each.packed, each.features, each.people)
                                 for each in positions.batches()])


def cross_entropy(priors: np.ndarray, targets: np.ndarray) -> float:
    """The mean cross-entropy of priors from targets, float (n, moves) both, in nats."""
    return float(-(targets * np.log(np.maximum(priors, 1e-10))).sum(1).mean())


def format_metrics(description: dict[str, Any]) -> str:
    """metadata["quantization"] in a line: what int8 computes where float32 computes what."""
    metrics = description.get("metrics", {})
    texts = [f"the same first move in {metrics['top1_agreement']:.1%}", f"KL divergence {metrics['kl']:.4f}"]
    texts += [f"{title} {metrics[f'{name}_int8']:{form}} instead of {metrics[name]:{form}}" for name, title, form in (
        ("top1", "top-1", ".2%"), ("ce", "cross-entropy", ".4f"), ("value_mse", "value MSE", ".4f"))
        if name in metrics and f"{name}_int8" in metrics]
    texts += [f"{name} differs by {metrics[f'{name}_difference']:.3f}{unit}" for name, unit in (
        ("value", ""), ("ownership", ""), ("score", " points")) if f"{name}_difference" in metrics]
    return (f"int8, compared with float32 on {description.get('compared_on', 0):,} positions when it was made: "
            + ", ".join(texts))
