"""A trained network, opened for playing:  positions in, priors and values out.  No Keras here.

A network is one file, NAME.keras.  It is a zip archive, in which stand

    config.json, model.weights.h5, ...   what Keras loads, to train on (layers.py)
    network.onnx                         the same network for ONNX Runtime, to play with
    mugo.json                            the planes it was trained on, board size, data, figures

so playing needs neither Keras nor TensorFlow, and starts in a tenth of a second.

It is trained on boards of one size and plays on all: see `Network`.  Which of the bundled ones plays where
nobody names one goes by the board: see `bundled`.
"""
import json
import math
import os
import re
import zipfile
from pathlib import Path

import numpy as np

from mugo import planes
from mugo.coords import symmetries
from mugo.files import BadInput

FORMAT = 1
ABOUT, ONNX = "mugo.json", "network.onnx"
POINT_BIAS = "point_bias"                # an input of the graph, and where its metadata have the trained one


def folders() -> list[Path]:
    """Where bundled networks are: inside the installed package, or beside it in a clone."""
    here = Path(__file__).resolve().parent
    return [here / "models", here.parent / "models"]


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


def _for_sizes() -> dict[int, str]:
    """Board size -> the name of the network that is bundled for it.  Raises BadInput if there is none at all."""
    names = [path.stem for folder in folders() for path in folder.glob("policy-*.keras")]
    found = {int(name.removeprefix("policy-")): name for name in names if re.fullmatch(r"policy-\d+", name)}
    if not found:
        raise BadInput("no network came with this program: name one with --network")
    return found


def bundled(size: int) -> str:
    """The name of the bundled network for boards of this size: policy-SIZE, or else the one for the nearest
    size, the larger of two.  Raises BadInput if there is none."""
    names = _for_sizes()
    return names[min(names, key=lambda trained: (abs(trained - size), -trained))]


def read_about(path: Path) -> dict:
    """What mugo.json says in a network's file.  Raises BadInput for a file that is none, or one for
    other planes than this program makes."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read(ABOUT))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path} is no network of MuGo's: {error}") from None
    if about.get("format") != FORMAT:
        raise BadInput(f"{path} has format {about.get('format')}; this program reads {FORMAT}")
    ours = [list(plane) for plane in planes.PLANES]
    if about["planes"] != ours:
        theirs = sum(plane[1] for plane in about["planes"])
        if theirs != planes.DEPTH:
            raise BadInput(f"{path} was trained on {theirs} planes; this program makes {planes.DEPTH}")
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

    It plays boards of every size: its convolutions and means know none, and the bias of each point is fitted
    (`fit_bias`).  On another size than its own that is an extrapolation: it has never seen edges so near to each
    other, or so far apart.

    size: the board it was trained on.  about: what mugo.json says.  has_value: whether it judges positions.
    """

    def __init__(self, path: str | Path, threads: int | None = None):
        """Open a network's file (see `find`).  threads: CPU threads, by default one a core.

        Raises BadInput.
        """
        import onnxruntime

        self.path = find(path)
        self.about = read_about(self.path)
        self.size: int = self.about["size"]
        self.name = self.about.get("name") or self.path.stem
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") \
            else threads or os.cpu_count() or 1
        options.log_severity_level = 3
        with zipfile.ZipFile(self.path) as archive:
            try:
                graph = archive.read(ONNX)
            except KeyError:
                raise BadInput(f"{self.path} has no {ONNX} in it, so it can be trained but not played") from None
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._outputs = [output.name for output in self._session.get_outputs()]
        self.has_value = "value" in self._outputs
        bias = self._session.get_modelmeta().custom_metadata_map.get(POINT_BIAS)
        self._bias = None if bias is None else np.array(json.loads(bias), np.float32)
        # What the graph gets beside the planes, by the points of a board.  The first files have the bias inside.
        self._fitted: dict[int, dict[str, np.ndarray]] = {self.size ** 2: {}} if bias is None else {}

    def evaluate(self, positions: list, average: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        """Priors and values of go.Positions of one size, for the side to move.

        Returns float32 (n, size² + 1), each row a probability for every move index; and float32 (n,)
        in [-1, 1], 1 where the side to move wins, or None if the network has no value head.
        average: over the eight symmetries of the board, eight times as slow and a little better.
        Raises ValueError for boards of several sizes; BadInput as `evaluate_packed` does.
        """
        if len({position.size for position in positions}) != 1:
            raise ValueError("a network evaluates boards of one size at a time")
        return self.average(lambda turn: planes.encode(positions, turn), range(8) if average else [0])

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
        """The outputs for packed planes, uint8 (n, size², 6); see `evaluate`.

        Raises BadInput for another size than the network's if its file is too old for that.
        """
        points = packed.shape[1]
        if points not in self._fitted:
            size = math.isqrt(points)
            if self._bias is None:
                raise BadInput(f"{self.path} is of the first kind, which plays {self.size}x{self.size} only, "
                               f"not {size}x{size}")
            self._fitted[points] = {POINT_BIAS: fit_bias(self._bias, size)}
        outputs = self._session.run(self._outputs, {"planes": planes.unpack(packed)} | self._fitted[points])
        named = dict(zip(self._outputs, outputs, strict=True))
        return named["policy"], named["value"] if self.has_value else None


class Bundled:
    """The bundled networks as one: every board is played by the one for its size (`bundled`), which is opened
    when it is first needed.

    has_value: whether all of them judge positions.
    """
    name = "bundled"

    def __init__(self, threads: int | None = None):
        """threads: as of Network.  Raises BadInput if there are none, or one that cannot be read."""
        self._threads = threads
        self._open: dict[str, Network] = {}
        self._on: dict[int, Network] = {}
        self.has_value = all(read_about(find(name))["architecture"]["value"] for name in _for_sizes().values())

    def on(self, size: int) -> Network:
        """The network that plays boards of this size.  Raises BadInput if it cannot be opened."""
        if size not in self._on:
            name = bundled(size)
            if name not in self._open:
                self._open[name] = Network(name, self._threads)
            self._on[size] = self._open[name]
        return self._on[size]

    def evaluate(self, positions: list, average: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        """As Network.evaluate."""
        return self.on(positions[0].size).evaluate(positions, average)

    def evaluate_packed(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """As Network.evaluate_packed."""
        return self.on(math.isqrt(packed.shape[1])).evaluate_packed(packed)
