"""Files of networks and runs: written atomically, and read on either backend; the latest checkpoint of a run."""
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from networks import (
    alphazero_model,
    in_format_1,
    keras,
    policy_file,
    policy_network,
    random_model,
    with_member,
    with_metadata,
)

from mugo.core.files import BadInput
from mugo.games import planes
from mugo.nn import checkpoint
from mugo.nn.inference import Network
from mugo.nn.metadata import config_of, new_metadata
from mugo.nn.policy_net import PolicyNetConfig


def accept(metadata, path):
    """Any metadata."""


def test_an_exported_file_holds_the_weights_the_graph_and_the_metadata(tmp_path):
    model, config = alphazero_model()
    metadata = new_metadata(config, "gomoku", 4, True)
    checkpoint.export(model, tmp_path / "net.keras", metadata)
    loaded, net = checkpoint.load(tmp_path / "net.keras"), Network(tmp_path / "net.keras", threads=1)
    assert all(np.array_equal(w, other) for w, other in zip(model.get_weights(), loaded.get_weights(), strict=True))
    assert not loaded.compiled
    assert (net.game, net.k, net.exactly, net.size, net.has_value) == ("gomoku", 4, True, 6, True)
    assert config_of(net.metadata) == config
    in_memory = Network.from_graph(checkpoint.onnx_graph(model, config), metadata | {"name": "newest"}, threads=1)
    assert in_memory.name == "newest"
    packed = np.random.default_rng(0).integers(0, 16, (4, 36, 1), np.uint8)
    for ours, theirs in zip(in_memory.evaluate_packed(packed), net.evaluate_packed(packed), strict=True):
        assert np.array_equal(ours, theirs)


def test_damaged_weights_are_refused_in_one_line(tmp_path):
    path = with_member(policy_file(tmp_path), "model.weights.h5", None)
    with pytest.raises(BadInput, match="is not a MuGo network, or is damaged: Bad CRC-32"):
        checkpoint.load(path)


def test_a_failed_export_leaves_the_old_file(tmp_path, monkeypatch):
    model, path = policy_network(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(checkpoint, "to_onnx", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        checkpoint.export(model, path, new_metadata(PolicyNetConfig(9, 4)))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["net.keras"]


@pytest.mark.parametrize("layer", ["pass", "value"])
def test_a_graph_with_other_weights_than_the_model_is_not_exported(tmp_path, monkeypatch, layer):
    """One output that differs by a few hundredths is enough, also where the other agrees."""
    model, path = policy_network(tmp_path, value_head=True)
    real = checkpoint.to_onnx

    def wrong(weights, spec):
        kernel, bias = weights[layer]
        return real(weights | {layer: [kernel, bias + (2 if layer == "pass" else 0.1)]}, spec)

    monkeypatch.setattr(checkpoint, "to_onnx", wrong)
    with pytest.raises(RuntimeError, match=r"outputs of ONNX Runtime and Keras differ by 0\.\d"):
        checkpoint.export(model, path, new_metadata(PolicyNetConfig(9, 4, value_head=True)))


def small_run(folder):
    """A run's folder with two checkpoints, numbered in their metadata."""
    config = PolicyNetConfig(9, 4, 3)
    model = random_model(config)
    for number, name in ((1, checkpoint.PREVIOUS), (2, checkpoint.CHECKPOINT)):
        checkpoint.save(model, folder / name, new_metadata(config) | {"number": number})
    return folder


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path):
    run = small_run(tmp_path)
    assert checkpoint.latest_checkpoint(run, accept)[1]["number"] == 2
    whole = (run / checkpoint.CHECKPOINT).read_bytes()
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 255
    for data in (bytes(damaged), whole[:len(whole) // 2]):
        (run / checkpoint.CHECKPOINT).unlink()
        (run / checkpoint.CHECKPOINT).write_bytes(data)
        assert checkpoint.latest_checkpoint(run, accept)[1]["number"] == 1
        # The next checkpoint gives its name to the one before, and must not do that to the damaged file.
        assert (run / checkpoint.CHECKPOINT).read_bytes() == (run / checkpoint.PREVIOUS).read_bytes()
    for name in checkpoint.CHECKPOINT, checkpoint.PREVIOUS:
        (run / name).write_bytes(data)
    with pytest.raises(BadInput, match="holds no training run to resume: checkpoint.keras is missing or damaged"):
        checkpoint.latest_checkpoint(run, accept)


def test_a_checkpoint_that_is_whole_but_not_of_this_program_is_not_called_damaged(tmp_path):
    run = small_run(tmp_path)
    with_metadata(run / checkpoint.CHECKPOINT, lambda metadata: metadata.update(name="a\N{NO-BREAK SPACE}b")).replace(
        run / checkpoint.CHECKPOINT)
    with pytest.raises(BadInput, match="checkpoint.keras has a name that is no text of at most 200 printable"):
        checkpoint.latest_checkpoint(run, accept)


def test_weights_that_are_not_finite_are_neither_written_nor_read(tmp_path, monkeypatch):
    run = small_run(tmp_path)
    model, path = policy_network(tmp_path)
    metadata = new_metadata(PolicyNetConfig(9, 4))
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    kernel = model.get_layer("conv1").kernel
    weights = np.array(kernel)
    for bad in np.nan, np.inf:
        weights[0, 0, 1, 2] = bad
        kernel.assign(weights)
        for write in checkpoint.save, checkpoint.export:
            with pytest.raises(BadInput, match="net.keras: conv1/kernel of this network is infinite or NaN"):
                write(model, path, metadata)
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
    with monkeypatch.context() as patched:               # as a program that does not check writes it
        patched.setattr(checkpoint, "check_finite", lambda *_: None)
        with pytest.raises(BadInput, match="its weights 'conv1_w' are not finite"):
            checkpoint.export(model, path, metadata)
        patched.setattr(checkpoint, "onnx_difference", lambda *_: np.nan)
        with pytest.raises(RuntimeError, match="ONNX Runtime and Keras differ by nan"):
            checkpoint.export(model, path, metadata)
        checkpoint.save(model, run / checkpoint.CHECKPOINT, metadata)
    with pytest.raises(BadInput, match="conv1/kernel of this network is infinite or NaN"):
        checkpoint.load(run / checkpoint.CHECKPOINT)
    assert checkpoint.latest_checkpoint(run, accept)[1]["number"] == 1           # the good one before it


def test_variables_of_the_optimizer_that_are_not_finite_are_not_written(tmp_path):
    model, path = policy_network(tmp_path)
    model.compile(keras.optimizers.Adam(1e-3), "mse")
    model.optimizer.build(model.trainable_variables)
    checkpoint.save(model, tmp_path / "run.keras", new_metadata(PolicyNetConfig(9, 4)))
    variable = model.optimizer.variables[-1]
    variable.assign(np.full(variable.shape, np.nan))
    with pytest.raises(BadInput, match="run.keras: .*velocity of this network is infinite or NaN"):
        checkpoint.save(model, tmp_path / "run.keras", new_metadata(PolicyNetConfig(9, 4)))
    assert checkpoint.load(tmp_path / "run.keras").compiled


def test_weights_are_searched_for_nan_without_copies_in_float64():
    model = keras.Sequential([keras.layers.Input((1000,)), keras.layers.Dense(1000)])
    tracemalloc.start()
    assert checkpoint.nonfinite_weight(model) == ""
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6                   # of 4 MB, which a backend copies twice; float64 takes 8 MB besides


def test_the_metadata_of_the_latest_checkpoint_are_read_without_its_model(tmp_path, monkeypatch):
    run = small_run(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "load", None)
        assert checkpoint.latest_metadata(run, accept)["number"] == 2
        (run / checkpoint.CHECKPOINT).unlink()
        assert checkpoint.latest_metadata(run, accept)["number"] == 1
        (run / checkpoint.CHECKPOINT).write_bytes((run / checkpoint.PREVIOUS).read_bytes()[:100])
        assert checkpoint.latest_metadata(run, accept)["number"] == 1
    (run / checkpoint.PREVIOUS).unlink()
    with pytest.raises(BadInput, match="holds no training run to resume: checkpoint.keras is missing or damaged"):
        checkpoint.latest_metadata(run, accept)


def test_a_network_whose_outputs_are_nan_is_not_evaluated_as_if_it_were_one(tmp_path, monkeypatch):
    """The priors of such a network would rank every move first."""
    network = Network(policy_file(tmp_path, value_head=True), threads=1)
    packed = np.zeros((2, 81, planes.PACKED), np.uint8)
    good = dict(zip(("policy", "value"), network.evaluate_packed(packed)[:2], strict=True))
    for name, output in good.items():
        bad = good | {name: np.where(np.arange(output.size).reshape(output.shape) == 1, np.nan, output)}

        class Session:
            def run(self, names, _, bad=bad):
                return [bad[name] for name in names]

        monkeypatch.setattr(network, "_session", Session())
        with pytest.raises(BadInput, match=f"net.keras: its {name} is NaN; the network is damaged, or its training"):
            network.evaluate_packed(packed)


def test_a_run_of_an_earlier_version_gets_one_line_that_says_what_to_do(tmp_path):
    run = small_run(tmp_path)
    in_format_1(run / checkpoint.CHECKPOINT).replace(run / checkpoint.CHECKPOINT)
    with pytest.raises(BadInput, match=r"written by an earlier version of MuGo \(format 1\): train the network again"):
        checkpoint.latest_checkpoint(run, accept)


def test_a_linked_checkpoint_replaces_what_had_that_name(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    checkpoint.link_checkpoint(tmp_path / "a", tmp_path / "b")
    checkpoint.link_checkpoint(tmp_path / "a", tmp_path / "c")
    checkpoint.link_checkpoint(tmp_path / "a", tmp_path / "c")           # both names are of one file already
    assert [(tmp_path / name).read_text() for name in "abc"] == ["a", "a", "a"]
    assert len(list(tmp_path.iterdir())) == 3


def test_a_network_saved_on_one_backend_loads_on_the_other(tmp_path):
    """Saved under TensorFlow, loaded under JAX, where that is installed, and TensorFlow is not imported."""
    pytest.importorskip("jax")
    model, path = policy_network(tmp_path, value_head=True)
    packed = np.random.default_rng(3).integers(0, 256, (2, 81, planes.PACKED), np.uint8)
    np.save(tmp_path / "packed.npy", packed)
    program = ("import sys, numpy as np; sys.modules['tensorflow'] = None\n"
               "from mugo.nn.checkpoint import load\n"
               f"outputs = load({str(path)!r})(np.load({str(tmp_path / 'packed.npy')!r}))\n"
               f"np.savez({str(tmp_path / 'out.npz')!r}, **{{name: np.asarray(x) for name, x in outputs.items()}})")
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "KERAS_BACKEND": "jax"})
    outputs = np.load(tmp_path / "out.npz")
    for name, expected in model(packed).items():
        assert np.abs(outputs[name] - np.asarray(expected)).max() < 1e-5
