"""A .keras file is checked before Keras loads it: no other classes, sizes, files or compression than this program's."""
import io
import json
import os
import re
import tracemalloc
import zipfile

import numpy as np
import pytest
from networks import alphazero_model, build, checkpoint, policy_file, random_model, rewritten, with_metadata

from mugo.core.files import BadInput
from mugo.nn import keras_check
from mugo.nn.compile import compile_for_selfplay, compile_for_training
from mugo.nn.keras_check import check_keras
from mugo.nn.metadata import new_metadata, read_metadata
from mugo.nn.policy_net import PolicyNetConfig
from mugo.nn.schedules import WarmupStableDecay

h5py = pytest.importorskip("h5py")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The file of a policy network with 4 filters."""
    return policy_file(tmp_path_factory.mktemp("network"))


def changed_config(path, change):
    """A copy of a network's file whose config.json change(config) has changed."""
    def changed(data):
        config = json.loads(data)
        change(config)
        return json.dumps(config)
    return rewritten(path, config=changed)


def changed_weights(path, change):
    """A copy of a network's file whose HDF5 file change(file) has changed."""
    def changed(data):
        content = io.BytesIO(data)
        with h5py.File(content, "r+") as file:
            change(file)
        return content.getvalue()
    return rewritten(path, model=changed)


def layer(config, name):
    return next(layer for layer in config["config"]["layers"] if layer["name"] == name)


@pytest.mark.parametrize(("value_head", "batch_norm", "optimizer", "smoothing"),
                         [(False, True, "muon", 0.0), (True, False, "muon", 0.0), (True, True, "adam", 0.1)])
def test_checkpoints_of_every_kind_pass(tmp_path, value_head, batch_norm, optimizer, smoothing):
    config = PolicyNetConfig(9, 8, value_head=value_head, batch_norm=batch_norm, equivariant=True, residual=batch_norm,
                             global_pooling=value_head, point_bias=batch_norm, policy_filters=8,
                             policy_context=value_head, komi_input=value_head)
    model = build(config.spec(), "mixed_bfloat16" if value_head else "float32")
    compile_for_training(model, config, WarmupStableDecay(0.01, 1, 2, 4, 0.1), optimizer=optimizer,
                         label_smoothing=smoothing)
    model.optimizer.build(model.trainable_variables)
    checkpoint.save(model, tmp_path / "run.keras", new_metadata(config))
    check_keras(tmp_path / "run.keras")
    loaded = checkpoint.load(tmp_path / "run.keras")
    assert all(np.array_equal(w, other) for w, other in zip(model.get_weights(), loaded.get_weights(), strict=True))


def test_a_checkpoint_of_selfplay_passes(tmp_path):
    model, config = alphazero_model(batch_norm=True)
    compile_for_selfplay(model)
    model.optimizer.build(model.trainable_variables)
    checkpoint.save(model, tmp_path / "run.keras", new_metadata(config, "gomoku", 4))
    check_keras(tmp_path / "run.keras")


def wide(config):
    """Every layer with 4 filters has 100,000."""
    text = re.sub(r"\b4\b", "100000", json.dumps(config["config"]["layers"]))
    config["config"]["layers"] = json.loads(text)


def lambda_layer(config):
    layer(config, "relu0").update(module="keras.layers", class_name="Lambda")


def other_module(config):
    layer(config, "relu0").update(module="os", class_name="system")


def registered_elsewhere(config):
    layer(config, "relu0").update(registered_name="other>Function")


def function(config):
    config["compile_config"] = {"loss": {"module": "builtins", "class_name": "function", "config": "system",
                                         "registered_name": "function"}}


def layer_as_loss(config):
    config["compile_config"] = {"loss": layer(config, "conv0")}


def sizes_of_a_loss(config):
    config["compile_config"] = {"loss": {"build_config": {"input_shape": [1, 10**9]}}}


def model_in_the_model(config):
    layer(config, "relu0")["config"]["activation"] = {"class_name": "Functional", "module": "keras", "config": {}}


def lora(config):
    layer(config, "conv1")["config"]["lora_rank"] = 10**9


def no_sizes(config):
    del layer(config, "conv1")["build_config"]


def negative(config):
    layer(config, "conv1")["config"]["filters"] = -4


@pytest.mark.parametrize("change", [wide, lambda_layer, other_module, registered_elsewhere, function, layer_as_loss,
                                    sizes_of_a_loss, model_in_the_model, lora, no_sizes, negative,
                                    lambda config: config.pop("config"),
                                    lambda config: config.update(class_name="Sequential")])
def test_a_config_that_no_network_of_mugo_has_is_refused(network, change):
    check_keras(network)
    with pytest.raises(BadInput, match="other.keras is not a MuGo network, or is damaged: "):
        checkpoint.load(changed_config(network, change))


def test_layers_larger_than_the_file_are_not_built(network):
    path = changed_config(network, wide)
    with pytest.raises(BadInput, match="its layers have [0-9,]{12,} weights, more than are in the file"):
        checkpoint.load(path)


def linked(kind):
    def change(file):
        name = "layers/conv2d/vars/0"
        del file[name]
        file[name] = kind
    return change


def virtual(file):
    layout = h5py.VirtualLayout((5, 5, 48, 4), "f4")
    layout[:] = h5py.VirtualSource("private.h5", "weights", (5, 5, 48, 4))
    del file["layers/conv2d/vars/0"]
    file.create_virtual_dataset("layers/conv2d/vars/0", layout)


def external(file):
    del file["layers/conv2d/vars/0"]
    file.create_dataset("layers/conv2d/vars/0", (5, 5, 48, 4), "f4", external=[("/etc/passwd", 0, 19200)])


def compressed(file):
    file.create_dataset("large", (1 << 24,), "f4", compression="gzip")


def unwritten(file):
    file.create_dataset("large", (1 << 40,), "f4")


def endless(file):
    file["layers/again"] = file["/"]


def text(file):
    file["text"] = "text"


@pytest.mark.parametrize(("change", "line"), [
    (linked(h5py.ExternalLink("private.h5", "/weights")), "are a link"),
    (linked(h5py.SoftLink("/layers/conv2d_1/vars/0")), "are a link"),
    (virtual, "not a plain array"), (external, "not a plain array"), (compressed, "not a plain array"),
    (text, "not a plain array"), (unwritten, "in a file of"), (endless, "in a file of")])
def test_weights_that_are_not_plain_arrays_in_the_file_are_refused(network, change, line):
    path = changed_weights(network, change)
    with pytest.raises(BadInput, match=line):
        checkpoint.load(path)


def test_a_file_with_other_members_is_refused(network):
    for name in "assets/large", "model.weights.npz", "../escaped", "config.json":
        other = rewritten(network)
        with zipfile.ZipFile(other, "a") as archive, pytest.warns(UserWarning) if name == "config.json" else open(
                os.devnull):
            archive.writestr(name, b"x")
        with pytest.raises(BadInput, match="its members are not those of one"):
            checkpoint.load(other)


@pytest.mark.parametrize(("name", "limit"), [("config.json", "MAX_CONFIG_BYTES"), ("model.weights.h5",
                                                                                 "MAX_WEIGHTS_BYTES")])
def test_a_member_that_unpacks_to_more_than_the_limit_is_not_unpacked(network, tmp_path, monkeypatch, name, limit):
    monkeypatch.setattr(keras_check, limit, 1 << 20)
    packed = tmp_path / "bomb.keras"
    with zipfile.ZipFile(network) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.namelist():
            new.writestr(one, bytes(64 << 20) if one == name else old.read(one))
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match=f"its {name} has more than 1 MB, the limit"):
            checkpoint.load(packed)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_metadata_of_a_network_larger_than_any_graph_are_refused(network, tmp_path):
    read_metadata(with_metadata(network, lambda metadata: metadata["config"].update(filters=512, layers=20)))
    with pytest.raises(BadInput, match="has a config of 19,327,352,832 weights; networks have at most 134,217,728"):
        read_metadata(with_metadata(network, lambda metadata: metadata["config"].update(filters=4096, layers=128)))
    path, config = tmp_path / "net.keras", alphazero_model()[1]
    checkpoint.save(random_model(config), path, new_metadata(config, "gomoku", 4))
    for change in {"filters": [4096] * 9}, {"value_units": 4096, "value_filters": 4096}:
        with pytest.raises(BadInput, match="weights; networks have at most"):
            read_metadata(with_metadata(path, lambda metadata, change=change: metadata["config"].update(change)))
