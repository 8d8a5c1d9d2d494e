"""The examples in docs/learn/python.md, docs/all-of-mugo.md and the docstrings of the library run, and print what
stands there."""
import doctest
import importlib
import re
import shutil
from pathlib import Path

import pytest

import mugo

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "learn" / "python.md"
ALL_OF_MUGO = ROOT / "docs" / "all-of-mugo.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
MODULES = [path.stem for path in (ROOT / "mugo" / "api").glob("*.py")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the files of the page's examples."""
    shutil.copy(ROOT / "data" / "gnugo-19x19-000.sgf", tmp_path / "game.sgf")
    shutil.copy(ROOT / "data" / "gnugo-9x9.zip", tmp_path / "games.zip")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blocks(language: str, page: Path = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


def run(page: Path, examples: int) -> int:
    """The number of the page's examples that fail; it has at least so many."""
    test = doctest.DocTestParser().get_doctest("".join(blocks("pycon", page)), {}, page.name, str(page), 0)
    assert len(test.examples) >= examples
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, clear_globs=False)
    return runner.failures


def test_the_page_says_what_happens(folder, capsys, monkeypatch):
    optimizers = pytest.importorskip("mugo.nn.keras.optimizers")
    monkeypatch.setitem(optimizers.CLASSES, "muon", optimizers.Adam)          # tracing Muon takes TensorFlow seconds
    assert not run(PAGE, 40), capsys.readouterr().out


def test_the_page_about_all_of_mugo_says_what_happens(folder, capsys):
    assert not run(ALL_OF_MUGO, 25), capsys.readouterr().out
    assert len(ALL_OF_MUGO.read_text().splitlines()) < 300


@pytest.mark.parametrize("package", ["torch", "jax"])
def test_batches_for_another_library(folder, package):
    pytest.importorskip(package)
    block, = [block for block in blocks("python") if f"import {package}" in block]
    mugo.preprocess("games.zip", "games")
    names = {"mugo": mugo}
    exec(block, names)
    if package == "torch":
        names["planes"], names["moves"] = next(iter(names["loader"]))
        assert names["planes"].shape == (128, 48, 9, 9)
    assert len(names["planes"]) == len(names["moves"])


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module = importlib.import_module("mugo.api" if name == "__init__" else f"mugo.api.{name}")
    assert doctest.testmod(module, optionflags=FLAGS).failed == 0


def test_the_page_has_every_public_name():
    text = PAGE.read_text()
    assert [name for name in mugo.__all__ if f"`{name}" not in text] == []


@pytest.mark.parametrize("name", ["Position", "Game", "Archive", "Network", "Policy", "Evaluation", "SearchResult",
                                  "SearchedMove", "Dataset"])
def test_the_page_has_every_public_attribute(name):
    kind, text = getattr(mugo, name), PAGE.read_text()
    public = {each for each in (*vars(kind), *getattr(kind, "__annotations__", ())) if not each.startswith("_")}
    assert [each for each in public if f"{each}" not in text] == []
    assert all(getattr(kind, each).__doc__ for each in vars(kind) if not each.startswith("_") and
               callable(getattr(kind, each)))
