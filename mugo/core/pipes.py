"""Pipes to other programs: lines of a bounded length, and whether anybody reads at the other end."""
import os
import select
from collections.abc import Iterator


def read_lines(descriptor: int, max_bytes: int) -> Iterator[str]:
    """The lines of an open file, by its descriptor; of a longer line the first max_bytes + 1 bytes.

    Only a newline ends a line; bytes that are not UTF-8 become surrogates.  It does without the buffer of sys.stdin:
    a thread that waits for that buffer when the process ends stops the process with an error.
    """
    line = b""
    while chunk := os.read(descriptor, 1 << 16):
        first, *others = chunk.split(b"\n")
        line += first[:max_bytes + 1 - len(line)]
        for other in others:
            yield line.decode("utf-8", "surrogateescape")
            line = other[:max_bytes + 1]
    if line:
        yield line.decode("utf-8", "surrogateescape")


def is_pipe_closed(descriptor: int) -> bool:
    """Whether nobody reads from the pipe or socket that this descriptor writes to; False on Windows."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(descriptor, 0)                         # errors are always reported
    return any(event & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, event in poll.poll(0))
