"""Tables are checked to the letter; of pictures, that they are whole, and show what they are given."""
import subprocess
import sys

import numpy as np
import pytest
from drawing import draw

from mugo.files import BadInput
from mugo.games import planes
from mugo.plots import curves, diagrams

ATARI = """
    . X . .
    X O . .
    . X . .
    . . . .
"""


def test_a_table_is_flush_left_and_then_right():
    assert diagrams.table([["komi", "games"], ["6.5", "10"], ["0.5", "1,234"]]) == [
        "komi  games",
        "6.5      10",
        "0.5   1,234",
    ]


def test_chinese_names_take_two_columns_each():
    assert diagrams.table([["古力", "1"], ["Go", "12"], ["이세돌", "3"]]) == [
        "古力     1",
        "Go      12",
        "이세돌   3",
    ]


def test_an_accent_of_its_own_takes_no_column():
    assert diagrams.width("e\u0301") == 1


def test_blocks_stand_beside_each_other():
    assert diagrams.beside([["ab", "c"], [], ["x", "y", "z"]], gap=1) == ["ab  x", "c   y", "    z"]


def test_a_text_is_cut_to_the_columns_there_are():
    assert diagrams.printable("古力古力", 8) == "古力古力"
    assert diagrams.printable("古力古力", 7) == "古力古…"
    assert diagrams.printable("tab\there", 20) == "tab?here"


@pytest.mark.parametrize(("size", "count"), [(19, 9), (13, 9), (9, 5), (8, 4), (5, 1), (2, 0)])
def test_star_points_lie_as_they_are_printed(size, count):
    points = diagrams.star_points(size)
    assert len(set(points)) == len(points) == count
    assert {(size - 1 - row, col) for row, col in points} == set(points)


@pytest.mark.parametrize(("name", "begins"), [("board.png", b"\x89PNG"), ("board.svg", b"<?xml")])
def test_a_board_is_written_in_the_format_of_its_name(name, begins, tmp_path):
    pytest.importorskip("matplotlib")
    position, _ = draw(ATARI)
    heat = np.zeros((4, 4))
    heat[3, 3] = 0.7
    labels = {position.legal_points()[0]: "$5"}
    diagrams.board_picture(position, tmp_path / name, heat, labels, "a $ and no formula")
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_board_shows_its_stones_and_its_heat():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    position, _ = draw(ATARI)
    heat = np.zeros((4, 4))
    heat[3, 2] = 1
    diagrams.draw_board(axes, position, heat)
    stones = [patch for patch in axes.patches if hasattr(patch, "center")]
    black = {patch.center[::-1] for patch in stones if patch.get_facecolor()[0] == 0}
    warm = [patch.get_xy() for patch in axes.patches if patch not in stones]
    assert black == {(0, 1), (1, 0), (2, 1)}
    assert warm == [(1.5, 2.5)]


def test_boards_whose_heat_has_the_same_top_can_be_compared():
    Figure = pytest.importorskip("matplotlib.figure").Figure
    position, _ = draw(ATARI)
    heat = np.zeros((4, 4))
    heat[3, 2] = 0.2

    def red(**options) -> float:
        axes = Figure().subplots()
        diagrams.draw_board(axes, position, heat, **options)
        return next(patch.get_alpha() for patch in axes.patches if patch.get_alpha())

    assert red() == red(top=0.2) == red(top=0.1) == pytest.approx(4 * red(top=0.8))


def test_points_are_marked_and_the_larger_a_square_the_surer_its_owner():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    position, _ = draw(ATARI)
    ownership = np.zeros((4, 4))
    ownership[0, 3], ownership[3, 0] = 1, -0.5
    diagrams.draw_board(axes, position, marked=[position.legal_points()[0]], ownership=ownership)
    squares = [patch for patch in axes.patches if not hasattr(patch, "center") and patch.get_width() > 0]
    assert {(patch.get_xy(), patch.get_width(), patch.get_facecolor()[0]) for patch in squares} == {
        ((2.75, -0.25), 0.5, 0), ((-0.125, 2.875), 0.25, 1)}
    assert sum(patch.get_edgecolor()[1] > 0.4 and not patch.get_fill() for patch in axes.patches) == 1


def test_every_plane_of_a_position_gets_a_picture():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    position, _ = draw(ATARI)
    shown = planes.unpack(planes.encode([position]))[0]
    diagrams.draw_planes(figure, shown, position)
    pictures = [axes for row in figure.subfigs for axes in row.axes]
    assert len(pictures) == planes.DEPTH
    lit = [len(collection.get_paths()) for axes in pictures for collection in axes.collections[2:]]
    assert sorted(lit) == sorted(shown.sum((0, 1)).tolist())


def test_a_tree_puts_children_after_their_parent_and_one_under_the_other():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    diagrams.draw_tree(axes, ("root", [(0.7, ("a", [(0.5, ("c", []))])), (0.3, ("b", []))]))
    at = {text.get_text(): text.get_position() for text in axes.texts}
    assert at == {"root": (0, 0.5), "a": (1, 0), "b": (1, 1), "c": (2, 0)}
    assert len(axes.lines) == 3


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("has_value", [False, True])
def test_a_training_curve_is_drawn_from_the_first_round_on(rows, has_value, tmp_path):
    pytest.importorskip("matplotlib")
    names = ["ce", "validation_ce", "top1", "validation_top1", "top5", "validation_top5"]
    names += ["value_error", "validation_value_error"] if has_value else []
    history = [{"positions": 1000 * k} | dict.fromkeys(names, 1 / (k + 1)) for k in range(1, rows + 1)]
    curves.training_curve(history, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_trials_have_a_line_for_each_opponent_and_whiskers_that_stay_between_0_and_100():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    uct, best = {"opponent": "UCT", "simulations": 1000}, {"opponent": "the best so far", "simulations": 0}
    curves.draw_trials(axes, [uct | {"games": 64, "wins": 0, "draws": 0, "losses": 20},
                              best | {"games": 128, "wins": 10, "draws": 2, "losses": 8},
                              uct | {"games": 128, "wins": 20, "draws": 0, "losses": 0}])
    lines = {bar.get_label(): bar.lines for bar in axes.containers}
    assert list(lines) == ["against UCT", "against the best so far"]
    (points, ends, _), (second, _, _) = lines.values()
    assert points.get_xydata().tolist() == [[64, 0], [128, 100]]
    assert second.get_xydata() == pytest.approx(np.array([[128, 55]]))
    low, high = (end.get_ydata() for end in ends)
    assert low == pytest.approx([0, 83.9], abs=0.1) and high == pytest.approx([16.1, 100], abs=0.1)


def test_bars_stand_one_on_the_other():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    diagrams.bars(axes, ["a", "b"], {"low": [1, 2], "high": [3, 5]}, "title", ("red", "blue"), ["x", "y"])
    low, high = axes.containers
    assert [bar.get_y() for bar in low] == [0, 0]
    assert [(bar.get_y(), bar.get_height()) for bar in high] == [(1, 3), (2, 5)]
    assert [text.get_position() for text in axes.texts] == [(0, 4), (1, 7)]


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(BadInput, match=r"\.png"):
        diagrams.chart(tmp_path / "page.doc", 1, 1, lambda axes: None)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_a_picture_is_refused_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(diagrams, "can_draw", lambda: False)
    with pytest.raises(BadInput, match="pip install"):
        diagrams.board_picture(draw(ATARI)[0], tmp_path / "board.png")


def test_matplotlib_is_imported_for_pictures_only():
    code = "import sys, mugo.plots.diagrams; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_a_moving_average_is_over_the_last_twentieth():
    assert curves.moving_average([3.0, 5.0]).tolist() == [3, 5]
    values = np.arange(40.0)
    assert curves.moving_average(values)[0] == 0 and np.allclose(curves.moving_average(values)[1:], values[1:] - 0.5)
