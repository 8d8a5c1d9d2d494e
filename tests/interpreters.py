"""Interpreters of a version of Python: those of this machine, or one that uv can fetch."""
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

FETCH_SECONDS = 180                      # an interpreter has 30 MB
_PRINT = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2], sys.executable)"


@functools.cache
def find_interpreter(version: str) -> str | None:
    """The path of a Python of this version, as '3.12', that can make virtual environments; None if none can be had.

    Looked for are this interpreter, pythonX.Y of PATH, those of pyenv, and one that `uv python install` fetches.
    """
    candidates = [sys.executable, f"python{version}", *_pyenv(version)]
    return next(filter(None, (_check(path, version) for path in candidates)), None) or _fetch(version)


def _check(path: str, version: str) -> str | None:
    """The path that an interpreter gives itself, if it runs and has this version."""
    try:
        done = subprocess.run([path, "-I", "-c", _PRINT], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found, _, executable = done.stdout.strip().partition(" ")
    return executable if done.returncode == 0 and found == version else None


def _pyenv(version: str) -> list[str]:
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return [str(path) for path in sorted(root.glob(f"versions/{version}.*/bin/python"))]


def _fetch(version: str) -> str | None:
    if not (uv := shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")):
        return None
    for arguments in ["install"], ["find", "--managed-python"]:
        try:
            done = subprocess.run([uv, "python", *arguments, version], capture_output=True, text=True,
                                  timeout=FETCH_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode:
            return None
    return _check(done.stdout.strip(), version)
