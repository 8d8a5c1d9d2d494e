"""The replay buffer: all games of a run on disk, and the window of the newest positions, which the network trains on.

    RUN/replay/000000.npz      the games of the first update: moves, visits and outcome of each
    RUN/replay/000001.npz      ...

Each file is written atomically; the newest again and again, until it has the games of its update.  Planes are not
stored: the window encodes positions from the moves.
"""
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput, atomic_write
from mugo.games import gomoku
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import encode
from mugo.games.position import BasePosition, IllegalMove
from mugo.selfplay.parallel import SelfPlayGame

FORMAT = 3
FOLDER = "replay"
SAVE_SECONDS = 10                        # between two versions of the newest file: what a kill can lose


def game_arguments(start: BasePosition) -> dict[str, Any]:
    """The rules of a game by name, as games.game.new_game takes them."""
    if isinstance(start, gomoku.GomokuPosition):
        return {"game": start.game, "size": start.size, "k": start.k, "exactly": start.exactly}
    return {"game": start.game, "size": start.size, "komi": start.komi}


class ReplayBuffer:
    """The games of a run, in the order in which they ended.

    folder: the run's.  start: the first position of each game.  update_games: games in a file.
    Raises BadInput if its newest games are damaged or of another game.
    """

    def __init__(self, folder: Path, start: BasePosition, update_games: int):
        self._folder, self._start, self._update_games = folder / FOLDER, start, update_games
        self._rules = json.dumps({"format": FORMAT} | game_arguments(start))
        self._cached: tuple[int, list[SelfPlayGame]] = -1, []       # the file that was read last
        newest = max((int(path.stem) for path in self._folder.glob("[0-9]*.npz")), default=0)
        self._newest = self._read(newest) if self._path(newest).exists() else []
        self._length, self._saved, self._saved_at = newest * update_games + len(self._newest), True, 0.0

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06}.npz"

    def append(self, game: SelfPlayGame) -> None:
        """Add a game; it is on the disk after SAVE_SECONDS, with the last of its file, or after `save`."""
        if self._length % self._update_games == 0:
            self._newest = []
        self._newest.append(game)
        self._length, self._saved = self._length + 1, False
        if len(self._newest) == self._update_games or time.monotonic() - self._saved_at > SAVE_SECONDS:
            self.save()

    def save(self) -> None:
        """Write the newest games, unless they are on the disk.  Raises OSError with the name of the file."""
        if self._saved:
            return
        with atomic_write(self._path((self._length - 1) // self._update_games)) as temporary:
            np.savez_compressed(temporary, rules=self._rules, lengths=[len(game.moves) for game in self._newest],
                                outcomes=[game.outcome for game in self._newest],
                                moves=np.concatenate([game.moves for game in self._newest]),
                                visits=np.concatenate([game.visits for game in self._newest]))
        self._saved, self._saved_at = True, time.monotonic()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[SelfPlayGame]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int) -> SelfPlayGame:
        """A game, counted from 0.  Raises BadInput for a file that is damaged or missing."""
        number = index // self._update_games
        if not 0 <= index < self._length:
            raise IndexError(index)
        if number == (self._length - 1) // self._update_games:
            return self._newest[index % self._update_games]
        if self._cached[0] != number:
            self._cached = number, self._read(number)
        return self._cached[1][index % self._update_games]

    def _read(self, number: int) -> list[SelfPlayGame]:
        path = self._path(number)
        try:
            with np.load(path) as file:
                rules = str(file["rules"])
                moves, visits, lengths, outcomes = (file[name] for name in ("moves", "visits", "lengths", "outcomes"))
            ends = np.cumsum(lengths)
            if not (len(moves) == len(visits) == ends[-1] and len(lengths) == len(outcomes) <= self._update_games):
                raise ValueError("its arrays do not belong together")
        except Exception as error:       # of NumPy, zipfile or zlib, of a dozen kinds
            raise BadInput(f"{path} is damaged or missing ({error}): put a copy back, or begin a new run from the "
                           f"network of this one, with --init-from {self._folder.parent}") from None
        if rules != self._rules:
            raise BadInput(f"{path} holds other games than {self._rules}: {rules[:200]}")
        return [SelfPlayGame(moves[end - length:end], visits[end - length:end], int(outcome))
                for end, length, outcome in zip(ends, lengths, outcomes, strict=True)]


class ReplayWindow:
    """The positions of the newest games, encoded for training: as many games as have `positions` positions, but at most
    half of all games, because the first ones were played by a network that knew nothing.

    packed: uint8 (n, size², bytes).  policy: float32 (n, size² + 1), the fraction of visits of every move.
    outcome: float32 (n,), 1 where the side to move has won, -1 where it has lost, 0 for a draw.
    first, end: the games in the window are buffer[first], ..., buffer[end - 1].
    """

    def __init__(self, buffer: ReplayBuffer, start: BasePosition, positions: int):
        self.first = self.end = 0
        self._buffer, self._start, self._positions = buffer, start, positions
        self._lengths: list[int] = []                    # positions of each game
        self._symmetries = symmetries(start.size)

    def slide_to(self, end: int) -> None:
        """Let the window end before game number `end`.  Raises BadInput for a game with an illegal move."""
        first, positions, lengths, added = end, 0, [], []
        while first > end // 2 and positions < self._positions:
            first -= 1
            if self.first <= first < self.end <= end:
                lengths.append(self._lengths[first - self.first])
            else:
                added.append(encode_game(self._buffer[first], self._start))
                lengths.append(len(added[-1][2]))
            positions += lengths[-1]
        kept = positions - sum(len(game[2]) for game in added)
        parts = [tuple(array[len(array) - kept:] for array in (self.packed, self.policy, self.outcome))] if kept else []
        self.packed, self.policy, self.outcome = map(np.concatenate, zip(*parts, *reversed(added), strict=True))
        self.first, self.end, self._lengths = first, end, lengths[::-1]

    def __len__(self) -> int:
        """How many positions there are in the window."""
        return len(self.outcome)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A batch of n random positions, each in a random one of the 8 symmetries: (packed, policy, outcome)."""
        chosen = rng.integers(0, len(self), n)
        symmetry = self._symmetries[rng.integers(0, 8, n)]
        drawn = self.packed[chosen], self.policy[chosen]
        packed, policy = map(np.empty_like, drawn)
        np.put_along_axis(packed, symmetry[:, :-1, None], drawn[0], 1)
        np.put_along_axis(policy, symmetry, drawn[1], 1)
        return packed, policy, self.outcome[chosen]


def encode_game(game: SelfPlayGame, start: BasePosition) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(packed, policy, outcome) of the position before each move of a game, as ReplayWindow has them.

    Raises BadInput for an illegal move.
    """
    positions, position = [], start
    try:
        for move in game.moves.tolist():
            positions.append(position)
            position = position.play(point_of_index(move, start.size))
    except IllegalMove as error:
        raise BadInput(f"a game of the replay buffer has an illegal move {len(positions)}: {error}") from None
    policy = game.visits / game.visits.sum(1, keepdims=True)
    to_play = np.array([position.to_play for position in positions], np.float32)
    return encode(positions), policy.astype(np.float32), game.outcome * to_play
