"""Players pass when the game is over, and play on while something is left: by territory, and by area."""
import numpy as np
import pytest
from drawing import DEAD_STONES, SEKI, SETTLED, draw
from fakes import Likes

from mugo.games import scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, board_points, point_at
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES
from mugo.players import passing
from mugo.players.player import PolicyPlayer
from mugo.players.searcher import PlayOptions, SearchPlayer
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

CHINESE, JAPANESE = NAMED_RULES["chinese"], NAMED_RULES["japanese"]

# Black captures a stone on a, or White saves it; b is a neutral point.
LAST_CAPTURE = """
    . X . X O . O
    X X X X O O O
    . X . X O . O
    X X X X O O O
    . X X O a O .
    X X X X O O O
    . . . X b O .
"""


# The highest priors are those of the first points, and the lowest is that of a pass.
LIKES_OWN_TERRITORY = Likes(7, dict(zip([*board_points(7).tolist(), PASS], np.arange(50, 0, -1) / 1275, strict=True)))


def uct(simulations=300):
    return SearchPlayer("uct", Search(Settings(seed=1, rollout="mogo")), PlayOptions(simulations, resign=0))


@pytest.mark.parametrize("komi", [-30.5, -0.5, 0.5, 30.5])
@pytest.mark.parametrize("to_play", [BLACK, WHITE])
@pytest.mark.parametrize("picture", [SETTLED, DEAD_STONES, SEKI], ids=["settled", "dead stones", "seki"])
@pytest.mark.parametrize("rules", [CHINESE, JAPANESE], ids=["chinese", "japanese"])
def test_players_pass_after_the_end_whoever_wins(rules, picture, to_play, komi):
    position = draw(picture, to_play=to_play, komi=komi)[0].with_rules(rules)
    assert passing.is_finished(position)
    for player in uct(), PolicyPlayer(LIKES_OWN_TERRITORY):
        assert player.select_move(position) == PASS
        assert player.select_move(position.with_turn(-to_play).play(PASS)) == PASS


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_with_cleanup_dead_stones_are_captured_first(to_play):
    """The stone that stays on the board would count as alive."""
    position, at = draw(DEAD_STONES, to_play=to_play)
    dead = {BLACK: at["a"], WHITE: at["b"]}[to_play]
    for player in uct(), PolicyPlayer(LIKES_OWN_TERRITORY):
        each = position
        while int(each.board[0]["colour"][dead]) == -to_play:
            move = player.select_move(each, cleanup=True)
            assert move != PASS
            each = each.play(move).play(PASS)
        assert player.select_move(each, cleanup=True) == PASS


def test_a_game_with_an_open_border_or_a_chain_in_atari_is_not_finished():
    position = draw(SETTLED)[0].with_rules(JAPANESE)
    border = [point_at(3, col, 7) for col in (2, 3)]
    assert not passing.is_finished(position.without_stones(border))
    assert not passing.is_finished(GoPosition(7).with_rules(JAPANESE))
    assert not passing.is_finished(draw(LAST_CAPTURE)[0].with_rules(JAPANESE))


def test_a_capture_that_is_left_is_played():
    position, at = draw(LAST_CAPTURE, to_play=WHITE)
    position = position.with_rules(JAPANESE)
    position.komi = (position.play(at["a"], WHITE).score() + position.play(at["a"], BLACK).score()) / 2
    assert uct(1000).select_move(position) == at["a"]


def test_neutral_points_are_worth_a_move_by_area_alone():
    position, _ = draw("""
        . X . X . O . O O
        X X X X . O O . O
        . X . X X O . O O
        X X X X X O O O .
        X . X X X O O O O
        X X X X X O . O .
        . X . X X O O O O
        X X X X X O . O .
        . X . X X O O O O
    """)
    assert passing.is_finished(position.with_rules(JAPANESE))
    by_area = [position.with_rules(NAMED_RULES["chinese"]).play(point_at(row, 4, 9)).score() for row in (0, 1)]
    assert by_area == [position.score() + 1] * 2
    assert position.with_rules(JAPANESE).play(point_at(0, 4, 9)).score() == position.with_rules(JAPANESE).score()
    dame = [point_at(row, 4, 9) for row in (0, 1)]
    assert passing.dame(position) == dame
    for player in uct(), PolicyPlayer(LIKES_OWN_TERRITORY):
        assert player.select_move(position.with_rules(JAPANESE)) == PASS
        first = player.select_move(position.with_rules(CHINESE))
        second = player.select_move(position.with_rules(CHINESE).play(first))
        assert sorted((first, second)) == dame
        assert player.select_move(position.with_rules(CHINESE).play(first).play(second)) == PASS


def test_liberties_of_a_seki_are_not_worth_a_move():
    position, at = draw(SEKI)
    assert sorted(scoring.neutral_points(position)) == sorted(at.values()) and passing.dame(position) == []


def test_the_search_prefers_a_pass_to_a_move_in_own_territory():
    """Black leads by half a point, and by a move in its own territory loses by half a point."""
    position = draw(SETTLED)[0].with_rules(JAPANESE)
    position.komi = position.score() - 0.5
    after = position.play(next(int(point) for point in position.sensible_points()
                               if position.play(int(point)).score() == position.score() - 1))
    win_rates = [1 - Search(Settings(seed=1, rollout="mogo")).search(each, simulations=2000).win_rate
                 for each in (position.play(PASS), after)]
    assert win_rates[0] > win_rates[1] + 0.05
