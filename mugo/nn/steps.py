"""A network as steps, in order, for the page without a server: what its int8 graph computes (onnx_graph.py), by the
kernels of int8_kernels.py, which static/worker/steps.js calls.

    bytes of the JSON, uint32 | JSON | zeros up to a multiple of 64 | arrays, each at such a multiple

    JSON     {"steps": [{"op", "x": [tensor, ...], "y": tensor, ...}, ...], "tensors": {tensor: [kind, columns]},
              "arrays": {name: [type, where it begins, length]}, "outputs": {output: tensor}}
    kinds    "int16", "float32": a tensor of the board, as int8_kernels.py has it; "vector": of the whole board,
             with 0 columns for one of all moves; "column": a number for each point
"""
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from mugo.nn.graph import REGULAR, TRIVIAL, NetworkSpec, Weights
from mugo.nn.heads import STDEV_OF_SCALE
from mugo.nn.int8_kernels import COLUMNS
from mugo.nn.inputs import COMPONENTS, GLOBAL_FEATURES, INPUTS, PEOPLE, POINT_BIAS
from mugo.nn.onnx_graph import (
    ACTIVATION_STEPS,
    MAX_BIAS,
    PLANES,
    PLANES_SCALE,
    OnnxGraph,
    Ranges,
    Scale,
    activation_scale,
    quantize_bias,
    quantize_weights,
)

ALIGNMENT = 64


def _whole(count: int) -> int:
    """The columns of a tensor with this many filters."""
    return -(-count // COLUMNS) * COLUMNS


def _padded(array: np.ndarray, axis: int) -> np.ndarray:
    """With zeros along an axis, up to a multiple of COLUMNS."""
    widths = [(0, 0)] * array.ndim
    widths[axis] = 0, _whole(array.shape[axis]) - array.shape[axis]
    return np.pad(array, widths)


class StepGraph(OnnxGraph):
    """The steps of a network with ranges.  inputs: the names of what it takes besides the planes.

    The tensors that pass from one layer to the next have the names of the int8 graph; what is quantised has two, one of
    them with _q.
    """

    def __init__(self, spec: NetworkSpec, weights: Weights, ranges: Ranges):
        self.inputs: list[str] = []
        self._steps: list[dict[str, Any]] = []
        self._tensors: dict[str, tuple[str, int]] = {}
        self._arrays: dict[str, np.ndarray] = {}
        self._scales: dict[str, Scale] = {}              # of what is quantised
        self._results: dict[str, str] = {}
        super().__init__(spec, weights, ranges)

    def to_bytes(self) -> bytes:
        """The file."""
        parts, places, at = [], {}, 0
        for name, array in self._arrays.items():
            places[name] = [array.dtype.name, at, array.size]
            parts.append(array.tobytes() + bytes(-array.nbytes % ALIGNMENT))
            at += len(parts[-1])
        head = json.dumps({"steps": self._steps, "tensors": self._tensors, "arrays": places, "outputs": self._results})
        data = len(head).to_bytes(4, "little") + head.encode()
        return data + bytes(-len(data) % ALIGNMENT) + b"".join(parts)

    @property
    def outputs(self) -> list[str]:
        return [*self._results]

    # -- parts of the file

    def _step(self, op: str, x: Sequence[str], y: str, kind: str, columns: int, **options: Any) -> str:
        """A step; returns the name of its tensor.  options: numbers, and arrays, which the file has by names of their
        own."""
        for name, value in options.items():
            if isinstance(value, np.ndarray):
                options[name] = f"{y}_{name}"
                self._arrays[f"{y}_{name}"] = np.ascontiguousarray(value).ravel()
            elif isinstance(value, np.generic):
                options[name] = value.item()
        self._steps.append({"op": op, "x": list(x), "y": y} | options)
        self._tensors[y] = kind, columns
        return y

    def _taken(self, name: str, kind: str, columns: int) -> str:
        self._tensors[name] = kind, columns
        return name

    def _columns(self, x: str) -> int:
        return self._tensors[x][1]

    def _quantized_tensor(self, x: str) -> tuple[str, Scale]:
        """The name of a tensor in steps, and its scale."""
        name = f"{x}_q"
        if x not in self._scales:
            self._scales[x] = scale = self._scale_of(x)
            self._step("quantize", [x], name, "int16", self._columns(x), scale=scale.scale,
                       low=-float(scale.zero_point), high=ACTIVATION_STEPS - float(scale.zero_point))
        return name, self._scales[x]

    def _scale_of(self, x: str) -> Scale:
        assert self.ranges is not None
        return activation_scale(*self.ranges[x])

    def _real(self, x: str) -> str:
        """The name of a tensor, which is there in float32 from here on."""
        if x not in self._tensors:
            self._step("dequantize", [f"{x}_q"], x, "float32", self._columns(f"{x}_q"), scale=self._scales[x].scale)
        return x

    # -- inputs and outputs

    def start(self, spec: NetworkSpec) -> str:
        self._taken(f"{PLANES}_q", "int16", _whole(spec.depth))
        self._scales[PLANES] = PLANES_SCALE
        if spec.uses_global_features:
            self.inputs.append(GLOBAL_FEATURES)
            self.komi, self.colour = self._taken("komi", "vector", 1), self._taken("colour", "vector", 1)
        if spec.uses_people:
            self.inputs.append(PEOPLE)
            self.people = self._taken(PEOPLE, "vector", INPUTS)
        if spec.uses_components:
            self.inputs.append(COMPONENTS)
        return PLANES

    def _finish(self, outputs: dict[str, Any]) -> None:
        self._results["policy"] = self._step("softmax", [outputs["policy"]], "policy", "vector", 0)
        if "value" in outputs:
            self._results["value"] = self._step("tanh", [outputs["value"]], "value_tanh", "vector", 1)
        if "score" in outputs:
            self._results["score_mean"], scale = outputs["score"]
            self._results["score_stdev"] = self.rescale(scale, "score_stdev", STDEV_OF_SCALE)
        if "ownership" in outputs:
            self._results["ownership"] = outputs["ownership"]

    # -- layers with weights

    def conv(self, x: str, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> str:
        kernel, bias = self._folded(name, batch_norm)
        quantized, of_x = self._quantized_tensor(x)
        weights, scale = quantize_weights(kernel, np.abs(bias) / (of_x.scale * MAX_BIAS))
        y = relu or name
        self._scales[y] = of_y = self._scale_of(y)
        # (filters / 8, 8, pairs, 2, taps) --> (filters / 8, taps, pairs, 8, 2)
        weights = _padded(_padded(weights, 0), 1).reshape(-1, COLUMNS, self._columns(quantized) // 2, 2, width ** 2)
        self._step("conv", [quantized], f"{y}_q", "int16", _whole(filters), width=width, dilation=dilation,
                   low=0. if relu else -float(of_y.zero_point), high=ACTIVATION_STEPS - float(of_y.zero_point),
                   w=weights.transpose(0, 4, 2, 1, 3), b=_padded(quantize_bias(bias, of_x.scale * scale), 0),
                   scale=_padded(of_x.scale * scale / of_y.scale, 0))
        return y

    def plane(self, x: str, name: str, *, bias: bool = False, initializer: str = "") -> str:
        kernel, of_plane = self._folded(name)
        return self._step("plane", [self._real(x)], name, "column", 1, w=_padded(kernel.ravel(), 0), b=of_plane[0])

    def dense(self, x: str, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "", kind: str = TRIVIAL) -> str:
        kernel = self._of_graph(f"{name}/int8_kernel", self.weights[f"{name}/kernel"])
        if points > 1:
            kernel = _padded(kernel.reshape(points, -1, units), 1)
        return self._step("dense", [self._real(x)], f"{name}_gemm", "vector", units, activation=activation, w=kernel,
                          b=self._bias(name, self.weights[f"{name}/bias"] if bias else np.zeros(units, np.float32)))

    def batch_norm(self, x: str, name: str, *, gamma: str = "ones") -> str:
        scale, shift = self._scale_and_shift(name)
        return self._step("affine", [x], name, "vector", self._columns(x), scale=scale, shift=shift)

    def point_bias(self, plane: str, name: str, *, size: int, trainable: bool) -> str:
        self.inputs.append(POINT_BIAS)
        return self._step("add", [plane, self._taken(POINT_BIAS, "column", 1)], "points", "column", 1)

    # -- layers without weights

    def add(self, tensors: Sequence[str], name: str) -> str:
        x, *others = map(self._real, tensors)
        for i, other in enumerate(others, 1):
            x = self._step("add_board", [x, other], name if i == len(others) else f"{name}{i}", "float32",
                           self._columns(x))
        return x

    def relu(self, x: str, name: str) -> str:
        self._steps[-1] |= {"y": name, "relu": 1}        # of the sum before
        self._tensors[name] = self._tensors.pop(x)
        return name

    def concatenate(self, tensors: Sequence[str], name: str) -> str:
        kinds = [self._tensors[tensor][0] for tensor in tensors]
        columns = 0 if "column" in kinds else sum(map(self._columns, tensors))
        return self._step("concat", tensors, f"{name}_concat", "vector", columns)

    def rescale(self, x: str, name: str, factor: float, plus: float = 0) -> str:
        scale, shift = (np.full(self._columns(x), number, np.float32) for number in (factor, plus))
        return self._step("affine", [x], name, "vector", self._columns(x), scale=scale, shift=shift)

    def mean_pool(self, x: str, name: str) -> str:
        return self._step("pool", [self._real(x)], name, "vector", self._columns(x), parts=1)

    def mean_max_pool(self, x: str, name: str) -> str:
        return self._step("pool", [self._real(x)], name, "vector", 2 * self._columns(x), parts=2)

    def chain_pool(self, x: str, name: str, filters: int) -> str:
        return self._step("pool_chains", [self._real(x)], name, "float32", 2 * filters)

    def on_board(self, x: str, name: str) -> str:
        return x

    def ownership(self, plane: str) -> str:
        return self._step("tanh", [plane], "ownership", "column", 1)

    def lead(self, ownership: str) -> str:
        return self._step("sum", [ownership], "lead", "vector", 1)

    def score(self, lead: str, correction: str, scale: str, unit: float, min_scale: float) -> tuple[str, str]:
        points = self.rescale(correction, "score_correction_points", unit)
        on_board = self._step("add", [lead, points], "mean_without_komi", "vector", 1)
        mean = self._step("add", [on_board, self.komi], "mean", "vector", 1)
        positive = self._step("softplus", [scale], "score_softplus", "vector", 1)
        return mean, self.rescale(positive, "scale", unit, min_scale)

    def value_of_score(self, score: tuple[str, str], correction: str) -> str:
        mean, scale = score
        ratio = self._step("divide", [mean, self.rescale(scale, "two_scales", 2)], "mean_of_scale", "vector", 1)
        return self._step("add", [ratio, correction], "value_score", "vector", 1)
