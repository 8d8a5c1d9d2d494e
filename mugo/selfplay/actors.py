"""Who plays the games of a run: threads of this process, or the workers of a cluster; UCT plays the first, if asked to.

    actors.play(on_game, should_stop)      until there are enough games
    actors.set_network(network, ...)       after each update; games go on with the newest network

    a cluster:   RUN/newest.safetensors --> PlayTask --> worker: LocalActors, kept from task to task --> games

On a CPU each thread plays and evaluates games of its own.  On another provider all threads search the games of one half
while the device evaluates the positions of the other half.  The workers of a cluster go on playing while the run
trains, with the network before.
"""
import functools
import itertools
import math
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mugo.core.parallel import TaskExecutor, completed
from mugo.games.coords import move_index, point_of_index
from mugo.games.position import BasePosition
from mugo.mcts.result import SearchResult
from mugo.mcts.search import Search
from mugo.nn.caching import BatchingNetwork
from mugo.nn.graph import Weights
from mugo.nn.inference import Network
from mugo.nn.network_file import write_tensors
from mugo.players.registry import UCT
from mugo.selfplay.options import RunOptions, SelfPlayOptions
from mugo.selfplay.parallel import MAX_VISITS, ParallelSelfPlay, SelfPlayGame, sampled_move

NEWEST = "newest.safetensors"            # in the run's folder, for the workers of a cluster
TASK_SHARE = 8                           # a task ends when this share of a worker's games has: seconds to minutes

OnGame = Callable[[SelfPlayGame], None]


def new_workers(start: BasePosition, options: SelfPlayOptions, threads: int, games_per_thread: int, provider: str,
                seed: list[int]) -> list[ParallelSelfPlay]:
    """What plays threads * games_per_thread games at once; without a network.  seed: a number is added to it."""
    if provider == "cpu":
        return [ParallelSelfPlay(start, None, options, games=games_per_thread, seed=[*seed, i]) for i in range(threads)]
    games = threads * games_per_thread
    return [ParallelSelfPlay(start, None, options, games=half, seed=[*seed, i], threads=threads)
            for i, half in enumerate((games - games // 2, games // 2)) if half]


def network_class(provider: str) -> type[Network]:
    """What evaluates positions for several threads on an execution provider of ONNX Runtime."""
    return Network if provider == "cpu" else BatchingNetwork


class LocalActors:
    """Threads of this process, in each of which a worker plays: ParallelSelfPlay, or UctSelfPlay, which has no network.

    executor: with as many threads as workers.  provider: of runtime.PROVIDERS.
    """

    def __init__(self, executor: "Executor | TaskExecutor", workers: Sequence[Any], provider: str = "cpu"):
        self._executor, self.workers, self._provider = executor, workers, provider

    @property
    def simulations(self) -> int:
        """So far, of games that have ended or are played."""
        return sum(worker.simulations for worker in self.workers)

    def set_network(self, weights: Weights, metadata: dict[str, Any]) -> None:
        """Play on with this network: quantization.Playable."""
        self.use(network_class(self._provider).from_weights(weights, metadata, threads=1, provider=self._provider))

    def use(self, network: Network) -> None:
        """Play on with this network, open."""
        for worker in self.workers:
            worker.network = network

    def play(self, on_game: OnGame, should_stop: Callable[[], bool]) -> None:
        """Play until should_stop() is true, and hand every game to on_game, one after the other."""
        lock, is_stopped = threading.Lock(), threading.Event()

        def on_game_locked(game: SelfPlayGame) -> None:
            with lock:
                on_game(game)

        futures = [self._executor.submit(worker.play, on_game_locked, lambda: is_stopped.is_set() or should_stop())
                   for worker in self.workers]
        try:
            for future in futures:
                future.result()
        finally:
            is_stopped.set()
            wait(futures)


# ---- a warm start

class UctSelfPlay:
    """Plays games one after the other by UCT with RAVE and heuristic priors, for a network that knows nothing yet
    (Wang, Preuss and Plaat 2020, arXiv:2004.12357).  seed: of searches and samples.  simulations: so far."""

    def __init__(self, start: BasePosition, options: RunOptions, *, seed=None):
        self.simulations = 0
        self._start, self._options = start, options
        self._rng = np.random.default_rng(seed)
        self._max_moves = options.selfplay.max_moves or 3 * start.size ** 2

    def play(self, on_game: OnGame, should_stop: Callable[[], bool]) -> None:
        """Play until should_stop() is true, and hand every game to on_game; the game under way is dropped."""
        while not should_stop():
            game = self._play_game(should_stop)
            if game is not None:
                on_game(game)

    def _play_game(self, should_stop: Callable[[], bool]) -> SelfPlayGame | None:
        """A game; None if it was stopped."""
        simulations, size = self._options.warm_start_simulations, self._start.size
        edges = 4 * simulations * (size ** 2 + 1)
        search = Search(replace(UCT, root_symmetry_pruning=False, seed=int(self._rng.integers(2**31)),
                                max_edges=min(UCT.max_edges, 1000 + edges)))
        position, moves, visits = self._start, [], []
        while not position.is_over and position.plies < self._max_moves:
            result = search.search(position, simulations=simulations, should_stop=should_stop, select_by="visits")
            if should_stop():
                return None
            self.simulations += result.simulations
            visits.append(visits_of(result))
            moves.append(sampled_move(visits[-1], len(moves), self._options.selfplay, self._rng))
            position = position.play(point_of_index(moves[-1], size))
        return SelfPlayGame(np.array(moves, np.int16), np.array(visits), int(np.sign(position.score())))


def visits_of(result: SearchResult) -> np.ndarray:
    """uint16 (size² + 1,): visits of the root's moves by move index, as in SelfPlayGame; without any, 1 for each that
    may be played."""
    visits = np.zeros(result.position.area + 1, np.uint16)
    best = max((-1 if info.proven is None else info.proven for info in result.moves), default=0)
    decided = result.proven is not None
    good = [info for info in result.moves if (info.proven == best if decided else info.proven != -1)] or result.moves
    any_visits = any(info.visits for info in good)
    for info in good:
        visits[move_index(info.point, result.position.size)] = min(info.visits, MAX_VISITS) if any_visits else 1
    return visits


# ---- the workers of a cluster

class PlayTask(NamedTuple):
    """Play on until `games` games have ended.  key: the key of this run of the command.  number: the task's, which is
    added to the seed.  network: the newest one's file.  The rest are arguments of new_workers, at a worker's first
    task."""

    key: str
    number: int
    network: Path
    games: int
    start: BasePosition
    options: SelfPlayOptions
    threads: int
    games_per_thread: int
    provider: str
    seed: list[int]

    @property
    def name(self) -> str:
        return f"task {self.number} of self-play"


class ClusterActors:
    """The workers of a cluster; the methods are the same as LocalActors'.

    folder: the run's, which they see.  games: in the run so far; with options.seed and a number it seeds a worker.
    """

    def __init__(self, executor: TaskExecutor, folder: Path, start: BasePosition, options: RunOptions, games: int):
        self.simulations = 0
        self._executor, self._network = executor, folder.absolute() / NEWEST
        threads = 1 if options.provider == "cpu" else options.threads
        share = math.ceil(options.games_per_thread * threads / TASK_SHARE)
        first = PlayTask(secrets.token_hex(8), 0, self._network, share, start, options.selfplay, threads,
                         options.games_per_thread, options.provider, [options.seed, games])
        self._results = completed(executor, play_task, (first._replace(number=n) for n in itertools.count()))

    def set_network(self, weights: Weights, metadata: dict[str, Any]) -> None:
        write_tensors(self._network, weights, metadata | {"history": [], "arena": []})

    def play(self, on_game: OnGame, should_stop: Callable[[], bool]) -> None:
        """Games beyond the last one that is asked for wait for the next call."""
        while not should_stop():
            games, simulations = next(self._results)
            self.simulations += simulations
            for game in games:
                on_game(game)

    def close(self) -> None:
        """Take no more games, and delete the network's file.  The workers end when they have ended their tasks."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._network.unlink(missing_ok=True)


MAX_RUNS = 4                             # whose games a worker keeps from task to task
_playing: dict[str, LocalActors] = {}    # in a worker: the games of each run, by PlayTask.key


def play_task(task: PlayTask) -> tuple[list[SelfPlayGame], int]:
    """The games that have ended, of those that this process plays for the run; and how many simulations that took."""
    if task.key not in _playing:
        workers = new_workers(task.start, task.options, task.threads, task.games_per_thread, task.provider,
                              [*task.seed, task.number])
        while len(_playing) >= MAX_RUNS:
            del _playing[next(iter(_playing))]           # the oldest
        _playing[task.key] = LocalActors(ThreadPoolExecutor(len(workers)), workers)
    actors, stat = _playing[task.key], task.network.stat()
    actors.use(_open(task.network, task.provider, stat.st_mtime_ns, stat.st_ino))
    games: list[SelfPlayGame] = []
    before = actors.simulations
    actors.play(games.append, lambda: len(games) >= task.games)
    return games, actors.simulations - before


@functools.lru_cache(MAX_RUNS)
def _open(path: Path, provider: str, *_: int) -> Network:
    """The network in a file; the other arguments tell one version of the file from the next."""
    return network_class(provider)(path, threads=1, provider=provider)
