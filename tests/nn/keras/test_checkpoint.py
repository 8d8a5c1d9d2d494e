"""Files of networks and runs: written atomically, and read on either backend; the latest checkpoint of a run."""

import numpy as np
import pytest
from networks import alphazero_model, keras, policy_network, random_model, tensors_of, with_metadata

from mugo.core.files import BadInput
from mugo.games import planes
from mugo.nn.architectures import PolicyNetConfig, config_of
from mugo.nn.inference import Network
from mugo.nn.keras import checkpoint
from mugo.nn.keras.losses import compile_for_training
from mugo.nn.keras.model import build
from mugo.nn.network_file import TensorFile, new_metadata


def accept(metadata, path):
    """Any metadata."""


def make(metadata):
    """A model without an optimizer."""
    return build(config_of(metadata).spec())


def test_an_exported_file_holds_the_weights_and_the_metadata(tmp_path):
    model, config = alphazero_model()
    metadata = new_metadata(config, "gomoku", 4, True)
    checkpoint.export(model, tmp_path / "net.safetensors", metadata)
    loaded, net = checkpoint.load(tmp_path / "net.safetensors"), Network(tmp_path / "net.safetensors", threads=1)
    assert all(np.array_equal(w, other) for w, other in zip(model.get_weights(), loaded.get_weights(), strict=True))
    assert (net.game, net.k, net.exactly, net.size, net.has_value) == ("gomoku", 4, True, 6, True)
    assert config_of(net.metadata) == config
    assert tensors_of(net.path).keys() == checkpoint.variables_of(model).keys()
    in_memory = Network.from_weights(checkpoint.weights_of(model, metadata), metadata | {"name": "newest"}, threads=1)
    assert in_memory.name == "newest"
    packed = np.random.default_rng(0).integers(0, 16, (4, 36, 1), np.uint8)
    for ours, theirs in zip(in_memory.evaluate_packed(packed), net.evaluate_packed(packed), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_failed_export_leaves_the_old_file(tmp_path, monkeypatch):
    model, path = policy_network(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(checkpoint, "write_tensors", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        checkpoint.export(model, path, new_metadata(PolicyNetConfig(9, 4)))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["net.safetensors"]


def small_run(folder):
    """A run's folder with two checkpoints, numbered in their metadata."""
    config = PolicyNetConfig(9, 4, 3)
    model = random_model(config)
    for number, name in ((1, checkpoint.PREVIOUS), (2, checkpoint.CHECKPOINT)):
        checkpoint.save(model, folder / name, new_metadata(config) | {"number": number})
    return folder


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path):
    run = small_run(tmp_path)
    assert checkpoint.latest_checkpoint(run, accept, make)[1]["number"] == 2
    whole = (run / checkpoint.CHECKPOINT).read_bytes()
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 255
    for data in (bytes(damaged), whole[:len(whole) // 2]):
        (run / checkpoint.CHECKPOINT).unlink()
        (run / checkpoint.CHECKPOINT).write_bytes(data)
        assert checkpoint.latest_checkpoint(run, accept, make)[1]["number"] == 1
        # The next checkpoint gives its name to the one before, and must not do that to the damaged file.
        assert (run / checkpoint.CHECKPOINT).read_bytes() == (run / checkpoint.PREVIOUS).read_bytes()
    for name in checkpoint.CHECKPOINT, checkpoint.PREVIOUS:
        (run / name).write_bytes(data)
    with pytest.raises(BadInput, match="holds no training run to resume: checkpoint.safetensors is missing or damaged"):
        checkpoint.latest_checkpoint(run, accept, make)


def test_a_checkpoint_that_is_whole_but_not_of_this_program_is_not_called_damaged(tmp_path):
    run = small_run(tmp_path)
    with_metadata(run / checkpoint.CHECKPOINT, lambda metadata: metadata.update(name="a\N{NO-BREAK SPACE}b")).replace(
        run / checkpoint.CHECKPOINT)
    with pytest.raises(BadInput, match="checkpoint.safetensors: name is .*, which no network of this program has"):
        checkpoint.latest_checkpoint(run, accept, make)


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
            with pytest.raises(BadInput, match="net.safetensors: conv1/kernel of this network is infinite or NaN"):
                write(model, path, metadata)
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before
    with monkeypatch.context() as patched:               # as a program that does not check writes it
        patched.setattr(checkpoint, "check_finite", lambda *_: None)
        checkpoint.save(model, run / checkpoint.CHECKPOINT, metadata)
    with pytest.raises(BadInput, match="conv1/kernel of this network is infinite or NaN"):
        checkpoint.load(run / checkpoint.CHECKPOINT)
    assert checkpoint.latest_checkpoint(run, accept, make)[1]["number"] == 1           # the good one before it


def test_variables_of_the_optimizer_that_are_not_finite_are_not_written(tmp_path):
    model, path = policy_network(tmp_path)
    model.compile(keras.optimizers.Adam(1e-3), "mse")
    model.optimizer.build(model.trainable_variables)
    checkpoint.save(model, tmp_path / "run.safetensors", new_metadata(PolicyNetConfig(9, 4)))
    variable = model.optimizer.variables[-1]
    variable.assign(np.full(variable.shape, np.nan))
    with pytest.raises(BadInput, match="run.safetensors: .*velocity of this network is infinite or NaN"):
        checkpoint.save(model, tmp_path / "run.safetensors", new_metadata(PolicyNetConfig(9, 4)))
    assert np.isfinite(tensors_of(tmp_path / "run.safetensors")["optimizer/pass_bias_velocity"]).all()


def test_the_metadata_of_the_latest_checkpoint_are_read_without_its_model(tmp_path, monkeypatch):
    run = small_run(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(TensorFile, "read", None)
        assert checkpoint.latest_metadata(run, accept)["number"] == 2
        (run / checkpoint.CHECKPOINT).unlink()
        assert checkpoint.latest_metadata(run, accept)["number"] == 1
        (run / checkpoint.CHECKPOINT).write_bytes((run / checkpoint.PREVIOUS).read_bytes()[:100])
        assert checkpoint.latest_metadata(run, accept)["number"] == 1
    (run / checkpoint.PREVIOUS).unlink()
    with pytest.raises(BadInput, match="holds no training run to resume: checkpoint.safetensors is missing or damaged"):
        checkpoint.latest_metadata(run, accept)


def test_a_checkpoint_is_not_played_and_another_network_can_be_initialised_from_it(tmp_path):
    config = PolicyNetConfig(9, 4, auxiliary_heads=True)
    model, path = random_model(config), tmp_path / "checkpoint.safetensors"
    model.compile(keras.optimizers.Adam(1e-3), "mse")
    model.optimizer.build(model.trainable_variables)
    checkpoint.save(model, path, new_metadata(config))
    with pytest.raises(BadInput, match="is the checkpoint of a run: play and share the run's network.safetensors"):
        Network(path)
    other = random_model(config, 5)
    checkpoint.init_from(other, config, path)
    assert all(map(np.array_equal, other.get_weights(), model.get_weights()))


def test_a_checkpoint_gives_back_the_optimizer_to_the_bit_and_not_to_another_one(tmp_path):
    config = PolicyNetConfig(9, 4)
    packed, target = np.zeros((4, 81, planes.PACKED), np.uint8), {"policy": np.arange(4)}

    def compiled(optimizer):
        model = random_model(config)
        compile_for_training(model, config, 0.01, optimizer=optimizer)
        model.run_eagerly = keras.backend.backend() == "tensorflow"      # for two steps
        model.optimizer.build(model.trainable_variables)
        return model

    model = compiled("muon")
    model.train_on_batch(packed, target)
    checkpoint.save(model, tmp_path / checkpoint.CHECKPOINT, new_metadata(config))
    again, _ = checkpoint.latest_checkpoint(tmp_path, accept, lambda _: compiled("muon"))
    for either in model, again:
        either.train_on_batch(packed, target)
    ours, theirs = map(checkpoint.arrays_of, (model, again))
    assert ours["optimizer/iteration"] == 2 and ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    with pytest.raises(BadInput, match="are not those of its network: it has no optimizer/conv0_kernel_velocity"):
        checkpoint.latest_checkpoint(tmp_path, accept, lambda _: compiled("adam"))
