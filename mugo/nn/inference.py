"""Inference with a trained network on ONNX Runtime: positions in, priors and values out (output.NetworkOutput).

    provider    cpu        of every onnxruntime
                cuda, openvino, coreml, directml      of the packages that PACKAGES names

    precision   int8       the quantised graph (quantization.py), on PROVIDERS_OF_INT8, if the network's file has one
                float32    the other
                auto       int8 where the processor multiplies int8 faster than float32, else float32
"""
import copy
import functools
import math
import platform
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from mugo.core.files import BadInput, error_line
from mugo.core.limits import PROVIDERS
from mugo.core.machine import available_cores
from mugo.games import coords, planes
from mugo.games.game import PLANE_TABLES, encode, packed_bytes
from mugo.games.planes import connected_components, network_input
from mugo.games.position import BasePosition, global_features
from mugo.nn.architectures import config_of
from mugo.nn.graph import Weights
from mugo.nn.inputs import (
    COMPONENTS,
    GLOBAL_FEATURES,
    INPUTS,
    PEOPLE,
    POINT_BIAS,
    RANK_NUMBERS,
    People,
    encode_people,
    fit_bias,
    format_rank,
    parse_rank,
    ranks_of,
)
from mugo.nn.network_file import find_network, format_game, game_rules, has_int8, ranges_of, read_metadata, read_network
from mugo.nn.onnx_graph import OnnxGraph
from mugo.nn.output import NetworkOutput, mean_output, turned_back

KOMI_CLIP = 20                           # points above those of the board, to which komi is clipped (KataGo)
PACKAGES = {"cuda": "onnxruntime-gpu", "openvino": "onnxruntime-openvino", "coreml": "onnxruntime, on macOS",
            "directml": "onnxruntime-directml, on Windows"}
PROVIDERS_OF_INT8 = "cpu", "openvino"
X86 = {"x86_64", "amd64", "i386", "i686", "x86"}
VNNI = {"avx512vnni", "avxvnni"}         # x86: sums of four products of int8, in LLVM's names
DOT_PRODUCTS = {"dotprod", "i8mm"}       # the same on ARM


def board_shape(packed: np.ndarray) -> tuple[int, int]:
    """(rows, columns) of the boards of packed planes, as planes.network_input has them."""
    if packed.ndim == 4:
        return packed.shape[1], packed.shape[2]
    size = math.isqrt(packed.shape[1])
    return size, size


def precision_of(path: Path, precision: str, provider: str) -> str:
    """The precision, "int8" or "float32", in which a network's file is opened with these options.  Raises BadInput."""
    return play_precision(precision, provider, has_int8(read_metadata(path)), path)


class Network:
    """A network on ONNX Runtime.

    A policy network plays boards of every size and shape (inputs.fit_bias), a policy-value network its own only.

    size: the size of the board it was trained on.  metadata: as read_metadata returns it.  has_value: whether it has a
    value head.  has_ownership: whether it has ownership and score.  needs_global_features: whether its value depends on
    them.  needs_components: whether it pools over chains.  takes_people: whether it has a metadata encoder.
    game ("go" or "gomoku"), k, exactly: what it plays; 0 and False in Go.  equivariant: whether its outputs turn with
    the board.  precision: "int8" or "float32".  provider: of PROVIDERS.
    """

    def __init__(self, path: str | Path, threads: int | None = None, precision: str = "auto", provider: str = "cpu"):
        """Open a network's file (see `find_network`).  threads: CPU threads, by default one a core.  Raises
        BadInput."""
        path = find_network(path)
        weights, metadata = read_network(path)
        self._open(weights, metadata, path, threads,
                   play_precision(precision, provider, has_int8(metadata), path), provider)

    @classmethod
    def from_weights(cls, weights: Weights, metadata: dict[str, Any], threads: int | None = None,
                     precision: str = "auto", extra_outputs: Mapping[str, int] = MappingProxyType({}),
                     provider: str = "cpu") -> Self:
        """A network that is in no file, from what read_network returns.

        precision: int8 is taken on any processor: one that adds such products wrong computes the int8 graph in float32
        (new_session).  extra_outputs: see OnnxGraph.serialize."""
        network, name = cls.__new__(cls), metadata.get("name") or "network"
        if precision == "auto":
            precision = play_precision(precision, provider, has_int8(metadata), name)
        network._open(weights, metadata, Path(name), threads, precision, provider, extra_outputs)
        return network

    def _open(self, weights: Weights, metadata: dict[str, Any], path: Path, threads: int | None, precision: str,
              provider: str, extra_outputs: Mapping[str, int] = MappingProxyType({})) -> None:
        config = config_of(metadata)
        self.path, self.metadata, self.provider = path, metadata, provider
        self.precision = precision
        self.size: int = metadata["size"]
        self.equivariant: bool = config.equivariant
        self.game: str = metadata.get("game", "go")
        self.k: int = metadata.get("k", 0)
        self.exactly: bool = metadata.get("exactly", False)
        self.name: str = metadata.get("name") or path.stem
        self.depth = sum(plane.depth for plane in PLANE_TABLES[self.game])
        ranges = ranges_of(metadata) if self.precision == "int8" else None
        try:
            graph = OnnxGraph(config.exported().spec(), weights, ranges).serialize(extra_outputs)
            self._session = new_session(graph, threads or available_cores(), provider)
        except BadInput:
            raise
        except Exception as error:       # ONNX Runtime has a class for each kind, and no public name for them
            raise BadInput(f"{path} cannot be played: {error_line(error)}") from None
        self._outputs = [output.name for output in self._session.get_outputs()]
        inputs = {graph_input.name for graph_input in self._session.get_inputs()}
        self.has_value = "value" in self._outputs
        self.has_ownership = "ownership" in self._outputs
        self.needs_global_features, self.needs_components = GLOBAL_FEATURES in inputs, COMPONENTS in inputs
        self.takes_people = PEOPLE in inputs
        self._people = np.zeros((2, INPUTS), np.float32)             # when Black is to move, and when White is
        self._bias = weights.get(f"{POINT_BIAS}/bias")
        # Inputs of the graph other than the planes, by the shape of the board.
        self._extra_inputs: dict[tuple[int, int], dict[str, np.ndarray]] = \
            {(self.size, self.size): {}} if self._bias is None else {}

    def with_people(self, people: People, when_white: People | None = None) -> "Network":
        """This network with a default of who plays.  when_white: when White is to move; None: the same.  Raises
        BadInput if it takes no people, or knows none of their rank."""
        network = copy.copy(self)
        for told in people, when_white or people:
            network._check_knows(told)
        network._people = encode_people(np.concatenate([people.numbers(), (when_white or people).numbers()]))
        return network

    def for_search(self) -> "Network":
        """What a search evaluates by: this network."""
        return self

    def _check_takes_people(self) -> None:
        if not self.takes_people:
            raise BadInput(f"{self.path} does not take who plays: it was trained without --metadata-encoder")

    def _check_knows(self, people: People) -> None:
        self._check_takes_people()
        weakest = ranks_of(self.metadata)[0]
        for rank in filter(None, (people.rank, people.opponent_rank)):
            if max(parse_rank(rank), RANK_NUMBERS[0]) < weakest:
                raise BadInput(f"{self.name} has learned from players of {format_rank(weakest)} and stronger, and does "
                               f"not know how {rank} plays")

    def forget(self) -> None:
        """Forget the evaluations that are remembered: none here; see caching.CachingNetwork."""

    def describe(self) -> str:
        """What evaluates positions, for people: 'policy-19, int8', 'policy-19, float32 on cuda'."""
        return f"{self.name}, {self.precision}" + (f" on {self.provider}" if self.provider != "cpu" else "")

    def for_position(self, position: BasePosition) -> "Network":
        """The network that evaluates this position: this one.  Raises BadInput if it was trained for another game."""
        if game_rules(position) != (self.game, self.k, self.exactly):
            raise BadInput(f"{self.path} plays {format_game(self.game, self.k, self.exactly)}, "
                           f"not {format_game(*game_rules(position))}")
        return self

    def evaluate(self, positions: list[BasePosition], symmetries: bool = False, people: People | None = None
                 ) -> NetworkOutput:
        """Evaluate positions of one shape.

        symmetries: test-time augmentation, the mean over the eight symmetries of the board (four of a rectangle); an
        equivariant network, whose outputs are the same in all of them, is run once.
        people: who plays, if that is known, for a network with a metadata encoder that has learned from their ranks.
        Raises ValueError for boards of several shapes; BadInput for another game than the network's, and as
        `evaluate_packed` does.
        """
        if len({position.shape for position in positions}) != 1:
            raise ValueError("a network evaluates boards of one size at a time")
        shape = positions[0].shape
        for position in positions:
            self.for_position(position)
        features = global_features([position.area_komi for position in positions],
                                   [position.to_play for position in positions])
        n = len(coords.symmetries(shape)) if symmetries and not self.equivariant else 1
        if people is not None:
            self._check_knows(people)
        encoded = None if people is None else np.repeat(encode_people(people.numbers()), len(positions), axis=0)
        return mean_output([
            turned_back(self.evaluate_packed(network_input(encode(positions, symmetry), shape), features, encoded),
                        coords.symmetries(shape)[symmetry]) for symmetry in range(n)])

    def evaluate_packed(self, packed: np.ndarray, features: np.ndarray | None = None,
                        people: np.ndarray | None = None) -> NetworkOutput:
        """The outputs for packed planes; see `run`."""
        outputs = self.run(packed, features, people)
        return NetworkOutput(outputs["policy"], outputs.get("value"), outputs.get("ownership"),
                             outputs.get("score_mean"), outputs.get("score_stdev"))

    def run(self, packed: np.ndarray, features: np.ndarray | None = None, people: np.ndarray | None = None
            ) -> dict[str, np.ndarray]:
        """The outputs of the graph for packed planes, uint8 (n, size², game.packed_bytes(game)) of square boards, or
        (n, rows, columns, game.packed_bytes(game)), by their names.

        features: float32 (n, 2), position.global_features; a network that does not need them ignores them.
        people: float32 (n, INPUTS), as encode_people returns them; None: those of `with_people`, by the colour in the
        features.
        Raises ValueError where the network needs features and they are not given, or no numbers.  Raises BadInput for
        people that it does not take, for planes of another game or size, and for outputs that are NaN.
        """
        rows, cols = board_shape(packed)
        if packed.shape[-1] != packed_bytes(self.game):
            raise BadInput(f"{self.path} plays {format_game(self.game, self.k, self.exactly)}; these planes are of "
                           "another game")
        if (rows, cols) not in self._extra_inputs:
            if self._bias is None:
                raise BadInput(f"{self.path} is a policy-value network, which plays {self.size}x{self.size} only, "
                               f"not {cols}x{rows}")
            self._extra_inputs[rows, cols] = {POINT_BIAS: fit_bias(self._bias, (rows, cols))}
        flat = packed.reshape(len(packed), rows * cols, -1)
        inputs = {"planes": planes.unpack(flat, self.depth, (rows, cols))} | self._extra_inputs[rows, cols]
        if self.needs_global_features:
            if features is None or not np.isfinite(features).all():
                raise ValueError(f"{self.path} needs the komi and the colour of every position")
            most = np.array([rows * cols + KOMI_CLIP, 1], np.float32)
            inputs[GLOBAL_FEATURES] = np.clip(features, -most, most)
        if people is not None:
            self._check_takes_people()
        if self.takes_people:
            is_white = np.zeros(len(flat), int) if features is None else (features[:, 1] < 0).astype(int)
            inputs[PEOPLE] = self._people[is_white] if people is None else people
        if self.needs_components:
            inputs[COMPONENTS] = connected_components(flat, cols).astype(np.int64)
        outputs = dict(zip(self._outputs, self._session.run(self._outputs, inputs), strict=True))
        for name, output in outputs.items():
            if not np.isfinite(output).all():
                raise BadInput(f"{self.path}: its {name} is NaN; the network is damaged, or its training diverged")
        return outputs


@functools.cache
def cpu_features() -> frozenset[str]:
    """The instruction sets of this processor that its operating system allows, in LLVM's names."""
    from llvmlite import binding

    try:
        return frozenset(name for name, has in binding.get_host_cpu_features().items() if has)
    except RuntimeError:                 # a processor that LLVM does not know
        return frozenset()


def machine() -> str:
    """The processor's architecture, as platform.machine names it, in lower case."""
    return platform.machine().lower()


def has_fast_int8() -> bool:
    """Whether this processor has instructions for sums of products of int8: VNNI on x86, dot products on ARM."""
    if machine() in X86:
        return bool(cpu_features() & VNNI)
    is_apple = platform.system() == "Darwin"             # every ARM processor of a Mac has them
    return is_apple or bool(cpu_features() & DOT_PRODUCTS)


def has_exact_int8() -> bool:
    """Whether sums of products of int8 are right on this processor: on x86 without VNNI they saturate at 16 bits."""
    return machine() not in X86 or bool(cpu_features() & VNNI)


def play_precision(precision: str, provider: str, has_int8: bool, name: object) -> str:
    """"int8" or "float32", for a network with this name that has a quantised graph, or has none.  Raises BadInput where
    int8 is asked for and impossible."""
    if precision == "auto":
        return "int8" if has_int8 and provider in PROVIDERS_OF_INT8 and has_fast_int8() else "float32"
    if precision == "int8":
        if provider not in PROVIDERS_OF_INT8:
            raise BadInput(f"--precision int8 is for --provider {' and '.join(PROVIDERS_OF_INT8)}, not {provider}")
        if not has_int8:
            raise BadInput(f"--precision int8: {name} has no int8 graph; mugo quantize adds one")
        if provider == "cpu" and not has_exact_int8():
            raise BadInput("--precision int8: this processor has no VNNI instructions, and would compute it wrong and "
                           "slowly; float32 and auto work")
    return precision


def check_options(precision: str, provider: str) -> None:
    """Raise BadInput for a precision and a provider that no network can be opened with on this machine."""
    play_precision(precision, provider, True, "")
    if provider != "cpu":
        check_provider(provider)


def new_session(graph: bytes, threads: int, provider: str = "cpu") -> Any:
    """An onnxruntime.InferenceSession.  threads: the threads of the CPU.  Raises BadInput if the provider is missing or
    does not work on this machine; and as ONNX Runtime does for a graph that it does not run."""
    import onnxruntime

    check_provider(provider)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    if provider == "cpu" and not has_exact_int8():       # an int8 graph is measured in float32 then, as others play it
        options.add_session_config_entry("session.disable_quant_qdq", "1")
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=[PROVIDERS[provider]])
    except Exception as error:           # ONNX Runtime has a class for each kind, and no public name for them
        if provider == "cpu":
            raise
        raise BadInput(f"--provider {provider} does not work here: {error_line(error)}") from None
    if PROVIDERS[provider] not in session.get_providers():               # ONNX Runtime falls back to the CPU
        raise BadInput(f"--provider {provider} does not work here: ONNX Runtime cannot start it on this machine")
    return session


def check_provider(provider: str) -> None:
    """Raise BadInput unless the installed onnxruntime has a provider."""
    import onnxruntime

    available = onnxruntime.get_available_providers()
    if PROVIDERS[provider] not in available:
        names = [name for name, its in PROVIDERS.items() if its in available]
        raise BadInput(f"--provider {provider}: the installed onnxruntime has {' and '.join(names)} only; it is in the "
                       f"package {PACKAGES[provider]}")
