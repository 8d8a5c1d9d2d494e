"""Small networks with random weights everywhere, also where training begins with zeros; and changed copies of files."""
import functools
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

checkpoint = pytest.importorskip("mugo.nn.checkpoint")
from mugo.games.position import global_features  # noqa: E402
from mugo.nn.alphazero_net import AlphaZeroNetConfig  # noqa: E402   after the check for Keras
from mugo.nn.backend import keras  # noqa: E402
from mugo.nn.keras_model import build  # noqa: E402
from mugo.nn.metadata import METADATA, Config, new_metadata  # noqa: E402
from mugo.nn.policy_net import PolicyNetConfig  # noqa: E402
from mugo.nn.range_calibration import CalibrationPositions  # noqa: E402

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
    shape = n, config.size ** 2, config.spec().packed_bytes
    packed = rng.integers(0, 256, shape, np.uint8) & rng.integers(0, 256, shape, np.uint8)
    return CalibrationPositions(packed, global_features(np.linspace(-8, 8, n), rng.choice([-1, 1], n))
                                if config.komi_input else None)


def policy_network(folder: Path, name: str = "net", quantized: bool = False, **fields) -> tuple[keras.Model, Path]:
    """A policy network of 9x9 with 4 filters, and its file.  quantized: with an int8 graph.  fields: others of its
    config."""
    config = PolicyNetConfig(**{"size": 9, "filters": 4} | fields)
    model, path = random_model(config), folder / f"{name}.keras"
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
        path = Path(folder) / "net.keras"
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
    path = folder / f"{name}.keras"
    path.write_bytes(data)
    return path


def rewritten(path: Path, **members) -> Path:
    """A copy of a network's file with members changed: by a function of their bytes, named by the member's stem."""
    other = path.with_name("other.keras")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, members.get(name.split(".")[0], bytes)(old.read(name)))
    return other


def with_metadata(path: Path, change) -> Path:
    """A copy of a network's file whose metadata change(metadata) has changed."""
    def changed(data: bytes) -> str:
        metadata = json.loads(data)
        change(metadata)
        return json.dumps(metadata)
    return rewritten(path, mugo_metadata=changed)


def with_member(path: Path, name: str, content: bytes | None) -> Path:
    """A copy of a network's file with other content in one of its members; None: with damaged bytes."""
    with zipfile.ZipFile(path) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    made = path.with_name("damaged.keras")
    with zipfile.ZipFile(made, "w") as archive:
        for one, data in members.items():
            archive.writestr(one, data if one != name or content is None else content)
        at = archive.getinfo(name).header_offset + 200
    if content is None:
        data = bytearray(made.read_bytes())
        data[at:at + 64] = bytes(64)
        made.write_bytes(data)
    return made


def in_format_1(path: Path) -> Path:
    """A file as the earlier version of MuGo wrote it, as far as its metadata tell."""
    other = path.with_name("earlier.keras")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            if name == METADATA:
                new.writestr("mugo.json", json.dumps(json.loads(old.read(name)) | {"format": 1}))
            else:
                new.writestr(name, old.read(name))
    return other
