"""ONNX files, written without the package onnx: the fields of onnx.proto that MuGo's graphs need, in protobuf's wire
format (protobuf.dev/programming-guides/encoding).  Each function returns the bytes of the message of its name.
"""
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7         # TensorProto.DataType
TYPES = {np.dtype(name): number for name, number in (
    ("float32", FLOAT), ("uint8", UINT8), ("int8", INT8), ("int32", INT32), ("int64", INT64))}
IR_VERSION = 8
_INT, _STRING, _INTS = 2, 3, 7           # AttributeProto.AttributeType


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


def attribute(name: str, value: int | str | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _INT)
    if isinstance(value, str):
        return _field(1, name) + _field(4, value) + _field(20, _STRING)
    return _field(1, name) + _fields(8, value) + _field(20, _INTS)


def node(kind: str, inputs: Sequence[str], output: str, attributes: Mapping[str, Any]) -> bytes:
    """kind: the operator.  attributes: integers, texts, and lists of integers, by their names."""
    return _fields(1, inputs) + _field(2, output) + _field(3, output) + _field(4, kind) + \
        _fields(5, (attribute(name, value) for name, value in attributes.items()))


def tensor(name: str, array: np.ndarray) -> bytes:
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return _fields(1, array.shape) + _field(2, TYPES[array.dtype]) + _field(8, name) + _field(9, data)


def value_info(name: str, kind: int, shape: Sequence[int | str], description: str = "") -> bytes:
    """An input or output.  kind: FLOAT, ...  shape: numbers, or names of variable lengths."""
    dimensions = (_field(1 if isinstance(length, int) else 2, length) for length in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, _fields(1, dimensions)))) \
        + _field(3, description)


def model(nodes: Iterable[bytes], constants: Iterable[bytes], inputs: Iterable[bytes], outputs: Iterable[bytes],
          opset: int, metadata: Mapping[str, str]) -> bytes:
    """opset: the version of ONNX's operators.  metadata: texts that the file carries."""
    graph = _fields(1, nodes) + _field(2, "mugo") + _fields(5, constants) + _fields(11, inputs) + _fields(12, outputs)
    texts = (_field(1, name) + _field(2, text) for name, text in metadata.items())
    operators = _field(1, "") + _field(2, opset)
    return _field(1, IR_VERSION) + _field(2, "MuGo") + _field(7, graph) + _field(8, operators) + _fields(14, texts)
