"""Losses, metrics and the training step of self-play against their formulas."""

import numpy as np
import pytest
from networks import SMALL, alphazero_model, build, checkpoint, keras, random_model

from mugo.games import planes
from mugo.nn.architectures import AlphaZeroNetConfig, PolicyNetConfig
from mugo.nn.graph import weight_axes
from mugo.nn.keras import losses
from mugo.nn.keras.losses import compile_for_selfplay, compile_for_training, train_step
from mugo.nn.network_file import new_metadata


def random_batch(n, size=6, seed=0):
    """Random packed planes of Gomoku, policy targets and outcomes."""
    rng = np.random.default_rng(seed)
    return (rng.integers(0, 16, (n, size ** 2, 1), np.uint8),
            rng.dirichlet(np.full(size ** 2 + 1, 0.1), n).astype(np.float32),
            rng.integers(-1, 2, n).astype(np.float32))


@pytest.mark.parametrize("l2, batch_norm", [(1e-2, False), (3e-3, True), (0, False)])
def test_the_loss_is_that_of_the_formula(l2, batch_norm):
    model, _ = alphazero_model(batch_norm=batch_norm)
    compile_for_selfplay(model, 1e-3, l2)
    packed, policy, value = random_batch(5)
    model.run_eagerly = keras.backend.backend() == "tensorflow"          # tracing it takes longer
    theta = [keras.ops.convert_to_numpy(w) for w in model.trainable_weights]
    outputs = {name: np.asarray(output) for name, output in model(packed, training=True).items()}
    p = np.exp(outputs["policy"]) / np.exp(outputs["policy"]).sum(1, keepdims=True)
    v = np.tanh(outputs["value"][:, 0])
    ce, mse = -(policy * np.log(p)).sum(1).mean(), ((value - v) ** 2).mean()
    logs = train_step(model, packed, policy, value)
    assert logs["loss"] == pytest.approx(ce + mse + l2 * sum((w ** 2).sum() for w in theta), rel=3e-5)
    assert logs == pytest.approx({
        "loss": logs["loss"], "ce": ce, "value_mse": mse, "entropy": -(p * np.log(p)).sum(1).mean(),
        "top1": (p.argmax(1) == policy.argmax(1)).mean()}, rel=3e-5)


def test_logits_are_computed_in_float32_where_the_model_trains_in_bfloat16():
    """In bfloat16 a logit between 8 and 16 is a multiple of 1/16."""
    model = build(PolicyNetConfig(size=5, filters=8, layers=3, value_head=True, komi_input=True).spec(),
                  "mixed_bfloat16")
    assert [model.get_layer(name).compute_dtype for name in ("conv0", "policy_conv", "ownership_conv")] == [
        "bfloat16", "float32", "float32"]


def test_the_loss_of_supervised_learning_is_that_of_the_formula():
    """Cross-entropy + 0.5 negative log-likelihoods of the winner; its measures are those of a slow evaluation."""
    config = PolicyNetConfig(size=5, filters=8, layers=3, value_head=True, equivariant=True)
    model = random_model(config)
    compile_for_training(model, config, 1e-3, optimizer="adam")
    assert model.optimizer.weight_axes == weight_axes(config.spec())
    model.run_eagerly = True             # tracing it takes longer
    rng = np.random.default_rng(0)
    packed = rng.integers(0, 256, (40, 25, planes.PACKED), np.uint8)
    outputs = {name: np.asarray(output, np.float64) for name, output in model(packed).items()}
    log_p = outputs["policy"] - np.log(np.exp(outputs["policy"]).sum(1, keepdims=True))
    moves = np.argsort(-log_p)[np.arange(40), rng.integers(0, 8, 40)]    # of ranks 0 to 7
    ranks = (log_p > log_p[np.arange(40), moves][:, None]).sum(1)
    outcomes, v = rng.integers(-1, 2, 40), np.tanh(outputs["value"][:, 0])
    logs = model.evaluate(packed, {"policy": moves, "value": outcomes[:, None].astype(np.float32)}, batch_size=40,
                          verbose=0, return_dict=True)
    ce = -log_p[np.arange(40), moves].mean()
    nll = -np.where(outcomes == 0, 0, np.log((1 + outcomes * v) / 2)).mean()
    assert logs["loss"] == pytest.approx(ce + 0.5 * nll, rel=1e-4)
    assert logs["policy_ce"] == pytest.approx(ce, rel=1e-4)
    assert logs["policy_top1"] == pytest.approx((ranks < 1).mean(), abs=1e-6)
    assert logs["policy_top5"] == pytest.approx((ranks < 5).mean(), abs=1e-6)
    assert 0 < logs["policy_top1"] < logs["policy_top5"] < 1
    assert logs["value_mse"] == pytest.approx(((outcomes - v) ** 2)[outcomes != 0].mean(), rel=1e-4)
    assert logs["value_accuracy"] == pytest.approx((np.sign(v) == outcomes)[outcomes != 0].mean(), rel=1e-4)


def test_the_learning_rate_can_be_set_at_every_step():
    model, _ = alphazero_model(head_batch_norm=False)    # without moving statistics, which change at every step
    compile_for_selfplay(model, 1e-2)
    model.run_eagerly = True             # quicker than tracing it for three steps
    assert float(model.optimizer.learning_rate) == pytest.approx(1e-2)
    batch = random_batch(4)
    train_step(model, *batch)
    before = model.get_weights()
    train_step(model, *batch, learning_rate=0)
    assert all(np.array_equal(w, old) for w, old in zip(model.get_weights(), before, strict=True))
    train_step(model, *batch, learning_rate=1e-3)
    steps = [np.abs(w - old).max() for w, old in zip(model.get_weights(), before, strict=True)]
    assert 5e-4 < max(steps) < 2e-3


def test_a_network_trained_in_bfloat16_is_exported_in_float32(tmp_path):
    config = AlphaZeroNetConfig.for_game("gomoku", 6, **SMALL)
    model = build(config.spec(), "mixed_bfloat16")
    compile_for_selfplay(model)
    model.run_eagerly = True
    train_step(model, *random_batch(4))
    checkpoint.export(model, tmp_path / "net.safetensors", new_metadata(config, "gomoku", 4))
    loaded = checkpoint.load(tmp_path / "net.safetensors")
    assert all(np.array_equal(w, other) for w, other in zip(model.get_weights(), loaded.get_weights(), strict=True))
    assert loaded.get_layer("conv0").compute_dtype == "float32"


def test_the_outcome_loss_is_the_negative_log_likelihood_and_0_for_an_unknown_outcome():
    outcome, score = np.array([[1.0], [-1.0], [0.0]], np.float32), np.array([[0.3], [0.3], [2.0]], np.float32)
    v = np.tanh(0.3)
    assert np.allclose(losses.outcome_loss(outcome, score), [-np.log((1 + v) / 2), -np.log((1 - v) / 2), 0], atol=1e-6)


def known_mean(name, y_true, y_pred):
    metric = losses.KnownMean(name)
    metric.update_state(np.array(y_true, np.float32), np.array(y_pred, np.float32))
    return float(metric.result())


def test_means_leave_out_what_is_not_known():
    v = np.tanh(0.3)
    outcome, score = [[1.0], [-1.0], [0.0]], [[0.3], [0.3], [2.0]]
    assert known_mean("mse", outcome, score) == pytest.approx(((1 - v) ** 2 + (1 + v) ** 2) / 2)
    assert known_mean("accuracy", outcome, score) == 0.5
    owners = [[1, -1, 0, 1], [2, 2, 2, 2]]               # one game without labels
    assert known_mean("accuracy", owners, [[3, 3, 3, 0.1], [-1, -1, -1, -1]]) == pytest.approx(2 / 3)
    two = [[1, -1, 0, 1], [2, 2, 2, 1]]                  # positions count alike, however many points have an owner
    assert known_mean("accuracy", two, [[3, 3, 3, 0.1], [1, 1, 1, 1]]) == pytest.approx((2 / 3 + 1) / 2)
    assert known_mean("error", [[3.5], [np.nan], [-10]], [[5, 1], [0, 1], [0, 1]]) == pytest.approx((1.5 + 10) / 2)


def test_the_mean_over_nothing_is_nan():
    """Not 0, which would be a perfect value."""
    for name, target, width in ("mse", 0, 1), ("accuracy", 2, 4), ("error", np.nan, 2):
        assert np.isnan(known_mean(name, [[target] * (1 if name == "error" else width)], [[1.0] * width]))


def test_the_loss_of_owners_is_their_cross_entropy():
    logits = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    owners = np.array([[1, -1, 0, 1], [-1, -1, 1, 0], [2, 2, 2, 2]], np.int8)
    p = (1 + np.tanh(logits)) / 2
    target = (1 + owners) / 2
    expected = -(target * np.log(p) + (1 - target) * np.log(1 - p)).mean(1)
    assert np.allclose(losses.ownership_loss(owners, logits), [*expected[:2], 0], atol=1e-6)


def test_the_loss_of_the_score_is_the_negative_log_likelihood_of_a_logistic_distribution():
    points, score = np.array([[3.5], [-20.0], [np.nan]], np.float32), np.array([[1, 2], [5, 7], [0, 1]], np.float32)

    def density(x, mean, scale):
        e = np.exp(-(x - mean) / scale)
        return e / (scale * (1 + e) ** 2)
    assert np.allclose(losses.score_loss(points, score), [-np.log(density(3.5, 1, 2)), -np.log(density(-20, 5, 7)), 0],
                       atol=1e-5)
    x = np.linspace(-200, 200, 40001)
    assert np.sum(density(x, 5, 7)) * 0.01 == pytest.approx(1)


def test_a_move_that_was_not_played_has_no_loss():
    logits = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    loss = losses.known_move_loss(np.array([[4], [-1], [0]]), logits)
    assert np.allclose(loss, [-log_p[0, 4], 0, -log_p[2, 0]], atol=1e-5)


@pytest.mark.parametrize(("loss", "target", "width"), [
    (losses.score_loss, [[np.nan]], 2), (losses.ownership_loss, [[2, 2]], 2), (losses.outcome_loss, [[0]], 1),
    (losses.known_move_loss, [[-1]], 4)], ids=["score", "ownership", "outcome", "move"])
def test_what_is_not_known_has_no_gradient(loss, target, width):
    model = losses.keras.Sequential([losses.keras.layers.Dense(width, kernel_initializer="ones")])
    model.compile(losses.keras.optimizers.SGD(1.0), loss, run_eagerly=losses.keras.backend.backend() == "tensorflow")
    model.train_on_batch(np.ones((1, 3), np.float32), np.array(target, np.float32))
    assert np.array_equal(model.get_weights()[0], np.ones((3, width)))
