"""Numba's cache of compiled functions: in a folder of one user and of exactly these sources, shared by processes.

    mugo/kernels/PLATFORM-KEY    what came with a platform's wheel (`python -m mugo.kernels build`); only read
    ~/.cache/mugo/KEY            KEY: a hash of all sources that are compiled
    /tmp/mugo-USER/KEY           where that cannot be made, or others than the user could write in it
    a temporary folder           where that also is somebody else's; it is removed at the end

Processes that compile at the same time compile each function once: one locks a byte of the file "lock" from looking for
the function until it is in the cache, and the others wait.  Where files cannot be locked, as on Windows, each compiles.
"""
import atexit
import contextlib
import functools
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType
from typing import IO, Any, NamedTuple, Self

import numba
from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from mugo.core import progress
from mugo.core.files import log_to_stderr

fcntl: Any
try:
    import fcntl
except ImportError:                                      # Windows
    fcntl = None

CAN_SHARE = fcntl is not None
MAX_WAIT = 60                            # seconds for a function: the process that has locked it may be suspended
_POLL_SECONDS = 0.02
_IMPORTS_NUMBA = re.compile(rb"^from (numba|mugo\.core\.jit) import ", re.MULTILINE)


def compile_cache_key(package: Path) -> str:
    """A hash of the sources that are compiled: all of games/, whose constants other kernels contain, and every module
    that imports numba or jit."""
    sources = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if _IMPORTS_NUMBA.search(text) or path.parent.name == "games":
            sources.update(f"{path.relative_to(package).as_posix()}\0{len(text)}\0".encode())
            sources.update(text)
    return sources.hexdigest()[:16]


class BaselineCpu(NamedTuple):
    """The oldest processor that a wheel's compiled functions run on."""
    name: str                                            # LLVM's
    features: frozenset[str]                             # what it has, by LLVM's names

    def is_met(self) -> bool:
        """Whether this machine's processor has all that it has."""
        has = binding.get_host_cpu_features()
        return all(has.get(feature) for feature in self.features)


def baseline_cpu() -> BaselineCpu | None:
    """That of this platform; None where wheels carry no compiled functions.  x86-64-v3: since Haswell (2013) and Zen;
    https://gitlab.com/x86-psABIs/x86-64-ABI."""
    v3 = BaselineCpu("x86-64-v3", frozenset(("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")))
    return {
        "x86_64": v3,
        "amd64": v3,
        "aarch64": BaselineCpu("generic", frozenset()),
        "arm64": BaselineCpu("apple-m1", frozenset()),
    }.get(platform.machine().lower())


@functools.cache
def _own_key() -> str:
    return compile_cache_key(Path(__file__).parents[1])


@functools.cache
def wasm_key() -> str:
    """A hash of the sources of kernels.wasm, which kernels.json has: a build of other sources does not fit the page."""
    lists = [Path(__file__).parents[1] / "kernels" / "page.py"]
    return hashlib.sha256(_own_key().encode() + b"".join(path.read_bytes() for path in lists)).hexdigest()[:16]


@functools.cache
def shipped_folder() -> Path:
    """Where `python -m mugo.kernels build` writes the functions that a wheel of this platform carries."""
    return Path(__file__).parents[1] / "kernels" / f"{sys.platform}-{platform.machine().lower()}-{_own_key()}"


@functools.cache
def is_shipped() -> bool:
    """Whether functions came with the wheel, for these sources and this processor; not where NUMBA_CACHE_DIR or
    NUMBA_CPU_NAME asks for something else."""
    chosen = os.environ.get("NUMBA_CACHE_DIR") or numba.config.CPU_NAME      # type: ignore[attr-defined]
    return not chosen and (cpu := baseline_cpu()) is not None and cpu.is_met() and shipped_folder().is_dir()


def _private_folder(folder: Path) -> bool:
    """Make a folder in which only this user can write; False if that is impossible.  Numba's cache holds pickles, which
    run code when they are read.  A folder that exists is not changed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):                        # Windows: the folder of a user is private
        return True
    return (stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & 0o022
            and os.access(folder, os.W_OK))


@functools.cache
def cache_folder() -> Path:
    """The folder of this process: NUMBA_CACHE_DIR if it can be written, else one for exactly these sources.

    Numba checks only the file of a function itself: after an edit in board.py it would go on using stale machine code
    of the functions in planes.py that call it.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        with contextlib.suppress(OSError):
            os.makedirs(chosen, exist_ok=True)
            if os.access(chosen, os.W_OK):
                return Path(chosen)
    key = _own_key()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")) / "mugo"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for folder in caches, Path(tempfile.gettempdir(), f"mugo-{user}"):
        if _private_folder(folder) and _private_folder(folder / key):
            return folder / key
    made = tempfile.mkdtemp(prefix="mugo-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


@functools.cache
def _lock_file() -> IO[bytes] | None:
    """The open file; None where it cannot be written.  Closing it would end the locks of this process."""
    with contextlib.suppress(OSError):
        return open(cache_folder() / "lock", "ab")
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
        self._place = function.__module__.rpartition(".")[0] or "other"     # not the path: a wheel's files are found

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> Self:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(cache_folder() / self._place)

    def get_source_stamp(self) -> str:
        return _source_hash(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]


def _key(numbas: tuple, cpu: BaselineCpu | None = None) -> tuple:
    """What identifies machine code: numba's key with the platform, not the system's version, in it.  cpu: which one it
    was compiled for, if not this one."""
    sig, (_, name, features), code = numbas
    return sig, (sys.platform, platform.machine(), *((cpu.name, "") if cpu else (name, features))), code


class _ShippedLocator(_Locator):
    def get_cache_path(self) -> str:
        return str(shipped_folder() / self._place)


class _ShippedImplementation(CompileResultCacheImpl):
    _locator_classes = [_ShippedLocator]


class _ShippedCache(FunctionCache):
    """What came with the wheel, of one function."""
    _impl_class = _ShippedImplementation
    is_damaged = False                                   # of any function

    def _index_key(self, sig: Any, codegen: Any) -> tuple:
        return _key(super()._index_key(sig, codegen), baseline_cpu())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if _ShippedCache.is_damaged:
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception as problem:                     # unpickling raises anything
            _ShippedCache.is_damaged = True
            log_to_stderr(f"{shipped_folder()} is damaged ({problem!r:.60}), so functions are compiled; "
                          "installing MuGo again repairs it")
            return None


class SharedCache(FunctionCache):
    """The cache of one function.  What cannot be read of it, as after a power cut, is compiled again."""
    _impl_class = _Implementation

    def __init__(self, function: FunctionType):
        super().__init__(function)
        self._shipped = _ShippedCache(function) if is_shipped() else None
        name = f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}:{function.__qualname__}"
        self._byte = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7])

    def _index_key(self, sig: Any, codegen: Any) -> tuple:
        return _key(super()._index_key(sig, codegen))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._shipped and self._shipped.load_overload(sig, target_context)
        if found is None:
            found = self._load(sig, target_context)
        if found is None and CAN_SHARE and (file := _lock_file()):
            self._wait_and_lock(file)
            found = self._load(sig, target_context)
            if found is not None:
                self._unlock()
        if found is None:
            progress.report_compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        self._unlock()
        progress.report_compiled()

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:                                # a damaged pickle raises anything
            with contextlib.suppress(OSError):
                self.flush()
            return None

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
