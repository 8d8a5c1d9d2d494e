"""A trained network, opened for playing:  positions in, priors and values out.  No Keras here.

A network is one file, NAME.keras.  It is a zip archive, in which stand

    config.json, model.weights.h5, ...   what Keras loads, to train on (layers.py)
    network.onnx                         the same network for ONNX Runtime, to play with
    mugo.json                            the planes it was trained on, board size, data, figures

so playing needs neither Keras nor TensorFlow, and starts in a tenth of a second.
"""
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from mugo import planes
from mugo.coords import symmetries
from mugo.files import BadInput

FORMAT = 1
BUNDLED = "policy-19"                    # what is played with when nothing else is asked for
ABOUT, ONNX = "mugo.json", "network.onnx"


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


class Network:
    """A network on ONNX Runtime.

    size: the board it plays on.  about: what mugo.json says.  has_value: whether it judges positions.
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

    def evaluate(self, positions: list, average: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        """Priors and values of go.Positions, for the side to move.

        Returns float32 (n, size² + 1), each row a probability for every move index; and float32 (n,)
        in [-1, 1], 1 where the side to move wins, or None if the network has no value head.
        average: over the eight symmetries of the board, eight times as slow and a little better.
        """
        return self.average(lambda turn: planes.encode(positions, turn), range(8) if average else [0])

    def average(self, packed_of, turns) -> tuple[np.ndarray, np.ndarray | None]:
        """Mean outputs over symmetries; packed_of(turn) gives the packed planes in that symmetry."""
        priors = values = None
        for turn in turns:
            p, v = self.evaluate_packed(packed_of(turn))
            p = p[:, symmetries(self.size)[turn]]
            priors = p if priors is None else priors + p
            values = v if values is None or v is None else values + v
        return priors / len(turns), None if values is None else values / len(turns)

    def evaluate_packed(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The outputs for packed planes, uint8 (n, size², 6); see `evaluate`."""
        outputs = self._session.run(self._outputs, {"planes": planes.unpack(packed)})
        named = dict(zip(self._outputs, outputs, strict=True))
        return named["policy"], named["value"] if self.has_value else None
