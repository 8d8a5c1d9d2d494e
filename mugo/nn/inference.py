"""Inference with a trained network on ONNX Runtime: positions in, priors and values out.  No Keras here.

    Network            one network file, opened
    BundledNetworks    all networks that come with MuGo; each board is evaluated by the one for its game and size

What they say of positions is an output.NetworkOutput.

The policy network (policy_net.py) learned from people's games of Go.  It is trained on boards of one size and plays
on all.  The policy-value network (alphazero_net.py) learned a game from self-play and plays on boards of one size.
"""
import copy
import functools
import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from mugo.core.files import BadInput, error_line
from mugo.core.machine import available_cores
from mugo.nn.components import connected_components
from mugo.games import coords, planes
from mugo.games.coords import BoardSize, shape_of
from mugo.games.game import encode, packed_bytes
from mugo.games.game import PLANE_TABLES
from mugo.games.planes import network_input
from mugo.games.position import BasePosition, global_features
from mugo.nn.bundled import bundled_name, find_network, go_networks
from mugo.nn.graph import COMPONENTS, GLOBAL_FEATURES, PEOPLE, POINT_BIAS
from mugo.nn.metadata import config_of, format_game, game_rules, has_int8, ranges_of, read_metadata
from mugo.nn.network_file import read_network
from mugo.nn.onnx_graph import OnnxGraph
from mugo.nn.output import NetworkOutput, mean_output, turned_back
from mugo.nn.people import INPUTS, People, encode_people
from mugo.nn.runtime import check_options, new_session, play_precision
from mugo.nn.weights import Weights

KOMI_CLIP = 20                           # a komi of more points than the board and so many counts as that (KataGo)


def fit_bias(bias: np.ndarray, size: BoardSize) -> np.ndarray:
    """The bias of each point, float32 (trained size²,), for boards of another size: float32 (rows * columns,).

    A point takes the bias of the one at the same distance from its nearest edges, so that corners and sides keep
    theirs.  Lines in the middle are left out or repeated; a line at the same distance from both edges gets the mean
    of two.  So a board of five lines, a b c d e, becomes

        a (b+d)/2 e           of three lines
        a b d e               of four
        a b c c c d e         of seven

    Rows and columns are fitted apart, so a rectangle needs nothing more.
    """
    trained = math.isqrt(len(bias))
    first_rows, last_rows = _fit_lines(trained, shape_of(size)[0])
    first_cols, last_cols = _fit_lines(trained, shape_of(size)[1])
    square = bias.reshape(trained, trained)
    rows = (square[first_rows] + square[last_rows]) / 2
    return ((rows[:, first_cols] + rows[:, last_cols]) / 2).ravel()


def _fit_lines(trained: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each of so many lines the two trained ones whose mean it takes: int64 (count,) each."""
    lines = np.arange(count)
    near = np.minimum(lines, (trained - 1) // 2)
    far = np.maximum(lines + trained - count, trained // 2)
    return np.where(2 * lines <= count - 1, near, far), np.where(2 * lines >= count - 1, far, near)


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

    A policy network plays boards of every size: its convolutions and pooling work on any, and the bias of each
    point is fitted (`fit_bias`).  On another size than its own that is an extrapolation: it has never seen edges so
    near to each other, or so far apart; so are rectangles.  A policy-value network plays its own size only.

    size: of the board it was trained on.  metadata: as read_metadata returns it.  has_value: whether it has a value
    head.  has_ownership: whether it has ownership and score.  needs_global_features: whether its value depends on
    them.  needs_components: whether it pools over chains.  takes_people: whether it has a metadata encoder.
    game ("go" or "gomoku"), k, exactly: what it plays; 0 and False in Go.  equivariant: whether its outputs turn with
    the board.  precision: "int8" or "float32".  provider: of runtime.PROVIDERS.
    """

    def __init__(self, path: str | Path, threads: int | None = None, precision: str = "auto", provider: str = "cpu"):
        """Open a network's file (see `find_network`).  threads: CPU threads, by default one a core.  precision,
        provider: see runtime.py.

        Raises BadInput.
        """
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
        (runtime.new_session).  extra_outputs: see OnnxGraph.serialize."""
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
        # Inputs of the graph other than the planes, by the shape of the board.  A graph without the input POINT_BIAS
        # has layers that are made for one size.
        self._extra_inputs: dict[tuple[int, int], dict[str, np.ndarray]] = \
            {(self.size, self.size): {}} if self._bias is None else {}

    def with_people(self, people: People, when_white: People | None = None) -> "Network":
        """This network, told who plays wherever it is not told otherwise.  when_white: when White is to move; None: the
        same.  Raises BadInput if it takes no people."""
        network = copy.copy(self)
        network._check_takes_people()
        network._people = encode_people(np.concatenate([people.numbers(), (when_white or people).numbers()]))
        return network

    def _check_takes_people(self) -> None:
        if not self.takes_people:
            raise BadInput(f"{self.path} does not take who plays: it was trained without --metadata-encoder")

    def forget(self) -> None:
        """Forget the evaluations that are remembered: none; see caching.CachingNetwork."""

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

        symmetries: test-time augmentation, the mean over the eight symmetries of the board (four of a rectangle):
        eight times as slow and a little better.  The outputs of an equivariant network are the same in all of them, so
        it is run once.
        people: who plays, if that is known, for a network with a metadata encoder.
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
        people: float32 (n, people.INPUTS), as encode_people returns them; None: those of `with_people`, without
        features those when Black is to move, or nothing is known.
        Raises ValueError where the network needs them and they are not given, or no numbers.  Raises BadInput for
        people that it does not take, for planes of another game, for another size than the network's if it plays no
        other, and for outputs that are NaN: the network is damaged, or its training diverged.
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


class BundledNetworks:
    """The bundled networks as one evaluator: each board is evaluated by the one for its game and size
    (`bundled_name`), which is opened when it is first needed.

    has_value: whether all of them have a value head; those for Gomoku always do.
    has_ownership: whether any of them for Go has ownership and score; the outputs of the others are None.
    takes_people: whether any of them for Go has a metadata encoder.
    """
    name = "bundled"

    def __init__(self, threads: int | None = None, precision: str = "auto", provider: str = "cpu",
                 network_class: type[Network] = Network):
        """threads, precision, provider: as in Network.  network_class: of each network.

        Raises BadInput if there are none for Go, or one that cannot be read, and as runtime.check_options.
        """
        check_options(precision, provider)
        self._open = functools.partial(network_class, threads=threads, precision=precision, provider=provider)
        self._people: tuple[People, People | None] | None = None
        self._by_name: dict[str, Network] = {}
        self._by_board: dict[tuple, Network] = {}
        configs = {name: read_metadata(find_network(name))["config"] for name in go_networks().values()}
        self.has_value = all(config["value_head"] for config in configs.values())
        self.has_ownership = any(config.get("komi_input", False) for config in configs.values())
        self._takes_people = [name for name, config in configs.items() if config.get("metadata_encoder", False)]
        self.takes_people = bool(self._takes_people)

    def for_board(self, size: BoardSize, game: str = "go", k: int = 0, exactly: bool = False) -> Network:
        """The network that plays a game on boards of this size.  Raises BadInput if there is none, or it cannot be
        opened."""
        board = shape_of(size), game, k, exactly
        if board not in self._by_board:
            network = self._opened(bundled_name(*board))
            if self._people is not None:
                if game == "go" and not network.takes_people:
                    network = self._opened(self._takes_people[-1])
                network = network.with_people(*self._people)
            self._by_board[board] = network
        return self._by_board[board]

    def _opened(self, name: str) -> Network:
        if name not in self._by_name:
            self._by_name[name] = self._open(name)
        return self._by_name[name]

    def with_people(self, people: People, when_white: People | None = None) -> "BundledNetworks":
        """As Network.with_people, if any takes people: where the one for a board does not, another one plays there."""
        if not self.takes_people:
            raise BadInput("no bundled network takes who plays: name one that was trained with --metadata-encoder")
        nobody = people == People() == (when_white or people)
        if nobody and self._people is None:
            return self
        networks = copy.copy(self)
        networks._people, networks._by_board = None if nobody else (people, when_white), {}
        return networks

    def forget(self) -> None:
        """As Network.forget."""
        for network in self._by_name.values():
            network.forget()

    def describe(self) -> str:
        """The networks that have been opened, as in Network.describe."""
        return "; ".join(network.describe() for network in self._by_name.values()) or self.name

    def for_position(self, position: BasePosition) -> Network:
        """The network that evaluates this position.  Raises BadInput as `for_board` does."""
        return self.for_board(position.shape, *game_rules(position))

    def evaluate(self, positions: list[BasePosition], symmetries: bool = False, people: People | None = None
                 ) -> NetworkOutput:
        """As Network.evaluate."""
        networks = self if people is None else self.with_people(people)
        return networks.for_position(positions[0]).evaluate(positions, symmetries)

    def evaluate_packed(self, packed: np.ndarray, features: np.ndarray | None = None) -> NetworkOutput:
        """As Network.evaluate_packed, for Go only: Gomoku's planes do not contain k, so evaluate them with the
        network `for_position`."""
        return self.for_board(board_shape(packed)).evaluate_packed(packed, features)
