"""The folder of numba's cache of compiled code: of one user, and of exactly these sources.

    ~/.cache/mugo/KEY            KEY: a hash of all sources that are compiled
    /tmp/mugo-USER/KEY           where that cannot be made, or others than the user could write in it
    a temporary folder           where that is somebody else's, too; it is removed at the end
"""
import atexit
import contextlib
import functools
import hashlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

_IMPORTS_NUMBA = re.compile(rb"^from (numba|mugo\.core\.jit) import ", re.MULTILINE)


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


def _remove_damaged_files(folder: Path) -> None:
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
    key = compile_cache_key(Path(__file__).parents[1])
    caches = Path(os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")) / "mugo"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for folder in caches, Path(tempfile.gettempdir(), f"mugo-{user}"):
        if _private_folder(folder) and _private_folder(folder / key):
            _remove_damaged_files(folder / key)
            return folder / key
    made = tempfile.mkdtemp(prefix="mugo-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = made                 # for this process's children, or each would compile anew
    return Path(made)
