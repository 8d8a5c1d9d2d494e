"""Print the lowest versions that pyproject.toml allows, as constraints for pip.

Only of direct dependencies; theirs are the newest that go with them.  pre-commit, mkdocs, build and the like are
left out: they check the sources, and are not what these run with.
"""
import re
import tomllib
from pathlib import Path

LEFT_OUT = {"lint", "release", "docs", "cuda", "jax-cuda"}

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
requirements = list(project["dependencies"])
for extra, needed in project["optional-dependencies"].items():
    requirements += [] if extra in LEFT_OUT else needed
for requirement in sorted(set(requirements)):
    if not requirement.startswith("mugo-go["):
        name, version = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+).*", requirement).groups()
        marker = "".join(requirement.partition(";")[1:])
        print(f"{name}=={version}{marker}")
