"""A network against itself in many games at once, so that it judges a position of each in one call.

    games  --gather--> a leaf of each --> network --> priors, values --absorb-->  games        again and again;
                                                                                  a game that has had its
                                                                                  simulations makes a move

The search is tree.py's PUCT, as `mcts` has it, one simulation at a time for each game: so nothing is pending where
another simulation could meet it, and a game is searched as if it were alone.  What makes it learn is AlphaZero's
(Silver et al. 2017): Dirichlet noise in the priors of the root, moves drawn by their visits early in a game, the
tree kept from move to move, and positions shown to the network in a random one of their eight symmetries.
Any game that rules.py knows is played.
"""
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from mugo.files import BadInput
from mugo.games import rollouts
from mugo.games.board import new_boards
from mugo.games.coords import move_index, point_of_index, symmetries
from mugo.games.game import packed_bytes, position_hash
from mugo.games.planes import new_scratch
from mugo.games.position import BasePosition
from mugo.search import tree


@dataclass(frozen=True)
class Manner:
    """How the games are played.  Raises BadInput for what makes no sense.

    simulations: new ones for each move, beside what the kept tree has.  c: of PUCT.
    noise, alpha: priors at the root become (1 - noise) prior + noise Dirichlet(alpha).
    drawn: so many moves of a game are drawn by visits^(1 / temperature); then the most visited is played.
    most_moves: a game that lasts longer is counted as it stands; 0: three times the points of the board.
    """
    simulations: int = 400
    c: float = 2.0
    noise: float = 0.25
    alpha: float = 0.3
    drawn: int = 10
    temperature: float = 1.0
    most_moves: int = 0

    def __post_init__(self):
        for name, least in ("simulations", 2), ("drawn", 0), ("most_moves", 0):
            if getattr(self, name) < least:
                raise BadInput(f"{name.replace('_', ' ')}: {least} or more, not {getattr(self, name)}")
        if not 0 <= self.noise <= 1:
            raise BadInput(f"noise is a share from 0 to 1, not {self.noise}")
        for name in "c", "alpha", "temperature":
            if not 0 < getattr(self, name) < np.inf:
                raise BadInput(f"{name} is more than 0, not {getattr(self, name)}")


class Game(NamedTuple):
    """A game that was played to its end.

    moves: int16 (n,), move indices.  visits: uint16 (n, size² + 1), of the moves of the root before each of them.
    outcome: 1 if Black has won, -1 if White has, 0 for a draw.
    """
    moves: np.ndarray
    visits: np.ndarray
    outcome: int


class Simul:
    """`games` games side by side, from one start, one after the other in each place.

    network: anything with `evaluate_packed(packed)`, as network.Network has it, with values; it may be replaced
    between two calls of `play`, and the games go on.  seed: of the noise and the draws.
    """

    def __init__(self, start: BasePosition, network, manner: Manner = Manner(), *, games: int = 32, seed=None):
        self.network = network
        self.manner = manner
        self.simulations = 0                             # done so far, in all games
        self._start = start
        self._rng = np.random.default_rng(seed)
        self._turns = symmetries(start.size)
        moves = start.size ** 2 + 1
        self._longest = manner.most_moves or 3 * start.size ** 2
        nodes = 2 * manner.simulations + 64              # what is kept of the last move's, and this move's
        self._trees = np.zeros(games, tree.TREE)
        self._nodes = np.zeros((games, nodes), tree.NODE)
        self._edges = np.zeros((games, nodes * moves), tree.EDGE)
        self._tables = np.zeros((games, 1 << (2 * nodes - 1).bit_length()), np.int32)
        self._boards = np.stack([new_boards(2) for _ in range(games)])
        self._boards["random"] = self._rng.integers(1, 2**63, self._boards.shape)
        self._histories = np.zeros((games, self._longest + tree.MAX_DEPTH + 1), np.uint64)
        self._paths = np.zeros((games, tree.MAX_DEPTH, 2), np.int32)
        self._leaves = np.zeros(games, tree.LEAF)
        self._packed = np.zeros((games, start.size ** 2, packed_bytes(start.game)), np.uint8)
        self._scratch = new_scratch()
        self._left = np.zeros(games, np.int64)           # simulations before the next move
        self._is_noisy = np.zeros(games, bool)
        self._positions = [start] * games
        self._visits: list[list[np.ndarray]] = [[] for _ in range(games)]
        for name, value in {"formula": tree.PUCT, "has_priors": True, "transpositions": True, "c": manner.c,
                            "fpu": np.nan, "rollouts": 1, "rollout_kind": rollouts.UNIFORM, "komi": start.komi}.items():
            self._trees[name] = value
        for place in range(games):
            self._begin(place)

    def play(self, finished: Callable[[Game], None], should_stop: Callable[[], bool]) -> None:
        """Play until should_stop(), which is asked after every simulation; tell each game that ends."""
        while not should_stop():
            self._step()
            for place in np.flatnonzero(self._left == 0).tolist():
                game = self._move(place)
                if game is not None:
                    finished(game)

    def _step(self) -> None:
        """A simulation of every game."""
        turned = self._turns[self._rng.integers(0, 8, len(self._trees))]
        before = int(self._left.sum())
        select_batch_each(self._trees, self._nodes, self._edges, self._tables, self._boards, self._histories,
                          self._paths,
                          self._leaves, self._scratch, turned, self._packed, self._left)
        asks = self._leaves["needs_evaluation"]
        if asks.any():
            priors, values = self.network.evaluate_packed(self._packed[asks])
            priors = np.take_along_axis(priors, turned[asks], 1)
            expand_and_backup_each(self._trees, self._nodes, self._edges, self._boards, self._paths, self._leaves,
                                   priors, values)
        self.simulations += before - int(self._left.sum())
        for place in np.flatnonzero(~self._is_noisy).tolist():
            self._make_noise(place)

    # -- one game

    def _begin(self, place: int) -> None:
        self._positions[place] = self._start
        self._visits[place] = []
        self._stand_on(place, self._start)

    def _stand_on(self, place: int, position: BasePosition) -> None:
        """Search this position next; what the tree knows of it is kept."""
        settings, nodes, table = self._trees[place], self._nodes[place], self._tables[place]
        board = self._boards[place, 0]
        random = board["random"]
        self._boards[place, 0] = position.board[0]
        board["random"] = random
        self._histories[place, :position.plies + 1] = position.history
        key = np.uint64(position_hash(board))
        node = tree.find(nodes, table, key) if position.plies else tree.NULL_NODE
        if node == tree.NULL_NODE:
            tree.reset(settings, nodes, table, key)
        else:
            tree.advance_root(self._trees[place:place + 1], nodes, self._edges[place], table, node)
        self._left[place] = self.manner.simulations
        self._is_noisy[place] = False
        self._make_noise(place)

    def _root_edges(self, place: int) -> np.ndarray:
        root = self._nodes[place, self._trees[place]["root"]]
        return self._edges[place, root["first"]:root["first"] + root["count"]]

    def _make_noise(self, place: int) -> None:
        """Mix noise into the priors of the root, if it has its moves; the next root has its own."""
        edges = self._root_edges(place)
        if not len(edges):
            return
        self._is_noisy[place] = True
        if self.manner.noise:
            noise = self._rng.dirichlet(np.full(len(edges), self.manner.alpha))
            edges["prior"] = (1 - self.manner.noise) * edges["prior"] + self.manner.noise * noise

    def _move(self, place: int) -> Game | None:
        """Make the move that the search is for; returns the game if that ends it."""
        position, edges = self._positions[place], self._root_edges(place)
        size = position.size
        visits = np.zeros(size ** 2 + 1, np.uint16)
        visits[[move_index(int(point), size) for point in edges["move"]]] = np.minimum(edges["visits"], 65535)
        if len(self._visits[place]) < self.manner.drawn:
            weights = (visits / visits.max()) ** (1 / self.manner.temperature)
            move = int(self._rng.choice(len(visits), p=weights / weights.sum()))
        else:
            best = np.flatnonzero(visits == visits.max())
            move = int(self._rng.choice(best))
        self._visits[place].append(visits)
        position = self._positions[place] = position.play(point_of_index(move, size))
        if not position.is_over and position.plies < self._longest:
            self._stand_on(place, position)
            return None
        moves = [move_index(point, size) for _, point in position.moves]
        game = Game(np.array(moves, np.int16), np.array(self._visits[place]), int(np.sign(position.score())))
        self._begin(place)
        return game


@njit(cache=True, nogil=True)
def select_batch_each(trees, nodes, edges, tables, boards, histories, paths, leaves, scratch, turns, packed, left):
    """Take every game of `games` that has simulations left to a leaf that a network has to judge.

    All arrays have one row for each game, as tree.gather has them for one; boards: (games, 2).  packed: uint8
    (games, size², bytes), filled where leaves[g].asks.  left: int64 (games,), counted down; simulations that end in
    a finished game ask nobody, and are done here.
    """
    for g in range(len(trees)):
        leaves[g].needs_evaluation = False
        while left[g] > 0 and not leaves[g].needs_evaluation:
            tree.select_batch(trees[g:g + 1], nodes[g], edges[g], tables[g], boards[g], histories[g], paths[g:g + 1],
                              leaves[g:g + 1], scratch, turns[g:g + 1], packed[g:g + 1])
            left[g] -= 1
            if not leaves[g].needs_evaluation:
                tree.backup(trees[g], nodes[g], edges[g], np.int64(leaves[g].node), leaves[g].length, paths[g],
                            leaves[g].value)


@njit(cache=True, nogil=True)
def expand_and_backup_each(trees, nodes, edges, boards, paths, leaves, priors, values):
    """The end of what gather_each began: priors (asking, size² + 1), values (asking,), one row for each that asks."""
    row = 0
    for g in range(len(trees)):
        if leaves[g].needs_evaluation:
            tree.expand_and_backup(trees[g:g + 1], nodes[g], edges[g], boards[g], paths[g:g + 1], leaves[g:g + 1], 1,
                                   priors[row:row + 1], values[row:row + 1])
            leaves[g].needs_evaluation = False
            row += 1
