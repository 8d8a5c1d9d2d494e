"""The network that learns from self-play: its loss, its graph, its files, and what it refuses to judge."""
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from nn.test_inference import with_metadata

from mugo.files import BadInput
from mugo.games import go, gomoku
from mugo.games.game import encode
from mugo.nn import bundled
from mugo.nn.inference import BundledNetworks, Network
from mugo.nn.metadata import read_metadata
from mugo.search.search import Search
from mugo.search.settings import Settings
from mugo.training import train

layers = pytest.importorskip("mugo.nn.policy_net")
from mugo.nn import alphazero_net  # noqa: E402    keras, which it imports, may not be there
from mugo.nn.alphazero_net import compile_for_selfplay, learn, shape_for  # noqa: E402

SMALL = {"filters": (4, 6), "policy_filters": 3, "hidden": 5}


def a_model(size=6, game="gomoku", seed=1, **shape):
    """A small network with random weights everywhere, also where learning begins with zeros, and its shape."""
    shape = shape_for(game, size, **SMALL | shape)
    layers.keras.utils.set_random_seed(seed)
    model = layers.build(shape)
    rng = np.random.default_rng(seed)
    model.set_weights([w + rng.uniform(-0.1, 0.12, w.shape) for w in model.get_weights()])
    return model, shape


def a_file(folder, size=6, k=4, exactly=False, game="gomoku", name="net", **shape):
    model, shape = a_model(size, game, **shape)
    path = folder / f"{name}.keras"
    layers.ship(model, path, layers.describe(shape, game, k, exactly))
    return path


def a_batch(n, size=6, seed=0):
    """Packed planes of Gomoku, distributions and outcomes, all at random."""
    rng = np.random.default_rng(seed)
    return (rng.integers(0, 16, (n, size ** 2, 1), np.uint8),
            rng.dirichlet(np.full(size ** 2 + 1, 0.1), n).astype(np.float32),
            rng.integers(-1, 2, n).astype(np.float32))


def outputs_of(model, packed):
    return {name: np.asarray(output, np.float32) for name, output in model(packed).items()}


@pytest.mark.parametrize("shape", [
    {}, {"norm": True}, {"filters": ()}, {"filters": (3, 5, 7, 4), "size": 3}, {"game": "go", "size": 5, "norm": True},
    {"policy_filters": 1, "value_filters": 1},
], ids=str)
def test_onnx_runtime_plays_what_keras_learned(tmp_path, shape):
    model, shape = a_model(**shape)
    game = "go" if shape.depth > 8 else "gomoku"
    path = tmp_path / "net.keras"
    layers.ship(model, path, layers.describe(shape, game, 3 * (game == "gomoku")))
    assert layers.onnx_difference(model, path) < 1e-5


def test_a_new_network_knows_nothing():
    outputs = outputs_of(layers.build(shape_for("gomoku", 6)), a_batch(3)[0])
    assert not outputs["policy"].any() and outputs["policy"].shape == (3, 37)
    assert not outputs["value"].any() and outputs["value"].shape == (3, 1)


def test_by_default_it_has_the_layers_that_its_picture_shows():
    model = layers.build(shape_for("gomoku", 8))
    shapes = {layer.name: layer.kernel.shape for layer in model.layers if hasattr(layer, "kernel")}
    assert shapes == {"conv0": (3, 3, 4, 32), "conv1": (3, 3, 32, 64), "conv2": (3, 3, 64, 128),
                      "policy_conv": (1, 1, 128, 4), "policy": (256, 65),
                      "value_conv": (1, 1, 128, 2), "value_hidden": (128, 64), "value": (64, 1)}


@pytest.mark.parametrize("norm, c", [(False, 1e-2), (True, 3e-3), (False, 0)])
def test_the_loss_is_the_one_of_the_formula(c, norm):
    model, _ = a_model(norm=norm)
    compile_for_selfplay(model, 1e-3, c)
    packed, policy, value = a_batch(5)
    model.run_eagerly = norm or not c    # tracing it once is enough
    theta = [layers.ops.convert_to_numpy(w) for w in model.trainable_weights]
    outputs = {name: np.asarray(output) for name, output in model(packed, training=True).items()}
    p = np.exp(outputs["policy"]) / np.exp(outputs["policy"]).sum(1, keepdims=True)
    v = np.tanh(outputs["value"][:, 0])
    ce, error = -(policy * np.log(p)).sum(1).mean(), ((value - v) ** 2).mean()
    given = learn(model, packed, policy, value)
    assert given["loss"] == pytest.approx(ce + error + c * sum((w ** 2).sum() for w in theta), rel=1e-5)
    assert given == pytest.approx({
        "loss": given["loss"], "ce": ce, "error": error, "entropy": -(p * np.log(p)).sum(1).mean(),
        "top1": (p.argmax(1) == policy.argmax(1)).mean()}, rel=1e-5)


def test_a_draw_counts_as_much_as_a_win():
    model, _ = a_model()
    outcome, score = np.zeros((1, 1), np.float32), np.full((1, 1), 9, np.float32)
    assert float(alphazero_net.squared_error(outcome, score)[0]) == pytest.approx(1)


def test_what_is_to_be_learned_is_learned():
    layers.keras.utils.set_random_seed(3)
    model = layers.build(shape_for("gomoku", 6, filters=(16, 16)))
    compile_for_selfplay(model, 1e-2, 1e-5)
    packed, policy, value = a_batch(8)
    entropy = -(policy * np.log(policy + 1e-12)).sum(1).mean()
    assert learn(model, packed, policy, value)["ce"] == pytest.approx(np.log(37), rel=1e-5)
    for _ in range(120):
        logs = learn(model, packed, policy, value)
    assert logs["ce"] < entropy + 0.1
    assert logs["error"] < 0.02
    assert logs["top1"] > 0.8


def test_the_learning_rate_can_be_another_at_every_step():
    model, _ = a_model()
    compile_for_selfplay(model, 1e-2)
    model.run_eagerly = True             # quicker than tracing it for three steps
    batch = a_batch(4)
    learn(model, *batch)
    before = model.get_weights()
    learn(model, *batch, learning_rate=0)
    assert all(np.array_equal(w, old) for w, old in zip(model.get_weights(), before, strict=True))
    learn(model, *batch, learning_rate=1e-3)
    steps = [np.abs(w - old).max() for w, old in zip(model.get_weights(), before, strict=True)]
    assert 5e-4 < max(steps) < 2e-3


def test_a_checkpoint_learns_on_as_if_nothing_had_been(tmp_path):
    model, shape = a_model(norm=True)
    compile_for_selfplay(model, 1e-2, 1e-2)
    batches = [a_batch(4, seed=seed) for seed in range(4)]
    for batch in batches[:2]:
        learn(model, *batch)
    layers.save(model, tmp_path / "checkpoint.keras", layers.describe(shape, "gomoku", 4))
    again = layers.load(tmp_path / "checkpoint.keras")
    for batch in batches[2:]:
        assert learn(model, *batch) == learn(again, *batch)
    for w, other in zip(model.get_weights(), again.get_weights(), strict=True):
        assert np.array_equal(w, other)


def test_a_file_is_what_was_shipped(tmp_path):
    model, shape = a_model()
    compile_for_selfplay(model)
    model.run_eagerly = True
    learn(model, *a_batch(4))
    about = layers.describe(shape, "gomoku", 4, True)
    layers.ship(model, tmp_path / "net.keras", about)
    again, net = layers.load(tmp_path / "net.keras"), Network(tmp_path / "net.keras", threads=1)
    assert all(np.array_equal(w, other) for w, other in zip(model.get_weights(), again.get_weights(), strict=True))
    assert not again.compiled
    assert (net.game, net.k, net.exactly, net.size, net.has_value) == ("gomoku", 4, True, 6, True)
    assert net.metadata["architecture"]["kind"] == "policy-value"
    assert layers.shape_of(net.metadata["architecture"]) == shape
    open_one = Network.from_graph(layers.graph_of(model, shape), about | {"name": "newest"}, threads=1)
    assert open_one.name == "newest"
    for ours, theirs in zip(open_one.evaluate_packed(a_batch(4)[0]), net.evaluate_packed(a_batch(4)[0]), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_network_trained_in_bfloat16_ships_in_float32(tmp_path):
    model = layers.build(shape_for("gomoku", 6, **SMALL), "mixed_bfloat16")
    compile_for_selfplay(model)
    model.run_eagerly = True
    learn(model, *a_batch(4))
    shape = shape_for("gomoku", 6, **SMALL)
    layers.ship(model, tmp_path / "net.keras", layers.describe(shape, "gomoku", 4))
    again = layers.load(tmp_path / "net.keras")
    assert all(np.array_equal(w, other) for w, other in zip(model.get_weights(), again.get_weights(), strict=True))
    assert again.get_layer("conv0").compute_dtype == "float32"


def test_a_network_can_begin_with_the_convolutions_of_another_board(tmp_path):
    path = a_file(tmp_path, size=6)
    model, shape = a_model(size=8, seed=5)
    before = model.get_layer("policy").get_weights()
    assert layers.begin_with(model, shape, path)["size"] == 6
    old = layers.load(path)
    for name in ("conv0", "conv1", "policy_conv", "value_conv"):
        for w, other in zip(model.get_layer(name).get_weights(), old.get_layer(name).get_weights(), strict=True):
            assert np.array_equal(w, other)
    assert all(np.array_equal(w, other) for w, other in
               zip(model.get_layer("policy").get_weights(), before, strict=True))
    with pytest.raises(BadInput, match="but this one is"):
        layers.begin_with(*a_model(filters=(4,)), path)


# ---- positions

def test_priors_and_values_are_of_the_positions_asked_for(tmp_path):
    net = Network(a_file(tmp_path), threads=1)
    first = gomoku.Position(6, 4)
    positions = [first, first.play(int(first.legal_points()[7]))]
    priors, values = net.evaluate(positions)
    assert priors.shape == (2, 37) and np.allclose(priors.sum(1), 1, atol=1e-5)
    assert values.shape == (2,) and (np.abs(values) < 1).all()
    for position, row, value in zip(positions, priors, values, strict=True):
        p, v = net.evaluate_packed(encode([position]))
        assert np.allclose(p[0], row, atol=1e-6) and np.allclose(v[0], value, atol=1e-6)
    assert np.ptp(net.evaluate([first], tta=True)[0][0][[0, 5, 30, 35]]) < 1e-6        # the corners


@pytest.mark.parametrize("position, text", [
    (lambda: gomoku.Position(8, 4), "is a policy-value network, which plays 6x6 only, not 8x8"),
    (lambda: gomoku.Position(6, 5), "plays Gomoku, 4 in a row, not Gomoku, 5 in a row"),
    (lambda: gomoku.Position(6, 4, True), "plays Gomoku, 4 in a row, not Gomoku, exactly 4 in a row"),
    (lambda: go.Position(6), "plays Gomoku, 4 in a row, not Go$"),
], ids=["size", "k", "exactly", "Go"])
def test_a_position_of_another_game_is_refused(tmp_path, position, text):
    net = Network(a_file(tmp_path), threads=1)
    with pytest.raises(BadInput, match=f"net.keras {text}"):
        net.evaluate([position()])


def test_planes_of_another_game_are_refused(tmp_path):
    on_gomoku = Network(a_file(tmp_path), threads=1)
    on_go = Network(a_file(tmp_path, game="go", k=0, name="other"), threads=1)
    assert (on_go.game, on_go.k) == ("go", 0)
    on_go.evaluate([go.Position(6)])
    for net, packed, text in ((on_gomoku, encode([go.Position(6)]), "plays Gomoku, 4 in a row; these planes"),
                              (on_go, encode([gomoku.Position(6)]), "plays Go; these planes")):
        with pytest.raises(BadInput, match=text):
            net.evaluate_packed(packed)
    with pytest.raises(BadInput, match="other.keras plays Go, not Gomoku, 4 in a row"):
        on_go.evaluate([gomoku.Position(6, 4)])


def test_files_of_unknown_games_and_other_planes_are_refused(tmp_path):
    path = a_file(tmp_path)
    with pytest.raises(BadInput, match="plays 'chess'; this program knows go and gomoku"):
        Network(with_metadata(path, lambda about: about.update(game="chess")))
    with pytest.raises(BadInput, match="was trained on 2 planes; this program makes 4"):
        Network(with_metadata(path, lambda about: about.update(planes=about["planes"][:1])))


def test_every_gomoku_board_has_the_bundled_network_of_its_rules(tmp_path, monkeypatch):
    monkeypatch.setattr(bundled, "network_folders", lambda: [tmp_path])
    with pytest.raises(BadInput, match=r"no network for Gomoku, 4 in a row, on 6x6 .*none for any Gomoku"):
        bundled.bundled_name(6, "gomoku", 4)
    shape = layers.Architecture(5, 4, 3, value=True)
    layers.ship(layers.build(shape), tmp_path / "policy-5.keras", layers.describe(shape))
    for size, k in ((6, 4), (8, 5)):
        a_file(tmp_path, size, k, name=f"gomoku-{size}-{k}")
    assert bundled.bundled_name(8, "gomoku", 5) == "gomoku-8-5"
    for size, k, exactly in ((8, 4, False), (9, 5, False), (6, 4, True)):
        with pytest.raises(BadInput, match=r"in a row, on .x. came .*gomoku-6-4, gomoku-8-5"):
            bundled.bundled_name(size, "gomoku", k, exactly)
    all_of_them = BundledNetworks(threads=1)
    assert all_of_them.has_value
    for position in (gomoku.Position(8, 5), go.Position(9), gomoku.Position(6, 4)):
        assert all_of_them.evaluate([position])[0].shape == (1, position.size ** 2 + 1)
        assert all_of_them.for_position(position).game == position.game
    assert all_of_them.for_position(gomoku.Position(6, 4)) is all_of_them.for_board(6, "gomoku", 4)
    assert all_of_them.evaluate_packed(encode([go.Position(9)]))[0].shape == (1, 82)
    with pytest.raises(BadInput, match="on 7x7 came"):
        all_of_them.evaluate([gomoku.Position(7, 4)])


def test_a_search_asks_the_network_of_the_game_and_it_refuses_another(tmp_path):
    search = Search(Settings(rollout="none", batch=4, max_edges=20_000), Network(a_file(tmp_path), threads=1))
    assert search.search(gomoku.Position(6, 4), simulations=20).visits >= 20
    with pytest.raises(BadInput, match="plays Gomoku, 4 in a row, not Gomoku, 5 in a row"):
        search.search(gomoku.Position(6, 5), simulations=20)
    assert search.search(gomoku.Position(6, 4), simulations=20).visits >= 20


def test_what_learns_from_people_refuses_what_learned_from_self_play(tmp_path):
    path = a_file(tmp_path)
    shape = layers.Architecture(6, 4, 3)
    with pytest.raises(BadInput, match="'kind': 'policy-value'.* but this one is"):
        layers.begin_with(layers.build(shape), shape, path)
    with pytest.raises(BadInput, match="net.keras learned from self-play"):
        train.shape_from_people(read_metadata(path), path)


def test_it_learns_on_jax_what_it_learns_on_tensorflow(tmp_path):
    """Saved under TensorFlow and learning on under JAX, where that is installed; TensorFlow is not touched."""
    pytest.importorskip("jax")
    model, shape = a_model(norm=True)
    compile_for_selfplay(model, 1e-2, 1e-2)
    path = tmp_path / "checkpoint.keras"
    layers.save(model, path, layers.describe(shape, "gomoku", 4))
    batch = a_batch(4)
    np.savez(tmp_path / "batch.npz", *batch)
    program = ("import sys, json, numpy as np; sys.modules['tensorflow'] = None\n"
               "from mugo.nn import alphazero_net, policy_net\n"
               f"model, batch = policy_net.load({str(path)!r}), np.load({str(tmp_path / 'batch.npz')!r})\n"
               "batch = [batch[f'arr_{i}'] for i in range(3)]\n"
               "print(json.dumps([alphazero_net.learn(model, *batch), alphazero_net.learn(model, *batch, 1e-3)]))")
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                          env={**os.environ, "KERAS_BACKEND": "jax"})
    here = [learn(model, *batch), learn(model, *batch, 1e-3)]
    for ours, theirs in zip(here, json.loads(done.stdout.splitlines()[-1]), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
