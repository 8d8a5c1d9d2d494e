"""Losses against their formulas."""
import numpy as np
import pytest

losses = pytest.importorskip("mugo.nn.keras.losses")


def test_a_draw_counts_as_much_as_a_win():
    outcome, score = np.zeros((1, 1), np.float32), np.full((1, 1), 9, np.float32)
    assert float(losses.squared_error(outcome, score)[0]) == pytest.approx(1)


def test_the_squared_error_is_that_of_the_value():
    outcome, score = np.array([1.0, -1, 0.5], np.float32), np.array([[0.3], [0.3], [-2.0]], np.float32)
    assert np.allclose(losses.squared_error(outcome, score), (outcome - np.tanh(score[:, 0])) ** 2, atol=1e-6)


def test_the_entropy_is_that_of_the_policy():
    p = np.array([[0.5, 0.25, 0.25], [0.9, 0.1, 1e-9]], np.float32)
    assert np.allclose(losses.entropy(None, np.log(p) + 3), -(p * np.log(p)).sum(1), atol=1e-5)


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
