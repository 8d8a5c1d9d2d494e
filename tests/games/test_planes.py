"""The 48 planes: all of them against an oracle, and drawn, which moves they count.

Drawn ladders: test_ladders.
"""
import random

import numpy as np
import oracles
import pytest
from drawing import after, assert_same_planes, assert_same_points, draw, named
from sample_positions import encoded_game, oracle_game, random_game, recorded_games, transformed

from mugo.games.board import WHITE
from mugo.games.coords import board_points, row_col, symmetries
from mugo.games.game import encode
from mugo.games.planes import DEPTH, PACKED, PLANES, new_scratch, unpack, write_sample_planes
from mugo.sgf.record_positions import position_of


def planes_of(position, symmetry=0):
    return unpack(encode([position], symmetry), DEPTH, position.shape)[0]


def bits(position, name, number=1):
    """The points where a plane is 1; number: of the planes with this name, from 1."""
    names = [plane.name for plane in PLANES]
    k = sum(plane.depth for plane in PLANES[:names.index(name)]) + number - 1
    return set(board_points(position.size)[planes_of(position)[..., k].ravel() == 1].tolist())


def assert_planes_set(position, at, name, **expected):
    """assert_planes_set(position, at, "capture size", two="a b"): exactly these points are 1 in these planes."""
    depth = {plane.name: plane.depth for plane in PLANES}[name]
    numbers = ("one", "two", "three", "four", "five", "six", "seven", "eight")[:depth]
    assert not set(expected) - set(numbers)
    for number, word in enumerate(numbers, 1):
        assert_same_points(position, bits(position, name, number), named(at, expected.get(word, "")),
                           f"{name} {word}")


# -- drawn, plane by plane

def test_turns_since_counts_back_eight_moves_and_setup_stones_are_none():
    position, at = draw("""
        X . . . O
        a b c d .
        e f g h .
        i . . . .
        X . . . O
    """)
    assert_planes_set(position, at, "turns since")
    assert_planes_set(after(position, at, "a b"), at, "turns since", one="b", two="a")
    assert_planes_set(after(position, at, "a b c d e f g h i"), at, "turns since",
               one="i", two="h", three="g", four="f", five="e", six="d", seven="c", eight="b")


def test_a_move_forbidden_by_ko_or_superko_sets_no_plane_of_moves():
    before, at = draw("""
        a Xb c X . .
        O O X . . .
        . . . . O X
        . . . O Xe d
        . . . . O X
        . . . . . .
    """)
    superko = after(before, at, "a c")
    ko = before.play(at["d"], WHITE)
    for position, point, why in ((superko, at["b"], "superko"), (ko, at["e"], "ko")):
        assert why in position.why_illegal(point)
        of_the_point = np.flatnonzero(planes_of(position)[row_col(point, 6)]).tolist()
        assert [k for k in of_the_point if not 4 <= k < 12] == [2, 3], "empty, and one"


# -- against the oracle

@pytest.mark.parametrize("size, games, every", [
    (2, 10, 1), (3, 10, 1), (5, 4, 1), (9, 2, 3), (13, 1, 16), (19, 1, 120),
])
def test_all_planes_of_random_games_are_the_oracles(size, games, every):
    compare_random_games(size, games, every)


@pytest.mark.slow
@pytest.mark.parametrize("size, games, every", [(3, 300, 1), (5, 200, 1), (7, 60, 1), (9, 40, 1), (13, 6, 2)])
def test_all_planes_of_many_random_games_are_the_oracles(size, games, every):
    compare_random_games(size, games, every, seed=1)


def test_all_planes_of_real_positions_are_the_oracles():
    assert compare_real_games(30, 0.01) > 20


@pytest.mark.slow
def test_all_planes_of_thousands_of_real_positions_are_the_oracles():
    assert compare_real_games(1000, 0.015) > 50


def compare_random_games(size, games, every, seed=0):
    rng = random.Random(1000 * seed + size)
    for _ in range(games):
        for position in random_game(rng, size, turns=0.02):
            if position.plies % every == 0:
                assert_same_planes(position, planes_of(position), oracles.planes(oracle_game(position)))


def compare_real_games(games, share):
    """The number of positions compared, a random share of each game."""
    rng = random.Random(1)
    compared = 0
    for record in recorded_games(games):
        for plies in range(len(record.moves)):
            if rng.random() < share:
                try:
                    position = position_of(record, plies)
                except ValueError:
                    break                # an illegal move in the record
                assert_same_planes(position, planes_of(position), oracles.planes(oracle_game(position)))
                compared += 1
    return compared


@pytest.mark.parametrize("shape", [(9, 9), (4, 6), (9, 7)])
def test_planes_of_a_board_in_a_symmetry_are_the_planes_permuted(shape):
    for position in list(random_game(random.Random(8), shape))[10:150:9]:
        points = planes_of(position).reshape(position.area, DEPTH)
        for symmetry, turn in enumerate(symmetries(shape)):
            changed = transformed(position, symmetry)
            expected = np.empty_like(points)
            expected[turn[:-1]] = points
            expected = expected.reshape(*shape, DEPTH)
            assert np.array_equal(planes_of(changed), expected)
            assert np.array_equal(planes_of(position, symmetry), expected)


# -- packing, batches and whole games

def test_planes_are_packed_in_the_order_of_the_table():
    assert sum(plane.depth for plane in PLANES) == DEPTH == 48 == 8 * PACKED
    for k in range(DEPTH):
        packed = np.zeros((9, PACKED), np.uint8)
        packed[4, k // 8] = 1 << k % 8
        planes = unpack(packed)
        assert planes.shape == (3, 3, DEPTH) and planes.dtype == np.uint8
        assert np.argwhere(planes).tolist() == [[1, 1, k]]
    assert unpack(np.zeros((2, 5, 361, PACKED), np.uint8)).shape == (2, 5, 19, 19, DEPTH)


def test_planes_of_a_batch_are_those_of_each_position():
    rng = random.Random(3)
    size = 9
    finals = [list(random_game(rng, size, turns=0.03))[-1] for _ in range(4)]
    drawn, at = draw("""
        . . . . . . . . .
        . . X . . . O . .
        . X O a . . . . .
        . . X . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . b c . .
        . . d . . . . . .
        . . . . . . . . .
    """, to_play=WHITE)
    finals.append(after(drawn, at, "b a c d"))
    codes = [encoded_game(final) for final in finals]
    setup = np.concatenate([setup for setup, _ in codes])
    moves = np.concatenate([moves for _, moves in codes])
    samples, expected, targets = [], [], []
    for g, final in enumerate(finals):
        first_stone = sum(len(s) for s, _ in codes[:g])
        first_move = sum(len(m) for _, m in codes[:g])
        line = list(final.positions())
        for n in rng.sample(range(final.plies), min(12, final.plies)):
            symmetry = rng.randrange(8)
            samples.append((first_stone, first_stone + len(codes[g][0]), first_move, n, symmetry))
            mover = line[n + 1].mover
            expected.append(encode([line[n].with_turn(mover)], symmetry)[0])
            targets.append(symmetries(size)[symmetry][codes[g][1][n] & 511])
    out = np.full((len(samples), size * size, PACKED), 255, np.uint8)
    found = np.zeros(len(samples), np.int32)
    write_sample_planes(size, setup, moves, np.array(samples, np.int64), symmetries(size), new_scratch(), out, found)
    assert np.array_equal(out, np.array(expected))
    assert found.tolist() == targets


def test_scratch_is_reused_for_other_board_sizes():
    scratch = new_scratch()
    for size in (19, 5, 13, 2, 9):
        position = list(random_game(random.Random(size), size))[-1]
        setup, moves = encoded_game(position)
        out, target = np.empty((1, size * size, PACKED), np.uint8), np.zeros(1, np.int32)
        sample = np.array([(0, len(setup), 0, position.plies - 1, 0)])
        assert write_sample_planes(size, setup, moves, sample, symmetries(size), scratch, out, target) == 1
        assert np.array_equal(out[0], encode([position.undo()])[0])
