"""Priors of the moves on unsettled points: the formula in every node, and when a tree has them."""
import numpy as np
import pytest
from drawing import assert_same_points, draw
from fakes import LevelNetwork
from trees import moves_after

from mugo.games import scoring
from mugo.games.coords import point_at
from mugo.games.go import GoPosition
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

SHARE = 0.3
# White lives with b, and Black kills with it; all else is settled.
THREE_IN_A_ROW = """
    a b c O X . X
    O O O O X X X
    X X X X X X .
    X . X X X X X
    X X X . X . X
    X X X X X X X
    X X X X X X .
"""


def search_of(share, **settings):
    return Search(Settings(rollout="none", early_stop=False, seed=1, unsettled_prior=share, **settings), LevelNetwork())


def test_the_moves_on_unsettled_points_get_equal_parts_of_the_share_in_every_node():
    position, at = draw(THREE_IN_A_ROW)
    unsettled = set(scoring.unsettled_points(position).tolist())
    assert_same_points(position, unsettled & set(position.legal_points().tolist()), at.values(), "unsettled")
    plain, search = search_of(0), search_of(SHARE)
    plain.search(position, simulations=100)
    search.search(position, simulations=100)
    nodes = 0
    for path in [(), *([info.point] for info in moves_after(plain) if info.visits > 3)]:
        before = {info.point: info.prior for info in moves_after(plain, path)}
        after = {info.point: info.prior for info in moves_after(search, path)}
        n = len(unsettled & set(before))
        if not n or len(before) != len(after):
            continue
        nodes += 1
        for point, prior in after.items():
            assert prior == pytest.approx((1 - SHARE) * before[point] + (SHARE / n if point in unsettled else 0))
        assert sum(after.values()) == pytest.approx(1, abs=1e-5)
    assert nodes > 3


def test_before_a_game_is_nearly_over_priors_are_the_networks():
    position = GoPosition(7).play(point_at(4, 2, 7)).play(point_at(2, 4, 7))
    assert scoring.unsettled_points(position) is None
    before, after = (search.search(position, simulations=30) for search in (search_of(0), search_of(SHARE)))
    assert [(info.point, info.prior, info.visits) for info in before.moves] == [
        (info.point, info.prior, info.visits) for info in after.moves]


def test_a_tree_without_these_priors_is_dropped_when_the_game_becomes_nearly_over(monkeypatch):
    for nearly_over, reused in ([False, True, True], [False, True]), ([True, True, False], [True, True]):
        search, position, is_reused = search_of(SHARE), GoPosition(7), []
        for unsettled in nearly_over:
            found = np.array([9]) if unsettled else None
            monkeypatch.setattr(scoring, "unsettled_points", lambda _, found=found: found)
            result = search.search(position, simulations=200, may_pass=False)
            is_reused.append(result.visits > 200)
            position = position.play(result.best().point)
        assert is_reused == [False, *reused]
