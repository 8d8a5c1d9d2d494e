"""Checks an ONNX graph from a file before ONNX Runtime sees it: its nodes are those of the network it claims to be.

A graph is a program: a node may fill gigabytes, load a file from the current folder, or run for ever.  So the nodes,
their attributes, their inputs and their outputs must be exactly those that onnx_export writes for the network's
hyperparameters; only the weights may differ, in shapes that are given, and they must be finite numbers of a sensible
size.  The fields of the file are read here, without the package onnx, which playing does not need
(protobuf.dev/programming-guides/encoding; onnx/onnx.proto).
"""
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mugo.nn.blocks import NetworkSpec
from mugo.nn.onnx_graph import IR, TYPES, OnnxGraph
from mugo.nn.quantization import MAX_BIAS, Ranges, check_ranges
from mugo.nn.weight_shapes import weight_shapes

MAX_WEIGHT = 1e6                         # trained weights, batch normalisation folded in, are below 100
NUMPY_TYPES = {TYPES[name]: np.dtype(dtype) for name, dtype in (
    ("FLOAT", "<f4"), ("UINT8", "u1"), ("INT8", "i1"), ("INT32", "<i4"), ("INT64", "<i8"))}
DTYPES = {dtype: kind for kind, dtype in NUMPY_TYPES.items()}
MAX_FIELDS = 100_000                     # of a whole graph; one has 700
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Node(NamedTuple):
    """A node of a graph.  attributes: by name, an integer, integers or a text."""

    kind: str
    inputs: tuple[str, ...]
    output: str
    attributes: dict[str, int | tuple[int, ...] | str]


Value = tuple[str, int, tuple[int | str, ...]]           # of an input or output: name, type, shape


class GraphOutline(OnnxGraph):
    """All of a graph but its trained weights.

    ranges: of a quantised graph; see OnnxGraph.
    constants: the shape and type of each; fixed: the values of those that are no weights: integers, single numbers, and
    the scales and zero points of activations; positive: the names of scales, which are above 0.
    """

    def __init__(self, spec: NetworkSpec, ranges: Ranges | None = None):
        self.nodes: list[Node] = []
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.constants: dict[str, tuple[tuple[int, ...], int]] = {}
        self.fixed_values: dict[str, Any] = {}
        self.positive: set[str] = set()
        self._start({name: [np.zeros(shape, np.float32) for shape in shapes]
                     for name, shapes in weight_shapes(spec).items()}, ranges)
        spec.onnx(self)

    def input(self, name: str, dtype: str, shape: list) -> str:
        self.inputs.append((name, TYPES[dtype], tuple(shape)))
        return name

    def output(self, name: str, shape: list) -> None:
        self.outputs.append((name, TYPES["FLOAT"], tuple(shape)))

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants[name] = array.shape, DTYPES[array.dtype]
        if array.dtype == np.int64:
            self.fixed_values[name] = array.ravel().tolist()
        return name

    def fixed(self, name: str, array: Any) -> str:
        array = np.asarray(array)
        self.fixed_values[name] = array.ravel().tolist()
        return self.constant(name, array)

    def scales(self, name: str, array: np.ndarray) -> str:
        self.positive.add(name)
        return self.constant(name, array)

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(Node(kind, tuple(inputs), output, {
            name: tuple(value) if isinstance(value, list) else value for name, value in attributes.items()}))
        return output


def check_graph(graph: bytes, spec: NetworkSpec, ranges: Ranges | None = None) -> None:
    """Raise ValueError, one line, unless this is a graph of onnx_export for this network with finite weights.

    ranges: of a quantised graph, as of OnnxGraph.
    """
    reader = _Reader()
    model = reader.message(memoryview(graph), "the model", {1, 2, 3, 4, 5, 6, 7, 8, 14})
    versions = [reader.message(value, "a version", {1, 2}) for value in model[8]]
    opset = GraphOutline(spec).opset
    if model[1] != [IR] or [(value[2], "".join(map(_text, value[1]))) for value in versions] != [([opset], "")]:
        raise ValueError(f"it is not of ONNX version {IR} with operators {opset}")
    if len(model[7]) != 1:
        raise ValueError("it has no graph")
    fields = reader.message(model[7][0], "the graph", {1, 2, 5, 10, 11, 12, 13})
    nodes = [reader.node(node) for node in fields[1]]
    if ranges is not None:
        check_ranges(ranges, GraphOutline(spec).quantizable)
    outline = GraphOutline(spec, ranges)
    for found, expected in zip(nodes, outline.nodes, strict=False):
        if found[:3] != expected[:3]:
            raise ValueError(f"its node {found.kind[:40]} -> {found.output[:40]} is not that of its network, "
                             f"{expected.kind} -> {expected.output}")
        if found.attributes != expected.attributes:
            raise ValueError(f"its node {expected.kind} -> {expected.output} has other attributes than its network's")
    if len(nodes) != len(outline.nodes):
        raise ValueError(f"it has {len(nodes)} nodes, and its network has {len(outline.nodes)}")
    names = [reader.weights(tensor, outline) for tensor in fields[5]]
    if set(names) != outline.constants.keys() or len(names) != len(set(names)):
        raise ValueError("its weights are not those of its network")
    for found, expected, what in (fields[11], outline.inputs, "inputs"), (fields[12], outline.outputs, "outputs"):
        if sorted(map(reader.value, found), key=str) != sorted(expected, key=str):
            raise ValueError(f"its {what} are not {' and '.join(name for name, *_ in expected)}, "
                             "of the types and shapes that its network has")


class _Reader:
    """Reads messages, and counts their fields."""

    def __init__(self) -> None:
        self._fields_left = MAX_FIELDS

    def message(self, data: Any, what: str, allowed: set[int]) -> dict[int, list[Any]]:
        """{field number: its values}: a number, or the bytes of a text or message.  Other fields are an error."""
        if isinstance(data, int):
            raise ValueError(f"it is damaged: a number in the place of {what}")
        fields: dict[int, list[Any]] = defaultdict(list)
        for number, value in self._read(data):
            if number not in allowed:
                raise ValueError(f"{what} has a field of number {number}, which this program does not write")
            fields[number].append(value)
        return fields

    def node(self, data: memoryview) -> Node:
        """A NodeProto."""
        fields = self.message(data, "a node", {1, 2, 3, 4, 5, 6})
        attributes: dict[str, int | tuple[int, ...] | str] = {}
        for attribute in fields[5]:
            values = self.message(attribute, "an attribute", {1, 3, 4, 8, 13, 20})
            several = tuple(_signed(n) for n in _numbers(values[8]))
            attributes[self._one_text(values[1])] = several or self._one_text(values[4]) or \
                _signed(_one_number(values[3]))
        texts = [tuple(_text(value) for value in fields[number]) for number in (4, 1, 2)]
        return Node("".join(texts[0]), texts[1], " ".join(texts[2]), attributes)

    def weights(self, data: memoryview, outline: GraphOutline) -> str:
        """The name of a TensorProto.  Raises ValueError unless its numbers are in it, of the type and shape that its
        network has, finite and at most MAX_WEIGHT."""
        fields = self.message(data, "the weights", {1, 2, 8, 9, 12})
        name = self._one_text(fields[8])
        shape, kind = tuple(_numbers(fields[1])), _one_number(fields[2])
        if len(fields[9]) != 1 or not isinstance(fields[9][0], memoryview):
            raise ValueError(f"its weights {name[:40]!r} are not in the file")
        if outline.constants.get(name) != (shape, kind):
            raise ValueError(f"its weights {name[:40]!r}, of shape {str(shape)[:80]}, are not those of its network")
        dtype = NUMPY_TYPES[kind]
        if math.prod(shape) * dtype.itemsize != len(fields[9][0]):
            raise ValueError(f"its weights {name!r} are {len(fields[9][0])} bytes, not of shape {shape}")
        numbers = np.frombuffer(fields[9][0], dtype)
        most = MAX_WEIGHT if dtype.kind == "f" else MAX_BIAS
        if not (np.abs(numbers.astype(np.float64)) <= most).all():               # false for NaN
            raise ValueError(f"its weights {name!r} are not finite numbers of at most {most:g}")
        if name in outline.positive and not (numbers > 0).all():
            raise ValueError(f"its scales {name!r} are not above 0")
        if name in outline.fixed_values and numbers.tolist() != outline.fixed_values[name]:
            raise ValueError(f"its constant {name!r} is not that of its network")
        return name

    def value(self, data: memoryview) -> Value:
        """A ValueInfoProto."""
        info = self.message(data, "an input or output", {1, 2, 3})
        kind = self.message(_one_message(info[2]), "a type", {1, 6})
        tensor = self.message(_one_message(kind[1]), "a type", {1, 2})
        shape: list[int | str] = []
        for dim in self.message(_one_message(tensor[2]), "a shape", {1})[1]:
            length = self.message(dim, "a length", {1, 2})
            shape.append(self._one_text(length[2]) if length[2] else _one_number(length[1]))
        return self._one_text(info[1]), _one_number(tensor[1]), tuple(shape)

    @staticmethod
    def _one_text(values: list) -> str:
        return _text(values[0]) if len(values) == 1 else ""

    def _read(self, data: memoryview) -> Iterator[tuple[int, Any]]:
        at = 0
        while at < len(data):
            self._fields_left -= 1
            if self._fields_left < 0:
                raise ValueError(f"it has more than {MAX_FIELDS} fields")
            tag, at = _varint(data, at)
            kind = tag & 7
            if kind == _VARINT:
                value, at = _varint(data, at)
            else:
                size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
                if kind == _BYTES:
                    size, at = _varint(data, at)
                if size is None or at + size > len(data):
                    raise ValueError("it is damaged: a field ends behind the file")
                value, at = data[at:at + size], at + size
            yield tag >> 3, value


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number of up to ten bytes, seven bits each, and the place behind it."""
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ValueError("it is damaged: a number does not end")


def _varints(data: memoryview) -> Iterator[tuple[int, int]]:
    """Packed numbers, each with the place behind it."""
    at = 0
    while at < len(data):
        number, at = _varint(data, at)
        yield number, at


def _numbers(values: list) -> list[int]:
    """The numbers of a repeated field, packed or not."""
    return [n for value in values for n in ([value] if isinstance(value, int)
                                            else [number for number, _ in _varints(value)])]


def _one_number(values: list) -> int:
    if len(values) != 1 or not isinstance(values[0], int):
        raise ValueError("it is damaged: not a number where one is expected")
    return values[0]


def _one_message(values: list) -> Any:
    return values[0] if len(values) == 1 else memoryview(b"")


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _text(value: Any) -> str:
    if isinstance(value, int):
        raise ValueError("it is damaged: a number in the place of a name")
    return bytes(value).decode("utf-8", "backslashreplace")
