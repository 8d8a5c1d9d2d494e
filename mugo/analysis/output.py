"""Lines of output, written by a thread of their own: who sends one need not wait until the client reads it.

    AnalysisEngine -- put --> [line line ...] -- thread --> out
"""
import threading
from collections import deque
from collections.abc import Callable
from typing import TextIO


class LineWriter:
    """Writes lines to `out`, in the order of `put`, and flushes each.

    on_error: called with the OSError or ValueError of the line that could not be written; no more are written then.
    """

    def __init__(self, out: TextIO, on_error: Callable[[Exception], object]):
        self._out, self._on_error = out, on_error
        self._lines: deque[str] = deque()
        self._length = 0                                 # characters of the lines that are not written yet
        self._closed = self._dropped = self._is_stalled = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True, name="output")
        self._thread.start()

    def put(self, line: str, most: int) -> None:
        """Write a line, once fewer than `most` characters wait to be written."""
        with self._changed:
            self._changed.wait_for(lambda: self._length < most or self._dropped)
            if not self._dropped:
                self._lines.append(line)
                self._length += len(line)
                self._changed.notify_all()

    def flush(self, seconds: float) -> None:
        """Wait until all lines are written or dropped, at most so long; not at all while the client reads nothing."""
        with self._changed:
            if not self._is_stalled:
                self._is_stalled = not self._changed.wait_for(lambda: not self._length or self._dropped, seconds)

    def drop(self) -> None:
        """Write no more lines, those that wait included."""
        with self._changed:
            self._dropped = True
            self._lines.clear()
            self._changed.notify_all()

    def close(self) -> None:
        """Wait until all lines are written or dropped."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._closed or self._dropped)
                if not self._lines:
                    return
                line = self._lines.popleft()
            try:
                self._out.write(line)
                self._out.flush()
            except (OSError, ValueError) as error:       # the client has closed its end, or the disk is full
                self._on_error(error)
                self.drop()
            with self._changed:
                self._length -= len(line)
                self._is_stalled = False
                self._changed.notify_all()
