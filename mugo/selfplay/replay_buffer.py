"""The replay buffer: the games of self-play in a file, and the window of positions that a network is trained on.

    replay_buffer.bin     a line of JSON: the format and the rules of the games
                          then for each game   length  uint32 | CRC-32  uint32 | zlib of outcome, moves, visits

Games are only ever appended, each flushed to the disk (fsync) before it is trained on.  An incomplete game at the end
of the file, left by a crash, is cut off when the file is opened.  Planes are not stored: the window encodes positions
from the moves.
"""
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, overload

import numpy as np

from mugo.files import BadInput, lock_file
from mugo.games import gomoku
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import encode
from mugo.games.position import BasePosition, IllegalMove
from mugo.selfplay.parallel import SelfPlayGame

FORMAT = 1
_FRAME = struct.Struct("<II")            # length of the block that follows, its CRC-32
_HEAD = struct.Struct("<bH")             # outcome, number of moves


def rules_of(start: BasePosition) -> dict[str, Any]:
    """The rules of a game by name, as games.game.new_game takes them."""
    if isinstance(start, gomoku.Position):
        return {"game": start.game, "size": start.size, "k": start.k, "exactly": start.exactly}
    return {"game": start.game, "size": start.size, "komi": start.komi}


class ReplayBuffer:
    """The games in a file, in the order in which they ended: a sequence of SelfPlayGame that can be appended to.

    Raises BadInput for a file that is no replay buffer, that holds games of other rules, or that another process
    writes to.
    """

    def __init__(self, path: Path, start: BasePosition):
        """Open the file, or create it.  What is damaged at its end is cut off."""
        self.path = path
        self._n_moves = start.size ** 2 + 1
        header = json.dumps({"format": FORMAT, **rules_of(start)}).encode() + b"\n"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as new:
                new.write(header)
                os.fsync(new.fileno())
        self._file = open(path, "r+b")                   # until `close`
        try:
            lock_file(self._file.fileno(), path)
        except BadInput:
            self._file.close()
            raise
        data = self._file.read()
        if not data.startswith(header):
            if not header.startswith(data):              # it does if a crash cut the header off
                line = data.partition(b"\n")[0][:200].decode("utf-8", "replace")
                raise BadInput(f"{path} holds other games than {header.decode().strip()}: {line!r}")
            data = header
            self._file.seek(0)
            self._file.write(header)
        self._games: list[SelfPlayGame] = []
        end = len(header)
        for game, next_offset in self._read(data, end):
            self._games.append(game)
            end = next_offset
        self._file.truncate(end)
        self._file.seek(end)

    def _read(self, data: bytes, offset: int) -> Iterator[tuple[SelfPlayGame, int]]:
        """Every complete game from this offset on, and the offset after it."""
        while len(data) - offset >= _FRAME.size:
            length, checksum = _FRAME.unpack_from(data, offset)
            offset += _FRAME.size
            block = data[offset:offset + length]
            if len(block) < length or zlib.crc32(block) != checksum:
                return
            raw = zlib.decompress(block)
            outcome, n = _HEAD.unpack_from(raw)
            moves = np.frombuffer(raw, "<i2", n, _HEAD.size)
            visits = np.frombuffer(raw, "<u2", n * self._n_moves, _HEAD.size + 2 * n).reshape(n, self._n_moves)
            offset += length
            yield SelfPlayGame(moves, visits, outcome), offset

    def append(self, game: SelfPlayGame) -> None:
        """Add a game; it is on the disk when this returns.  Raises OSError with the name of the file."""
        raw = _HEAD.pack(game.outcome, len(game.moves)) + game.moves.astype("<i2").tobytes() \
            + game.visits.astype("<u2").tobytes()
        block = zlib.compress(raw, 6)
        try:
            self._file.write(_FRAME.pack(len(block), zlib.crc32(block)) + block)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:                         # such as a full disk
            error.filename = error.filename or str(self.path)
            raise
        self._games.append(game)

    def close(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._games)

    @overload
    def __getitem__(self, index: int) -> SelfPlayGame: ...

    @overload
    def __getitem__(self, index: slice) -> list[SelfPlayGame]: ...

    def __getitem__(self, index):
        return self._games[index]


class ReplayWindow:
    """The positions of the newest games, encoded for training.

    The window holds as many games as have `positions` positions, but at most half of all games, because the first
    ones were played by a network that knew nothing.

    packed: uint8 (n, size², bytes).  policy: float32 (n, size² + 1), the fraction of visits of every move.
    outcome: float32 (n,), 1 where the side to move has won, -1 where it has lost, 0 for a draw.
    first, end: the games in the window are buffer[first:end].
    """

    def __init__(self, buffer: ReplayBuffer, start: BasePosition, positions: int):
        self.first = self.end = 0
        self._buffer, self._start, self._positions = buffer, start, positions
        self._encoded: dict[int, tuple[np.ndarray, ...]] = {}            # (packed, policy, outcome) of each game
        self._symmetries = symmetries(start.size)

    def slide_to(self, end: int) -> None:
        """Let the window end before game number `end`.  Raises BadInput for a game with an illegal move."""
        first, positions = end, 0
        while first > end // 2 and positions < self._positions:
            first -= 1
            positions += len(self._buffer[first].moves)
        self._encoded = {i: self._encoded.get(i) or encode_game(self._buffer[i], self._start)
                         for i in range(first, end)}
        self.first, self.end = first, end
        self.packed, self.policy, self.outcome = map(np.concatenate, zip(*self._encoded.values(), strict=True))

    def __len__(self) -> int:
        """How many positions there are in the window."""
        return len(self.outcome)

    def sample(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A batch of n random positions, each in a random one of the 8 symmetries: (packed, policy, outcome)."""
        chosen = rng.integers(0, len(self), n)
        symmetry = self._symmetries[rng.integers(0, 8, n)]
        packed, policy = np.empty_like(self.packed[chosen]), np.empty_like(self.policy[chosen])
        np.put_along_axis(packed, symmetry[:, :-1, None], self.packed[chosen], 1)
        np.put_along_axis(policy, symmetry, self.policy[chosen], 1)
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
