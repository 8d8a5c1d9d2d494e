"""Numba's cache of compiled functions, in MuGo's own folder, for processes that compile at the same time: each function
is compiled by one of them, and the others wait for it.

A process locks a byte of the file "lock" for each function that it compiles, from looking for it in the cache until it
is there.  Where files cannot be locked, as on Windows, processes compile the same functions.
"""
import contextlib
import functools
import hashlib
import os
import time
from pathlib import Path
from types import FunctionType
from typing import IO, Any, Self

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from mugo.core import compile_progress
from mugo.core.compile_cache import cache_folder

fcntl: Any
try:
    import fcntl
except ImportError:                                      # Windows
    fcntl = None

CAN_SHARE = fcntl is not None
MAX_WAIT = 60                            # seconds for a function: the process that has locked it may be suspended
_POLL_SECONDS = 0.02


@functools.cache
def _lock_file() -> IO[bytes] | None:
    """The open file; None where it cannot be written.  Closing it would end the locks of this process."""
    folder = cache_folder()
    with contextlib.suppress(OSError):
        os.makedirs(folder, exist_ok=True)
        return open(folder / "lock", "ab")
    return None


@functools.cache
def _source_hash(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class _Locator(_CacheLocator):
    """Where numba keeps a function: below `cache_folder()`, whatever numba's own configuration was when it was
    imported."""

    def __init__(self, function: FunctionType):
        self._py_file = function.__code__.co_filename    # numba's warnings name it
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> Self:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(cache_folder() / self.get_suitable_cache_subpath(self._py_file))

    def get_source_stamp(self) -> str:
        return _source_hash(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]


class SharedCache(FunctionCache):
    """The cache of one function."""
    _impl_class = _Implementation

    def __init__(self, function: FunctionType):
        super().__init__(function)
        name = f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}:{function.__qualname__}"
        self._byte = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None and CAN_SHARE and (file := _lock_file()):
            self._wait_and_lock(file)
            found = super().load_overload(sig, target_context)
            if found is not None:
                self._unlock()
        if found is None:
            compile_progress.report_start()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        self._unlock()
        compile_progress.report_end()

    def _wait_and_lock(self, file: IO[bytes]) -> None:
        end = time.monotonic() + MAX_WAIT
        while time.monotonic() < end:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, self._byte)
                return
            except (BlockingIOError, PermissionError):   # another process has it
                time.sleep(_POLL_SECONDS)
            except OSError:                              # a file system without locks
                return

    def _unlock(self) -> None:
        if CAN_SHARE and (file := _lock_file()):
            with contextlib.suppress(OSError):
                fcntl.lockf(file, fcntl.LOCK_UN, 1, self._byte)
