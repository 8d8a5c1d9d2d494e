"""Boards that are not square: the rules, planes and scores of the oracles, and transposed games."""
import random

import numpy as np
import oracles
import pytest
from drawing import SEKI, draw
from sample_positions import oracle_game, random_game, stones_of

from mugo.core.files import BadInput
from mugo.games import gomoku, scoring
from mugo.games.board import BLACK, WHITE
from mugo.games.coords import (
    format_gtp, format_sgf, format_sgf_size, format_size, interpret_gtp, interpret_sgf, interpret_size, point_at,
    row_col, size_value, square_size, symmetries)
from mugo.games.game import encode, new_game
from mugo.games.go import GoPosition, fixed_handicap
from mugo.games.planes import unpack
from mugo.games.scoring import ScoringSession
from mugo.players import passing

SHAPES = [(2, 5), (5, 2), (3, 4), (4, 3), (7, 3), (4, 6), (2, 19), (19, 2)]


def points_of(position: GoPosition, points) -> set[tuple[int, int]]:
    return {row_col(int(point), position.shape) for point in points}


def planes_of(position: GoPosition, symmetry: int = 0) -> np.ndarray:
    return unpack(encode([position], symmetry), shape=position.shape)[0]


# -- coordinates

def test_vertices_of_a_board_of_nine_rows_and_thirteen_columns():
    assert format_gtp(point_at(0, 12, (9, 13)), (9, 13)) == "N9"
    assert format_sgf(point_at(8, 0, (9, 13)), (9, 13)) == "ai"
    with pytest.raises(ValueError, match=r"'N10' is not a vertex on 13x9 \(A-N without I, 1-9\)"):
        interpret_gtp("N10", (9, 13))
    with pytest.raises(ValueError, match=r"'aj' is not a point on 13x9 \(aa-mi\)"):
        interpret_sgf("aj", (9, 13))


@pytest.mark.parametrize("text, size, shown, value, sgf", [
    ("9", (9, 9), "9x9", 9, "9"), ("9x9", (9, 9), "9x9", 9, "9"), ("13x9", (9, 13), "13x9", "13x9", "13:9"),
    ("5X7", (7, 5), "5x7", "5x7", "5:7")])
def test_a_size_as_text_is_columns_and_rows(text, size, shown, value, sgf):
    assert interpret_size(text) == size
    assert (format_size(size), size_value(size), format_sgf_size(size)) == (shown, value, sgf)
    assert interpret_size(str(value)) == size


@pytest.mark.parametrize("text", ["", "x", "9x", "x9", "9x9x9", "-9", "9 x 9", "1e1", "٩"])
def test_a_text_that_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="is not a board size, such as 9, or 13x9 for 13 columns and 9 rows"):
        interpret_size(text)


def test_what_needs_a_square_board_says_so():
    assert GoPosition((9, 9)).size == GoPosition(9).size == square_size(9) == 9
    with pytest.raises(BadInput, match="^13x9: this needs a square board$"):
        GoPosition((9, 13)).size  # noqa: B018


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (20, 9), (9, 20), (0, 5)])
def test_a_side_out_of_range_is_refused(shape):
    rows, cols = shape
    with pytest.raises(BadInput, match=f"a board is 2x2 to 19x19, not {cols}x{rows}"):
        new_game("go", shape)
    with pytest.raises(BadInput, match=f"a Gomoku board is 3x3 to 19x19, not {cols}x{rows}"):
        new_game("gomoku", shape)


@pytest.mark.parametrize("shape", [(9, 13), (2, 3)])
def test_a_rectangle_has_four_symmetries(shape):
    table, area = symmetries(shape), shape[0] * shape[1]
    assert table.shape == (4, area + 1) and len(np.unique(table, axis=0)) == 4
    assert np.array_equal(table[0], np.arange(area + 1))
    for turn in table:
        assert np.array_equal(turn[turn], table[0]) and turn[-1] == area
    assert {tuple(turn[[0, area - 1]]) for turn in table} == {
        (0, area - 1), (area - 1, 0), (shape[1] - 1, area - shape[1]), (area - shape[1], shape[1] - 1)}


# -- the rules, planes and scores, by the oracles

@pytest.mark.parametrize("shape", SHAPES)
def test_every_position_of_random_games_is_the_oracles(shape):
    rng = random.Random(f"rectangle {shape}")
    for _ in range(3):
        for k, position in enumerate(random_game(rng, shape, turns=0.05)):
            if k > 60:
                break
            game = oracle_game(position)
            assert stones_of(position) == game.stones
            assert points_of(position, position.legal_points()) == game.legal()
            assert position.score() + position.komi == oracles.area(shape, game.stones)
            if k % 4 == 0:
                assert np.array_equal(planes_of(position), oracles.planes(game))


# -- scoring

FINISHED = """
    . X . X O . O
    X X X X O O O
    . X O X O X .
    X X . X O O O
"""


def test_dead_stones_are_found_and_scored():
    position, _ = draw(FINISHED)
    assert position.shape == (4, 7)
    cleared = scoring.without_dead(position)
    assert stones_of(position).keys() - stones_of(cleared).keys() == {(2, 2), (2, 5)}
    other = transposed_stones(position)
    assert np.array_equal(scoring.without_dead(other).stones, cleared.stones.T)
    session = ScoringSession(position)
    assert session.ownership().tolist() == [[1, 1, 1, 1, -1, -1, -1]] * 4
    assert session.score() == 16 - 12 - position.komi
    assert scoring.ownership(position).shape == (4, 7)
    assert passing.is_nearly_over(position)


def transposed_stones(position: GoPosition) -> GoPosition:
    return GoPosition(position.shape[::-1], position.komi).with_board(np.ascontiguousarray(position.stones.T), BLACK)


def test_a_seki_is_found_on_a_rectangle():
    square, _ = draw(SEKI)
    position, _ = draw("\n".join(f"{line} ." for line in SEKI.strip().splitlines()))
    assert position.shape == (7, 8)
    found = points_of(square, scoring.stones_in_seki(square))
    assert len(found) == 19
    for other, at in ((position, slice(None)), (transposed_stones(position), slice(None, None, -1))):
        assert {point[at] for point in points_of(other, scoring.stones_in_seki(other))} == found


# -- handicap, Gomoku

@pytest.mark.parametrize("shape, stones, vertices", [
    ((9, 13), 2, "D3 K7"), ((9, 13), 9, "D3 K7 D7 K3 D5 K5 G3 G7 G5"), ((13, 9), 5, "C4 G10 C10 G4 E7"),
    ((8, 13), 4, "D3 K6 D6 K3")])
def test_fixed_handicap_takes_the_lines_of_each_side(shape, stones, vertices):
    assert " ".join(format_gtp(point, shape) for point in fixed_handicap(shape, stones)) == vertices


@pytest.mark.parametrize("shape, stones, text", [
    ((8, 13), 5, "no fixed handicap of 5 stones on 13x8 .2 to 4."), ((5, 13), 2, "on 13x5 .7x7 or larger."),
    ((7, 13), 9, "on 13x7 .2 to 4.")])
def test_a_fixed_handicap_that_gtp_has_not_is_refused(shape, stones, text):
    with pytest.raises(ValueError, match=text):
        fixed_handicap(shape, stones)


def test_gomoku_on_a_rectangle():
    position = gomoku.GomokuPosition((3, 7), 5)
    for vertex in "A1 A2 B1 B2 C1 C2 D1 D2 E1".split():
        position = position.play(interpret_gtp(vertex, (3, 7)))
    assert position.winner == BLACK and position.result() == "B+"
    assert [format_gtp(point, (3, 7)) for point in position.row] == ["A1", "B1", "C1", "D1", "E1"]
    assert gomoku.default_row((3, 7)) == 3
    with pytest.raises(ValueError, match="3 to 7 in a row can win on 7x3, not 8"):
        gomoku.GomokuPosition((3, 7), 8)
    planes = unpack(encode([position]), gomoku.DEPTH, (3, 7))[0]
    assert planes.shape == (3, 7, 4) and planes[..., 1].sum() == 5 and position.to_play == WHITE
