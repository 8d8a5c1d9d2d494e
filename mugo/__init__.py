"""MuGo: a Go program that learns from game records.

The packages, the lowest first; each imports those above it only (import-linter checks that, see pyproject.toml):

    games        the rules, compiled: boards, Go, Gomoku, ladders, rollouts, feature planes
    sgf plots    game records; pictures
    data nn      the data set; networks
    search       Monte Carlo tree search
    players      position -> move
    training selfplay      learning from game records, and from self-play
    match review gtp analysis tui web      programs around a player
    cli demo     the commands
"""
import hashlib
import os
import tempfile
from pathlib import Path

__version__ = "0.1.0"


def compile_cache_key(package: Path) -> str:
    """A hash of every source that is compiled: all of games/, whose constants kernels of other packages contain, and
    every module with an njit function."""
    sources = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text or path.parent.name == "games":
            sources.update(f"{path.relative_to(package).as_posix()}\0{len(text)}\0".encode())
            sources.update(text)
    return sources.hexdigest()[:16]


def _set_compile_cache() -> None:
    """Give numba a cache folder for exactly these compiled sources.

    Numba checks only the file of a function itself: after an edit in board.py it would go on using stale machine code
    of the functions in planes.py that call it.  NUMBA_CACHE_DIR, if it is set, is left alone.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    key = compile_cache_key(Path(__file__).parent)
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(caches, "mugo", key)
    try:
        os.makedirs(folder, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:                     # a read-only home, as in some containers
        user = os.getuid() if hasattr(os, "getuid") else "user"
        folder = os.path.join(tempfile.gettempdir(), f"mugo-{user}", key)
    os.environ["NUMBA_CACHE_DIR"] = folder


_set_compile_cache()
