"""The members of a .7z, by py7zr.

py7zr unpacks an archive in one go, so what is wanted of it goes to a temporary file first.  A damaged member ends it:
those before it are read.
"""
import io
import tempfile
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO

import py7zr


class _Writer(py7zr.Py7zIO):
    """Appends a member to a file.  place: its beginning and, once it is whole, its end."""

    def __init__(self, file: IO[bytes]):
        self.file, self.place = file, [file.tell()]

    def write(self, s: bytes | bytearray) -> int:
        return self.file.write(s)

    def read(self, size: int | None = None) -> bytes:
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:
        return 0

    def flush(self) -> None:
        pass

    def size(self) -> int:
        return self.file.tell() - self.place[0]

    def close(self) -> None:
        self.place.append(self.file.tell())


class _Writers(py7zr.WriterFactory):
    """A _Writer for each member, in order.  The second member of a name is NAME_0 here."""

    def __init__(self, file: IO[bytes]):
        self.file = file
        self.made: list[tuple[str, _Writer]] = []

    def create(self, filename: str) -> _Writer:
        self.made.append((filename, _Writer(self.file)))
        return self.made[-1][1]


def read_members(file: BinaryIO, is_wanted: Callable[[str], bool], most: int
                 ) -> Iterator[tuple[str, int, Callable[[], IO[bytes]]]]:
    """(name, size, what opens it) of each file in an open .7z, the unwanted ones first; these cannot be opened.

    most: bytes that it may unpack to.  Raises what py7zr raises for an archive that is damaged, encrypted, or larger,
    after the members before the damage.
    """
    with tempfile.TemporaryFile() as unpacked, py7zr.SevenZipFile(file, max_extract_size=most) as archive:
        sizes = {member.filename: member.uncompressed for member in archive.list() if not member.is_directory}
        yield from ((name, size, io.BytesIO) for name, size in sizes.items() if not is_wanted(name))
        writers, error = _Writers(unpacked), None
        try:
            archive.extract(targets=[name for name in sizes if is_wanted(name)], factory=writers)
        except Exception as raised:
            error = raised
        for name, writer in writers.made:
            if len(writer.place) == 2:
                start, end = writer.place
                unpacked.seek(start)
                data = unpacked.read(end - start)
                yield name if name in sizes else name.rpartition("_")[0], len(data), lambda data=data: io.BytesIO(data)
        if error is not None:
            raise error
