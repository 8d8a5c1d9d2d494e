"""Checks a .keras file before Keras loads it: its members, the classes and sizes of its layers, and its weights.

Keras makes every object that config.json names, of any class and size, before it looks at the weights; unpacks assets
to the disk; and HDF5 files can be compressed a thousandfold, or have their numbers in other files.  So config.json may
name the classes of this program's networks only, their layers may have as many weights as the file has room for, and
model.weights.h5 is made of plain arrays.  https://keras.io/api/models/model_saving_apis/
"""
import io
import json
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.nn.metadata import METADATA, ONNX, ONNX_INT8, read_member

CONFIG, WEIGHTS = "config.json", "model.weights.h5"
MEMBERS = {"metadata.json", CONFIG, WEIGHTS, METADATA, ONNX, ONNX_INT8}
MAX_CONFIG_BYTES = 8 << 20               # of five layers 30 kB
MAX_WEIGHTS_BYTES = 2 << 30              # of a checkpoint: weights, and three numbers of the optimizer for each
MAX_OBJECTS = 100_000                    # groups and arrays of the weights; a checkpoint of five layers has 150
_LAYERS = {"InputLayer", "UnpackPlanes", "FusedBatchNorm", "PointBias", "Conv2D", "DilatedConv2D", "Dense", "ReLU",
           "Add", "Flatten", "Concatenate", "Reshape", "GlobalAveragePooling2D", "GlobalMaxPooling2D", "Rescaling",
           "ChainPool", "Lead", "ScoreDistribution", "ValueOfScore", "Column",
           "Cast"}                       # of mixed precision, by Keras 3.8
_OTHERS = {"Functional", "__keras_tensor__", "DTypePolicy", "GlorotUniform", "HeNormal", "Ones", "Zeros", "L2",
           "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "LabelSmoothingCrossentropy",
           "CategoricalAccuracy", "SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy", "MeanMetricWrapper",
           "KnownMean", "SparseCrossentropyOfKnown", "Adam", "Muon", "WarmupStableDecay"}
_FUNCTIONS = {"mugo>entropy", "mugo>outcome_loss", "mugo>ownership_loss", "mugo>score_loss",
              "mugo>squared_error"}


def check_keras(path: Path) -> None:
    """Raise BadInput unless Keras can load this file in memory of its own size, and without another file."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception as error:           # damaged archives make zipfile raise exceptions of any type
        raise BadInput(f"{path} is not a Keras network, or is damaged: {error}") from None
    if len(names) != len(set(names)) or not {CONFIG, WEIGHTS} <= set(names) <= MEMBERS:
        raise BadInput(f"{path} is not a MuGo network: its members are not those of one")
    config, weights = read_member(path, CONFIG, MAX_CONFIG_BYTES), read_member(path, WEIGHTS, MAX_WEIGHTS_BYTES)
    try:
        needed = _weights_of(json.loads(config))
        if 4 * needed > len(weights):                    # float32
            raise ValueError(f"its layers have {needed:,} weights, more than are in the file")
        _check_arrays(weights)
    except (ValueError, TypeError, KeyError, RecursionError, OSError, RuntimeError) as error:
        raise BadInput(f"{path} is not a MuGo network, or is damaged: {str(error)[:200]}") from None


def _objects(value: Any) -> Iterator[dict]:
    """All JSON objects inside a value, and the value."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack += value.values()
        elif isinstance(value, list):
            stack += value


def _weights_of(config: Any) -> int:
    """How many weights the layers of a config.json have.  Raises ValueError for a class that no network of MuGo has,
    and, as KeyError and TypeError, for a config of another form."""
    layers = config["config"]["layers"]
    built = [config, *layers]            # the objects that may be built at once, by their place
    for found in _objects(config):
        kind = found.get("class_name")
        if kind is not None:
            _check_class(found, str(kind)[:40])
            if kind in _LAYERS | {"Functional"} and not any(found is one for one in built):
                raise ValueError(f"a {kind} in the place of another object")
        if "build_config" in found and not any(found is one for one in built):
            raise ValueError("an object that is no layer has sizes")
        if found.get("lora_rank") or found.get("quantization_config"):
            raise ValueError("a layer has weights that this program does not make")
    if config["class_name"] != "Functional" or any(layer["class_name"] not in _LAYERS for layer in layers):
        raise ValueError("it is not a model of layers")
    return sum(map(_layer_weights, layers))


def _check_class(found: dict, kind: str) -> None:
    """Raise ValueError unless this object is of a class that networks of MuGo have."""
    module, registered = found.get("module"), found.get("registered_name")
    if kind == "function":
        known = found.get("config") in _FUNCTIONS and module == "builtins"
    elif registered not in (None, kind, f"mugo>{kind}"):
        known = False
    else:
        known = kind in _LAYERS | _OTHERS and str(module or "keras").split(".")[0] in ("keras", "mugo")
    if not known:
        raise ValueError(f"{kind!r} of {str(module)[:40]!r} is not a part of this program's networks")


def _layer_weights(layer: dict) -> int:
    kind, config = layer["class_name"], layer["config"]
    if kind not in ("Conv2D", "DilatedConv2D", "Dense", "FusedBatchNorm", "PointBias"):
        return 0
    shape = layer["build_config"]["input_shape"]
    inputs = _number(shape[-1])
    if kind.endswith("Conv2D"):
        return math.prod(map(_number, config["kernel_size"])) * inputs * _number(config["filters"])
    if kind == "Dense":
        return inputs * _number(config["units"])
    return (4 if kind == "FusedBatchNorm" else 1) * inputs


def _number(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"{str(value)[:40]!r} is the size of a layer")
    return value


def _check_arrays(weights: bytes) -> None:
    """Raise ValueError unless an HDF5 file is groups of uncompressed arrays, with their numbers in the file."""
    import h5py

    with h5py.File(io.BytesIO(weights), "r") as file:
        groups, objects, size = [file["/"]], 0, 0
        while groups:
            group = groups.pop()
            for name in group:
                objects += 1
                if objects > MAX_OBJECTS:                # also where a group is inside itself
                    raise ValueError(f"its weights are more than {MAX_OBJECTS:,} arrays")
                if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                    raise ValueError(f"its weights {group.name}/{name} are a link")
                array = group[name]
                if isinstance(array, h5py.Group):
                    groups.append(array)
                    continue
                if not isinstance(array, h5py.Dataset) or array.is_virtual or array.external or array.chunks \
                        or array.dtype.kind not in "fiub":
                    raise ValueError(f"its weights {array.name} are not a plain array of numbers in the file")
                size += array.nbytes
                if size > len(weights):
                    raise ValueError(f"its weights have {size:,} bytes, in a file of {len(weights):,}")
