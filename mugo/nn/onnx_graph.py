"""An ONNX graph in the making, from plain weights.  No Keras here, and onnx is imported only when a graph is made."""
from typing import Any

import numpy as np

EPSILON = 1e-3                           # of batch normalisation
OPSET, IR = 17, 8
TYPES = {"FLOAT": 1, "UINT8": 2, "INT64": 7}             # onnx.TensorProto.DataType


class OnnxGraph:
    """Nodes in their order, constants, inputs and outputs.  layers.KerasGraph is its counterpart for Keras.

    weights: for each layer, by its name, its arrays in the order of Keras's get_weights.  Convolutions and
    activations are (n, filters, rows, columns) here, as ONNX Runtime takes them.
    metadata: texts that the graph carries.  komi, colour: tensors (n, 1), after `add_global_features`.
    """
    komi = colour = ""

    def __init__(self, weights: dict[str, list[np.ndarray]]):
        from onnx import helper, numpy_helper

        self.weights = weights
        self.metadata: dict[str, str] = {}
        self._helper, self._numpy = helper, numpy_helper
        self._nodes, self._constants, self._inputs, self._outputs = [], [], [], []

    def input(self, name: str, dtype: str, shape: list) -> str:
        """An input of the graph.  dtype: ONNX's name of it, "FLOAT"; shape: numbers, or names of variable lengths."""
        self._inputs.append(self._helper.make_tensor_value_info(name, TYPES[dtype], shape))
        return name

    def output(self, name: str, shape: list) -> None:
        """Make the node output with this name, float32, an output of the graph."""
        self._outputs.append(self._helper.make_tensor_value_info(name, TYPES["FLOAT"], shape))

    def constant(self, name: str, array: np.ndarray) -> str:
        self._constants.append(self._numpy.from_array(np.ascontiguousarray(array), name))
        return name

    def number(self, name: str, value: float) -> str:
        """A constant that is not trained: float32 (1,)."""
        return self.constant(name, np.array([value], np.float32))

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """A node of this operator; returns the name of its output."""
        self._nodes.append(self._helper.make_node(kind, inputs, [output], **attributes))
        return output

    def planes(self, shape: list) -> str:
        """The input "planes", uint8 (n, rows, columns, depth), as floats (n, depth, rows, columns)."""
        as_float = self.add("Cast", [self.input("planes", "UINT8", shape)], "float", to=TYPES["FLOAT"])
        return self.add("Transpose", [as_float], "nchw", perm=[0, 3, 1, 2])

    def add_global_features(self, name: str) -> None:
        """Add the input of this name, float32 (n, 2): komi and colour."""
        both = self.input(name, "FLOAT", ["n", 2])
        columns = [self.constant(f"column_{k}", np.array([k], np.int64)) for k in range(3)]
        self.komi, self.colour = (self.add("Slice", [both, columns[k], columns[k + 1], columns[1]], name)
                                  for k, name in enumerate(("komi", "colour")))

    def conv(self, name: str, x: str, batch_norm: str = "", dilation: int = 1) -> str:
        """A convolution, into which the batch normalisation with this name is folded."""
        kernel, *biases = self.weights[name]
        bias = biases[0] if biases else np.zeros(kernel.shape[-1], np.float32)
        if batch_norm:
            scale, shift = self._scale_and_shift(batch_norm)
            kernel, bias = kernel * scale, bias * scale + shift
        weights = self.constant(f"{name}_w", kernel.transpose(3, 2, 0, 1))
        dilations = {"dilations": [dilation] * 2} if dilation > 1 else {}
        return self.add("Conv", [x, weights, self.constant(f"{name}_b", bias)], name,
                        pads=[dilation * (kernel.shape[0] // 2)] * 4, **dilations)

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
        proto = self._helper.make_model(graph, opset_imports=[self._helper.make_opsetid("", OPSET)], ir_version=IR)
        self._helper.set_model_props(proto, self.metadata)
        onnx.checker.check_model(proto)
        return proto.SerializeToString()
