"""Lines of input, read in a thread: a command that is under way can ask whether another line has arrived.

    stdin --read_lines--> lines --LineReader--> one line at a time; has_line() and is_interrupted() look ahead

That is how a new command ends `kata-analyze`, and `# interrupt` ends a search (gogui-interrupt,
https://github.com/Remi-Coulom/gogui/blob/master/doc/manual/xml/interrupt.xml).
"""
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from mugo.gtp.protocol import remove_control_characters

INTERRUPT = "# interrupt"                  # the comment line that GoGui sends
MAX_LINE_BYTES = 1 << 16                   # the longest useful line, set_free_handicap, has 1.5 kB


class LineReader:
    """Iterates over lines of input, read ahead by a thread.

    is_abandoned: whether nobody reads the replies any more; a search under way then ends.
    """

    def __init__(self, source: Iterable[str], is_abandoned: Callable[[], bool] = lambda: False):
        self._is_abandoned = is_abandoned
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
        """Whether one of the lines that have arrived is INTERRUPT, or nobody reads the replies."""
        with self._changed:
            interrupted = any(remove_control_characters(line).strip() == INTERRUPT for line in self._unread)
        return interrupted or self._is_abandoned()


def read_lines(descriptor: int) -> Iterator[str]:
    """The lines of an open file, by its descriptor; of a longer line the first MAX_LINE_BYTES + 1 bytes.

    Only a newline ends a line; bytes that are not UTF-8 become surrogates.  It does without the buffer of sys.stdin:
    a thread that waits for that buffer when the process ends stops the process with an error.
    """
    line = b""
    while chunk := os.read(descriptor, 1 << 16):
        first, *others = chunk.split(b"\n")
        line += first[:MAX_LINE_BYTES + 1 - len(line)]
        for other in others:
            yield line.decode("utf-8", "surrogateescape")
            line = other[:MAX_LINE_BYTES + 1]
    if line:
        yield line.decode("utf-8", "surrogateescape")


def is_pipe_closed(descriptor: int) -> bool:
    """Whether nobody reads from the pipe or socket that this descriptor writes to; False on Windows."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(descriptor, 0)                         # errors are always reported
    return any(event & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, event in poll.poll(0))
