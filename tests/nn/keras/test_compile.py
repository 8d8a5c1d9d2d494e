"""The training step of self-play: its loss is the formula's, and it learns, on both backends."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from networks import SMALL, alphazero_model, build, checkpoint, keras, random_model

from mugo.games import planes
from mugo.nn.architectures import AlphaZeroNetConfig, PolicyNetConfig
from mugo.nn.graph import weight_axes
from mugo.nn.keras.losses import build_metrics, compile_for_selfplay, compile_for_training, train_step
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


def test_with_its_metrics_built_a_step_is_traced_once(monkeypatch):
    config = PolicyNetConfig(size=5, filters=4, layers=3, value_head=True)
    model, rng = random_model(config), np.random.default_rng(0)
    compile_for_training(model, config, 1e-3, optimizer="adam")
    model.optimizer.build(model.trainable_variables)
    data = rng.integers(0, 256, (4, 25, planes.PACKED), np.uint8), {"policy": rng.integers(0, 26, 4),
                                                                    "value": np.ones((4, 1), np.float32)}
    build_metrics(model, *data)
    assert not any(np.any(variable) for variable in model.metrics_variables)
    traced, step = [], type(model).train_step
    monkeypatch.setattr(type(model), "train_step", lambda *args: (traced.append(1), step(*args))[1])
    model.fit(*data, verbose=0)
    assert len(traced) == 1 or keras.backend.backend() == "jax"


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


@pytest.mark.runs
def test_it_trains_on_jax_as_on_tensorflow(tmp_path):
    """Saved under TensorFlow and trained on under JAX, where that is installed; TensorFlow is not imported."""
    pytest.importorskip("jax")
    model, config = alphazero_model(batch_norm=True)
    compile_for_selfplay(model, 1e-2, 1e-2)
    path = tmp_path / "checkpoint.safetensors"
    checkpoint.save(model, path, new_metadata(config, "gomoku", 4))
    batch = random_batch(4)
    np.savez(tmp_path / "batch.npz", *batch)
    program = ("import sys, json, numpy as np; sys.modules['tensorflow'] = None\n"
               "from mugo.nn.keras.checkpoint import load\n"
               "from mugo.nn.keras.losses import compile_for_selfplay, train_step\n"
               f"model, batch = load({str(path)!r}), np.load({str(tmp_path / 'batch.npz')!r})\n"
               "compile_for_selfplay(model, 1e-2, 1e-2)\n"
               "batch = [batch[f'arr_{i}'] for i in range(3)]\n"
               "print(json.dumps([train_step(model, *batch), train_step(model, *batch, 1e-3)]))")
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                          env={**os.environ, "KERAS_BACKEND": "jax"})
    here = [train_step(model, *batch), train_step(model, *batch, 1e-3)]
    for ours, theirs in zip(here, json.loads(done.stdout.splitlines()[-1]), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
