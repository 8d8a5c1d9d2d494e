"""The games of self-play on disk, one appended to the other: what a network learns from, and what no crash takes.

    games.journal     a line of JSON: the game and its board
                      then for each game   length  uint32 | CRC-32  uint32 | zlib of outcome, moves, visits

A game is on the disk (fsync) before anybody learns from it.  What a crash left of one at the end is cut off when
the journal is opened again; everything before it stays.  Positions to learn from are made anew from the moves.
"""
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mugo.files import BadInput, lock_file
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import encode, new_game
from mugo.games.position import BasePosition, IllegalMove
from mugo.selfplay.parallel import Game

FORMAT = 1
_FRAME = struct.Struct("<II")            # bytes that follow, their CRC-32
_HEAD = struct.Struct("<bH")             # outcome, number of moves


def terms_of(start: BasePosition) -> dict:
    """What the games of a journal have in common; `start_of` reads it."""
    terms = {"game": start.game, "size": start.size}
    if start.game == "gomoku":
        return terms | {"k": start.k, "exactly": start.exactly}
    return terms | {"komi": start.komi}


def start_of(terms: dict) -> BasePosition:
    """The empty board that terms_of told of.  Raises BadInput."""
    return new_game(**terms)


class Journal:
    """The games in a file, in order; len() of them.

    Raises BadInput for a file that is none, that holds another game's, or that another process writes to.
    """

    def __init__(self, path: Path, start: BasePosition):
        """Open the journal at path, or begin it.  What is broken at its end is cut off."""
        self.path = path
        self._n_moves = start.size ** 2 + 1
        header = json.dumps({"format": FORMAT, **terms_of(start)}).encode() + b"\n"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "xb") as new:
                new.write(header)
                os.fsync(new.fileno())
        self._file = open(path, "r+b")                   # open as long as the run lasts
        try:
            lock_file(self._file.fileno(), path)
        except BadInput:
            self._file.close()
            raise
        data = self._file.read()
        if not data.startswith(header):
            if not header.startswith(data):              # killed before the first line was whole
                line = data.partition(b"\n")[0][:200].decode("utf-8", "replace")
                raise BadInput(f"{path} holds other games than {header.decode().strip()}: {line!r}")
            data = header
            self._file.seek(0)
            self._file.write(header)
        self._games: list[Game] = []
        end = len(header)
        for game, after in self._read(data, end):
            self._games.append(game)
            end = after
        self._file.truncate(end)
        self._file.seek(end)

    def _read(self, data: bytes, at: int) -> Iterator[tuple[Game, int]]:
        """Every whole game from here on, with where the next one begins."""
        while len(data) - at >= _FRAME.size:
            length, checksum = _FRAME.unpack_from(data, at)
            at += _FRAME.size
            block = data[at:at + length]
            if len(block) < length or zlib.crc32(block) != checksum:
                return
            raw = zlib.decompress(block)
            outcome, n = _HEAD.unpack_from(raw)
            moves = np.frombuffer(raw, "<i2", n, _HEAD.size)
            visits = np.frombuffer(raw, "<u2", n * self._n_moves, _HEAD.size + 2 * n).reshape(n, self._n_moves)
            at += length
            yield Game(moves, visits, outcome), at

    def append(self, game: Game) -> None:
        """Keep a game; when this returns, it is on the disk."""
        raw = _HEAD.pack(game.outcome, len(game.moves)) + game.moves.astype("<i2").tobytes() \
            + game.visits.astype("<u2").tobytes()
        block = zlib.compress(raw, 6)
        try:
            self._file.write(_FRAME.pack(len(block), zlib.crc32(block)) + block)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:                         # a full disk, say: name the file
            error.filename = error.filename or str(self.path)
            raise
        self._games.append(game)

    def close(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._games)

    def __getitem__(self, which: slice | int):
        return self._games[which]


class Window:
    """The positions of the newest games, ready to be learned from: of as many as make `positions` of them, but of no
    more than half of all games, because a network plays better games than the one it was.

    packed: uint8 (n, size², bytes).  policy: float32 (n, size² + 1), the share of visits of every move.
    outcome: float32 (n,), for the side to move.  first, last: the games in it are journal[first:last].
    """

    def __init__(self, journal: Journal, start: BasePosition, positions: int):
        self.first = self.last = 0
        self._journal, self._start, self._positions = journal, start, positions
        self._games: dict[int, tuple[np.ndarray, ...]] = {}              # what is in it, by game
        self._turns = symmetries(start.size)

    def move_to(self, last: int) -> None:
        """Let it end with game number last - 1, whatever it held before.  Raises BadInput for a game that does not
        keep the rules."""
        first, held = last, 0
        while first > last // 2 and held < self._positions:
            first -= 1
            held += len(self._journal[first].moves)
        self._games = {i: self._games.get(i) or _positions(self._journal[i], self._start) for i in range(first, last)}
        self.first, self.last = first, last
        self.packed, self.policy, self.outcome = map(np.concatenate, zip(*self._games.values(), strict=True))

    def __len__(self) -> int:
        return len(self.outcome)

    def batch(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """n of them drawn at random, each in a random symmetry: (packed, policy, outcome)."""
        chosen = rng.integers(0, len(self), n)
        turns = self._turns[rng.integers(0, 8, n)]
        packed, policy = np.empty_like(self.packed[chosen]), np.empty_like(self.policy[chosen])
        np.put_along_axis(packed, turns[:, :-1, None], self.packed[chosen], 1)
        np.put_along_axis(policy, turns, self.policy[chosen], 1)
        return packed, policy, self.outcome[chosen]


def _positions(game: Game, start: BasePosition) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(packed, policy, outcome) of every position of a game before its moves."""
    line, position = [], start
    try:
        for move in game.moves.tolist():
            line.append(position)
            position = position.play(point_of_index(move, start.size))
    except IllegalMove as error:
        raise BadInput(f"a game of the journal does not keep the rules: move {len(line)}: {error}") from None
    shares = game.visits / game.visits.sum(1, keepdims=True)
    sides = np.array([position.to_play for position in line], np.float32)
    return encode(line), shares.astype(np.float32), game.outcome * sides
