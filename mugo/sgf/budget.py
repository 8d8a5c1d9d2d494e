"""What reading one file may cost: bytes unpacked and seconds, for it and everything inside it.

An archive of 12 kB can contain petabytes: archives in archives, or many directory entries for the same data (Fifield
2019, "A better zip bomb").  Limits on single members do not add up to a limit on the whole; this one does.
"""
import io
import time
from typing import IO

BYTES_PER_BYTE = 100                # unpacked bytes for each byte of the file; SGF compresses 2 to 5 times
LEAST_BYTES = 256 << 20             # unpacked bytes that any file may cost
MEMBER_BYTES = 256                  # what a member of an archive costs in addition to its content
GAME_COST = 4096                    # bytes that a game of a large SGF file costs: it is parsed as well
UNCOUNTED_BYTES = 4 << 20           # of SGF: in a smaller file games cost nothing more
SECONDS_PER_MB = 10                 # of reading, for each MB of the file
LEAST_SECONDS = 120                 # of reading that any file may cost
PIECE = 1 << 18                     # bytes read at once
MAX_READS_AT_END = 10


class BudgetSpentError(Exception):
    """A file costs more than its Budget; one line, without the name of the file."""


class Budget:
    """The bytes and the seconds that one file of `size` bytes may cost.  Time runs but for `pause` to `go_on`."""

    def __init__(self, size: int):
        self._bytes_left = LEAST_BYTES + BYTES_PER_BYTE * size
        self._limits = self._bytes_left, LEAST_SECONDS + SECONDS_PER_MB * (size / (1 << 20))
        self._seconds = 0.0              # until the last pause
        self._started = time.perf_counter()

    def pause(self) -> None:
        """Stop the time."""
        self._seconds += time.perf_counter() - self._started

    def go_on(self) -> None:
        """Let the time run again."""
        self._started = time.perf_counter()

    def spend(self, n_bytes: int) -> None:
        """Raises BudgetSpentError when no bytes or no time are left."""
        self._bytes_left -= n_bytes
        if self._bytes_left < 0:
            raise BudgetSpentError(f"it unpacks to more than {self._limits[0] >> 20} MB, the limit for a file of this "
                                   "size; what follows was not read")
        if self._seconds + time.perf_counter() - self._started > self._limits[1]:
            raise BudgetSpentError(f"reading it takes more than {self._limits[1]:.0f} seconds, the limit for a file of "
                                   "this size; what follows was not read")


class MeteredStream(io.RawIOBase):
    """A stream of unpacked bytes that spends a budget.

    end: bytes that may be read before ValueError; None without such a limit.
    """

    def __init__(self, stream: IO[bytes] | io.BufferedIOBase, budget: Budget):
        super().__init__()
        self._stream = stream
        self._budget = budget
        self._reads_at_end = 0
        self.position = 0
        self.end: int | None = None

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes, and what is there: before a damaged part it returns fewer.

        Raises ValueError when it is read again and again at its end: tarfile seeks by reading, to whatever place a
        header states.
        """
        if self.end is not None and self.position + max(size, 0) > self.end:
            raise ValueError("damaged: a header is larger than any program writes")
        read = getattr(self._stream, "read1", self._stream.read)
        data = read(PIECE if size < 0 else min(size, PIECE))
        self._budget.spend(len(data))
        self.position += len(data)
        self._reads_at_end += not data
        if self._reads_at_end > MAX_READS_AT_END:
            raise ValueError("damaged or truncated: unexpected end of data")
        return data


def read_up_to(stream: MeteredStream, limit: int) -> bytes:
    """The stream, or its next `limit` bytes."""
    pieces, left = [], limit
    while left > 0 and (data := stream.read(min(left, PIECE))):
        pieces.append(data)
        left -= len(data)
    return b"".join(pieces)
