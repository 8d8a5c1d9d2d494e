"""Initialises a network from another: other board size, heads and width (Net2Net widening), or weights untied."""
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput
from mugo.core.options import format_option
from mugo.nn.architectures import Config, PolicyNetConfig, config_dict, config_of
from mugo.nn.blocks import ContextModule
from mugo.nn.graph import ORIENTATIONS, REGULAR, TWO_REGULAR, Block, layer_names, weight_axes
from mugo.nn.heads import PolicyHead
from mugo.nn.inputs import POINT_BIAS, fit_bias
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import keras
from mugo.nn.network_file import find_network, read_metadata, read_network


def init_from(model: keras.Model, config: Config, path: Path) -> dict[str, Any]:
    """Initialise a new network of this config with the weights of the one at path.

    The board sizes may differ: the bias of each point is fitted (inputs.fit_bias), and dense layers for another board
    are left as they are.  Policy networks may also differ in the heads and the context module, which are left as they
    are where only one has them; and the new one may have more filters (net2net_widen), more layers in its context
    module, a metadata encoder, or plain convolutions where the other's are equivariant.  Its outputs equal the other
    one's at first.
    Returns metadata["init_from"], the description of that network.  Raises BadInput for other configs.
    """
    weights, metadata = read_network(path, may_be_checkpoint=True)
    source = config_of(metadata)
    check_compatible(source, config, path)
    bias = f"{POINT_BIAS}/bias"
    if bias in weights:
        weights[bias] = fit_bias(weights[bias], config.size)
    axes, own = weight_axes(config.spec()), new_layers(source, config)
    orientations = ORIENTATIONS if config.equivariant else 1
    for layer in model.layers:
        variables = {equivariance.weight_name(variable): variable for variable in layer.weights}
        if layer.name in own or not variables.keys() <= weights.keys():
            continue
        new = {name: weights[name] for name in variables}
        if isinstance(config, PolicyNetConfig):
            new = {name: net2net_widen(np.asarray(variables[name]), old, axes[name], orientations)
                   for name, old in new.items()}
        if all(array.shape == tuple(variables[name].shape) for name, array in new.items()):
            for name, array in new.items():
                variables[name].assign(array)
    return describe_source(metadata, path)


def new_layers(source: Config, config: Config) -> set[str]:
    """The names of the layers of the heads, and of the context module, that a network of config `source` does not have.
    Heads and modules that have grown are the same ones."""
    known = [_lasting_layers(block) for block in source.spec().blocks]
    return {name for block in config.spec().blocks[len(config.spec().trunk):] if _lasting_layers(block) not in known
            for name in layer_names(block)}


def _lasting_layers(block: Block) -> set[str]:
    """The names of the layers that a block or head keeps when it grows."""
    if isinstance(block, PolicyHead):
        block = replace(block, uses_context=False, metadata_encoder=False)
    elif isinstance(block, ContextModule):
        block = replace(block, layers=1, chain_pooling=False)
    return layer_names(block)


def describe_source(metadata: dict[str, Any], path: Path) -> dict[str, Any]:
    """metadata["init_from"] of a network that is initialised from the one at path, which has this metadata."""
    source = config_of(metadata)
    return {"name": metadata.get("name", path.stem), "size": source.size, "filters": source.filters,
            "best": metadata.get("best"), "data": metadata.get("data"), "init_from": metadata.get("init_from")}


def check_init(run: Path, metadata: dict[str, Any], init: str) -> None:
    """Raise BadInput unless a run that is resumed was initialised from this network, if one is given."""
    if not init:
        return
    path = find_network(init)
    source = metadata.get("init_from") or {}
    if describe_source(read_metadata(path), path) | {"name": source.get("name")} != source:
        other = f"another network, {source.get('name')}" if source else "no network"
        raise BadInput(f"{run} was initialised from {other}: leave --init-from {init} out to resume it")


def check_compatible(source: Config, config: Config, path: Path) -> None:
    """Raise BadInput if a network of this config cannot be initialised from one of config `source`."""
    if type(source) is not type(config):
        kinds = ["policy-value network, trained by selfplay", "policy network, trained by train"]
        is_policy = isinstance(source, PolicyNetConfig)
        raise BadInput(f"{path} is a {kinds[is_policy]}; this one is a {kinds[not is_policy].partition(',')[0]}")
    free, grown = {"size"}, set()
    if isinstance(config, PolicyNetConfig) and isinstance(source, PolicyNetConfig):
        context = {"context_filters", "context_layers", "chain_pooling"}
        free |= {"policy_context", "value_head", "komi_input", "auxiliary_heads"}
        free |= {name for name, is_free in (("equivariant", source.equivariant),
                                            ("policy_filters", not config.policy_filters)) if is_free}
        grown = {"filters", "policy_filters", "metadata_encoder"}
        if source.has_context and config.has_context:
            grown |= context
        else:
            free |= context
    old, new = config_dict(source), config_dict(config)
    different = [name for name in new if new[name] != old[name] and name not in free
                 and not (name in grown and new[name] > old[name])]
    if different:
        raise BadInput(f"{path} has {_listed(old, different)}, and this run {_listed(new, different)}: a network "
                       "that is initialised from another can have another size and other heads, more --filters, "
                       "--context-filters or --context-layers, --chain-pooling, --metadata-encoder, and plain "
                       "convolutions where the other's are equivariant")


def _listed(config: dict[str, Any], names: list[str]) -> str:
    """'--filters 64, --no-residual'; input planes have no option."""
    return ", ".join(f"{config[name]} input planes" if name == "depth" else format_option(name, config[name])
                     for name in names)


def net2net_widen(new: np.ndarray, old: np.ndarray, kinds: tuple[str, ...], orientations: int) -> np.ndarray:
    """A weight of a network with more filters, whose outputs are at first those of the narrower one: old entries where
    they were, 0 from new filters to old ones, and the weights in `new` elsewhere (after Chen et al. 2016,
    arXiv:1511.05641, who copy filters instead).

    kinds: the kinds of the weight's axes.  orientations: 8 in an equivariant network, else 1; the first features of
    each orientation are the old ones.
    """
    places = [np.arange(count) for count in old.shape]
    for i, kind in enumerate(kinds, start=2 * (old.ndim == 4)):
        if kind in (REGULAR, TWO_REGULAR):
            groups = orientations * (2 if kind == TWO_REGULAR else 1)
            places[i] = np.arange(new.shape[i]).reshape(groups, -1)[:, :old.shape[i] // groups].ravel()
    wide = new.copy()
    wide[..., places[-1]] = 0
    wide[np.ix_(*places)] = old
    return wide
