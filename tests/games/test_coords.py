"""The table of coords and its conversions."""
import numpy as np
import pytest

from mugo.games import coords
from mugo.games.coords import (
    MAX_SIZE, MIN_SIZE, PASS, WHITE_BIT, board_points, format_gtp, format_sgf, interpret_gtp, interpret_sgf,
    move_index, point_at, point_of_index, row_col, symmetries)

SIZES = range(MIN_SIZE, MAX_SIZE + 1)


@pytest.mark.parametrize("point, at, index, encoded, sgf, gtp", [
    (21, (0, 0), 0, (0, 512), "aa", "A19"),
    (39, (0, 18), 18, (18, 530), "sa", "T19"),
    (PASS, None, 361, (361, 873), "", "pass"),
])
def test_the_table_of_the_docstring_holds(point, at, index, encoded, sgf, gtp):
    table = " ".join(coords.__doc__.split())
    for cell in (point, at, index, f"{encoded[0]} / {encoded[1]}", repr(sgf), repr(gtp)):
        assert str(cell) in table
    assert row_col(point, 19) == at
    assert move_index(point, 19) == index == encoded[0] == encoded[1] - WHITE_BIT
    assert format_sgf(point, 19) == sgf
    assert format_gtp(point, 19) == gtp
    assert at is None or point_at(*at, 19) == point


@pytest.mark.parametrize("size", SIZES)
def test_conversions_are_inverses(size):
    points = board_points(size).tolist()
    assert len(set(points)) == size * size
    for index, point in enumerate([*points, PASS]):
        assert move_index(point, size) == index
        assert point_of_index(index, size) == point
        assert interpret_sgf(format_sgf(point, size), size) == point
        assert interpret_gtp(format_gtp(point, size), size) == point
        assert interpret_gtp(format_gtp(point, size).lower(), size) == point
        if point != PASS:
            assert point_at(*row_col(point, size), size) == point
            assert row_col(point, size) == divmod(index, size)


@pytest.mark.parametrize("size", SIZES)
def test_tt_is_a_pass_too(size):
    assert interpret_sgf("tt", size) == PASS


@pytest.mark.parametrize("text, size, complaint", [
    ("I9", 9, "'I9' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("i9", 9, "'i9' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("K10", 9, "'K10' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("A0", 19, "'A0' is not a vertex on 19x19 (A-T without I, 1-19)"),
    ("A20", 19, "'A20' is not a vertex on 19x19 (A-T without I, 1-19)"),
    ("E1", 4, "'E1' is not a vertex on 4x4 (A-D, 1-4)"),
    ("A٣", 9, "'A٣' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("A1\n", 9, "'A1\\n' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("", 9, "'' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("3C", 9, "'3C' is not a vertex on 9x9 (A-J without I, 1-9)"),
    ("C-3", 9, "'C-3' is not a vertex on 9x9 (A-J without I, 1-9)"),
])
def test_an_invalid_vertex_is_named_with_the_valid_range(text, size, complaint):
    with pytest.raises(ValueError) as error:
        interpret_gtp(text, size)
    assert str(error.value) == complaint


@pytest.mark.parametrize("text, size", [
    ("ja", 9), ("aj", 9), ("AA", 9), ("a", 9), ("aaa", 9), ("uu", 19), ("a1", 9),
])
def test_an_invalid_sgf_point_is_named_with_the_valid_range(text, size):
    last = "i" if size == 9 else "s"
    with pytest.raises(ValueError) as error:
        interpret_sgf(text, size)
    assert str(error.value) == f"{text!r} is not a point on {size}x{size} (aa-{last}{last})"


# -- symmetries

@pytest.mark.parametrize("size", SIZES)
def test_the_symmetries_are_the_group_of_eight(size):
    table = symmetries(size)
    assert table.shape == (8, size * size + 1)
    elements = {tuple(row) for row in table.tolist()}
    assert len(elements) == 8
    assert table[0].tolist() == list(range(size * size + 1)), "the first is the identity"
    for first in table:
        for second in table:
            assert tuple(second[first].tolist()) in elements, "closed under composition"
    quarter = table[1]
    assert table[2].tolist() == quarter[quarter].tolist()
    assert table[3].tolist() == quarter[quarter[quarter]].tolist()
    for mirror in table[4:]:
        assert mirror[mirror].tolist() == table[0].tolist(), "a reflection is its own inverse"


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_keep_distances_and_map_a_pass_to_itself(size):
    rows, cols = np.divmod(np.arange(size * size), size)
    for turn in symmetries(size):
        assert turn[-1] == size * size
        new_rows, new_cols = np.divmod(turn[:-1], size)
        apart = abs(rows[:, None] - rows) + abs(cols[:, None] - cols)
        assert np.array_equal(apart, abs(new_rows[:, None] - new_rows) + abs(new_cols[:, None] - new_cols))


def test_shared_tables_are_read_only():
    for table in (board_points(9), symmetries(9)):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0
