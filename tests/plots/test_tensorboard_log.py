"""The log for TensorBoard: what is written is read by TensorBoard, and TensorFlow takes no part."""
import subprocess
import sys

import pytest

pytest.importorskip("tensorboard")


def test_points_are_written_without_tensorflow(tmp_path):
    """As on JAX, where it may not be installed; and a run that is resumed writes another file."""
    program = ("import sys; sys.modules['tensorflow'] = None\nfrom pathlib import Path\n"
               "from mugo.plots.tensorboard_log import TensorBoardLog\n"
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
