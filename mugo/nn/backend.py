"""Keras, brought in without its noise, and how a network unpacks its planes.  The only file that imports Keras.

Its backend is what KERAS_BACKEND says: TensorFlow, which is the default here, or JAX.
"""
import contextlib
import os
import sys

import numpy as np

from mugo.games import planes

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

# How models are compiled: on the CPU, XLA made TensorFlow a third slower; JAX always compiles.
JIT = "auto" if keras.backend.backend() == "jax" or HAS_GPU else False


# What training spends outside of convolutions goes mostly into normalisation as Keras writes it down, operation by
# operation; TensorFlow has it in one piece: 12 % more positions a second with 96 filters.
FUSED = keras.backend.backend() == "tensorflow"


@keras.saving.register_keras_serializable("mugo")
class Norm(keras.layers.BatchNormalization):
    """Batch normalisation (Ioffe & Szegedy 2015) of (n, rows, columns, filters), in one piece where there is one."""

    def call(self, inputs, training=None, mask=None):
        if not (FUSED and training and self.trainable and len(inputs.shape) == 4):
            return super().call(inputs, training=training, mask=mask)
        nothing = tensorflow.zeros([0])
        normed, mean, variance, *_ = tensorflow.raw_ops.FusedBatchNormV3(
            x=inputs, scale=ops.convert_to_tensor(self.gamma), offset=ops.convert_to_tensor(self.beta), mean=nothing,
            variance=nothing, epsilon=self.epsilon, is_training=True)
        for moving, seen in ((self.moving_mean, mean), (self.moving_variance, variance)):
            moving.assign(moving * self.momentum + seen * (1 - self.momentum))
        return normed


@keras.saving.register_keras_serializable("mugo")
class Unpack(keras.layers.Layer):
    """Packed planes, uint8 (n, size², bytes), to 0 and 1, (n, size, size, depth); bits above depth are left out.

    Networks saved before depth was written down have Go's 48.
    """

    def __init__(self, size, depth=planes.DEPTH, **kwargs):
        super().__init__(**kwargs)
        self.size, self.depth = size, depth

    def call(self, packed):
        shifts = np.arange(8, dtype=np.uint8)
        bits = ops.bitwise_and(ops.right_shift(ops.expand_dims(packed, -1), shifts), np.uint8(1))
        bits = ops.reshape(bits, (-1, self.size, self.size, 8 * packed.shape[-1]))
        return ops.cast(bits[..., :self.depth], self.compute_dtype)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.size, self.size, self.depth)

    def get_config(self):
        return super().get_config() | {"size": self.size, "depth": self.depth}
