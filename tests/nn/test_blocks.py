"""Blocks: Keras and ONNX Runtime compute the same, and a block or head is added in one place."""
from dataclasses import dataclass, replace

import numpy as np
import pytest
from networks import random_model

from mugo.games import planes
from mugo.games.coords import symmetries
from mugo.games.game import packed_bytes
from mugo.nn import checkpoint
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.backend import keras
from mugo.nn.blocks import REGULAR, TRIVIAL, NetworkSpec, conv_axes, dense_axes, model_inputs
from mugo.nn.checkpoint import load, onnx_difference
from mugo.nn.heads import PolicyHead
from mugo.nn.inference import Network
from mugo.nn.keras_model import build
from mugo.nn.metadata import new_metadata
from mugo.nn.onnx_export import to_onnx
from mugo.nn.policy_net import PolicyNetConfig

POLICY = [{}, {"value_head": True, "residual": True}, {"batch_norm": False, "global_pooling": False},
          {"layers": 3, "value_head": True}, {"layers": 8, "residual": True}, {"size": 5, "global_pooling": False},
          {"value_head": True, "komi_input": True}, {"auxiliary_heads": True},
          {"policy_filters": 8, "policy_context": True},
          {"policy_filters": 8, "policy_context": True, "context_filters": 6, "context_layers": 12, "value_head": True,
           "komi_input": True, "auxiliary_heads": True},
          {"policy_filters": 8, "policy_context": True, "chain_pooling": True},
          {"value_head": True, "komi_input": True, "context_layers": 9, "chain_pooling": True}]
ALPHAZERO = [{}, {"batch_norm": True}, {"filters": ()}, {"filters": (3, 5, 7, 4), "size": 3},
             {"game": "go", "size": 5, "batch_norm": True}, {"policy_filters": 1, "value_filters": 1}]


@pytest.mark.parametrize("config", [
    *(PolicyNetConfig(**{"size": 9, "filters": 4} | fields) for fields in POLICY),
    *(AlphaZeroNetConfig.for_game(**{"game": "gomoku", "size": 6, "filters": (4, 6)} | fields) for fields in ALPHAZERO),
], ids=str)
def test_onnx_runtime_computes_what_keras_does(tmp_path, config):
    game = "gomoku" if config.kind == "alphazero" and config.depth < 8 else "go"
    model, path = random_model(config), tmp_path / "net.keras"
    checkpoint.export(model, path, new_metadata(config, game, 3 * (game == "gomoku")))
    assert onnx_difference(model, path) < (5e-4 if config.komi_input else 1e-5)   # rounding in ten more layers
    loaded = load(path)
    packed = np.random.default_rng(3).integers(0, 256, (2, config.size ** 2, packed_bytes(game)), np.uint8)
    inputs = model_inputs(packed, np.array([[-6.5, 1], [8, -1]], np.float32) if config.spec().uses_global_features
                          else None, config.spec().uses_components)
    outputs = {name: output for name, output in model(inputs).items() if name[:7] != "policy_"}
    assert outputs.keys() == loaded(inputs).keys()       # without auxiliary heads
    for name, output in outputs.items():
        assert np.allclose(output, loaded(inputs)[name], atol=1e-4 if name == "score" else 1e-6)


# ---- a block and a head that are added here, and nowhere else

@dataclass(frozen=True)
class GatedBlock:
    """A convolution with a bias, gated by the sigmoid of the mean of each filter."""

    filters: int

    def keras(self, graph, x):
        y = graph.conv(x, "gated_conv", self.filters, 3)
        mean = graph.add("GlobalAveragePooling2D", y)
        gate = graph.add("Dense", mean, "gate", units=self.filters, activation="sigmoid")
        return graph.add("Multiply", [y, graph.add("Reshape", gate, target_shape=(1, 1, self.filters))])

    def onnx(self, graph, x):
        y = graph.conv("gated_conv", x)
        mean = graph.add("Flatten", [graph.add("GlobalAveragePool", [y], "gate_mean4")], "gate_mean")
        gate = graph.add("Sigmoid", [graph.dense("gate", mean)], "gate_sigmoid")
        shape = graph.constant("gate_shape", np.array([-1, self.filters, 1, 1], np.int64))
        return graph.add("Mul", [y, graph.add("Reshape", [gate, shape], "gate4")], "gated")

    def weight_axes(self):
        return conv_axes("gated_conv", TRIVIAL, REGULAR) | dense_axes("gate", REGULAR, REGULAR)


@dataclass(frozen=True)
class MeanHead:
    """A value from the mean of each filter."""

    uses_global_features = uses_context = False

    def keras(self, graph, x):
        mean = graph.add("GlobalAveragePooling2D", x, dtype="float32")
        return {"value": graph.add("Dense", mean, "mean_value", "float32", units=1)}

    def onnx(self, graph, x):
        mean = graph.add("Flatten", [graph.add("GlobalAveragePool", [x], "value_mean4")], "value_mean")
        graph.value(graph.dense("mean_value", mean, "value_score"))

    def weight_axes(self):
        return dense_axes("mean_value", REGULAR, TRIVIAL)


TOY = NetworkSpec("toy", 7, planes.DEPTH, (GatedBlock(16),), (PolicyHead(7), MeanHead()), any_size=True,
                  equivariant=True)


def test_a_new_block_and_head_get_keras_layers_onnx_nodes_and_a_group_action():
    keras.utils.set_random_seed(0)
    model = build(TOY)
    rng = np.random.default_rng(0)
    packed = rng.integers(0, 256, (4, 49, planes.PACKED), np.uint8)
    outputs = {name: np.asarray(output) for name, output in model(packed).items()}
    assert np.std(outputs["policy"]) > 0.1 and np.std(outputs["value"]) > 0.01
    weights = {layer.name: [np.asarray(w) for w in layer.get_weights()] for layer in model.layers}
    network = Network.from_graph(to_onnx(weights, TOY), new_metadata(PolicyNetConfig(size=7)), threads=1)
    output = network.evaluate_packed(packed)
    assert np.allclose(output.priors, keras.ops.softmax(outputs["policy"]), atol=1e-5)
    assert np.allclose(output.values, np.tanh(outputs["value"][:, 0]), atol=1e-5)
    for turn in symmetries(7)[1:]:
        turned = np.empty_like(packed)
        turned[:, turn[:-1]] = packed
        of_turned = {name: np.asarray(output) for name, output in model(turned).items()}
        assert np.allclose(of_turned["policy"][:, turn], outputs["policy"], atol=1e-4)
        assert np.allclose(of_turned["value"], outputs["value"], atol=1e-4)


def test_a_weight_that_no_block_declares_is_an_error():
    class Forgetful(GatedBlock):
        def weight_axes(self):
            return conv_axes("gated_conv", TRIVIAL, REGULAR)

    with pytest.raises(ValueError, match="no block declares the weight 'gate/kernel'"):
        build(replace(TOY, trunk=(Forgetful(16),), equivariant=False))


def test_two_blocks_cannot_declare_the_same_weight():
    with pytest.raises(ValueError, match="two blocks of toy declare the weight 'gate/bias'"):
        replace(TOY, trunk=(GatedBlock(16), GatedBlock(16))).weight_axes()


def test_a_block_without_group_action_cannot_be_in_an_equivariant_network():
    spec = replace(AlphaZeroNetConfig.for_game("gomoku", 3, filters=(8,), policy_filters=8, value_filters=8).spec(),
                   equivariant=True)
    with pytest.raises(ValueError, match="an axis of kind 'untied' has no group action"):
        build(spec)


@pytest.mark.parametrize("config", [PolicyNetConfig(value_head=True, residual=True),
                                    PolicyNetConfig(value_head=True, komi_input=True, auxiliary_heads=True),
                                    PolicyNetConfig(policy_filters=8, policy_context=True, auxiliary_heads=True),
                                    AlphaZeroNetConfig.for_game("gomoku", 3, batch_norm=True)], ids=str)
def test_blocks_declare_the_weights_that_they_make_and_no_others(config):
    model = build(config.spec())
    made = {"/".join(variable.path.split("/")[-2:]): variable.shape for variable in model.weights}
    declared = config.spec().weight_axes()
    assert made.keys() == declared.keys()
    assert all(len(declared[name]) == (2 if len(shape) == 4 else len(shape)) for name, shape in made.items())
