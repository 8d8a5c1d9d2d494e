"""A network as an ONNX graph, in float32 or with int8 convolutions, from plain weights.

docs/reference/network-file.md has the inputs and outputs.  A policy network's graph takes boards of every size, for
which its bias of each point is an input; a policy-value network's takes one size.  Batch normalisation is folded into
the convolutions.  The int8 graph, static quantisation in QDQ format (onnxruntime.ai/docs/performance/
model-optimizations/quantization.html):

    tensor, float32 --QuantizeLinear--> uint8 --DequantizeLinear--> Conv --(Relu)--> QuantizeLinear --> uint8
                                         int8 weights, int32 bias ---^

    activation    uint8, real = scale (q - zero_point), one scale for a tensor, from its range on calibration positions
    weights       int8, real = scale q, a scale for each filter, from its largest weight
    bias          int32, real = scale of the input * scale of the weights * q

ONNX Runtime fuses each such group of nodes into one convolution of integers.  Sums, dense layers and the 1x1
convolutions to one plane, whose outputs are logits, stay float32.  0 is a whole number of steps from every zero point,
so padding is exactly 0.  Tied filters of an equivariant network have the same scale and stay tied.
"""
import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mugo.nn.graph import BATCH_NORM, INT8_BIAS, INT8_KERNEL, REGULAR, TRIVIAL, Graph, NetworkSpec, Weights
from mugo.nn.heads import STDEV_OF_SCALE
from mugo.nn.inputs import COMPONENTS, GLOBAL_FEATURES, INPUTS, PEOPLE, POINT_BIAS

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7         # TensorProto.DataType
TYPES = {np.dtype(name): number for name, number in (
    ("float32", FLOAT), ("uint8", UINT8), ("int8", INT8), ("int32", INT32), ("int64", INT64))}
IR_VERSION = 8
_INT, _STRING, _INTS = 2, 3, 7           # AttributeProto.AttributeType
EPSILON = 1e-3                           # of batch normalisation
OPSET, OPSET_OF_COMPONENTS = 17, 18      # ScatterND finds maxima since 18
PLANES = "nchw"                          # the tensor of planes, (n, depth, rows, columns)
MAX_WEIGHT = 1e6                         # trained weights, batch normalisation folded in, are below 100

Ranges = dict[str, tuple[float, float]]  # tensor -> its least and greatest value

WEIGHT_STEPS = 127                       # seven bits would do for every processor, but cost 0.03 of cross-entropy
ACTIVATION_STEPS = 255
MAX_BIAS = 2 ** 30                       # steps; a sum of products is below it, whatever the network
MIN_RANGE, MAX_RANGE = 1e-6, 1e6
MIN_WEIGHT_SCALE = 1e-20                 # of a filter that is dead: times the scale of its input it is above 0


class Scale(NamedTuple):
    """The scale of a uint8 tensor: real = scale * (q - zero_point)."""

    scale: np.float32
    zero_point: np.uint8


PLANES_SCALE = Scale(np.float32(1), np.uint8(0))          # of planes of 0 and 1


def activation_scale(low: float, high: float) -> Scale:
    """The scale of a tensor with this range.  low <= 0 <= high, and low < high."""
    scale = np.float32((high - low) / ACTIVATION_STEPS)
    return Scale(scale, np.uint8(np.clip(np.rint(-low / scale), 0, ACTIVATION_STEPS)))


def quantize_weights(kernel: np.ndarray, least: np.ndarray | float = 0) -> tuple[np.ndarray, np.ndarray]:
    """A kernel, float (filters, ...), as (int8 of that shape, float32 (filters,): the scale of each filter).

    least: the least of the scales, float (filters,): what a filter's bias needs to stay below MAX_BIAS steps.
    """
    largest = np.abs(kernel).reshape(len(kernel), -1).max(1)
    scale = np.maximum(np.maximum(largest / WEIGHT_STEPS, least), MIN_WEIGHT_SCALE).astype(np.float32)
    return np.rint(kernel / scale.reshape(-1, *[1] * (kernel.ndim - 1))).astype(np.int8), scale


def quantize_bias(bias: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """A bias, float (filters,), in steps of this scale: int32."""
    return np.clip(np.rint(bias / scale), -MAX_BIAS, MAX_BIAS).astype(np.int32)


class OnnxGraph(Graph):
    """A graph (graph.py): nodes in their order, constants, inputs and outputs.

    weights: as network_file.read_network returns them.  ranges: None for a float32 graph; a quantised one has one for
    each tensor of `quantizable` (quantization.py).
    Raises ValueError for weights that are infinite, NaN or huge once folded, and for a range that is missing.
    """
    komi = colour = people = context = ""

    def __init__(self, spec: NetworkSpec, weights: Weights, ranges: Ranges | None = None):
        self.weights, self.ranges = weights, ranges
        self.quantizable: list[str] = []             # what quantised convolutions take and give, planes aside
        self.quantized_convs: dict[str, str] = {}    # for each of them, by its name, the tensor that it gives
        self.dense_inputs: dict[str, str] = {}       # for each dense layer, by its name, the tensor that it takes
        self.folded: dict[str, np.ndarray] = {}      # the bias of each layer, batch normalisation folded in
        self._opset = OPSET
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._quantized: dict[str, tuple[str, Scale]] = {}           # tensor: it dequantised, and its scale
        self._finish(spec.apply(self))

    def serialize(self, extra_outputs: Mapping[str, int] = MappingProxyType({})) -> bytes:
        """The whole graph as a file's bytes, with the trained bias of the points in its metadata.

        extra_outputs: tensors that are outputs too, and how many axes each has."""
        for name, axes in extra_outputs.items():
            self._output(name, ["n", *(f"{name}_{axis}" for axis in range(1, axes))])
        bias = self.weights.get(f"{POINT_BIAS}/bias")
        metadata = {} if bias is None else {POINT_BIAS: json.dumps(bias.tolist())}
        return model_message(self._nodes, self._constants.values(), self._inputs, self._outputs, self._opset,
                             metadata)

    # -- parts of the file

    def _input(self, name: str, kind: int, shape: Sequence[int | str]) -> str:
        self._inputs.append(value_info_message(name, kind, shape))
        return name

    def _output(self, name: str, shape: Sequence[int | str]) -> None:
        self._outputs.append(value_info_message(name, FLOAT, shape))

    def _constant(self, name: str, array: Any) -> str:
        """A constant of this name, which is added once."""
        if name not in self._constants:
            self._constants[name] = tensor_message(name, np.asarray(array))
        return name

    def _node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """A node of this operator; returns the name of its output."""
        self._nodes.append(node_message(kind, inputs, output, attributes))
        return output

    def _reshape(self, x: str, shape: Sequence[int], output: str) -> str:
        return self._node("Reshape", [x, self._constant(f"{output}_shape", np.array(shape, np.int64))], output)

    # -- inputs and outputs

    def start(self, spec: NetworkSpec) -> str:
        rows, columns = ("height", "width") if spec.any_size else (spec.size, spec.size)
        planes = self._input("planes", UINT8, ["n", rows, columns, spec.depth])
        if spec.uses_global_features:
            both = self._input(GLOBAL_FEATURES, FLOAT, ["n", 2])
            columns = [self._constant(f"column_{k}", np.array([k], np.int64)) for k in range(3)]
            self.komi, self.colour = (self._node("Slice", [both, columns[k], columns[k + 1], columns[1]], name)
                                      for k, name in enumerate(("komi", "colour")))
        if spec.uses_people:
            self.people = self._input(PEOPLE, FLOAT, ["n", INPUTS])
        if spec.uses_components:
            self._add_components()
        if self.ranges is not None:
            transposed = self._node("Transpose", [planes], f"{PLANES}_q", perm=[0, 3, 1, 2])
            self._constants_of(PLANES, PLANES_SCALE)
            return self._dequantize(PLANES, transposed, PLANES_SCALE)[0]
        as_float = self._node("Cast", [planes], "float", to=FLOAT)
        return self._node("Transpose", [as_float], PLANES, perm=[0, 3, 1, 2])

    def _add_components(self) -> None:
        """Add the input COMPONENTS, int64 (n, points), whose indices become places among all points of all boards."""
        on_board = self._input(COMPONENTS, INT64, ["n", "points"])
        self._opset = OPSET_OF_COMPONENTS
        none, first = self._constant("zero", np.int64(0)), self._constant("one", np.int64(1))
        lengths = self._node("Shape", [on_board], "components_shape")
        boards, points = (self._node("Gather", [lengths, axis], name) for axis, name in ((none, "boards"), (
            self._constant("points_axis", np.array([1], np.int64)), "points_of_board")))
        numbers = self._node("Range", [none, boards, first], "board_numbers")
        starts = self._node("Unsqueeze", [self._node("Mul", [numbers, points], "board_starts"), self._last_axis()],
                            "board_starts_2d")
        components = self._node("Add", [on_board, starts], "batch_components")
        self._rows = self._reshape(components, [-1, 1], "component_rows")
        self._component = self._reshape(components, [-1], "component")
        none = self._node("ConstantOfShape", [self._node("Shape", [self._rows], "rows_shape")], "no_points")
        one = self._constant("one_point", np.ones(1, np.float32))
        sizes = self._node("ScatterND", [none, self._rows, self._node("Add", [none, one], "one_each")],
                           "component_sizes", reduction="add")
        self._share = self._node("Div", [one, self._node("Gather", [sizes, self._component], "sizes", axis=0)], "share")

    def _finish(self, outputs: dict[str, Any]) -> None:
        self._node("Softmax", [outputs["policy"]], "policy", axis=1)
        self._output("policy", ["n", "moves"])
        scalars = {}
        if "value" in outputs:
            scalars["value"] = self._node("Tanh", [outputs["value"]], "value_tanh")
        if "score" in outputs:
            scalars["score_mean"], scale = outputs["score"]
            factor = self._constant("stdev_of_scale", np.array([STDEV_OF_SCALE], np.float32))
            scalars["score_stdev"] = self._node("Mul", [scale, factor], "stdev")
        for name, tensor in scalars.items():
            self._node("Squeeze", [tensor, self._last_axis()], name)
            self._output(name, ["n"])
        if "ownership" in outputs:
            self._output("ownership", ["n", "points"])

    def _last_axis(self) -> str:
        return self._constant("last_axis", np.array([1], np.int64))

    # -- layers with weights

    def conv(self, x: str, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> str:
        kernel, bias = self._folded(name, batch_norm)
        dilations = {"dilations": [dilation] * 2} if dilation > 1 else {}
        attributes = {"pads": [dilation * (width // 2)] * 4, **dilations}
        if self.ranges is not None:
            return self._quantized_conv(name, x, kernel, bias, attributes, relu)
        y = self._node("Conv", [x, self._constant(f"{name}_w", kernel), self._constant(f"{name}_b", bias)], name,
                       **attributes)
        y = self.relu(y, relu) if relu else y
        self.quantized_convs[name] = y
        self.quantizable += [tensor for tensor in (x, y) if tensor not in (PLANES, *self.quantizable)]
        return y

    def plane(self, x: str, name: str, *, bias: bool = False, initializer: str = "") -> str:
        kernel, of_plane = self._folded(name)
        return self._node("Conv", [x, self._constant(f"{name}_w", kernel), self._constant(f"{name}_b", of_plane)], name,
                          pads=[0] * 4)

    def dense(self, x: str, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "", kind: str = TRIVIAL) -> str:
        if points > 1:
            x = self._node("Flatten", [x], f"{name}_flat")
        self.dense_inputs[name] = x
        kernel = self._of_graph(f"{name}/{INT8_KERNEL}", self.weights[f"{name}/kernel"])
        # Features of a flattened board are in order of filters here, and in order of points in Keras.
        kernel = kernel.reshape(points, -1, units).transpose(1, 0, 2).reshape(kernel.shape)
        inputs = [x, self._constant(f"{name}_w", _checked(name, kernel))]
        if bias:
            inputs.append(self._constant(f"{name}_b", self._bias(name, self.weights[f"{name}/bias"])))
        y = self._node("Gemm", inputs, f"{name}_gemm")
        return self._node(activation.capitalize(), [y], f"{name}_{activation}") if activation else y

    def batch_norm(self, x: str, name: str, *, gamma: str = "ones") -> str:
        scale, shift = self._scale_and_shift(name)
        scaled = self._node("Mul", [x, self._constant(f"{name}_scale", _checked(name, scale))], f"{name}_scaled")
        return self._node("Add", [scaled, self._constant(f"{name}_shift", _checked(name, shift))], name)

    def point_bias(self, plane: str, name: str, *, size: int, trainable: bool) -> str:
        bias = self._input(POINT_BIAS, FLOAT, ["points"])
        return self._node("Add", [self._node("Flatten", [plane], f"{plane}_flat"), bias], "points")

    def _scale_and_shift(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        gamma, beta, mean, variance = (self.weights[f"{name}/{weight}"] for weight in BATCH_NORM)
        with np.errstate(all="ignore"):                  # what is not a number is found by _checked
            scale = gamma / np.sqrt(variance + EPSILON)
            return scale, beta - mean * scale

    def _folded(self, name: str, batch_norm: str = "") -> tuple[np.ndarray, np.ndarray]:
        """The kernel (filters out, filters in, rows, columns) and the bias of a convolution."""
        kernel = self.weights[f"{name}/kernel"]
        bias = self.weights.get(f"{name}/bias", np.zeros(kernel.shape[-1], np.float32))
        if batch_norm:
            scale, shift = self._scale_and_shift(batch_norm)
            with np.errstate(all="ignore"):
                kernel, bias = kernel * scale, bias * scale + shift
        return _checked(name, kernel).transpose(3, 2, 0, 1), self._bias(name, bias)

    def _bias(self, name: str, bias: np.ndarray) -> np.ndarray:
        """A layer's bias, noted."""
        self.folded[name] = bias
        return _checked(name, self._of_graph(f"{name}/{INT8_BIAS}", bias))

    def _of_graph(self, name: str, weight: np.ndarray) -> np.ndarray:
        """This weight; in the int8 graph the one of this name, if there is one."""
        return weight if self.ranges is None else self.weights.get(name, weight)

    # -- eight bits

    def _quantized_conv(self, name: str, x: str, kernel: np.ndarray, bias: np.ndarray, attributes: Mapping[str, Any],
                        relu: str) -> str:
        """A convolution of eight bits, and its ReLU: their output dequantised."""
        x, of_input = self._quantized.get(x) or self._quantize(x)
        weights, scale = quantize_weights(kernel, np.abs(bias) / (of_input.scale * MAX_BIAS))
        inputs = [x]
        for part, numbers, of_numbers in (
                ("w", weights, scale),
                ("b", quantize_bias(bias, of_input.scale * scale), of_input.scale * scale)):
            inputs.append(self._node("DequantizeLinear", [
                self._constant(f"{name}_{part}", numbers), self._constant(f"{name}_{part}_scale", of_numbers),
                self._constant(f"{name}_{part}_zero", np.zeros(len(scale), numbers.dtype))], f"{name}_{part}_dq",
                axis=0))
        y = self._node("Conv", inputs, name, **attributes)
        return self._quantize(self.relu(y, relu) if relu else y)[0]

    def _quantize(self, x: str) -> tuple[str, Scale]:
        """A float32 tensor rounded to uint8 and back: (its name, its scale)."""
        assert self.ranges is not None
        if x not in self.ranges:
            raise ValueError(f"there is no range of its tensor {x}")
        scale = activation_scale(*self.ranges[x])
        return self._dequantize(x, self._node("QuantizeLinear", [x, *self._constants_of(x, scale)], f"{x}_q"), scale)

    def _dequantize(self, x: str, quantized: str, scale: Scale) -> tuple[str, Scale]:
        """(The name of a uint8 tensor dequantised, its scale).  x: the name of what it quantises."""
        y = self._node("DequantizeLinear", [quantized, f"{x}_scale", f"{x}_zero"], f"{x}_dq")
        self._quantized[x] = self._quantized[y] = y, scale
        return self._quantized[y]

    def _constants_of(self, x: str, scale: Scale) -> tuple[str, str]:
        return self._constant(f"{x}_scale", scale.scale), self._constant(f"{x}_zero", scale.zero_point)

    # -- layers without weights

    def add(self, tensors: Sequence[str], name: str) -> str:
        return self._node("Add" if len(tensors) == 2 else "Sum", tensors, name)

    def relu(self, x: str, name: str) -> str:
        return self._node("Relu", [x], name)

    def concatenate(self, tensors: Sequence[str], name: str) -> str:
        return self._node("Concat", tensors, f"{name}_concat", axis=1)

    def rescale(self, x: str, name: str, factor: float) -> str:
        return self._node("Mul", [x, self._constant(f"{name}_factor", np.array([factor], np.float32))], name)

    def mean_pool(self, x: str, name: str) -> str:
        return self._node("Flatten", [self._node("GlobalAveragePool", [x], f"{name}4")], name)

    def mean_max_pool(self, x: str, name: str) -> str:
        pools = [self._node("GlobalAveragePool", [x], f"{name}_mean"), self._node("GlobalMaxPool", [x], f"{name}_max")]
        return self._node("Flatten", [self._node("Concat", pools, f"{name}_pools", axis=1)], name)

    def chain_pool(self, x: str, name: str, filters: int) -> str:
        """As keras.model.ChainPool."""
        last = self._node("Transpose", [x], f"{name}_last", perm=[0, 2, 3, 1])
        points = self._reshape(last, [-1, filters], f"{name}_points")
        zeros = self._node("ConstantOfShape", [self._node("Shape", [points], f"{name}_flat_shape")], f"{name}_zeros")
        shares = self._node("Mul", [points, self._share], f"{name}_shares")
        pools = [self._node("ScatterND", [zeros, self._rows, shares], f"{name}_means", reduction="add"),
                 self._node("ScatterND", [zeros, self._rows, points], f"{name}_maxima", reduction="max")]
        pooled = self._node("Gather", [self._node("Concat", pools, f"{name}_pools", axis=1), self._component],
                            f"{name}_pooled", axis=0)
        board = self._node("Shape", [last], f"{name}_board", start=0, end=3)
        shape = [board, self._constant(f"{name}_filters", np.array([2 * filters], np.int64))]
        pooled = self._node("Reshape", [pooled, self._node("Concat", shape, f"{name}_shape", axis=0)], f"{name}_boards")
        return self._node("Transpose", [pooled], name, perm=[0, 3, 1, 2])

    def on_board(self, x: str, name: str) -> str:
        """(n, filters) to (n, filters, 1, 1)."""
        return self._reshape(x, [0, -1, 1, 1], name)

    def ownership(self, plane: str) -> str:
        return self._node("Tanh", [self._node("Flatten", [plane], f"{plane}_flat")], "ownership")

    def lead(self, ownership: str) -> str:
        return self._node("ReduceSum", [ownership, self._last_axis()], "lead", keepdims=1)

    def score(self, lead: str, correction: str, scale: str, unit: float, min_scale: float) -> tuple[str, str]:
        factor = self._constant("points_unit", np.array([unit], np.float32))
        points = self._node("Mul", [correction, factor], "score_correction_points")
        mean = self._node("Add", [self._node("Add", [lead, points], "mean_without_komi"), self.komi], "mean")
        scale = self._node("Mul", [self._node("Softplus", [scale], "score_softplus"), factor], "scale_points")
        least = self._constant("min_scale", np.array([min_scale], np.float32))
        return mean, self._node("Add", [scale, least], "scale")

    def value_of_score(self, score: tuple[str, str], correction: str) -> str:
        mean, scale = score
        ratio = self._node("Div", [mean, self._node("Add", [scale, scale], "two_scales")], "mean_of_scale")
        return self._node("Add", [ratio, correction], "value_score")


def _checked(name: str, array: np.ndarray) -> np.ndarray:
    """Raises ValueError unless these are finite numbers of a sensible size."""
    if not (np.abs(array) <= MAX_WEIGHT).all():          # false for NaN
        raise ValueError(f"its weights {name!r} are not finite numbers of at most {MAX_WEIGHT:g}")
    return array


# -- The file's format: the fields of onnx.proto that these graphs need, as protobuf writes them
# (protobuf.dev/programming-guides/encoding).  Each function returns the bytes of the message of its name.

def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; a negative number as that of 64 bits."""
    number &= (1 << 64) - 1
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _field(number: int, value: int | str | bytes) -> bytes:
    """A field of a message: a number, a text, or the bytes of a message."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _fields(number: int, values: Iterable[int | str | bytes]) -> bytes:
    return b"".join(_field(number, value) for value in values)


def attribute_message(name: str, value: int | str | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _INT)
    if isinstance(value, str):
        return _field(1, name) + _field(4, value) + _field(20, _STRING)
    return _field(1, name) + _fields(8, value) + _field(20, _INTS)


def node_message(kind: str, inputs: Sequence[str], output: str, attributes: Mapping[str, Any]) -> bytes:
    """kind: the operator.  attributes: integers, texts, and lists of integers, by their names."""
    return _fields(1, inputs) + _field(2, output) + _field(3, output) + _field(4, kind) + \
        _fields(5, (attribute_message(name, value) for name, value in attributes.items()))


def tensor_message(name: str, array: np.ndarray) -> bytes:
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return _fields(1, array.shape) + _field(2, TYPES[array.dtype]) + _field(8, name) + _field(9, data)


def value_info_message(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    """An input or output.  kind: FLOAT, ...  shape: numbers, or names of variable lengths."""
    dimensions = (_field(1 if isinstance(length, int) else 2, length) for length in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, _fields(1, dimensions))))


def model_message(nodes: Iterable[bytes], constants: Iterable[bytes], inputs: Iterable[bytes],
                  outputs: Iterable[bytes], opset: int, metadata: Mapping[str, str]) -> bytes:
    """opset: the version of ONNX's operators.  metadata: texts that the file carries."""
    graph = _fields(1, nodes) + _field(2, "mugo") + _fields(5, constants) + _fields(11, inputs) + _fields(12, outputs)
    texts = (_field(1, name) + _field(2, text) for name, text in metadata.items())
    operators = _field(1, "") + _field(2, opset)
    return _field(1, IR_VERSION) + _field(2, "MuGo") + _field(7, graph) + _field(8, operators) + _fields(14, texts)
