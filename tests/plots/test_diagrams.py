"""Board diagrams: the artists on the axes have the positions of the stones, values and labels."""
import numpy as np
import pytest
from drawing import draw

from mugo.plots import diagrams

ATARI = """
    . X . .
    X O . .
    . X . .
    . . . .
"""


@pytest.mark.parametrize(("size", "count"), [(19, 9), (13, 9), (9, 5), (8, 4), (5, 1), (2, 0)])
def test_star_points_are_those_of_a_printed_board(size, count):
    points = diagrams.star_points(size)
    assert len(set(points)) == len(points) == count
    assert {(size - 1 - row, col) for row, col in points} == set(points)


@pytest.mark.parametrize(("name", "first_bytes"), [("board.png", b"\x89PNG"), ("board.svg", b"<?xml")])
def test_a_diagram_is_written_in_the_format_of_its_suffix(name, first_bytes, tmp_path):
    pytest.importorskip("matplotlib")
    position, _ = draw(ATARI)
    heatmap = np.zeros((4, 4))
    heatmap[3, 3] = 0.7
    labels = {position.legal_points()[0]: "$5"}
    diagrams.save_diagram(position, tmp_path / name, heatmap, labels, "a $ that is no formula")
    assert (tmp_path / name).read_bytes().startswith(first_bytes)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_board_shows_stones_and_heat_map():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    position, _ = draw(ATARI)
    heatmap = np.zeros((4, 4))
    heatmap[3, 2] = 1
    diagrams.draw_board(axes, position, heatmap)
    stones = [patch for patch in axes.patches if hasattr(patch, "center")]
    black = {patch.center[::-1] for patch in stones if patch.get_facecolor()[0] == 0}
    warm = [patch.get_xy() for patch in axes.patches if patch not in stones]
    assert black == {(0, 1), (1, 0), (2, 1)}
    assert warm == [(1.5, 2.5)]
