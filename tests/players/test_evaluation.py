"""Evaluations by a search and by a network: whose win rate it is, and which moves are in it."""

import numpy as np
import pytest
from drawing import draw
from fakes import LevelNetwork, Likes

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, interpret_gtp
from mugo.games.go import GoPosition
from mugo.games.rules import NAMED_RULES
from mugo.nn.output import NetworkOutput
from mugo.players.evaluation import NetworkEvaluator, SearchEvaluator, evaluator_for, infos_by_network, score_estimate
from mugo.players.registry import UCT, make_player
from mugo.players.player import PolicyPlayer
from mugo.mcts.result import SearchResult
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings


class Counts(LevelNetwork):
    """Its value is 0.5 for the side to move if it has more stones, -0.5 if it has fewer; its priors fall by index."""

    def evaluate(self, positions, symmetries=False):
        n, points = len(positions), positions[0].size ** 2
        values = [0.5 * np.sign(int(position.stones.sum()) * position.to_play) for position in positions]
        return NetworkOutput(np.tile(np.arange(points + 1, 0, -1, dtype=np.float32), (n, 1)),
                             np.array(values, np.float32))


PICTURE = """
    . X .
    . X .
    . . .
"""


@pytest.mark.parametrize("to_play, win_rate, after", [(1, 0.75, 0.75), (-1, 0.25, 0.25)])
def test_a_networks_win_rates_are_of_the_side_to_move(to_play, win_rate, after):
    position, _ = draw(PICTURE, to_play=to_play)
    evaluation = NetworkEvaluator(Counts()).evaluate(position)
    assert evaluation.win_rate == win_rate
    assert {info.win_rate for info in evaluation.moves} == {after}       # of the side that moves, after each move
    assert [info.win_rate for info in infos_by_network(Counts(), position, [(PASS, 0.1)], visits=1)] == [after]
    priors = [info.prior for info in evaluation.moves]
    assert priors == sorted(priors, reverse=True) and len(priors) > 3


def test_an_evaluation_by_a_search_has_the_moves_that_it_visited():
    evaluation = SearchEvaluator(Search(Settings(seed=1)), simulations=3).evaluate(GoPosition(5))
    assert len(evaluation.moves) in (2, 3) and all(info.visits for info in evaluation.moves)
    assert 0 <= evaluation.win_rate <= 1 and evaluation.ownership.shape == (5, 5)
    restricted = SearchEvaluator(Search(Settings(seed=1, expand_after=5)), simulations=1).evaluate(GoPosition(5))
    assert len(restricted.moves) == 1                    # one is shown, even if none was visited


def test_a_pass_is_no_good_move_of_the_opening_though_a_second_one_would_win():
    after_pass = GoPosition(5, 7.5).play(PASS)
    assert after_pass.play(PASS).score() < 0             # White's komi
    evaluation = SearchEvaluator(Search(Settings(seed=1)), simulations=50).evaluate(after_pass)
    assert len(evaluation.moves) > 1 and PASS not in {info.point for info in evaluation.moves}


@pytest.mark.parametrize("reused, expected", [(0, 50), (30, 20), (50, 1), (80, 1)])
def test_reused_visits_count_as_simulations(reused, expected):
    search = Search(Settings(seed=1, early_stop=False))
    SearchEvaluator(search, simulations=50).evaluate(GoPosition(5), reused_visits=reused)
    assert search.tree.nodes[search.tree.record["root"]]["visits"] == expected


def test_the_evaluator_fits_the_player():
    uct = make_player("uct", seed=7)
    assert uct.search.settings.seed == 7
    assert evaluator_for(uct).search is uct.search
    assert evaluator_for(PolicyPlayer(LevelNetwork())).network.name == "level"
    by_uct = evaluator_for(make_player("random"), simulations=3)
    assert (by_uct.simulations, by_uct.search.settings) == (3, UCT)


@pytest.mark.parametrize("rules, to_play, lead", [
    ("chinese", BLACK, 9 - 2.5), ("chinese", WHITE, 2.5 - 9),
    ("japanese", BLACK, 9 - 2.5 - 0.5), ("japanese", WHITE, 2.5 - 9 - 0.5)])       # half a stone to come
def test_by_rollouts_the_lead_is_of_the_side_to_move_and_includes_komi(rules, to_play, lead):
    position = GoPosition(3, 2.5, to_play).with_rules(NAMED_RULES[rules])
    result = Search(Settings(seed=1)).search(position, simulations=1)
    assert score_estimate(result, np.ones((3, 3), np.float32)) == (lead, 0)


def test_a_very_low_temperature_does_not_underflow():
    player = PolicyPlayer(Likes(3, {}), temperature=1e-3, seed=1)
    assert player.select_move(GoPosition(3)) in GoPosition(3).legal_points()


def test_a_score_by_ownership_is_that_of_the_rules_of_the_game():
    """By territory Black's stone on C3 is no point, and by area it is one."""
    for rules, lead in ("japanese", 23.5), ("chinese", 24.5):
        position = GoPosition(5, 0.5).with_rules(NAMED_RULES[rules]).play(interpret_gtp("C3", 5)).play(PASS).play(PASS)
        result = SearchResult(position, (), 0.5, 1, 1, 0.0, 1.0, 1, 1, np.ones((5, 5), np.float32))
        found, _ = score_estimate(result)
        assert found * position.to_play == lead, rules
