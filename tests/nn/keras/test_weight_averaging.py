"""The averaged model: averaged weights, and batch-norm statistics that fit them."""
import numpy as np
import pytest

weight_averaging = pytest.importorskip("mugo.nn.keras.optimizers")
from mugo.nn.keras.backend import keras  # noqa: E402   after the check for Keras
from mugo.nn.keras.model import FusedBatchNorm  # noqa: E402
from mugo.nn.keras.optimizers import Adam  # noqa: E402

RNG = np.random.default_rng(0)
X, Y = RNG.normal(2, 3, (64, 5, 5, 2)).astype(np.float32), RNG.normal(size=(64, 1)).astype(np.float32)


def small_model(optimizer) -> keras.Model:
    keras.utils.set_random_seed(0)
    inputs = keras.Input((5, 5, 2))
    x = keras.layers.Conv2D(3, 3, use_bias=False, name="conv")(inputs)
    x = keras.layers.ReLU()(FusedBatchNorm(momentum=0.9, name="batch_norm")(x))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling2D()(x)))
    model.compile(optimizer, "mse", run_eagerly=keras.backend.backend() == "tensorflow")         # for a few steps
    return model


def test_batch_norm_statistics_are_recalibrated_for_the_averaged_weights():
    model = small_model(Adam(0.05))
    for _ in range(5):
        model.train_on_batch(X, Y)
    trained = [np.array(w) for w in model.get_weights()]
    averaged = weight_averaging.AveragedModel(model, small_model("sgd"), [X[:32], X[32:]]).update_ema_model()
    before = keras.Model(averaged.input, averaged.get_layer("conv").output)(X)
    batch_norm = averaged.get_layer("batch_norm")
    halves = [np.asarray(half) for half in (before[:32], before[32:])]
    assert np.allclose(batch_norm.moving_mean, np.mean([h.mean((0, 1, 2)) for h in halves], axis=0), atol=1e-4)
    assert np.allclose(batch_norm.moving_variance, np.mean([h.var((0, 1, 2)) for h in halves], axis=0), rtol=1e-2)
    assert batch_norm.momentum == 0.9
    for variable, average in zip(averaged.trainable_variables, model.optimizer.averaged_variables, strict=True):
        assert np.array_equal(variable, average)
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), trained, strict=True))      # unchanged
