"""A trained network, opened for playing:  positions in, priors and values out.  No Keras here.

A network is one file, NAME.keras.  It is a zip archive, in which stand

    config.json, model.weights.h5, ...   what Keras loads, to train on (layers.py)
    network.onnx                         the same network for ONNX Runtime, to play with
    mugo.json                            the planes it was trained on, board size, data, figures

so playing needs neither Keras nor TensorFlow, and starts in a tenth of a second.

There are two kinds.  The policy network learned from people's games of Go; it is trained on boards of one size and
plays on all: see `Network`.  The policy-value network learned a game from self-play, and plays it on boards of one
size.  Which of the bundled ones plays where nobody names one goes by the game and the board: see `bundled`.
"""
import json
import math
import os
import re
import zipfile
import zlib
from pathlib import Path

import numpy as np

from mugo.files import BadInput, error_line
from mugo.games import gomoku, planes
from mugo.games.coords import symmetries
from mugo.games.game import encode, packed_bytes
from mugo.games.position import BasePosition

FORMAT = 1
ABOUT, ONNX = "mugo.json", "network.onnx"
POLICY_VALUE = "policy-value"            # the kind of network that policy_value.py makes; the other has none
POINT_BIAS = "point_bias"                # an input of the graph, and where its metadata have the trained one
TABLES = {"go": planes.PLANES, "gomoku": gomoku.PLANES}        # what a network sees, by its game


def folders() -> list[Path]:
    """Where bundled networks are: inside the installed package, or beside it in a clone."""
    package = Path(__file__).resolve().parents[1]
    return [package / "models", package.parent / "models"]


def find(name: str | Path) -> Path:
    """The file of a network: a path, the folder of a training run, or the name of a bundled one.

    Raises BadInput, naming what there is.
    """
    path = Path(name)
    if path.is_dir() and (path / "network.keras").exists():
        return path / "network.keras"
    if path.is_file():
        return path
    for folder in folders():
        if (folder / f"{name}.keras").is_file():
            return folder / f"{name}.keras"
    bundled = sorted({path.stem for folder in folders() for path in folder.glob("*.keras")})
    raise BadInput(f"there is no network {str(name)!r}: neither a file, nor the folder of a training run, nor "
                   f"one of the bundled ones ({', '.join(bundled) or 'none'})")


def say_game(game: str, k: int = 0, exactly: bool = False) -> str:
    """A game as messages name it: 'Go', 'Gomoku, 5 in a row', 'Gomoku, exactly 5 in a row'."""
    return f"Gomoku, {'exactly ' if exactly else ''}{k} in a row" if game == "gomoku" else "Go"


def game_of(position: BasePosition) -> tuple[str, int, bool]:
    """What a network has to be trained for to judge this position: (game, k, exactly), 0 and False in Go."""
    return (position.game, position.k, position.exactly) if position.game == "gomoku" else (position.game, 0, False)


def _for_sizes() -> dict[int, str]:
    """Board size -> the name of the network that plays Go on it.  Raises BadInput if there is none at all."""
    names = [path.stem for folder in folders() for path in folder.glob("policy-*.keras")]
    found = {int(name.removeprefix("policy-")): name for name in names if re.fullmatch(r"policy-\d+", name)}
    if not found:
        raise BadInput("no network came with this program: name one with --network")
    return found


def bundled(size: int, game: str = "go", k: int = 0, exactly: bool = False) -> str:
    """The name of the bundled network for a game on boards of this size.

    Go: policy-SIZE, or else the one for the nearest size, the larger of two.  Gomoku: gomoku-SIZE-K, which is
    free-style.  Raises BadInput, naming those there are, if there is none.
    """
    if game == "go":
        names = _for_sizes()
        return names[min(names, key=lambda trained: (abs(trained - size), -trained))]
    found = sorted({path.stem for folder in folders() for path in folder.glob("gomoku-*.keras")
                    if re.fullmatch(r"gomoku-\d+-\d+", path.stem)})
    name = f"gomoku-{size}-{k}"
    if exactly or name not in found:
        raise BadInput(f"no network for {say_game(game, k, exactly)}, on {size}x{size} came with this program "
                       f"(but {', '.join(found) or 'none for any Gomoku'}): name one with --network")
    return name


def positions_learned(about: dict) -> int:
    """How many positions the network of this mugo.json has learned from, and the one that it began with before it."""
    before = positions_learned(about["start"]) if about.get("start") else 0
    return before + (about.get("best") or {}).get("positions", 0)


def read_about(path: Path) -> dict:
    """What mugo.json says in a network's file.  Raises BadInput for a file that is none, or one for
    other planes than this program makes."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read(ABOUT))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise BadInput(f"{path} is no network of MuGo's: {error_line(error)}") from None
    if not isinstance(about, dict):
        raise BadInput(f"{path} is no network of MuGo's: its {ABOUT} is no JSON object")
    if about.get("format") != FORMAT:
        raise BadInput(f"{path} has format {about.get('format')}; this program reads {FORMAT}")
    game = about.get("game", "go")
    if game not in TABLES:
        raise BadInput(f"{path} plays {game!r}; this program knows {' and '.join(TABLES)}")
    for name, kind in ("planes", list), ("size", int), ("architecture", dict):
        if not isinstance(about.get(name), kind):
            raise BadInput(f"{path} is no network of MuGo's: its {ABOUT} does not say {name!r}")
    ours = [list(plane) for plane in TABLES[game]]
    if about["planes"] != ours:
        theirs, depth = (sum(plane[1] for plane in table) for table in (about["planes"], ours))
        if theirs != depth:
            raise BadInput(f"{path} was trained on {theirs} planes; this program makes {depth}")
        odd = next(a[0] for a, b in zip(about["planes"], ours, strict=False) if a != b)
        raise BadInput(f"{path} was trained on other planes: its {odd!r} is not this program's")
    return about


def fit_bias(bias: np.ndarray, size: int) -> np.ndarray:
    """The bias of each point, float32 (trained size²,), for boards of another size: float32 (size²,).

    A point takes the bias of the one that is as far from its nearest edges, so that corners and sides keep
    theirs.  Lines in the middle are left out or repeated; one as far from either edge gets the mean of two.
    So a board of five lines, a b c d e, becomes

        a (b+d)/2 e           of three lines
        a b d e               of four
        a b c c c d e         of seven
    """
    trained = math.isqrt(len(bias))
    lines = np.arange(size)
    near = np.minimum(lines, (trained - 1) // 2)
    far = np.maximum(lines + trained - size, trained // 2)
    first = np.where(2 * lines <= size - 1, near, far)
    last = np.where(2 * lines >= size - 1, far, near)
    square = bias.reshape(trained, trained)
    rows = (square[first] + square[last]) / 2
    return ((rows[:, first] + rows[:, last]) / 2).ravel()


class Network:
    """A network on ONNX Runtime.

    A policy network plays boards of every size: its convolutions and means know none, and the bias of each point is
    fitted (`fit_bias`).  On another size than its own that is an extrapolation: it has never seen edges so near to
    each other, or so far apart.  A policy-value network plays its own size only.

    size: the board it was trained on.  about: what mugo.json says.  has_value: whether it judges positions.
    game ("go" or "gomoku"), k, exactly: what it plays; 0 and False in Go.  equivariant: whether what it says turns
    with the board.
    """

    def __init__(self, path: str | Path, threads: int | None = None):
        """Open a network's file (see `find`).  threads: CPU threads, by default one a core.

        Raises BadInput.
        """
        path = find(path)
        about = read_about(path)
        with zipfile.ZipFile(path) as archive:
            try:
                graph = archive.read(ONNX)
            except KeyError:
                raise BadInput(f"{path} has no {ONNX} in it, so it can be trained but not played") from None
            except (OSError, zipfile.BadZipFile, zlib.error) as error:
                raise BadInput(f"{path} is damaged: {error_line(error)}") from None
        self._open(graph, about, path, threads)

    @classmethod
    def from_graph(cls, graph: bytes, about: dict, threads: int | None = None) -> "Network":
        """A network that is in no file: a graph as layers.graph_of makes it, and what mugo.json would say."""
        network = cls.__new__(cls)
        network._open(graph, about, Path(about.get("name") or "network"), threads)
        return network

    def _open(self, graph: bytes, about: dict, path: Path, threads: int | None) -> None:
        import onnxruntime

        self.path, self.about = path, about
        self.size: int = about["size"]
        self.equivariant: bool = about["architecture"].get("equivariant", False)
        self.game: str = about.get("game", "go")
        self.k: int = about.get("k", 0)
        self.exactly: bool = about.get("exactly", False)
        self.name = about.get("name") or path.stem
        self.depth = sum(plane.depth for plane in TABLES[self.game])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") \
            else threads or os.cpu_count() or 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:       # ONNX Runtime has a class for each kind, and no public name for them
            raise BadInput(f"{path}: its {ONNX} cannot be played: {error_line(error)}") from None
        self._outputs = [output.name for output in self._session.get_outputs()]
        self.has_value = "value" in self._outputs
        bias = self._session.get_modelmeta().custom_metadata_map.get(POINT_BIAS)
        self._bias = None if bias is None else np.array(json.loads(bias), np.float32)
        # What the graph gets beside the planes, by the points of a board.  Where no bias is asked for, the graph has
        # one inside (the first files), or a layer that is made for one size.
        self._fitted: dict[int, dict[str, np.ndarray]] = {self.size ** 2: {}} if bias is None else {}

    def for_position(self, position: BasePosition) -> "Network":
        """The network that judges this position: this one.  Raises BadInput if it was trained for another game."""
        if game_of(position) != (self.game, self.k, self.exactly):
            raise BadInput(f"{self.path} plays {say_game(self.game, self.k, self.exactly)}, "
                           f"not {say_game(*game_of(position))}")
        return self

    def evaluate(self, positions: list[BasePosition], average: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        """Priors and values of positions of one size, for the side to move.

        Returns float32 (n, size² + 1), each row a probability for every move index; and float32 (n,)
        in [-1, 1], 1 where the side to move wins, or None if the network has no value head.
        average: over the eight symmetries of the board, eight times as slow and a little better; an equivariant
        network says the same in all of them, and is asked once.
        Raises ValueError for boards of several sizes; BadInput for another game than the network's, and as
        `evaluate_packed` does.
        """
        if len({position.size for position in positions}) != 1:
            raise ValueError("a network evaluates boards of one size at a time")
        for position in positions:
            self.for_position(position)
        turns = range(8) if average and not self.equivariant else [0]
        return self.average(lambda turn: encode(positions, turn), turns)

    def average(self, packed_of, turns) -> tuple[np.ndarray, np.ndarray | None]:
        """Mean outputs over symmetries; packed_of(turn) gives the packed planes in that symmetry."""
        priors = values = None
        for turn in turns:
            p, v = self.evaluate_packed(packed_of(turn))
            p = p[:, symmetries(math.isqrt(p.shape[1]))[turn]]
            priors = p if priors is None else priors + p
            values = v if values is None or v is None else values + v
        return priors / len(turns), None if values is None else values / len(turns)

    def evaluate_packed(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The outputs for packed planes, uint8 (n, size², rules.packed_bytes(game)); see `evaluate`.

        Raises BadInput for planes of another game, and for another size than the network's if it plays no other.
        """
        points = packed.shape[1]
        if packed.shape[2] != packed_bytes(self.game):
            raise BadInput(f"{self.path} plays {say_game(self.game, self.k, self.exactly)}, and this is another game")
        if points not in self._fitted:
            size = math.isqrt(points)
            if self._bias is None:
                kind = "of the first kind" if "kind" not in self.about["architecture"] else "a policy-value network"
                raise BadInput(f"{self.path} is {kind}, which plays {self.size}x{self.size} only, not {size}x{size}")
            self._fitted[points] = {POINT_BIAS: fit_bias(self._bias, size)}
        outputs = self._session.run(self._outputs, {"planes": planes.unpack(packed, self.depth)} | self._fitted[points])
        named = dict(zip(self._outputs, outputs, strict=True))
        return named["policy"], named["value"] if self.has_value else None


class Bundled:
    """The bundled networks as one: every board is played by the one for its game and size (`bundled`), which is
    opened when it is first needed.

    has_value: whether all of them judge positions; those for Gomoku always do.
    """
    name = "bundled"

    def __init__(self, threads: int | None = None):
        """threads: as of Network.  Raises BadInput if there are none for Go, or one that cannot be read."""
        self._threads = threads
        self._open: dict[str, Network] = {}
        self._on: dict[tuple, Network] = {}
        self.has_value = all(read_about(find(name))["architecture"]["value"] for name in _for_sizes().values())

    def on(self, size: int, game: str = "go", k: int = 0, exactly: bool = False) -> Network:
        """The network that plays a game on boards of this size.  Raises BadInput if there is none, or it cannot be
        opened."""
        key = size, game, k, exactly
        if key not in self._on:
            name = bundled(*key)
            if name not in self._open:
                self._open[name] = Network(name, self._threads)
            self._on[key] = self._open[name]
        return self._on[key]

    def for_position(self, position: BasePosition) -> Network:
        """The network that judges this position.  Raises BadInput as `on` does."""
        return self.on(position.size, *game_of(position))

    def evaluate(self, positions: list[BasePosition], average: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        """As Network.evaluate."""
        return self.for_position(positions[0]).evaluate(positions, average)

    def evaluate_packed(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """As Network.evaluate_packed, for Go only: Gomoku's planes do not tell how many in a row win, so the network
        is asked that is there `for_position`."""
        return self.on(math.isqrt(packed.shape[1])).evaluate_packed(packed)
