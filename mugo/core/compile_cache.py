"""A folder for numba's cache of compiled code: of one user, and of exactly these sources."""
import atexit
import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

_IMPORTS_NUMBA = re.compile(rb"^from (numba|mugo\.core\.jit) import ", re.MULTILINE)
COMPILING = "getting ready; the first start on a machine compiles"


def compile_cache_key(package: Path) -> str:
    """A hash of every source that is compiled: all of games/, whose constants kernels of other packages contain, and
    every module with compiled functions or with the types of their arguments: those that import numba or jit."""
    sources = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if _IMPORTS_NUMBA.search(text) or path.parent.name == "games":
            sources.update(f"{path.relative_to(package).as_posix()}\0{len(text)}\0".encode())
            sources.update(text)
    return sources.hexdigest()[:16]


def _private_folder(folder: Path) -> bool:
    """Make a folder of which only this user can write; False if that is impossible.

    A folder of this user that others could write is emptied first: numba's cache holds pickles, which run code when
    they are read.
    """
    try:
        for _ in range(2):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            state = folder.lstat()
            if not hasattr(os, "getuid"):                # Windows: the folder of a user is private
                return True
            if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid():
                return False
            if not state.st_mode & 0o022:
                return os.access(folder, os.W_OK)
            shutil.rmtree(folder)
    except OSError:
        pass
    return False


def remove_damaged_cache(folder: Path) -> None:
    """Delete the files of numba's cache that are empty or begin with no pickle, as a power cut may leave them: numba
    would end every command at them.  What is missing is compiled again."""
    with contextlib.suppress(OSError):
        for place in os.scandir(folder):
            for entry in os.scandir(place) if place.is_dir(follow_symlinks=False) else ():
                if not entry.name.endswith((".nbi", ".nbc")):       # another process is writing it
                    continue
                with contextlib.suppress(OSError), open(entry.path, "rb") as file:
                    if file.read(1) != b"\x80":
                        os.unlink(entry.path)


def announce_compiling() -> None:
    """Say on stderr when numba first compiles in this process, which can take a minute without a sign of life."""
    from numba.core.event import Event, Listener, register

    from mugo.core.files import log_to_stderr

    class Notice(Listener):
        is_given = False

        def on_start(self, event: Event) -> None:
            if not self.is_given:                        # numba skips the next listener if one unregisters itself here
                log_to_stderr(COMPILING)
            self.is_given = True

        def on_end(self, event: Event) -> None: ...

    register("numba:compile", Notice())


def set_compile_cache(package: Path) -> None:
    """Give numba a cache folder for exactly these compiled sources: those of `package`, the folder of `mugo`.

    Numba checks only the file of a function itself: after an edit in board.py it would go on using stale machine code
    of the functions in planes.py that call it.  NUMBA_CACHE_DIR, if it is set, is left alone.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    key = compile_cache_key(package)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")) / "mugo"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    temporary = Path(tempfile.gettempdir(), f"mugo-{user}")      # for a read-only home, as in some containers
    for folder in caches, temporary:
        if _private_folder(folder) and _private_folder(folder / key):
            remove_damaged_cache(folder / key)
            os.environ["NUMBA_CACHE_DIR"] = str(folder / key)
            return
    folder = tempfile.mkdtemp(prefix="mugo-")                    # somebody else's is in the way: compile each time
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder

