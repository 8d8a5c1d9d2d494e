"""Networks: Keras and ONNX Runtime agree, files are whole, other planes are refused."""
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from random_records import random_record

from mugo import network, planes
from mugo.coords import symmetries
from mugo.files import BadInput
from mugo.go import Position, position_of
from mugo.network import Network

layers = pytest.importorskip("mugo.layers")


def a_network(tmp_path, **shape):
    """A small network with random weights everywhere, also where training begins with zeros."""
    shape = layers.Architecture(**({"size": 9, "filters": 4} | shape))
    layers.keras.utils.set_random_seed(1)
    model = layers.build(shape)
    rng = np.random.default_rng(2)
    model.set_weights([w + rng.uniform(0.05, 0.3, w.shape) for w in model.get_weights()])
    path = tmp_path / "net.keras"
    layers.ship(model, path, layers.describe(shape))
    return model, path


@pytest.mark.parametrize("shape", [
    {}, {"value": True}, {"norm": False, "residual": False, "pooling": False}, {"layers": 3, "value": True},
    {"layers": 8, "residual": False}, {"size": 5, "pooling": False},
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


def test_priors_are_probabilities_of_move_indices(tmp_path):
    _, path = a_network(tmp_path, value=True)
    net = Network(path)
    priors, values = net.evaluate([Position(9), position_of(random_record(3))])
    assert priors.shape == (2, 82)
    assert np.allclose(priors.sum(1), 1, atol=1e-5)
    assert (np.abs(values) <= 1).all()


def test_the_average_over_symmetries_turns_with_the_board(tmp_path):
    _, path = a_network(tmp_path)
    net = Network(path)
    position = position_of(random_record(4))
    priors = net.evaluate([position], average=True)[0][0]
    for symmetry in range(8):
        turn = symmetries(9)[symmetry]
        record = random_record(4)
        moves = (turn[record.moves & 511] | (record.moves & 512)).astype(np.int16)
        turned = position_of(type(record)(size=9, setup=record.setup, moves=moves))
        assert np.allclose(net.evaluate([turned], average=True)[0][0][turn], priors, atol=1e-6)


def rewritten(path, change):
    """A copy of a network's file with another mugo.json."""
    other = path.with_name("other.keras")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == network.ABOUT:
                about = json.loads(data)
                change(about)
                data = json.dumps(about).encode()
            new.writestr(name, data)
    return other


def test_a_network_for_other_planes_is_refused_in_one_line(tmp_path):
    _, path = a_network(tmp_path)
    fewer = rewritten(path, lambda about: about.update(planes=about["planes"][:7]))
    with pytest.raises(BadInput, match=r"other.keras was trained on 44 planes; this program makes 48"):
        Network(fewer)
    other = rewritten(path, lambda about: about["planes"][3].__setitem__(0, "turns ahead"))
    with pytest.raises(BadInput, match="its 'turns ahead' is not this program's"):
        Network(other)


def test_what_is_no_network_is_said_in_one_line(tmp_path):
    (tmp_path / "x.keras").write_bytes(b"PK nonsense")
    with pytest.raises(BadInput, match="x.keras is no network"):
        Network(tmp_path / "x.keras")
    with pytest.raises(BadInput, match="there is no network 'policy-99'"):
        Network("policy-99")


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
    program = ("import sys; from mugo.go import Position; from mugo.network import Network\n"
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
               "from mugo import layers\n"
               f"outputs = layers.load({str(path)!r})(np.load({str(tmp_path / 'packed.npy')!r}))\n"
               f"np.savez({str(tmp_path / 'out.npz')!r}, **{{name: np.asarray(x) for name, x in outputs.items()}})")
    subprocess.run([sys.executable, "-c", program], check=True,
                   env={**__import__("os").environ, "KERAS_BACKEND": "jax"})
    outputs = np.load(tmp_path / "out.npz")
    for name, expected in model(packed).items():
        assert np.abs(outputs[name] - np.asarray(expected)).max() < 1e-5
