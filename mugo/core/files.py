"""Errors in one line, reading files of a limited size, atomic writes, folder locks, lines on stderr, and pipes."""
import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import select
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO


class MugoError(Exception):
    """An error of the caller or of a file: one sentence that names it and what was expected."""

    __module__ = "mugo"                  # as which it is public


class BadInput(MugoError):
    """An argument, option or file of the user is invalid.  `cli.main` prints the message, one line, and exits
    with status 2."""


def error_line(error: BaseException) -> str:
    """The message of any exception as one line of at most 200 characters; its type if it has no message."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())[:200] or type(error).__name__


def printable(text: str) -> str:
    """Text as one line that a terminal can show: what is not printable, line breaks included, as escapes (\\x1b)."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def log_to_stderr(text: str) -> None:
    """Write a text, in which lines are kept, to stderr; nothing if that is closed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write("mugo: " + "\n".join(map(printable, text.split("\n"))) + "\n")
        sys.stderr.flush()


def open_regular_file(path: str | os.PathLike) -> BinaryIO:
    """Open a file for reading.  Raises BadInput for a pipe or a device, which could block for ever; OSError."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadInput(f"{path} is not a regular file")
    return open(descriptor, "rb")


def read_regular_file(path: str | os.PathLike, max_bytes: int) -> bytes:
    """The content of a file.  Raises BadInput if it is no regular file or has more than max_bytes; OSError."""
    with open_regular_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise BadInput(f"{path} has {size:,} bytes, expected at most {max_bytes:,}")
        return file.read(max_bytes)


def read_text(path: Path, max_bytes: int) -> str:
    """The text of a file in UTF-8.  Raises BadInput as read_regular_file does, and for other bytes."""
    try:
        return read_regular_file(path, max_bytes).decode("utf-8")
    except FileNotFoundError:
        raise
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not text in UTF-8: {error_line(error)}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None


def read_json(path: Path, max_bytes: int = 1 << 20) -> Any:
    """The value in a JSON file.  Raises as read_text does, and BadInput for text that is not JSON."""
    try:
        return json.loads(read_text(path, max_bytes))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read: {error_line(error)}") from None


def file_sha256(path: str | os.PathLike) -> str:
    """The SHA-256 of a file, in hexadecimal.  Raises OSError."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_writable(folder: Path) -> None:
    """Raise OSError, with the folder's name, if no file can be made in it: before long work whose results go there."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        error.filename = os.fspath(folder)
        raise


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike) -> Iterator[Path]:
    """Write a file atomically: yield a temporary path in the same folder, flush it to the disk, rename it to `path`.

    If the block raises, `path` is unchanged.  A symbolic link stays one, and a file keeps its permissions.  A device or
    a pipe gets the data at the end.  Raises OSError with a file name.
    """
    given, path = path, Path(os.path.realpath(path))
    is_special = path.exists() and not path.is_file()
    folder = Path(tempfile.mkdtemp()) if is_special else path.parent       # nobody else knows its name
    folder.mkdir(parents=True, exist_ok=True)
    name = path.name if len(os.fsencode(path.name)) < 200 else hashlib.blake2b(os.fsencode(path.name)).hexdigest()
    temporary = folder / f".{name}.{secrets.token_hex(4)}.mugo-{os.getpid()}{path.suffix[:20]}"
    try:
        yield temporary
        if is_special:
            path.write_bytes(temporary.read_bytes())
            return
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
        fsync_folder(path.parent)
    except OSError as error:
        if error.errno is None:          # NumPy raises OSError with a message only
            message = f"the file could not be written; is the disk full? ({error})"
            raise OSError(errno.EIO, message, os.fspath(given)) from None
        if error.filename in (None, str(temporary), str(path)):
            error.filename = os.fspath(given)
        raise
    finally:
        temporary.unlink(missing_ok=True)
        if is_special:
            folder.rmdir()


_TEMPORARY_NAME = re.compile(r"\..*\.mugo-([0-9]{1,10})(\.[^.]*)?", re.DOTALL)


def is_temporary(name: str) -> bool:
    """Whether a file name belongs to an unfinished file of atomic_write."""
    return _TEMPORARY_NAME.fullmatch(name) is not None


def is_empty_folder(folder: Path) -> bool:
    """Whether a folder holds nothing but unfinished files of atomic_write."""
    return all(is_temporary(path.name) for path in folder.iterdir())


def _is_abandoned(path: Path) -> bool:
    """Whether a path is an unfinished file of a process that has ended."""
    match = _TEMPORARY_NAME.fullmatch(path.name)
    return match is not None and path.is_file() and not _is_running(int(match[1]))


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return True                      # os.kill would end it
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:                      # somebody else's
        pass
    return True


@contextlib.contextmanager
def lock_folder(folder: Path, may_have_links: bool = False) -> Iterator[None]:
    """Create a folder if it does not exist, and hold an exclusive lock on it; no lock on Windows.

    Unfinished files that killed processes left in it or in folders directly below are deleted, and at the end a folder
    that was created and is empty.  Raises BadInput if another process holds the lock, if `folder` is a file, and for a
    symbolic link in it unless may_have_links: what is written would go to another place.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is not a folder; choose another name with -o")
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        if sys.platform != "win32":
            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            lock_file(descriptor, folder)
            for path in [*folder.glob("*"), *folder.glob("*/*")]:
                if path.is_symlink() and not may_have_links:
                    raise BadInput(f"{path} is a symbolic link, and a folder that MuGo writes to holds none")
                with contextlib.suppress(OSError):
                    if _is_abandoned(path):
                        path.unlink()
        try:
            yield
        finally:
            if is_new:
                with contextlib.suppress(OSError):       # it holds what was written
                    folder.rmdir()


def lock_file(descriptor: int, path: Path) -> None:
    """Lock an open file or folder until it is closed (flock); nothing on Windows and on file systems without locks.

    Raises BadInput, which names `path`, if another process holds the lock.
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


# ---- pipes to other programs

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
