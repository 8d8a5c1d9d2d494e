"""Scores and ownership of a search: means over the leaves that the network evaluated."""
from dataclasses import replace

import numpy as np
import pytest
from drawing import draw
from fakes import StoneCounter
from trees import moves_after

from mugo.games.coords import PASS, format_gtp
from mugo.games.go import BLACK, WHITE, GoPosition
from mugo.games.rules import NAMED_RULES
from mugo.mcts import tree
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

SIZE = 5
NETWORK_ONLY = Settings(rollout="none", seed=1, early_stop=False, reuse_tree=False, batch=4)


class CountsStones(StoneCounter):
    """Adds a few points to the score that depend on the planes.

    seen: (the score for the side to move, the owners of points for Black) of every position evaluated.
    """
    def __init__(self):
        self.seen = []

    def evaluate_packed(self, packed, features=None):
        output = super().evaluate_packed(packed, features)
        scores = (output.score_mean + packed.sum((1, 2)) % 7).astype(np.float32)
        to_play = features[:, 1]
        self.seen += [(score, owners * side) for score, owners, side
                      in zip(scores, output.ownership, to_play, strict=True)]
        return output._replace(score_mean=scores, values=np.tanh(scores / 10))


class WithoutScores(CountsStones):
    """The same network without ownership and scores."""
    has_ownership = False

    def evaluate_packed(self, packed, features=None):
        return super().evaluate_packed(packed, features)._replace(ownership=None, score_mean=None, score_stdev=None)


def start(to_play=BLACK) -> GoPosition:
    position, _ = draw("""
        X X . . .
        . X . O .
        . X . . .
        . . . . .
        . . . . O
    """, komi=2.5, to_play=to_play)
    return position


@pytest.mark.parametrize("to_play, lead", [(BLACK, -0.5), (WHITE, 0.5)])
def test_one_simulation_has_the_networks_own_score_and_ownership(to_play, lead):
    network, position = CountsStones(), start(to_play)
    result = Search(NETWORK_ONLY, network).search(position, simulations=1)
    (score, _), = network.seen
    assert result.score_lead == score and 0 <= score - lead < 7
    assert result.score_stdev == pytest.approx(3)
    assert result.ownership.dtype == np.float32 and np.array_equal(result.ownership, position.stones)
    assert all(info.score_lead is None and info.score_stdev is None for info in result.moves)


@pytest.mark.parametrize("settings", [NETWORK_ONLY, replace(NETWORK_ONLY, rollout="mogo", lambda_=0.25),
                                      replace(NETWORK_ONLY, rollout="mogo", lambda_=0.25, threads=2)])
@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_scores_and_ownership_are_means_over_the_leaves(settings, to_play):
    network, position = CountsStones(), start(to_play)
    result = Search(settings, network).search(position, simulations=120, may_pass=False)
    own_score, n = network.seen[0][0], len(network.seen)
    assert n > 110
    visits = np.array([info.visits for info in result.moves if info.visits])
    leads = np.array([info.score_lead for info in result.moves if info.visits])
    stdevs = np.array([info.score_stdev for info in result.moves if info.visits])
    assert np.ptp(leads) > 1
    assert visits.sum() == n - 1                         # no game ended in the tree
    assert result.score_lead == pytest.approx((own_score + (visits * leads).sum()) / n, abs=1e-3)
    square = (own_score ** 2 + 9 + (visits * (leads ** 2 + stdevs ** 2)).sum()) / n
    assert result.score_stdev == pytest.approx(np.sqrt(square - result.score_lead ** 2), abs=1e-3)
    assert (stdevs >= 2.99).all() and result.score_stdev > 3
    owners = np.mean([owners for _, owners in network.seen], axis=0).reshape(SIZE, SIZE)
    if settings.rollout == "mogo":
        same = Search(settings, WithoutScores()).search(position, simulations=120, may_pass=False)
        assert same.rollouts == result.rollouts > 100 and not np.allclose(same.ownership, owners, atol=0.2)
        owners = 0.75 * owners + 0.25 * same.ownership
    assert np.allclose(result.ownership, owners, atol=1e-5)


def test_the_line_about_a_move_has_its_lead():
    result = Search(NETWORK_ONLY, CountsStones()).search(start(), simulations=60)
    lead = result.moves[0].score_lead
    assert str(result).startswith(f"win rate {result.moves[0].win_rate:.1%}, lead {lead:+.1f}, 60 simulations in ")
    assert "lead" not in str(Search(NETWORK_ONLY, WithoutScores()).search(start(), simulations=20))


def test_the_scores_of_a_reused_tree_are_kept_and_ownership_begins_anew():
    network = CountsStones()
    search = Search(replace(NETWORK_ONLY, reuse_tree=True), network)
    first = search.search(start(), simulations=100, may_pass=False)
    best = first.moves[0]
    position = start().play(best.point)
    del network.seen[:]
    second = search.search(position, simulations=1)
    assert second.visits > 1
    (score, _), = network.seen                           # of a leaf an even or an odd number of moves below the root
    kept = [(best.visits * -best.score_lead + side * score) / (best.visits + 1) for side in (1, -1)]
    assert min(abs(second.score_lead - each) for each in kept) < 1e-3
    assert np.allclose(second.ownership.ravel(), np.mean([owners for _, owners in network.seen], axis=0))


def test_a_move_whose_leaves_all_end_the_game_has_no_score():
    position = start().play(PASS)
    result = Search(NETWORK_ONLY, CountsStones()).search(position, simulations=60, allowed_moves=[PASS])
    (info,) = result.moves
    assert info.point == PASS and info.visits and info.score_lead is None
    assert result.score_lead is not None


def test_a_network_without_scores_has_none_and_its_ownership_is_that_of_rollouts():
    result = Search(replace(NETWORK_ONLY, rollout="mogo", lambda_=0.5), WithoutScores()).search(start(), simulations=50)
    assert result.score_lead is None and result.score_stdev is None and result.rollouts and result.ownership is not None
    assert {info.score_lead for info in result.moves} == {None}
    alone = Search(NETWORK_ONLY, WithoutScores()).search(start(), simulations=50)
    assert alone.ownership is None and alone.score_lead is None
    assert [info.visits for info in alone.moves] == [
        info.visits for info in Search(NETWORK_ONLY, CountsStones()).search(start(), simulations=50).moves]


@pytest.mark.parametrize("settings", [{}, {"max_edges": 1000}])
def test_a_leaf_that_is_visited_again_counts_its_score_again_as_its_value_does(settings):
    """After two passes by territory, and in a full tree, leaves are not evaluated a second time."""
    position = GoPosition(SIZE, 2.5).with_rules(NAMED_RULES["japanese"]) if not settings else GoPosition(9)
    search = Search(replace(NETWORK_ONLY, **settings), StoneCounter())
    moves = {"allowed_moves": [PASS]} if not settings else {"may_pass": False}
    result = search.search(position.play(PASS) if not settings else position, simulations=200, **moves)
    assert search.growth.positions_evaluated < 150
    assert search.tree.root_node["scored"] == search.tree.root_node["visits"] == result.visits


def test_a_search_that_evaluates_no_leaf_again_has_the_ownership_of_the_position():
    position = start().with_rules(NAMED_RULES["japanese"]).play(PASS)
    search = Search(replace(NETWORK_ONLY, reuse_tree=True), StoneCounter())
    first, second = (search.search(position, simulations=50, allowed_moves=[PASS]) for _ in range(2))
    assert search.growth.positions_evaluated == 2
    assert np.allclose(second.ownership, first.ownership) and second.ownership.any()


SCORED = replace(NETWORK_ONLY, dynamic_score_utility_factor=0.4)


class Won(StoneCounter):
    """Black has won in any case, by 20 points less with a stone on E1, which has most of the prior; A1 is next."""

    def evaluate_packed(self, packed, features=None):
        output = super().evaluate_packed(packed, features)
        sides = features[:, 1]
        is_black = packed[:, -1, 0] >> (sides < 0).astype(np.uint8) & 1      # bit 0: the side to move's, 1: the other's
        priors = np.full_like(output.priors, 0.01)
        priors[:, -2], priors[:, (SIZE - 1) * SIZE] = 0.7, 0.2
        return output._replace(priors=priors, values=(0.99 * sides).astype(np.float32),
                               score_mean=((30 - 20 * is_black) * sides).astype(np.float32))


def test_a_won_game_is_won_by_more_points_with_a_part_of_the_value_for_the_score():
    position, by_board = GoPosition(SIZE), replace(NETWORK_ONLY, dynamic_score_utility_factor=None)
    plain, scored, small = (Search(settings, Won()).search(position, simulations=200)
                            for settings in (NETWORK_ONLY, SCORED, by_board))
    assert small.moves[0].point == scored.moves[0].point != plain.moves[0].point
    assert format_gtp(plain.moves[0].point, SIZE) == "E1" and format_gtp(scored.moves[0].point, SIZE) == "A1"
    assert format_gtp(plain.best("lcb").point, SIZE) == "E1" != format_gtp(scored.best("lcb").point, SIZE)
    for result in plain, scored:                         # the win rate is none of the score
        assert result.win_rate == pytest.approx(0.99, abs=0.03)
        assert all(info.win_rate == pytest.approx(0.99, abs=0.03) for info in result.moves if info.visits)
    assert scored.moves[0].score_utility > 0.05 > 1e-6 > abs(plain.moves[0].score_utility)


@pytest.mark.parametrize("to_play", [BLACK, WHITE])
def test_win_rates_are_means_of_values_without_the_part_for_the_score(to_play):
    network, position = CountsStones(), start(to_play)
    result = Search(SCORED, network).search(position, simulations=120, may_pass=False)
    own_value, n = np.tanh(network.seen[0][0] / 10), len(network.seen)
    visited = [info for info in result.moves if info.visits]
    below = sum(info.visits * (2 * info.win_rate - 1) for info in visited)
    assert 2 * result.win_rate - 1 == pytest.approx((own_value + below) / n, abs=1e-4)
    once = [info for info in visited if info.visits == 1]
    assert len(once) > 3
    for info in once:                                    # of one leaf: its value and its utility
        assert 2 * info.win_rate - 1 == pytest.approx(np.tanh(info.score_lead / 10), abs=1e-5)
        assert 0 < abs(info.score_utility) < 0.4 and info.utility == 2 * info.win_rate - 1 + info.score_utility
    assert Search(SCORED, WithoutScores()).search(position, simulations=60).moves == \
        Search(NETWORK_ONLY, WithoutScores()).search(position, simulations=60).moves


def test_the_score_utility_of_a_reused_tree_is_measured_against_the_lead_of_its_new_root():
    position, settings = GoPosition(SIZE), replace(SCORED, reuse_tree=True)
    search = Search(settings, Won())
    search.search(position, simulations=300)
    for point in moves_after(search, ())[1].pv[:1]:
        position = position.play(point)
    reused = search.search(position, simulations=1)
    new = Search(SCORED, Won()).search(position, simulations=reused.visits)
    assert reused.visits > 30
    assert reused.score_utility == pytest.approx(new.score_utility, abs=0.01)
    assert reused.win_rate == pytest.approx(new.win_rate, abs=0.005)
    tree = search.tree
    for edge in tree.root_edges[tree.root_edges["visits"] > 0]:
        below = tree.nodes[edge["node"]]
        assert edge["q"] == pytest.approx(-below["total"] / below["visits"], abs=1e-6)


@pytest.mark.parametrize("mean, lead, expected", [(8, 10, 0), (14.75, 10, 0.5), (-20, -25, 0)])
def test_score_utility_is_katagos(mean, lead, expected):
    """2 / pi arctan of the lead beyond 0.8 of the root's, in 0.75 sides of the board."""
    assert tree.score_utility(float(mean), 0.0, float(lead), 81) == pytest.approx(expected, abs=1e-6)
    assert expected == 0 or 0 < tree.score_utility(float(mean), 9.0, float(lead), 81) < 0.4
