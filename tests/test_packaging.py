"""What pyproject.toml installs is what the repository holds; tests/test_distributions.py builds and installs it."""
import re
import tomllib
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
    listed = set(re.findall(r"\w+", "".join(re.findall(r"(?m)^    .*$", package.read_text()))))
    assert {path.stem for path in package.parent.glob("*.py")} - {"__init__"} <= listed


def test_ci_runs_for_every_supported_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python ::" in line]
    assert project["requires-python"] == f">={versions[0]}"
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert re.search(r"python: \[(.*)\]", workflow)[1] == ", ".join(f'"{version}"' for version in versions)
    assert re.search(r"for candidate in (.*) python3; do", (ROOT / ".ci" / "run").read_text())[1].split() \
        == [f"python{version}" for version in versions]
    listed = ", ".join(versions[:-1]) + f" or {versions[-1]}"
    assert f"Python {listed}; tested on Linux" in (ROOT / "docs" / "howto" / "install.md").read_text()
