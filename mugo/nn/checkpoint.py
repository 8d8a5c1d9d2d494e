"""Networks and training runs as files: checkpoints, and the exported network.

    RUN/checkpoint.keras    the newest state of a run: model with optimizer, metadata with history and options
    RUN/previous.keras      the one before
    RUN/network.keras       the exported network: model without optimizer, metadata, ONNX graph; to play and share
"""
import contextlib
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from mugo.files import BadInput, atomic_write, error_line
from mugo.nn import layers, losses, optimizers, schedules  # noqa: F401   what Keras loads by name
from mugo.nn.backend import keras
from mugo.nn.keras_model import build
from mugo.nn.metadata import METADATA, ONNX, Config, EarlierFormat, config_of, read_metadata
from mugo.nn.onnx_export import onnx_difference, to_onnx

CHECKPOINT, PREVIOUS, NETWORK = "checkpoint.keras", "previous.keras", "network.keras"
TOLERANCE = 1e-2                         # a wrong graph differs by more; rounding by 1e-6, or by 1e-4 where a learning
                                         # rate far too high has made the weights huge


def onnx_graph(model: keras.Model, config: Config) -> bytes:
    """The model as it is now, as an ONNX graph (inference.Network.from_graph opens it): a few milliseconds."""
    weights = {layer.name: [np.asarray(w, np.float32) for w in layer.get_weights()] for layer in model.layers}
    return to_onnx(weights, config.spec())


def save(model: keras.Model, path: Path, metadata: dict[str, Any]) -> None:
    """Write a checkpoint, atomically: the model with its optimizer, and its metadata."""
    with atomic_write(path) as temporary:
        _write(model, temporary, metadata)


def export(model: keras.Model, path: Path, metadata: dict[str, Any]) -> None:
    """Write a network to play and share, atomically: the model in float32 without its optimizer, its metadata, and
    the ONNX graph, whose outputs are compared with the model's first.  Raises RuntimeError if they differ."""
    config = config_of(metadata)
    exported = build(config.spec())
    exported.set_weights(model.get_weights())
    with atomic_write(path) as temporary:
        _write(exported, temporary, metadata)
        with zipfile.ZipFile(temporary, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(ONNX, onnx_graph(exported, config))
        difference = onnx_difference(exported, temporary)
        if difference > TOLERANCE:
            raise RuntimeError(f"{path}: outputs of ONNX Runtime and Keras differ by {difference}")


def _write(model: keras.Model, path: Path, metadata: dict[str, Any]) -> None:
    model.save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(METADATA, json.dumps(metadata, indent=1))


def load(path: Path) -> keras.Model:
    """The Keras model in a network's file, with its optimizer if that is a checkpoint.

    Raises BadInput for a file that is none, or damaged.
    """
    try:
        model = keras.saving.load_model(path)
    except Exception as error:           # of zip, zlib, HDF5, JSON, Keras, TensorFlow: whichever part is damaged
        raise BadInput(f"{path} is no network of Keras, or damaged: {error_line(error)}") from None
    assert isinstance(model, keras.Model)
    return model


def link_checkpoint(checkpoint: Path, path: Path) -> None:
    """Give a checkpoint's file another name too (a hard link), in place of whatever had that name."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    os.link(checkpoint, path)


def latest_checkpoint(run: Path, names: tuple[str, ...] = (CHECKPOINT, PREVIOUS)
                      ) -> tuple[keras.Model, dict[str, Any]]:
    """The first of these checkpoints of a run that is not damaged, and its metadata.

    Raises BadInput if there is none, and for a run of an earlier version.
    """
    for name in names:
        if (run / name).exists():
            try:
                metadata = read_metadata(run / name)
                return load(run / name), metadata
            except EarlierFormat:
                raise
            except BadInput:
                continue
    raise BadInput(f"{run} holds no training run to resume: {names[0]} is missing or damaged")
