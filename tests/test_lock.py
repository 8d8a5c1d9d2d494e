"""requirements-dev.txt locks what pyproject.toml asks for; .ci/audit.py finds what is vulnerable there."""
import json
import os
import re
import shutil
import subprocess
import sys
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


# ---- vulnerabilities

def report(*packages: dict) -> str:
    return json.dumps({"dependencies": list(packages), "fixes": []})


def vulnerable(name: str) -> dict:
    return {"name": name, "version": "1.0", "vulns": [
        {"id": "PYSEC-2026-1", "aliases": ["CVE-2026-2"], "fix_versions": ["1.1"], "description": ""}]}


SAFE = {"name": "numpy", "version": "2.0", "vulns": []}
UNKNOWN = {"name": "numpy", "skip_reason": "Dependency not found on PyPI"}


@pytest.fixture
def audit(tmp_path):
    """Run .ci/audit.py with a pip-audit that gives this report, or writes this to stderr."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")

    def run(written: str = "", error: str = "", accepted: str = "") -> subprocess.CompletedProcess:
        (tmp_path / ".ci" / "vulnerabilities.toml").write_text(accepted)
        program = tmp_path / "pip-audit"
        program.write_text(f"#!{sys.executable}\nimport sys\nsys.stderr.write({error!r})\n"
                           f"open(sys.argv[sys.argv.index('--output') + 1], 'w').write({written!r})\nsys.exit(1)\n")
        program.chmod(0o755)
        return subprocess.run([sys.executable, tmp_path / ".ci" / "audit.py"], capture_output=True, text=True,
                              env=os.environ | {"PIP_AUDIT": str(program)})
    return run


def test_a_known_vulnerability_is_an_error(audit):
    done = audit(report(SAFE, vulnerable("jinja2")))
    assert done.returncode == 1
    assert "VULNERABLE: jinja2 1.0: PYSEC-2026-1, fixed in 1.1" in done.stdout


@pytest.mark.parametrize("name", ["PYSEC-2026-1", "CVE-2026-2"])
def test_one_that_is_accepted_with_a_reason_is_none(audit, name):
    done = audit(report(vulnerable("jinja2")), accepted=f'{name} = "templates are our own"')
    assert done.returncode == 0 and "templates are our own" in done.stdout


def test_a_service_that_is_not_reached_or_knows_nothing_is_said_and_no_error(audit):
    done = audit(error="requests.exceptions.ProxyError: Max retries exceeded")
    assert done.returncode == 0 and done.stdout.count("cannot be reached") == 2
    done = audit(report(UNKNOWN, SAFE))
    assert done.returncode == 0 and "1 packages audited; NOT AUDITED: 1" in done.stdout


def test_another_failure_of_pip_audit_is_an_error(audit):
    done = audit(error="ERROR: the requirements file is wrong")
    assert done.returncode == 1 and "the requirements file is wrong" in done.stderr
