"""Files that are either whole or not there, folders with one writer, and the exception that a user's mistake raises."""
import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path


class BadInput(Exception):
    """Something the user gave is not what was expected.

    The text is one line that names the file, the place and what was expected.  `cli.main` prints
    it and exits with status 2; nothing else catches it.
    """


def one_line(error: BaseException) -> str:
    """What any exception says, as one line of 200 letters at most."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())[:200] or type(error).__name__


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
        if error.errno is None:          # numpy's have nothing but a text
            raise OSError(errno.EIO, f"it could not be written whole; is the disk full? ({error})", str(path)) from None
        error.filename = error.filename or str(path)
        raise
    finally:
        beside.unlink(missing_ok=True)


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Be the only process that writes to a folder, which is made if it is not there.  Raises BadInput."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is no folder; give -o another name")
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        claim(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def claim(descriptor: int, path: Path) -> None:
    """Be the only one that has this open file or folder, until it is closed: the system sees to that, however the
    process ends.  Raises BadInput if another one has it."""
    with contextlib.suppress(ImportError, OSError):      # Windows; a file system that cannot do it
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{path}: another process is writing to it") from None


def sync_folder(folder: Path) -> None:
    """Make renames in a folder last through a power cut, where the system can say so."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
