"""The metadata of a network: its game, board, input planes, architecture and training.  No Keras here.

A network is one zip archive, NAME.keras, which holds

    config.json, model.weights.h5, ...   what Keras loads, to train on (checkpoint.py)
    network.onnx                         the same network for ONNX Runtime, to play with (inference.py)
    mugo_metadata.json                   the metadata
"""
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mugo.files import BadInput, error_line
from mugo.games import gomoku
from mugo.games.plane_tables import PLANE_TABLES
from mugo.games.position import BasePosition
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.policy_net import PolicyNetConfig

FORMAT = 2
METADATA, ONNX = "mugo_metadata.json", "network.onnx"  # members of the archive
METADATA_1 = "mugo.json"                 # its name in format 1

Config = PolicyNetConfig | AlphaZeroNetConfig
CONFIGS = {config.kind: config for config in (PolicyNetConfig, AlphaZeroNetConfig)}


class EarlierFormat(BadInput):
    """A file that an earlier version of MuGo wrote, and that this one does not read."""


def config_dict(config: Config) -> dict[str, Any]:
    """metadata["config"]: the hyperparameters and the kind of network; `config_of` reads it."""
    return {"kind": config.kind} | asdict(config)


def config_of(metadata: dict[str, Any]) -> Config:
    fields = dict(metadata["config"])
    return CONFIGS[fields.pop("kind")](**fields)


def new_metadata(config: Config, game: str = "go", k: int = 0, exactly: bool = False) -> dict[str, Any]:
    """The metadata that every network has.  game, k, exactly: what it plays, as of inference.Network."""
    rules = {"game": game, "k": k, "exactly": exactly} if game == "gomoku" else {"game": game}
    return {"format": FORMAT, "size": config.size, **rules, "planes": [list(plane) for plane in PLANE_TABLES[game]],
            "config": config_dict(config)}


def format_game(game: str, k: int = 0, exactly: bool = False) -> str:
    """A game as messages name it: 'Go', 'Gomoku, 5 in a row', 'Gomoku, exactly 5 in a row'."""
    return f"Gomoku, {'exactly ' if exactly else ''}{k} in a row" if game == "gomoku" else "Go"


def game_rules(position: BasePosition) -> tuple[str, int, bool]:
    """The game that a network for this position must have been trained on: (game, k, exactly), 0 and False in Go."""
    if isinstance(position, gomoku.Position):
        return position.game, position.k, position.exactly
    return position.game, 0, False


def positions_trained(metadata: dict[str, Any]) -> int:
    """How many positions a network was trained on, those of the network it was initialised from included."""
    before = positions_trained(metadata["init_from"]) if metadata.get("init_from") else 0
    return before + (metadata.get("best") or {}).get("positions", 0)


def read_metadata(path: Path) -> dict[str, Any]:
    """The metadata in a network's file or checkpoint.

    Raises BadInput for a file that is no network of this program, or for other planes than this program makes;
    EarlierFormat for one that an earlier version wrote.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if METADATA not in archive.namelist() and METADATA_1 in archive.namelist():
                raise EarlierFormat(f"{path} was written by an earlier version of MuGo (format 1): train the network "
                                    "again, or use it with that version")
            metadata = json.loads(archive.read(METADATA))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise BadInput(f"{path} is no network of MuGo's: {error_line(error)}") from None
    if not isinstance(metadata, dict):
        raise BadInput(f"{path} is no network of MuGo's: its {METADATA} is no JSON object")
    if metadata.get("format") != FORMAT:
        raise BadInput(f"{path} has format {metadata.get('format')}; this program reads format {FORMAT}")
    game = metadata.get("game", "go")
    if game not in PLANE_TABLES:
        raise BadInput(f"{path} plays {game!r}; this program knows {' and '.join(PLANE_TABLES)}")
    for name, kind in ("planes", list), ("size", int), ("config", dict):
        if not isinstance(metadata.get(name), kind):
            raise BadInput(f"{path} is no network of MuGo's: its {METADATA} has no {name!r}")
    if metadata["config"].get("kind") not in CONFIGS:
        raise BadInput(f"{path} is a network of kind {metadata['config'].get('kind')!r}; this program knows "
                       f"{' and '.join(CONFIGS)}")
    try:
        config_of(metadata)
    except TypeError as error:
        raise BadInput(f"{path}: its config is not one of this program's: {error_line(error)}") from None
    check_planes(path, metadata["planes"], [list(plane) for plane in PLANE_TABLES[game]])
    return metadata


def check_planes(path: Path, trained: list[list], ours: list[list]) -> None:
    """Raise BadInput unless the table of planes that a network was trained on is this program's."""
    if trained != ours:
        theirs, depth = (sum(plane[1] for plane in table) for table in (trained, ours))
        if theirs != depth:
            raise BadInput(f"{path} was trained on {theirs} planes; this program makes {depth}")
        first = next(a[0] for a, b in zip(trained, ours, strict=False) if a != b)
        raise BadInput(f"{path} was trained on other planes: its {first!r} differs from this program's")
