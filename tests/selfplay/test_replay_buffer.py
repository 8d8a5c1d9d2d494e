"""The replay buffer: what was written is read, a crash loses at most the last game; the window and its batches."""
import numpy as np
import pytest

from mugo.files import BadInput
from mugo.games import go, gomoku
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import new_game, packed_bytes
from mugo.selfplay.parallel import SelfPlayGame
from mugo.selfplay.replay_buffer import ReplayBuffer, ReplayWindow, rules_of

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


def test_games_are_read_as_they_were_written(games, written):
    buffer = ReplayBuffer(written, START)
    assert len(buffer) == 12
    assert all(are_equal(a, b) for a, b in zip(buffer[:], games, strict=True))


def test_an_incomplete_last_game_is_cut_off_and_the_others_are_kept(games, written):
    whole = written.read_bytes()
    ends = []
    buffer = ReplayBuffer(written.with_name("other.bin"), START)
    for game in games:
        ends.append(written.with_name("other.bin").stat().st_size)
        buffer.append(game)
    ends.append(len(whole))
    for size in [*range(ends[-3], len(whole)), *range(0, ends[0])]:
        written.write_bytes(whole[:size])
        buffer = ReplayBuffer(written, START)
        kept = sum(end <= size for end in ends[1:])
        assert len(buffer) == kept and all(are_equal(a, b) for a, b in zip(buffer[:], games, strict=False))
        buffer.append(games[0])                         # and games can be appended
        buffer.close()
        reopened = ReplayBuffer(written, START)
        assert len(reopened) == kept + 1 and are_equal(reopened[kept], games[0])
        reopened.close()


def test_a_damaged_game_ends_the_buffer(games, written):
    data = bytearray(written.read_bytes())
    data[-20] ^= 255
    written.write_bytes(data)
    assert len(ReplayBuffer(written, START)) == 11


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
    with pytest.raises(BadInput, match="poem holds other games"):
        ReplayBuffer(written.parent / "poem", START)


@pytest.mark.parametrize("start", [gomoku.Position(6, 4, exactly=True), go.Position(7, 5.5)], ids=["gomoku", "go"])
def test_rules_of_a_start_make_that_start(start):
    assert new_game(**rules_of(start)).has_same_rules(start)


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


def test_the_same_seed_samples_the_same_batch(games, written):
    window = ReplayWindow(ReplayBuffer(written, START), START, 10_000)
    window.slide_to(12)
    one, other = (window.sample(50, np.random.default_rng([7, 3])) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_an_illegal_move_is_reported(games, tmp_path):
    buffer = ReplayBuffer(tmp_path / "replay_buffer.bin", START)
    buffer.append(games[0]._replace(moves=np.array([3, 3], np.int16), visits=games[0].visits[:2]))
    with pytest.raises(BadInput, match="illegal move 2: illegal move: D4 is occupied"):
        ReplayWindow(buffer, START, 10).slide_to(1)
