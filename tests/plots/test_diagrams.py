"""Board diagrams: the artists on the axes have the positions of the stones, values and labels."""
import numpy as np
import pytest
from drawing import draw

from mugo.games import planes
from mugo.games.game import encode
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


def test_vmax_is_the_value_of_the_full_red():
    Figure = pytest.importorskip("matplotlib.figure").Figure
    position, _ = draw(ATARI)
    heatmap = np.zeros((4, 4))
    heatmap[3, 2] = 0.2

    def red(**options) -> float:
        axes = Figure().subplots()
        diagrams.draw_board(axes, position, heatmap, **options)
        return next(patch.get_alpha() for patch in axes.patches if patch.get_alpha())

    assert red() == red(vmax=0.2) == red(vmax=0.1) == pytest.approx(4 * red(vmax=0.8))


def test_marked_points_have_a_ring_and_ownership_squares_grow_with_certainty():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    position, _ = draw(ATARI)
    ownership = np.zeros((4, 4))
    ownership[0, 3], ownership[3, 0] = 1, -0.5
    diagrams.draw_board(axes, position, marked=[position.legal_points()[0]], ownership=ownership)
    squares = [patch for patch in axes.patches if not hasattr(patch, "center") and patch.get_width() > 0]
    assert {(patch.get_xy(), patch.get_width(), patch.get_facecolor()[0]) for patch in squares} == {
        ((2.75, -0.25), 0.5, 0), ((-0.125, 2.875), 0.25, 1)}
    assert sum(patch.get_edgecolor()[1] > 0.4 and not patch.get_fill() for patch in axes.patches) == 1


def test_every_plane_is_drawn_with_its_points():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    position, _ = draw(ATARI)
    shown = planes.unpack(encode([position]))[0]
    diagrams.draw_planes(figure, shown, position)
    pictures = [axes for row in figure.subfigs for axes in row.axes]
    assert len(pictures) == planes.DEPTH
    lit = [len(collection.get_paths()) for axes in pictures for collection in axes.collections[2:]]
    assert sorted(lit) == sorted(shown.sum((0, 1)).tolist())
