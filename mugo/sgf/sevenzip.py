"""Read .7z archives: the members in order, in one pass, whatever a header claims in bounded memory.

    signature header   32 bytes: where the header is, its size and checksum
    packed streams     blocks; a solid block has many members, one behind the other
    header             blocks, sizes, checksums, names, each a list of its own; or, packed, how it is unpacked

The unpacked header stays in memory as bytes, about 64 for each member (sevenzip_header.py).
"""
import functools
import io
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from mugo.sgf.budget import MEMBER_BYTES, PIECE, Budget
from mugo.sgf.sevenzip_blocks import Block, StreamReader
from mugo.sgf.sevenzip_header import Cursor, Streams, has_bit, read_files, read_streams

LEAST_HEADER_BYTES = 16 << 20       # unpacked, of any archive; one of 250,000 files
HEADER_BYTES_PER_BYTE = 2           # more of them, for each byte of the archive; a real one has 0.02 to 0.3
_PACKED_HEADER = 0x17


class Member(NamedTuple):
    """A file in an archive.  open: a stream of its `size` bytes, until the next member is asked for."""

    name: str
    size: int
    open: Callable[[], Any]


def read_members(file: BinaryIO, budget: Budget) -> Iterator[Member]:
    """The files of an open .7z in order, without its folders, which spend the budget.  Members that are not opened are
    unpacked only where one behind them in their block is, and then they spend it too.

    Raises ValueError, one line, for a damaged archive and for one that cannot be unpacked in pieces.
    """
    header = _unpacked_header(file, budget)
    if not header:                                       # an empty archive has none
        return
    files = read_files(Cursor(header))
    budget.spend(0)
    streams = _streams(file, files.streams, budget)
    empty = 0                                            # files without a stream
    for number in range(files.count):
        name = files.names.name()
        if not has_bit(files.empty_streams, number):
            if (stream := next(streams, None)) is None:
                raise ValueError("damaged: its header names more files than it has")
            yield stream._replace(name=name)
        else:
            if has_bit(files.empty_files, empty):
                yield Member(name, 0, io.BytesIO)
            else:                                        # a folder
                budget.spend(MEMBER_BYTES)
            empty += 1
    if next(streams, None) is not None:
        raise ValueError("damaged: its header names fewer files than it has")


def _streams(file: BinaryIO, lists: Streams, budget: Budget) -> Iterator[Member]:
    """The streams of all folders, in order, without names."""
    at = 32 + lists.offset
    for folder in lists.folders:
        budget.spend(0)
        size = [next(lists.unpacked_sizes) for _ in range(folder.outputs)][folder.main]
        packed_size = sum(next(lists.packed_sizes) for _ in range(folder.packed_streams))
        block = Block(file, at, packed_size, folder.coders, size, budget)
        at = block.end
        position, count, checksum = 0, next(lists.num_streams), next(lists.checksums)
        for number in range(count):
            of_stream = size - position if number == count - 1 else next(lists.sizes)
            crc = checksum if count == 1 and checksum is not None else next(lists.stream_checksums)
            if not 0 <= of_stream <= size - position:
                raise ValueError("damaged: its header has sizes that do not add up")
            yield Member("", of_stream, functools.partial(StreamReader, block, position, of_stream, crc))
            position += of_stream


def _unpacked_header(file: BinaryIO, budget: Budget) -> bytes | bytearray:
    """The header as it is read: b'' of an empty archive.  Raises ValueError."""
    file_size = file.seek(0, io.SEEK_END)
    file.seek(0)
    start = file.read(32)
    offset, size = int.from_bytes(start[12:20], "little"), int.from_bytes(start[20:28], "little")
    if len(start) < 32 or zlib.crc32(start[12:]) != int.from_bytes(start[8:12], "little"):
        raise ValueError("damaged or truncated: its first 32 bytes")
    if 32 + offset + size > file_size:
        raise ValueError("damaged or truncated: its header is missing")
    file.seek(32 + offset)
    header = file.read(size)
    if zlib.crc32(header) != int.from_bytes(start[28:], "little"):
        raise ValueError("damaged: the checksum of its header is wrong")
    if header[:1] != bytes([_PACKED_HEADER]):
        return header
    stream = next(_streams(file, read_streams(Cursor(header, 1)), budget), None)
    limit = LEAST_HEADER_BYTES + HEADER_BYTES_PER_BYTE * file_size
    if stream is None or stream.size > limit:
        raise ValueError(f"its header has {stream.size >> 20 if stream else 0} MB; the limit for a file of this size "
                         f"is {limit >> 20} MB")
    reader, unpacked = stream.open(), bytearray()
    while data := reader.read(PIECE):
        budget.spend(len(data))
        unpacked += data
    if not unpacked:
        raise ValueError("damaged: its packed header is empty")
    return unpacked
