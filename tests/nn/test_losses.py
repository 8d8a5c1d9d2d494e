"""Losses against their formulas."""
import numpy as np
import pytest

losses = pytest.importorskip("mugo.nn.losses")


def test_label_smoothing_is_the_cross_entropy_with_smoothed_targets():
    rng = np.random.default_rng(0)
    logits, moves = rng.normal(size=(5, 26)).astype(np.float32), rng.integers(26, size=5)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    targets = np.full((5, 26), 0.2 / 26)
    targets[np.arange(5), moves] += 0.8
    expected = -(targets * log_p).sum(1).mean()
    for shaped in (moves, moves[:, None]):
        assert float(losses.LabelSmoothingCrossentropy(0.2)(shaped, logits)) == pytest.approx(expected, rel=1e-5)


def test_a_draw_counts_as_much_as_a_win():
    outcome, score = np.zeros((1, 1), np.float32), np.full((1, 1), 9, np.float32)
    assert float(losses.squared_error(outcome, score)[0]) == pytest.approx(1)


def test_the_squared_error_is_that_of_the_value():
    outcome, score = np.array([1.0, -1, 0.5], np.float32), np.array([[0.3], [0.3], [-2.0]], np.float32)
    assert np.allclose(losses.squared_error(outcome, score), (outcome - np.tanh(score[:, 0])) ** 2, atol=1e-6)


def test_the_entropy_is_that_of_the_policy():
    p = np.array([[0.5, 0.25, 0.25], [0.9, 0.1, 1e-9]], np.float32)
    assert np.allclose(losses.entropy(None, np.log(p) + 3), -(p * np.log(p)).sum(1), atol=1e-5)


def test_label_smoothing_is_saved_with_its_fraction():
    loss = losses.LabelSmoothingCrossentropy(0.2)
    loaded = losses.keras.saving.deserialize_keras_object(losses.keras.saving.serialize_keras_object(loss))
    assert loaded.label_smoothing == 0.2


def test_the_outcome_loss_is_the_negative_log_likelihood_and_0_for_an_unknown_outcome():
    outcome, score = np.array([[1.0], [-1.0], [0.0]], np.float32), np.array([[0.3], [0.3], [2.0]], np.float32)
    v = np.tanh(0.3)
    assert np.allclose(losses.outcome_loss(outcome, score), [-np.log((1 + v) / 2), -np.log((1 - v) / 2), 0], atol=1e-6)
    assert np.allclose(losses.known_squared_error(outcome, score), [(1 - v) ** 2, (1 + v) ** 2, 0], atol=1e-6)
