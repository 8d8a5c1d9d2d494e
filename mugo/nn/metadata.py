"""The metadata of a network: its game, board, input planes, architecture and training.  No Keras here.

They are in the header of its file (tensor_file.py), and are checked before anything is made from them.
"""
import math
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

from mugo.core.files import BadInput
from mugo.core.limits import FRACTION, SEED
from mugo.core.options import Option, options_of
from mugo.core.schema import ANYTHING, BOOLEAN, TEXT, Object, Test, check_value, integer, number, optional
from mugo.games import gomoku
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.games.game import PLANE_TABLES
from mugo.games.position import BasePosition
from mugo.nn.alphazero_net import AlphaZeroNetConfig
from mugo.nn.policy_net import MAX_LAYERS, PolicyNetConfig
from mugo.nn.quantization import MAX_RANGE, MIN_RANGE, Ranges
from mugo.nn.tensor_file import OtherFormat, TensorFile
from mugo.nn.weights import network_weights

FORMAT = 3
MAX_WEIGHTS_BYTES = 512 << 20            # of a network; 256 filters and ten layers take 25 MB
MAX_BATCHES = 10**12                     # that a network was trained on
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

    Raises BadInput for a file that is not a network or is damaged, OtherFormat for one that this program does not read.
    """
    return checked_metadata(TensorFile(path).metadata(), path)


def checked_metadata(metadata: Any, path: Path) -> dict[str, Any]:
    """These metadata, of this file.  Raises as `read_metadata`."""
    if not isinstance(metadata, dict):
        raise BadInput(f"{path} is not a MuGo network: its metadata are no JSON object")
    if metadata.get("format") != FORMAT:
        raise OtherFormat(f"{path} has format {str(metadata.get('format'))[:40]}; this program reads format {FORMAT}")
    try:
        check_metadata(metadata, str(path))
    except BadInput as error:
        raise OtherFormat(str(error)) from None
    return metadata


# What a network was trained on, and those that it was initialised from: training.provenance, positions_trained,
# training.train.positions_seen.
_RANKS = Test(lambda pair: isinstance(pair, list) and len(pair) == 2 and all(map(number().is_good, pair)),
              "[the weakest, the strongest]")
_DATA = Object({}, {"fingerprint": TEXT, "split": Object({"seed": integer(*SEED), "validation": number(*FRACTION),
                                                          "test": number(*FRACTION)}),
                    "training": TEXT, "validation": TEXT, "seed": integer(*SEED), "sources": [TEXT],
                    "games": integer(0), "positions": integer(0), "ranks": optional(_RANKS)})
_TRAINED = Object({}, {"size": integer(MIN_SIZE, MAX_SIZE), "data": optional(_DATA),
                       "best": optional(Object({}, {"positions": integer(0)}, others=ANYTHING)),
                       "options": Object({}, {"batch_size": integer(1), "skip_batches": integer(0, MAX_BATCHES)},
                                         others=ANYTHING),
                       "init_from": optional(Object({}, others=ANYTHING))}, others=ANYTHING)
# Static quantisation: range_calibration.py.
_RANGE = Test(lambda pair: isinstance(pair, list) and len(pair) == 2 and all(map(number().is_good, pair))
              and -MAX_RANGE <= pair[0] <= 0 <= pair[1] <= MAX_RANGE and pair[1] - pair[0] >= MIN_RANGE,
              f"[low, high] around 0, {MAX_RANGE:g} from it at most")
_QUANTIZATION = Object({"ranges": Object({}, others=_RANGE),
                        "metrics": Object({"top1_agreement": number(), "kl": number()}, others=number())},
                       {"positions": integer(0), "compared_on": integer(0)})
_NAME = Test(lambda name: isinstance(name, str) and len(name) <= MAX_NAME and name.isprintable(),
             f"a text of at most {MAX_NAME} printable characters")


def check_metadata(metadata: dict[str, Any], source: str) -> None:
    """Raise BadInput, which begins with the source, unless these are the metadata of a network of this program."""
    game = metadata.get("game", "go")
    if not isinstance(game, str) or game not in PLANE_TABLES:
        raise BadInput(f"{source} plays {str(game)[:40]!r}; this program knows {' and '.join(PLANE_TABLES)}")
    table = [list(plane) for plane in PLANE_TABLES[game]]
    kinds = [kind for kind, config in CONFIGS.items() if game == "go" or config is not PolicyNetConfig]
    check_value(metadata, Object({
        "size": integer(MIN_SIZE, MAX_SIZE),
        "planes": Test(lambda planes: planes == table, "this program's table of input planes"),
        "config": Object({"kind": Test(lambda kind: kind in kinds, f"{' or '.join(kinds)} for {game}")},
                         others=ANYTHING)},
        {"name": optional(_NAME), "quantization": optional(_QUANTIZATION)}, others=ANYTHING), source)
    size = metadata["size"]
    if game == "gomoku":
        check_value(metadata, Object({"k": integer(gomoku.MIN_SIZE, size)}, {"exactly": BOOLEAN}, others=ANYTHING),
                    source)
    trained: Any = metadata
    while trained:
        check_value(trained, _TRAINED, source)
        trained = trained.get("init_from")
    _check_config(metadata["config"], size, sum(plane.depth for plane in PLANE_TABLES[game]), source)


def _check_config(config: dict[str, Any], size: int, depth: int, source: str) -> None:
    """Raise BadInput unless these hyperparameters are those of a network for this size and so many planes."""
    kind = CONFIGS[config["kind"]]
    tests = {name: _value_of(each) for name, each in options_of(kind).items()} | {
        "size": Test(lambda value: value == size, f"{size}"), "depth": Test(lambda value: value == depth, f"{depth}")}
    needed = [field.name for field in fields(kind) if field.default is MISSING]
    others = [field.name for field in fields(kind) if field.default is not MISSING]
    check_value(config, Object({"kind": TEXT} | {name: tests[name] for name in needed},
                               {name: tests[name] for name in others}), f"{source}: its config")
    network = config_of({"config": config})
    if isinstance(network, PolicyNetConfig) and network.problem:
        raise BadInput(f"{source}: its config: {network.problem}")
    weights = sum(math.prod(weight.shape) for weight in network_weights(network.spec()).values())
    if 4 * weights > MAX_WEIGHTS_BYTES:
        raise BadInput(f"{source} has a config of {weights:,} weights; at most {MAX_WEIGHTS_BYTES // 4:,} are allowed")


def _value_of(each: Option) -> Test:
    """A value that an option may have; not too long a list."""
    return Test(lambda value: not each.problem(value) and not (isinstance(value, list) and len(value) > MAX_LAYERS),
                f"a value of --{each.name}")
