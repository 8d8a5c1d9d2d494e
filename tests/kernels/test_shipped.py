"""Compiled functions that come with a wheel: when they are used, and what happens where they cannot be."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import mugo
from mugo.core.shared_cache import BaselineCpu, baseline_cpu

ROOT = Path(mugo.__file__).parents[1]
MODULE = """
from mugo.core.jit import kernel, subroutine
@subroutine
def double(x):
    return x + x
@kernel
def quadruple(x):
    return double(double(x))
"""
PROGRAM = """
import sys
from pathlib import Path
from mugo.core import shared_cache
from numba.core.event import Listener, register
shared_cache.shipped_folder = lambda: Path("shipped").absolute()
class Count(Listener):
    number = 0
    def on_start(self, event): self.number += 1
    def on_end(self, event): ...
register("numba:compile", count := Count())
import functions
print(functions.quadruple(3), count.number)
"""
pytestmark = pytest.mark.skipif(baseline_cpu() is None, reason="wheels of this platform carry no compiled functions")


def run(folder: Path, **variables: str) -> tuple[str, str]:
    """What a new process in the folder, with an empty cache of its own, prints: (stdout, stderr)."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    own = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "XDG_CACHE_HOME": str(folder / "own")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=kept | own | variables, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    for path in (folder / "own").rglob("*.nb?"):
        path.unlink()
    return done.stdout.strip(), done.stderr


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with the module, and functions compiled as `python -m mugo.kernels build` compiles them."""
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "functions.py").write_text(MODULE)
    compiling = {"NUMBA_CACHE_DIR": "shipped", "NUMBA_CPU_NAME": baseline_cpu().name, "NUMBA_CPU_FEATURES": ""}
    assert run(folder, **compiling)[0] == "12 2"
    return folder


@pytest.fixture
def shipped(compiled, tmp_path):
    """A copy of that folder, in another place."""
    return shutil.copytree(compiled, tmp_path / "elsewhere" / "deeper")


def test_what_came_with_the_wheel_is_not_compiled(shipped):
    assert baseline_cpu().is_met(), "this machine's processor is too old to test it"
    assert run(shipped) == ("12 0", "")


def test_for_another_processor_or_after_an_edit_functions_are_compiled(shipped):
    assert run(shipped, NUMBA_CPU_NAME="nehalem")[0] == "12 2"
    (shipped / "functions.py").write_text(f"{MODULE}# edited\n")
    assert run(shipped)[0] == "12 2"


def test_an_older_processor_is_recognised():
    assert not BaselineCpu("x86-64-v9", frozenset(["avx2", "telepathy"])).is_met()


def test_of_another_numba_they_are_compiled(shipped):
    for index in (shipped / "shipped").rglob("*.nbi"):
        data = index.read_bytes()
        version = numba.__version__.encode()
        assert version in data
        index.write_bytes(data.replace(version, b"9" * len(version), 1))
    assert run(shipped) == ("12 2", "")


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:40], lambda data: b"\x80" + bytes(60)])
def test_damaged_files_are_named_once_and_compiled(shipped, damage):
    for file in (shipped / "shipped").rglob("*.nb?"):
        file.write_bytes(damage(file.read_bytes()))
    out, errors = run(shipped)
    assert out == "12 2"
    assert errors.count("is damaged") == 1 and "installing MuGo again repairs it" in errors
