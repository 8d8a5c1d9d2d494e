"""Building, saving and exporting networks.  The only file that imports Keras.

    packed planes (size², 6) uint8
      | Unpack                  48 planes of 0 and 1
      | conv 5x5 k, norm, ReLU
      | conv 3x3 k, norm, + input, ReLU          (layers - 2) times; the middle one also adds a bias
      |                                          for each filter that is computed from the whole board
      |-- conv 1x1 to one plane, a bias for each point; a pass from the mean of each filter -> policy
      '-- mean of each filter, norm -> dense 64, ReLU -> dense 1 (tanh is left to who asks) -> value

MuGo's network of 2016 is `build(filters=32, norm=False, residual=False, pooling=False)`.
"""
import contextlib
import json
import os
import sys
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from mugo import planes
from mugo.files import written_whole
from mugo.graph import EPSILON, onnx_difference, pooled_layer, to_onnx
from mugo.network import ABOUT, FORMAT, ONNX

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


@contextlib.contextmanager
def quiet():
    """Keep TensorFlow's greetings, which it writes past Python and past its own settings, off stderr."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


with quiet():
    import keras
    from keras import ops

    if keras.backend.backend() == "tensorflow":
        import tensorflow

        HAS_GPU = bool(tensorflow.config.list_physical_devices("GPU"))
    else:
        import jax

        HAS_GPU = jax.default_backend() != "cpu"


@dataclass(frozen=True)
class Architecture:
    """What a network looks like.

    layers counts convolutions, the first 5x5 and the last 1x1 too.
    """

    size: int = 19
    filters: int = 64
    layers: int = 5
    norm: bool = True
    residual: bool = True
    pooling: bool = True
    value: bool = False


@keras.saving.register_keras_serializable("mugo")
class Unpack(keras.layers.Layer):
    """Packed planes, uint8 (n, size², 6), to 0 and 1, (n, size, size, 48)."""

    def __init__(self, size, **kwargs):
        super().__init__(**kwargs)
        self.size = size

    def call(self, packed):
        shifts = np.arange(8, dtype=np.uint8)
        bits = ops.bitwise_and(ops.right_shift(ops.expand_dims(packed, -1), shifts), np.uint8(1))
        return ops.cast(ops.reshape(bits, (-1, self.size, self.size, planes.DEPTH)), self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.size, self.size, planes.DEPTH)

    def get_config(self):
        return super().get_config() | {"size": self.size}


@keras.saving.register_keras_serializable("mugo")
class PointBias(keras.layers.Layer):
    """Adds a learned number to each point: what the edges and corners are worth by themselves."""

    def build(self, input_shape):
        self.bias = self.add_weight(name="bias", shape=(input_shape[-1],), initializer="zeros")

    def call(self, x):
        return x + ops.cast(self.bias, x.dtype)


@keras.saving.register_keras_serializable("mugo")
def outcome_loss(outcome, score):
    """-log of the probability given to the outcome z (1 or -1), which is (1 + z tanh(score)) / 2; but
    0 where z is 0: not known.  (z - v)² instead stops learning where tanh is saturated and wrong."""
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    return ops.mean(ops.abs(outcome) * ops.softplus(-2 * outcome * score), axis=-1)


@keras.saving.register_keras_serializable("mugo")
def value_error(outcome, score):
    """(z - v)² of the value v = tanh(score); 1 for a network that knows nothing, 0 where z is 0."""
    outcome = ops.cast(ops.reshape(outcome, ops.shape(score)), score.dtype)
    return ops.mean(ops.abs(outcome) * ops.square(outcome - ops.tanh(score)), axis=-1)


def build(shape: Architecture, dtype: str = "float32") -> keras.Model:
    """A new network.  dtype is a Keras dtype policy; 'mixed_bfloat16' halves the time of training on
    processors that multiply bfloat16, and its weights are float32 all the same."""
    layer = keras.layers
    packed = keras.Input((shape.size ** 2, planes.PACKED), dtype="uint8", name="packed")
    x = Unpack(shape.size, name="unpack", dtype=dtype)(packed)
    for i in range(shape.layers - 1):
        y = layer.Conv2D(shape.filters, 3 if i else 5, padding="same", use_bias=not shape.norm,
                         kernel_initializer="he_normal", name=f"conv{i}", dtype=dtype)(x)
        if shape.norm:
            y = layer.BatchNormalization(epsilon=EPSILON, momentum=0.99, name=f"norm{i}", dtype=dtype)(y)
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
    points = PointBias(name="point_bias", dtype="float32")(layer.Reshape((shape.size ** 2,), dtype="float32")(plane))
    mean = layer.GlobalAveragePooling2D(name="mean", dtype="float32")(x)
    a_pass = layer.Dense(1, name="pass", dtype="float32")(mean)
    outputs = {"policy": layer.Concatenate(name="policy", dtype="float32")([points, a_pass])}
    if shape.value:
        # Without the normalisation, means far from 0 and Adam's first steps leave every ReLU at 0 for good.
        level = layer.BatchNormalization(epsilon=EPSILON, name="value_norm", dtype="float32")(mean)
        hidden = layer.Dense(64, activation="relu", name="value_hidden", dtype="float32")(level)
        outputs["value"] = layer.Dense(1, kernel_initializer="zeros", name="value", dtype="float32")(hidden)
    return keras.Model(packed, outputs, name="policy_network")


def compile_for_training(model: keras.Model, schedule, value_weight: float, has_value: bool) -> None:
    """Make a network ready to learn: Adam, cross-entropy, and top-1 and top-5 as metrics."""
    losses = {"policy": keras.losses.SparseCategoricalCrossentropy(from_logits=True)}
    weights = {"policy": 1.0}
    metrics = {"policy": [
        keras.metrics.SparseCategoricalCrossentropy(from_logits=True, name="ce"),
        keras.metrics.SparseCategoricalAccuracy(name="top1"),
        keras.metrics.SparseTopKCategoricalAccuracy(5, name="top5"),
    ]}
    if has_value:
        losses["value"] = outcome_loss
        weights["value"] = value_weight
        metrics["value"] = [keras.metrics.MeanMetricWrapper(value_error, name="error")]
    # On the CPU, XLA made TensorFlow a third slower; JAX always compiles.
    jit = "auto" if keras.backend.backend() == "jax" or HAS_GPU else False
    model.compile(keras.optimizers.Adam(schedule), loss=losses, loss_weights=weights, metrics=metrics,
                  jit_compile=jit)


def pays_bfloat16() -> bool:
    """Whether this machine multiplies bfloat16 faster than float32: a GPU, or TensorFlow on a CPU
    with instructions for it (JAX on a CPU converts to and fro)."""
    if HAS_GPU or keras.backend.backend() != "tensorflow":
        return HAS_GPU
    with contextlib.suppress(OSError):
        return "avx512_bf16" in Path("/proc/cpuinfo").read_text()
    return False


# ---- files

def describe(shape: Architecture) -> dict:
    """What every network's mugo.json begins with."""
    return {"format": FORMAT, "size": shape.size, "planes": [list(plane) for plane in planes.PLANES],
            "architecture": asdict(shape)}


def save(model: keras.Model, path: Path, about: dict) -> None:
    """Write a checkpoint, whole or not at all: the model with its optimizer, and mugo.json."""
    with written_whole(path) as beside:
        _write(model, beside, about)


def ship(model: keras.Model, path: Path, about: dict) -> None:
    """Write what is played and shared, whole or not at all: the model in float32 without its
    optimizer, mugo.json, and the ONNX graph, which is compared with the model first."""
    shape = Architecture(**about["architecture"])
    plain = build(shape)
    plain.set_weights(model.get_weights())
    weights = {layer.name: [np.asarray(w, np.float32) for w in layer.get_weights()] for layer in plain.layers}
    with written_whole(path) as beside:
        _write(plain, beside, about)
        with zipfile.ZipFile(beside, "a", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(ONNX, to_onnx(weights, asdict(shape)))
        difference = onnx_difference(plain, beside)
        if difference > 1e-4:
            raise RuntimeError(f"{path}: outputs of ONNX Runtime and Keras differ by {difference}")


def _write(model: keras.Model, path: Path, about: dict) -> None:
    model.save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(ABOUT, json.dumps(about, indent=1))


def load(path: Path) -> keras.Model:
    """The Keras model in a network's file, with its optimizer if that is a checkpoint."""
    return keras.saving.load_model(path)
