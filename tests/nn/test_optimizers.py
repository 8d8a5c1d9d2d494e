"""Weight averaging and Muon against their definitions."""
import numpy as np
import pytest

optimizers = pytest.importorskip("mugo.nn.optimizers")
from mugo.nn.backend import keras, ops  # noqa: E402   after the check for Keras
from mugo.nn.schedules import WarmupStableDecay  # noqa: E402

RNG = np.random.default_rng(0)
X, Y = RNG.normal(2, 3, (64, 5, 5, 2)).astype(np.float32), RNG.normal(size=(64, 1)).astype(np.float32)


def small_model(optimizer) -> keras.Model:
    keras.utils.set_random_seed(0)
    inputs = keras.Input((5, 5, 2))
    x = keras.layers.ReLU()(keras.layers.Conv2D(3, 3, use_bias=False, name="conv")(inputs))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling2D()(x)))
    model.compile(optimizer, "mse")
    return model


@pytest.mark.parametrize("name", optimizers.OPTIMIZERS)
def test_the_average_weighs_steps_by_the_power_of_their_number(name):
    """Shares of (ETA + 1) / (t + ETA + 1): step t of n weighs in proportion to C(t + ETA, ETA)."""
    model = small_model(optimizers.OPTIMIZERS[name](0.05))
    seen = []
    for _ in range(7):
        model.train_on_batch(X, Y)
        seen.append([np.array(variable) for variable in model.trainable_variables])
    eta = model.optimizer.ETA
    shares = np.cumprod([1.0, *((t + eta) / t for t in range(1, 7))])
    for average, *steps in zip(model.optimizer.averaged_variables, *seen, strict=True):
        assert np.allclose(average, np.average(steps, axis=0, weights=shares), atol=1e-6)
        assert np.abs(average - steps[-1]).max() > 1e-3


def test_the_average_follows_the_weights_faster_as_the_learning_rate_decays():
    """Down to the last weights alone, where next to nothing is left of the rate."""
    schedule = WarmupStableDecay(0.05, 1, decay_start=4, total_steps=8, final_fraction=1e-3)
    model = small_model(optimizers.Adam(schedule))
    expected = None
    for step in range(7):
        model.train_on_batch(X, Y)
        weights = [np.array(variable) for variable in model.trainable_variables]
        share = min(1.0, 9 / (step + 9) * (0.05 / float(schedule(step)) if step >= 4 else 1.0))
        expected = [e + share * (w - e) for e, w in zip(expected or weights, weights, strict=True)]
    assert 0.9 < share <= 1.0
    for average, ours in zip(model.optimizer.averaged_variables, expected, strict=True):
        assert np.allclose(average, ours, atol=1e-6)


def test_muon_makes_the_update_of_a_kernel_orthogonal():
    """All singular values of an update are near one; those of the gradient spread over three powers of ten."""
    rng = np.random.default_rng(0)
    spread = rng.normal(size=(72, 16)) * np.logspace(0, -3, 16)
    update = np.asarray(optimizers.Muon().zeropower_via_newtonschulz5(
        ops.convert_to_tensor(spread.reshape(3, 3, 8, 16).astype(np.float32)), 5))
    values = np.linalg.svd(update.reshape(72, 16), compute_uv=False)
    assert update.shape == (3, 3, 8, 16)
    assert values.max() < 1.3
    assert np.median(values) > 0.5
