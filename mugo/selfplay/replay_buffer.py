"""The replay buffer: the games of self-play in a file.

    replay_buffer.bin    a line of JSON, the format and the rules of the games, and the line's CRC-32
                         then a frame for each game:
                             "GAME" | length of the block  uint32 | its CRC-32  uint32 | CRC-32 of these 12 bytes
                             block: zlib of outcome, moves, visits

Games are only ever appended, each flushed to the disk (fsync) before it is trained on.  So a crash can only leave an
incomplete frame at the end; it is cut off, with a line on stderr, when the file is opened.  Any other damage is an
error: no game is ever dropped without a word.  `repair_buffer` keeps the whole games and moves the damaged file aside.
Planes are not stored: the window (replay_window.py) encodes positions from the moves.
"""
import contextlib
import io
import json
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mugo.core.files import BadInput, atomic_write, fsync_folder, lock_file, log_to_stderr, open_regular_file
from mugo.games import gomoku
from mugo.games.coords import MAX_MOVES
from mugo.games.position import BasePosition
from mugo.selfplay.parallel import SelfPlayGame

FORMAT = 2
_MAGIC = b"GAME"
_FRAME = struct.Struct("<4sIII")         # magic, length of the block, its CRC-32, CRC-32 of the 12 bytes before
_HEAD = struct.Struct("<bH")             # outcome, number of moves


def game_arguments(start: BasePosition) -> dict[str, Any]:
    """The rules of a game by name, as games.game.new_game takes them."""
    if isinstance(start, gomoku.Position):
        return {"game": start.game, "size": start.size, "k": start.k, "exactly": start.exactly}
    return {"game": start.game, "size": start.size, "komi": start.komi}


def header_of(start: BasePosition) -> bytes:
    """The first line of a file of games from this start."""
    text = json.dumps({"format": FORMAT, **game_arguments(start)}).encode()
    return text + b" %08x\n" % zlib.crc32(text)


class ReplayBuffer:
    """The games in a file, in the order in which they ended: a sequence of SelfPlayGame that can be appended to.

    Games are compressed in memory as well; each is decompressed when it is taken.
    """

    def __init__(self, path: Path, start: BasePosition):
        """Open the file, or create it.  An incomplete game at its end is cut off, with a line on stderr.

        Raises BadInput for a file that is no replay buffer, that is damaged, that holds games of other rules, or that
        another process writes to.
        """
        self.path = path
        self._points = start.size ** 2 + 1
        header = header_of(start)
        if not path.exists():
            with atomic_write(path) as temporary:
                temporary.write_bytes(header)
        self._file = _open_locked(path)                  # until `close`
        try:
            data = self._file.read()
            found = find_games(data, start, first_frame(path, data, header))
            if found.damage is not None:
                raise BadInput(f"{path} is damaged at byte {found.damage:,}: {found.games_before:,} whole games before "
                               f"it, {len(found.blocks) - found.games_before:,} after it; --resume --repair moves the "
                               "file aside and keeps these games")
            self._blocks = found.blocks
            if found.end < len(data):
                log_to_stderr(f"{path}: {len(data) - found.end} bytes of a game that was not written to its end are "
                              f"cut off; {len(self._blocks):,} games are whole")
                self._file.truncate(found.end)
            self._file.seek(found.end)
        except BaseException:
            self._file.close()
            raise

    def append(self, game: SelfPlayGame) -> None:
        """Add a game; it is on the disk when this returns.

        Raises OSError with the name of the file; then the file is as before.
        """
        end = self._file.tell()
        block = block_of(game)
        try:
            unwritten = memoryview(frame_of(block))
            while unwritten:                             # an unbuffered file may write a part
                unwritten = unwritten[self._file.write(unwritten):]
            os.fsync(self._file.fileno())
        except OSError as error:                         # such as a full disk
            with contextlib.suppress(OSError):
                self._file.truncate(end)
                self._file.seek(end)
            error.filename = error.filename or str(self.path)
            raise
        self._blocks.append(block)

    def close(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, index: int | slice) -> Any:
        """A game, or a list of games."""
        if isinstance(index, slice):
            return [game_of(block, self._points) for block in self._blocks[index]]
        return game_of(self._blocks[index], self._points)


@dataclass
class FoundGames:
    """What find_games has found in a file.

    blocks: those of the games that are whole.  end: the offset after the last whole frame, before an incomplete one.
    damage: the offset of the first byte that belongs to no frame, None if there is none.
    games_before: how many of `blocks` are before the damage.
    """
    blocks: list[bytes]
    end: int
    damage: int | None = None
    games_before: int = 0


def block_of(game: SelfPlayGame) -> bytes:
    """A game, compressed."""
    return zlib.compress(_HEAD.pack(game.outcome, len(game.moves)) + game.moves.astype("<i2").tobytes()
                         + game.visits.astype("<u2").tobytes(), 6)


def frame_of(block: bytes) -> bytes:
    """A game as it is written to the file."""
    head = _FRAME.pack(_MAGIC, len(block), zlib.crc32(block), 0)[:-4]
    return head + struct.pack("<I", zlib.crc32(head)) + block


def find_games(data: bytes, start: BasePosition, offset: int) -> FoundGames:
    """All whole games in the content of a file from this offset on; after damage, those that follow the next frame."""
    found = FoundGames([], offset, None if data else 0)
    while 0 <= offset < len(data):
        head = data[offset:offset + _FRAME.size]
        magic, length, checksum, of_head = _FRAME.unpack(head.ljust(_FRAME.size, b"\0"))
        is_head = len(head) == _FRAME.size and magic == _MAGIC and of_head == zlib.crc32(head[:-4])
        end = offset + _FRAME.size + length * is_head
        if end > len(data) and (is_head or head.startswith(_MAGIC[:len(head)])):
            break                                        # an incomplete frame at the end
        block = data[offset + _FRAME.size:end]
        if is_head and zlib.crc32(block) == checksum and _is_game(block, start.size ** 2 + 1):
            found.blocks.append(block)
            found.games_before += found.damage is None
            offset = found.end = end
        else:
            found.damage = offset if found.damage is None else found.damage
            offset = data.find(_MAGIC, offset + 1)
    return found


def game_of(block: bytes, points: int) -> SelfPlayGame:
    """The game in a block.

    points: the board's, and one for the pass.
    Raises ValueError, struct.error or zlib.error for a block that holds anything else, or a number out of range.
    """
    unzip = zlib.decompressobj()
    raw = unzip.decompress(block, _HEAD.size + MAX_MOVES * 2 * (1 + points))
    outcome, n = _HEAD.unpack_from(raw)
    moves = np.frombuffer(raw, "<i2", n, _HEAD.size)
    visits = np.frombuffer(raw, "<u2", n * points, _HEAD.size + 2 * n).reshape(n, points)
    is_whole = unzip.eof and not unzip.unused_data and len(raw) == _HEAD.size + moves.nbytes + visits.nbytes
    if not (is_whole and 1 <= n <= MAX_MOVES and -1 <= outcome <= 1 and 0 <= moves.min() <= moves.max() < points
            and visits.any(1).all()):
        raise ValueError("no game of self-play")
    return SelfPlayGame(moves, visits, outcome)


def _is_game(block: bytes, points: int) -> bool:
    try:
        game_of(block, points)
    except (zlib.error, struct.error, ValueError):
        return False
    return True


def _open_locked(path: Path) -> io.FileIO:
    """The file, open for reading and writing, with its lock.

    Raises BadInput if another process holds it, or for a pipe or a device.
    """
    open_regular_file(path).close()
    file = open(path, "r+b", buffering=0)
    try:
        lock_file(file.fileno(), path)
    except BadInput:
        file.close()
        raise
    return file


def first_frame(path: Path, data: bytes, header: bytes) -> int:
    """The offset after the first line; 0 if that line is damaged.  Raises BadInput for a line of other games."""
    if data.startswith(header):
        return len(header)
    line = data.partition(b"\n")[0]
    text, _, checksum = line.rpartition(b" ")
    if checksum == b"%08x" % zlib.crc32(text):
        raise BadInput(f"{path} holds other games than {header.decode().rpartition(' ')[0]}: "
                       f"{text[:200].decode('utf-8', 'replace')}")
    return 0


def repair_buffer(path: Path, start: BasePosition) -> Path | None:
    """Write a damaged file again with the games that are whole; the damaged one is kept under another name.

    start: the games' first position; the first line is made from it.  Returns the damaged file's new
    name, None if there is nothing to repair.  At every moment `path` is the old file or the new one.
    Raises BadInput if `path` holds other games, or if another process writes to it.
    """
    if not path.exists():
        return None
    with contextlib.closing(_open_locked(path)) as file:
        data, header = file.read(), header_of(start)
        found = find_games(data, start, first_frame(path, data, header))
        if found.damage is None:
            return None
        number = 1
        while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
            number += 1
        os.link(path, aside)
        fsync_folder(path.parent)
        with atomic_write(path) as temporary:
            temporary.write_bytes(header + b"".join(map(frame_of, found.blocks)))
    return aside
