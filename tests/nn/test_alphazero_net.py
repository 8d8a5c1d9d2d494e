"""The policy-value network: its layers, and its outputs before it has been trained."""
import numpy as np
from networks import build

from mugo.nn.architectures import AlphaZeroNetConfig


def test_all_moves_of_a_new_network_are_equally_likely_and_its_values_are_0():
    packed = np.random.default_rng(0).integers(0, 16, (3, 36, 1), np.uint8)
    outputs = {name: np.asarray(output) for name, output in
               build(AlphaZeroNetConfig.for_game("gomoku", 6).spec())(packed).items()}
    assert not outputs["policy"].any() and outputs["policy"].shape == (3, 37)
    assert not outputs["value"].any() and outputs["value"].shape == (3, 1)


def test_by_default_it_has_the_layers_that_its_picture_shows():
    model = build(AlphaZeroNetConfig.for_game("gomoku", 8).spec())
    shapes = {layer.name: layer.kernel.shape for layer in model.layers if hasattr(layer, "kernel")}
    assert shapes == {"conv0": (3, 3, 4, 32), "conv1": (3, 3, 32, 64), "conv2": (3, 3, 64, 128),
                      "policy_conv": (1, 1, 128, 4), "policy": (256, 65),
                      "value_conv": (1, 1, 128, 2), "value_hidden": (128, 64), "value": (64, 1)}
