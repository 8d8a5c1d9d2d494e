"""The mean of the weights, and what normalising layers remember, against what they are by definition."""
import numpy as np
import pytest

learning = pytest.importorskip("mugo.nn.losses")
keras, Norm = learning.keras, pytest.importorskip("mugo.nn.backend").Norm

RNG = np.random.default_rng(0)
X, Y = RNG.normal(2, 3, (64, 5, 5, 2)).astype(np.float32), RNG.normal(size=(64, 1)).astype(np.float32)


def a_model(optimizer) -> keras.Model:
    keras.utils.set_random_seed(0)
    inputs = keras.Input((5, 5, 2))
    x = keras.layers.Conv2D(3, 3, use_bias=False, name="conv")(inputs)
    x = keras.layers.ReLU()(Norm(momentum=0.9, name="norm")(x))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling2D()(x)))
    model.compile(optimizer, "mse")
    return model


@pytest.mark.parametrize("name", learning.OPTIMIZERS)
def test_the_mean_weighs_steps_by_the_power_of_their_number(name):
    """Shares of (RECENT + 1) / (t + RECENT + 1): step t of n weighs in proportion to C(t + RECENT, RECENT)."""
    model = a_model(learning.OPTIMIZERS[name](0.05))
    seen = []
    for _ in range(7):
        model.train_on_batch(X, Y)
        seen.append([np.array(variable) for variable in model.trainable_variables])
    recent = model.optimizer.RECENT
    shares = np.cumprod([1.0, *((t + recent) / t for t in range(1, 7))])
    for mean, *steps in zip(model.optimizer.means, *seen, strict=True):
        assert np.allclose(mean, np.average(steps, axis=0, weights=shares), atol=1e-6)
        assert np.abs(mean - steps[-1]).max() > 1e-3


def test_the_mean_becomes_as_young_as_the_rate_is_low():
    """Down to the last weights alone, where next to nothing is left of the rate."""
    schedule = learning.Trapezium(0.05, 1, hold=4, steps=8, last=1e-3)
    model = a_model(learning.Adam(schedule))
    expected = None
    for step in range(7):
        model.train_on_batch(X, Y)
        weights = [np.array(variable) for variable in model.trainable_variables]
        share = min(1.0, 9 / (step + 9) * (0.05 / float(schedule(step)) if step >= 4 else 1.0))
        expected = [e + share * (w - e) for e, w in zip(expected or weights, weights, strict=True)]
    assert 0.9 < share <= 1.0
    for mean, ours in zip(model.optimizer.means, expected, strict=True):
        assert np.allclose(mean, ours, atol=1e-6)


def test_a_mean_network_is_normalised_as_its_own_weights_ask():
    model = a_model(learning.Adam(0.05))
    for _ in range(5):
        model.train_on_batch(X, Y)
    left = [np.array(w) for w in model.get_weights()]
    mean = learning.Mean(model, [X[:32], X[32:]]).take()
    before = keras.Model(mean.input, mean.get_layer("conv").output)(X)
    norm = mean.get_layer("norm")
    halves = [np.asarray(half) for half in (before[:32], before[32:])]
    assert np.allclose(norm.moving_mean, np.mean([h.mean((0, 1, 2)) for h in halves], axis=0), atol=1e-4)
    assert np.allclose(norm.moving_variance, np.mean([h.var((0, 1, 2)) for h in halves], axis=0), rtol=1e-2)
    assert norm.momentum == 0.9
    for variable, kept in zip(mean.trainable_variables, model.optimizer.means, strict=True):
        assert np.array_equal(variable, kept)
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), left, strict=True))       # learns on as it was


def test_a_run_from_before_there_was_a_mean_shows_its_weights():
    model = a_model(keras.optimizers.Adam(0.05))
    model.train_on_batch(X, Y)
    shown = learning.Mean(model, [X]).take()
    for variable, shows in zip(model.trainable_variables, shown.trainable_variables, strict=True):
        assert np.array_equal(variable, shows)
