"""Initialising a network from another: other boards, other value heads, a larger context module."""
import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from networks import alphazero_model, alphazero_network, build, checkpoint, policy_file, policy_network, random_model

from mugo.core.files import BadInput
from mugo.games import planes
from mugo.nn.architectures import AlphaZeroNetConfig, PolicyNetConfig
from mugo.nn.graph import weight_axes
from mugo.nn.inputs import model_inputs
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import keras
from mugo.nn.keras.losses import compile_for_training
from mugo.nn.keras.checkpoint import check_compatible, init_from
from mugo.nn.network_file import new_metadata

SIZE = 7
RNG = np.random.default_rng(0)
PACKED = RNG.integers(0, 256, (16, SIZE * SIZE, planes.PACKED), np.uint8)
TARGETS = {"policy": RNG.integers(0, SIZE * SIZE + 1, 16), "value": RNG.choice([-1.0, 1.0], (16, 1))}


def test_a_policy_network_can_get_another_board_and_value_head(tmp_path):
    """All other weights are the same; the bias of each point is fitted to the board."""
    source, path = policy_network(tmp_path, layers=3, value_head=True)
    config = PolicyNetConfig(9, 4, 3)
    weights_of = {layer.name: layer.get_weights() for layer in source.layers}
    for size, value_head in ((9, True), (13, False)):
        other = replace(config, size=size, value_head=value_head)
        model = build(other.spec())
        assert init_from(model, other, path)["name"] == "net"
        for layer in model.layers:
            if layer.get_weights() and (size == 9 or layer.name != "point_bias"):
                assert all(np.array_equal(a, b) for a, b in
                           zip(layer.get_weights(), weights_of[layer.name], strict=True)), layer.name
    for change, words in (({"filters": 3}, "--filters 4, and this run --filters 3:"),
                          ({"layers": 6}, "--layers 3, and this run --layers 6:"),
                          ({"batch_norm": False}, "--batch-norm, and this run --no-batch-norm:")):
        with pytest.raises(BadInput, match=f"net.safetensors has {words}"):
            init_from(model, replace(config, **change), path)


def test_networks_of_two_kinds_are_told_apart(tmp_path):
    config = PolicyNetConfig(9, 4, 3)
    with pytest.raises(BadInput, match="is a policy-value network, trained by selfplay; this one is a policy"):
        check_compatible(AlphaZeroNetConfig(6, 4), config, Path("az.safetensors"))
    with pytest.raises(BadInput, match="is a policy network, trained by train; this one is a policy-value net"):
        check_compatible(config, AlphaZeroNetConfig(6, 4), Path("net.safetensors"))


def test_heads_that_the_source_does_not_have_are_left_as_they_are(tmp_path):
    """Also where their layers have names that other layers of the source have."""
    source, path = policy_network(tmp_path, layers=3, value_head=True)
    config = PolicyNetConfig(9, 4, 3, value_head=True, komi_input=True, auxiliary_heads=True)
    model = random_model(config)
    before = {layer.name: layer.get_weights() for layer in model.layers}
    init_from(model, config, path)
    trunk = {layer.name for layer in source.layers if layer.weights and not layer.name.startswith(("value", "context"))}
    assert trunk >= {"conv0", "conv1", "policy_conv", "pass", "point_bias"}
    for layer in model.layers:
        expected = source.get_layer(layer.name).get_weights() if layer.name in trunk else before[layer.name]
        assert all(np.array_equal(a, b) for a, b in zip(layer.get_weights(), expected, strict=True)), layer.name
    path = tmp_path / "full.safetensors"
    checkpoint.export(model, path, new_metadata(config))
    other = random_model(config, seed=5)
    init_from(other, config, path)
    packed = np.random.default_rng(0).integers(0, 256, (2, 81, planes.PACKED), np.uint8)
    outputs, expected = (m(model_inputs(packed, np.array([[6.5, -1], [-6.5, 1]]))) for m in (other, model))
    for name in "policy", "value", "ownership", "score":
        assert np.allclose(outputs[name], expected[name], atol=1e-4)
    assert not np.allclose(outputs["policy_reply"], expected["policy_reply"], atol=1e-2)       # it is not exported


def test_a_network_whose_architecture_changed_since_is_not_read(tmp_path):
    """Its config is the same: what is in the file is not what such a network is today."""
    config = PolicyNetConfig(9, 4, 3, policy_filters=16)
    path = tmp_path / "old.safetensors"
    checkpoint.save(random_model(PolicyNetConfig(9, 4, 3)), path, new_metadata(config))
    with pytest.raises(BadInput, match="old.safetensors: its weights are not those of its network"):
        checkpoint.load(path)


def test_a_network_does_not_get_other_filters_in_its_policy_head(tmp_path):
    path = policy_file(tmp_path, layers=3, policy_filters=16)
    for filters, is_allowed in ((16, True), (24, False), (0, True), (8, False)):
        config = PolicyNetConfig(9, 4, 3, policy_filters=filters)
        with contextlib.nullcontext() if is_allowed else pytest.raises(BadInput, match="--policy-filters 16, and"):
            init_from(random_model(config), config, path)


def test_a_policy_value_network_gets_the_convolutions_of_another_board(tmp_path):
    path = alphazero_network(tmp_path, size=6)
    model, config = alphazero_model(size=8, seed=5)
    before = model.get_layer("policy").get_weights()
    assert init_from(model, config, path)["size"] == 6
    source = checkpoint.load(path)
    for name in ("conv0", "conv1", "policy_conv", "value_conv"):
        for w, other in zip(model.get_layer(name).get_weights(), source.get_layer(name).get_weights(), strict=True):
            assert np.array_equal(w, other)
    assert all(np.array_equal(w, other) for w, other in
               zip(model.get_layer("policy").get_weights(), before, strict=True))
    with pytest.raises(BadInput, match="has --filters 4,6, and this run --filters 4: a network that"):
        init_from(*alphazero_model(filters=(4,)), path)


def is_tied(model, config) -> bool:
    axes = weight_axes(config.spec())
    return all(np.ptp(np.asarray(variable).ravel()[equivariance.orbits_of(variable, axes).members], axis=0).max() < 1e-6
               for variable in model.weights)


def test_a_plain_network_has_at_first_the_outputs_of_an_equivariant_one(tmp_path):
    config = PolicyNetConfig(SIZE, 16, 4, value_head=True, komi_input=True, equivariant=True)
    source, path = random_model(config), tmp_path / "tied.safetensors"
    equivariance.symmetrise(source, weight_axes(config.spec()))
    checkpoint.export(source, path, new_metadata(config))
    plain = replace(config, equivariant=False)
    model = random_model(plain, seed=5)
    init_from(model, plain, path)
    inputs = model_inputs(PACKED, np.array([[6.5, -1], [-6.5, 1]] * 8))
    for name, output in source(inputs).items():
        assert np.allclose(output, model(inputs)[name], rtol=1e-3, atol=1e-3), name
    checkpoint.export(model, tmp_path / "plain.safetensors", new_metadata(plain))
    with pytest.raises(BadInput, match="--no-equivariant, and this run .*--equivariant:"):
        init_from(random_model(config), config, tmp_path / "plain.safetensors")


@pytest.mark.slow
def test_a_policy_head_that_gets_a_larger_context_module_has_at_first_the_outputs_that_it_had(tmp_path):
    """And learns from it at once.  Back from there, the policy keeps what it has of its own."""
    config = PolicyNetConfig(SIZE, 16, 4, policy_filters=16, value_head=True, komi_input=True, equivariant=True)
    source, path = random_model(config), tmp_path / "source.safetensors"
    equivariance.symmetrise(source, weight_axes(config.spec()))
    checkpoint.export(source, path, new_metadata(config))
    larger = replace(config, policy_context=True, context_layers=12, chain_pooling=True)
    keras.utils.set_random_seed(5)
    model = build(larger.spec())
    init_from(model, larger, path)
    features = np.array([[6.5, -1], [-6.5, 1]] * 8)
    inputs = model_inputs(PACKED, features, with_components=True)
    for name, output in source(model_inputs(PACKED, features)).items():
        assert np.allclose(output, model(inputs)[name], rtol=1e-3, atol=1e-3), name
    assert is_tied(model, larger)
    compile_for_training(model, larger, 5e-3, optimizer="adam")
    targets = TARGETS | {"ownership": np.zeros((16, SIZE * SIZE)), "score": np.zeros((16, 1))}
    model.fit(inputs, targets, batch_size=8, epochs=1, verbose=0)
    assert model.get_layer("policy_context_batch_norm").get_weights()[0].all()
    assert model.get_layer("context_batch_norm12").get_weights()[0].all()
    assert all(model.get_layer(f"chain_batch_norm{i}").get_weights()[0].all() for i in (0, 4, 8, 12))
    checkpoint.export(model, tmp_path / "larger.safetensors", new_metadata(larger))
    for fields in {"context_filters": 64}, {"context_layers": 4}, {"chain_pooling": False}:
        with pytest.raises(BadInput, match="--c.*, and this run --(no-)?c.*: a network that is .* can have .*, more "
                           "--context-layers, --chain-pooling, --metadata-encoder, and plain convolutions"):
            init_from(random_model(config), replace(larger, **fields), tmp_path / "larger.safetensors")
    alone = PolicyNetConfig(SIZE, 16, 4, policy_filters=16, equivariant=True)
    other = random_model(alone)
    init_from(other, alone, tmp_path / "larger.safetensors")
    assert all(np.array_equal(a, b) for name in ("conv1", "policy_hidden", "policy_conv") for a, b in zip(
        other.get_layer(name).get_weights(), model.get_layer(name).get_weights(), strict=True))
