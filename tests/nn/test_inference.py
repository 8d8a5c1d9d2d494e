"""Networks: Keras and ONNX Runtime agree on any board, files are whole, other planes are refused."""
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from random_records import random_record

from mugo.files import BadInput
from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.games.go import Position, position_of
from mugo.nn import bundled, metadata
from mugo.nn.inference import BundledNetworks, Network, fit_bias

layers = pytest.importorskip("mugo.nn.policy_net")


def a_network(tmp_path, **shape):
    """A small network with random weights everywhere, also where training begins with zeros."""
    shape = layers.Architecture(**({"size": 9, "filters": 4} | shape))
    layers.keras.utils.set_random_seed(1)
    model = layers.build(shape)
    rng = np.random.default_rng(2)
    model.set_weights([w + rng.uniform(-0.1, 0.12, w.shape) for w in model.get_weights()])
    path = tmp_path / "net.keras"
    layers.ship(model, path, layers.describe(shape))
    return model, path


@pytest.mark.parametrize("shape", [
    {}, {"value": True, "residual": True}, {"norm": False, "pooling": False}, {"layers": 3, "value": True},
    {"layers": 8, "residual": True}, {"size": 5, "pooling": False},
], ids=str)
def test_onnx_runtime_plays_what_keras_learned(tmp_path, shape):
    model, path = a_network(tmp_path, **shape)
    assert layers.onnx_difference(model, path) < 1e-5
    again = layers.load(path)
    packed = np.random.default_rng(3).integers(0, 256, (2, model.input_shape[1], planes.PACKED), np.uint8)
    for name, output in model(packed).items():
        assert np.allclose(output, again(packed)[name], atol=1e-6)


def test_unpacking_inside_the_model_is_planes_unpack():
    position = position_of(random_record(3))
    packed = planes.encode([position])
    assert np.array_equal(layers.Unpack(9)(packed), planes.unpack(packed))


def test_normalisation_in_one_piece_learns_as_keras_does():
    keras = layers.keras
    rng = np.random.default_rng(4)
    x, y = (rng.normal(1, 2, (64, 9, 9, 3)).astype(np.float32) for _ in range(2))

    def learned(kind):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((9, 9, 3)), keras.layers.Conv2D(3, 3, padding="same"),
                                  kind(epsilon=1e-3, momentum=0.9), keras.layers.ReLU()])
        model.compile(keras.optimizers.SGD(0.5), "mse")
        losses = [model.train_on_batch(x, y) for _ in range(3)]
        return [np.array(losses), *model.get_weights(), model(x)]

    for ours, theirs in zip(learned(layers.Norm), learned(keras.layers.BatchNormalization), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-3, atol=1e-3)      # the variance of n, or of n - 1


def test_priors_are_probabilities_of_move_indices(tmp_path):
    _, path = a_network(tmp_path, value=True)
    net = Network(path)
    priors, values = net.evaluate([Position(9), position_of(random_record(3))])
    assert priors.shape == (2, 82)
    assert np.allclose(priors.sum(1), 1, atol=1e-5)
    assert (np.abs(values) <= 1).all()


@pytest.mark.parametrize("trained", [9, 5, 6, 14])
def test_the_average_over_symmetries_turns_with_the_board(tmp_path, trained):
    _, path = a_network(tmp_path, size=trained)
    net = Network(path)
    position = position_of(random_record(4))
    priors = net.evaluate([position], tta=True)[0][0]
    for symmetry in range(8):
        turn = symmetries(9)[symmetry]
        record = random_record(4)
        moves = (turn[record.moves & 511] | (record.moves & 512)).astype(np.int16)
        turned = position_of(type(record)(size=9, setup=record.setup, moves=moves))
        assert np.allclose(net.evaluate([turned], tta=True)[0][0][turn], priors, atol=1e-6)


@pytest.mark.parametrize("trained, fitted", [
    ("""
        1 2 3 4 5
        0 0 0 0 0
        6 0 8 0 7
        0 0 0 0 0
        9 0 0 0 5
    """, """
        1 2 3 3 3 4 5
        0 0 0 0 0 0 0
        6 0 8 8 8 0 7
        6 0 8 8 8 0 7
        6 0 8 8 8 0 7
        0 0 0 0 0 0 0
        9 0 0 0 0 0 5
    """), ("""
        1 2 8 4 5
        3 0 8 6 0
        8 8 8 8 8
        3 0 8 0 0
        9 0 8 0 5
    """, """
        1 2 4 5
        3 0 6 0
        3 0 0 0
        9 0 0 5
    """), ("""
        1 2 8 4 5
        0 4 8 8 0
        8 8 8 8 8
        6 0 8 0 4
        9 0 8 2 5
    """, """
        1 3 5
        3 3 2
        9 1 5
    """), ("""
        1 2 3 4
        0 4 6 0
        0 2 8 0
        5 6 7 8
    """, """
        1 2 2.5 3 4
        0 4 5   6 0
        0 3 5   7 0
        0 2 5   8 0
        5 6 6.5 7 8
    """), ("1 2\n 3 4", """
        1 1 2 2
        1 1 2 2
        3 3 4 4
        3 3 4 4
    """), ("""
        1 2 3
        4 5 6
        7 8 9
    """, """
        1 2 3
        4 5 6
        7 8 9
    """),
], ids=["larger", "smaller", "a middle line of two", "an even one larger", "much larger", "the same"])
def test_on_another_board_the_bias_of_a_point_goes_by_its_distance_from_the_edges(trained, fitted):
    trained, fitted = (np.array(drawn.split(), np.float32) for drawn in (trained, fitted))
    assert fit_bias(trained, round(len(fitted) ** 0.5)).tolist() == fitted.tolist()


@pytest.mark.parametrize("size", [2, 5, 8, 13, 19])
def test_on_another_board_it_plays_what_keras_would_with_the_fitted_bias(tmp_path, size):
    model, path = a_network(tmp_path, value=True)
    other = layers.build(layers.Architecture(size, 4, value=True))
    other.set_weights([fit_bias(w, size) if w.shape == (81,) else w for w in model.get_weights()])
    packed = np.random.default_rng(3).integers(0, 256, (2, size ** 2, planes.PACKED), np.uint8)
    outputs = other(packed)
    net = Network(path)
    net.evaluate([Position(9)])                   # boards of several sizes may follow each other
    priors, values = net.evaluate_packed(packed)
    assert np.allclose(priors, layers.ops.softmax(outputs["policy"]), atol=1e-5)
    assert np.allclose(values, np.tanh(outputs["value"])[:, 0], atol=1e-5)


def test_boards_of_two_sizes_are_not_evaluated_together(tmp_path):
    _, path = a_network(tmp_path)
    with pytest.raises(ValueError, match="one size at a time"):
        Network(path).evaluate([Position(9), Position(5)])


def rewritten(path, **members):
    """A copy of a network's file with members changed: by a function of their bytes, named mugo for mugo.json."""
    other = path.with_name("other.keras")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, members.get(name.split(".")[0], bytes)(old.read(name)))
    return other


def with_metadata(path, change):
    """A copy of a network's file with another mugo.json."""
    def changed(data):
        about = json.loads(data)
        change(about)
        return json.dumps(about)
    return rewritten(path, mugo=changed)


def test_every_board_has_the_bundled_network_of_the_nearest_size(tmp_path, monkeypatch):
    monkeypatch.setattr(bundled, "network_folders", lambda: [tmp_path])
    with pytest.raises(BadInput, match="no network came with this program"):
        bundled.bundled_name(9)
    _, path = a_network(tmp_path, value=True)
    for name in ("policy-9", "policy-13", "policy-19", "policy-19-small", "other"):
        (tmp_path / f"{name}.keras").write_bytes(path.read_bytes())
    assert {size: bundled.bundled_name(size) for size in (2, 9, 10, 11, 13, 15, 16, 19)} == {
        2: "policy-9", 9: "policy-9", 10: "policy-9", 11: "policy-13", 13: "policy-13", 15: "policy-13",
        16: "policy-19", 19: "policy-19"}
    both = BundledNetworks(threads=1)
    assert both.has_value
    for size in (9, 13, 5, 9):
        priors, _ = both.evaluate([Position(size)])
        assert priors.shape == (1, size ** 2 + 1)
    assert both.for_board(9) is both.for_board(5) is not both.for_board(13)


def test_a_network_for_other_planes_is_refused_in_one_line(tmp_path):
    _, path = a_network(tmp_path)
    fewer = with_metadata(path, lambda about: about.update(planes=about["planes"][:7]))
    with pytest.raises(BadInput, match=r"other.keras was trained on 44 planes; this program makes 48"):
        Network(fewer)
    other = with_metadata(path, lambda about: about["planes"][3].__setitem__(0, "turns ahead"))
    with pytest.raises(BadInput, match="its 'turns ahead' differs from this program's"):
        Network(other)


def test_what_is_no_network_is_said_in_one_line(tmp_path):
    (tmp_path / "x.keras").write_bytes(b"PK nonsense")
    with pytest.raises(BadInput, match="x.keras is no network"):
        Network(tmp_path / "x.keras")
    with pytest.raises(BadInput, match="there is no network 'policy-99'"):
        Network("policy-99")


def with_member(path, name, content):
    """The network's file with other content in one of its members; None: with damaged bytes."""
    with zipfile.ZipFile(path) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    made = path.with_name("damaged.keras")
    with zipfile.ZipFile(made, "w") as archive:
        for one, data in members.items():
            archive.writestr(one, data if one != name or content is None else content)
        at = archive.getinfo(name).header_offset + 200
    if content is None:
        data = bytearray(made.read_bytes())
        data[at:at + 64] = bytes(64)
        made.write_bytes(data)
    return made


@pytest.mark.parametrize(("name", "content", "line"), [
    (metadata.ONNX, None, "is damaged: Bad CRC-32"),
    (metadata.ONNX, b"nonsense", "its network.onnx cannot be played"),
    (metadata.METADATA, b"[]", "its mugo.json is no JSON object"),
    (metadata.METADATA, b'{"format": 1}', "its mugo.json does not give 'planes'"),
    (metadata.METADATA, None, "is no network of MuGo's: Bad CRC-32"),
])
def test_a_damaged_network_is_said_in_one_line(tmp_path, name, content, line):
    with pytest.raises(BadInput, match=line) as caught:
        Network(with_member(a_network(tmp_path)[1], name, content))
    assert "\n" not in str(caught.value)


def test_damaged_weights_are_said_in_one_line(tmp_path):
    path = with_member(a_network(tmp_path)[1], "model.weights.h5", None)
    with pytest.raises(BadInput, match="is no network of Keras, or damaged: Bad CRC-32"):
        layers.load(path)


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    model, path = a_network(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(layers, "to_onnx", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        layers.ship(model, path, layers.describe(layers.Architecture(9, 4)))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["net.keras"]


def test_playing_imports_no_keras(tmp_path):
    _, path = a_network(tmp_path)
    program = ("import sys; from mugo.games.go import Position; from mugo.nn.inference import Network\n"
               f"Network({str(path)!r}).evaluate([Position(9)])\n"
               "print([x for x in ('keras', 'tensorflow', 'jax', 'pandas', 'matplotlib') if x in sys.modules])")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_network_of_one_backend_loads_on_the_other(tmp_path):
    """Saved under TensorFlow, loaded under JAX, where that is installed, and TensorFlow is not touched."""
    pytest.importorskip("jax")
    model, path = a_network(tmp_path, value=True)
    packed = np.random.default_rng(3).integers(0, 256, (2, 81, planes.PACKED), np.uint8)
    np.save(tmp_path / "packed.npy", packed)
    program = ("import sys, numpy as np; sys.modules['tensorflow'] = None\n"
               "from mugo.nn import policy_net\n"
               f"outputs = policy_net.load({str(path)!r})(np.load({str(tmp_path / 'packed.npy')!r}))\n"
               f"np.savez({str(tmp_path / 'out.npz')!r}, **{{name: np.asarray(x) for name, x in outputs.items()}})")
    subprocess.run([sys.executable, "-c", program], check=True,
                   env={**__import__("os").environ, "KERAS_BACKEND": "jax"})
    outputs = np.load(tmp_path / "out.npz")
    for name, expected in model(packed).items():
        assert np.abs(outputs[name] - np.asarray(expected)).max() < 1e-5
