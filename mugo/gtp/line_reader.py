"""Lines of input, read in a thread: a command that is under way can ask whether another line has arrived.

    stdin --read_lines--> lines --LineReader--> one line at a time; has_line() and is_interrupted() look ahead

That is how a new command ends `kata-analyze`, and `# interrupt` ends a search (gogui-interrupt,
https://github.com/Remi-Coulom/gogui/blob/master/doc/manual/xml/interrupt.xml).
"""
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator

from mugo.gtp.protocol import remove_control_characters

INTERRUPT = "# interrupt"                  # the comment line that GoGui sends


class LineReader:
    """Iterates over lines of input, read ahead by a thread."""

    def __init__(self, source: Iterable[str]):
        self._unread: deque[str] = deque()
        self._ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=[source], daemon=True, name="input").start()

    def _read(self, source: Iterable[str]) -> None:
        try:
            for line in source:
                with self._changed:
                    self._unread.append(line)
                    self._changed.notify()
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify()

    def __iter__(self) -> Iterator[str]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unread or self._ended)
                if not self._unread:
                    return
                line = self._unread.popleft()
            yield line

    def has_line(self) -> bool:
        """Whether another line has arrived, or the input has ended."""
        with self._changed:
            return bool(self._unread) or self._ended

    def is_interrupted(self) -> bool:
        """Whether one of the lines that have arrived is INTERRUPT."""
        with self._changed:
            return any(remove_control_characters(line).strip() == INTERRUPT for line in self._unread)


def read_lines(descriptor: int) -> Iterator[str]:
    """The lines of an open file, by its descriptor.

    Only a newline ends a line; bytes that are not UTF-8 become surrogates.  It does without the buffer of sys.stdin:
    a thread that waits for that buffer when the process ends stops the process with an error.
    """
    parts: list[bytes] = []
    while chunk := os.read(descriptor, 1 << 16):
        first, *others = chunk.split(b"\n")
        parts.append(first)
        for other in others:
            yield b"".join(parts).decode("utf-8", "surrogateescape")
            parts = [other]
    if any(parts):
        yield b"".join(parts).decode("utf-8", "surrogateescape")
