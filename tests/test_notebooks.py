"""The notebooks: they run, and are kept as they ran, with their pictures and nothing of the machine."""
import platform
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mugo.nn.bundled import find_network
from mugo.nn.metadata import positions_trained, read_metadata
from mugo.players.searcher import MCTS

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 1_500_000                      # bytes
ABSOLUTE_PATH = re.compile(r"(?<![\w.)\]])(/\w[\w.-]*/\w|[A-Z]:\\)")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def outputs(notebook) -> list:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def words_of(output) -> str:
    """What an output says in words."""
    return output.get("text", "") + "".join(text for kind, text in output.get("data", {}).items()
                                            if kind.startswith("text/"))


def test_there_are_five():
    assert [path.stem for path in NOTEBOOKS] == ["1_planes", "2_training", "3_what_it_sees", "4_search", "5_selfplay"]


@each_notebook
def test_a_notebook_is_kept_as_it_ran(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(output.output_type != "error" and output.get("name") != "stderr" for output in outputs(notebook))
    assert sum("image/png" in output.get("data", {}) for output in outputs(notebook)) >= 4
    assert path.stat().st_size < LARGEST


@each_notebook
def test_a_notebook_says_nothing_of_the_machine_it_ran_on(path):
    notebook = nbformat.read(path, as_version=4)
    for output in outputs(notebook):
        words = words_of(output)
        assert not ABSOLUTE_PATH.search(words), words
        assert not re.search(r" at 0x[0-9a-f]+>", words), words
        assert platform.node() not in words
    assert all("execution" not in cell.metadata for cell in notebook.cells), "run them by notebooks/run.py"


def kept_words(name: str) -> str:
    """All words of the outputs that a notebook is kept with."""
    return "\n".join(map(words_of, outputs(nbformat.read(FOLDER / f"{name}.ipynb", as_version=4))))


def test_the_network_that_a_notebook_was_run_with_is_the_bundled_one():
    trained = re.findall(r"trained on ([\d,]+) positions", kept_words("3_what_it_sees"))
    assert trained == [f"{positions_trained(read_metadata(find_network('policy-19'))):,}"]


def test_the_settings_that_a_notebook_was_run_with_are_those_of_mcts():
    settings = re.findall(r"^Settings\(.*\)$", kept_words("4_search"), re.M)
    assert settings == [repr(replace(MCTS, seed=1, early_stop=False, max_edges=1_000_000))]


@pytest.mark.notebooks
@each_notebook
def test_a_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    before = sorted(FOLDER.iterdir())
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(FOLDER)}}).execute()
    printed = "".join(output["text"] for output in outputs(notebook) if output.get("name") == "stderr")
    # Progress is a line in ten seconds, so on a slow machine there are some.
    assert not [line for line in printed.splitlines() if not re.match(r"mugo: \d+ %, ", line)]
    assert sorted(FOLDER.iterdir()) == before
