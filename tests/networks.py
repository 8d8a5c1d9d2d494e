"""Small networks with random weights everywhere, also where training begins with zeros; and changed copies of files."""
import contextlib
import functools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

checkpoint = pytest.importorskip("mugo.nn.keras.checkpoint")
from mugo.games import game as games  # noqa: E402
from mugo.games.position import global_features  # noqa: E402
from mugo.nn.architectures import AlphaZeroNetConfig, Config, PolicyNetConfig  # noqa: E402   after the check for Keras
from mugo.nn.graph import is_of_int8  # noqa: E402
from mugo.nn.heads import STDEV_OF_SCALE  # noqa: E402
from mugo.nn.inference import Network  # noqa: E402
from mugo.nn.inputs import INPUTS, model_inputs  # noqa: E402
from mugo.nn.keras.backend import keras, tensorflow  # noqa: E402
from mugo.nn.keras.model import build  # noqa: E402
from mugo.nn.network_file import TensorFile, new_metadata, write_tensors  # noqa: E402
from mugo.nn.quantization import CalibrationPositions  # noqa: E402

SMALL = {"filters": (4, 6), "policy_filters": 3, "value_units": 5}


def random_model(config: Config, seed: int = 1) -> keras.Model:
    keras.utils.set_random_seed(seed)
    model = build(config.spec())
    rng = np.random.default_rng(seed + 1)
    scales = [20 / w.shape[-2] if w.ndim > 1 and w.shape[-2] > 100 else 1 for w in model.get_weights()]  # wide
    model.set_weights([w + scale * rng.uniform(-0.1, 0.12, w.shape)
                       for w, scale in zip(model.get_weights(), scales, strict=True)])
    return model


def random_positions(n: int, config: Config, seed: int = 0) -> CalibrationPositions:
    """n positions of random planes, a quarter of them 1, as a network of this config takes them."""
    rng = np.random.default_rng(seed)
    shape = n, config.size ** 2, -(-config.spec().depth // 8)
    packed = rng.integers(0, 256, shape, np.uint8) & rng.integers(0, 256, shape, np.uint8)
    return CalibrationPositions(packed, global_features(np.linspace(-8, 8, n), rng.choice([-1, 1], n))
                                if config.komi_input else None)


def policy_network(folder: Path, name: str = "net", quantized: bool = False, **fields) -> tuple[keras.Model, Path]:
    """A policy network of 9x9 with 4 filters, and its file.  quantized: with an int8 graph.  fields: others of its
    config."""
    config = PolicyNetConfig(**{"size": 9, "filters": 4} | fields)
    model, path = random_model(config), folder / f"{name}.safetensors"
    checkpoint.export(model, path, new_metadata(config), random_positions(24, config) if quantized else None)
    return model, path


def alphazero_model(size: int = 6, game: str = "gomoku", seed: int = 1, **fields
                    ) -> tuple[keras.Model, AlphaZeroNetConfig]:
    """A small policy-value network and its config."""
    config = AlphaZeroNetConfig.for_game(game, size, **SMALL | fields)
    return random_model(config, seed), config


def alphazero_network(folder: Path, size: int = 6, k: int = 4, exactly: bool = False, game: str = "gomoku",
                      name: str = "net", **fields) -> Path:
    """The file of a small policy-value network."""
    return _written(folder, name, _alphazero_bytes(size, k, exactly, game, **fields))


@functools.cache
def _alphazero_bytes(size: int, k: int, exactly: bool, game: str, **fields) -> bytes:
    model, config = alphazero_model(size, game, **fields)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.safetensors"
        checkpoint.export(model, path, new_metadata(config, game, k, exactly))
        return path.read_bytes()


def policy_file(folder: Path, name: str = "net", quantized: bool = False, **fields) -> Path:
    """The file of policy_network, which is exported once for all tests."""
    return _written(folder, name, _policy_bytes(quantized, **fields))


@functools.cache
def _policy_bytes(quantized: bool, **fields) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return policy_network(Path(folder), quantized=quantized, **fields)[1].read_bytes()


def _written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / f"{name}.safetensors"
    path.write_bytes(data)
    return path


def rewritten(path: Path, name: str = "other", metadata=lambda found: None, tensors=lambda arrays: None) -> Path:
    """A copy of a network's file that is whole, with what these functions change of its metadata and its tensors."""
    file = TensorFile(path)
    found, arrays = file.metadata(), file.read()
    metadata(found)
    tensors(arrays)
    other = path.with_name(f"{name}.safetensors")
    write_tensors(other, arrays, found)
    return other


def tensors_of(path: Path) -> dict[str, np.ndarray]:
    """All tensors in a network's file or checkpoint."""
    return TensorFile(path).read()


def with_metadata(path: Path, change) -> Path:
    """A copy of a network's file whose metadata change(metadata) has changed."""
    return rewritten(path, metadata=change)


def without_int8(path: Path) -> Path:
    """A copy of a network's file as it was before it was quantised."""
    def drop(arrays):
        for name in [name for name in arrays if is_of_int8(name)]:
            del arrays[name]
    return rewritten(path, "plain", lambda found: found.pop("quantization", None), drop)


def damaged(path: Path) -> Path:
    """A copy of a network's file in which a byte of the last number has changed."""
    other, data = path.with_name("damaged.safetensors"), bytearray(path.read_bytes())
    data[-2] ^= 1
    other.write_bytes(data)
    return other


@contextlib.contextmanager
def full_precision() -> Iterator[None]:
    """A context that multiplies float32 as float32; by default NVIDIA's GPUs round the factors to 10 bits."""
    if not tensorflow:
        import jax

        with jax.default_matmul_precision("highest"):
            yield
        return
    config = tensorflow.config.experimental
    was_enabled = config.tensor_float_32_execution_enabled()
    config.enable_tensor_float_32_execution(False)
    try:
        yield
    finally:
        config.enable_tensor_float_32_execution(was_enabled)


def onnx_difference(model: Callable[[Any], dict], network: Network) -> float:
    """The largest difference of any output between ONNX Runtime and a model (keras.model.build) on random planes, half
    of whose bits are set, a quarter, and so on to none.  Scores, which are in points, count a hundredth."""
    rng, shape = np.random.default_rng(0), (network.size ** 2, games.packed_bytes(network.game))
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
