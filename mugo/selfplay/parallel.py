"""Many games of self-play at once, so that the network evaluates a position of each in one call.

    games --select_leaves--> a leaf of each --network--> priors, values --expand_and_backup_leaves--> games ...

A game that has had its simulations makes a move.  The search is the PUCT of mcts/selection.py, one simulation at a
time in each game.  As in AlphaZero (Silver et al. 2017, 2018), priors of the root have Dirichlet noise, the first moves
are sampled by visits, the tree is reused from move to move, and each evaluation is in a random symmetry.

Arrays of the kernels, one row for each of G games; N nodes per game:

    trees      TREE (G,)                       nodes    NODE (G, N)            edges    EDGE (G, N * (size² + 1))
    tables     int32 (G, 2**m)                 boards   BOARD (G, 2)           histories  uint64 (G, moves)
    paths      int32 (G, MAX_DEPTH, 2)         leaves   LEAF (G,)              symmetries int64 (G, size² + 1)
    packed     uint8 (G, size², bytes)         remaining  int64 (G,)
    priors     float32 (n, size² + 1)          values   float32 (n,)           n: leaves that need evaluation
"""
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from mugo.core.jit import kernel
from mugo.games import rollouts
from mugo.games.board import SIMPLE_KO, new_boards
from mugo.games.coords import move_index, point_of_index, symmetries
from mugo.games.game import packed_bytes, position_hash
from mugo.games.planes import new_scratch
from mugo.games.position import BasePosition, global_features
from mugo.nn.output import turned_back
from mugo.mcts import records, tree
from mugo.mcts.result import is_proven_mistake
from mugo.mcts.root import with_dirichlet_noise
from mugo.mcts.selection import set_addresses
from mugo.mcts.tree_arrays import advance_root, find, reset
from mugo.selfplay.options import DEFAULT_SELFPLAY_OPTIONS, SelfPlayOptions


MAX_VISITS = np.iinfo(np.uint16).max
KEPT_NODES = 7                           # of the tree that is kept from move to move, for each simulation of a move


class SelfPlayGame(NamedTuple):
    """A finished game.

    moves: int16 (n,), move indices.  visits: uint16 (n, size² + 1), of the root's moves before each move; 0 for proven
    mistakes.
    outcome: 1 if Black has won, -1 if White has, 0 for a draw.
    """
    moves: np.ndarray
    visits: np.ndarray
    outcome: int


def sampled_move(visits: np.ndarray, number: int, options: SelfPlayOptions, rng: np.random.Generator) -> int:
    """A move index for move `number` of a game, from 0: sampled by visits, (size² + 1,), and later the most visited."""
    if number < options.temperature_moves:
        weights = (visits / visits.max()) ** (1 / options.temperature)
        return int(rng.choice(len(visits), p=weights / weights.sum()))
    return int(rng.choice(np.flatnonzero(visits == visits.max())))


class ParallelSelfPlay:
    """Plays `games` games at once; a finished game is replaced by a new one from `start`.

    network: an nn.inference.Network with values; it may be replaced between two calls of `play`.
    seed: of noise, sampled moves and symmetries.  threads: that search; the games do not depend on their number.
    """

    def __init__(self, start: BasePosition, network, options: SelfPlayOptions = DEFAULT_SELFPLAY_OPTIONS, *,
                 games: int = 32, seed=None, threads: int = 1):
        self.network = network
        self.options = options
        self.simulations = 0                             # so far, in all games
        self._start = start
        self._rng = np.random.default_rng(seed)
        self._symmetries = symmetries(start.size)
        moves = start.size ** 2 + 1
        self._max_moves = options.max_moves or 3 * start.size ** 2
        nodes = (KEPT_NODES + 1) * options.simulations + 2     # a simulation adds one at most; NULL_NODE and a new root
        self._trees = np.zeros(games, records.TREE)
        self._nodes = np.zeros((games, nodes), records.NODE)
        self._edges = np.zeros((games, nodes * moves), records.EDGE)
        self._tables = np.zeros((games, 1 << (2 * nodes - 1).bit_length()), np.int32)
        self._boards = np.stack([new_boards(2) for _ in range(games)])
        self._boards["random"] = self._rng.integers(1, 2**63, self._boards.shape)
        self._histories = np.zeros((games, self._max_moves + records.MAX_DEPTH + 1), np.uint64)
        self._paths = np.zeros((games, records.MAX_DEPTH, 2), np.int32)
        self._leaves = np.zeros(games, records.LEAF)
        self._packed = np.zeros((games, start.size ** 2, packed_bytes(start.game)), np.uint8)
        bounds = np.linspace(0, games, min(threads, games) + 1).astype(int).tolist()
        self._shares = [slice(first, end) for first, end in itertools.pairwise(bounds)]       # of the threads
        self._scratch = [new_scratch() for _ in self._shares]
        self._executor = ThreadPoolExecutor(len(self._shares)) if len(self._shares) > 1 else None
        self._remaining = np.zeros(games, np.int64)      # simulations before the next move
        self._has_noise = np.zeros(games, bool)          # whether the root's priors have their noise
        self._positions = [start] * games
        self._visits: list[list[np.ndarray]] = [[] for _ in range(games)]
        for name, value in {"has_priors": True, "max_pass_prior": 1, "c": options.c, "fpu": np.nan, "rollouts": 1,
                            "rollout_kind": rollouts.UNIFORM, "komi": start.white_points,
                            "simple_ko": start.board[0]["ko_rule"] == SIMPLE_KO}.items():
            self._trees["params"][name] = value
        for params in self._trees["params"]:
            set_addresses(params, start.game)
        for g in range(games):
            self._start_game(g)

    def play(self, on_game: Callable[[SelfPlayGame], None], should_stop: Callable[[], bool]) -> None:
        """Play until should_stop() is true, which is called after each simulation of all games, and hand every finished
        game to on_game."""
        while not should_stop():
            self._simulate()
            for g in np.flatnonzero(self._remaining == 0).tolist():
                game = self._play_move(g)
                if game is not None:
                    on_game(game)

    def _simulate(self) -> None:
        """One simulation of every game, and those that end without an evaluation."""
        symmetry = self._symmetries[self._rng.integers(0, 8, len(self._trees))]
        before = int(self._remaining.sum())
        self._in_threads(lambda i, of: select_leaves(
            self._trees[of], self._nodes[of], self._edges[of], self._tables[of], self._boards[of], self._histories[of],
            self._paths[of], self._leaves[of], self._scratch[i], symmetry[of], self._packed[of], self._remaining[of]))
        needs_evaluation = self._leaves["needs_evaluation"]
        if needs_evaluation.any():
            features = global_features(self._start.white_points, self._boards[needs_evaluation, 1]["to_play"])
            output = turned_back(self.network.evaluate_packed(self._packed[needs_evaluation], features),
                                 symmetry[needs_evaluation])
            row = np.cumsum(needs_evaluation) - needs_evaluation             # of the first leaf of each share
            self._in_threads(lambda i, of: expand_and_backup_leaves(
                self._trees[of], self._nodes[of], self._edges[of], self._boards[of], self._paths[of], self._leaves[of],
                output.priors[row[of.start]:], output.values[row[of.start]:], tree.NO_SCORES))
        self.simulations += before - int(self._remaining.sum())
        for g in np.flatnonzero(~self._has_noise).tolist():
            self._add_root_noise(g)

    def _in_threads(self, kernel: Callable[[int, slice], object]) -> None:
        """Call kernel(number, share) for the share of each thread."""
        if self._executor is None:
            kernel(0, self._shares[0])
        else:
            list(self._executor.map(kernel, range(len(self._shares)), self._shares))

    # -- one game

    def _start_game(self, g: int) -> None:
        self._positions[g] = self._start
        self._visits[g] = []
        self._set_root(g, self._start)

    def _set_root(self, g: int, position: BasePosition) -> None:
        """Make a position the root of game g; its subtree is reused, if it leaves a free node for each simulation."""
        settings, nodes, table = self._trees[g], self._nodes[g], self._tables[g]
        board = self._boards[g, 0]
        random = board["random"]
        self._boards[g, 0] = position.board[0]
        board["random"] = random
        self._histories[g, :position.plies + 1] = position.history
        key = np.uint64(position_hash(board))
        node = find(nodes, table, key) if position.plies else records.NULL_NODE
        if node != records.NULL_NODE:
            advance_root(self._trees[g:g + 1], nodes, self._edges[g], table, node)
        if node == records.NULL_NODE or len(nodes) - settings["n_nodes"] < self.options.simulations:
            reset(settings, nodes, table, key)
        self._remaining[g] = self.options.simulations
        self._has_noise[g] = False
        self._add_root_noise(g)

    def _root_edges(self, g: int) -> np.ndarray:
        root = self._nodes[g, self._trees[g]["root"]]
        return self._edges[g, root["first"]:root["first"] + root["count"]]

    def _add_root_noise(self, g: int) -> None:
        """Mix Dirichlet noise into the priors of the root of game g, once it is expanded."""
        edges = self._root_edges(g)
        if not len(edges):
            return
        self._has_noise[g] = True
        edges["prior"] = with_dirichlet_noise(edges["prior"], self.options.dirichlet_weight,
                                              self.options.dirichlet_alpha, self._rng)

    def _play_move(self, g: int) -> SelfPlayGame | None:
        """Make the move of game g by its search; returns the game if that ends it."""
        position, edges = self._positions[g], self._root_edges(g)
        size = position.size
        # A node that is reused may have edges, and visits, of moves that superko forbids on the path of this game.
        legal = np.array([not edge["may_repeat"] or not position.why_illegal(int(edge["move"])) for edge in edges])
        good = legal.copy()
        good[legal] = ~is_proven_mistake(edges[legal])
        visits = np.zeros(size ** 2 + 1, np.uint16)
        counts = np.where(good, np.minimum(edges["visits"], MAX_VISITS), 0)
        indices = [move_index(int(point), size) for point in edges["move"]]
        visits[indices] = counts if counts.any() else good               # all moves tried are proven losses
        move = sampled_move(visits, len(self._visits[g]), self.options, self._rng)
        self._visits[g].append(visits)
        position = self._positions[g] = position.play(point_of_index(move, size))
        if not position.is_over and position.plies < self._max_moves:
            self._set_root(g, position)
            return None
        moves = [move_index(point, size) for _, point in position.moves]
        game = SelfPlayGame(np.array(moves, np.int16), np.array(self._visits[g]), int(np.sign(position.score())))
        self._start_game(g)
        return game


@kernel
def select_leaves(trees, nodes, edges, tables, boards, histories, paths, leaves, scratch, symmetries, packed,
                  remaining):
    """Select a leaf that needs evaluation in each game that has simulations remaining, and fill its row of `packed`.

    Simulations that reach the end of a game are backed up here, without an evaluation.  remaining: counted down.
    """
    for g in range(len(trees)):
        leaves[g].needs_evaluation = False
        while remaining[g] > 0 and not leaves[g].needs_evaluation:
            tree.select_batch(trees[g:g + 1], nodes[g], edges[g], tables[g], boards[g], histories[g], paths[g:g + 1],
                              leaves[g:g + 1], scratch, symmetries[g:g + 1], packed[g:g + 1])
            remaining[g] -= 1
            if not leaves[g].needs_evaluation:
                tree.backup(trees[g], nodes[g], edges[g], np.int64(leaves[g].node), leaves[g].length, paths[g],
                            tree.value_of(trees[g], leaves[g]), leaves[g].known, tree.NO_SCORE)


@kernel
def expand_and_backup_leaves(trees, nodes, edges, boards, paths, leaves, priors, values, scores):
    """Finish the simulations of select_leaves: priors and values have a row for each leaf that needs evaluation.
    scores: tree.NO_SCORES."""
    row = 0
    for g in range(len(trees)):
        if leaves[g].needs_evaluation:
            tree.expand_and_backup(trees[g:g + 1], nodes[g], edges[g], boards[g], paths[g:g + 1], leaves[g:g + 1], 1,
                                   priors[row:row + 1], values[row:row + 1], scores)
            leaves[g].needs_evaluation = False
            row += 1
