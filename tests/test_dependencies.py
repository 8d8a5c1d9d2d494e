"""The dependencies in pyproject.toml: what is imported is declared, bounds are consistent and hold, and only what is
public is used, so that the next version of a dependency does not change what MuGo computes."""
import ast
import functools
import importlib
import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from mugo.cli.main import EXTRAS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEEDED = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRA = {name: [Requirement(line) for line in lines if not line.startswith("mugo-go[")]
         for name, lines in PROJECT["optional-dependencies"].items()}
ALL = NEEDED + [requirement for needed in EXTRA.values() for requirement in needed]
LEFT_OUT = {"lint", "release", "docs", "cuda", "jax-cuda"}     # by .ci/lowest.py: not needed to run
# What has no public counterpart in Python's own library.
PRIVATE_IN_PYTHON = {"_ArgumentGroup", "_actions", "_exit", "_run_finalizers"}


@functools.cache
def sources() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in ROOT.glob("mugo/**/*.py")}


def lower_bound(requirement: Requirement) -> str | None:
    return next((spec.version for spec in requirement.specifier if spec.operator == ">="), None)


def installed(requirement: Requirement) -> str | None:
    """The version that is installed, None if there is none, or none is needed on this Python."""
    try:
        needed = requirement.marker is None or requirement.marker.evaluate()
        return importlib.metadata.version(requirement.name) if needed else None
    except importlib.metadata.PackageNotFoundError:
        return None


@pytest.mark.parametrize("requirement", ALL, ids=lambda requirement: requirement.name)
def test_every_dependency_has_a_lower_bound(requirement):
    assert lower_bound(requirement)


def test_a_dependency_has_the_same_bounds_in_every_extra():
    bounds = {}
    for requirement in ALL:
        bounds.setdefault(requirement.name, set()).add(str(requirement.specifier))
    assert not {name: specs for name, specs in bounds.items() if len(specs) > 1}


def test_installed_versions_are_within_the_bounds():
    assert all(map(installed, NEEDED))
    assert not [f"{requirement}: {installed(requirement)}" for requirement in ALL
                if installed(requirement) and not requirement.specifier.contains(installed(requirement), True)]


def test_the_licence_of_every_dependency_is_listed_as_its_package_declares_it():
    section = (ROOT / "docs" / "reference" / "licences.md").read_text()
    rows = re.findall(r"^\| (.+) \| (.+) \|$", section, re.MULTILINE)[1:]
    listed = {name: licence for licence, names in rows for name in names.split(", ")}
    assert sorted(listed) == sorted({requirement.name for requirement in ALL})
    declared = {requirement.name: importlib.metadata.metadata(requirement.name).json.get("license_expression")
                for requirement in ALL if installed(requirement)}
    assert not {name: text for name, text in declared.items() if text and not text.startswith(listed[name])}


@pytest.mark.skipif(os.environ.get("MUGO_LOWEST") != "1", reason="MUGO_LOWEST=1 is for the lowest versions")
def test_the_lowest_versions_are_installed():
    tested = NEEDED + [requirement for name, needed in EXTRA.items() if name not in LEFT_OUT
                       for requirement in needed]
    for requirement in tested:
        assert Requirement(f"{requirement.name}=={lower_bound(requirement)}").specifier.contains(
            installed(requirement), True), f"{requirement}: {installed(requirement)} is installed"


def test_the_constraints_of_the_lowest_versions_cover_what_runs():
    done = subprocess.run([sys.executable, ROOT / ".ci" / "lowest.py"], check=True, capture_output=True, text=True)
    constraints = {Requirement(line).name: Requirement(line) for line in done.stdout.splitlines()}
    tested = {requirement.name for requirement in NEEDED} | {
        requirement.name for name, needed in EXTRA.items() if name not in LEFT_OUT for requirement in needed}
    assert set(constraints) == tested
    for requirement in ALL:
        if requirement.name in constraints:
            assert constraints[requirement.name].specifier.contains(lower_bound(requirement))


def imported_packages() -> dict[str, Path]:
    """The packages of others that mugo/ imports, each with a module that does."""
    found = {}
    for path, tree in sources().items():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found |= {name.partition(".")[0]: path for name in names}
    own = {"mugo", "compression"}            # compression is Python's from 3.14 on
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names | own}


def test_what_is_imported_is_declared_and_the_command_line_knows_its_extra():
    needed = {requirement.name.partition(".")[0] for requirement in NEEDED}
    for name, path in imported_packages().items():
        if name not in needed:
            assert name in EXTRAS, f"{path} imports {name}: mugo.cli.main.EXTRAS lacks the extra that has it"
            assert name in {requirement.name.partition(".")[0] for requirement in EXTRA[EXTRAS[name]]}


def test_nothing_private_of_a_dependency_is_used():
    own = {"_replace", "_asdict", "_fields"} | {                     # of a namedtuple: documented
        name for tree in sources().values() for node in ast.walk(tree) for name in
        ([node.name] if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else
         [node.attr] if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) else
         [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else [])}
    used = {(path.relative_to(ROOT).as_posix(), node.attr)
            for path, tree in sources().items() for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__")}
    assert any(name == "_run_finalizers" for _, name in used)
    assert not {(path, name) for path, name in used if name not in own | PRIVATE_IN_PYTHON}


def test_no_array_and_no_model_is_read_as_a_pickle():
    """The lint finds the other ways: pyproject.toml."""
    unsafe = re.compile(r"allow_pickle=(?!False)|safe_mode=(?!True)|unsafe_deserial|joblib|import_module..pickle")
    assert [path for path in sources() if unsafe.search(path.read_text())] == []


def test_no_private_method_of_a_dependency_is_overridden():
    pytest.importorskip("keras")
    overridden, checked = set(), set()
    for path in (path for path in sources() if path.parent.name in ("keras", "training") and path.stem != "__init__"):
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for name, kind in inspect.getmembers(module, inspect.isclass):
            others = [base for base in kind.__mro__ if base.__module__.partition(".")[0] == "keras"]
            if others and kind not in others:
                checked.add(name)
                own = {method for base in kind.__mro__ if base.__module__.startswith("mugo.") for method in vars(base)}
                overridden |= {(name, method) for method in own if method.startswith("_")
                               and not method.endswith("__") and hasattr(others[0], method)}
    assert checked >= {"Muon", "Adam", "FusedBatchNorm", "WarmupStableDecay"}
    assert not overridden
