"""MuGo's Keras layers against what they are by definition."""
import numpy as np
import pytest
from random_records import random_record

from mugo.games import planes
from mugo.games.go import position_of

layers = pytest.importorskip("mugo.nn.layers")
from mugo.nn.backend import keras  # noqa: E402   after the check for Keras


def test_unpacking_inside_the_model_is_planes_unpack():
    position = position_of(random_record(3))
    packed = planes.encode([position])
    assert np.array_equal(layers.UnpackPlanes(9)(packed), planes.unpack(packed))


def test_fused_batch_norm_trains_as_that_of_keras():
    rng = np.random.default_rng(4)
    x, y = (rng.normal(1, 2, (64, 9, 9, 3)).astype(np.float32) for _ in range(2))

    def trained(kind):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((9, 9, 3)), keras.layers.Conv2D(3, 3, padding="same"),
                                  kind(epsilon=1e-3, momentum=0.9), keras.layers.ReLU()])
        model.compile(keras.optimizers.SGD(0.5), "mse")
        losses = [model.train_on_batch(x, y) for _ in range(3)]
        return [np.array(losses), *model.get_weights(), model(x)]

    for ours, theirs in zip(trained(layers.FusedBatchNorm), trained(keras.layers.BatchNormalization), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-3, atol=1e-3)      # the variance of n, or of n - 1
