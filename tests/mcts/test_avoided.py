"""Moves that are left out of a search, down to a depth."""
import numpy as np
import pytest
from drawing import draw
from fakes import StoneCounter
from trees import node_after

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import PASS, interpret_gtp
from mugo.games.go import GoPosition
from mugo.games.gomoku import GomokuPosition
from mugo.mcts.root import AvoidedMoves, avoided_outside
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

OWN_EYE = """
    a X . . .
    X X . . .
    . . . O .
    . . O . .
    . b . . .
"""
RAVE = Settings(seed=1, rave=True, rollout="mogo")
PLAIN = Settings(seed=1)


def points(*vertices, size=5):
    return [interpret_gtp(vertex, size) for vertex in vertices]


def searcher(kind):
    """A Search: by a network, by rollouts, by rollouts in two threads."""
    if kind == "network":
        return Search(Settings(seed=1, rollout="none", lambda_=0.0, early_stop=False), StoneCounter())
    return Search({"uct": PLAIN, "rave": RAVE, "threads": Settings(seed=1, threads=2)}[kind])


def moves_by_depth(search, deepest=3):
    """The moves that the tree has edges for, by the number of moves before them."""
    levels, found = [[()]], []
    for _ in range(deepest):
        edges = {line: search.tree.edges_of(node_after(search.tree, line)) for line in levels[-1]}
        found.append({int(move) for block in edges.values() for move in block["move"]})
        levels.append([(*line, int(edge["move"])) for line, block in edges.items() for edge in block
                       if edge["visits"] and edge["node"]])
    return found


@pytest.mark.parametrize("kind", ["network", "uct", "rave", "threads"])
def test_a_region_is_searched_alone_below_the_root_too_where_passes_remain(kind):
    region = points("A1", "B1", "A2", "B2")
    search = searcher(kind)
    position, avoided = GoPosition(5).play(interpret_gtp("C3", 5)), avoided_outside(region, 5)
    result = search.search(position, simulations=400, avoided=avoided)
    assert {info.point for info in result.moves} == set(region)
    _, *below = moves_by_depth(search)
    for moves in below:
        assert PASS in moves and moves <= {PASS, *region} and len(moves) > 2


def test_each_colour_has_its_moves_and_its_depth():
    avoided = AvoidedMoves()
    avoided.allow(BLACK, points("A1", "B1"), 1, 5)
    avoided.allow(WHITE, points("C1", "D1"), 3, 5)
    search = searcher("network")
    result = search.search(GoPosition(5), simulations=600, avoided=avoided)
    _, second, third = moves_by_depth(search)
    assert {info.point for info in result.moves} == set(points("A1", "B1"))
    assert second == {PASS, *points("C1", "D1")} and len(third) > 20
    assert avoided.allowed_at(GoPosition(5).with_turn(WHITE)) == points("C1", "D1")
    assert AvoidedMoves().allowed_at(GoPosition(5)) is None


def test_the_larger_depth_of_a_move_counts_and_depth_0_is_none():
    avoided = AvoidedMoves()
    for depth in 0, 2, 5, 3:
        avoided.avoid(BLACK, points("C3"), depth)
    avoided.avoid(WHITE, points("C3"), 0)
    assert avoided.depths == {(BLACK, *points("C3")): 5}
    until = avoided.until(100).reshape(2, -1)
    assert until[0, points("C3")] == [105] and np.count_nonzero(until) == 1


def test_a_tree_is_reused_for_the_same_moves_in_the_same_position_only():
    search, position = searcher("network"), GoPosition(5)
    region = avoided_outside(points("A1", "B1", "C1", "A5", "B5", "C5", "E3"), 5)
    assert search.search(position, simulations=60, avoided=region).visits == 60
    assert search.search(position, simulations=60, avoided=region).visits == 120
    assert search.search(position.play(points("A1")[0]), simulations=60, avoided=region).visits == 60
    assert search.search(position, simulations=60).visits == 60
    assert search.search(position, simulations=60).visits == 120
    _, below, _ = moves_by_depth(search)
    assert len(below) > 20


@pytest.mark.parametrize("kind", ["network", "uct", "rave", "threads"])
def test_a_move_that_is_named_is_searched_though_it_fills_an_own_eye(kind):
    position, at = draw(OWN_EYE)
    search, named, region = searcher(kind), AvoidedMoves(), avoided_outside([at["a"], at["b"]], 5)
    assert at["a"] not in {info.point for info in search.search(position, simulations=40).moves}
    named.allow(BLACK, [at["a"], at["b"]], 1, 5)
    result = search.search(position, simulations=60, avoided=named)
    assert {info.point: info.visits > 0 for info in result.moves} == {at["a"]: True, at["b"]: True}
    assert {info.point for info in search.search(position, simulations=40, avoided=region).moves} == {at["b"]}
    assert {info.point for info in search.search(position, simulations=40,
                                                 avoided=avoided_outside([at["a"]], 5)).moves} == {at["a"]}


@pytest.mark.parametrize("kind", ["network", "uct"])
def test_the_moves_that_are_left_are_searched_where_another_one_is_forced(kind):
    """White must block, on a or b, or loses at once."""
    position, at = draw("""
        . . . . .
        a X X X b
        . . . . .
        . O . . O
        . c . . .
    """, to_play=WHITE, k=4)
    search, avoided, named = searcher(kind), AvoidedMoves(), AvoidedMoves()
    avoided.avoid(WHITE, [at["a"]], 1)
    named.allow(WHITE, [at["b"], at["c"]], 1, 5)
    assert len(search.search(position, simulations=40, avoided=avoided).moves) == 25 - 5 - 1
    assert {info.point for info in search.search(position, simulations=40, avoided=named).moves} == {at["b"], at["c"]}


def test_gomoku_searches_all_moves_below_the_root():
    search = searcher("uct")
    result = search.search(GomokuPosition(5, 4), simulations=300, avoided=avoided_outside(points("A1", "B1"), 5))
    assert {info.point for info in result.moves} == set(points("A1", "B1"))
    assert len(moves_by_depth(search)[1]) > 20
