"""The policy network: building it.  And networks of both kinds as files.

    packed planes (size², 6) uint8
      | Unpack                  48 planes of 0 and 1
      | conv 5x5 k, norm, ReLU
      | conv 3x3 k, norm, ReLU                   (layers - 2) times; with residual, each adds its input before
      |                                          ReLU; the middle one also adds a bias for each filter that
      |                                          is computed from the whole board
      |-- conv 1x1 to one plane, a bias for each point; a pass from the mean of each filter -> policy
      '-- conv 1x1 to 32, norm, ReLU -> mean and maximum of each, norm -> dense 64, ELU -> dense 1 (tanh is
                                          left to who asks) -> value

With equivariant, weights that symmetries of the board turn into each other are equal: see equivariance.py.

MuGo's network of 2016 is `build(filters=32, norm=False, pooling=False)`.
"""
import contextlib
import json
import zipfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from mugo.files import BadInput, atomic_write, error_line
from mugo.games import planes
from mugo.nn import equivariance
from mugo.nn.alphazero_net import PolicyValue, build_policy_value
from mugo.nn.backend import HAS_GPU, Norm, Unpack, keras, ops
from mugo.nn.inference import fit_bias
from mugo.nn.metadata import FORMAT, METADATA, ONNX, PLANE_TABLES, POLICY_VALUE, read_metadata
from mugo.nn.onnx_export import EPSILON, onnx_difference, pooled_layer, to_onnx

VALUE_FILTERS = 32
SAME = 1e-2                              # a graph that is wrong differs by more; rounding by 1e-6, or by 1e-4 where
                                         # a rate far too high has made the weights huge


@dataclass(frozen=True)
class Architecture:
    """What a network looks like.

    layers counts convolutions, the first 5x5 and the last 1x1 too.  Of an equivariant network, filters is a multiple
    of 8.
    """

    size: int = 19
    filters: int = 64
    layers: int = 5
    norm: bool = True
    residual: bool = False
    pooling: bool = True
    value: bool = False
    equivariant: bool = False
    point_bias: bool = True


@keras.saving.register_keras_serializable("mugo")
class PointBias(keras.layers.Layer):
    """Adds a learned number to each point: what the edges and corners are worth by themselves."""

    def build(self, input_shape):
        self.bias = self.add_weight(name="bias", shape=(input_shape[-1],), initializer="zeros")

    def call(self, x):
        return x + ops.cast(self.bias, x.dtype)


def build(shape: Architecture | PolicyValue, dtype: str = "float32") -> keras.Model:
    """A new network.  dtype is a Keras dtype policy; 'mixed_bfloat16' halves the time of training on
    processors that multiply bfloat16, and its weights are float32 all the same."""
    if isinstance(shape, PolicyValue):
        return build_policy_value(shape, dtype)
    layer = keras.layers
    packed = keras.Input((shape.size ** 2, planes.PACKED), dtype="uint8", name="packed")
    x = Unpack(shape.size, name="unpack", dtype=dtype)(packed)
    for i in range(shape.layers - 1):
        y = layer.Conv2D(shape.filters, 3 if i else 5, padding="same", use_bias=not shape.norm,
                         kernel_initializer="he_normal", name=f"conv{i}", dtype=dtype)(x)
        if shape.norm:
            y = Norm(epsilon=EPSILON, momentum=0.99, name=f"norm{i}", dtype=dtype)(y)
        if shape.pooling and i == pooled_layer(shape.layers):
            pooled = layer.Concatenate(name="pool", dtype=dtype)([
                layer.GlobalAveragePooling2D(name="pool_mean", dtype=dtype)(x),
                layer.GlobalMaxPooling2D(name="pool_max", dtype=dtype)(x)])
            bias = layer.Dense(shape.filters, name="pool_bias", dtype=dtype)(pooled)
            y = layer.Add(name="add_pool", dtype=dtype)([y, layer.Reshape((1, 1, shape.filters), dtype=dtype)(bias)])
        if shape.residual and i:
            y = layer.Add(name=f"add{i}", dtype=dtype)([x, y])
        x = layer.ReLU(name=f"relu{i}", dtype=dtype)(y)
    plane = layer.Conv2D(1, 1, use_bias=False, name="move", dtype=dtype)(x)
    points = PointBias(name="point_bias", dtype="float32", trainable=shape.point_bias)(
        layer.Reshape((shape.size ** 2,), dtype="float32")(plane))
    mean = layer.GlobalAveragePooling2D(name="mean", dtype="float32")(x)
    a_pass = layer.Dense(1, name="pass", dtype="float32")(mean)
    outputs = {"policy": layer.Concatenate(name="policy", dtype="float32")([points, a_pass])}
    if shape.value:
        y = layer.Conv2D(VALUE_FILTERS, 1, use_bias=False, kernel_initializer="he_normal", name="value_conv",
                         dtype=dtype)(x)
        y = Norm(epsilon=EPSILON, momentum=0.99, name="value_norm", dtype=dtype)(y)
        y = layer.ReLU(name="value_relu", dtype=dtype)(y)
        pooled = layer.Concatenate(name="value_pool", dtype="float32")([
            layer.GlobalAveragePooling2D(name="value_mean", dtype="float32")(y),
            layer.GlobalMaxPooling2D(name="value_max", dtype="float32")(y)])
        # Means far from 0, and the first steps, left every ReLU here at 0 for good: so a norm, and ELU.
        level = Norm(epsilon=EPSILON, momentum=0.99, name="value_level", dtype="float32")(pooled)
        hidden = layer.Dense(64, activation="elu", name="value_hidden", dtype="float32")(level)
        outputs["value"] = layer.Dense(1, kernel_initializer="zeros", name="value", dtype="float32")(hidden)
    model = keras.Model(packed, outputs, name="policy_network")
    if shape.equivariant:
        equivariance.tie(model)
    return model


def begin_with(model: keras.Model, shape: Architecture | PolicyValue, path: Path) -> dict:
    """Give a new network the weights of the one at path, and return what is worth remembering of that.

    Their shapes are equal but for size, value and filters: the bias per point is fitted to another board (see
    network.fit_bias); dense layers made for another board, and a value head that only one of them has, are left
    alone.  A network with more filters says at first what the narrower one says (see widened).  Raises BadInput if
    they are not.
    """
    about = read_metadata(path)
    theirs = shape_of(about["architecture"])
    differs = {"size": shape.size}
    if isinstance(shape, Architecture):
        differs |= {"value": shape.value, "filters": shape.filters}
    if (type(theirs) is not type(shape) or replace(theirs, **differs) != shape
            or isinstance(shape, Architecture) and theirs.filters > shape.filters):
        raise BadInput(f"{path} is {architecture_of(theirs)}; a network that begins with it can have another size and "
                       f"value head, and more filters, but this one is {architecture_of(shape)}")
    named = {layer.name: layer.get_weights() for layer in load(path).layers}
    if "point_bias" in named:
        named["point_bias"] = [fit_bias(named["point_bias"][0], shape.size)]
    for layer in model.layers:
        if layer.name not in named:
            continue
        weights = named[layer.name]
        if isinstance(shape, Architecture):
            weights = [widened(equivariance.name_of(variable), np.asarray(variable), old, 8 if shape.equivariant else 1)
                       for variable, old in zip(layer.weights, weights, strict=True)]
        if [w.shape for w in weights] == [w.shape for w in layer.get_weights()]:
            layer.set_weights(weights)
    return {"name": about.get("name", path.stem), "size": theirs.size, "filters": theirs.filters,
            "best": about.get("best"), "start": about.get("start")}


def widened(name: str, new: np.ndarray, old: np.ndarray, orientations: int) -> np.ndarray:
    """A weight of a network with more filters: old where it was, and what new filters say to old ones 0.

    New filters, with the weights in new, look at all of the layer below, so that the network says what it said, and
    has something to learn with (Chen et al. 2016, arXiv:1511.05641, who copy filters instead).  orientations: 8 of
    an equivariant network, else 1; the first of the features in each of them are the old ones.
    """
    places = [np.arange(count) for count in old.shape]
    for i, kind in enumerate(equivariance.kinds_of(name, old.ndim), start=2 * (old.ndim == 4)):
        if kind in (equivariance.FILTERS, equivariance.TWICE):
            blocks = orientations * (2 if kind == equivariance.TWICE else 1)
            places[i] = np.arange(new.shape[i]).reshape(blocks, -1)[:, :old.shape[i] // blocks].ravel()
    wide = new.copy()
    wide[..., places[-1]] = 0
    wide[np.ix_(*places)] = old
    return wide


def pays_bfloat16() -> bool:
    """Whether this machine multiplies bfloat16 faster than float32: a GPU, or TensorFlow on a CPU
    with instructions for it (JAX on a CPU converts to and fro)."""
    if HAS_GPU or keras.backend.backend() != "tensorflow":
        return HAS_GPU
    with contextlib.suppress(OSError):
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text()
    return False


def precision_of(wanted: str) -> str:
    """The Keras dtype policy that --precision asks for: 'auto' is mixed_bfloat16 where that pays, else float32."""
    if wanted == "auto":
        return "mixed_bfloat16" if pays_bfloat16() else "float32"
    return wanted


# ---- files

def architecture_of(shape: Architecture | PolicyValue) -> dict:
    """What mugo.json says under "architecture"; `shape_of` reads it."""
    return ({"kind": POLICY_VALUE} if isinstance(shape, PolicyValue) else {}) | asdict(shape)


def shape_of(architecture: dict) -> Architecture | PolicyValue:
    fields = dict(architecture)
    return PolicyValue(**fields) if fields.pop("kind", None) == POLICY_VALUE else Architecture(**fields)


def describe(shape: Architecture | PolicyValue, game: str = "go", k: int = 0, exactly: bool = False) -> dict:
    """What every network's mugo.json begins with.  game, k, exactly: what it plays, as Network has them."""
    plays = {"game": game, "k": k, "exactly": exactly} if game == "gomoku" else {"game": game}
    return {"format": FORMAT, "size": shape.size, **plays, "planes": [list(plane) for plane in PLANE_TABLES[game]],
            "architecture": architecture_of(shape)}


def graph_of(model: keras.Model, shape: Architecture | PolicyValue) -> bytes:
    """The model as it is now, as a graph for ONNX Runtime (Network.from_graph opens it): a few milliseconds."""
    weights = {layer.name: [np.asarray(w, np.float32) for w in layer.get_weights()] for layer in model.layers}
    return to_onnx(weights, architecture_of(shape))


def save(model: keras.Model, path: Path, about: dict) -> None:
    """Write a checkpoint, whole or not at all: the model with its optimizer, and mugo.json."""
    with atomic_write(path) as beside:
        _write(model, beside, about)


def ship(model: keras.Model, path: Path, about: dict) -> None:
    """Write what is played and shared, whole or not at all: the model in float32 without its
    optimizer, mugo.json, and the ONNX graph, which is compared with the model first."""
    shape = shape_of(about["architecture"])
    plain = build(shape)
    plain.set_weights(model.get_weights())
    with atomic_write(path) as beside:
        _write(plain, beside, about)
        with zipfile.ZipFile(beside, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(ONNX, graph_of(plain, shape))
        difference = onnx_difference(plain, beside)
        if difference > SAME:
            raise RuntimeError(f"{path}: outputs of ONNX Runtime and Keras differ by {difference}")


def _write(model: keras.Model, path: Path, about: dict) -> None:
    model.save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(METADATA, json.dumps(about, indent=1))


def load(path: Path) -> keras.Model:
    """The Keras model in a network's file, with its optimizer if that is a checkpoint.  Raises BadInput for a file
    that is none, or damaged."""
    try:
        return keras.saving.load_model(path)
    except Exception as error:           # of zip, zlib, HDF5, JSON, Keras, TensorFlow: whichever part is damaged
        raise BadInput(f"{path} is no network of Keras, or damaged: {error_line(error)}") from None
