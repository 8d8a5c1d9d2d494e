"""What grows a tree: threads without a network, or batches with one.

    ThreadedGrowth    thread 1    select   roll out   back up   select   roll out ...    they share nodes, edges, the
                      thread 2      select   roll out   back up   select ...             table, the simulations left

    BatchedGrowth                       +--> network: priors, values --+
                      select a batch  --|                              +--> expand and back up
                                        +--> threads: rollouts --------+

Threads: tree parallelism with virtual loss (Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo Tree
Search"), without locks around selection and backup (Enzenberger and Müller 2010, "A Lock-free Multithreaded Monte-Carlo
Tree Search Algorithm").  A seed does not repeat a search of several threads.
"""
from collections.abc import Callable
from concurrent.futures import Executor, Future, wait
from typing import Any

import numpy as np
from mugo.games import game
from mugo.games.board import POINTS, new_boards
from mugo.games.coords import board_points, symmetries
from mugo.games.planes import network_input, new_scratch
from mugo.games.position import BasePosition, global_features
from mugo.mcts import expansion, records, tree
from mugo.mcts.root import Root
from mugo.mcts.settings import Settings
from mugo.mcts.tree_arrays import TreeArrays
from mugo.nn.output import NetworkOutput

LOOK_SECONDS = 0.01                      # from one look at the limits to the next, while threads simulate
CHUNK_SECONDS = 0.5                      # from one meeting of the threads to the next, at most


class Growth:
    """What grows a tree, with threads of an executor or without.

    arrays: the arrays of the tree.  rollouts: int32 (threads, POINTS), of this search: at [:, 0] their number, else the
    final ownership, 1 Black, -1 White.
    """

    def __init__(self, arrays: TreeArrays, threads: int, executor: Executor | None):
        self.rollouts = np.zeros((threads, POINTS), np.int32)
        self._arrays = arrays
        self._executor = executor
        self._running: list[Future] = []                 # an interrupted search may leave some

    def begin(self) -> None:
        """Begin a search: nothing runs any more, and `rollouts` are those from here on."""
        wait(self._running)
        self.rollouts[:] = 0

    def ownership(self, position: BasePosition) -> np.ndarray | None:
        """float64 (points,): the mean owner of each point over the rollouts of this search; None without any, and in
        Gomoku."""
        sums = self.rollouts.sum(0)
        return sums[board_points(position.shape)] / sums[0] if sums[0] and position.game == "go" else None


class ThreadedGrowth(Growth):
    """Grows a tree without a network.  rng: gives the states of the threads' random numbers."""

    def __init__(self, arrays: TreeArrays, threads: int, rng: np.random.Generator, executor: Executor | None):
        super().__init__(arrays, threads, executor)
        self._boards = [new_boards(3) for _ in range(threads)]
        for boards in self._boards:
            boards["random"] = rng.integers(1, 2**63, 3)
        self._histories: list[np.ndarray] = [np.zeros(0, np.uint64)] * threads
        self._paths = np.zeros((threads, records.MAX_DEPTH, 2), np.int32)
        self._scratches = [new_scratch() for _ in range(threads)]
        arrays.record["shared"] = executor is not None

    def set_root(self, root: Root, network: Any) -> None:
        """Take over the root, and expand it.  network: there is none."""
        for k, boards in enumerate(self._boards):
            random = boards[0]["random"]
            boards[0] = root.board
            boards[0]["random"] = random
            self._histories[k] = root.history.copy()
        arrays = self._arrays
        if not arrays.nodes[arrays.root]["count"]:
            expansion.expand_root(arrays.record, arrays.nodes, arrays.edges, self._boards[0][0], self._scratches[0])

    def chunk(self, before: int, rate: float, seconds_left: float) -> int:
        """How many simulations to run before the limits are looked at again.  before: those run last time.  rate: per
        second."""
        if seconds_left == np.inf and self._executor is None:
            return before                                # constant, so that a seed is repeatable
        seconds = LOOK_SECONDS if self._executor is None else CHUNK_SECONDS
        return max(1, min(2 * before, int(rate * min(seconds, seconds_left))))

    def grow(self, n: int, goes_on: Callable[[int], bool] = lambda done: True) -> int:
        """Run n simulations, or with several threads fewer; returns how many.  goes_on: called every LOOK_SECONDS, with
        those done so far, while threads simulate; where it returns False they end."""
        arrays = self._arrays
        arrays.make_room(n)
        arrays.record["simulations_left"] = n
        shared = arrays.trees, arrays.nodes, arrays.edges, arrays.table
        own = list(zip(self._boards, self._histories, self._paths, self.rollouts, self._scratches, strict=True))
        if self._executor is None:
            tree.simulate(*shared, *own[0])
            return n
        self._running = [self._executor.submit(tree.simulate, *shared, *each) for each in own[:n]]
        try:
            while wait(self._running, LOOK_SECONDS).not_done:
                if not goes_on(n - max(int(arrays.record["simulations_left"]), 0)):
                    break
        finally:
            arrays.record["simulations_left"] = 0        # each thread finishes the simulation that it is in
        return sum(future.result() for future in self._running)


BATCH = 8                                # leaves evaluated together, by default,
VISITS_FOR_EACH = 32                     # but only one for each this many visits of the root


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
        self._lead: float | None = None                  # Black's at the root, when this search began
        self._measured_lead = 0.0                        # the same of the search that the tree's utilities are from

    def set_root(self, root: Root, network: Any) -> None:
        """Take over the root.  network: for its game and board."""
        random = self._boards[0]["random"]
        self._boards[0] = root.board
        self._boards[0]["random"] = random
        self._root, self._history, self._network = root.position, root.history, network
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
        """Run a batch of n simulations, or fewer where selection comes to a leaf twice; returns how many.  goes_on:
        a batch is not interrupted."""
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
        tree.expand_and_backup(arrays.trees, arrays.nodes, arrays.edges, self._boards, self._paths, leaves, n,
                               output.priors, values, self._scores(output))
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

    def _scores(self, output: NetworkOutput) -> tree.Scores:
        """The scores of a batch.  The first of a search in a reused tree measure that against the new root's lead."""
        if output.score_mean is None or output.score_stdev is None:
            return tree.NO_SCORES
        area, arrays = self._root.area, self._arrays
        factor = float(self._settings.score_utility_factor(area))
        if factor and self._lead is None and len(output.score_mean):
            root, to_play = arrays.root_node, int(self._root.to_play)
            self._lead = to_play * float(root["score_mean"] if root["scored"] else output.score_mean[0])    # the root's
            if root["scored"]:
                tree.recenter(arrays.trees, arrays.nodes, arrays.edges, factor, area, to_play * self._measured_lead,
                              to_play * self._lead)
            self._measured_lead = self._lead
        return tree.Scores(output.score_mean, output.score_stdev, factor, self._lead or 0.0, area)

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
        network's is for the position."""
        ownership = super().ownership(position)
        if self._network_ownership is None and self._network.has_ownership:
            output = self._network.evaluate([position])          # all leaves were evaluated in searches before
            self._network_ownership, self._leaves_evaluated = output.board_ownership(0, position).ravel(), 1
        if self._network_ownership is None:
            return ownership
        by_network = self._network_ownership / self._leaves_evaluated
        return by_network if ownership is None else (1 - self._lambda) * by_network + self._lambda * ownership
