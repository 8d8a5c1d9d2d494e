"""A log for TensorBoard, of training and of self-play, on either backend.

TensorBoard's own writer of records makes it: tensorflow.summary, and TensorBoard's EventFileWriter where TensorFlow is
installed, would load TensorFlow in addition to JAX.
"""
import importlib.util
import os
import socket
import time
from pathlib import Path
from typing import Any




class TensorBoardLog:
    """Scalars in a file of the folder, which is made by the first of them; nothing without TensorBoard."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._records: Any = None

    def write(self, group: str, numbers: dict[str, float], step: int) -> None:
        """Add points to the curves GROUP/NAME.  step: games or positions, where they are on the horizontal axis."""
        if not importlib.util.find_spec("tensorboard"):
            return
        from tensorboard.compat.proto.summary_pb2 import Summary

        if self._records is None:
            self._open()
        points = [Summary.Value(tag=f"{group}/{name}", simple_value=value) for name, value in numbers.items()]
        self._add(step=step, summary=Summary(value=points))

    def _open(self) -> None:
        """Begin a new file, whose first record is the version of its format."""
        from tensorboard.summary.writer.record_writer import RecordWriter

        self._folder.mkdir(parents=True, exist_ok=True)
        # TensorBoard finds a file by this name.
        file = open(self._folder / f"events.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}", "ab")
        self._records = RecordWriter(file)
        self._add(file_version="brain.Event:2")

    def _add(self, **fields: Any) -> None:
        """Write an event with these fields, and the time."""
        from tensorboard.compat.proto.event_pb2 import Event

        self._records.write(Event(wall_time=time.time(), **fields).SerializeToString())
        self._records.flush()
