"""Architectures by name, for `mugo train --model NAME`.

    five-N     five plain convolutions of N filters
    default    five-64 with a global pooling bias, and a hidden convolution in the policy head
    bNcM       N residual blocks of M filters, named as KataGo's networks are, with a value head, and with auxiliary
               heads while they are trained
    others     a network, whose architecture is taken without its weights

A new preset is an entry of PRESETS.
"""
from mugo.nn.bundled import find_network
from mugo.nn.metadata import config_of, read_metadata
from mugo.nn.policy_net import PolicyNetConfig
from mugo.core.files import BadInput


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


def architecture(name: str) -> PolicyNetConfig:
    """The architecture of a preset, or of a network of this name or in this file.  Raises BadInput."""
    if name in PRESETS:
        return PRESETS[name]
    try:
        config = config_of(read_metadata(find_network(name)))
    except BadInput as error:
        raise BadInput(f"--model {name}: neither a preset ({', '.join(PRESETS)}) nor a network: {error}") from None
    if not isinstance(config, PolicyNetConfig):
        raise BadInput(f"--model {name}: is a policy-value network, trained by selfplay; train makes policy networks")
    return config
