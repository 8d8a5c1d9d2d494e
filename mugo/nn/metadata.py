"""The metadata of a network: its game, board, input planes, architecture and training.  No Keras here.

A network is one zip archive, NAME.keras, which holds

    config.json, model.weights.h5, ...   what Keras loads, to train on (checkpoint.py)
    network.onnx                         the same network for ONNX Runtime, to play with (inference.py)
    network-int8.onnx                    the same quantised (quantization.py), if it has been
    mugo_metadata.json                   the metadata
"""
import json
import zipfile
from dataclasses import MISSING, asdict, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput, error_line, open_zip_member
from mugo.games import gomoku
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.games.game import PLANE_TABLES
from mugo.games.position import BasePosition
from mugo.core.limits import FRACTION, SEED
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.blocks import ORIENTATIONS
from mugo.nn.context_module import DILATIONS
from mugo.nn.policy_net import MAX_LAYERS, MAX_WIDTH, PolicyNetConfig
from mugo.core.schema import ANYTHING, TEXT, Object, check_value, integer, number, optional

FORMAT = 2
METADATA, ONNX, ONNX_INT8 = "mugo_metadata.json", "network.onnx", "network-int8.onnx"       # members of the archive
METADATA_1 = "mugo.json"                 # its name in format 1
MAX_METADATA_BYTES = 16 << 20            # with the history of a long run; one of 60 million positions has 0.3 MB
MAX_GRAPH_BYTES = 512 << 20              # of a network's graph; 256 filters and ten layers take 25 MB
MAX_NAME = 200                           # characters of a network's name

Config = PolicyNetConfig | AlphaZeroNetConfig
CONFIGS = {config.kind: config for config in (PolicyNetConfig, AlphaZeroNetConfig)}


class OtherFormat(BadInput):
    """A file that is whole, and that this version of MuGo does not read: an earlier or a later one wrote it."""


def config_dict(config: Config) -> dict[str, Any]:
    """metadata["config"]: the hyperparameters and the kind of network; `config_of` reads it."""
    return {"kind": config.kind} | asdict(config)


def config_of(metadata: dict[str, Any]) -> Config:
    config = dict(metadata["config"])
    return CONFIGS[config.pop("kind")](**config)


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


def printable_name(text: str) -> str:
    """A network's name of any text, say that of its run's folder: at most MAX_NAME printable characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:MAX_NAME]


def positions_trained(metadata: dict[str, Any]) -> int:
    """How many positions a network was trained on, those of the network it was initialised from included."""
    total, source = 0, metadata
    while source:
        total += (source.get("best") or {}).get("positions", 0)
        source = source.get("init_from")
    return total


def ranges_of(metadata: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """The ranges of a quantised graph's tensors.  Raises ValueError if there are none, or one is no pair."""
    ranges = (metadata.get("quantization") or {}).get("ranges")
    if ranges is None or any(len(pair) != 2 for pair in ranges.values()):
        raise ValueError(f"{METADATA} has no ranges of its tensors")
    return {tensor: (pair[0], pair[1]) for tensor, pair in ranges.items()}


def read_member(path: Path, name: str, limit: int) -> bytes:
    """A member of a network's archive.  Raises KeyError if it has none of this name; BadInput if the file is no
    archive, is damaged, or the member has more than `limit` bytes, whatever the archive says."""
    try:
        with zipfile.ZipFile(path) as archive:
            if name == METADATA and name not in archive.namelist() and METADATA_1 in archive.namelist():
                raise OtherFormat(f"{path} was written by an earlier version of MuGo (format 1): train the network "
                                  "again, or use it with that version")
            with open_zip_member(archive, archive.getinfo(name)) as member:
                data = member.read(limit + 1)
    except (KeyError, OtherFormat):
        raise
    except PermissionError as error:
        raise BadInput(f"{path}: {error_line(error)}") from None
    except Exception as error:           # damaged archives make zipfile and the unpackers raise exceptions of any type
        raise BadInput(f"{path} is not a MuGo network, or is damaged: {error_line(error)}") from None
    if len(data) > limit:
        raise BadInput(f"{path}: its {name} has more than {limit >> 20} MB, the limit")
    return data


def read_metadata(path: Path) -> dict[str, Any]:
    """The metadata in a network's file or checkpoint.

    Raises BadInput for a file that is no network, or damaged; OtherFormat for one that this program does not read.
    """
    try:
        metadata = json.loads(read_member(path, METADATA, MAX_METADATA_BYTES))
    except KeyError:
        raise BadInput(f"{path} is not a MuGo network: it has no {METADATA} in it") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is not a MuGo network: {METADATA}: {error_line(error)}") from None
    if not isinstance(metadata, dict):
        raise BadInput(f"{path} is not a MuGo network: its {METADATA} is no JSON object")
    if metadata.get("format") != FORMAT:
        raise OtherFormat(f"{path} has format {str(metadata.get('format'))[:40]}; this program reads format {FORMAT}")
    try:
        _check(metadata)
    except _Mismatch as error:
        raise OtherFormat(f"{path} {error}") from None
    return metadata


def check_metadata(metadata: dict[str, Any], name: str) -> None:
    """Raise BadInput, a line that begins with the name, unless `read_metadata` can read these metadata from a file."""
    try:
        _check(json.loads(json.dumps(metadata)))
    except _Mismatch as error:
        raise BadInput(f"{name} {error}") from None


# What a network was trained on, and those that it was initialised from: training.provenance, positions_trained.
_DATA = Object({}, {"fingerprint": TEXT, "split": Object({"seed": integer(*SEED), "validation": number(*FRACTION),
                                                          "test": number(*FRACTION)}),
                    "training": TEXT, "validation": TEXT, "seed": integer(*SEED), "sources": [TEXT],
                    "games": integer(0), "positions": integer(0)})
TRAINED = Object({}, {"size": integer(MIN_SIZE, MAX_SIZE), "data": optional(_DATA),
                      "best": optional(Object({}, {"positions": integer(0)}, others=ANYTHING)),
                      "init_from": optional(Object({}, others=ANYTHING))}, others=ANYTHING)

# Static quantisation: range_calibration.py.
QUANTIZATION = Object({"ranges": Object({}, others=[number()]), "figures": Object({"top1_agreement": number(),
                                                                                  "kl": number()}, others=number())},
                      {"positions": integer(0), "compared_on": integer(0)})


class _Mismatch(Exception):
    """What of a network's metadata does not fit this program; continues a line that begins with the file."""


def _check(metadata: dict[str, Any]) -> None:
    """Raise _Mismatch unless the metadata describe a network of this program."""
    game = metadata.get("game", "go")
    if not isinstance(game, str) or game not in PLANE_TABLES:
        raise _Mismatch(f"plays {str(game)[:40]!r}; this program knows {' and '.join(PLANE_TABLES)}")
    for name, kind in ("planes", list), ("size", int), ("config", dict):
        if not isinstance(metadata.get(name), kind):
            raise _Mismatch(f"is not a MuGo network: its {METADATA} has no {name!r}")
    _check_planes(metadata["planes"], [list(plane) for plane in PLANE_TABLES[game]])
    kind = metadata["config"].get("kind")
    if not isinstance(kind, str) or kind not in CONFIGS:
        raise _Mismatch(f"is a network of kind {str(kind)[:40]!r}; this program knows {' and '.join(CONFIGS)}")
    if game != "go" and CONFIGS[kind] is PolicyNetConfig:
        raise _Mismatch(f"is a network of kind {kind!r} for {game}; this program has those for Go alone")
    _check_config(metadata["config"], CONFIGS[kind])
    _check_weights(config_of(metadata))
    size, depth = metadata["size"], sum(plane.depth for plane in PLANE_TABLES[game])
    if not MIN_SIZE <= size <= MAX_SIZE or isinstance(size, bool):
        raise _Mismatch(f"is for boards of size {size}; this program has {MIN_SIZE} to {MAX_SIZE}")
    for name, expected in ("size", size), ("depth", depth):
        if metadata["config"].get(name, expected) != expected:
            raise _Mismatch(f"contradicts itself: its config has {name} {metadata['config'][name]}, not {expected}")
    k, exactly = metadata.get("k", 0), metadata.get("exactly", False)
    if game == "gomoku" and not (type(k) is int and gomoku.MIN_SIZE <= k <= size and isinstance(exactly, bool)):
        raise _Mismatch(f"plays Gomoku with k = {str(k)[:40]} on {size}x{size}; this program has "
                        f"{gomoku.MIN_SIZE} to {size}")
    name = metadata.get("name") or ""
    if not isinstance(name, str) or len(name) > MAX_NAME or not name.isprintable():
        raise _Mismatch(f"has a name that is no text of at most {MAX_NAME} printable characters")
    source: Any = metadata
    try:
        check_value(metadata.get("quantization"), optional(QUANTIZATION), "its quantization")
        while source:
            check_value(source, TRAINED, "its training")
            source = source.get("init_from")
    except BadInput as error:
        raise _Mismatch(f"has wrong metadata: {error}") from None


def _check_config(config: dict[str, Any], kind: type[Config]) -> None:
    """Raise _Mismatch unless the hyperparameters are those of this kind of network, each in its range."""
    known = {field.name: field for field in fields(kind)}
    for name in config.keys() - {"kind"}:
        if name not in known:
            raise _Mismatch(f"has a config that is not one of this program's: it has {name[:40]!r}")
    for name, field in known.items():
        if name not in config:
            if field.default is MISSING:
                raise _Mismatch(f"has a config that is not one of this program's: it has no {name!r}")
            continue
        value = config[name]
        is_list = isinstance(value, list)
        values = value if is_list else [value]
        scalar = bool if field.type is bool else int
        most = {"layers": MAX_LAYERS, "context_layers": len(DILATIONS)}.get(name, MAX_WIDTH)
        least = 0 if kind is PolicyNetConfig and name == "policy_filters" else 1
        if is_list == (field.type in (int, bool)) or len(values) > MAX_LAYERS or not all(
                type(v) is scalar and (scalar is bool or least <= v <= most) for v in values):
            raise _Mismatch(f"has a config that is not one of this program's: {name} is {str(value)[:40]}")


def _check_weights(config: Config) -> None:
    """Raise _Mismatch if the weights of such a network, which training makes, fit in no graph; or if there is none."""
    if isinstance(config, PolicyNetConfig):
        if config.policy_context and not config.policy_context_fits:
            raise _Mismatch("has a config that is not one of this program's: policy_context is for networks with "
                            "policy_filters, and with komi_input if they have a value_head")
        if config.chain_pooling and not config.has_context:
            raise _Mismatch("has a config that is not one of this program's: chain_pooling is for networks with a "
                            "context module, those with policy_context or komi_input")
        for name in config.tied_widths:
            if (width := getattr(config, name)) % ORIENTATIONS:
                raise _Mismatch(f"has a config that is not one of this program's: {name} is {width}, and an "
                                f"equivariant network has a multiple of {ORIENTATIONS}")
        weights = 9 * config.filters ** 2 * config.layers
        weights += 9 * config.context_filters ** 2 * config.context_layers if config.has_context else 0
    else:
        points = config.size ** 2
        weights = 9 * sum(a * b for a, b in pairwise((config.depth, *config.filters)))
        weights += points * (config.policy_filters * (points + 1) + config.value_filters * config.value_units)
    if 4 * weights > MAX_GRAPH_BYTES:
        raise _Mismatch(f"has a config of {weights:,} weights; networks have at most {MAX_GRAPH_BYTES // 4:,}")


def _check_planes(trained: list, ours: list[list]) -> None:
    """Raise _Mismatch unless the table of planes that a network was trained on is this program's."""
    if trained == ours:
        return
    if not all(isinstance(plane, list) and len(plane) > 1 and type(plane[1]) is int
               and 0 < plane[1] < 1000 for plane in trained):
        raise _Mismatch("is not a MuGo network: its table of planes is none")
    theirs, depth = (sum(plane[1] for plane in table) for table in (trained, ours))
    if theirs != depth:
        raise _Mismatch(f"was trained on {theirs} planes; this program makes {depth}")
    first = next((a[0] for a, b in zip(trained, ours, strict=False) if a != b), "table")
    raise _Mismatch(f"was trained on other planes: its {str(first)[:40]!r} differs from this program's")
