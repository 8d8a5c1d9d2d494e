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
