"""The replay buffer: what was written is read, a crash loses at most the last game, damage is never silent; the
window and its batches."""
import errno
import os
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

from mugo.core.files import BadInput
from mugo.games import go, gomoku
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import new_game, packed_bytes
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay_buffer import (
    ReplayBuffer,
    block_of,
    find_games,
    first_frame,
    frame_of,
    header_of,
    repair_buffer,
    game_arguments,
)
from mugo.selfplay.replay_window import ReplayWindow

START = gomoku.Position(4, 3)


def random_game(rng: np.random.Generator, start=START) -> SelfPlayGame:
    position, moves, visits = start, [], []
    while not position.is_over:
        indices = np.flatnonzero(np.isin(np.arange(start.size ** 2), [
            (point // (start.size + 1) - 1) * start.size + point % (start.size + 1) - 1
            for point in position.legal_points().tolist()]))
        row = np.zeros(start.size ** 2 + 1, np.uint16)
        row[indices] = rng.integers(1, 400, len(indices))
        moves.append(int(rng.choice(indices)))
        visits.append(row)
        position = position.play(point_of_index(moves[-1], start.size))
    return SelfPlayGame(np.array(moves, np.int16), np.array(visits), int(position.score()))


def are_equal(a: SelfPlayGame, b: SelfPlayGame) -> bool:
    return np.array_equal(a.moves, b.moves) and np.array_equal(a.visits, b.visits) and a.outcome == b.outcome


@pytest.fixture
def games() -> list[SelfPlayGame]:
    rng = np.random.default_rng(1)
    return [random_game(rng) for _ in range(12)]


@pytest.fixture
def written(games, tmp_path):
    buffer = ReplayBuffer(tmp_path / "replay_buffer.bin", START)
    for game in games:
        buffer.append(game)
    buffer.close()
    return tmp_path / "replay_buffer.bin"


def ends_of(games) -> list[int]:
    """The offsets of the ends of the first line and of each game."""
    return np.cumsum([len(header_of(START)), *(len(frame_of(block_of(game))) for game in games)]).tolist()


def test_an_incomplete_last_game_is_cut_off_with_a_line_and_the_others_are_kept(games, written, capsys):
    whole, ends = written.read_bytes(), ends_of(games)
    assert ends[-1] == len(whole)
    for size in [*range(ends[-3], len(whole)), *range(ends[0], ends[0] + 20)]:
        written.write_bytes(whole[:size])
        buffer = ReplayBuffer(written, START)
        kept = sum(end <= size for end in ends[1:])
        assert len(buffer) == kept and all(are_equal(a, b) for a, b in zip(buffer[:], games, strict=False))
        line = f"{size - ends[kept]} bytes of a game that was not written to its end are cut off; {kept} games are"
        assert (line in capsys.readouterr().err) == (size != ends[kept])
        buffer.append(games[0])                         # and games can be appended
        buffer.close()
        reopened = ReplayBuffer(written, START)
        assert len(reopened) == kept + 1 and are_equal(reopened[kept], games[0])
        reopened.close()
    assert capsys.readouterr().err == ""


def test_every_damaged_bit_is_refused_and_repaired_with_all_other_games(games, tmp_path):
    path, ends = tmp_path / "replay_buffer.bin", ends_of(games[:3])
    whole = header_of(START) + b"".join(frame_of(block_of(game)) for game in games[:3])
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        before = sum(end <= bit // 8 for end in ends) - 1            # -1: in the first line
        found = find_games(bytes(data), START, first_frame(path, bytes(data), header_of(START)))
        expected = [game for i, game in enumerate(games[:3]) if i != before]
        assert (found.damage, found.games_before) == ((ends[before], before) if before >= 0 else (0, 0))
        assert found.blocks == [block_of(game) for game in expected]
        if bit % 61 == 0:
            path.write_bytes(data)
            line = f"is damaged at byte {found.damage}: {max(before, 0)} whole games before it, "
            with pytest.raises(BadInput, match=line + f"{2 - before} after it; --resume --repair moves the file aside"):
                ReplayBuffer(path, START)
            assert path.read_bytes() == data
            aside = repair_buffer(path, START)
            buffer = ReplayBuffer(path, START)
            assert len(buffer) == len(expected) and all(map(are_equal, buffer[:], expected))
            buffer.close()
            assert aside.read_bytes() == data
            aside.unlink()


def test_games_are_compressed_in_memory_too(tmp_path):
    start, visits = new_game("go", 19), np.zeros((4095, 362), np.uint16)
    visits[:, 0] = 1                                     # 3 MB, 20 KB in the file
    block = block_of(SelfPlayGame(np.zeros(4095, np.int16), visits, 1))
    path = tmp_path / "replay_buffer.bin"
    path.write_bytes(header_of(start) + frame_of(block) * 40)
    tracemalloc.start()
    try:
        buffer = ReplayBuffer(path, start)
        assert len(buffer) == 40 and tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    assert len(buffer[39].moves) == 4095
    buffer.close()


def test_a_repair_deletes_nothing_and_leaves_a_whole_file_alone(games, written):
    whole = written.read_bytes()
    assert repair_buffer(written, START) is None and written.read_bytes() == whole
    assert repair_buffer(written.with_name("none"), START) is None
    for number in 1, 2:
        damaged = bytearray(written.read_bytes())
        damaged[-30] ^= 1
        written.write_bytes(damaged)
        aside = repair_buffer(written, START)
        assert aside.name == f"replay_buffer.bin.damaged-{number}" and aside.read_bytes() == damaged
        buffer = ReplayBuffer(written, START)
        assert len(buffer) == 12 - number
        buffer.close()
    written.write_bytes(b"")                             # all that a disk lost
    assert repair_buffer(written, START) is not None and written.read_bytes() == header_of(START)
    with pytest.raises(BadInput, match="holds other games than"):
        repair_buffer(written, gomoku.Position(4, 4))


def test_a_full_disk_leaves_the_file_as_it_was(games, written):
    """As on a disk that takes 20 bytes of a game; then it has space again."""
    buffer, file, whole = ReplayBuffer(written, START), None, written.read_bytes()

    class FullDisk:
        is_full = True

        def write(self, data):
            if not self.is_full:
                return file.write(data[:7])              # a part at a time
            if file.tell() >= len(whole) + 20:
                raise OSError(errno.ENOSPC, "No space left on device")
            return file.write(data[:20])

        def __getattr__(self, name):
            return getattr(file, name)

    file, buffer._file = buffer._file, FullDisk()
    with pytest.raises(OSError, match="No space left on device") as caught:
        buffer.append(games[0])
    assert caught.value.filename == str(written)
    assert written.read_bytes() == whole and len(buffer) == 12
    buffer._file.is_full = False
    buffer.append(games[3])
    assert written.read_bytes() == whole + frame_of(block_of(games[3])) and len(buffer) == 13
    buffer.close()


def test_a_kill_during_a_repair_leaves_the_damaged_file_or_the_repaired_one(games, written, monkeypatch):
    damaged = bytearray(written.read_bytes())
    damaged[200] ^= 1
    for name in "link", "fsync", "replace":
        written.write_bytes(damaged)
        with monkeypatch.context() as patch:
            patch.setattr(os, name, kill)
            with pytest.raises(Killed):
                repair_buffer(written, START)
        assert written.read_bytes() == damaged
    assert repair_buffer(written, START) is not None
    assert len(ReplayBuffer(written, START)) == 11


class Killed(BaseException):
    pass


def kill(*_):
    raise Killed


def test_a_buffer_has_one_writer(written):
    first = ReplayBuffer(written, START)
    with pytest.raises(BadInput, match="replay_buffer.bin: another process is writing to it"):
        ReplayBuffer(written, START)
    first.close()
    assert len(ReplayBuffer(written, START)) == 12


def test_a_buffer_of_another_game_is_refused(written):
    with pytest.raises(BadInput, match=r"replay_buffer.bin holds other games than .*\"k\": 4"):
        ReplayBuffer(written, gomoku.Position(4, 4))
    (written.parent / "poem").write_text("Whose woods these are I think I know\n")
    with pytest.raises(BadInput, match="poem is damaged at byte 0: 0 whole games before it, 0 after it"):
        ReplayBuffer(written.parent / "poem", START)


@pytest.mark.parametrize("start", [gomoku.Position(6, 4, exactly=True), go.Position(7, 5.5)], ids=["gomoku", "go"])
def test_rules_of_a_start_make_that_start(start):
    assert new_game(**game_arguments(start)).has_same_rules(start)


def test_a_window_depends_on_its_end_only(games, written):
    buffer = ReplayBuffer(written, START)
    window = ReplayWindow(buffer, START, 30)
    for end in (3, 4, 12, 7):
        window.slide_to(end)
        fresh = ReplayWindow(buffer, START, 30)
        fresh.slide_to(end)
        assert (window.first, window.end) == (fresh.first, fresh.end)
        assert np.array_equal(window.packed, fresh.packed) and np.array_equal(window.policy, fresh.policy)
        assert sum(len(game.moves) for game in buffer[window.first:end]) == len(window)
        assert len(window) >= 30 or window.first == end // 2
        assert window.first >= end // 2
        assert sum(len(game.moves) for game in buffer[window.first + 1:end]) < 30


def test_outcomes_are_those_of_the_side_to_move(games, written):
    window = ReplayWindow(ReplayBuffer(written, START), START, 10_000)
    window.slide_to(12)
    assert (window.first, window.end) == (6, 12)
    at = 0
    for game in games[6:]:
        assert window.outcome[at:at + len(game.moves)].tolist() == [
            game.outcome * (1 if ply % 2 == 0 else -1) for ply in range(len(game.moves))]
        at += len(game.moves)
    assert np.allclose(window.policy.sum(1), 1)


def test_a_batch_has_planes_and_policy_in_the_same_symmetry(games, written):
    window = ReplayWindow(ReplayBuffer(written, START), START, 10_000)
    window.slide_to(12)
    packed, policy, outcome = window.sample(200, np.random.default_rng(3))
    known = {}
    for i in range(len(window)):
        for symmetry in symmetries(4):
            transformed, fractions = np.empty_like(window.packed[i]), np.empty_like(window.policy[i])
            transformed[symmetry[:-1]] = window.packed[i]
            fractions[symmetry] = window.policy[i]
            known.setdefault(transformed.tobytes(), []).append((fractions, window.outcome[i]))
    seen = set()
    for planes, fractions, z in zip(packed, policy, outcome, strict=True):
        assert any(np.array_equal(fractions, theirs) and z == won for theirs, won in known[planes.tobytes()])
        seen.add(planes.tobytes())
    assert len(seen) > 60
    assert packed.shape[1:] == (16, packed_bytes("gomoku"))


def test_every_position_is_sampled_in_each_of_the_symmetries(games, written):
    window = ReplayWindow(ReplayBuffer(written, START), START, 12)
    window.slide_to(12)
    packed = window.sample(8 * 60 * len(window), np.random.default_rng(3))[0]
    for planes in window.packed:
        views = {np.ascontiguousarray(planes[np.argsort(symmetry[:-1])]).tobytes() for symmetry in symmetries(4)}
        assert views <= {sampled.tobytes() for sampled in packed}


def test_a_game_is_on_the_disk_before_append_returns(games, written, monkeypatch):
    buffer, synced, fsync = ReplayBuffer(written, START), [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size) or fsync(file))
    buffer.append(games[0])
    assert synced == [written.stat().st_size]
    buffer.close()


def test_an_illegal_move_is_reported(games, tmp_path):
    buffer = ReplayBuffer(tmp_path / "replay_buffer.bin", START)
    buffer.append(games[0]._replace(moves=np.array([3, 3], np.int16), visits=games[0].visits[:2]))
    with pytest.raises(BadInput, match="illegal move 2: illegal move: D4 is occupied"):
        ReplayWindow(buffer, START, 10).slide_to(1)


def framed(outcome: int, moves: list[int], visits: np.ndarray, rest: bytes = b"") -> bytes:
    """A frame with right checksums, whatever is in it."""
    raw = struct.pack("<bH", outcome, len(moves)) + np.array(moves, "<i2").tobytes() + visits.astype("<u2").tobytes()
    block = zlib.compress(raw + rest)
    head = struct.pack("<4sII", b"GAME", len(block), zlib.crc32(block))
    return head + struct.pack("<I", zlib.crc32(head)) + block


@pytest.mark.parametrize("outcome, moves, visits, rest", [
    (2, [0, 1], np.ones((2, 17)), b""), (-128, [0, 1], np.ones((2, 17)), b""),
    (1, [], np.ones((0, 17)), b""),
    (1, [0, 17], np.ones((2, 17)), b""), (1, [0, 32767], np.ones((2, 17)), b""), (1, [-1, 0], np.ones((2, 17)), b""),
    (1, [0, 1], np.array([[1] * 17, [0] * 17]), b""),                    # no visits: their fractions are NaN
    (1, [0, 1], np.ones((3, 17)), b""), (1, [0, 1], np.ones((1, 17)), b""), (1, [0, 1], np.ones((2, 17)), b"x"),
    (1, [16] * 4096, np.ones((4096, 17)), b""),                          # too many moves
    (1, [0, 1], np.ones((2, 17)), bytes(30 << 20))])                     # 30 MB in 30 kB
def test_games_that_somebody_made_up_are_refused_as_damage(games, tmp_path, outcome, moves, visits, rest):
    path = tmp_path / "replay_buffer.bin"
    before, after = (frame_of(block_of(game)) for game in games[:2])
    path.write_bytes(header_of(START) + before + framed(outcome, moves, visits, rest) + after)
    with pytest.raises(BadInput, match="is damaged at byte .*: 1 whole games before it, 1 after it"):
        ReplayBuffer(path, START)
    repair_buffer(path, START)
    assert len(ReplayBuffer(path, START)) == 2


def test_a_made_up_game_is_not_uncompressed_further_than_a_game_can_be(games, tmp_path):
    path = tmp_path / "replay_buffer.bin"
    path.write_bytes(header_of(START) + framed(1, [0], np.ones((1, 17)), bytes(100 << 20)))
    tracemalloc.start()
    with pytest.raises(BadInput, match="is damaged"):
        ReplayBuffer(path, START)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 << 20


def test_a_pass_in_gomoku_is_an_illegal_move_of_the_replay_buffer(tmp_path):
    path = tmp_path / "replay_buffer.bin"
    path.write_bytes(header_of(START) + framed(1, [16], np.ones((1, 17))))
    with pytest.raises(BadInput, match="illegal move 1"):
        ReplayWindow(ReplayBuffer(path, START), START, 10).slide_to(1)


def test_pipes_and_devices_are_no_replay_buffers(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    for name in ("pipe", "device"):
        for function in (ReplayBuffer, repair_buffer):
            with pytest.raises(BadInput, match=f"{name} is not a regular file"):
                function(tmp_path / name, START)
