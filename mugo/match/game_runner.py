"""The programs of one game at a time: started when first needed, kept for the next game, restarted after a fault.

    --jobs 2:    GameRunner "1"   one process of each participant
                 GameRunner "2"   likewise

A task is a game.  In a thread of the command the thread's runner plays it.  In a worker of a cluster it has a runner of
its own, whose programs start and end with the game.
"""
import contextlib
import os
import platform
import re
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mugo.core.files import BadInput, log_to_stderr
from mugo.core.program import one_line
from mugo.games.board import BLACK, WHITE
from mugo.games.position import BasePosition
from mugo.match.gtp_client import EngineFault, GtpClient, Participant
from mugo.match.openings import Pairing
from mugo.match.referee import GameRecord, MatchRules, play_game, send_rules, setup_commands

@dataclass(frozen=True)
class MatchSetup:
    """What the runners of a match are made of.

    logs: the folder of the programs' stderr; None: it is discarded.  many_machines: put this one's name into the names
    of log files.
    """

    participants: tuple[Participant, ...]
    rules: MatchRules
    logs: Path | None = None
    many_machines: bool = False


class GameTask(NamedTuple):
    """A game to play, from the position of its opening."""

    setup: MatchSetup
    pairing: Pairing
    opening: BasePosition

    @property
    def name(self) -> str:
        return f"game {self.pairing.number}"

    @property
    def start(self) -> BasePosition:
        """The position before the opening."""
        return next(iter(self.opening.positions()))


class GameRunner:
    """Plays one game at a time.  Use it from one thread; `close` may be called from another.

    number: 1, 2, ... of the runner in this process.
    """

    def __init__(self, setup: MatchSetup, number: int = 1):
        self._setup = setup
        self._name = f"{platform.node()}-{os.getpid()}-{number}" if setup.many_machines else str(number)
        self._clients: dict[Participant, GtpClient] = {}
        self._is_closed = False
        self._lock = threading.Lock()

    def client(self, participant: Participant) -> GtpClient:
        """The running program of a participant.  Raises BadInput if it cannot start, KeyboardInterrupt after `close`.
        """
        with self._lock:
            if self._is_closed:
                raise KeyboardInterrupt
            if participant not in self._clients:
                logs = self._setup.logs
                log = logs / f"{file_name(participant.name)}-{self._name}.txt" if logs else None
                self._clients[participant] = GtpClient(participant, log)
            return self._clients[participant]

    def stop(self, participant: Participant) -> None:
        """End a participant's program; the next game starts it again."""
        with self._lock:
            client = self._clients.pop(participant, None)
        if client:
            client.close(force=True)

    def versions(self, start: BasePosition) -> dict[str, str]:
        """Start all programs: 'name version' of each, by the participant's name.

        Raises BadInput for a program that does not work, or not on this board; one that refuses the rules is a line on
        stderr.
        """
        found = {}
        for participant in self._setup.participants:
            try:
                client = self.client(participant)
                found[participant.name] = " ".join(
                    one_line(client.send_command(command).encode()) for command in ("name", "version"))
                client.warm_up(start.shape)               # fails if a network does not play this board
                for line in setup_commands(start, handicap=False):
                    client.send_command(line)
                refusal = send_rules(client, self._setup.rules)
            except EngineFault as fault:
                raise BadInput(f"{participant.name}: {fault}") from None
            if refusal:
                log_to_stderr(f"{participant.name}: {refusal}; it plays by its own rules")
        return found

    def play(self, black: Participant, white: Participant, opening: BasePosition) -> GameRecord:
        """Play a game; the program of a side at fault is stopped."""
        clients = {BLACK: self.client(black), WHITE: self.client(white)}
        game = play_game(clients, opening, self._setup.rules)
        if game.at_fault:
            self.stop(black if game.at_fault == BLACK else white)
        return game

    def play_task(self, task: GameTask) -> GameRecord:
        """Play the game of a task of this match."""
        participants = self._setup.participants
        return self.play(participants[task.pairing.black], participants[task.pairing.white], task.opening)

    def close(self, *, force: bool = False) -> None:
        """End all programs."""
        with self._lock:
            self._is_closed = True
            for client in self._clients.values():
                client.close(force=force)
            self._clients.clear()


class GameRunners:
    """The runners of a match in this process: one for each thread that plays games."""

    def __init__(self, setup: MatchSetup):
        self._setup = setup
        self._all: list[GameRunner] = []
        self._of_thread = threading.local()
        self._is_closed = False
        self._lock = threading.Lock()

    def _own(self) -> GameRunner:
        """The runner of this thread.  Raises KeyboardInterrupt after `close`."""
        with self._lock:
            if self._is_closed:
                raise KeyboardInterrupt
            if not hasattr(self._of_thread, "runner"):
                self._of_thread.runner = GameRunner(self._setup, len(self._all) + 1)
                self._all.append(self._of_thread.runner)
        return self._of_thread.runner

    def versions(self, task: GameTask) -> dict[str, str]:
        """GameRunner.versions, before the first game."""
        return self._own().versions(task.start)

    def play(self, task: GameTask) -> tuple[Pairing, GameRecord]:
        """Play a game."""
        return task.pairing, self._own().play_task(task)

    def close(self, *, force: bool = False) -> None:
        """End all programs; with `force` at once, though they play.  No game begins any more."""
        with self._lock:
            self._is_closed = True
        for runner in self._all:
            runner.close(force=force)


def play_on_worker(task: GameTask) -> tuple[Pairing, GameRecord]:
    """Play a game in the worker of a cluster, with programs that end with it."""
    with contextlib.closing(GameRunner(task.setup)) as runner:
        return task.pairing, runner.play_task(task)


def versions_on_worker(task: GameTask) -> dict[str, str]:
    """GameRunner.versions in the worker of a cluster, before the first game."""
    with contextlib.closing(GameRunner(task.setup)) as runner:
        return runner.versions(task.start)


def file_name(text: str) -> str:
    """A participant's name as part of a file name; a long one ends with its hash, as another may begin alike."""
    name = re.sub(r"[^A-Za-z0-9.=-]+", "-", text).strip("-.") or "participant"
    return name if len(name) <= 60 else f"{name[:51]}-{zlib.crc32(text.encode()):08x}"
