"""The policy network has the layers that the picture in its module shows."""
from networks import build

from mugo.games.planes import DEPTH
from mugo.nn.architectures import PolicyNetConfig


def test_by_default_it_has_the_layers_that_its_picture_shows():
    model = build(PolicyNetConfig(value_head=True).spec())
    shapes = {layer.name: layer.kernel.shape for layer in model.layers if hasattr(layer, "kernel")}
    assert shapes == {"conv0": (5, 5, DEPTH, 64), "conv1": (3, 3, 64, 64), "conv2": (3, 3, 64, 64),
                      "global_pool_bias": (128, 64), "conv3": (3, 3, 64, 64), "policy_conv": (1, 1, 64, 1),
                      "pass": (64, 1), "value_conv": (1, 1, 64, 32), "value_hidden": (64, 64), "value": (64, 1)}
