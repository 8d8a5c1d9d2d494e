"""The games of self-play on disk: what was written is read, what a crash tore off is cut off, nothing else is lost."""
import numpy as np
import pytest

from mugo.files import BadInput
from mugo.games import go, gomoku
from mugo.games.coords import point_of_index, symmetries
from mugo.games.game import packed_bytes
from mugo.selfplay.parallel import Game
from mugo.selfplay.replay_buffer import Journal, Window, start_of, terms_of

START = gomoku.Position(4, 3)


def random_game(rng: np.random.Generator, start=START) -> Game:
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
    return Game(np.array(moves, np.int16), np.array(visits), int(position.score()))


def same(a: Game, b: Game) -> bool:
    return np.array_equal(a.moves, b.moves) and np.array_equal(a.visits, b.visits) and a.outcome == b.outcome


@pytest.fixture
def games() -> list[Game]:
    rng = np.random.default_rng(1)
    return [random_game(rng) for _ in range(12)]


@pytest.fixture
def written(games, tmp_path):
    journal = Journal(tmp_path / "games.journal", START)
    for game in games:
        journal.append(game)
    journal.close()
    return tmp_path / "games.journal"


def test_games_are_read_as_they_were_written(games, written):
    journal = Journal(written, START)
    assert len(journal) == 12
    assert all(same(a, b) for a, b in zip(journal[:], games, strict=True))


def test_whatever_a_crash_leaves_of_the_last_game_the_others_stay(games, written):
    whole = written.read_bytes()
    ends = []
    journal = Journal(written.with_name("other.journal"), START)
    for game in games:
        ends.append(written.with_name("other.journal").stat().st_size)
        journal.append(game)
    ends.append(len(whole))
    for size in [*range(ends[-3], len(whole)), *range(0, ends[0])]:
        written.write_bytes(whole[:size])
        journal = Journal(written, START)
        kept = sum(end <= size for end in ends[1:])
        assert len(journal) == kept and all(same(a, b) for a, b in zip(journal[:], games, strict=False))
        journal.append(games[0])                         # and it goes on
        journal.close()
        again = Journal(written, START)
        assert len(again) == kept + 1 and same(again[kept], games[0])
        again.close()


def test_a_game_that_was_damaged_ends_the_journal(games, written):
    data = bytearray(written.read_bytes())
    data[-20] ^= 255
    written.write_bytes(data)
    assert len(Journal(written, START)) == 11


def test_two_runs_do_not_write_to_one_journal(written):
    first = Journal(written, START)
    with pytest.raises(BadInput, match="games.journal: another process is writing to it"):
        Journal(written, START)
    first.close()
    assert len(Journal(written, START)) == 12


def test_a_journal_of_another_game_is_refused(written):
    with pytest.raises(BadInput, match=r"games.journal holds other games than .*\"k\": 4"):
        Journal(written, gomoku.Position(4, 4))
    (written.parent / "poem").write_text("Whose woods these are I think I know\n")
    with pytest.raises(BadInput, match="poem holds other games"):
        Journal(written.parent / "poem", START)


@pytest.mark.parametrize("start", [gomoku.Position(6, 4, exactly=True), go.Position(7, 5.5)], ids=["gomoku", "go"])
def test_the_terms_of_a_journal_tell_its_start(start):
    assert start_of(terms_of(start)).is_like(start)


def test_the_window_holds_the_newest_games_whatever_it_held_before(games, written):
    journal = Journal(written, START)
    window = Window(journal, START, 30)
    for last in (3, 4, 12, 7):
        window.move_to(last)
        fresh = Window(journal, START, 30)
        fresh.move_to(last)
        assert (window.first, window.last) == (fresh.first, fresh.last)
        assert np.array_equal(window.packed, fresh.packed) and np.array_equal(window.policy, fresh.policy)
        assert sum(len(game.moves) for game in journal[window.first:last]) == len(window)
        assert len(window) >= 30 or window.first == last // 2
        assert window.first >= last // 2
        assert sum(len(game.moves) for game in journal[window.first + 1:last]) < 30


def test_outcomes_are_told_from_the_side_to_move(games, written):
    window = Window(Journal(written, START), START, 10_000)
    window.move_to(12)
    assert (window.first, window.last) == (6, 12)
    at = 0
    for game in games[6:]:
        assert window.outcome[at:at + len(game.moves)].tolist() == [
            game.outcome * (1 if ply % 2 == 0 else -1) for ply in range(len(game.moves))]
        at += len(game.moves)
    assert np.allclose(window.policy.sum(1), 1)


def test_a_batch_turns_planes_and_policy_alike(games, written):
    window = Window(Journal(written, START), START, 10_000)
    window.move_to(12)
    packed, policy, outcome = window.batch(200, np.random.default_rng(3))
    known = {}
    for i in range(len(window)):
        for turn in symmetries(4):
            turned, shares = np.empty_like(window.packed[i]), np.empty_like(window.policy[i])
            turned[turn[:-1]] = window.packed[i]
            shares[turn] = window.policy[i]
            known.setdefault(turned.tobytes(), []).append((shares, window.outcome[i]))
    seen = set()
    for planes, shares, z in zip(packed, policy, outcome, strict=True):
        assert any(np.array_equal(shares, theirs) and z == won for theirs, won in known[planes.tobytes()])
        seen.add(planes.tobytes())
    assert len(seen) > 60
    assert packed.shape[1:] == (16, packed_bytes("gomoku"))


def test_the_same_generator_draws_the_same_batch(games, written):
    window = Window(Journal(written, START), START, 10_000)
    window.move_to(12)
    one, other = (window.batch(50, np.random.default_rng([7, 3])) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_game_that_breaks_the_rules_is_named(games, tmp_path):
    journal = Journal(tmp_path / "games.journal", START)
    journal.append(games[0]._replace(moves=np.array([3, 3], np.int16), visits=games[0].visits[:2]))
    with pytest.raises(BadInput, match="move 2: illegal move: D4 is occupied"):
        Window(journal, START, 10).move_to(1)
