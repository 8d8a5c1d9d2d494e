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
