"""Checks an ONNX graph from a file before ONNX Runtime sees it: its nodes are those of the network it claims to be.

A graph is a program: a node may fill gigabytes, load a file from the current folder, or run for ever.  So the nodes,
their inputs and their outputs must be exactly those that onnx_export writes for the network's hyperparameters; only the
weights may differ, and they must be finite numbers of a sensible size.  The fields of the file are read here, without
the package onnx, which playing does not need (protobuf.dev/programming-guides/encoding; onnx/onnx.proto).
"""
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from mugo.nn.blocks import NetworkSpec
from mugo.nn.onnx_graph import OnnxGraph

MAX_WEIGHT = 1e6                         # trained weights, batch normalisation folded in, are below 100
MAX_ATTRIBUTE = 16                       # padding, axes, permutations, a type
MAX_FIELDS = 100_000                     # of a whole graph; one has 700
_FLOAT, _INT64 = 1, 7                    # TensorProto.DataType
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class GraphOutline(OnnxGraph):
    """The nodes of a graph, (operator, inputs, output), and its inputs and outputs, without weights."""

    def __init__(self, spec: NetworkSpec):
        self.nodes: list[tuple[str, tuple[str, ...], str]] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.constants: set[str] = set()
        self.metadata: dict[str, str] = {}
        self.weights: Any = defaultdict(lambda: [np.zeros(0)])
        x = self.planes([])
        for block in spec.trunk:
            x = block.onnx(self, x)
        for head in spec.heads:
            head.onnx(self, x)

    def input(self, name: str, dtype: str, shape: list) -> str:
        self.inputs.append(name)
        return name

    def output(self, name: str, shape: list) -> None:
        self.outputs.append(name)

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants.add(name)
        return name

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append((kind, tuple(inputs), output))
        return output

    def planes(self, shape: list) -> str:
        return self.add("Transpose", [self.add("Cast", [self.input("planes", "UINT8", shape)], "float")], "nchw")

    def conv(self, name: str, x: str, batch_norm: str = "") -> str:
        return self._weighted("Conv", name, x, name)

    def dense(self, name: str, x: str, output: str = "", points: int = 1) -> str:
        return self._weighted("Gemm", name, x, output or name)

    def _weighted(self, kind: str, name: str, x: str, output: str) -> str:
        return self.add(kind, [x, *(self.constant(f"{name}_{part}", np.zeros(0)) for part in "wb")], output)

    def _scale_and_shift(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(0), np.zeros(0)


def check_graph(graph: bytes, spec: NetworkSpec) -> None:
    """Raise ValueError, one line, unless this is a graph of onnx_export for this network with finite weights."""
    reader = _Reader()
    model = reader.message(memoryview(graph), "the model", {1, 2, 3, 4, 5, 6, 7, 8, 14})
    if len(model[7]) != 1:
        raise ValueError("it has no graph")
    fields = reader.message(model[7][0], "the graph", {1, 2, 5, 10, 11, 12, 13})
    nodes = [reader.node(node) for node in fields[1]]
    outline = GraphOutline(spec)
    for found, expected in zip(nodes, outline.nodes, strict=False):
        if found != expected:
            raise ValueError(f"its node {found[0][:40]} -> {found[2][:40]} is not that of its network, "
                             f"{expected[0]} -> {expected[2]}")
    if len(nodes) != len(outline.nodes):
        raise ValueError(f"it has {len(nodes)} nodes, and its network has {len(outline.nodes)}")
    names = [reader.weights(tensor) for tensor in fields[5]]
    if set(names) != outline.constants or len(names) != len(set(names)):
        raise ValueError("its weights are not those of its network")
    for found, expected, what in (fields[11], outline.inputs, "inputs"), (fields[12], outline.outputs, "outputs"):
        if sorted(reader.name(value) for value in found) != sorted(expected):
            raise ValueError(f"its {what} are not {' and '.join(expected)}")


class _Reader:
    """Reads messages, and counts their fields."""

    def __init__(self) -> None:
        self._fields_left = MAX_FIELDS

    def message(self, data: memoryview, what: str, allowed: set[int]) -> dict[int, list[Any]]:
        """{field number: its values}: a number, or the bytes of a text or message.  Other fields are an error."""
        fields: dict[int, list[Any]] = defaultdict(list)
        for number, value in self._read(data):
            if number not in allowed:
                raise ValueError(f"{what} has a field of number {number}, which this program does not write")
            fields[number].append(value)
        return fields

    def node(self, data: memoryview) -> tuple[str, tuple[str, ...], str]:
        """(operator, inputs, output) of a NodeProto."""
        fields = self.message(data, "a node", {1, 2, 3, 4, 5, 6})
        for attribute in fields[5]:
            numbers = self.message(attribute, "an attribute", {1, 3, 8, 13, 20})
            for value in numbers[3] + numbers[8]:
                values = [value] if isinstance(value, int) else [n for n, _ in _varints(value)]
                if any(not -MAX_ATTRIBUTE <= _signed(n) <= MAX_ATTRIBUTE for n in values):
                    raise ValueError(f"an attribute of a node is not from -{MAX_ATTRIBUTE} to {MAX_ATTRIBUTE}")
        texts = [tuple(_text(value) for value in fields[number]) for number in (4, 1, 2)]
        return "".join(texts[0]), texts[1], " ".join(texts[2])

    def weights(self, data: memoryview) -> str:
        """The name of a TensorProto.  Raises ValueError unless its numbers are in it, as many as its shape says, finite
        and at most MAX_WEIGHT."""
        fields = self.message(data, "the weights", {1, 2, 8, 9, 12})
        name = self._one_text(fields[8])
        shape = [n for value in fields[1] for n in ([value] if isinstance(value, int)
                                                    else [number for number, _ in _varints(value)])]
        kinds = {_FLOAT: np.float32, _INT64: np.int64}
        if len(fields[2]) != 1 or fields[2][0] not in kinds or len(fields[9]) != 1:
            raise ValueError(f"its weights {name!r} are not float32 or int64 numbers in the file")
        kind = np.dtype(kinds[fields[2][0]])
        if math.prod(shape) * kind.itemsize != len(fields[9][0]):
            raise ValueError(f"its weights {name!r} are {len(fields[9][0])} bytes, not of shape {shape}")
        numbers = np.frombuffer(fields[9][0], kind.newbyteorder("<"))
        if len(numbers) and not (np.abs(numbers) <= MAX_WEIGHT).all():           # false for NaN
            raise ValueError(f"its weights {name!r} are not finite numbers of at most {MAX_WEIGHT:g}")
        return name

    def name(self, data: memoryview) -> str:
        """The name of a ValueInfoProto."""
        return self._one_text(self.message(data, "an input or output", {1, 2, 3})[1])

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


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _text(value: Any) -> str:
    if isinstance(value, int):
        raise ValueError("it is damaged: a number in the place of a name")
    return bytes(value).decode("utf-8", "backslashreplace")
