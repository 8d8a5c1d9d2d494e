"""Writing pictures: formats, matplotlib optional and imported late; charts: where the artists are."""
import pytest

from mugo.core.files import BadInput
from mugo.plots import figures


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(BadInput, match=r"\.png"):
        figures.save_charts(tmp_path / "page.doc", 1, 1, lambda axes: None)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(figures, "has_matplotlib", lambda: False)
    with pytest.raises(BadInput, match="pip install"):
        figures.new_figure((4, 3))


def test_the_bars_of_several_series_are_stacked():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    figures.stacked_bars(axes, ["a", "b"], {"low": [1, 2], "high": [3, 5]}, "title", ("red", "blue"), ["x", "y"])
    low, high = axes.containers
    assert [bar.get_y() for bar in low] == [0, 0]
    assert [(bar.get_y(), bar.get_height()) for bar in high] == [(1, 3), (2, 5)]
    assert [text.get_position() for text in axes.texts] == [(0, 4), (1, 7)]
