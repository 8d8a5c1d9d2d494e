"""Networks and training runs as files: checkpoints, and the exported network.

    RUN/checkpoint.safetensors    the newest state of a run: weights, optimizer, metadata with history and options
    RUN/previous.safetensors      the previous one
    RUN/network.safetensors       the exported network: weights and metadata; to play and share

What is in them: network_file.py.
"""
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput, atomic_write, log_to_stderr
from mugo.games import game
from mugo.nn.architectures import config_dict, config_of
from mugo.nn.graph import Weights, network_weights
from mugo.nn.heads import STDEV_OF_SCALE
from mugo.nn.inference import Network
from mugo.nn.inputs import INPUTS, model_inputs
from mugo.nn.keras import equivariance
from mugo.nn.keras.backend import full_precision, keras
from mugo.nn.keras.devices import is_first
from mugo.nn.keras.model import build
from mugo.nn.keras.optimizers import GRADIENT_NORM
from mugo.nn.network_file import (
    OPTIMIZER,
    OtherFormat,
    TensorFile,
    check_tensors,
    read_metadata,
    read_network,
    write_tensors,
)
from mugo.nn.quantization import CalibrationPositions, Playable, quantize

CHECKPOINT, PREVIOUS, NETWORK = "checkpoint.safetensors", "previous.safetensors", "network.safetensors"
TOLERANCE = 1e-2                         # a wrong graph differs by more; rounding by 1e-6, 1e-4 with huge weights

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
    metadata.  positions: to quantise it on; a line on stderr says if it would lose too much.

    Raises BadInput for weights that are not finite, RuntimeError if ONNX Runtime computes other outputs than the model.
    """
    check_finite(model, path)
    made = playable(model, metadata, positions)
    if made.loss:
        log_to_stderr(f"{path} has no int8 graph, because it would lose too much: {made.loss}")
    exported = build(config_of(made.metadata).spec())
    assign(exported, made.weights)
    difference = onnx_difference(exported, Network.from_weights(made.weights, made.metadata, 1, "float32"))
    if not difference <= TOLERANCE:      # nor if it is NaN
        raise RuntimeError(f"{path}: outputs of ONNX Runtime and Keras differ by {difference}")
    write_tensors(path, made.weights, made.metadata)


def onnx_difference(model: Callable[[Any], dict], network: Network) -> float:
    """The largest difference of any output between ONNX Runtime and a model (keras.model.build) on random planes, half
    of whose bits are set, a quarter, and so on to none.  Scores, which are in points, count a hundredth."""
    rng, shape = np.random.default_rng(0), (network.size ** 2, game.packed_bytes(network.game))
    packed = np.bitwise_and.accumulate(rng.integers(0, 256, (6, *shape), np.uint8))
    packed[-1] = 0
    features = np.linspace([-8, -1], [8, 1], len(packed), dtype=np.float32) if network.needs_global_features else None
    people = rng.integers(0, 2, (len(packed), INPUTS)).astype(np.float32) if network.takes_people else None
    inputs = model_inputs(packed, features, network.needs_components, people)
    with full_precision():
        outputs = {name: np.asarray(output, np.float64) for name, output in model(inputs).items()}
    exp = np.exp(outputs["policy"] - outputs["policy"].max(1, keepdims=True))
    expected = [exp / exp.sum(1, keepdims=True)]
    if "value" in outputs:
        expected.append(np.tanh(outputs["value"][:, 0]))
    if "score" in outputs:
        mean, scale = outputs["score"].T
        expected += [np.tanh(outputs["ownership"]), mean / 100, scale * STDEV_OF_SCALE / 100]
    found = [output / 100 if name.startswith("score") else output
             for name, output in network.evaluate_packed(packed, features, people)._asdict().items()
             if output is not None]
    return max(float(np.abs(a - b).max()) for a, b in zip(found, expected, strict=True))


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
