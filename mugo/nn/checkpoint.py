"""Networks and training runs as files: checkpoints, and the exported network.

    RUN/checkpoint.keras    the newest state of a run: model with optimizer, metadata with history and options
    RUN/previous.keras      the one before
    RUN/network.keras       the exported network: model without optimizer, metadata, ONNX graphs; to play and share
"""
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mugo.core.files import BadInput, atomic_write, error_line, log_to_stderr
from mugo.nn import equivariance, layers, losses, optimizers, schedules  # noqa: F401   what Keras loads by name
from mugo.nn.backend import keras
from mugo.nn.inference import Network
from mugo.nn.keras_check import check_keras
from mugo.nn.keras_model import build
from mugo.nn.metadata import (
    METADATA,
    ONNX,
    ONNX_INT8,
    Config,
    OtherFormat,
    config_dict,
    config_of,
    read_metadata,
)
from mugo.nn.onnx_export import onnx_difference, to_onnx
from mugo.nn.processes import is_first
from mugo.nn.range_calibration import CalibrationPositions, quantize
from mugo.nn.weight_shapes import weight_shapes

CHECKPOINT, PREVIOUS, NETWORK = "checkpoint.keras", "previous.keras", "network.keras"
TOLERANCE = 1e-2                         # a wrong graph differs by more; rounding by 1e-6, or by 1e-4 where a learning
                                         # rate far too high has made the weights huge


def onnx_weights(model: keras.Model) -> dict[str, list[np.ndarray]]:
    """The weights of a model as OnnxGraph takes them."""
    return {layer.name: [np.asarray(w, np.float32) for w in layer.get_weights()] for layer in model.layers}


def onnx_graph(model: keras.Model, config: Config) -> bytes:
    """The model as it is now, as an ONNX graph (inference.Network.from_graph opens it): a few milliseconds."""
    return to_onnx(onnx_weights(model), config.exported().spec())


class Graphs(NamedTuple):
    """What a network is played with.

    graphs: ONNX, and ONNX_INT8 if it was quantised.  quantization: of metadata["quantization"], or None.  loss: why
    there is no quantised graph though positions were given, or '' (Quantized.loss).
    """
    graphs: dict[str, bytes]
    quantization: dict[str, Any] | None = None
    loss: str = ""


def make_graphs(model: keras.Model, metadata: dict[str, Any], positions: CalibrationPositions | None = None) -> Graphs:
    """The graphs of a model as it is now: a few milliseconds, and seconds with positions to quantise it.

    model: without auxiliary heads.  positions: to calibrate a quantised graph on, which is made if there are two or
    more and it does not lose too much.
    """
    graphs = {ONNX: onnx_graph(model, config_of(metadata))}
    if positions is None or len(positions.packed) < 2:
        return Graphs(graphs)
    quantized = quantize(onnx_weights(model), metadata, positions)
    if quantized.loss:
        return Graphs(graphs, loss=quantized.loss)
    return Graphs(graphs | {ONNX_INT8: quantized.graph}, quantized.description)


def nonfinite_weight(model: keras.Model) -> str:
    """The name of a weight, or of a variable of the optimizer, that is not finite somewhere; '' if there is none."""
    optimizer = getattr(model, "optimizer", None)
    for variable in [*model.weights, *(optimizer.variables if optimizer else [])]:
        if not np.isfinite(keras.ops.convert_to_numpy(variable)).all():
            return equivariance.weight_name(variable)
    return ""


def check_finite(model: keras.Model, path: Path) -> None:
    """Raise BadInput if `nonfinite_weight` finds one.  path: of the model's file."""
    if name := nonfinite_weight(model):
        raise BadInput(f"{path}: {name} of this network is infinite or NaN")


def save(model: keras.Model, path: Path, metadata: dict[str, Any]) -> None:
    """Write a checkpoint, atomically: the model with its optimizer, and its metadata.

    Raises BadInput, and writes nothing, if they are not finite.
    """
    check_finite(model, path)
    with atomic_write(path) as temporary:
        _write(model, temporary, metadata)


def export(model: keras.Model, path: Path, metadata: dict[str, Any], positions: CalibrationPositions | None = None
           ) -> None:
    """Write a network to play and share, atomically: the model in float32 without its optimizer and its auxiliary
    heads, its metadata, and the ONNX graph, whose outputs are compared with the model's first.

    positions: to calibrate a quantised graph on, which is written too, and described in metadata["quantization"]; but
    not if it loses too much (Quantized.loss), which a line on stderr says.
    Raises BadInput for weights that are not finite, RuntimeError if the outputs differ; then nothing is written.
    """
    check_finite(model, path)
    config = config_of(metadata).exported()
    metadata = metadata | {"config": config_dict(config)}
    exported = build(config.spec())
    for layer in exported.layers:
        if layer.weights:
            layer.set_weights(model.get_layer(layer.name).get_weights())
    made = make_graphs(exported, metadata, positions)
    if made.loss:
        log_to_stderr(f"{path} has no int8 graph, because it would lose too much: {made.loss}")
    if made.quantization:
        metadata["quantization"] = made.quantization
    with atomic_write(path) as temporary:
        _write(exported, temporary, metadata)
        with zipfile.ZipFile(temporary, "a", zipfile.ZIP_DEFLATED) as archive:
            for name, graph in made.graphs.items():
                archive.writestr(name, graph)
        difference = onnx_difference(exported, temporary)
        if not difference <= TOLERANCE:  # nor if it is NaN
            raise RuntimeError(f"{path}: outputs of ONNX Runtime and Keras differ by {difference}")


def add_quantized(path: Path, output: Path, positions: CalibrationPositions) -> dict[str, Any]:
    """Write a network's file, atomically, with a quantised graph in addition, or another one; returns
    metadata["quantization"].  Its other members stay as they are.

    Raises BadInput as `load` and Network do, and if it would lose too much.
    """
    model, metadata = load(path), Network(path, threads=1, precision="float32").metadata
    if len(positions.packed) < 2:
        raise BadInput(f"{path}: int8 takes at least two positions to calibrate on")
    quantized = quantize(onnx_weights(model), metadata, positions)
    if quantized.loss:
        raise BadInput(f"{path}: int8 loses too much: {quantized.loss}")
    changed = {METADATA: json.dumps(metadata | {"quantization": quantized.description}, indent=1).encode(),
               ONNX_INT8: quantized.graph}
    with zipfile.ZipFile(path) as old, atomic_write(output) as temporary:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as new:
            for member in old.infolist():
                if member.filename not in changed:
                    new.writestr(member, old.read(member))
            for name, data in changed.items():
                new.writestr(name, data)
    return quantized.description


def _write(model: keras.Model, path: Path, metadata: dict[str, Any]) -> None:
    model.save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(METADATA, json.dumps(metadata, indent=1))


def load(path: Path) -> keras.Model:
    """The Keras model in a network's file, with its optimizer if that is a checkpoint.

    Raises BadInput for a file that is none, or damaged, or holds weights that are not finite, and as `check_keras`.
    """
    check_keras(path)
    try:
        model = keras.saving.load_model(path)
    except Exception as error:           # of zip, zlib, HDF5, JSON, Keras, TensorFlow: whichever part is damaged
        raise BadInput(f"{path} is not a Keras network, or is damaged: {error_line(error)}") from None
    assert isinstance(model, keras.Model)
    shapes = {layer.name: [tuple(weight.shape) for weight in layer.weights] for layer in model.layers if layer.weights}
    if shapes != weight_shapes(config_of(read_metadata(path)).spec()):
        raise OtherFormat(f"{path}: its weights are not those of its network: an earlier version wrote it, or it is "
                          "damaged")
    check_finite(model, path)
    return model


def link_checkpoint(checkpoint: Path, path: Path) -> None:
    """Give a checkpoint's file another name too (a hard link), atomically in place of whatever had that name."""
    temporary = path.with_name(f".{path.name}.mugo-{os.getpid()}.link")      # a name of files.is_temporary
    temporary.unlink(missing_ok=True)
    os.link(checkpoint, temporary)
    try:
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)                # POSIX renames nothing where both are one file already


def latest_checkpoint(run: Path, check: Callable[[dict[str, Any], Path], None],
                      names: tuple[str, ...] = (CHECKPOINT, PREVIOUS)) -> tuple[keras.Model, dict[str, Any]]:
    """The first of these checkpoints of a run that is not damaged, and its metadata.  It gets the first name too, so
    that the next checkpoint does not replace it by a damaged one.  A line on stderr says which was damaged.

    check: raises BadInput for metadata that are not those of such a run; another file of the run is not tried then,
    because damage is found by checksums.  Raises BadInput if there is no checkpoint, and for a run of an earlier
    version.
    """
    for name in names:
        if (run / name).exists():
            try:
                metadata = read_metadata(run / name)
                model = load(run / name)
            except OtherFormat:
                raise
            except BadInput as error:
                if name != names[-1]:
                    log_to_stderr(f"{error}; the checkpoint before it is tried")
                continue
            check(metadata, run / name)
            if name != names[0] and is_first():
                link_checkpoint(run / name, run / names[0])
            return model, metadata
    if not run.is_dir():
        raise BadInput(f"{run}: no such folder, so no training run to resume")
    raise BadInput(f"{run} holds no training run to resume: {names[0]} is missing or damaged")


def latest_metadata(run: Path, check: Callable[[dict[str, Any], Path], None],
                    names: tuple[str, ...] = (CHECKPOINT, PREVIOUS)) -> dict[str, Any]:
    """The metadata of the first of these checkpoints of a run whose metadata are not damaged.  The model, which takes
    seconds to load, is not read.  check, errors: as of `latest_checkpoint`."""
    for name in names:
        try:
            metadata = read_metadata(run / name)
        except OtherFormat:
            raise
        except BadInput:
            continue
        check(metadata, run / name)
        return metadata
    return latest_checkpoint(run, check, names)[1]       # raises what is wrong
