"""MuGo: a Go program that learns from people."""
import hashlib
import os
import tempfile
from pathlib import Path

__version__ = "0.1.0"


def _name_the_compile_cache() -> None:
    """Give numba a cache folder that belongs to exactly these compiled sources.

    Numba checks only the file a function stands in: after an edit in board.py it would go on
    using stale machine code for the functions of planes.py that call it.  So the folder's name
    is a hash of every source; a user who has set NUMBA_CACHE_DIR keeps that choice.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    sources = hashlib.sha256()
    package = Path(__file__).parent
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text or path.parent.name == "games":   # constants of the rules are compiled in, too
            sources.update(f"{path.relative_to(package).as_posix()}\0{len(text)}\0".encode())
            sources.update(text)
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(caches, "mugo", sources.hexdigest()[:16])
    try:
        os.makedirs(folder, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:                     # a home that is read-only, as in some containers
        folder = os.path.join(tempfile.gettempdir(), f"mugo-{os.getuid() if hasattr(os, 'getuid') else 'user'}",
                              sources.hexdigest()[:16])
    os.environ["NUMBA_CACHE_DIR"] = folder


_name_the_compile_cache()
