"""Root symmetry pruning: one of the moves that are symmetric to each other is searched, and speaks for all."""
from dataclasses import replace

import numpy as np
import pytest
from drawing import draw
from fakes import StoneCounter
from trees import moves_of

from mugo.games.coords import PASS, format_gtp, interpret_gtp, move_index, point_of_index, symmetries
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.mcts.root import RootSymmetries, avoided_outside, symmetries_of
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

PRUNES = Settings(seed=1, early_stop=False, root_symmetry_pruning=True)
HALF_TURN, DIAGONAL = draw("""
    . . . . X
    . . . . .
    . . O . .
    . . . . .
    X . . . .
""")[0], draw("""
    O . . . .
    . . . . .
    . . X . .
    . . . . .
    . . . . .
""")[0]


def orbits(position):
    """Slow and obvious: the sets of legal points that symmetries of the stones map to each other."""
    shape, found = position.shape, set()
    stones = np.append(position.stones.ravel(), 0)
    for point in position.legal_points().tolist():
        orbit = set()
        for row in symmetries(shape).tolist():
            if all(stones[image] == stones[i] for i, image in enumerate(row)):
                orbit.add(point_of_index(row[move_index(point, shape)], shape))
        found.add(frozenset(orbit))
    return found


@pytest.mark.parametrize(("position", "maps"), [
    (GoPosition(9), 8), (GoPosition((5, 7)), 4), (GoPosition(2), 8), (GomokuPosition(8), 8),
    (HALF_TURN, 4), (DIAGONAL, 2), (DIAGONAL.play(interpret_gtp("B1", 5)), 1)], ids=str)
def test_one_move_of_each_orbit_is_searched(position, maps):
    assert len(symmetries_of(position)) == maps
    pruned = RootSymmetries(position).pruned
    for orbit in orbits(position):
        assert len(orbit - pruned.keys()) == 1
        assert {pruned[point][0] for point in orbit & pruned.keys()} <= orbit - pruned.keys()
    assert pruned.keys() <= set(position.legal_points().tolist())
    for point, (searched, of) in pruned.items():
        assert point_of_index(int(of[move_index(searched, position.shape)]), position.shape) == point


def test_a_ko_that_may_not_be_retaken_has_no_symmetric_one():
    position, at = draw("""
        . X O . . . O X .
        X O a O . O X b X
        . X O . . . O X .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """)
    after = position.play(at["a"])
    assert (after.stones == after.stones[:, ::-1]).all()
    assert after.why_illegal(interpret_gtp("B8", 9)) and not after.why_illegal(at["b"])
    assert len(symmetries_of(after)) == 1 and not RootSymmetries(after).pruned
    assert len(symmetries_of(GoPosition(9).with_board(after.stones, after.to_play))) == 2


@pytest.mark.parametrize("network", [None, StoneCounter()], ids=["uct", "mcts"])
def test_the_first_move_is_searched_in_the_upper_right_corner_alone(network):
    search = Search(PRUNES, network)
    result = search.search(GoPosition(9), simulations=400)
    searched = [info for info in result.moves if info.symmetry_of is None]
    assert len(result.moves) == 82 and len(searched) == 16                   # 15 of an octant, and the pass
    assert len({info.point for info in result.moves}) == 82
    assert len(moves_of(search.tree, search.tree.root)) == 82
    for info in searched:
        if info.point != PASS:
            column, row = format_gtp(info.point, 9)[0], int(format_gtp(info.point, 9)[1:])
            assert row >= 5 and "ABCDEFGHJ".index(column) + 1 >= row
    assert sum(info.visits for info in searched) == result.visits - (network is not None)        # the root itself
    for i, info in enumerate(result.moves):
        if (of := info.symmetry_of) is not None:
            assert of in searched and of in result.moves[max(0, i - 7):i]
            assert (info.visits, info.win_rate, info.prior, info.lcb) == (of.visits, of.win_rate, of.prior, of.lcb)
            assert info.pv[0] == info.point and any(
                [row[move_index(point, 9)] for point in of.pv] == [move_index(point, 9) for point in info.pv]
                for row in symmetries(9).tolist())


def test_the_move_that_is_searched_has_the_priors_of_all():
    """Priors and values are uniform, and H9 stands for eight moves, J9 for four, E5 for itself."""
    search = Search(replace(PRUNES, rollout="none", lambda_=0.0), StoneCounter())
    result = search.search(GoPosition(9), simulations=820)
    visits = {format_gtp(info.point, 9): info.visits for info in result.moves}
    assert 1 < 1.5 * visits["E5"] < visits["J9"] < visits["H9"] / 1.5
    assert [info.prior for info in result.moves] == pytest.approx([1 / 82] * 82)


class OneCorner(StoneCounter):
    """Most of the prior is on A1 of 5x5, in whatever position."""

    def evaluate_packed(self, packed, features=None):
        output = super().evaluate_packed(packed, features)
        priors = np.full_like(output.priors, 0.01)
        priors[:, 20] = 0.5
        return output._replace(priors=priors)


def test_priors_of_symmetric_moves_that_differ_are_added_and_reported_each():
    """E5 is searched with the priors of all corners, 0.53 of 0.75."""
    settings = replace(PRUNES, rollout="none", lambda_=0.0)
    search = Search(settings, OneCorner())
    result = search.search(GoPosition(5), simulations=100, may_pass=False)
    of = {format_gtp(info.point, 5): info for info in result.moves}
    assert result.moves[0].point == interpret_gtp("E5", 5) and result.moves[0].visits > 40
    assert of["A1"].symmetry_of is of["E5"] and of["A1"].visits == of["E5"].visits
    assert (of["A1"].prior, of["E5"].prior) == pytest.approx((0.5 / 0.75, 0.01 / 0.75), rel=1e-3)
    assert sum(info.prior for info in result.moves) == pytest.approx(1, abs=0.02)                # but for the pass
    again = search.search(GoPosition(5), simulations=1, may_pass=False)
    assert {info.point: info.prior for info in again.moves} == {info.point: info.prior for info in result.moves}


def test_a_win_by_force_is_found_where_its_first_move_is_not_searched():
    """Five in a row: Black has three on the middle line, and wins on either side; White's stones are symmetric, too."""
    position = GomokuPosition(9)
    for vertex in "D5 A1 E5 J1 F5 E9".split():
        position = position.play(interpret_gtp(vertex, 9))
    results = [Search(replace(PRUNES, early_stop=True, root_symmetry_pruning=prunes)).search(position, simulations=50)
               for prunes in (False, True)]
    assert [result.proven for result in results] == [1, 1] and results[1].simulations == results[0].simulations
    assert {format_gtp(info.point, 9) for info in results[1].moves if info.proven == 1} >= {"C5", "G5"}


def test_pruning_can_be_turned_off_and_leaves_other_positions_alone():
    off = replace(PRUNES, root_symmetry_pruning=False)
    assert all(info.symmetry_of is None for info in Search(off).search(GoPosition(5), simulations=200).moves)
    position = GoPosition(5).play(interpret_gtp("B3", 5)).play(interpret_gtp("D2", 5))
    with_it, without = (Search(settings).search(position, simulations=200) for settings in (PRUNES, off))
    assert with_it.moves == without.moves


def test_a_region_is_searched_whole():
    """Below the root it is not symmetric, so a move in it has no other to speak for it."""
    region = [interpret_gtp(at, 5) for at in ("A1", "B1", "A2", "B2")]
    result = Search(PRUNES).search(GoPosition(5), simulations=100, avoided=avoided_outside(region, 5))
    assert {info.point for info in result.moves if info.symmetry_of is None} == set(region)


def test_of_allowed_moves_one_of_each_kind_is_searched():
    allowed = [interpret_gtp(at, 5) for at in ("A1", "E1", "C3")]
    result = Search(PRUNES).search(GoPosition(5), simulations=100, allowed_moves=allowed)
    assert {format_gtp(info.point, 5): info.symmetry_of and format_gtp(info.symmetry_of.point, 5)
            for info in result.moves} == {"E1": None, "A1": "E1", "C3": None}


def test_the_tree_is_kept_after_the_move_that_was_searched():
    """After C3 the position is symmetric again, with 6 kinds of moves; the empty board is no longer in the tree."""
    search = Search(PRUNES)
    search.search(GoPosition(5), simulations=300)
    everything = search.search(GoPosition(5).play(interpret_gtp("C3", 5)), simulations=100)
    assert everything.visits > 100 and sum(info.symmetry_of is None for info in everything.moves) == 6
    again = search.search(GoPosition(5), simulations=100)
    assert again.visits == 100
