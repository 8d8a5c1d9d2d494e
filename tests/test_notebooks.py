"""The notebooks: they run, and are kept as they ran, with their pictures and nothing of the machine."""
import platform
import re
from pathlib import Path

import pytest

import mugo

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[1-9]_*.ipynb"))
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
    assert sum(any(kind.startswith("image/") for kind in output.get("data", {})) for output in outputs(notebook)) >= 4
    assert sum("assert " in cell.source for cell in code) >= len(code) / 3          # what the text claims
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


def test_the_network_that_a_notebook_was_run_with_is_the_bundled_one():
    words = "\n".join(map(words_of, outputs(nbformat.read(FOLDER / "3_what_it_sees.ipynb", as_version=4))))
    assert re.findall(r"<Network ([\w-]+),", words) == [mugo.load_network("policy-19").name]


@each_notebook
def test_a_notebook_uses_the_library_alone(path):
    code = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    assert re.findall(r"^(?:import|from) mugo\S*", code, re.M) == ["import mugo"]
    assert set(re.findall(r"\bmugo\.(\w+)", code)) <= set(mugo.__all__)


# Those that train for minutes run at night: tests of training, self-play and the library show sooner what breaks them.
@pytest.mark.parametrize("path", [
    pytest.param(path, marks=pytest.mark.slow if path.stem in ("2_training", "5_selfplay") else pytest.mark.notebooks)
    for path in NOTEBOOKS], ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    before = sorted(FOLDER.iterdir())
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(FOLDER)}}).execute()
    printed = "".join(output["text"] for output in outputs(notebook) if output.get("name") == "stderr")
    # On a slow machine there are progress bars, and the notice that kernels are compiled.
    assert not [line for line in printed.splitlines() if not re.match(r"\s*$|.*\d+%\||mugo: getting ready", line)]
    assert sorted(FOLDER.iterdir()) == before


@pytest.mark.notebooks
def test_the_notebook_for_a_free_gpu_runs_here_and_goes_on_where_it_was_stopped(tmp_path):
    notebook = nbformat.read(FOLDER / "train_on_a_free_gpu.ipynb", as_version=4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")]
    settings = notebook.cells[1]
    assert "MINUTES" in settings.source
    games = FOLDER.parent / "data" / "gnugo-19x19.tar.gz"
    settings.source += f'\nGAMES, FOLDER, MODEL, MINUTES = "{games}", "{tmp_path}", "five-64", 0.05'
    for _ in range(2):
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
        shown = [kind for output in outputs(notebook) for kind in output.get("data", {})]
        assert "image/png" in shown and "image/svg+xml" in shown
        assert "network.safetensors" in "".join(map(words_of, outputs(notebook)))
