"""What a network's file says of the network: game, board, input planes, architecture, training.  No Keras here.

A network is one zip archive, NAME.keras, which holds

    config.json, model.weights.h5, ...   what Keras loads, to train on (checkpoint.py)
    network.onnx                         the same network for ONNX Runtime, to play with (inference.py)
    mugo.json                            the metadata
"""
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from mugo.files import BadInput, error_line
from mugo.games import gomoku, planes
from mugo.games.position import BasePosition

FORMAT = 1
METADATA, ONNX = "mugo.json", "network.onnx"           # members of the archive
POLICY_VALUE = "policy-value"            # the kind of network that alphazero_net.py makes; the other has none
POINT_BIAS = "point_bias"                # an input of the ONNX graph; its trained value is in the graph's metadata
PLANE_TABLES = {"go": planes.PLANES, "gomoku": gomoku.PLANES}      # the input planes of each game


def format_game(game: str, k: int = 0, exactly: bool = False) -> str:
    """A game as messages name it: 'Go', 'Gomoku, 5 in a row', 'Gomoku, exactly 5 in a row'."""
    return f"Gomoku, {'exactly ' if exactly else ''}{k} in a row" if game == "gomoku" else "Go"


def game_rules(position: BasePosition) -> tuple[str, int, bool]:
    """The game that a network for this position must have been trained on: (game, k, exactly), 0 and False in Go."""
    return (position.game, position.k, position.exactly) if position.game == "gomoku" else (position.game, 0, False)


def positions_trained(metadata: dict[str, Any]) -> int:
    """How many positions a network was trained on, those of the network it was initialised from included."""
    before = positions_trained(metadata["start"]) if metadata.get("start") else 0
    return before + (metadata.get("best") or {}).get("positions", 0)


def read_metadata(path: Path) -> dict[str, Any]:
    """The metadata in a network's file or checkpoint.

    Raises BadInput for a file that is no network of this program, or for other planes than this program makes.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            metadata = json.loads(archive.read(METADATA))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise BadInput(f"{path} is no network of MuGo's: {error_line(error)}") from None
    if not isinstance(metadata, dict):
        raise BadInput(f"{path} is no network of MuGo's: its {METADATA} is no JSON object")
    if metadata.get("format") != FORMAT:
        raise BadInput(f"{path} has format {metadata.get('format')}; this program reads {FORMAT}")
    game = metadata.get("game", "go")
    if game not in PLANE_TABLES:
        raise BadInput(f"{path} plays {game!r}; this program knows {' and '.join(PLANE_TABLES)}")
    for name, kind in ("planes", list), ("size", int), ("architecture", dict):
        if not isinstance(metadata.get(name), kind):
            raise BadInput(f"{path} is no network of MuGo's: its {METADATA} does not give {name!r}")
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
