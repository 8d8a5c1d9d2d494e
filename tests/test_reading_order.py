"""The package is read top to bottom: a file imports only from files above it, and fits one sitting."""
import ast
from pathlib import Path

import pytest

import mugo

PACKAGE = Path(mugo.__file__).parent
FILES = sorted(path for path in PACKAGE.glob("*.py") if path.stem != "__init__")
LONGEST = 500                            # lines


def names_imported(path: Path) -> set[str]:
    """Modules of the package that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno} imports relatively"
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("mugo.")}
    return {name for name in found if (PACKAGE / f"{name}.py").exists()}


def test_the_order_names_no_file_twice():
    assert len(set(mugo.READING_ORDER)) == len(mugo.READING_ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_imports_only_from_files_above_it(path):
    assert path.stem in mugo.READING_ORDER, f"{path.name} has no place in mugo.READING_ORDER"
    above = mugo.READING_ORDER[:mugo.READING_ORDER.index(path.stem)]
    below = names_imported(path) - set(above)
    assert not below, f"{path.name} imports {', '.join(sorted(below))}, which it stands above"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_fits_one_sitting_and_says_what_it_is(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert ast.get_docstring(ast.parse(text)), f"{path.name} opens without saying what it is"
