"""Charts: the artists on the axes have the positions of the data."""
import pytest

from mugo.plots import charts


def test_the_bars_of_several_series_are_stacked():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    charts.stacked_bars(axes, ["a", "b"], {"low": [1, 2], "high": [3, 5]}, "title", ("red", "blue"), ["x", "y"])
    low, high = axes.containers
    assert [bar.get_y() for bar in low] == [0, 0]
    assert [(bar.get_y(), bar.get_height()) for bar in high] == [(1, 3), (2, 5)]
    assert [text.get_position() for text in axes.texts] == [(0, 4), (1, 7)]


def test_in_a_tree_children_are_to_the_right_of_their_parent_and_one_below_the_other():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    charts.tree_diagram(axes, ("root", [(0.7, ("a", [(0.5, ("c", []))])), (0.3, ("b", []))]))
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert places == {"root": (0, 0.5), "a": (1, 0), "b": (1, 1), "c": (2, 0)}
    assert len(axes.lines) == 3
