"""The signature and the speed of the search:  mugo bench

    player  game    board     nodes    nodes/s        nodes: positions that the simulations pass, from root to leaf
    uct     go      9x9       17,094    137,943       nodes/s: per second of processor time, one thread
    ...
    signature 93,832

The signature is the sum of the nodes, the same on every machine; it changes with almost every change of what the search
does (tests/cli/test_bench.py).  `mcts` has a stand-in for the network, as the last digits of a network's output depend
on the processor.
"""
import argparse
import math
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mugo.core.files import BadInput
from mugo.games.coords import format_size, interpret_sgf
from mugo.games.game import new_game
from mugo.games.position import BasePosition
from mugo.nn.output import NetworkOutput, NetworkProtocol
from mugo.players.registry import default_settings
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

LINE = "{:8} {:7} {:7} {:>9} {:>10}"
SEED = 1
WARM_UP = 20                             # simulations of a search that compiles and is not measured


class Case(NamedTuple):
    """A search of the bench: a player, a position after some moves (pairs of SGF letters), and its simulations."""
    player: str
    game: str
    size: int
    simulations: int
    moves: str


_FIGHT_9 = "egehfhecgbgchbfbhcdhfegdbdfgggffefgf"
_OPENING_19 = "pddpppdcdececfcddgfcckcmekfqpjncpfpbqcldnqrorpqoqpqlqkplrlrm"
_GOMOKU_15 = "bkajbjbmdkckbibgcjel"
CASES = (
    Case("uct", "go", 9, 4000, ""),
    Case("uct", "go", 9, 4000, _FIGHT_9),
    Case("uct", "go", 19, 1500, _OPENING_19),
    Case("uct", "gomoku", 15, 3000, _GOMOKU_15),
    Case("mcts", "go", 9, 1500, _FIGHT_9),
    Case("mcts", "go", 19, 1000, ""),
    Case("mcts", "go", 19, 1000, _OPENING_19),
    Case("mcts", "gomoku", 15, 3000, _GOMOKU_15),
)


class HashNetwork(NetworkProtocol):
    """A stand-in for a network: priors and values are a hash of the planes, in numbers that float32 has exactly."""

    name = "hash"
    has_value = True
    has_ownership = False

    def evaluate(self, positions: list[BasePosition], symmetries: bool = False) -> NetworkOutput:
        """Not there: a search evaluates planes."""
        raise NotImplementedError

    def evaluate_packed(self, packed: np.ndarray, features: np.ndarray) -> NetworkOutput:
        """Priors of which a few are large, as a network's are, and small values.  features: not looked at."""
        planes = packed.reshape(len(packed), -1).astype(np.uint64)
        columns = np.arange(1, planes.shape[1] + 1, dtype=np.uint64)
        position = _mixed((planes * _mixed(columns)).sum(1, dtype=np.uint64))
        moves = np.arange(math.prod(packed.shape[1:-1]) + 1, dtype=np.uint64)
        numbers = _mixed(position[:, None] + moves) >> np.uint64(56)             # 8 bits
        values = (position >> np.uint64(56)).astype(np.float32) / np.float32(512) - np.float32(0.25)
        return NetworkOutput((numbers * numbers * numbers).astype(np.float32) / np.float32(1 << 24), values)


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """uint64, hashed: the finalizer of splitmix64 (Steele, Lea, Flood 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def command(arguments: argparse.Namespace) -> int:
    """Run `mugo bench`; returns the exit status.  Raises BadInput for less than one time."""
    if arguments.times < 1:
        raise BadInput(f"--times is at least 1, not {arguments.times}")
    print(LINE.format("player", "game", "board", "nodes", "nodes/s"))
    total = 0
    for case in CASES:
        runs = [run(case) for _ in range(arguments.times)]
        nodes, seconds = runs[0][0], min(seconds for _, seconds in runs)
        total += nodes
        print(LINE.format(case.player, case.game, format_size(case.size), f"{nodes:,}", f"{nodes / seconds:,.0f}"),
              flush=True)
    print(f"signature {total:,}")
    return 0


def run(case: Case) -> tuple[int, float]:
    """(the nodes of a case, the seconds of processor time that they took)."""
    position, settings = position_of(case), settings_of(case)
    _search(case, settings, position, WARM_UP)
    started = time.process_time()
    nodes = _search(case, settings, position, case.simulations)
    return nodes, time.process_time() - started


def position_of(case: Case) -> BasePosition:
    """The position after the moves of a case."""
    position = new_game(case.game, case.size)
    for i in range(0, len(case.moves), 2):
        position = position.play(interpret_sgf(case.moves[i:i + 2], case.size))
    return position


def settings_of(case: Case) -> Settings:
    """The settings of a case: those of its player, with a seed, and for all of its simulations."""
    return replace(default_settings(case.player, case.game), seed=SEED, early_stop=False)


def _search(case: Case, settings: Settings, position: BasePosition, simulations: int) -> int:
    """The nodes of a search of a new tree."""
    search = Search(settings, HashNetwork() if case.player == "mcts" else None)
    search.search(position, simulations=simulations)
    return int(search.tree.record["depth_sum"]) + simulations
