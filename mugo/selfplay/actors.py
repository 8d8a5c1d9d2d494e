"""Who plays the games of a run: threads of this process, or the workers of a cluster; UCT plays the first, if asked to.

    actors.play(on_game, should_stop)      until there are enough games
    actors.set_network(network, ...)       after each update; games go on with the newest network

    a cluster:   RUN/newest.safetensors --> PlayTask --> worker: LocalActors, kept from task to task --> games

On a CPU each thread plays and evaluates games of its own.  On another provider all threads search the games of one half
while the device evaluates the positions of the other half.

Workers go on playing while the run trains: they then finish the tasks that they have, with the network before.  A
worker that is killed loses the games that it has not finished, as a run does that is killed.
"""
import itertools
import math
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mugo.games.position import BasePosition
from mugo.core.parallel import TaskExecutor, completed
from mugo.nn.batching import BatchingNetwork
from mugo.nn.inference import Network
from mugo.nn.tensor_file import write_tensors
from mugo.nn.weights import Weights
from mugo.selfplay.options import RunOptions, SelfPlayOptions
from mugo.selfplay.parallel import ParallelSelfPlay, SelfPlayGame

NEWEST = "newest.safetensors"            # in the run's folder, for the workers of a cluster
TASK_SHARE = 8                           # a task ends when this share of a worker's games has: seconds to minutes
IDLE_SECONDS = 600                       # after which another run takes the memory of one that has ended

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
        """Play on with this network: checkpoint.Playable."""
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


class PlayTask(NamedTuple):
    """Play on until `games` games have ended.

    key: identifies this run of the command.  number: the task's, from 0.  seed, games_per_thread, threads, provider: of
    new_workers, at a worker's first task; the number is added to the seed.  network: the newest one's file.
    """

    key: str
    number: int
    network: Path
    start: BasePosition
    options: SelfPlayOptions
    games_per_thread: int
    seed: list[int]
    games: int
    threads: int
    provider: str

    @property
    def name(self) -> str:
        return f"task {self.number} of self-play"


class ClusterActors:
    """The workers of a cluster; the methods are those of LocalActors.

    Each has options.games_per_thread games at once in one thread, or, where options.provider is not cpu, in each of
    options.threads threads.
    folder: the run's, which they see.  games: in the run so far; with options.seed and a number it seeds a worker.
    """

    def __init__(self, executor: TaskExecutor, folder: Path, start: BasePosition, options: RunOptions, games: int):
        self.simulations = 0
        self._executor, self._network = executor, folder.absolute() / NEWEST
        threads = 1 if options.provider == "cpu" else options.threads
        first = PlayTask(secrets.token_hex(8), 0, self._network, start, options.selfplay, options.games_per_thread,
                         [options.seed, games], math.ceil(options.games_per_thread * threads / TASK_SHARE), threads,
                         options.provider)
        self._results = completed(executor, play_task, (first._replace(number=n) for n in itertools.count()))

    def set_network(self, weights: Weights, metadata: dict[str, Any]) -> None:
        write_tensors(self._network, weights, metadata | {"history": [], "arena": [], "openings": []})

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


# ---- in a worker

@dataclass
class _Player:
    """A worker's games of one run."""

    actors: LocalActors
    network: tuple[int, ...] = ()        # what tells one file of the network from another
    used: float = 0.0                    # time.monotonic()


_players: dict[str, _Player] = {}        # by PlayTask.key


def play_task(task: PlayTask) -> tuple[list[SelfPlayGame], int]:
    """The games that have ended, of those that this process plays for the run; and how many simulations that took."""
    if task.key not in _players:
        now = time.monotonic()
        for key in [key for key, other in _players.items() if now - other.used > IDLE_SECONDS]:
            del _players[key]
        workers = new_workers(task.start, task.options, task.threads, task.games_per_thread, task.provider,
                              [*task.seed, task.number])
        _players[task.key] = _Player(LocalActors(ThreadPoolExecutor(len(workers)), workers))
    player = _players[task.key]
    stat = task.network.stat()
    version = stat.st_mtime_ns, stat.st_size, stat.st_ino
    if player.network != version:
        player.actors.use(network_class(task.provider)(task.network, threads=1, provider=task.provider))
        player.network = version
    player.used = time.monotonic()
    games: list[SelfPlayGame] = []
    before = player.actors.simulations
    player.actors.play(games.append, lambda: len(games) >= task.games)
    player.used = time.monotonic()
    return games, player.actors.simulations - before
