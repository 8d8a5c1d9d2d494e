"""A running program behind pipes.

    write(data) --> stdin | program | stdout --reader thread--> lines
                          |         | stderr --> log file; its last lines explain a crash

It runs in a process group of its own, so that Ctrl-C does not reach it; `close` ends it with its child processes.
"""
import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

QUIT_TIMEOUT = 3                         # seconds between the end of stdin and SIGKILL
MAX_QUEUED_LINES = 64                    # that a program has written and nobody has asked for yet


class Program:
    """words: the command line.  max_line_bytes: a longer line comes in pieces, the first of them one byte longer.  log:
    a file that stderr is appended to.  Raises OSError if it cannot be started.

    lines: queue of what it writes to stdout; b"" at its end.
    """

    def __init__(self, words: Sequence[str], max_line_bytes: int, environment: Mapping[str, str] | None = None,
                 log: Path | None = None):
        self.lines: queue.Queue[bytes] = queue.Queue()
        self._max_line_bytes, self._is_closed = max_line_bytes, False
        self._last_errors: deque[str] = deque(maxlen=3)
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         env=environment, start_new_session=True)
        self._readers = [threading.Thread(target=self._read_stdout, daemon=True),
                         threading.Thread(target=self._read_stderr, args=[log], daemon=True)]
        for thread in self._readers:
            thread.start()

    def write(self, data: bytes) -> None:
        """Write to stdin.  Raises OSError or ValueError where that is closed."""
        assert self._process.stdin
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def _read_stdout(self) -> None:
        assert self._process.stdout
        with self._process.stdout as out:
            while line := out.readline(self._max_line_bytes + 1):
                self.lines.put(line)
                while self.lines.qsize() > MAX_QUEUED_LINES and not self._is_closed:
                    time.sleep(0.001)    # the pipe fills, and the program has to wait
        self.lines.put(b"")

    def _read_stderr(self, log: Path | None) -> None:
        """A log that cannot be written lacks lines: what the program writes has to be read in any case."""
        assert self._process.stderr
        with self._process.stderr as errors:
            while line := errors.readline(self._max_line_bytes):
                if log is not None:
                    with contextlib.suppress(OSError), open(log, "ab") as file:
                        file.write(line)
                if text := one_line(line):
                    self._last_errors.append(text)

    def how_it_ended(self, where: str = "") -> str:
        """'ended with status 1: its last lines on stderr', after its output has ended; where: follows the status."""
        self.lines.put(b"")              # so that who reads next is told too
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._readers[1].join(1)
        status = self._process.poll()
        event = "closed its output" if status is None else f"ended with status {status}"
        return event + where + (f": {' / '.join(self._last_errors)}" if self._last_errors else "")

    def close(self, last_words: bytes = b"", force: bool = False) -> None:
        """End it and its child processes: these words, the end of stdin and, after QUIT_TIMEOUT, SIGKILL.  force:
        SIGKILL at once."""
        assert self._process.stdin
        if not force:
            with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
                self._process.stdin.write(last_words)
                self._process.stdin.close()
                self._process.wait(QUIT_TIMEOUT)
        self._is_closed = True
        if os.name == "nt":
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(self._process.pid)], capture_output=True)
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.lines.put(b"")              # ends a wait in another thread
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        for thread in self._readers:
            thread.join(1)


def one_line(raw: bytes) -> str:
    """At most 200 printable characters of what a program wrote, without line breaks."""
    text = " ".join(raw[:2000].decode("utf-8", "replace").split())
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:200]
