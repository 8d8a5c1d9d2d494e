"""The arena: matches, and levels of UCT."""
import pytest

from mugo.games import gomoku
from mugo.selfplay import arena
from mugo.selfplay.arena import ArenaPlayer, ArenaResult, next_level, play_match


@pytest.fixture(autouse=True)
def low_levels(monkeypatch):
    monkeypatch.setattr(arena, "UCT_LEVELS", (20, 40))


def test_colours_alternate_and_the_stronger_player_wins():
    strong, weak, start = ArenaPlayer(400), ArenaPlayer(4, temperature_moves=9), gomoku.Position(4, 3)
    result = play_match(strong, weak, start, 10, seed=1, threads=2)
    assert result.games == 10 and result.score > 0.6
    assert play_match(strong, weak, start, 10, seed=1) == result


def test_a_level_that_was_beaten_is_followed_by_the_next():
    assert next_level(0, ArenaResult(8, 0, 2)) == 1 and next_level(0, ArenaResult(7, 1, 2)) == 0
    assert next_level(1, ArenaResult(10, 0, 0)) == 1     # the highest


def test_the_score_of_a_result():
    result = ArenaResult(1, 2, 3)
    assert str(result) == "1 won, 2 drawn, 3 lost" and result.score == pytest.approx(2 / 6)
