"""What pyproject.toml installs is what the repository holds."""
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_package_is_listed_in_pyproject():
    packages = {".".join(path.parent.relative_to(ROOT).parts) for path in ROOT.glob("mugo/**/__init__.py")}
    assert set(SETUPTOOLS["packages"]) == packages | {"mugo.models"}


def test_every_package_has_tests_of_its_name():
    packages = {path.parent.name for path in ROOT.glob("mugo/*/__init__.py")}
    assert packages <= {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}


@pytest.mark.parametrize("package", sorted(ROOT.glob("mugo/*/__init__.py")), ids=lambda path: path.parent.name)
def test_the_docstring_of_a_package_lists_its_modules(package):
    listed = set(re.findall(r"(?m)^    (\w+)\b", package.read_text()))
    assert {path.stem for path in package.parent.glob("*.py")} - {"__init__"} <= listed


@pytest.mark.wheel
def test_a_wheel_contains_every_module_the_networks_and_the_page(tmp_path):
    source = tmp_path / "source"             # a copy: setuptools would leave build/ in the repository
    for folder in "mugo", "models":
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in "pyproject.toml", "README.md", "LICENSE":
        shutil.copy(ROOT / name, source)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, source],
                   check=True)
    with zipfile.ZipFile(next(tmp_path.glob("mugo-*.whl"))) as wheel:
        names = set(wheel.namelist())
    static = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mugo" / "web" / "static").iterdir()}
    modules = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("mugo/**/*.py")}
    networks = {f"mugo/models/{path.name}" for path in (ROOT / "models").glob("*.keras")}
    assert static | modules | networks <= names
    assert {name for name in names if name.endswith(".py")} == modules
