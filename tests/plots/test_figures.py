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
