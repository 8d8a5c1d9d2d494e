"""The metadata of a network: its game, board, input planes, architecture and training.  No Keras here.

They are in the header of its file (tensor_file.py), and are checked before anything is made from them.
"""
import json
import math
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import FRACTION, SEED
from mugo.core.schema import ANYTHING, TEXT, Object, check_value, integer, number, optional
from mugo.games import gomoku
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.games.game import PLANE_TABLES
from mugo.games.position import BasePosition
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.blocks import ORIENTATIONS
from mugo.nn.context_module import DILATIONS
from mugo.nn.policy_net import MAX_LAYERS, MAX_WIDTH, PolicyNetConfig
from mugo.nn.quantization import MAX_RANGE, MIN_RANGE, Ranges
from mugo.nn.tensor_file import OtherFormat, TensorFile
from mugo.nn.weights import network_weights

FORMAT = 3
MAX_WEIGHTS_BYTES = 512 << 20            # of a network; 256 filters and ten layers take 25 MB
MAX_NAME = 200                           # characters of a network's name

Config = PolicyNetConfig | AlphaZeroNetConfig
CONFIGS = {config.kind: config for config in (PolicyNetConfig, AlphaZeroNetConfig)}


def config_dict(config: Config) -> dict[str, Any]:
    """metadata["config"]: the hyperparameters and the kind of network; `config_of` reads it."""
    return {"kind": config.kind} | asdict(config)


def config_of(metadata: dict[str, Any]) -> Config:
    config = dict(metadata["config"])
    return CONFIGS[config.pop("kind")](**config)


def new_metadata(config: Config, game: str = "go", k: int = 0, exactly: bool = False) -> dict[str, Any]:
    """The metadata that every network has.  game, k, exactly: what it plays, as in inference.Network."""
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


def run_name(text: str) -> str:
    """A network's name of any text, say that of its run's folder: at most MAX_NAME printable characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:MAX_NAME]


def positions_trained(metadata: dict[str, Any]) -> int:
    """How many positions a network was trained on, those of the network it was initialised from included."""
    total, source = 0, metadata
    while source:
        total += (source.get("best") or {}).get("positions", 0)
        source = source.get("init_from")
    return total


def has_int8(metadata: dict[str, Any]) -> bool:
    """Whether the network has been quantised."""
    return bool(metadata.get("quantization"))


def ranges_of(metadata: dict[str, Any]) -> Ranges:
    """The ranges of a quantised network's tensors."""
    return {tensor: (low, high) for tensor, (low, high) in metadata["quantization"]["ranges"].items()}


def read_metadata(path: Path) -> dict[str, Any]:
    """The metadata in a network's file or checkpoint.

    Raises BadInput for a file that is no network, or damaged; OtherFormat for one that this program does not read.
    """
    return checked_metadata(TensorFile(path).metadata(), path)


def checked_metadata(metadata: Any, path: Path) -> dict[str, Any]:
    """These metadata, of this file.  Raises as `read_metadata`."""
    if not isinstance(metadata, dict):
        raise BadInput(f"{path} is not a MuGo network: its metadata are no JSON object")
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
QUANTIZATION = Object({"ranges": Object({}, others=[number(-MAX_RANGE, MAX_RANGE)]),
                       "metrics": Object({"top1_agreement": number(), "kl": number()}, others=number())},
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
            raise _Mismatch(f"is not a MuGo network: its metadata have no {name!r}")
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
        _check_ranges(metadata)
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


def _check_ranges(metadata: dict[str, Any]) -> None:
    """Raise _Mismatch unless every range of a quantised network is one around 0."""
    for tensor, pair in metadata["quantization"]["ranges"].items() if has_int8(metadata) else ():
        if len(pair) != 2 or not (pair[0] <= 0 <= pair[1] and pair[1] - pair[0] >= MIN_RANGE):
            raise _Mismatch(f"has wrong metadata: the range of {tensor[:40]!r} is not one around 0")


def _check_weights(config: Config) -> None:
    """Raise _Mismatch if there is no such network, or if its weights are more than a file may have."""
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
    weights = sum(math.prod(weight.shape) for weight in network_weights(config.spec()).values())
    if 4 * weights > MAX_WEIGHTS_BYTES:
        raise _Mismatch(f"has a config of {weights:,} weights; networks have at most {MAX_WEIGHTS_BYTES // 4:,}")


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
