"""A tree that grows without a network: each thread runs whole simulations, compiled, with boards and paths of its own.

    thread 1    select   roll out   back up   select   roll out   back up ...       they share nodes, edges, the table,
    thread 2      select   roll out   back up   select   roll out ...               and the number of simulations left

Tree parallelism with virtual loss (Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo Tree Search"),
without locks around selection and backup (Enzenberger and Müller 2010, "A Lock-free Multithreaded Monte-Carlo Tree
Search Algorithm"): see tree.  Which simulations come first depends on the threads, so a seed does not repeat a search
of several.
"""
from collections.abc import Callable
from concurrent.futures import Executor, Future, wait

import numpy as np

from mugo.games.board import POINTS, new_boards
from mugo.games.coords import board_points
from mugo.games.planes import new_scratch
from mugo.games.position import BasePosition
from mugo.mcts import expansion, records, tree
from mugo.mcts.tree_arrays import TreeArrays

LOOK_SECONDS = 0.01                      # from one look at the limits to the next, while threads simulate
CHUNK_SECONDS = 0.5                      # from one meeting of the threads to the next, at most


class Growth:
    """What grows a tree, with threads of an executor or without.

    arrays: of the tree.  rollouts: int32 (threads, POINTS), of this search: at [:, 0] their number, else the final
    ownership, 1 Black, -1 White.
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

    def set_root(self, position: BasePosition, board: np.void, history: np.ndarray, network: None) -> None:
        """Take over the root, and expand it.  history: uint64, as long as a path may get.  network: there is none."""
        for k, boards in enumerate(self._boards):
            random = boards[0]["random"]
            boards[0] = board
            boards[0]["random"] = random
            self._histories[k] = history.copy()
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
