"""A network's file: weights and metadata in the format safetensors (github.com/huggingface/safetensors), no program.

    8 bytes, the header's length | header, JSON: dtype, shape and place of each tensor; "__metadata__" | numbers

"__metadata__" has two texts: "mugo", the metadata as JSON: game, board, input planes, architecture and training; and
"crc32", the CRC-32 of that text and of the tensors.  docs/reference/network-file.md has the tensors.
"""
import json
import math
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core import version
from mugo.core.files import BadInput, atomic_write, error_line, open_regular_file
from mugo.core.options import options_of
from mugo.games import gomoku
from mugo.games.coords import MAX_SIZE, MIN_SIZE
from mugo.games.game import PLANE_TABLES
from mugo.games.position import BasePosition
from mugo.nn.architectures import (
    CONFIGS, MAX_LAYERS, PRESETS, Config, PolicyNetConfig, config_dict, config_of, input_depth)
from mugo.nn.graph import INT8_BIAS, is_of_int8, network_weights
from mugo.nn.onnx_graph import MAX_RANGE, MIN_RANGE, Ranges

METADATA, CHECKSUMS = "mugo", "crc32"
MAX_HEADER_BYTES = 16 << 20              # with the history of a long run; one of 60 million positions has 0.3 MB
DTYPES = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4"), "I64": np.dtype("<i8")}


class OtherFormat(BadInput):
    """A file that is whole, and that this version of MuGo does not read: an earlier or a later one wrote it."""


class TensorFile:
    """A file at `path`, opened.  shapes: the shapes of each tensor, by its name: its dtype, a name of safetensors, and
    its shape.
    Raises BadInput for a file that is none, or damaged; the numbers are not read before `read`."""

    def __init__(self, path: Path):
        from safetensors import SafetensorError, safe_open

        self.path, self._errors = path, (SafetensorError, OSError, ValueError)
        try:
            with open_regular_file(path) as file:
                start = file.read(8)
            if len(start) < 8 or int.from_bytes(start, "little") > MAX_HEADER_BYTES:
                raise ValueError(f"it does not begin with the length of a header, of {MAX_HEADER_BYTES >> 20} MB at "
                                 "most")
            self._file = safe_open(path, "numpy")
            slices = {name: self._file.get_slice(name) for name in self._file.keys()}
            self.shapes = {name: (str(tensor.get_dtype()), tuple(tensor.get_shape()))
                           for name, tensor in slices.items()}
        except PermissionError as error:
            raise BadInput(f"{path}: {error_line(error)}") from None
        except self._errors as error:
            raise self._damaged(error) from None

    def _damaged(self, error: BaseException) -> BadInput:
        return BadInput(f"{self.path} is not a MuGo network, or is damaged: {error_line(error)}")

    def metadata(self) -> Any:
        """The JSON value.  Raises BadInput if there is none, or it is damaged."""
        texts = self._file.metadata() or {}
        if not {METADATA, CHECKSUMS} <= texts.keys():
            raise BadInput(f"{self.path} is not a MuGo network: its header has no {METADATA!r} and {CHECKSUMS!r}")
        text = texts[METADATA]
        if not texts[CHECKSUMS].startswith(_checksum_of_text(text)):
            raise self._damaged(ValueError("its metadata do not fit their checksum"))
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{self.path} is not a MuGo network: its metadata: {error_line(error)}") from None

    def read(self, names: Collection[str] | None = None) -> dict[str, np.ndarray]:
        """The tensors of these names, by default all.  Raises BadInput for a file that does not fit its checksum, a
        dtype that is not one of DTYPES, and numbers that are infinite or NaN."""
        for name, (dtype, _) in self.shapes.items():
            if dtype not in DTYPES:
                raise BadInput(f"{self.path}: its {name[:80]} has dtype {dtype[:20]}, expected {', '.join(DTYPES)}")
        checksum, tensors = 0, {}
        try:
            for name in sorted(self.shapes):
                array = self._file.get_tensor(name)
                checksum = zlib.crc32(array.data, checksum)
                if names is None or name in names:
                    tensors[name] = array
        except self._errors as error:
            raise self._damaged(error) from None
        if not (self._file.metadata() or {}).get(CHECKSUMS, "").endswith(f" {checksum:08x}"):
            raise self._damaged(ValueError("its numbers do not fit their checksum"))
        for name, array in tensors.items():
            if not np.isfinite(array).all():
                raise BadInput(f"{self.path}: {name} of this network is infinite or NaN")
        return tensors


def _checksum_of_text(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x} "


def write_tensors(path: Path, tensors: Mapping[str, np.ndarray], metadata: dict[str, Any]) -> None:
    """Write a file, atomically; the same tensors and metadata give the same bytes.  Raises OSError, and BadInput for
    metadata that could not be read again."""
    arrays = {name: np.asarray(tensors[name], order="C") for name in sorted(tensors)}
    arrays = dict(sorted(arrays.items(), key=lambda item: -item[1].itemsize))        # so that each is aligned
    text, checksum, begin = json.dumps(metadata), 0, 0
    for name in sorted(arrays):
        checksum = zlib.crc32(arrays[name].data, checksum)
    header: dict[str, Any] = {"__metadata__": {METADATA: text,
                                               CHECKSUMS: f"{_checksum_of_text(text)}{checksum:08x}"}}
    for name, array in arrays.items():
        header[name] = {"dtype": f"{array.dtype.kind.upper()}{8 * array.itemsize}", "shape": array.shape,
                        "data_offsets": (begin, begin + array.nbytes)}
        begin += array.nbytes
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    if len(encoded) > MAX_HEADER_BYTES:
        raise BadInput(f"{path} would have a header of {len(encoded):,} bytes with its metadata; at most "
                       f"{MAX_HEADER_BYTES:,} are read: it stays as it is")
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded)
        for array in arrays.values():
            file.write(array.data)


FORMAT = 3
MAX_WEIGHTS_BYTES = 512 << 20            # of a network; 256 filters and ten layers take 25 MB
MAX_NAME = 200                           # characters of a network's name


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
    if isinstance(position, gomoku.GomokuPosition):
        return position.game, position.k, position.exactly
    return position.game, 0, False


def run_name(text: str) -> str:
    """A network's name from any text, such as its run's folder: at most MAX_NAME printable characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:MAX_NAME]


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
    except (AttributeError, KeyError, TypeError, ValueError) as error:       # JSON, but not as new_metadata has it
        raise OtherFormat(f"{path}: its metadata are not those of a network: {error_line(error)}") from None
    return metadata


def check_metadata(metadata: dict[str, Any], source: str) -> None:
    """Raise BadInput, which begins with the source, unless this program has the game, the input planes and the
    architecture.  What the metadata say of the training is not looked at."""
    def expect(is_good: bool, name: str, value: Any) -> None:
        if not is_good:
            raise BadInput(f"{source}: {name} is {value!r:.60}, which no network of this program has")

    game, size, name = metadata.get("game", "go"), metadata["size"], metadata.get("name")
    config = metadata["config"]
    expect(game in [*PLANE_TABLES], "game", game)
    expect(metadata["planes"] == [list(plane) for plane in PLANE_TABLES[game]], "planes", metadata["planes"])
    expect(type(size) is int and MIN_SIZE <= size <= MAX_SIZE, "size", size)
    expect(name is None or len(name) <= MAX_NAME and name.isprintable(), "name", name)
    if game == "gomoku":
        k = metadata["k"]
        expect(type(k) is int and gomoku.MIN_SIZE <= k <= size, "k", k)
    kind = CONFIGS.get(config["kind"])
    if kind is None or kind is PolicyNetConfig and game != "go":
        raise BadInput(f"{source}: config.kind is {config['kind']!r:.60}, which this program does not know for {game}")
    for option, each in options_of(kind).items():
        value = config.get(option, each.default)
        expect(not each.problem(value) and not (isinstance(value, list) and len(value) > MAX_LAYERS),
               f"config.{option}", value)
    network = config_of(metadata)
    expect(network.size == size, "config.size", network.size)
    expect(network.spec().depth == input_depth(game), "config.depth", network.spec().depth)
    if isinstance(network, PolicyNetConfig) and network.problem:
        raise BadInput(f"{source}: its config: {network.problem}")
    weights = sum(math.prod(weight.shape) for weight in network_weights(network.spec()).values())
    if 4 * weights > MAX_WEIGHTS_BYTES:
        raise BadInput(f"{source} has a config of {weights:,} weights; at most {MAX_WEIGHTS_BYTES // 4:,} are allowed")
    for tensor, (low, high) in ranges_of(metadata).items() if has_int8(metadata) else ():
        expect(-MAX_RANGE <= low <= 0 <= high <= MAX_RANGE and high - low >= MIN_RANGE, f"the range of {tensor!r:.60}",
               [low, high])


OPTIMIZER = "optimizer/"                 # how the names of its variables begin
Expected = Mapping[str, tuple[str, tuple[int, ...]]]     # tensor: the kind of its dtype, as NumPy has it, and its shape


def read_network(path: Path, may_be_checkpoint: bool = False) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights and the metadata of a network.

    may_be_checkpoint: also read the weights of a checkpoint.
    Raises BadInput for a file that is none, or damaged, or whose weights are not finite; OtherFormat for a file of
    another version of MuGo, and for weights that are not those of its network.
    """
    file = TensorFile(path)
    metadata = checked_metadata(file.metadata(), path)
    names = [name for name in file.shapes if not name.startswith(OPTIMIZER)]
    if len(names) < len(file.shapes) and not may_be_checkpoint:
        raise BadInput(f"{path} is the checkpoint of a run: play and share the run's network.safetensors")
    expected = {name: ("f", weight.shape) for name, weight in network_weights(config_of(metadata).spec()).items()}
    if has_int8(metadata):
        for layer, weight in [name.rsplit("/", 1) for name in names if is_of_int8(name)]:
            _, shape = expected.get(f"{layer}/kernel", ("f", ()))
            if shape and weight == INT8_BIAS:
                expected[f"{layer}/{weight}"] = "f", shape[-1:]
            elif len(shape) == 2:
                expected[f"{layer}/{weight}"] = "f", shape
    check_tensors(file, path, expected, names)
    return file.read(expected.keys()), metadata


def check_tensors(file: TensorFile, path: Path, expected: Expected, names: Collection[str]) -> None:
    """Raise OtherFormat unless the tensors of these names are those that are expected."""
    other = f"{path}: its weights are not those of its network"
    if missing := sorted(expected.keys() - set(names)):
        raise OtherFormat(f"{other}: it has no {missing[0]}")
    if extra := sorted(set(names) - expected.keys()):
        raise OtherFormat(f"{other}: it has {extra[0][:80]!r} too")
    for name, (kind, shape) in expected.items():
        dtype, found = file.shapes[name]
        if found != shape or dtype not in DTYPES or DTYPES[dtype].kind != kind:
            raise OtherFormat(f"{other}: its {name} is {dtype} of shape {str(found)[:80]}, expected "
                              f"{'F32' if kind == 'f' else 'integers'} of shape {shape}")


def find_network(name: str | Path) -> Path:
    """The file of a network, given as a path, as the folder of a training run, or as the name of a bundled network.
    Raises BadInput, naming the bundled ones."""
    path = Path(name)
    if (in_run := path / "network.safetensors").exists():
        return in_run
    if path.is_file():
        return path
    bundled = version.bundled_networks()
    for path in bundled.get(str(name)), *(folder / f"{name}.safetensors" for folder in version.network_folders()):
        if path and path.is_file():
            return path
    if Path(name).is_dir():
        raise BadInput(f"the folder {name} has no network.safetensors, which a training run writes at its first "
                       "checkpoint")
    raise BadInput(f"there is no network {str(name)!r}: neither a file, nor the folder of a training run, nor "
                   f"one of the bundled ones ({', '.join(bundled) or 'none'})")


def name_everywhere(name: str | Path) -> str:
    """A network's name in every folder and process: its file's absolute path, or the name of a bundled one.  Raises
    BadInput."""
    path = find_network(name)
    return path.stem if path.resolve().parent in version.network_folders() else str(path.absolute())


def architecture(name: str) -> PolicyNetConfig:
    """The architecture of a preset, or of a network of this name or in this file.  Raises BadInput."""
    if name in PRESETS:
        return PRESETS[name]
    try:
        config = config_of(read_metadata(find_network(name)))
    except BadInput as error:
        raise BadInput(f"--model {name}: neither a preset ({', '.join(PRESETS)}) nor a network: {error}") from None
    if not isinstance(config, PolicyNetConfig):
        raise BadInput(f"--model {name}: is a policy-value network, trained by selfplay; train makes policy networks")
    return config
