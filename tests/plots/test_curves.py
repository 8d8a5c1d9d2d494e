"""Training curves and the progress of self-play; the log for TensorBoard, which TensorBoard reads."""
import subprocess
import sys

import numpy as np
import pytest

from mugo.plots import curves
from mugo.plots.figures import save_figure


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("heads", [[], ["value_mse"], ["value_mse", "ownership_accuracy", "score_error"]])
def test_a_training_curve_is_drawn_from_the_first_checkpoint_on(rows, heads, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(curves, "save_figure", lambda figure, path: (drawn.append(figure), save_figure(figure, path)))
    names = ["ce", "top1", "top5", *heads]
    history = [{"positions": 1000 * k} | {prefix + name: (i + 1) / (k + 1) for i, name in enumerate(names)
                                          for prefix in ("", "validation_")} for k in range(1, rows + 1)]
    curves.training_curve(history, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    panels = drawn[0].axes[2:]
    assert [axes.get_ylabel() for axes in panels] == [curves.HEADS[name][0] for name in heads]
    for i, (name, axes) in enumerate(zip(heads, panels, strict=True)):
        expected = [curves.HEADS[name][1] * (4 + i) / (k + 1) for k in range(1, rows + 1)]
        assert [list(line.get_ydata()) for line in axes.lines] == [pytest.approx(expected)] * 2


def test_arena_results_have_a_line_for_each_opponent_and_whiskers_that_stay_between_0_and_100():
    axes = pytest.importorskip("matplotlib.figure").Figure().subplots()
    uct, best = {"opponent": "UCT", "simulations": 1000}, {"opponent": "the best so far", "simulations": 0}
    curves.draw_arena(axes, [uct | {"games": 64, "wins": 0, "draws": 0, "losses": 20},
                              best | {"games": 128, "wins": 10, "draws": 2, "losses": 8},
                              uct | {"games": 128, "wins": 20, "draws": 0, "losses": 0}])
    lines = {bar.get_label(): bar.lines for bar in axes.containers}
    assert list(lines) == ["against UCT", "against the best so far"]
    (points, ends, _), (second, _, _) = lines.values()
    assert points.get_xydata().tolist() == [[64, 0], [128, 100]]
    assert second.get_xydata() == pytest.approx(np.array([[128, 55]]))
    low, high = (end.get_ydata() for end in ends)
    assert low == pytest.approx([0, 83.9], abs=0.1) and high == pytest.approx([16.1, 100], abs=0.1)


def test_a_moving_average_is_over_the_last_twentieth():
    assert curves.moving_average([3.0, 5.0]).tolist() == [3, 5]
    values = np.arange(40.0)
    assert curves.moving_average(values)[0] == 0 and np.allclose(curves.moving_average(values)[1:], values[1:] - 0.5)


def test_points_are_written_without_tensorflow(tmp_path):
    """As on JAX, where it may not be installed; and a run that is resumed writes another file."""
    pytest.importorskip("tensorboard")
    program = ("import sys; sys.modules['tensorflow'] = None\nfrom pathlib import Path\n"
               "from mugo.plots.curves import TensorBoardLog\n"
               "folder = Path(sys.argv[1])\nlog = TensorBoardLog(folder)\n"
               "assert len(list(folder.glob('*'))) == int(sys.argv[2])\n"
               "log.write('training', {'loss': 2.5, 'ce': 1.5}, 128)\nlog.write('training', {'loss': 2.25}, 10 ** 9)")
    for files in range(2):
        subprocess.run([sys.executable, "-c", program, tmp_path / "tensorboard", str(files)], check=True)
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.util.tensor_util import make_ndarray

    files = list((tmp_path / "tensorboard").iterdir())
    assert len(files) == 2
    for file in files:
        points = [(value.tag, event.step, float(make_ndarray(value.tensor)))
                  for event in EventFileLoader(str(file)).Load() for value in event.summary.value]
        assert points == [("training/loss", 128, 2.5), ("training/ce", 128, 1.5), ("training/loss", 10 ** 9, 2.25)]
