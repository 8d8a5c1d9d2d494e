"""Blocks: Keras and ONNX Runtime compute the same, and a block or head is added in one place."""
from dataclasses import dataclass, replace

import numpy as np
import pytest
from networks import onnx_difference, random_model

from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.games.game import packed_bytes
from mugo.nn.architectures import AlphaZeroNetConfig, PolicyNetConfig
from mugo.nn.graph import REGULAR, TRIVIAL, NetworkSpec, Graph, network_weights
from mugo.nn.heads import PolicyHead
from mugo.nn.inference import Network
from mugo.nn.inputs import encode_people, model_inputs
from mugo.nn.keras import checkpoint
from mugo.nn.keras.backend import keras
from mugo.nn.keras.checkpoint import load
from mugo.nn.keras.model import build
from mugo.nn.network_file import new_metadata

POLICY = [{}, {"value_head": True, "residual": True}, {"batch_norm": False, "global_pooling": False},
          {"layers": 3, "value_head": True}, {"size": 5, "global_pooling": False},
          {"policy_filters": 8, "policy_context": True, "context_filters": 6, "context_layers": 12, "value_head": True,
           "komi_input": True, "auxiliary_heads": True},
          {"policy_filters": 8, "policy_context": True, "chain_pooling": True},
          {"value_head": True, "komi_input": True, "context_layers": 9, "chain_pooling": True},
          {"metadata_encoder": True, "value_head": True, "komi_input": True},
          {"residual_blocks": 3}, {"residual_blocks": 3, "metadata_encoder": True},
          {"residual_blocks": 1, "batch_norm": False}]
PEOPLE = encode_people(np.array([[1, -3, 0, 2005], [np.nan, 9, 2, np.nan]]))
ALPHAZERO = [{}, {"batch_norm": True}, {"filters": (3, 5, 7, 4), "size": 3},
             {"game": "go", "size": 5, "batch_norm": True}, {"policy_filters": 1, "value_filters": 1}]


@pytest.mark.parametrize("config", [
    *(PolicyNetConfig(**{"size": 9, "filters": 4} | fields) for fields in POLICY),
    *(AlphaZeroNetConfig.for_game(**{"game": "gomoku", "size": 6, "filters": (4, 6)} | fields) for fields in ALPHAZERO),
], ids=str)
def test_onnx_runtime_computes_what_keras_does(tmp_path, config):
    game = "gomoku" if config.kind == "alphazero" and config.depth < 8 else "go"
    model, path = random_model(config), tmp_path / "net.safetensors"
    checkpoint.export(model, path, new_metadata(config, game, 3 * (game == "gomoku")))
    most = 5e-4 if config.komi_input else 1e-5           # rounding in ten more layers
    assert onnx_difference(model, Network(path, 1, "float32")) < most
    loaded = load(path)
    packed = np.random.default_rng(3).integers(0, 256, (2, config.size ** 2, packed_bytes(game)), np.uint8)
    inputs = model_inputs(packed, np.array([[-6.5, 1], [8, -1]], np.float32) if config.spec().uses_global_features
                          else None, config.spec().uses_components,
                          PEOPLE if config.spec().uses_people else None)
    outputs, expected = loaded(inputs), model(inputs)
    assert outputs.keys() == {name for name in expected if name[:7] != "policy_"}      # without auxiliary heads
    for name, output in outputs.items():
        assert np.allclose(output, expected[name], atol=1e-4 if name == "score" else 1e-6)


# ---- a block and a head that are added here, and nowhere else

@dataclass(frozen=True)
class BottleneckBlock:
    """Half of the filters and back, added to a convolution of the input."""

    filters: int

    def apply(self, graph, x):
        y = graph.conv(x, "half_conv", self.filters // 2, batch_norm="half_batch_norm", relu="half_relu")
        y = graph.conv(y, "whole_conv", self.filters, 3, dilation=2)
        z = graph.conv(y, "last_conv", self.filters)
        return graph.relu(graph.add([graph.conv(x, "wide_conv", self.filters), y, z], "whole_sum"), "whole_relu")


@dataclass(frozen=True)
class MeanHead:
    """A value from the mean of each filter."""

    def apply(self, graph, x):
        return {"value": graph.float32.dense(graph.mean_pool(x, "value_mean"), "value", 1)}


TOY = NetworkSpec("toy", 7, planes.DEPTH, (BottleneckBlock(16),), (PolicyHead(7), MeanHead()), any_size=True,
                  equivariant=True)


def test_a_new_block_and_head_get_keras_layers_onnx_nodes_weights_and_a_group_action(monkeypatch):
    keras.utils.set_random_seed(0)
    model = build(TOY)
    rng = np.random.default_rng(0)
    packed = rng.integers(0, 256, (4, 49, planes.PACKED), np.uint8)
    outputs = {name: np.asarray(output) for name, output in model(packed).items()}
    assert np.std(outputs["policy"]) > 0.1 and np.std(outputs["value"]) > 0.01
    weights = network_weights(TOY)
    assert weights["half_conv/kernel"] == ((1, 1, planes.DEPTH, 8), (TRIVIAL, REGULAR))
    assert weights["value/kernel"] == ((16, 1), (REGULAR, TRIVIAL))
    monkeypatch.setattr(PolicyNetConfig, "spec", lambda _: TOY)
    network = Network.from_weights(checkpoint.arrays_of(model), new_metadata(PolicyNetConfig(size=7)), threads=1)
    output = network.evaluate_packed(packed)
    assert np.allclose(output.priors, keras.ops.softmax(outputs["policy"]), atol=1e-5)
    assert np.allclose(output.values, np.tanh(outputs["value"][:, 0]), atol=1e-5)
    for turn in symmetries(7)[1:]:
        turned = np.empty_like(packed)
        turned[:, turn[:-1]] = packed
        of_turned = {name: np.asarray(output) for name, output in model(turned).items()}
        assert np.allclose(of_turned["policy"][:, turn], outputs["policy"], atol=1e-4)
        assert np.allclose(of_turned["value"], outputs["value"], atol=1e-4)


def test_an_operation_that_notes_other_weights_than_its_layer_makes_is_an_error(monkeypatch):
    monkeypatch.setattr(Graph, "batch_norm", lambda self, x, name, gamma="": x)
    with pytest.raises(ValueError, match="the model has other weights than graph.network_weights lists"):
        build(replace(TOY, equivariant=False, name="toy without batch normalisation"))


def test_two_blocks_cannot_have_the_same_weight():
    with pytest.raises(ValueError, match="two blocks have the weight half_conv/kernel"):
        network_weights(replace(TOY, trunk=(BottleneckBlock(16), BottleneckBlock(16))))


def test_a_block_without_group_action_cannot_be_in_an_equivariant_network():
    spec = replace(AlphaZeroNetConfig.for_game("gomoku", 3, filters=(8,), policy_filters=8, value_filters=8).spec(),
                   equivariant=True)
    with pytest.raises(ValueError, match="an axis of kind 'untied' has no group action"):
        build(spec)
