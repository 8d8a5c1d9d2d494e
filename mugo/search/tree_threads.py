"""Threads that grow one tree: each runs whole simulations, compiled, with boards and paths of its own.

    thread 1    select   roll out   back up   select   roll out   back up ...       they share nodes, edges, the table,
    thread 2      select   roll out   back up   select   roll out ...               and the number of simulations left

Tree parallelism with virtual loss (Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo Tree Search"),
without locks around selection and backup (Enzenberger and Müller 2010, "A Lock-free Multithreaded Monte-Carlo Tree
Search Algorithm"): see tree.  Which simulations come first depends on the threads, so a seed does not repeat a search.
"""
from concurrent.futures import Executor, Future

import numpy as np

from mugo.games.board import new_boards
from mugo.games.planes import new_scratch
from mugo.search import records, tree


class TreeThreads:
    """What each of `threads` threads of an executor needs for its own; rng gives the states of their random numbers."""

    def __init__(self, executor: Executor, threads: int, rng: np.random.Generator):
        self._executor = executor
        self._boards = [new_boards(3) for _ in range(threads)]
        for boards in self._boards:
            boards["random"] = rng.integers(1, 2**63, 3)
        self._histories: list[np.ndarray] = [np.zeros(0, np.uint64)] * threads
        self._paths = np.zeros((threads, records.MAX_DEPTH, 2), np.int32)
        self._scratches = [new_scratch() for _ in range(threads)]

    def set_root(self, board: np.void, history: np.ndarray) -> None:
        """Take over the root's board and the position hashes up to it; history is as long as a path may get."""
        for k, boards in enumerate(self._boards):
            state = boards[0]["random"]
            boards[0] = board
            boards[0]["random"] = state
            self._histories[k] = history.copy()

    def start(self, trees: np.ndarray, nodes: np.ndarray, edges: np.ndarray, table: np.ndarray,
              ownership_sums: np.ndarray, n: int) -> list[Future]:
        """Start n simulations; the futures are done when all of them are.

        ownership_sums: int32 (threads, POINTS), a row for each thread.  Other arrays as in tree.
        """
        trees[0]["simulations_left"] = n
        threads = min(len(self._boards), n)
        return [self._executor.submit(tree.simulate, trees, nodes, edges, table, *own)
                for own in zip(self._boards[:threads], self._histories, self._paths, ownership_sums, self._scratches,
                               strict=False)]
