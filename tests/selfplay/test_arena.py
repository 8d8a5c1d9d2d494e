"""The arena: matches that end when they are decided, and levels of UCT."""
import threading
from types import SimpleNamespace

import pytest

from mugo.games import go, gomoku
from mugo.selfplay import arena
from mugo.selfplay.arena import PROMOTION, ArenaPlayer, ArenaResult, climb_levels, level_test, play_match
from mugo.selfplay.options import MIN_ARENA_GAMES
from mugo.core.sprt import H0, H1, UNDECIDED

START = gomoku.GomokuPosition(4, 3)
STRONG, WEAK = ArenaPlayer(400), ArenaPlayer(4, temperature_moves=9)


@pytest.fixture(autouse=True)
def low_levels(monkeypatch):
    monkeypatch.setattr(arena, "UCT_LEVELS", (20, 40))


def test_the_stronger_player_is_found_and_the_weaker_one_is_not_promoted():
    result = play_match(STRONG, WEAK, START, 200, PROMOTION, seed=1, threads=2)
    assert result.accepted == H1 and result.is_stronger and result.score > 0.6 and result.games < 200
    assert play_match(STRONG, WEAK, START, 200, PROMOTION, seed=1) == result
    reverse = play_match(WEAK, STRONG, START, 200, PROMOTION, seed=1, threads=2)
    assert reverse.accepted == H0 and not reverse.is_stronger and reverse.score < 0.4


def scripted_games(monkeypatch, outcome):
    """Replace games by outcome(number of the game, whether the first player is Black), from the first one's view."""
    played = []

    def play_game(black, white, start, seed, max_moves, is_stopped):
        number = seed[1]
        played.append(number)
        assert (black is STRONG) == (number % 2 == 0)        # colours alternate
        return outcome(number) if black is STRONG else -outcome(number)

    monkeypatch.setattr(arena, "play_game", play_game)
    return played


@pytest.mark.parametrize("outcomes, expected", [
    ([1, 1], ArenaResult(24, 0, 0, 2.9627, H1)),         # all won
    ([1, -1], ArenaResult(9, 0, 9, -2.9546, H0)),      # Black always wins
    ([0, 0], ArenaResult(0, 18, 0, -2.9543, H0)), ([-1, -1], ArenaResult(0, 0, 18, -2.9556, H0))])
def test_a_match_ends_when_it_is_decided(monkeypatch, outcomes, expected):
    scripted_games(monkeypatch, lambda number: outcomes[number % 2])
    result = play_match(STRONG, WEAK, START, 200, PROMOTION)
    assert (result.wins, result.draws, result.losses, result.accepted) == (
        expected.wins, expected.draws, expected.losses, expected.accepted)
    assert result.llr == pytest.approx(expected.llr, abs=0.02)


def test_a_match_has_as_many_games_as_allowed_and_whole_pairs(monkeypatch):
    played = scripted_games(monkeypatch, lambda number: 1)
    result = play_match(STRONG, WEAK, START, MIN_ARENA_GAMES - 1, PROMOTION)
    assert (result.wins, result.accepted) == (22, UNDECIDED) and sorted(played) == list(range(22))
    assert play_match(STRONG, WEAK, START, MIN_ARENA_GAMES, PROMOTION).is_stronger


class ScriptedSearch:
    """In place of Search: one visit for the first legal move, nine for the last; a pass if there is none."""
    positions: list = []

    def __init__(self, settings, network=None):
        self.seed = settings.seed

    def search(self, position, simulations, select_by, should_stop):
        assert select_by == "visits" and not should_stop()
        self.positions.append((position, simulations))
        points = position.legal_points().tolist() if position.game == "gomoku" else [0]
        infos = [SimpleNamespace(point=point, visits=visits)
                 for point, visits in zip((points[0], points[-1]), (1, 9), strict=True)]
        return SimpleNamespace(moves=infos, best=lambda: infos[-1])


@pytest.fixture
def scripted_search(monkeypatch):
    monkeypatch.setattr(arena, "Search", ScriptedSearch)
    monkeypatch.setattr(ScriptedSearch, "positions", [])
    return ScriptedSearch.positions


def test_both_players_search_and_the_first_moves_are_sampled_by_visits(scripted_search):
    black, white, start = ArenaPlayer(10, temperature_moves=2), ArenaPlayer(20), gomoku.GomokuPosition(5, 5)
    first_choices = []
    for seed in range(60):
        scripted_search.clear()
        arena.play_game(black, white, start, [0, seed], 9, threading.Event())
        assert [simulations for _, simulations in scripted_search] == [10, 20] * 4 + [10]
        points = [after.moves[-1][1] for after, _ in scripted_search[1:]]
        last = [position.legal_points()[-1] for position, _ in scripted_search[:-1]]
        sampled = [point != best for point, best in zip(points, last, strict=True)]
        assert not any(sampled[1::2]) and not any(sampled[4:])       # White's moves, and Black's from the third on
        first_choices += [sampled[0], sampled[2]]
    assert 0.03 < sum(first_choices) / 120 < 0.2                     # of visits 1 and 9


def test_the_result_of_a_game_is_the_sign_of_the_score(scripted_search):
    for komi, expected in (0.5, -1), (-0.5, 1), (0, 0), (-7, 1):
        assert arena.play_game(STRONG, WEAK, go.GoPosition(3, komi), [0, 0], 9, threading.Event()) == expected


def test_a_search_under_way_ends_when_the_game_is_stopped(monkeypatch, scripted_search):
    is_stopped = threading.Event()

    class StoppedSearch(ScriptedSearch):
        def search(self, position, simulations, select_by, should_stop):
            result = super().search(position, simulations, select_by, should_stop)
            is_stopped.set()
            assert should_stop()
            return result

    monkeypatch.setattr(arena, "Search", StoppedSearch)
    assert arena.play_game(STRONG, WEAK, START, [0, 0], 99, is_stopped) == 0 and len(scripted_search) == 1


def test_a_level_that_was_beaten_is_followed_by_the_next_up_to_the_last(monkeypatch):
    tests = []

    def match(first, second, start, games, test, **others):
        tests.append((second.simulations, test))
        return ArenaResult(20, 0, 0, 3.0, results.pop(0))

    monkeypatch.setattr(arena, "play_match", match)
    results = [H1, H1]
    assert [level for level, _ in climb_levels(STRONG, 0, 3, START, 200)] == [0, 1]
    assert tests == [(20, level_test(3)), (40, level_test(1))]
    for accepted in H0, UNDECIDED:
        results = [accepted]
        assert [(level, result.is_stronger) for level, result in climb_levels(STRONG, 0, 1, START, 200)] == [(0, False)]
    assert list(climb_levels(STRONG, 2, 1, START, 200)) == []        # the last level was beaten before


def test_all_attempts_at_a_level_together_pass_in_5_percent_at_most():
    tests = [level_test(attempt) for attempt in range(1, 1000)]
    assert 0.0499 < sum(test.alpha for test in tests) < 0.05
    assert all((test.elo0, test.elo1, test.beta) == (0, 200, 0.05) for test in tests)
