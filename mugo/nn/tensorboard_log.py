"""A log for TensorBoard, of training and of self-play."""
import importlib.util
from pathlib import Path
from typing import Any

from mugo.nn.backend import keras


class TensorBoardLog:
    """Scalars in a file of the folder; nothing without TensorFlow or TensorBoard."""

    def __init__(self, folder: Path):
        self._writer: Any = None
        if keras.backend.backend() == "tensorflow" and importlib.util.find_spec("tensorboard"):
            import tensorflow
            self._writer = tensorflow.summary.create_file_writer(str(folder))

    def write(self, group: str, numbers: dict[str, float], step: int) -> None:
        """Add points to the curves GROUP/NAME.  step: games or positions, where they are on the horizontal axis."""
        if self._writer is None:
            return
        import tensorflow
        with self._writer.as_default():
            for name, value in numbers.items():
                tensorflow.summary.scalar(f"{group}/{name}", value, step=step)
        self._writer.flush()
