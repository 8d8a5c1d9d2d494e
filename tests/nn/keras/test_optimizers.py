"""Weight averaging and Muon against their definitions."""
import numpy as np
import pytest

optimizers = pytest.importorskip("mugo.nn.keras.optimizers")
from mugo.nn.keras.backend import keras, ops  # noqa: E402
from mugo.nn.keras.model import FusedBatchNorm  # noqa: E402

WarmupStableDecay = optimizers.WarmupStableDecay
RNG = np.random.default_rng(0)
X, Y = RNG.normal(2, 3, (64, 5, 5, 2)).astype(np.float32), RNG.normal(size=(64, 1)).astype(np.float32)


def small_model(optimizer) -> keras.Model:
    keras.utils.set_random_seed(0)
    inputs = keras.Input((5, 5, 2))
    x = keras.layers.ReLU()(keras.layers.Conv2D(3, 3, use_bias=False, name="conv")(inputs))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling2D()(x)))
    model.compile(optimizer, "mse", run_eagerly=keras.backend.backend() == "tensorflow")         # for a few steps
    return model


@pytest.mark.parametrize("name", optimizers.CLASSES)
def test_the_average_weighs_steps_by_the_power_of_their_number(name):
    """Shares of (ETA + 1) / (t + ETA + 1): step t of n weighs in proportion to C(t + ETA, ETA)."""
    model = small_model(optimizers.CLASSES[name](0.05))
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
    """The singular values of an update are near one where those of the gradient spread over three powers of ten."""
    rng = np.random.default_rng(0)
    for shape in (72, 16), (16, 72):
        left, _, right = np.linalg.svd(rng.normal(size=shape), full_matrices=False)
        gradient = left * np.logspace(0, -2.5, 16) @ right
        update = np.asarray(optimizers.polar_express(ops.convert_to_tensor(gradient.astype(np.float32))))
        values = np.linalg.svd(update, compute_uv=False)
        assert update.shape == shape and 0.85 < values.min() and values.max() < 1.15
        assert np.abs(update - left @ right).max() < 0.1


def adam_steps(weights, gradients, rate):
    """The weights after each step of Adam (Kingma & Ba 2015, algorithm 1)."""
    m = v = 0
    for t, gradient in enumerate(gradients, 1):
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient ** 2
        weights = weights - rate * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-7)
        yield weights


def muon_steps(weights, gradients, rate):
    """The weights after each step of Muon with Nesterov's momentum (Jordan et al. 2024), scaled as Liu et al. 2025."""
    momentum = 0
    for gradient in gradients:
        momentum = 0.95 * momentum + gradient
        update = (gradient + 0.95 * momentum).reshape(-1, weights.shape[-1])
        x = update / np.linalg.norm(update) / 1.02
        for a, b, c in optimizers.POLYNOMIALS:
            x = a * x + b * x @ x.T @ x + c * x @ x.T @ x @ x.T @ x
        weights = weights - rate * 0.2 * np.sqrt(max(x.shape)) * x.reshape(weights.shape)
        yield weights


@pytest.mark.parametrize("name, shape, steps, ratio", [
    ("adam", (3, 3, 4, 8), adam_steps, 1), ("adam", (5,), adam_steps, 1),
    ("muon", (3, 3, 4, 8), muon_steps, 1), ("muon", (1, 1, 6, 2), muon_steps, 1), ("muon", (1, 1, 2, 6), muon_steps, 1),
    ("muon", (1, 1, 8, 1), adam_steps, 0.2), ("muon", (5,), adam_steps, 0.2), ("muon", (6, 3), adam_steps, 0.2)])
def test_a_step_is_that_of_the_papers(name, shape, steps, ratio):
    """Kernels by Muon, everything else and a kernel that makes one plane by Adam at a fifth of the learning rate."""
    rng = np.random.default_rng(1)
    start, gradients = rng.normal(size=shape), rng.normal(size=(4, *shape)) * 10
    variable = keras.Variable(start.astype(np.float32))
    optimizer = optimizers.CLASSES[name](0.05)
    for gradient, expected in zip(gradients, steps(start, gradients, 0.05 * ratio), strict=True):
        optimizer.apply([ops.convert_to_tensor(gradient.astype(np.float32))], [variable])
        assert np.allclose(np.array(variable), expected, atol=1e-4)


@pytest.mark.parametrize("name, ratio", [("adam", 1), ("muon", 0.2)])
def test_who_plays_is_learned_at_a_sixteenth_of_the_rate(name, ratio):
    """Many inputs of a metadata encoder are 1 at once, so that the steps of their weights add up."""
    rng = np.random.default_rng(1)
    start, gradients = rng.normal(size=(6, 8)), rng.normal(size=(4, 6, 8))
    layer = keras.layers.Dense(8, use_bias=False, name="policy_metadata_bias")
    layer.build((None, 6))
    layer.kernel.assign(start)
    optimizer = optimizers.CLASSES[name](0.05)
    for gradient, expected in zip(gradients, adam_steps(start, gradients, 0.05 * ratio / 16), strict=True):
        optimizer.apply([ops.convert_to_tensor(gradient.astype(np.float32))], [layer.kernel])
        assert np.allclose(np.array(layer.kernel), expected, atol=1e-5)


@pytest.mark.parametrize("name", optimizers.CLASSES)
def test_the_schedule_of_an_optimizer_can_be_replaced(name):
    """A run that is made longer goes on with another schedule, and its average with the decay of that one."""
    optimizer = optimizers.CLASSES[name](WarmupStableDecay(0.05, 1, 4, 8, 1e-3), weight_axes={"conv/kernel": []})
    optimizer.build([keras.Variable(np.zeros(3, np.float32))])
    optimizer.learning_rate = WarmupStableDecay(0.05, 1, 40, 80, 1e-3)
    optimizer.iterations.assign(8)
    assert float(optimizer.learning_rate) == pytest.approx(0.05)
    assert float(optimizer.newest_share(optimizer.learning_rate)) == pytest.approx(9 / 17)


def test_the_learning_rate_warms_up_stays_and_decays():
    schedule = WarmupStableDecay(1.0, warmup_steps=10, decay_start=500, total_steps=1000, final_fraction=0.1)
    rate = [float(schedule(step)) for step in range(1001)]
    assert rate[0] == pytest.approx(0.1)
    assert rate[9:501] == pytest.approx([1.0] * 492)
    assert rate[750] == pytest.approx(0.55, abs=0.01)
    assert rate[-1] == pytest.approx(0.1)


@pytest.mark.parametrize("clip_norm", [None, 0.25])
def test_gradients_are_shortened_together_to_the_norm_and_theirs_is_kept(clip_norm):
    model = small_model(optimizers.Adam(0.01, clip_norm=clip_norm))
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)
    gradients = [RNG.normal(size=variable.shape).astype(np.float32) for variable in model.trainable_variables]
    norm = np.sqrt(sum((gradient ** 2).sum() for gradient in gradients))
    optimizer.apply([ops.convert_to_tensor(gradient) for gradient in gradients])
    assert float(optimizer.gradient_norm) == pytest.approx(norm, rel=1e-5) and norm > 1
    for state, gradient in zip(optimizer.states, gradients, strict=True):
        shortened = gradient * (0.25 / norm if clip_norm else 1)
        assert np.allclose(state.momentum, 0.1 * shortened, rtol=1e-4, atol=1e-8)
    optimizer.apply([ops.convert_to_tensor(gradient * 1e-3) for gradient in gradients])      # short enough as it is
    assert float(optimizer.gradient_norm) == pytest.approx(norm * 1e-3, rel=1e-5)
    expected = 0.9 * 0.1 * shortened + 0.1 * 1e-3 * gradients[-1]
    assert np.allclose(optimizer.states[-1].momentum, expected, rtol=1e-4, atol=1e-8)


def model_with_batch_norm(optimizer) -> keras.Model:
    keras.utils.set_random_seed(0)
    inputs = keras.Input((5, 5, 2))
    x = keras.layers.Conv2D(3, 3, use_bias=False, name="conv")(inputs)
    x = keras.layers.ReLU()(FusedBatchNorm(momentum=0.9, name="batch_norm")(x))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling2D()(x)))
    model.compile(optimizer, "mse", run_eagerly=keras.backend.backend() == "tensorflow")         # for a few steps
    return model


def test_batch_norm_statistics_are_recalibrated_for_the_averaged_weights():
    model = model_with_batch_norm(optimizers.Adam(0.05))
    for _ in range(5):
        model.train_on_batch(X, Y)
    trained = [np.array(w) for w in model.get_weights()]
    averaged = optimizers.AveragedModel(model, model_with_batch_norm("sgd"), [X[:32], X[32:]]).update_ema_model()
    before = keras.Model(averaged.input, averaged.get_layer("conv").output)(X)
    batch_norm = averaged.get_layer("batch_norm")
    halves = [np.asarray(half) for half in (before[:32], before[32:])]
    assert np.allclose(batch_norm.moving_mean, np.mean([h.mean((0, 1, 2)) for h in halves], axis=0), atol=1e-4)
    assert np.allclose(batch_norm.moving_variance, np.mean([h.var((0, 1, 2)) for h in halves], axis=0), rtol=1e-2)
    assert batch_norm.momentum == 0.9
    for variable, average in zip(averaged.trainable_variables, model.optimizer.averaged_variables, strict=True):
        assert np.array_equal(variable, average)
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), trained, strict=True))      # unchanged
