"""`import mugo`: cheap, lazy, and with exactly its public names."""
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mugo

ROOT = Path(mugo.__file__).parent


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_importing_it_loads_nothing():
    loaded = run("import sys; before = set(sys.modules); import mugo; print(*set(sys.modules) - before)").split()
    assert {name for name in loaded if name.startswith("mugo")} == {"mugo", "mugo.core", "mugo.core.version"}
    assert not {"numpy", "numba", "importlib.metadata", "argparse"} & set(loaded)


def test_its_names_are_the_public_ones():
    assert dir(mugo) == sorted([*mugo.__all__, "__version__"])
    assert mugo.__all__ == sorted(mugo.__all__) and len(mugo.__all__) == 29
    assert all(getattr(mugo, name).__doc__ for name in mugo.__all__)
    with pytest.raises(AttributeError, match="module 'mugo' has no attribute 'Positions'"):
        getattr(mugo, "Positions")                        # noqa: B009


def test_a_function_of_the_library_can_be_replaced(monkeypatch):
    monkeypatch.setattr(mugo, "search", len)
    assert mugo.search("abc") == 3


def test_a_star_import_gives_the_public_names():
    names: dict = {}
    exec("from mugo import *", names)
    assert set(names) - {"__builtins__"} == set(mugo.__all__)


def test_compiling_is_announced_once(tmp_path):
    program = ("import mugo, numpy; mugo.Position\n"      # which announces; a kernel that is quickly compiled
               "from mugo.data.game_hash import splitmix64; splitmix64(numpy.uint64(3))")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert done.stderr == "mugo: getting ready; the first start on a machine compiles\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert done.stderr == ""


def test_a_function_of_the_users_is_compiled_without_a_word(tmp_path):
    program = "import mugo, numba; mugo.Position\nprint(numba.njit(lambda x: x + 1)(1))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                          env={"NUMBA_CACHE_DIR": str(tmp_path)})
    assert (done.stdout, done.stderr) == ("2\n", "")


def test_the_other_package_of_the_name_is_said(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "core", tmp_path / "mugo" / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "__init__.py", tmp_path / "mugo")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    program = "import warnings; warnings.simplefilter('error'); import mugo"
    (tmp_path / "mugo_go-0.1.0.dist-info").mkdir()
    assert run(program) == ""
    (tmp_path / "mugo-0.1.1.dist-info").mkdir()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "the package mugo, a program for genomics, is installed in the same place" in done.stderr
