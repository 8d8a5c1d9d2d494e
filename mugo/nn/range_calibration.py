"""A trained network quantised: ranges of its tensors measured on positions, the graph, and what it loses.

    positions -- the first CALIBRATED --> float32 graph --> ranges, corrections of biases --> int8 graph
         '------ the next COMPARED -----> both graphs ---> figures

The figures, as `metadata["quantization"]["figures"]` has them; * where the targets are known, of both graphs:

    top1_agreement      how often the first moves of both are the same
    kl                  Kullback-Leibler divergence of int8's priors from float32's, in nats
    value_difference, ownership_difference, score_difference     root mean square, the score's in points
    top1, ce, value_mse *                                        of float32; of int8: top1_int8, ce_int8, value_mse_int8
    equivariance        of an equivariant network: the largest difference of its priors in the 8 symmetries

What is quantised, and how: quantization.py.

The ranges are the least and the greatest values.  Clipping them by percentiles (99.99, 99.999) or for the least squared
error was worse on policy-19: a divergence of priors 2.5, 1.1 and 1.2 times as large.  Correcting the biases matters to
the score, in which the errors of all points add up: on a network with five layers of 128 filters its difference went
from 1.7 to 0.6 points, and the value's from 0.08 to 0.03.  On one with a deeper context module they were 1.3 points and
0.074, and with the first float32 layers of the value head corrected, too, 1.0 and 0.044.  No Keras here.
"""
import math
from typing import Any, NamedTuple

import numpy as np

from mugo.games.coords import symmetries
from mugo.nn.blocks import ORIENTATIONS, REGULAR
from mugo.nn.inference import Network
from mugo.nn.metadata import config_of
from mugo.nn.onnx_check import GraphOutline
from mugo.nn.onnx_export import to_onnx
from mugo.nn.output import NetworkOutput, concatenated_outputs, turned_back
from mugo.nn.quantization import MAX_RANGE, MIN_RANGE, Ranges

CALIBRATED, COMPARED = 512, 1024         # positions
CORRECTED = 64                           # positions of those calibrated, that biases are corrected on
BATCH = 64
MAX_KL, MAX_VALUE_DIFFERENCE = 0.05, 0.15                # a quantised graph that loses more is not for play
SYMMETRIC = 16                           # positions that are turned
OWNERSHIP_LAYER, LEAD, HIDDEN = "ownership_conv", "lead", "value_hidden"         # of value_head.py and heads.py


class CalibrationPositions(NamedTuple):
    """Positions, the first of which are for calibration.

    packed: uint8 (n, size², bytes).  features: float32 (n, 2), games.position.global_features of each, or None.
    policy: the targets, int (n,) move indices or float (n, size² + 1) probabilities, or None.
    outcomes: float (n,), 1 where the side to move has won, -1 where it has lost, 0 if that is not known; or None.
    """

    packed: np.ndarray
    features: np.ndarray | None = None
    policy: np.ndarray | None = None
    outcomes: np.ndarray | None = None

    def part(self, start: int, end: int) -> "CalibrationPositions":
        """Positions start to end - 1, or to the last."""
        packed, *others = self
        return CalibrationPositions(packed[start:end], *(None if array is None else array[start:end]
                                                         for array in others))


class Quantized(NamedTuple):
    """A quantised graph, and metadata["quantization"] for it: ranges, positions, compared_on, figures."""

    graph: bytes
    description: dict[str, Any]

    @property
    def loss(self) -> str:
        """What is wrong with it, as a text; '' if it can be played."""
        figures = self.description["figures"]
        for name, most in (("kl", MAX_KL), ("value_difference", MAX_VALUE_DIFFERENCE)):
            if not figures.get(name, 0) <= most:
                return f"{name.replace('_', ' ')} {figures[name]:.3f}, where {most} is the limit"
        return ""


def quantize(weights: dict[str, list[np.ndarray]], metadata: dict[str, Any], positions: CalibrationPositions
             ) -> Quantized:
    """A network's quantised graph.  weights, as of OnnxGraph; metadata: of the network.  positions: at least two; half
    of them at most are for calibration."""
    spec = config_of(metadata).spec()
    calibrated = min(CALIBRATED, len(positions.packed) // 2)
    ranges = measure_ranges(weights, metadata, positions.part(0, calibrated))
    corrections = measure_corrections(weights, metadata, ranges, positions.part(0, min(CORRECTED, calibrated)))
    graph = to_onnx(weights, spec, ranges, corrections)
    compared = positions.part(calibrated, calibrated + COMPARED)
    figures = compare(Network.from_graph(to_onnx(weights, spec), metadata),
                      Network.from_graph(graph, metadata, precision="int8"), compared)
    return Quantized(graph, {"positions": calibrated, "compared_on": len(compared.packed), "figures": figures,
                             "ranges": ranges})


def measure_ranges(weights: dict[str, list[np.ndarray]], metadata: dict[str, Any], positions: CalibrationPositions
                   ) -> Ranges:
    """The least and greatest values of the tensors that quantised convolutions take and give, 0 included."""
    spec = config_of(metadata).spec()
    tensors = GraphOutline(spec).quantizable
    network = Network.from_graph(to_onnx(weights, spec, extra_outputs=tensors), metadata)
    ranges = {tensor: (0.0, MIN_RANGE) for tensor in tensors}
    for start in range(0, len(positions.packed), BATCH):
        batch = positions.part(start, start + BATCH)
        outputs = network.run(batch.packed, batch.features)
        ranges = {tensor: (min(low, float(outputs[tensor].min())), max(high, float(outputs[tensor].max())))
                  for tensor, (low, high) in ranges.items()}
    return {tensor: (max(low, -MAX_RANGE), min(high, MAX_RANGE)) for tensor, (low, high) in ranges.items()}


def measure_corrections(weights: dict[str, list[np.ndarray]], metadata: dict[str, Any], ranges: Ranges,
                        positions: CalibrationPositions) -> dict[str, np.ndarray]:
    """What biases lack for means over all positions to be float32's (Nagel et al. 2019, arXiv:1906.04721, section 4.2).

    Of each quantised convolution, float32 (filters,), for the mean of each filter over all points.  Then of the layers
    of the value head that take what is quantised: of the one that gives the owners, (1,), for the lead; of the hidden
    layer, (units,), because the maxima of filters are larger where the filters are less exact.
    From the first to the last, each with those before it corrected.  Tied filters of an equivariant network get the
    mean over the orientations.
    """
    spec = config_of(metadata).spec()
    convs, axes = GraphOutline(spec).quantized_convs, spec.weight_axes()
    of_value = [tensor for tensor, layer in ((LEAD, OWNERSHIP_LAYER), (HIDDEN, HIDDEN)) if layer in weights]
    expected = Network.from_graph(to_onnx(weights, spec, None, {}, convs.values(), of_value), metadata).run(
        positions.packed, positions.features)
    corrections: dict[str, np.ndarray] = {}

    def corrected(filters: tuple[str, ...], vectors: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
        graph = to_onnx(weights, spec, ranges, corrections, filters, vectors)
        return Network.from_graph(graph, metadata, precision="int8").run(positions.packed, positions.features)

    for conv, tensor in convs.items():
        missing = (expected[tensor] - corrected((f"{tensor}_dq",))[f"{tensor}_dq"]).mean((0, 2, 3))
        if spec.equivariant and axes[f"{conv}/kernel"][-1] == REGULAR:
            missing = np.tile(missing.reshape(ORIENTATIONS, -1).mean(0), ORIENTATIONS)
        corrections[conv] = missing.astype(np.float32)
    if LEAD in of_value:
        found = corrected((), (LEAD,))
        slope = (1 - found["ownership"] ** 2).sum(1).mean()          # the lead's, by the bias: owners are tanh
        corrections[OWNERSHIP_LAYER] = ((expected[LEAD] - found[LEAD]).mean(0) / max(slope, 1)).astype(np.float32)
    if HIDDEN in of_value:
        corrections[HIDDEN] = (expected[HIDDEN] - corrected((), (HIDDEN,))[HIDDEN]).mean(0)
    return corrections


def compare(float32: Network, int8: Network, positions: CalibrationPositions) -> dict[str, float]:
    """The figures of a quantised network on these positions; see above."""
    base, other = (evaluate(network, positions) for network in (float32, int8))
    figures = {"top1_agreement": np.mean(base.priors.argmax(1) == other.priors.argmax(1)),
               "kl": cross_entropy(other.priors, base.priors) - cross_entropy(base.priors, base.priors)}
    for name, ours, theirs in (("value", base.values, other.values), ("ownership", base.ownership, other.ownership),
                               ("score", base.score_mean, other.score_mean)):
        if ours is not None and theirs is not None:
            figures[f"{name}_difference"] = np.sqrt(np.mean((ours.astype(np.float64) - theirs) ** 2))
    for output, ending in ((base, ""), (other, "_int8")):
        if (targets := positions.policy) is not None:
            targets = np.eye(output.priors.shape[1])[targets] if targets.ndim == 1 else targets
            figures[f"top1{ending}"] = np.mean(output.priors.argmax(1) == targets.argmax(1))
            figures[f"ce{ending}"] = cross_entropy(output.priors, targets)
        if positions.outcomes is not None and output.values is not None and positions.outcomes.any():
            known = positions.outcomes != 0
            figures[f"value_mse{ending}"] = np.mean((positions.outcomes - output.values)[known] ** 2)
    if int8.equivariant:
        figures["equivariance"] = equivariance_error(int8, positions.part(0, SYMMETRIC))
    return {name: round(float(figure), 6) for name, figure in figures.items()}


def evaluate(network: Network, positions: CalibrationPositions) -> NetworkOutput:
    """The output for all of the positions, in batches."""
    parts = [positions.part(start, start + BATCH) for start in range(0, len(positions.packed), BATCH)]
    return concatenated_outputs([network.evaluate_packed(part.packed, part.features) for part in parts])


def cross_entropy(priors: np.ndarray, targets: np.ndarray) -> float:
    """The mean cross-entropy of priors from targets, float (n, moves) both, in nats."""
    return float(-(targets * np.log(np.maximum(priors, 1e-10))).sum(1).mean())


def equivariance_error(network: Network, positions: CalibrationPositions) -> float:
    """The largest difference of priors between a position and the same in another of the 8 symmetries, turned back."""
    base = network.evaluate_packed(positions.packed, positions.features).priors
    largest = 0.0
    for turn in symmetries(math.isqrt(base.shape[1])):
        turned = np.empty_like(positions.packed)
        turned[:, turn[:-1]] = positions.packed
        output = turned_back(network.evaluate_packed(turned, positions.features), turn)
        largest = max(largest, float(np.abs(output.priors - base).max()))
    return largest


def format_figures(description: dict[str, Any]) -> str:
    """metadata["quantization"] in a line: what int8 computes where float32 computes what."""
    figures = description.get("figures", {})
    texts = [f"the same first move in {figures['top1_agreement']:.1%}", f"KL divergence {figures['kl']:.4f}"]
    texts += [f"{title} {figures[f'{name}_int8']:{form}} instead of {figures[name]:{form}}" for name, title, form in (
        ("top1", "top-1", ".2%"), ("ce", "cross-entropy", ".4f"), ("value_mse", "value MSE", ".4f"))
        if name in figures and f"{name}_int8" in figures]
    texts += [f"{name} differs by {figures[f'{name}_difference']:.3f}{unit}" for name, unit in (
        ("value", ""), ("ownership", ""), ("score", " points")) if f"{name}_difference" in figures]
    return (f"int8, compared with float32 on {description.get('compared_on', 0):,} positions when it was made: "
            + ", ".join(texts))
