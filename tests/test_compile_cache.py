"""The folder of compiled code belongs to exactly the sources that are compiled."""
import shutil
from pathlib import Path

import pytest

import mugo

PACKAGE = Path(mugo.__file__).parent
COMPILED = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")
                  if "@njit" in path.read_text(encoding="utf-8"))


@pytest.fixture
def package(tmp_path):
    return Path(shutil.copytree(PACKAGE, tmp_path / "mugo", ignore=shutil.ignore_patterns("__pycache__", "static")))


def test_kernels_are_found_in_several_packages():
    assert {path.parts[0] for path in COMPILED} >= {"games", "search", "selfplay", "data"}


@pytest.mark.parametrize("module", [*COMPILED, Path("games/coords.py")], ids=str)
def test_an_edit_of_a_compiled_module_or_of_its_constants_changes_the_key(package, module):
    before = mugo.compile_cache_key(package)
    with open(package / module, "a") as file:
        file.write("# edited\n")
    assert mugo.compile_cache_key(package) != before


def test_an_edit_elsewhere_keeps_the_compiled_code(package):
    before = mugo.compile_cache_key(package)
    with open(package / "cli.py", "a") as file:
        file.write("# edited\n")
    assert mugo.compile_cache_key(package) == before


def test_a_source_that_moves_changes_the_key(package):
    before = mugo.compile_cache_key(package)
    (package / "search" / "tree.py").rename(package / "search" / "a_tree.py")
    assert mugo.compile_cache_key(package) != before
