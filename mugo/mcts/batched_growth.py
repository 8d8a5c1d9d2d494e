"""A tree that grows with a network, which evaluates the leaves of a batch together.

                    +--> network: priors, values --+
    select a batch  |                              +--> expand and back up
                    +--> threads: rollouts --------+
"""
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np

from mugo.games import game
from mugo.games.board import new_boards
from mugo.games.coords import symmetries
from mugo.games.planes import network_input, new_scratch
from mugo.games.position import BasePosition, global_features
from mugo.nn.output import NetworkOutput
from mugo.mcts import records, scores, tree
from mugo.mcts.settings import Settings
from mugo.mcts.threaded_growth import Growth
from mugo.mcts.tree_arrays import TreeArrays

BATCH = 8                                # leaves evaluated together, by default,
VISITS_FOR_EACH = 32                     # but only one for each so many visits of the root


class BatchedGrowth(Growth):
    """Grows a tree by batches.  rng: gives the states of the rollouts' random numbers.  positions_evaluated: by the
    network, in all searches."""

    def __init__(self, arrays: TreeArrays, settings: Settings, rng: np.random.Generator, executor: Executor | None):
        super().__init__(arrays, settings.threads, executor)
        self.positions_evaluated = 0
        self._settings = settings
        batch = settings.batch or BATCH
        self._boards = new_boards(1 + 2 * batch)
        self._boards["random"] = rng.integers(1, 2**63, len(self._boards))
        self._paths = np.zeros((batch, records.MAX_DEPTH, 2), np.int32)
        self._leaves = np.zeros(batch, records.LEAF)
        self._scratches = [new_scratch() for _ in range(settings.threads)]
        self._history = np.zeros(0, np.uint64)
        self._network: Any = None                        # for the game and board of the root
        self._root: BasePosition
        self._lambda = 1.0
        self._network_ownership: np.ndarray | None = None        # (points,), 1 Black, summed over the leaves evaluated
        self._leaves_evaluated = 0                       # of this search
        self._lead: float | None = None                  # of the root's side to move, when this search began
        self._measured_lead = 0.0                        # Black's, against which the utilities of the tree are measured

    def set_root(self, position: BasePosition, board: np.void, history: np.ndarray, network: Any) -> None:
        """Take over the root.  history: uint64, as long as a path may get.  network: for its game and board."""
        random = self._boards[0]["random"]
        self._boards[0] = board
        self._boards[0]["random"] = random
        self._root, self._history, self._network = position, history, network
        self._lambda = float(self._arrays.params["lambda_"])

    def begin(self) -> None:
        super().begin()
        self._network_ownership, self._leaves_evaluated, self._lead = None, 0, None

    def chunk(self, before: int, rate: float, seconds_left: float) -> int:
        """How many simulations to run before the limits are looked at again; 0 if no batch fits into the time.  In a
        small tree virtual loss spreads a batch over moves that would not have been searched, so it grows with the
        root's visits unless settings.batch is given.  rate: simulations per second."""
        visits = int(self._arrays.root_node["visits"])
        batch = self._settings.batch or min(BATCH, max(1, visits // VISITS_FOR_EACH))
        return int(rate * seconds_left) if batch / rate / 2 > seconds_left else batch

    def grow(self, n: int, goes_on: Callable[[int], bool] = lambda done: True) -> int:
        """Run a batch of n simulations, or fewer where selection comes to a leaf twice; returns how many.  goes_on: not
        called."""
        arrays = self._arrays
        arrays.make_room(n)
        identity = np.repeat(symmetries(self._root.shape)[:1], n, 0)
        packed = np.empty((n, self._root.area, game.packed_bytes(self._root.game)), np.uint8)
        n = tree.select_batch(arrays.trees, arrays.nodes, arrays.edges, arrays.table, self._boards, self._history,
                              self._paths, self._leaves[:n], self._scratches[0], identity, packed)
        leaves = self._leaves[:n]
        finish_rollouts = self._start_rollouts(n) if self._lambda > 0 else []
        try:
            output = self._evaluate(packed[:n], leaves["needs_evaluation"])
        finally:
            for finish in finish_rollouts:               # even when the network fails
                finish()
        values = np.zeros(len(output.priors), np.float32) if output.values is None else output.values
        utilities = self._score_utilities(output, leaves)
        if utilities.any():
            values = values + utilities
        tree.expand_and_backup(arrays.trees, arrays.nodes, arrays.edges, self._boards, self._paths, leaves, n,
                               output.priors, values)
        if output.score_mean is not None or not len(output.priors):
            means, stdevs = output.score_mean, output.score_stdev
            if means is None:                            # nothing was evaluated: all arrays are empty
                means = stdevs = utilities
            scores.backup_scores(arrays.nodes, self._paths, leaves, means, stdevs,
                                 np.float32(1 - self._lambda) * utilities)
        return n

    def _evaluate(self, packed: np.ndarray, needed: np.ndarray) -> NetworkOutput:
        """What the network says of the leaves of a batch that need it."""
        n, area = len(needed), self._root.area
        rows = int(needed.sum())
        if not rows:
            return NetworkOutput(np.empty((0, area + 1), np.float32))
        self.positions_evaluated += rows
        self._leaves_evaluated += rows
        to_play = self._boards["to_play"][1:1 + n][needed]
        komi = game.area_komis(self._boards[1:1 + n], self._root.white_points)[needed]
        output = self._network.evaluate_packed(
            network_input(packed[needed], self._root.shape), global_features(komi, to_play))
        if output.ownership is not None:
            of_black = to_play.astype(np.float32) @ output.ownership
            self._network_ownership = of_black + (0 if self._network_ownership is None else self._network_ownership)
        return output

    def _score_utilities(self, output: NetworkOutput, leaves: np.ndarray) -> np.ndarray:
        """float32 (n,): the part for the score in the network's value of each leaf that was evaluated."""
        factor, n = self._settings.score_utility_factor(self._root.area), len(output.priors)
        if not factor or not n or output.score_mean is None or output.score_stdev is None:
            return np.zeros(n, np.float32)
        if self._lead is None:
            arrays, root, to_play = self._arrays, self._arrays.root_node, int(self._root.to_play)
            self._lead = float(root["score_mean"] if root["scored"] else output.score_mean[0])   # the root's, alone
            if root["scored"]:
                scores.recenter(arrays.trees, arrays.nodes, arrays.edges, factor, self._root.area,
                                self._measured_lead * to_play, self._lead)
            self._measured_lead = self._lead * to_play
        sides = self._boards["to_play"][1:1 + len(leaves)][leaves["needs_evaluation"]] * int(self._root.to_play)
        return np.float32(factor) * scores.score_utility(output.score_mean, output.score_stdev, self._lead * sides,
                                                         self._root.area)

    def _start_rollouts(self, n: int) -> list[Callable]:
        """Start evaluating n leaves by rollouts; the functions returned wait for it, or do it without an executor."""
        trees, boards, leaves = self._arrays.trees, self._boards, self._leaves
        if self._executor is None:
            return [lambda: tree.evaluate_leaves(trees, boards, leaves, 0, n, n, self.rollouts[0],
                                                 self._scratches[0])]
        bounds = np.linspace(0, n, len(self.rollouts) + 1).astype(int)
        self._running = [self._executor.submit(tree.evaluate_leaves, trees, boards, leaves, first, last, n, *own)
                         for first, last, *own in zip(bounds[:-1], bounds[1:], self.rollouts, self._scratches,
                                                      strict=True)]
        return [future.result for future in self._running]

    def ownership(self, position: BasePosition) -> np.ndarray | None:
        """float64 (points,): as SearchResult.ownership.  If this search evaluated no leaf, as all were before, the
        network's is that of the position."""
        ownership = super().ownership(position)
        if self._network_ownership is None and getattr(self._network, "has_ownership", False):
            output = self._network.evaluate([position])          # all leaves were evaluated in searches before
            self._network_ownership, self._leaves_evaluated = output.board_ownership(0, position).ravel(), 1
        if self._network_ownership is None:
            return ownership
        by_network = self._network_ownership / self._leaves_evaluated
        return by_network if ownership is None else (1 - self._lambda) * by_network + self._lambda * ownership
