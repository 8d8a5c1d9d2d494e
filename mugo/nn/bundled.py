"""The networks that come with MuGo, and which of them plays on which board.

    policy-SIZE       plays Go; a board of another size is played by the network of the nearest size, a rectangle by
                      that of the nearest size to the mean of its sides
    search-SIZE       plays Go in searches, where policy-SIZE does otherwise: it has learned from a teacher, and
                      policy-SIZE from people
    gomoku-SIZE-K     plays free-style Gomoku, K in a row, on boards of this size only
"""
import copy
import functools
import re

import numpy as np

from mugo.core import version
from mugo.core.files import BadInput
from mugo.games.coords import BoardSize, format_size, shape_of, size_value
from mugo.games.position import BasePosition
from mugo.nn.inference import Network, board_shape, check_options
from mugo.nn.inputs import People
from mugo.nn.network_file import find_network, format_game, game_rules, read_metadata
from mugo.nn.output import NetworkOutput


def go_networks() -> dict[int, str]:
    """Board size -> the name of the bundled network for Go that was trained on it.  Raises BadInput without any."""
    found = {int(name.removeprefix("policy-")): name for name in version.bundled_networks()
             if re.fullmatch(r"policy-\d+", name)}
    if not found:
        raise BadInput("there is no bundled network: name one with --network")
    return found


def search_network(name: str) -> str:
    """The name of the bundled network that searches where this one, of go_networks, plays otherwise."""
    searching = name.replace("policy", "search")
    return searching if searching in version.bundled_networks() else name


def bundled_name(size: BoardSize, game: str = "go", k: int = 0, exactly: bool = False, for_search: bool = False) -> str:
    """The name of the bundled network for a game on boards of this size; of two as near, the larger.  Raises BadInput,
    naming those there are, if there is none."""
    if game == "go":
        names = go_networks()
        name = names[min(names, key=lambda trained: (abs(2 * trained - sum(shape_of(size))), -trained))]
        return search_network(name) if for_search else name
    found = [name for name in version.bundled_networks() if re.fullmatch(r"gomoku-\d+-\d+", name)]
    name = f"gomoku-{size_value(size)}-{k}"
    if exactly or name not in found:
        others = f"only {', '.join(found)}" if found else "and none for any Gomoku"
        raise BadInput(f"there is no bundled network for {format_game(game, k, exactly)}, on {format_size(size)} "
                       f"({others}): name one with --network")
    return name


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
        """threads, precision, provider: as in Network.  Raises BadInput if there are none for Go, or one that cannot be
        read, and as check_options does."""
        check_options(precision, provider)
        self._open = functools.partial(network_class, threads=threads, precision=precision, provider=provider)
        self._people: tuple[People, People | None] | None = None
        self._by_name: dict[str, Network] = {}
        self._by_board: dict[tuple, Network] = {}
        self._searches = False
        configs = {name: read_metadata(find_network(name))["config"] for name in go_networks().values()}
        self.has_value = all(config["value_head"] for config in configs.values())
        self.has_ownership = any(config.get("komi_input", False) for config in configs.values())
        self._takes_people = [name for name, config in configs.items() if config.get("metadata_encoder", False)]
        self.takes_people = bool(self._takes_people)

    def for_board(self, size: BoardSize, game: str = "go", k: int = 0, exactly: bool = False) -> Network:
        """The network that plays a game on boards of this size.  Raises BadInput if there is none."""
        board = shape_of(size), game, k, exactly
        if board not in self._by_board:
            network = self._opened(bundled_name(*board, self._searches and self._people is None))
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

    def for_search(self) -> "BundledNetworks":
        """These as a search asks them: on some boards other ones, unless `with_people` says who plays."""
        networks = copy.copy(self)
        networks._searches, networks._by_board = True, {}
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
