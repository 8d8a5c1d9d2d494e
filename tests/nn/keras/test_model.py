"""MuGo's Keras layers against what they are by definition."""
import numpy as np
import pytest
from random_records import random_record

from mugo.games import planes
from mugo.games.game import encode
from mugo.sgf.record_positions import position_of

layers = pytest.importorskip("mugo.nn.keras.model")
from mugo.nn.keras.backend import keras  # noqa: E402   after the check for Keras


def test_unpacking_inside_the_model_is_planes_unpack():
    position = position_of(random_record(3))
    packed = encode([position])
    assert np.array_equal(layers.UnpackPlanes(9)(packed), planes.unpack(packed))


def test_chain_pooling_is_the_mean_and_the_maximum_over_each_component():
    rng = np.random.default_rng(2)
    x = rng.normal(0, 1, (3, 4, 5, 2)).astype(np.float32)
    components = rng.integers(0, 12, (3, 20)).astype(np.int32)      # some of one point
    expected = np.empty((3, 20, 4), np.float32)
    for board, of_points, out in zip(x.reshape(3, 20, 2), components, expected, strict=True):
        for point, component in enumerate(of_points):
            values = board[of_points == component]
            out[point] = [*values.mean(0), *values.max(0)]
    pooled = np.asarray(layers.ChainPool()([x, components]))
    assert np.allclose(pooled, expected.reshape(3, 4, 5, 4), atol=1e-6)
    in_bfloat16 = np.asarray(layers.ChainPool(dtype="mixed_bfloat16")([x, components]), np.float32)
    assert np.allclose(in_bfloat16, pooled, atol=0.02) and not np.array_equal(in_bfloat16, pooled)


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
def test_the_gradient_of_chain_pooling_is_an_equal_part_of_the_mean_and_of_the_maximum(dtype):
    """By a loss that is a weighted sum of all outputs, whose gradient is these weights."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 3, (2, 4, 5, 3)).astype(np.float32)         # several points have the maximum
    components = rng.integers(0, 6, (2, 20)).astype(np.int32)
    weights = rng.integers(-4, 5, (2, 20, 6)).astype(np.float32)
    expected = np.zeros((2, 20, 3))
    for board, of_points, of_outputs, gradient in zip(x.reshape(2, 20, 3), components, weights, expected, strict=True):
        for component in np.unique(of_points):
            points = np.flatnonzero(of_points == component)
            of_mean, of_highest = np.split(of_outputs[points].sum(0), 2)
            highest = board[points] == board[points].max(0)
            gradient[points] = of_mean / len(points) + highest * of_highest / highest.sum(0)

    def loss(x):
        pooled = layers.ops.cast(layers.ChainPool(dtype=dtype)([x, components]), "float32")
        return layers.ops.sum(pooled * weights.reshape(2, 4, 5, 6))

    assert np.allclose(gradient_of(loss, x), expected.reshape(x.shape), atol=1e-5 if dtype == "float32" else 0.1)


def gradient_of(loss, x: np.ndarray) -> np.ndarray:
    """By the backend's own differentiation."""
    if layers.tensorflow:
        variable = layers.tensorflow.Variable(x)
        with layers.tensorflow.GradientTape() as tape:
            value = loss(variable)
        return np.asarray(tape.gradient(value, variable))
    import jax

    return np.asarray(jax.jit(jax.grad(loss))(x))


def test_fused_batch_norm_trains_as_that_of_keras():
    rng = np.random.default_rng(4)
    x, y = (rng.normal(1, 2, (64, 9, 9, 3)).astype(np.float32) for _ in range(2))

    def trained(kind):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((9, 9, 3)), keras.layers.Conv2D(3, 3, padding="same"),
                                  kind(epsilon=1e-3, momentum=0.9), keras.layers.ReLU()])
        model.compile(keras.optimizers.SGD(0.5), "mse", run_eagerly=bool(layers.tensorflow))     # for three steps
        losses = [model.train_on_batch(x, y) for _ in range(3)]
        return [np.array(losses), *model.get_weights(), model(x)]

    for ours, theirs in zip(trained(layers.FusedBatchNorm), trained(keras.layers.BatchNormalization), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-3, atol=1e-3)      # the variance of n, or of n - 1


@pytest.mark.parametrize("dtype", ["float32", "mixed_bfloat16"])
@pytest.mark.parametrize("dilation", [2, 4, 8])
def test_dilated_convolution_and_its_gradient_are_those_of_keras(dilation, dtype):
    x = np.random.default_rng(dilation).normal(0, 1, (4, 9, 13, 3)).astype(np.float32)
    ours, theirs = (kind(2, 3, padding="same", dilation_rate=dilation, dtype=dtype, kernel_initializer=seeded)
                    for kind in (layers.DilatedConv2D, keras.layers.Conv2D)
                    for seeded in [keras.initializers.HeNormal(1)])
    outputs = ours(x), theirs(x)
    results = [np.asarray(y, np.float32) for y in outputs]
    assert np.allclose(*results, atol=1e-5 if dtype == "float32" else 0.03) and results[0].std() > 0.5
    if layers.tensorflow:
        gradients = []
        for layer in (ours, theirs):
            inputs = layers.tensorflow.constant(x)
            with layers.tensorflow.GradientTape() as tape:
                tape.watch(inputs)
                loss = layers.tensorflow.reduce_sum(layers.tensorflow.cast(layer(inputs), "float32") ** 2)
            gradients.append(tape.gradient(loss, [inputs, layer.kernel.value, layer.bias.value]))
        for mine, other in zip(*gradients, strict=True):
            mine, other = np.asarray(mine, np.float32), np.asarray(other, np.float32)
            assert np.abs(mine - other).max() < (1e-5 if dtype == "float32" else 0.02) * np.abs(other).max()


def test_without_an_operation_for_dilated_convolutions_keras_does_them(monkeypatch):
    def fail(*args):
        raise layers.tensorflow.errors.InvalidArgumentError(None, None, "dilation rates larger than 1")

    x = np.random.default_rng(0).normal(0, 1, (2, 9, 9, 3)).astype(np.float32)
    layer = layers.DilatedConv2D(2, 3, padding="same", dilation_rate=2)
    expected = np.array(layer(x))
    monkeypatch.setattr(layers, "_dilated_convolution", fail)
    layers.dilated_convolutions.cache_clear()
    try:
        assert not layers.dilated_convolutions()         # nor on JAX
        assert np.allclose(layer(x), expected, atol=1e-5)
    finally:
        layers.dilated_convolutions.cache_clear()
