"""Files that are either whole or not there, and the one exception that a user's mistake raises."""
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path


class BadInput(Exception):
    """Something the user gave is not what was expected.

    The text is one line that names the file, the place and what was expected.  `cli.main` prints
    it and exits with status 2; nothing else catches it.
    """


@contextlib.contextmanager
def written_whole(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a name beside `path` to write to; put it in place only if the block ends well.

    The data is on the disk (fsync) before the rename, so after a crash at any moment `path` holds
    the old content or the new, never a part.  Raises OSError as writing does.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}{path.suffix}")
    try:
        yield beside
        with open(beside, "rb+") as written:
            os.fsync(written.fileno())
        os.replace(beside, path)
        sync_folder(path.parent)
    except OSError as error:             # a full disk, say: name the file that was to be written
        error.filename = error.filename or str(path)
        raise
    finally:
        beside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last through a power cut, where the system can say so."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
