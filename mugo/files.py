"""Atomic writes, folder locks, the exception for a user's mistake, and lines on stderr.

    atomic_write    a temporary file, fsync, os.replace, fsync of the folder
    lock_folder     one writer at a time: flock on the folder
    BadInput        one line for the user; mugo.cli prints it and exits with status 2
    log_to_stderr   for programs whose stdout is a protocol

Not here: what the files contain.
"""
import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path


class BadInput(Exception):
    """An argument, option or file of the user is invalid.

    The message is one line that names the file, the place in it and what was expected.  `cli.main`
    prints it and exits with status 2; no other code catches it.
    """


def error_line(error: BaseException) -> str:
    """The message of any exception as one line of at most 200 characters; its type if it has no message."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())[:200] or type(error).__name__


def log_to_stderr(text: str) -> None:
    """Write a line to stderr.  A stderr that is closed, or that nobody reads any more, is no error."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"mugo: {text}\n")
        sys.stderr.flush()


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[Path]:
    """Write a file atomically: yield a temporary path in the same folder, rename it to `path` at the end.

    The data is flushed to the disk (fsync) before the rename, so after a crash at any moment `path`
    has its old content or the new content, never a part.  If the block raises, the temporary file is
    deleted and `path` is unchanged.  Raises OSError with a file name.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{path.suffix}")
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
        fsync_folder(path.parent)
    except OSError as error:
        if error.errno is None:          # NumPy raises OSError with a message only
            raise OSError(errno.EIO, f"the file could not be written; is the disk full? ({error})", str(path)) from None
        error.filename = error.filename or str(path)
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Create a folder if it does not exist, and hold an exclusive lock on it; no lock on Windows.

    Raises BadInput if another process holds the lock, or if `folder` is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is not a folder; choose another name with -o")
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock_file(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def lock_file(descriptor: int, path: Path) -> None:
    """Lock an open file or folder exclusively (flock); the lock ends when it is closed or the process ends.

    Does nothing on Windows and on file systems without locks.  Raises BadInput, which names `path`, if another
    process holds the lock.
    """
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{path}: another process is writing to it") from None


def fsync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk, so that renames in it survive a power failure; nothing on Windows."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
