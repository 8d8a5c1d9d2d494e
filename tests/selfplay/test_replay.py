"""The replay buffer: what was written is read, damage is never silent; the window and its batches."""
import errno
import os

import numpy as np
import pytest

from mugo.core.files import BadInput
from mugo.games import go, gomoku
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import new_game, packed_bytes
from mugo.selfplay import replay
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay import ReplayBuffer, ReplayWindow, game_arguments

START = gomoku.GomokuPosition(4, 3)


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
    """The folder of a run with 12 games, 5 in a file."""
    buffer = opened(tmp_path)
    for game in games:
        buffer.append(game)
    buffer.save()
    return tmp_path


def opened(folder, start=START) -> ReplayBuffer:
    return ReplayBuffer(folder, start, 5)


def test_games_are_read_as_they_were_written_and_more_are_appended(games, written):
    assert sorted(path.name for path in (written / "replay").iterdir()) == ["000000.npz", "000001.npz", "000002.npz"]
    for count in (12, 13, 17):
        buffer = opened(written)
        assert len(buffer) == count and all(map(are_equal, buffer, [*games, *games[:5]]))
        for game in games[count - 12:count - 11 if count == 12 else 5]:
            buffer.append(game)
        buffer.save()


def test_a_kill_loses_the_games_of_the_last_seconds_and_none_of_a_full_file(games, tmp_path, monkeypatch):
    monkeypatch.setattr(replay, "SAVE_SECONDS", 1e9)
    buffer = opened(tmp_path)
    for game in games[:8]:
        buffer.append(game)
    assert len(opened(tmp_path)) == 5
    monkeypatch.setattr(replay, "SAVE_SECONDS", 0)
    buffer.append(games[8])
    assert len(opened(tmp_path)) == 9


def test_a_damaged_or_missing_file_is_refused_when_its_games_are_needed(games, written):
    path = written / "replay" / "000001.npz"
    whole = path.read_bytes()
    for data in (whole[:-9], whole[:200] + bytes([whole[200] ^ 4]) + whole[201:], b"", b"poem"):
        path.write_bytes(data)
        buffer = opened(written)
        assert are_equal(buffer[11], games[11])
        with pytest.raises(BadInput, match=r"replay/000001.npz is damaged or missing .*--init-from"):
            buffer[6]
    path.unlink()
    with pytest.raises(BadInput, match="000001.npz is damaged or missing"):
        opened(written)[6]
    (written / "replay" / "000002.npz").write_bytes(whole[:100])
    with pytest.raises(BadInput, match="000002.npz is damaged or missing"):
        opened(written)


def test_a_full_disk_leaves_the_file_as_it_was(games, written, monkeypatch):
    def full_disk(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path, buffer = written / "replay" / "000002.npz", opened(written)
    whole = path.read_bytes()
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left") as caught:
        patch.setattr(os, "fsync", full_disk)
        buffer.append(games[0])
    assert caught.value.filename == str(path) and path.read_bytes() == whole
    buffer.append(games[1])
    buffer.save()
    assert all(map(are_equal, opened(written), [*games, *games[:2]]))


def test_games_of_other_rules_are_refused(written):
    with pytest.raises(BadInput, match=r"000002.npz holds other games than .*\"k\": 4"):
        opened(written, gomoku.GomokuPosition(4, 4))


@pytest.mark.parametrize("start", [gomoku.GomokuPosition(6, 4, exactly=True), go.GoPosition(7, 5.5)],
                         ids=["gomoku", "go"])
def test_rules_of_a_start_make_that_start(start):
    assert new_game(**game_arguments(start)).has_same_rules(start)


def test_a_window_depends_on_its_end_only(games, written):
    buffer = opened(written)
    window = ReplayWindow(buffer, START, 30)
    for end in (3, 4, 4, 8, 12, 7):
        window.slide_to(end)
        fresh = ReplayWindow(buffer, START, 30)
        fresh.slide_to(end)
        assert (window.first, window.end) == (fresh.first, fresh.end)
        assert np.array_equal(window.packed, fresh.packed) and np.array_equal(window.policy, fresh.policy)
        lengths = [len(game.moves) for game in games[window.first:end]]
        assert sum(lengths) == len(window)
        assert len(window) >= 30 or window.first == end // 2
        assert window.first >= end // 2
        assert sum(lengths[1:]) < 30


def test_outcomes_are_those_of_the_side_to_move(games, written):
    window = ReplayWindow(opened(written), START, 10_000)
    window.slide_to(12)
    assert (window.first, window.end) == (6, 12)
    at = 0
    for game in games[6:]:
        assert window.outcome[at:at + len(game.moves)].tolist() == [
            game.outcome * (1 if ply % 2 == 0 else -1) for ply in range(len(game.moves))]
        at += len(game.moves)
    assert np.allclose(window.policy.sum(1), 1)


def test_a_batch_has_planes_and_policy_in_the_same_symmetry(games, written):
    window = ReplayWindow(opened(written), START, 10_000)
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
    window = ReplayWindow(opened(written), START, 12)
    window.slide_to(12)
    packed = window.sample(8 * 60 * len(window), np.random.default_rng(3))[0]
    for planes in window.packed:
        views = {np.ascontiguousarray(planes[np.argsort(symmetry[:-1])]).tobytes() for symmetry in symmetries(4)}
        assert views <= {sampled.tobytes() for sampled in packed}


@pytest.mark.parametrize("moves, line", [([3, 3], "illegal move 2: illegal move: D4 is occupied"),
                                         ([16, 3], "illegal move 1")])        # a pass
def test_an_illegal_move_is_reported(games, tmp_path, moves, line):
    buffer = opened(tmp_path)
    buffer.append(games[0]._replace(moves=np.array(moves, np.int16), visits=games[0].visits[:2]))
    with pytest.raises(BadInput, match=line):
        ReplayWindow(buffer, START, 10).slide_to(1)
