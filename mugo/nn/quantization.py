"""Static quantisation to int8: how numbers of a network become eight bits, and where.  No Keras here.

    tensor, float32 --QuantizeLinear--> uint8 --DequantizeLinear--> Conv --(Relu)--> QuantizeLinear --> uint8
                                         int8 weights, int32 bias ---^

The graph says in float32 what is computed, with each number rounded to eight bits where it enters and leaves a
convolution (QDQ, onnxruntime.ai/docs/performance/model-optimizations/quantization.html); ONNX Runtime fuses each such
group of nodes into one convolution of integers.  Sums and dense layers stay float32, and so do the 1x1 convolutions to
one plane, whose outputs are logits.

    activation    uint8, real = scale (q - zero_point), one scale for a tensor, from its range on calibration positions
    weights       int8, real = scale q, a scale for each filter, from its largest weight
    bias          int32, real = scale of the input * scale of the weights * q

0 is a whole number of steps from every zero point, so padding is exactly 0.  Planes are 0 and 1, with scale 1: exact.
Tied filters of an equivariant network have the same largest weight, so they have the same scale and stay tied, and the
sums of convolutions are exact.  What is left of asymmetry is rounding to another step where means over the board, in
float32, are added in another order.
"""
from typing import NamedTuple

import numpy as np

Ranges = dict[str, tuple[float, float]]  # tensor -> its least and greatest value

WEIGHT_STEPS = 127                       # seven bits would do for every processor, but cost 0.03 of cross-entropy
ACTIVATION_STEPS = 255
MAX_BIAS = 2 ** 30                       # steps; a sum of products is below it, whatever the network
MIN_RANGE, MAX_RANGE = 1e-6, 1e6
MIN_WEIGHT_SCALE = 1e-20                 # of a filter that is dead: times the scale of its input it is above 0


class Scale(NamedTuple):
    """Of a uint8 tensor: real = scale * (q - zero_point)."""

    scale: np.float32
    zero_point: np.uint8


PLANES_SCALE = Scale(np.float32(1), np.uint8(0))          # of planes of 0 and 1


def activation_scale(low: float, high: float) -> Scale:
    """The scale of a tensor with this range.  low <= 0 <= high, and low < high."""
    scale = np.float32((high - low) / ACTIVATION_STEPS)
    return Scale(scale, np.uint8(np.clip(np.rint(-low / scale), 0, ACTIVATION_STEPS)))


def quantize_weights(kernel: np.ndarray, least: np.ndarray | float = 0) -> tuple[np.ndarray, np.ndarray]:
    """A kernel, float (filters, ...), as (int8 of that shape, float32 (filters,): the scale of each filter).

    least: of the scales, float (filters,): what a filter's bias needs to stay below MAX_BIAS steps.
    """
    largest = np.abs(kernel).reshape(len(kernel), -1).max(1)
    scale = np.maximum(np.maximum(largest / WEIGHT_STEPS, least), MIN_WEIGHT_SCALE).astype(np.float32)
    return np.rint(kernel / scale.reshape(-1, *[1] * (kernel.ndim - 1))).astype(np.int8), scale


def quantize_bias(bias: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """A bias, float (filters,), in steps of this scale: int32."""
    return np.clip(np.rint(bias / scale), -MAX_BIAS, MAX_BIAS).astype(np.int32)
