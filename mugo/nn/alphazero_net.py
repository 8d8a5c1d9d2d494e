"""The policy-value network, which learns a game from self-play as AlphaZero does: hyperparameters and blocks.

    packed planes (size², bytes) uint8
      | UnpackPlanes                   depth planes of 0 and 1
      | conv 3x3 to 32, to 64, to 128, each with ReLU                     (`filters`: any number of any width)
      |-- conv 1x1 to 4, batch norm, ReLU -> dense size² + 1 -> policy    (logits)
      '-- conv 1x1 to 2, batch norm, ReLU -> dense 64, ReLU -> dense 1 -> value       (a score, before tanh)

The dense layers have weights for each point of the board, so such a network plays the size it was trained on and no
other.  In a new one the last layers are 0: all moves are equally likely, and all values are 0.  No Keras here.
"""
from dataclasses import dataclass
from typing import Any

from mugo.core.options import option
from mugo.games import gomoku, planes
from mugo.nn.blocks import ConvBlock, NetworkSpec
from mugo.nn.heads import DensePolicyHead, DenseValueHead
from mugo.nn.policy_net import MAX_WIDTH

DEPTH = {"go": planes.DEPTH, "gomoku": gomoku.DEPTH}


@dataclass(frozen=True)
class AlphaZeroNetConfig:
    """The hyperparameters of a policy-value network."""

    size: int                            # of the board
    depth: int                           # input planes
    filters: tuple[int, ...] = option((32, 64, 128), "filters of each 3x3 convolution, one number for each", least=1,
                                      most=MAX_WIDTH, common=True)
    policy_filters: int = option(4, "filters of the policy head", least=1, most=MAX_WIDTH)
    value_filters: int = option(2, "filters of the value head", least=1, most=MAX_WIDTH)
    value_units: int = option(64, "units of the value head's dense layer", least=1, most=MAX_WIDTH)
    batch_norm: bool = option(False, "batch normalisation after each convolution")
    # Without it, so few filters of the sum of so many were 0 at every point, and for good, in every second run: of the
    # value head all, so that its value was the same for every position.
    head_batch_norm: bool = option(True, "batch normalisation after the convolutions of the heads")
    kind = "alphazero"
    value_head = True
    komi_input = False
    equivariant = False

    def __post_init__(self):
        object.__setattr__(self, "filters", tuple(self.filters))          # a list, where it comes from JSON

    @classmethod
    def for_game(cls, game: str, size: int, **options: Any) -> "AlphaZeroNetConfig":
        """A new one, for a game's input planes.  options: fields from `filters` on."""
        return cls(size, DEPTH[game], **options)

    def exported(self) -> "AlphaZeroNetConfig":
        """Of the network that is played and shared: this one."""
        return self

    def spec(self) -> NetworkSpec:
        trunk = tuple(ConvBlock(i, filters, 3, self.batch_norm) for i, filters in enumerate(self.filters))
        in_heads = self.batch_norm or self.head_batch_norm
        heads = (DensePolicyHead(self.size, self.policy_filters, in_heads),
                 DenseValueHead(self.size, self.value_filters, self.value_units, in_heads))
        return NetworkSpec("policy_value_network", self.size, self.depth, trunk, heads)
