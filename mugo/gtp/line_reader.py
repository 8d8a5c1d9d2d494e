"""Lines of input, read in a thread: a command that is under way can ask whether another line has arrived.

    stdin --read_lines--> lines --LineReader--> one line at a time; has_line() and is_interrupted() look ahead

That is how a new command ends `kata-analyze`, and `# interrupt` ends a search (gogui-interrupt,
https://github.com/Remi-Coulom/gogui/blob/master/doc/manual/xml/interrupt.xml).
"""
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from mugo.gtp.protocol import remove_control_characters

INTERRUPT = "# interrupt"                  # the comment line that GoGui sends
MAX_LINE_BYTES = 1 << 16                   # the longest useful line, set_free_handicap, has 1.5 kB
MAX_UNREAD = 1 << 20                       # characters of lines that are read ahead


class LineReader:
    """Iterates over lines of input, read ahead by a thread.

    is_abandoned: whether nobody reads the replies any more; a search under way then ends.
    """

    def __init__(self, source: Iterable[str], is_abandoned: Callable[[], bool] = lambda: False):
        self._is_abandoned = is_abandoned
        self._unread: deque[str] = deque()
        self._unread_length = self._interrupts = 0       # characters, and INTERRUPT lines, in _unread
        self._ended = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, args=[source], daemon=True, name="input").start()

    def _read(self, source: Iterable[str]) -> None:
        try:
            for line in source:
                with self._changed:
                    self._changed.wait_for(lambda: self._unread_length < MAX_UNREAD)
                    self._count(line, 1)
                    self._unread.append(line)
                    self._changed.notify()
        except OSError:                    # a terminal that was closed: the input has ended
            pass
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
                self._count(line, -1)
                self._changed.notify()
            yield line

    def _count(self, line: str, change: int) -> None:
        """Count a line that is added to the unread ones (change 1) or taken from them (-1)."""
        self._unread_length += change * (len(line) + 1)
        self._interrupts += change * (remove_control_characters(line).strip() == INTERRUPT)

    def has_line(self) -> bool:
        """Whether another line has arrived, or the input has ended."""
        with self._changed:
            return bool(self._unread) or self._ended

    def is_interrupted(self) -> bool:
        """Whether one of the lines that have arrived is INTERRUPT, or nobody reads the replies."""
        return self._interrupts > 0 or self._is_abandoned()
