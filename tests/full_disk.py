"""A disk that is full from the n-th operation on, for tests in this process.

    with FullDisk(folder, after=7) as disk:          everything that Python writes below the folder
        ...
    disk.tried, disk.failed                          operations and their files, and those that failed

Counted are writes of files, flush to the disk (os.fsync), new names (os.replace, os.rename, os.link, os.mkdir) and the
creation of files; each may need space.  A write fails with a part of the bytes written, as a disk does.  What gives
space back works: unlink, rmdir, truncate.  Files that C code opens itself, TensorBoard's, are not seen.
"""
import builtins
import errno
import io
import os
from pathlib import Path
from typing import Any

CALLS = "fsync", "replace", "rename", "link", "mkdir"


class FullDisk:
    """A context manager; see above."""

    def __init__(self, folder: Path, after: int | None, only_once: bool = False):
        """after: operations that succeed; None: all do.  only_once: the operations after the failed one succeed."""
        self._folder, self._after, self._only_once = os.path.realpath(folder), after, only_once
        self.tried: list[str] = []
        self.failed: list[str] = []
        self._saved: list[tuple[Any, str, Any]] = []

    def is_ours(self, path: Any) -> bool:
        """Whether a path, or what an open descriptor leads to, is below the folder."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        full = os.path.realpath(os.fsdecode(os.fspath(path)))
        return full == self._folder or full.startswith(self._folder + os.sep)

    def spend(self, what: str, path: Any) -> bool:
        """Count an operation on a file; returns whether there is space for it."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        what = f"{what} {os.path.relpath(os.path.realpath(os.fsdecode(path)), self._folder)}"
        self.tried.append(what)
        if self._after is None or len(self.tried) <= self._after or self._only_once and self.failed:
            return True
        self.failed.append(what)
        return False

    def _guarded(self, name: str, real: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            path = arguments[1] if name in ("replace", "rename", "link") else arguments[0]
            is_new = name != "mkdir" or not os.path.exists(path)
            if is_new and self.is_ours(path) and not self.spend(name, path):
                raise no_space(None if isinstance(path, int) else os.fspath(path))
            return real(*arguments, **named)
        return call

    def _open(self, file: Any, mode: str = "r", buffering: int = -1, *arguments: Any, **named: Any) -> Any:
        real = self._saved[0][2]
        if not set(mode) & set("wax+") or isinstance(file, int) or not self.is_ours(file):
            return real(file, mode, buffering, *arguments, **named)
        if not os.path.exists(file) and not self.spend("create", file):
            raise no_space(os.fspath(file))
        raw = _File(self, file, mode.replace("b", "").replace("t", ""))
        if buffering == 0:
            return raw
        kind = io.BufferedRandom if "+" in mode else io.BufferedWriter
        buffered = kind(raw, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *arguments, line_buffering=buffering == 1,
                                                             write_through=buffering == 1, **named)

    def __enter__(self) -> "FullDisk":
        for owner, name in ((builtins, "open"), (io, "open")):
            self._saved.append((owner, name, getattr(owner, name)))
        for owner, name, _ in self._saved[:2]:
            setattr(owner, name, self._open)
        for name in CALLS:
            real = getattr(os, name)
            self._saved.append((os, name, real))
            setattr(os, name, self._guarded(name, real))
        return self

    def __exit__(self, *_: Any) -> None:
        for owner, name, real in self._saved:
            setattr(owner, name, real)
        self._saved.clear()


class _File(io.FileIO):
    """A file whose writes the disk counts."""

    def __init__(self, disk: FullDisk, path: Any, mode: str):
        super().__init__(path, mode)
        self._disk = disk

    def write(self, data: Any) -> int:
        if self._disk.spend("write", self.name):
            return super().write(data)
        view = memoryview(data).cast("B")
        written = super().write(view[:len(view) // 2]) if len(self._disk.failed) == 1 else 0
        if written:
            return written                               # the rest comes again, and fails
        raise no_space(None)


def no_space(path: Any) -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), *([path] if path is not None else []))
