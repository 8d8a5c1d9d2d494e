"""Networks as files: NAME.safetensors (tensor_file.py) holds the metadata, from which everything else follows, and

    LAYER/WEIGHT       float32, the weights by the names and in the shapes of Keras (weights.network_weights)
    LAYER/int8_bias    float32 (filters,), of a network that has been quantised (range_calibration.py): the bias of a
                       layer in the int8 graph
    LAYER/int8_kernel  float32, in the shape of LAYER/kernel, likewise, of a dense layer.  All else of that graph
                       follows from the weights and from the ranges in metadata["quantization"]
    optimizer/...      of a checkpoint: the optimizer's variables (checkpoint.py)

No Keras here.
"""
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.nn.metadata import checked_metadata, config_of, has_int8
from mugo.nn.tensor_file import DTYPES, OtherFormat, TensorFile
from mugo.nn.weights import INT8_BIAS, is_of_int8, network_weights

OPTIMIZER = "optimizer/"                 # how the names of its variables begin
Expected = Mapping[str, tuple[str, tuple[int, ...]]]     # tensor: the kind of its dtype, as NumPy has it, and its shape


def read_network(path: Path, may_be_checkpoint: bool = False) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights and the metadata of a network.

    may_be_checkpoint: read the weights of a checkpoint, too.
    Raises BadInput for a file that is none, or damaged, or whose weights are not those of its network, or not finite;
    OtherFormat, which is one, for a file of another version of MuGo.
    """
    file = TensorFile(path)
    metadata = checked_metadata(file.metadata(), path)
    names = [name for name in file.shapes if not name.startswith(OPTIMIZER)]
    if len(names) < len(file.shapes) and not may_be_checkpoint:
        raise BadInput(f"{path} is the checkpoint of a run: play and share the run's network.safetensors")
    expected = {name: ("f", weight.shape) for name, weight in network_weights(config_of(metadata).spec()).items()}
    if has_int8(metadata):
        for layer, weight in [name.rsplit("/", 1) for name in names if is_of_int8(name)]:
            _, shape = expected.get(f"{layer}/kernel", ("f", ()))
            if shape and weight == INT8_BIAS:
                expected[f"{layer}/{weight}"] = "f", shape[-1:]
            elif len(shape) == 2:
                expected[f"{layer}/{weight}"] = "f", shape
    check_tensors(file, path, expected, names)
    return file.read(expected.keys()), metadata


def check_tensors(file: TensorFile, path: Path, expected: Expected, names: Collection[str]) -> None:
    """Raise OtherFormat unless the tensors of these names are those that are expected."""
    other = f"{path}: its weights are not those of its network"
    if missing := sorted(expected.keys() - set(names)):
        raise OtherFormat(f"{other}: it has no {missing[0]}")
    if extra := sorted(set(names) - expected.keys()):
        raise OtherFormat(f"{other}: it has {extra[0][:80]!r} too")
    for name, (kind, shape) in expected.items():
        dtype, found = file.shapes[name]
        if found != shape or dtype not in DTYPES or DTYPES[dtype].kind != kind:
            raise OtherFormat(f"{other}: its {name} is {dtype} of shape {str(found)[:80]}, expected "
                              f"{'F32' if kind == 'f' else 'integers'} of shape {shape}")
