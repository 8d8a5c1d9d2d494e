"""requirements-dev.txt locks what pyproject.toml asks for."""
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements-dev.txt").read_text()
LOCKED = [Requirement(line.rstrip(" \\")) for line in LOCK.splitlines() if line[:1].isalnum()]
ASKED = [requirement for lines in [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
         for requirement in map(Requirement, lines) if requirement.name != "mugo-go"]
PYTHONS = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python ::" in line]


def locked_version(name: str, python: str) -> str | None:
    """The version of a package on Linux with this Python."""
    environment = {"python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux",
                   "platform_system": "Linux", "platform_machine": "x86_64", "os_name": "posix",
                   "implementation_name": "cpython", "platform_python_implementation": "CPython"}
    versions = {str(requirement.specifier).removeprefix("==") for requirement in LOCKED
                if canonicalize_name(requirement.name) == canonicalize_name(name)
                and (requirement.marker is None or requirement.marker.evaluate(environment))}
    assert len(versions) <= 1, f"{name} has {len(versions)} versions on Python {python}"
    return next(iter(versions), None)


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_has_a_version_of_every_dependency_that_pyproject_allows(python):
    for requirement in ASKED:
        if requirement.marker is None or requirement.marker.evaluate({"python_version": python}):
            version = locked_version(requirement.name, python)
            assert version and requirement.specifier.contains(version, prereleases=True), f"{requirement}: {version}"


def test_every_locked_package_has_one_exact_version_and_hashes():
    blocks = re.split(r"(?m)^(?=[A-Za-z0-9])", LOCK)[1:]
    assert len(blocks) == len(LOCKED) > 100
    form = r"[\w.-]+(\[[\w,-]+\])?==[\w.!+]+( ; .*)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+"
    for block in blocks:
        assert re.fullmatch(form, block), block


def test_the_lock_names_no_address_and_no_file():
    assert not re.search(r"://|^--?\w|@|file:", LOCK, re.MULTILINE)
