"""Heuristic priors of Go: each rule by a drawn board, distances against a slow oracle."""
import random
from collections import deque

import numpy as np
import pytest
from drawing import draw
from oracles import chain, every_point, neighbours
from sample_positions import random_game

from mugo.games import go_priors
from mugo.games.board import BLACK, POINTS, WHITE
from mugo.games.coords import PASS, point_at, row_col
from mugo.games.go import GoPosition
from mugo.games.planes import new_scratch

SCRATCH = new_scratch()


def priors_of(position: GoPosition) -> np.ndarray:
    """(POINTS, 2): visits and wins of every point, of the rules alone: without the even game."""
    priors = np.zeros((POINTS, 2), np.float32)
    go_priors.write_priors(position.board[0], SCRATCH, priors)
    empty = position.board[0]["colour"] == 0
    priors[empty] -= [go_priors.EVEN, go_priors.EVEN / 2]
    return priors


def rewards(picture: str, *, to_play=BLACK) -> dict[str, float]:
    """The won visits of each named point, lost ones negative; without those for patterns."""
    position, at = draw(picture, to_play=to_play)
    found = {}
    for name, point in at.items():
        visits, wins = priors_of(position)[point].tolist()
        found[name] = 2 * wins - visits
        if go_priors.matches_pattern(position.board[0], point, to_play):
            found[name] -= go_priors.PATTERN
    return found


ONE, MANY, SELF_ATARI = go_priors.CAPTURE_ONE, go_priors.CAPTURE_MANY, -go_priors.SELF_ATARI


def test_captures_are_rewarded_by_the_number_of_stones():
    assert rewards("""
        O a . . . . .
        X . . . . . .
        . . . . . . .
        . . . X X . .
        . . X O O b .
        . . . X X c .
        . . . . . . .
    """) == {"a": ONE, "b": MANY, "c": 0}


def test_a_chain_in_atari_is_saved_by_extending_or_by_capturing_beside_it():
    # White's two stones have one liberty; the black stone under them has one, too.
    assert rewards("""
        . . . . . . .
        . . X X . . .
        . X O O a . .
        . b X O X . .
        . O X O X . .
        . . O X . . .
        . . . c . . .
    """, to_play=WHITE)["a"] == MANY


def test_extending_out_of_a_ladder_that_captures_is_not_rewarded():
    losing = """
        . . . . . . .
        . . . . . . .
        . . . X . . .
        . . X O a . .
        . . . X . . .
        . . . . . . .
        . . . . . . .
    """
    working = rewards(losing, to_play=WHITE)
    assert working["a"] == ONE                           # three liberties in the open
    trapped = """
        X X X . . . .
        X O a . . . .
        X X b . . . .
        . X . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """
    assert rewards(trapped, to_play=WHITE)["a"] == 0     # b, or above a, puts it in atari again until the edge


def test_an_atari_that_begins_a_ladder_is_rewarded_where_the_ladder_captures():
    ladder = """
        . . . . . . .
        . . X X . . .
        . X O a . . .
        . X b . . . .
        . . . . . . .
        . . . . . {} .
        . . . . . . .
    """
    assert rewards(ladder.format("."))["a"] == rewards(ladder.format("."))["b"] == ONE
    broken = rewards(ladder.format("O"))
    assert broken["a"] == broken["b"] == 0
    # And so is saving the stone before the ladder begins, for the other side.
    saved = rewards(ladder.format("."), to_play=WHITE)
    assert saved["a"] == saved["b"] == ONE
    assert set(rewards(ladder.format("O"), to_play=WHITE).values()) == {0}


def test_self_atari_loses_visits():
    found = rewards("""
        . a O . . . .
        b O . . . . .
        O . . . . . .
        . . . X c X .
        . . . . d . .
        . . . . . . .
        e . . . . . .
    """)
    assert found["b"] == SELF_ATARI and found["c"] == found["d"] == 0
    # A capture is none; this one also saves the stone below, and begins a ladder against the one in the middle.
    assert rewards("""
        O a X .
        X O . .
        b X . .
        . . . .
    """)["a"] == 3 * ONE


def test_a_pattern_is_rewarded_where_it_matches():
    position, at = draw("""
        . . . . .
        . X O . .
        . a b . .
        . . . . .
        . . c . .
    """)
    priors = priors_of(position)
    assert {name: priors[at[name]].tolist() for name in at} == {
        "a": [go_priors.PATTERN] * 2, "b": [go_priors.PATTERN] * 2, "c": [0, 0]}


def test_empty_areas_lose_on_two_lines_and_win_on_the_third():
    priors = priors_of(GoPosition(19))
    values = {name: tuple(priors[point_at(row, col, 19)].tolist())
              for name, (row, col) in {"1": (0, 9), "2": (9, 1), "3": (2, 9), "4": (3, 3), "corner 3": (2, 2)}.items()}
    area = go_priors.EMPTY_AREA
    assert values == {"1": (area, 0), "2": (area, 0), "3": (area, area), "4": (0, 0), "corner 3": (area, area)}
    position, at = draw("""
        . . . . . . . . .
        . . . . . . . . .
        a . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . b X . . . . .
        . . . . . . . . .
        . . c . . . d . .
    """)
    lost = {name for name in at if priors_of(position)[at[name], 0] == area}
    assert lost == {"a", "d"}                            # c is three steps from the stone, b beside it


def test_a_pass_loses_visits():
    assert priors_of(GoPosition(5))[PASS].tolist() == [go_priors.EVEN + go_priors.PASSING, go_priors.EVEN / 2]


def test_moves_near_the_last_one_are_rewarded_by_their_distance():
    position, at = draw("""
        . . . . . . .
        . . . . . . .
        . . . c . . .
        . . a Xx b d .
        . . . X . . .
        . . . . . . .
        . . . . . . .
    """, to_play=WHITE)
    near = position.play(point_at(0, 0, 7)).play(at["c"])            # White in the corner, then Black on c
    board = near.board[0]
    distance = np.zeros(POINTS, np.int16)
    go_priors.write_distances(board, near.last, distance, np.empty_like(distance))
    assert (distance[at["a"]], distance[at["b"]], distance[at["d"]]) == (1, 1, 2)        # c joins the chain of x
    priors = priors_of(near)
    assert priors[at["b"], 1] >= go_priors.DISTANCE[0] and priors[at["b"], 0] == priors[at["b"], 1]
    assert priors[at["d"], 1] >= go_priors.DISTANCE[1]


def slow_distances(position: GoPosition) -> dict[tuple[int, int], int]:
    """The common fate graph distances from the last move: a 0-1 breadth-first search of points."""
    size = position.size
    stones = {(row, col): int(position.stones[row, col]) for row, col in every_point(size) if position.stones[row, col]}
    start = row_col(position.last, size)
    found, waiting = {start: 0}, deque([start])
    while waiting:
        point = waiting.popleft()
        for near in neighbours(size, point):
            step = 0 if point in stones and near in chain(size, stones, point)[0] else 1
            if found[point] + step < found.get(near, 99):
                found[near] = found[point] + step
                (waiting.append if step else waiting.appendleft)(near)
    return found


@pytest.mark.parametrize("size, seed", [(5, 1), (9, 2), (9, 3), (13, 4)])
def test_distances_are_those_of_the_common_fate_graph(size, seed):
    far = 0
    for position in random_game(random.Random(seed), size):
        if position.plies % 7 != 5 or position.last == PASS:
            continue
        distance = np.zeros(POINTS, np.int16)
        go_priors.write_distances(position.board[0], position.last, distance, np.empty_like(distance))
        for point, expected in slow_distances(position).items():
            reached = int(distance[point_at(*point, size)])
            assert reached == (expected if expected <= len(go_priors.DISTANCE) else go_priors.FAR), f"\n{position}"
            far += reached == go_priors.FAR
    assert far


def test_priors_are_at_least_an_even_game_for_every_candidate_of_random_games():
    for position in random_game(random.Random(7), 9):
        before = position.board.copy()
        priors = np.zeros((POINTS, 2), np.float32)
        go_priors.write_priors(position.board[0], SCRATCH, priors)
        for point in position.sensible_points().tolist():
            visits, wins = priors[point]
            assert visits >= go_priors.EVEN and go_priors.EVEN / 2 <= wins <= visits
        for field in "colour", "liberties", "head", "stones", "hash", "to_play", "ko", "moves":
            assert (position.board[0][field] == before[0][field]).all()
