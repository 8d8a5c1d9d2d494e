"""The policy network, which learns from people's games of Go: its hyperparameters, and its blocks.  No Keras here.

    packed planes (size², 6) uint8
      | UnpackPlanes            48 planes of 0 and 1
      | conv 5x5 k, batch norm, ReLU
      | conv 3x3 k, batch norm, ReLU             (layers - 2) times; the middle one with a global pooling bias; with
      |                                          residual, each with a residual connection
      |-- conv 1x1 to one plane, a bias for each point; a pass from the mean of each filter -> policy (logits)
      '-- conv 1x1 to 32, batch norm, ReLU -> mean and maximum of each, batch norm -> dense 64, ELU
                                               -> dense 1 -> value (a score, before tanh)

Equivariant networks have tied weights, so that their outputs turn with the board: equivariance.py.

MuGo's network of 2016 is PolicyNetConfig(filters=32, batch_norm=False, global_pooling=False).
"""
from dataclasses import dataclass

from mugo.games import planes
from mugo.nn.blocks import ConvBlock, NetworkSpec, PolicyHead, ValueHead


@dataclass(frozen=True)
class PolicyNetConfig:
    """The hyperparameters of a policy network.  Of an equivariant network, filters is a multiple of 8."""

    size: int = 19                       # of the board
    filters: int = 64
    layers: int = 5                      # convolutions, the first (5x5) and the last (1x1) counted
    batch_norm: bool = True
    residual: bool = False               # residual connections
    global_pooling: bool = True          # a global pooling bias in the middle layer
    value_head: bool = False
    equivariant: bool = False
    point_bias: bool = True              # train the bias of each point
    kind = "policy"

    def spec(self) -> NetworkSpec:
        pooled = (self.layers - 1) // 2
        trunk = tuple(ConvBlock(i, self.filters, 3 if i else 5, self.batch_norm, self.residual and i > 0,
                                self.global_pooling and i == pooled) for i in range(self.layers - 1))
        heads = PolicyHead(self.size, self.point_bias), ValueHead()
        return NetworkSpec("policy_network", self.size, planes.DEPTH, trunk, heads[:1 + self.value_head],
                           any_size=True, equivariant=self.equivariant)
