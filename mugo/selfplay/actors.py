"""Who plays the games of a run: threads of this process, or the workers of a cluster; UCT plays the first, if asked to.

    actors.play(on_game, should_stop)      until there are enough games
    actors.set_network(network, ...)       after each update; games go on with the newest network

    a cluster:   RUN/newest.safetensors --> PlayTask --> worker: ParallelSelfPlay, kept from task to task --> games

Workers go on playing while the run trains: they then finish the tasks that they have, with the network before.  A
worker that is killed loses the games that it has not finished, as a run does that is killed.
"""
import contextlib
import math
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mugo.core.files import BadInput
from mugo.games.position import BasePosition
from mugo.nn.inference import Network
from mugo.core.parallel import TaskExecutor
from mugo.nn.tensor_file import write_tensors
from mugo.nn.weights import Weights
from mugo.selfplay.options import RunOptions, SelfPlayOptions
from mugo.selfplay.parallel import ParallelSelfPlay, SelfPlayGame

NEWEST = "newest.safetensors"            # in the run's folder, for the workers of a cluster
TASK_SHARE = 8                           # a task ends when this share of a worker's games has: seconds to minutes
TASKS_PER_WORKER = 2                     # submitted at a time: one that is played, and the next one
IDLE_SECONDS = 600                       # after which another run takes the memory of one that was killed

OnGame = Callable[[SelfPlayGame], None]


class LocalActors:
    """Threads of this process, in each of which a worker plays: ParallelSelfPlay, or UctSelfPlay, which has no network.

    executor: with as many threads as workers.
    """

    def __init__(self, executor: TaskExecutor, workers: Sequence[Any]):
        self._executor, self.workers = executor, workers

    @property
    def simulations(self) -> int:
        """So far, of games that have ended or are played."""
        return sum(worker.simulations for worker in self.workers)

    def set_network(self, weights: Weights, metadata: dict[str, Any]) -> None:
        """Play on with this network: checkpoint.Playable."""
        network = Network.from_weights(weights, metadata, threads=1)
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

    key: of this run of the command.  number: of the task, from 0.  seed, games_per_thread: of the ParallelSelfPlay that
    a worker makes at its first task; the number is added to the seed.  network: the newest one's file.
    """

    key: str
    number: int
    network: Path
    start: BasePosition
    options: SelfPlayOptions
    games_per_thread: int
    seed: list[int]
    games: int

    @property
    def name(self) -> str:
        return f"task {self.number} of self-play"


class ClusterActors:
    """The workers of a cluster, each with options.games_per_thread games at once; the methods are those of LocalActors.

    folder: of the run, which they see.  games: of the run so far; with options.seed and a number it seeds a worker.
    """

    def __init__(self, executor: TaskExecutor, folder: Path, start: BasePosition, options: RunOptions, games: int):
        self.simulations = 0
        self._executor, self._network = executor, folder.absolute() / NEWEST
        self._task = PlayTask(secrets.token_hex(8), 0, self._network, start, options.selfplay, options.games_per_thread,
                              [options.seed, games], math.ceil(options.games_per_thread / TASK_SHARE))
        self._futures: set[Future] = set()
        executor.check_paths(write=folder)

    def set_network(self, weights: Weights, metadata: dict[str, Any]) -> None:
        write_tensors(self._network, weights, metadata | {"history": [], "arena": [], "openings": []})

    def play(self, on_game: OnGame, should_stop: Callable[[], bool]) -> None:
        """Games beyond the last one that is asked for wait for the next call."""
        while not should_stop():
            while len(self._futures) < TASKS_PER_WORKER * self._executor.capacity:
                self._futures.add(self._executor.submit(play_task, self._task))
                self._task = self._task._replace(number=self._task.number + 1)
            done, self._futures = wait(self._futures, return_when=FIRST_COMPLETED)
            for future in done:
                games, simulations = future.result()
                self.simulations += simulations
                for game in games:
                    on_game(game)

    def close(self) -> None:
        """End the games of all workers, if the cluster is still there; the network's file is deleted."""
        try:
            with contextlib.suppress(OSError, BadInput):
                self._executor.broadcast(end_players, self._task.key)
        finally:
            self._network.unlink(missing_ok=True)
            self._executor.shutdown(wait=False, cancel_futures=True)


# ---- in a worker

@dataclass
class _Player:
    """A worker's games of one run."""

    selfplay: ParallelSelfPlay
    network: tuple[int, ...] = ()        # what tells one file of the network from another
    used: float = 0.0                    # time.monotonic()


_players: dict[str, _Player | None] = {}     # by PlayTask.key; None: the run has ended


def play_task(task: PlayTask) -> tuple[list[SelfPlayGame], int]:
    """The games that have ended, of those that this process plays for the run; and how many simulations that took."""
    if task.key not in _players:
        now = time.monotonic()
        for key in [key for key, other in _players.items() if other and now - other.used > IDLE_SECONDS]:
            del _players[key]
        _players[task.key] = _Player(ParallelSelfPlay(task.start, None, task.options, games=task.games_per_thread,
                                                      seed=[*task.seed, task.number]))
    player = _players[task.key]
    if player is None:
        return [], 0
    stat = task.network.stat()
    version = stat.st_mtime_ns, stat.st_size, stat.st_ino
    if player.network != version:
        player.selfplay.network, player.network = Network(task.network, threads=1), version
    player.used = time.monotonic()
    games: list[SelfPlayGame] = []
    before = player.selfplay.simulations
    player.selfplay.play(games.append, lambda: len(games) >= task.games or _players.get(task.key, player) is None)
    player.used = time.monotonic()
    return games, player.selfplay.simulations - before


def end_players(key: str) -> None:
    """End a run's games in this process."""
    _players[key] = None
