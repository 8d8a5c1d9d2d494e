"""Architectures: hyperparameters, the blocks that follow from them, and presets.

    PolicyNetConfig       learns from people's games of Go; plays boards of every size
    AlphaZeroNetConfig    learns a game from self-play; plays boards of the size it was trained on
    PRESETS               architectures by name, for `mugo train --model NAME`; a new preset is an entry here
    config_of             a network's metadata -> its config
"""
from dataclasses import asdict, dataclass, replace
from typing import Any

from mugo.core.options import option
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.nn.blocks import DILATIONS, ContextModule, ConvBlock, ResidualBlock
from mugo.nn.graph import ORIENTATIONS, Block, NetworkSpec
from mugo.nn.heads import DensePolicyHead, DenseValueHead, OutcomeHead, PolicyHead, ValueHead

# The moves after the one that is played, which auxiliary heads predict: the opponent's reply (Wu 2019,
# arXiv:1902.10565, section 3.4) and the move after that (Tian & Zhu 2016, arXiv:1511.06410, section 3.1).
NEXT_MOVES = "reply", "next"
MAX_WIDTH, MAX_LAYERS = 4096, 128        # filters or units of a layer, and layers; all of them fit in a graph
MAX_BLOCKS, POOLED_EVERY = 64, 3         # residual blocks; from one with a global pooling bias to the next


@dataclass(frozen=True)
class PolicyNetConfig:
    """The hyperparameters of a policy network.  All filters of an equivariant one are multiples of 8.

        48 planes -- conv 5x5 -- (layers - 2) conv 3x3, or residual_blocks --+--> PolicyHead
                                                                             '--> ContextModule --> ValueHead
    """

    size: int = option(19, "board size", least=MIN_SIZE, most=MAX_SIZE, common=True)
    filters: int = option(64, "filters of each convolution", least=1, most=MAX_WIDTH, common=True)
    layers: int = option(5, "convolutions, including the first (5x5) and the last (1x1)", least=3, most=MAX_LAYERS,
                         common=True)
    residual_blocks: int = option(0, "instead of the plain ones of --layers, this many residual blocks of two 3x3 "
                                  "convolutions follow the first; every third has a global pooling bias", least=0,
                                  most=MAX_BLOCKS)
    batch_norm: bool = option(True, "batch normalisation")
    residual: bool = option(False, "residual connections; five layers learn better without, very narrow networks need "
                            "them")
    global_pooling: bool = option(True, "a global pooling bias in the middle layer")
    metadata_encoder: bool = option(False, "the network also takes who plays: the ranks of both players, the "
                                    "source of the game and its year, each of which may be unknown", common=True)
    policy_filters: int = option(0, "filters of a hidden 1x1 convolution in the policy head; 0: none, as in AlphaGo",
                                 least=0, most=MAX_WIDTH)
    policy_context: bool = option(False, "the policy head also takes the context module, which sees the whole board; "
                                  "it finds more moves, and with a value head it costs next to nothing", common=True)
    context_filters: int = option(48, "filters of the context module, the dilated convolutions that the value head "
                                  "takes", least=1, most=MAX_WIDTH)
    context_layers: int = option(4, f"3x3 convolutions of the context module, dilated by "
                                 f"{', '.join(map(str, DILATIONS))}", least=1, most=len(DILATIONS))
    chain_pooling: bool = option(False, "the context module also takes the mean and maximum of its filters over the "
                                 "chain or empty region of each point: a better value and better ownership late in the "
                                 "game")
    value_head: bool = option(False, "a value head: who wins, by how many points, and who owns each point", common=True)
    komi_input: bool = option(False, "the value head takes komi; without komi it predicts the winner only")
    auxiliary_heads: bool = option(False, "heads for the opponent's reply and the next own move, while training; the "
                                   "exported network has none")
    equivariant: bool = option(False, "tied weights, so that outputs turn with the board; it makes much better use of "
                               "every position")
    point_bias: bool = option(True, "a trained bias for each point of the board")
    kind = "policy"

    def spec(self) -> NetworkSpec:
        plain = 1 if self.residual_blocks else self.layers - 1
        trunk: list[Block] = [
            ConvBlock(i, self.filters, 3 if i else 5, self.batch_norm, self.residual and i > 0,
                      self.global_pooling and i == (self.layers - 1) // 2, self.metadata_encoder and i == 0)
            for i in range(plain)]
        trunk += [ResidualBlock(i, self.filters, self.batch_norm, self.global_pooling and i % POOLED_EVERY == 0)
                  for i in range(1, self.residual_blocks + 1)]
        policy = PolicyHead(self.size, self.point_bias, "", self.policy_filters, self.policy_context,
                            self.metadata_encoder)
        heads: list[Block] = [policy]
        if self.value_head:
            heads.append(ValueHead(self.size) if self.komi_input else OutcomeHead())
        if self.auxiliary_heads:
            heads += [replace(policy, auxiliary=move) for move in NEXT_MOVES]
        context = ContextModule(self.context_filters, self.context_layers, self.chain_pooling) \
            if self.has_context else None
        return NetworkSpec("policy_network", self.size, input_depth("go"), tuple(trunk), tuple(heads), context,
                           self.value_head and self.komi_input, self.has_context and self.chain_pooling,
                           self.metadata_encoder, any_size=True, equivariant=self.equivariant)

    @property
    def has_context(self) -> bool:
        """Whether there is a context module."""
        return self.policy_context or self.value_head and self.komi_input

    @property
    def problem(self) -> str:
        """Why there is no network of these hyperparameters, each of which is in its range; '' if there is one."""
        for name in ("filters", "policy_filters", "context_filters") if self.equivariant else ():
            if getattr(self, name) % ORIENTATIONS:
                return (f"--{name.replace('_', '-')} {getattr(self, name)}: an equivariant network has a multiple of "
                        f"{ORIENTATIONS}; --no-equivariant has any number")
        if self.residual_blocks and self.layers != PolicyNetConfig.layers:
            return f"--layers {self.layers}: --residual-blocks replaces these convolutions"
        if self.residual_blocks and self.residual:
            return "--residual is for the convolutions of --layers: --residual-blocks has its own connections"
        # The layers of a value head without komi have the names of the other one's.
        if self.policy_context and not (self.policy_filters and self.komi_input >= self.value_head):
            return ("--policy-context is for networks with --policy-filters, and with --komi-input if they have a "
                    "value head")
        if self.chain_pooling and not self.has_context:
            return "--chain-pooling: only networks with --value-head or --policy-context have a context module"
        return ""

    def exported(self) -> "PolicyNetConfig":
        """The config of the network that is played and shared: without auxiliary heads."""
        return replace(self, auxiliary_heads=False)


def input_depth(game: str) -> int:
    """The number of input planes of a game."""
    from mugo.games.game import PLANE_TABLES  # compiled, and --help needs none of it
    return sum(plane.depth for plane in PLANE_TABLES[game])


@dataclass(frozen=True)
class AlphaZeroNetConfig:
    """The hyperparameters of a policy-value network: a 3x3 convolution for each of `filters`, and two dense heads.  In
    a new one all moves are equally likely, and all values are 0."""

    size: int                            # of the board
    depth: int                           # input planes
    filters: tuple[int, ...] = option((32, 64, 128), "filters of each 3x3 convolution, one number for each", least=1,
                                      most=MAX_WIDTH, common=True)
    policy_filters: int = option(4, "filters of the policy head", least=1, most=MAX_WIDTH)
    value_filters: int = option(2, "filters of the value head", least=1, most=MAX_WIDTH)
    value_units: int = option(64, "units of the value head's dense layer", least=1, most=MAX_WIDTH)
    batch_norm: bool = option(False, "batch normalisation after each convolution")
    # Without it, in every second run all filters of the value head became 0 at every point, and stayed so.
    head_batch_norm: bool = option(True, "batch normalisation after the convolutions of the heads")
    kind = "alphazero"
    value_head = True
    komi_input = False
    equivariant = False

    def __post_init__(self):
        object.__setattr__(self, "filters", tuple(self.filters))          # a list, where it comes from JSON

    @classmethod
    def for_game(cls, game: str, size: int, **options: Any) -> "AlphaZeroNetConfig":
        """A new one, for a game's input planes.  options: the other fields."""
        return cls(size, input_depth(game), **options)

    def exported(self) -> "AlphaZeroNetConfig":
        """The config of the network that is played and shared: this one."""
        return self

    def spec(self) -> NetworkSpec:
        trunk = tuple(ConvBlock(i, filters, 3, self.batch_norm) for i, filters in enumerate(self.filters))
        in_heads = self.batch_norm or self.head_batch_norm
        heads = (DensePolicyHead(self.size, self.policy_filters, in_heads),
                 DenseValueHead(self.size, self.value_filters, self.value_units, in_heads))
        return NetworkSpec("policy_value_network", self.size, self.depth, trunk, heads)


# five-N: five plain convolutions of N filters.  default: five-64 with a global pooling bias, and a hidden convolution
# in the policy head.  bNcM: N residual blocks of M filters, named as KataGo's networks are.
def _five(filters: int) -> PolicyNetConfig:
    return PolicyNetConfig(filters=filters, global_pooling=False, equivariant=True)


def _deep(blocks: int, filters: int) -> PolicyNetConfig:
    return PolicyNetConfig(filters=filters, residual_blocks=blocks, equivariant=True, policy_filters=256,
                           value_head=True, komi_input=True, auxiliary_heads=True)


PRESETS = {
    "default": PolicyNetConfig(equivariant=True, policy_filters=256),
    "five-64": _five(64), "five-128": _five(128), "five-192": _five(192),
    "b6c96": _deep(6, 96), "b10c128": _deep(10, 128), "b15c192": _deep(15, 192), "b20c256": _deep(20, 256),
}
Config = PolicyNetConfig | AlphaZeroNetConfig
# Hyperparameters that networks of earlier versions have, with the value that this version's have.
FORMER = {"bottleneck": False}
CONFIGS = {config.kind: config for config in (PolicyNetConfig, AlphaZeroNetConfig)}


def config_dict(config: Config) -> dict[str, Any]:
    """metadata["config"]: the hyperparameters and the kind of network; `config_of` reads it."""
    return {"kind": config.kind} | asdict(config)


def config_of(metadata: dict[str, Any]) -> Config:
    """The config in a network's metadata, which have been checked."""
    config = {name: value for name, value in metadata["config"].items() if (name, value) not in FORMER.items()}
    return CONFIGS[config.pop("kind")](**config)
