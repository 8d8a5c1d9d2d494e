"""Networks and training runs as files: checkpoints, the exported network, and how a network begins as another one.

    RUN/checkpoint.safetensors    the newest state of a run: weights, optimizer, metadata with history and options
    RUN/previous.safetensors      the previous one
    RUN/network.safetensors       the exported network: weights and metadata; to play and share

What is in them: network_file.py.
"""
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput, atomic_write, log_to_stderr
from mugo.core.options import format_option
from mugo.nn.architectures import Config, PolicyNetConfig, config_dict, config_of
from mugo.nn.blocks import ContextModule
from mugo.nn.graph import Block, Weights, layer_names, network_weights
from mugo.nn.heads import PolicyHead
from mugo.nn.inputs import POINT_BIAS, fit_bias
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import keras
from mugo.nn.keras.devices import is_first
from mugo.nn.keras.model import build
from mugo.nn.keras.optimizers import GRADIENT_NORM
from mugo.nn.network_file import (
    OPTIMIZER,
    OtherFormat,
    TensorFile,
    check_tensors,
    find_network,
    read_metadata,
    read_network,
    write_tensors,
)
from mugo.nn.quantization import CalibrationPositions, Playable, quantize

CHECKPOINT, PREVIOUS, NETWORK = "checkpoint.safetensors", "previous.safetensors", "network.safetensors"

MakeModel = Callable[[dict[str, Any]], keras.Model]


def variables_of(model: keras.Model) -> dict[str, Any]:
    """The weights of a model, and the variables of its optimizer if it has one, by their names in a file."""
    variables = {equivariance.weight_name(variable): variable for variable in model.weights}
    optimizer = getattr(model, "optimizer", None)
    for variable in optimizer.variables if optimizer else ():
        name = OPTIMIZER + variable.path.partition("/")[2]           # without the optimizer's own name
        if name == OPTIMIZER + GRADIENT_NORM:
            continue
        if name in variables:
            raise ValueError(f"two variables of the optimizer are {name}")
        variables[name] = variable
    return variables


def arrays_of(model: keras.Model) -> dict[str, np.ndarray]:
    """The numbers of `variables_of`: copies, for JAX gives arrays away to what it runs."""
    return {name: np.array(keras.ops.convert_to_numpy(variable)) for name, variable in variables_of(model).items()}


def weights_of(model: keras.Model, metadata: dict[str, Any]) -> dict[str, np.ndarray]:
    """The weights of a model's exported network, as Network.from_weights takes them."""
    variables = variables_of(model)
    return {name: np.array(keras.ops.convert_to_numpy(variables[name]))
            for name in network_weights(config_of(metadata).exported().spec())}


def assign(model: keras.Model, arrays: Weights) -> None:
    """Give a model the numbers of `arrays_of`."""
    for name, variable in variables_of(model).items():
        variable.assign(arrays[name])


def playable(model: keras.Model, metadata: dict[str, Any], positions: CalibrationPositions | None = None) -> Playable:
    """A model as it is now.  positions: to calibrate on; it is quantised if there are two or more, and it does not lose
    too much."""
    metadata = {name: value for name, value in metadata.items() if name != "quantization"}
    metadata["config"] = config_dict(config_of(metadata).exported())
    made = Playable(weights_of(model, metadata), metadata)
    return made if positions is None or len(positions.packed) < 2 else quantize(made.weights, metadata, positions)


def nonfinite_weight(model: keras.Model) -> str:
    """The name of a weight, or of a variable of the optimizer, that is not finite somewhere; '' if there is none."""
    return next((name for name, variable in variables_of(model).items()
                 if not np.isfinite(keras.ops.convert_to_numpy(variable)).all()), "")


def check_finite(model: keras.Model, path: Path) -> None:
    if name := nonfinite_weight(model):
        raise BadInput(f"{path}: {name} of this network is infinite or NaN")


def save(model: keras.Model, path: Path, metadata: dict[str, Any]) -> None:
    """Write a checkpoint, atomically: the model with its optimizer, and its metadata.  Raises BadInput if they are not
    finite."""
    check_finite(model, path)
    write_tensors(path, arrays_of(model), metadata)


def export(model: keras.Model, path: Path, metadata: dict[str, Any], positions: CalibrationPositions | None = None
           ) -> None:
    """Write a network to play and share, atomically: the model without its optimizer and its auxiliary heads, and its
    metadata.  positions: to quantise it on; a line on stderr says if it would lose too much.  Raises BadInput for
    weights that are not finite.
    """
    check_finite(model, path)
    made = playable(model, metadata, positions)
    if made.loss:
        log_to_stderr(f"{path} has no int8 graph, because it would lose too much: {made.loss}")
    write_tensors(path, made.weights, made.metadata)


def load(path: Path) -> keras.Model:
    """The Keras model in a network's file or checkpoint, in float32, without its optimizer.  Raises as read_network."""
    weights, metadata = read_network(path, may_be_checkpoint=True)
    model = build(config_of(metadata).spec())
    assign(model, weights)
    return model


def copy_checkpoint(checkpoint: Path, path: Path) -> None:
    """Copy a checkpoint's file, atomically in place of whatever had that name."""
    with atomic_write(path) as temporary:
        shutil.copyfile(checkpoint, temporary)


def latest_checkpoint(run: Path, check: Callable[[dict[str, Any], Path], None], make: MakeModel,
                      names: tuple[str, ...] = (CHECKPOINT, PREVIOUS)) -> tuple[keras.Model, dict[str, Any]]:
    """The model of the first of these checkpoints of a run that is not damaged, and its metadata.

    Its file gets the first name too, so that it is not replaced by a damaged one; a line on stderr says which was.
    check: raises BadInput for metadata that are not those of such a run; another file of the run is not tried then.
    make: returns a new model, compiled, with its optimizer built, for such metadata.  Raises BadInput if there is no
    checkpoint, and for a run of an earlier version.
    """
    def read(path: Path) -> tuple[dict[str, Any], TensorFile, dict[str, np.ndarray]]:
        metadata, file = read_metadata(path), TensorFile(path)
        return metadata, file, file.read()

    path, (metadata, file, arrays) = _first_undamaged(run, names, read, log_to_stderr)
    check(metadata, path)
    model = make(metadata)
    expected = {tensor: ("f" if "float" in variable.dtype else "i", tuple(variable.shape))
                for tensor, variable in variables_of(model).items()}
    check_tensors(file, path, expected, arrays.keys())
    assign(model, arrays)
    if path.name != names[0] and is_first():
        copy_checkpoint(path, run / names[0])
    return model, metadata


def latest_metadata(run: Path, check: Callable[[dict[str, Any], Path], None],
                    names: tuple[str, ...] = (CHECKPOINT, PREVIOUS)) -> dict[str, Any]:
    """The metadata of the first of these checkpoints of a run whose metadata are not damaged.  check, errors: as in
    `latest_checkpoint`."""
    path, metadata = _first_undamaged(run, names, read_metadata, lambda line: None)
    check(metadata, path)
    return metadata


def _first_undamaged(run: Path, names: tuple[str, ...], read: Callable[[Path], Any], log: Callable[[str], None]
                     ) -> tuple[Path, Any]:
    """(path, read(path)) of the first of these checkpoints that is not damaged.  log: gets a line for each that is."""
    for name in names:
        if (run / name).exists():
            try:
                return run / name, read(run / name)
            except OtherFormat:
                raise
            except BadInput as error:
                if name != names[-1]:
                    log(f"{error}; the checkpoint before it is tried")
    if not run.is_dir():
        raise BadInput(f"{run}: no such folder, so no training run to resume")
    raise BadInput(f"{run} holds no training run to resume: {names[0]} is missing or damaged")


# ---- a network that begins as another one: another board size, other heads, weights untied

def init_from(model: keras.Model, config: Config, path: Path) -> dict[str, Any]:
    """Initialise a new network of this config with the weights of the one at path.

    The board sizes may differ: the bias of each point is fitted (inputs.fit_bias), and dense layers for another board
    are left as they are.  Policy networks may also differ in the heads and the context module, which are left as they
    are where only one has them; and the new one may have more layers in its context module, a metadata encoder, or
    plain convolutions where the other's are equivariant.  Its outputs equal the other one's at first.
    Returns metadata["init_from"], the description of that network.  Raises BadInput for other configs.
    """
    weights, metadata = read_network(path, may_be_checkpoint=True)
    source = config_of(metadata)
    check_compatible(source, config, path)
    bias = f"{POINT_BIAS}/bias"
    if bias in weights:
        weights[bias] = fit_bias(weights[bias], config.size)
    own = new_layers(source, config)
    for layer in model.layers:
        variables = {equivariance.weight_name(variable): variable for variable in layer.weights}
        if layer.name not in own and all(name in weights and weights[name].shape == tuple(variable.shape)
                                         for name, variable in variables.items()):
            for name, variable in variables.items():
                variable.assign(weights[name])
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
        free |= {"policy_context", "value_head", "komi_input", "auxiliary_heads"}
        free |= {name for name, is_free in (("equivariant", source.equivariant),
                                            ("policy_filters", not config.policy_filters)) if is_free}
        grown = {"metadata_encoder", "context_layers", "chain_pooling"}
        if not (source.has_context and config.has_context):
            free |= {"context_filters", "context_layers", "chain_pooling"}
    old, new = config_dict(source), config_dict(config)
    different = [name for name in new if new[name] != old[name] and name not in free
                 and not (name in grown and new[name] > old[name])]
    if different:
        raise BadInput(f"{path} has {_listed(old, different)}, and this run {_listed(new, different)}: a network "
                       "that is initialised from another can have another size and other heads, more "
                       "--context-layers, --chain-pooling, --metadata-encoder, and plain convolutions where the "
                       "other's are equivariant")


def _listed(config: dict[str, Any], names: list[str]) -> str:
    """'--filters 64, --no-residual'; input planes have no option."""
    return ", ".join(f"{config[name]} input planes" if name == "depth" else format_option(name, config[name])
                     for name in names)
