"""An ONNX graph in the making, from plain weights.  No Keras here, and onnx is imported only when a graph is made."""
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mugo.nn.quantization import (
    MAX_BIAS,
    PLANES_SCALE,
    Ranges,
    Scale,
    activation_scale,
    quantize_bias,
    quantize_weights,
)

EPSILON = 1e-3                           # of batch normalisation
OPSET, OPSET_OF_COMPONENTS, IR = 17, 18, 8               # ScatterND finds maxima since 18
PLANES = "nchw"                          # the tensor of planes, (n, depth, rows, columns)
TYPES = {"FLOAT": 1, "UINT8": 2, "INT8": 3, "INT32": 6, "INT64": 7}            # onnx.TensorProto.DataType


class OnnxGraph:
    """Nodes in their order, constants, inputs and outputs.  layers.KerasGraph is its counterpart for Keras.

    weights: for each layer, by its name, its arrays in the order of Keras's get_weights.  Convolutions and
    activations are (n, filters, rows, columns) here, as ONNX Runtime takes them.
    ranges: None for a float32 graph; of a quantised one (quantization.py), those of `quantizable`.
    corrections: float32 (filters,), added to the bias of some convolutions and dense layers.
    quantizable: the tensors that the convolutions to be quantised take and give, planes aside.  quantized_convs: for
    each of them, by its name, the one that it gives.
    metadata: texts that the graph carries.  komi, colour: tensors (n, 1), after `add_global_features`.  context: the
    output of the context module, where there is one.  opset: the version of ONNX's operators.
    """
    opset = OPSET
    komi = colour = context = ""

    def __init__(self, weights: dict[str, list[np.ndarray]], ranges: Ranges | None = None,
                 corrections: Mapping[str, np.ndarray] = MappingProxyType({})):
        from onnx import helper, numpy_helper

        self._start(weights, ranges, corrections)
        self._helper, self._numpy = helper, numpy_helper
        self._nodes, self._constants, self._inputs, self._outputs = [], [], [], []

    def _start(self, weights: dict[str, list[np.ndarray]], ranges: Ranges | None = None,
               corrections: Mapping[str, np.ndarray] = MappingProxyType({})) -> None:
        self.weights, self.ranges, self._corrections = weights, ranges, corrections
        self.metadata: dict[str, str] = {}
        self.quantizable: list[str] = []
        self.quantized_convs: dict[str, str] = {}
        self._quantized: dict[str, tuple[str, Scale]] = {}           # tensor: it dequantised, and its scale

    def input(self, name: str, dtype: str, shape: list) -> str:
        """An input of the graph.  dtype: ONNX's name of it, "FLOAT"; shape: numbers, or names of variable lengths."""
        self._inputs.append(self._helper.make_tensor_value_info(name, TYPES[dtype], shape))
        return name

    def output(self, name: str, shape: list) -> None:
        """Make the node output with this name, float32, an output of the graph."""
        self._outputs.append(self._helper.make_tensor_value_info(name, TYPES["FLOAT"], shape))

    def constant(self, name: str, array: np.ndarray) -> str:
        self._constants.append(self._numpy.from_array(np.asarray(array, order="C"), name))
        return name

    def fixed(self, name: str, array: Any) -> str:
        """A constant that is not trained."""
        return self.constant(name, np.asarray(array))

    def number(self, name: str, value: float) -> str:
        """A constant that is not trained: float32 (1,)."""
        return self.fixed(name, np.array([value], np.float32))

    def scales(self, name: str, array: np.ndarray) -> str:
        """A constant of numbers above 0."""
        return self.constant(name, array)

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """A node of this operator; returns the name of its output."""
        self._nodes.append(self._helper.make_node(kind, inputs, [output], **attributes))
        return output

    def planes(self, shape: list) -> str:
        """The input "planes", uint8 (n, rows, columns, depth), as floats (n, depth, rows, columns)."""
        planes = self.input("planes", "UINT8", shape)
        if self.ranges is not None:
            transposed = self.add("Transpose", [planes], f"{PLANES}_q", perm=[0, 3, 1, 2])
            self._constants_of(PLANES, PLANES_SCALE)
            return self._dequantize(PLANES, transposed, PLANES_SCALE)[0]
        as_float = self.add("Cast", [planes], "float", to=TYPES["FLOAT"])
        return self.add("Transpose", [as_float], PLANES, perm=[0, 3, 1, 2])

    def add_global_features(self, name: str) -> None:
        """Add the input of this name, float32 (n, 2): komi and colour."""
        both = self.input(name, "FLOAT", ["n", 2])
        columns = [self.constant(f"column_{k}", np.array([k], np.int64)) for k in range(3)]
        self.komi, self.colour = (self.add("Slice", [both, columns[k], columns[k + 1], columns[1]], name)
                                  for k, name in enumerate(("komi", "colour")))

    def add_components(self, name: str) -> None:
        """Add the input of this name, int64 (n, points): for each point the place of its component's first point among
        all points of all boards."""
        components = self.input(name, "INT64", ["n", "points"])
        self.opset = OPSET_OF_COMPONENTS
        self._rows = self.add("Reshape", [components, self.constant("all_rows", np.array([-1, 1], np.int64))],
                              "component_rows")
        self._component = self.add("Reshape", [components, self.constant("all_points", np.array([-1], np.int64))],
                                   "component")
        none = self.add("ConstantOfShape", [self.add("Shape", [self._rows], "rows_shape")], "no_points")
        one = self.number("one_point", 1)
        sizes = self.add("ScatterND", [none, self._rows, self.add("Add", [none, one], "one_each")],
                         "component_sizes", reduction="add")
        self._share = self.add("Div", [one, self.add("Gather", [sizes, self._component], "sizes", axis=0)], "share")

    def chain_pool(self, name: str, x: str, filters: int) -> str:
        """(n, filters, rows, columns), none below 0, to (n, 2 * filters, rows, columns): the mean of each filter over
        the component of a point, then the maxima.  See layers.ChainPool."""
        last = self.add("Transpose", [x], f"{name}_last", perm=[0, 2, 3, 1])
        points = self.add("Reshape", [last, self.constant(f"{name}_points_shape", np.array([-1, filters], np.int64))],
                          f"{name}_points")
        zeros = self.add("ConstantOfShape", [self.add("Shape", [points], f"{name}_flat_shape")], f"{name}_zeros")
        shares = self.add("Mul", [points, self._share], f"{name}_shares")
        pools = [self.add("ScatterND", [zeros, self._rows, shares], f"{name}_means", reduction="add"),
                 self.add("ScatterND", [zeros, self._rows, points], f"{name}_maxima", reduction="max")]
        pooled = self.add("Gather", [self.add("Concat", pools, f"{name}_pools", axis=1), self._component],
                          f"{name}_pooled", axis=0)
        board = self.add("Shape", [last], f"{name}_board", start=0, end=3)
        shape = [board, self.constant(f"{name}_filters", np.array([2 * filters], np.int64))]
        pooled = self.add("Reshape", [pooled, self.add("Concat", shape, f"{name}_shape", axis=0)], f"{name}_boards")
        return self.add("Transpose", [pooled], name, perm=[0, 3, 1, 2])

    def conv(self, name: str, x: str, batch_norm: str = "", dilation: int = 1, relu: str = "", quantize: bool = True
             ) -> str:
        """A convolution, into which the batch normalisation with this name is folded.

        relu: the name of a ReLU that takes nothing else.  quantize: whether it is quantised in a graph with ranges.
        """
        kernel, *biases = self.weights[name]
        bias = biases[0] if biases else np.zeros(kernel.shape[-1], np.float32)
        if batch_norm:
            scale, shift = self._scale_and_shift(batch_norm)
            kernel, bias = kernel * scale, bias * scale + shift
        dilations = {"dilations": [dilation] * 2} if dilation > 1 else {}
        attributes = {"pads": [dilation * (kernel.shape[0] // 2)] * 4, **dilations}
        kernel = kernel.transpose(3, 2, 0, 1)
        bias = bias + self._corrections.get(name, np.float32(0))
        if self.ranges is not None and quantize:
            return self._quantized_conv(name, x, kernel, bias, attributes, relu)
        y = self.add("Conv", [x, self.constant(f"{name}_w", kernel), self.constant(f"{name}_b", bias)], name,
                     **attributes)
        y = self.add("Relu", [y], relu) if relu else y
        if quantize:
            self.quantized_convs[name] = y
            self.quantizable += [tensor for tensor in (x, y) if tensor not in (PLANES, *self.quantizable)]
        return y

    def _quantized_conv(self, name: str, x: str, kernel: np.ndarray, bias: np.ndarray, attributes: Mapping[str, Any],
                        relu: str) -> str:
        """A convolution of eight bits, and its ReLU: their output dequantised."""
        x, of_input = self._quantized.get(x) or self._quantize(x)
        weights, scale = quantize_weights(kernel, np.abs(bias) / (of_input.scale * MAX_BIAS))
        inputs = [x]
        for part, numbers, of_numbers in (
                ("w", weights, scale),
                ("b", quantize_bias(bias, of_input.scale * scale), of_input.scale * scale)):
            inputs.append(self.add("DequantizeLinear", [
                self.constant(f"{name}_{part}", numbers), self.scales(f"{name}_{part}_scale", of_numbers),
                self.fixed(f"{name}_{part}_zero", np.zeros(len(scale), numbers.dtype))], f"{name}_{part}_dq", axis=0))
        y = self.add("Conv", inputs, name, **attributes)
        return self._quantize(self.add("Relu", [y], relu) if relu else y)[0]

    def _quantize(self, x: str) -> tuple[str, Scale]:
        """A float32 tensor rounded to uint8 and back: (its name, its scale)."""
        assert self.ranges is not None
        scale = activation_scale(*self.ranges[x])
        return self._dequantize(x, self.add("QuantizeLinear", [x, *self._constants_of(x, scale)], f"{x}_q"), scale)

    def _dequantize(self, x: str, quantized: str, scale: Scale) -> tuple[str, Scale]:
        """(The name of a uint8 tensor dequantised, its scale).  x: the name of what it quantises."""
        y = self.add("DequantizeLinear", [quantized, f"{x}_scale", f"{x}_zero"], f"{x}_dq")
        self._quantized[x] = self._quantized[y] = y, scale
        return self._quantized[y]

    def _constants_of(self, x: str, scale: Scale) -> tuple[str, str]:
        return self.fixed(f"{x}_scale", scale.scale), self.fixed(f"{x}_zero", scale.zero_point)

    def batch_norm(self, name: str, x: str) -> str:
        """Batch normalisation that no convolution precedes."""
        scale, shift = self._scale_and_shift(name)
        scaled = self.add("Mul", [x, self.constant(f"{name}_scale", scale)], f"{name}_scaled")
        return self.add("Add", [scaled, self.constant(f"{name}_shift", shift)], name)

    def _scale_and_shift(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        gamma, beta, mean, variance = self.weights[name]
        scale = gamma / np.sqrt(variance + EPSILON)
        return scale, beta - mean * scale

    def dense(self, name: str, x: str, output: str = "", points: int = 1) -> str:
        """A dense layer of (n, features).

        points: where x is a flattened convolution, the points of the board.  Its features are in order of filters
        here, and in order of points in Keras.
        """
        kernel, bias = self.weights[name]
        bias = bias + self._corrections.get(name, np.float32(0))
        kernel = kernel.reshape(points, -1, kernel.shape[1]).transpose(1, 0, 2).reshape(kernel.shape)
        return self.add("Gemm", [x, self.constant(f"{name}_w", kernel), self.constant(f"{name}_b", bias)],
                        output or name)

    def mean_max_pool(self, name: str, x: str) -> str:
        """(n, filters, rows, columns) to (n, 2 * filters): the mean of each filter, then the maxima."""
        pools = [self.add("GlobalAveragePool", [x], f"{name}_mean"), self.add("GlobalMaxPool", [x], f"{name}_max")]
        return self.add("Flatten", [self.add("Concat", pools, f"{name}_pools", axis=1)], name)

    def value(self, score: str) -> None:
        """The output "value", float32 (n,) in [-1, 1]: tanh of a score (n, 1)."""
        last = self.constant("last_axis", np.array([1], np.int64))
        self.add("Squeeze", [self.add("Tanh", [score], "value_tanh"), last], "value")
        self.output("value", ["n"])

    def serialize(self) -> bytes:
        """The whole graph as a file's bytes."""
        import onnx

        graph = self._helper.make_graph(self._nodes, "mugo", self._inputs, self._outputs, self._constants)
        proto = self._helper.make_model(graph, opset_imports=[self._helper.make_opsetid("", self.opset)], ir_version=IR)
        self._helper.set_model_props(proto, self.metadata)
        onnx.checker.check_model(proto)
        return proto.SerializeToString()
