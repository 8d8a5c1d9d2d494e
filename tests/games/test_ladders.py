"""Ladders: drawn ones with known results, each compared with the recursive oracle."""
import random
import time

import oracles
import pytest
from drawing import after, assert_same_points, draw, named
from sample_positions import oracle_game, random_game

from mugo.games.board import BLACK, WHITE
from mugo.games.coords import board_points, point_at
from mugo.games.game import encode
from mugo.games.planes import PLANES, unpack


def ladder_moves(position):
    """(ladder captures, ladder escapes) of the planes."""
    planes = unpack(encode([position]))[0]
    first = [plane.name for plane in PLANES].index("ladder capture")
    k = sum(plane.depth for plane in PLANES[:first])
    points = board_points(position.size)
    return [set(points[planes[..., k + i].ravel() == 1].tolist()) for i in range(2)]


def assert_ladders(picture, captures="", escapes="", to_play=BLACK):
    """Exactly these moves capture in a ladder, exactly these escape; the oracle agrees."""
    position, at = draw(picture, to_play)
    assert_reads(position, named(at, captures), named(at, escapes))
    assert_agrees(position)
    return position, at


def assert_reads(position, captures, escapes):
    found = ladder_moves(position)
    assert_same_points(position, found[0], captures, "ladder captures")
    assert_same_points(position, found[1], escapes, "ladder escapes")


def assert_agrees(position):
    planes = oracles.planes(oracle_game(position))
    points = board_points(position.size)
    assert_reads(position, *(set(points[planes[..., k].ravel() == 1].tolist()) for k in (44, 45)))


# -- the plain ladder

def test_a_ladder_runs_to_the_far_corner():
    assert_ladders("""
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X b . . . .
        . . X O O a . . .
        . . . X X c . . .
        . . . . . . . . .
    """, captures="a")


def test_a_stone_in_the_path_of_a_ladder_breaks_it():
    picture = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . O . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X . . . . .
        . . X O O a . . .
        . . . X X . . . .
        . . . . . . . . .
    """
    assert_ladders(picture)
    assert_ladders(picture.replace("O . .", "X . ."), captures="a")


def test_extending_in_a_working_ladder_is_no_escape():
    picture = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . X . . . . .
        . . X O a . . . .
        . . . X X . . . .
        . . . . . . . . .
    """
    assert_ladders(picture, to_play=WHITE)
    rows = picture.strip("\n").split("\n")
    rows[2] = "        . . . . . . O . ."
    assert_ladders("\n".join(rows), escapes="a", to_play=WHITE)


# -- captures during a ladder

def test_capturing_a_hunter_in_atari_is_an_escape():
    assert_ladders("""
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . O X . . . . .
        . O X O a . . . .
        . . b X X . . . .
        . . . . . . . . .
        . . . . . . . . .
    """, escapes="a b", to_play=WHITE)


def test_a_hunter_in_atari_is_captured_during_the_ladder():
    """White b leaves c with one liberty, and captures it before the ladder ends."""
    picture = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . O Xc b . . . .
        . . X O O a . . .
        . . . X X . . . .
        . . . . . . . . .
    """
    assert_ladders(picture)
    helped = picture.replace("O Xc", ". Xc")
    assert_ladders(helped, captures="a")


def test_a_capture_that_leaves_the_prey_in_atari_is_no_escape():
    """White b captures one stone and connects, and its only liberty is the point of that stone."""
    position, at = assert_ladders("""
        X O Xa O .
        X O b X .
        X X X . .
        . . . . .
        . . . . .
    """, to_play=WHITE)
    assert after(position, at, "b").why_illegal(at["a"]) is None


def test_all_of_many_escape_moves_are_tried():
    """A comb: Black has one liberty, 72 white stones beside it in atari, and 36 captures of two of them."""
    rows = []
    for row in range(19):
        teeth = " ".join("O" if col % 2 == 0 else "X" for col in range(2, 19))
        holes = " ".join("." if col % 2 == 0 else "O" for col in range(2, 19))
        spine = " ".join("X" * 19)
        rows.append((spine, f"X X {teeth}", f"X O {holes}", f"X X {teeth}")[row % 4])
    rows[17:] = ["a " + " ".join("O" * 18), " ".join("." * 19)]
    position, at = draw("\n".join(rows))
    holes = {point_at(row, col, 19) for row in range(2, 16, 4) for col in range(2, 19, 2)}
    assert len(holes) == 36
    assert_same_points(position, ladder_moves(position)[1], holes, "ladder escapes")


# -- ko

def test_the_prey_may_not_retake_a_ko():
    """Black a is in atari; White captures it at b, and Black, who may not retake, fills c."""
    position, at = assert_ladders("""
        . . . . .
        . . . . .
        . . . . X
        . . . X b
        . . c O a
    """, captures="a c")
    taken = after(position, at, "a b")
    assert taken.captures[WHITE] == 1
    assert taken.why_illegal(at["a"]) == "retakes the ko"
    filled = after(taken, at, "c")
    assert filled.why_illegal(at["a"]) == "is suicide", "White's stones have no other liberty"


def test_a_ko_is_read_from_the_move_before():
    """The same stones, with and without a ko that forbids the only escape."""
    picture = """
        . . X O . . .
        . X Oa b O . .
        . . X O . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """
    position, at = draw(picture)
    taken = after(position, at, "b")
    assert at["a"] not in ladder_moves(taken)[1]
    assert_agrees(taken)
    assert_agrees(taken.with_turn(BLACK))


@pytest.mark.parametrize("picture", ["""
    . . X
    O X .
    . O .
""", """
    X . O
    . . .
    O . X
"""])
def test_a_line_that_repeats_a_position_captures_nothing(picture):
    """On 3x3 hunter and prey can chase each other along the edge."""
    for to_play in (BLACK, WHITE):
        assert_agrees(draw(picture, to_play)[0])


def test_positions_on_2x2_and_3x3_agree_with_the_oracle():
    rng = random.Random(7)
    for size, games in ((2, 15), (3, 15)):
        for _ in range(games):
            for position in random_game(rng, size):
                assert_agrees(position)


# -- limits

SLOWEST = """
    X . O . . O O X X
    O . X . . . . O .
    X X . . X X X . O
    O . O . O . O X .
    X O O X . . X . O
    X O O X X . O O .
    X O . X O . . X .
    X X O X . . . . X
    O . . X O O . O X
"""


def test_the_slowest_known_position_takes_less_than_half_a_second():
    """Found by hill climbing on the number of moves read; it reaches the limit of NODES."""
    for to_play in (BLACK, WHITE):
        position, _ = draw(SLOWEST, to_play)
        encode([position])               # compiles the kernels
        start = time.process_time()
        encode([position])
        assert time.process_time() - start < 0.5
